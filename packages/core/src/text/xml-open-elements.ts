/** The elements that are open in a document, from its root: their names, with prefixes. */
import type { RepeatedTag } from './xml-repeated-tags.ts';

/** Greatest depth of elements. */
export const MAX_DEPTH = 256;

const decoder = new TextDecoder();

export class OpenElements {
  depth = 0;
  /** By depth: the tag that began the element; null: its name is in `#names`. */
  readonly #tags: (RepeatedTag | null)[] = Array.from({ length: MAX_DEPTH + 1 }, () => null);
  /** Names, one after another, and where that of each depth ends. */
  #names = new Uint8Array(4096);
  readonly #nameEnds = new Int32Array(MAX_DEPTH + 1);

  /** Enters the element with the name `bytes[start, end)`; there is room for it. */
  enter(bytes: Uint8Array, start: number, end: number): void {
    const from = this.#nameEnds[this.depth];
    const to = from + end - start;
    if (to > this.#names.length) {
      const larger = new Uint8Array(2 * to);
      larger.set(this.#names);
      this.#names = larger;
    }
    for (let i = start; i < end; i++) this.#names[from + i - start] = bytes[i];
    this.#tags[++this.depth] = null;
    this.#nameEnds[this.depth] = to;
  }

  enterTag(tag: RepeatedTag): void {
    this.#tags[++this.depth] = tag;
    this.#nameEnds[this.depth] = this.#nameEnds[this.depth - 1];
  }

  /** The offset after the name of the innermost element if it is at `at`; else -1. */
  nameEndAt(bytes: Uint8Array, at: number): number {
    const { depth } = this;
    if (depth === 0) return -1;
    const tag = this.#tags[depth];
    const names = tag === null ? this.#names : tag.bytes;
    const start = tag === null ? this.#nameEnds[depth - 1] : 1;
    const end = tag === null ? this.#nameEnds[depth] : tag.nameEnd;
    for (let i = start; i < end; i++) if (names[i] !== bytes[at++]) return -1;
    return at;
  }

  /** The name of the innermost element, cut for messages; '' if none is open. */
  name(): string {
    const { depth } = this;
    if (depth === 0) return '';
    const tag = this.#tags[depth];
    const name =
      tag === null
        ? this.#names.subarray(this.#nameEnds[depth - 1], this.#nameEnds[depth])
        : tag.bytes.subarray(1, tag.nameEnd);
    return shownName(name, 0, name.length);
  }
}

/** A name for messages. */
export function shownName(bytes: Uint8Array, start: number, end: number): string {
  return decoder.decode(bytes.subarray(start, Math.min(end, start + 60)));
}
