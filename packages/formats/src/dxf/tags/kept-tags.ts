/**
 * Entities kept in memory: the contents of blocks, which are drawn many times. Values are parsed once and stored as
 * numbers or text by the kind of their group code, so the original bytes are not kept.
 */
import { type Entity, type EntityTags, truncatedInteger } from '../contract.ts';
import { TAG_VALUE, TAG_VALUES } from './tag-values.ts';

const NO_POSITIONS = new Int32Array(0);

class KeptTags implements EntityTags {
  readonly type: string;
  readonly count: number;
  readonly codes: Int16Array;
  readonly bytes = null;
  readonly starts = NO_POSITIONS;
  readonly ends = NO_POSITIONS;
  /** Values of number codes; NaN for others. */
  readonly #reals: Float64Array;
  /** Values of other codes; the other elements are holes. */
  readonly #texts: (string | undefined)[];

  constructor(tags: EntityTags) {
    this.type = tags.type;
    this.count = tags.count;
    this.codes = tags.codes.slice(0, tags.count);
    this.#reals = new Float64Array(tags.count).fill(Number.NaN);
    this.#texts = new Array(tags.count);
    for (let i = 0; i < tags.count; i++) {
      const kind = TAG_VALUES[tags.codes[i]];
      if (kind === TAG_VALUE.text || kind === TAG_VALUE.chunk || kind === TAG_VALUE.int64)
        this.#texts[i] = tags.text(i);
      else {
        this.#reals[i] = tags.real(i);
        // The text of an invalid number is only needed for messages.
        if (Number.isNaN(this.#reals[i])) this.#texts[i] = tags.text(i);
      }
    }
  }

  find(code: number, from = 0, end = this.count): number {
    for (let i = from; i < end; i++) if (this.codes[i] === code) return i;
    return -1;
  }

  real(index: number): number {
    const text = this.#texts[index];
    if (text === undefined) return this.#reals[index];
    return text.trim() === '' ? Number.NaN : Number(text);
  }

  integer(index: number): number {
    return truncatedInteger(this, index);
  }

  text(index: number): string {
    return this.#texts[index] ?? String(this.#reals[index]);
  }
}

export function keepEntity({ tags, parts }: Entity): Entity {
  return { tags: new KeptTags(tags), parts: parts.map((part) => new KeptTags(part)) };
}
