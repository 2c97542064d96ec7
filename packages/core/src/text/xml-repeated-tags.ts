/**
 * Start tags that a document repeats: after the first two of them, a tag is recognised by one comparison with those that followed
 * the tag before it, and what its reader knows of it need not be found again.
 */

/** Longer tags are not remembered, and of one document only so many: others are read as if they were new. */
const MAX_TAG_BYTES = 64;
const MAX_TAGS = 256;
const SLOTS = 256;

export class RepeatedTag {
  /** From `<` to `>`, or, if it has attributes that differ, to the byte after the name. */
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
  /** Relative to `<`; with a prefix if `nameStart` is not 1. */
  readonly nameStart: number;
  readonly nameEnd: number;
  /** If it is whole. */
  readonly isEmpty: boolean;
  /** What the reader calls the element; null: nothing. Undefined: it was not asked. */
  name: string | null | undefined = undefined;
  /** Index of the column that gets its text, if it is whole; -1: not known. */
  column = -1;
  /** Tags that followed this one, the last one first. */
  next: RepeatedTag | null = null;
  nextBefore: RepeatedTag | null = null;

  constructor(bytes: Uint8Array, isWhole: boolean, nameStart: number, nameEnd: number, isEmpty: boolean) {
    this.bytes = bytes;
    this.isWhole = isWhole;
    this.nameStart = nameStart;
    this.nameEnd = nameEnd;
    this.isEmpty = isEmpty;
  }
}

export class RepeatedTags {
  /** Stands for every tag that is not remembered. */
  readonly #other = new RepeatedTag(new Uint8Array(0), true, 0, 0, false);
  #last = this.#other;
  readonly #tags: RepeatedTag[][] = Array.from({ length: SLOTS }, () => []);
  #count = 0;
  /** Hashes of tags that came once, of which later ones take the place: those of tags that never repeat do not stay. */
  readonly #hashes = new Int32Array(SLOTS);

  /** The tag at `at` if it is one that followed the last tag before; else null. */
  expected(bytes: Uint8Array, at: number): RepeatedTag | null {
    const last = this.#last;
    const { next } = last;
    if (next === null) return null;
    if (isAt(next, bytes, at)) {
      this.#last = next;
      return next;
    }
    const { nextBefore } = last;
    if (nextBefore === null || !isAt(nextBefore, bytes, at)) return null;
    last.nextBefore = next;
    last.next = nextBefore;
    this.#last = nextBefore;
    return nextBefore;
  }

  /** Takes the start tag `bytes[start, end)`, or its begin; null: it is not remembered. Name offsets are those in `bytes`. */
  add(
    bytes: Uint8Array,
    start: number,
    end: number,
    isWhole: boolean,
    nameStart: number,
    nameEnd: number,
    isEmpty: boolean,
  ): RepeatedTag | null {
    const last = this.#last;
    this.#last = this.#other;
    if (end - start > MAX_TAG_BYTES) return null;
    let hash = end - start;
    for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + bytes[i]) | 0;
    const slot = (hash ^ (hash >>> 8) ^ (hash >>> 16)) & (SLOTS - 1);
    let tag = this.#find(slot, bytes, start, end);
    if (tag === null) {
      if (this.#hashes[slot] !== hash || this.#count >= MAX_TAGS) {
        this.#hashes[slot] = hash;
        return null;
      }
      const own = bytes.slice(start, end);
      tag = new RepeatedTag(own, isWhole, nameStart - start, nameEnd - start, isEmpty);
      this.#tags[slot].push(tag);
      this.#count++;
    }
    last.nextBefore = last.next;
    last.next = tag;
    this.#last = tag;
    return tag;
  }

  #find(slot: number, bytes: Uint8Array, start: number, end: number): RepeatedTag | null {
    const tags = this.#tags[slot];
    for (let i = 0; i < tags.length; i++)
      if (tags[i].bytes.length === end - start && isAt(tags[i], bytes, start)) return tags[i];
    return null;
  }
}

function isAt(tag: RepeatedTag, source: Uint8Array, at: number): boolean {
  const { bytes } = tag;
  for (let i = 1; i < bytes.length; i++) if (bytes[i] !== source[at + i]) return false;
  return true;
}
