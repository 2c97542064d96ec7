/**
 * Reads binary tags: a group code, then a value whose kind and length follow from the code. Codes have one byte up to
 * R12 (255: the code is in the next two) and two, little-endian, from R13 on.
 */
import type { TagList } from './tag-list.ts';
import { IS_BROKEN, NEEDS_MORE, type TagScanner } from './tag-scanner.ts';
import { MAX_GROUP_CODE, TAG_VALUE, TAG_VALUES } from './tag-values.ts';

/** "AutoCAD Binary DXF" CR LF SUB NUL */
export const SENTINEL = Uint8Array.from('AutoCAD Binary DXF\r\n\x1a\0', (character) =>
  character.charCodeAt(0),
);

const ESCAPED_CODE = 255;
/** Bytes of a value by TAG_VALUE; 0 if the length is in the value. */
const VALUE_BYTES = [0, 0, 8, 2, 4, 8, 1, 0];

export class BinaryTagScanner implements TagScanner {
  readonly list: TagList;
  type = '';
  faultAt = 0;
  faultReason = '';
  readonly #codeBytes: 1 | 2;
  #bytes: Uint8Array = new Uint8Array(2);
  #limit = 0;
  /** Group code of the tag that `#code` read. */
  #code = 0;

  constructor(list: TagList, codeBytes: 1 | 2) {
    this.list = list;
    this.#codeBytes = codeBytes;
  }

  attach(bytes: Uint8Array, limit: number, _reachesEnd: boolean): void {
    bytes[limit] = 0;
    bytes[limit + 1] = 0;
    this.#bytes = bytes;
    this.#limit = limit;
    this.list.attach(bytes);
  }

  head(at: number): number {
    const bytes = this.#bytes;
    const start = this.#readCode(at);
    if (start > this.#limit) return NEEDS_MORE;
    if (this.#code !== 0) return this.#broken(at, `expected group code 0 but found ${this.#code}`);
    const end = bytes.indexOf(0, start);
    if (end >= this.#limit) return NEEDS_MORE;
    this.type = this.list.text.read(bytes, start, end);
    return end + 1;
  }

  tags(at: number): number {
    const { list } = this;
    const bytes = this.#bytes;
    const limit = this.#limit;
    let { count } = list;
    for (;;) {
      let start = this.#readCode(at);
      const code = this.#code;
      if (start > limit || code === 0) {
        list.count = count;
        return start > limit ? NEEDS_MORE : at;
      }
      const kind = code <= MAX_GROUP_CODE ? TAG_VALUES[code] : TAG_VALUE.unknown;
      let end: number;
      let next: number;
      if (kind === TAG_VALUE.text) {
        end = start;
        while (bytes[end] !== 0) end++;
        next = end + 1;
      } else if (kind === TAG_VALUE.chunk) {
        end = start + 1 + bytes[start];
        start++;
        next = end;
      } else if (kind === TAG_VALUE.unknown) {
        list.count = count;
        return this.#broken(at, `${code} is not a group code`);
      } else {
        end = start + VALUE_BYTES[kind];
        next = end;
      }
      if (next > limit) {
        list.count = count;
        return NEEDS_MORE;
      }
      if (count === list.codes.length) list.grow();
      list.codes[count] = code;
      list.starts[count] = start;
      list.ends[count] = end;
      list.reals[count] = kind === TAG_VALUE.real ? list.view.getFloat64(start, true) : Number.NaN;
      count++;
      at = next;
    }
  }

  /** Reads the group code at `at`; returns the offset after it, which may be after the window. */
  #readCode(at: number): number {
    const bytes = this.#bytes;
    if (this.#codeBytes === 2) {
      this.#code = bytes[at] | (bytes[at + 1] << 8);
      return at + 2;
    }
    this.#code = bytes[at];
    if (this.#code !== ESCAPED_CODE) return at + 1;
    this.#code = bytes[at + 1] | (bytes[at + 2] << 8);
    return at + 3;
  }

  #broken(at: number, reason: string): number {
    this.faultAt = at;
    this.faultReason = reason;
    return IS_BROKEN;
  }
}
