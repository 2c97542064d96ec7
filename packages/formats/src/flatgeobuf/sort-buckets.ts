/** Buckets of features, filled in any order and read one after another, mostly in a file. */

import { type ByteSink, createFileSink } from '@geomill/io/byte-sink.ts';
import { openFileSource } from '@geomill/io/byte-source.ts';
import { removeFile } from '@geomill/platform/files.ts';
import { copyWords } from './copy-words.ts';

/** Gets the words `[start, end)` of a feature (4 bytes each) and its box, `boxes[box]` to `boxes[box + 3]`. */
export type VisitFeature = (
  words: Int32Array<ArrayBuffer>,
  start: number,
  end: number,
  boxes: Float64Array,
  box: number,
) => void;

/** The bucket of the next feature with this place; `byteLength`: of its record. Called for all features in their order. */
export type BucketChoice = (place: number, byteLength: number) => number;

/** With a place, the number of a feature is exact in a number: 32 and 21 bits. */
export const MOST_NUMBERS = 2 ** 21;

/** The number of the feature in a key, `place * MOST_NUMBERS + number`. `%` takes ten times as long for such numbers. */
export function numberIn(key: number): number {
  return key - Math.floor(key / MOST_NUMBERS) * MOST_NUMBERS;
}

/** Features that wait to be written to the file. */
const WAITING_BYTES = 16 << 20;
const LEAST_BUFFER_WORDS = 4 << 10;

/** A record: place, number and box of a feature and its number of words, as f64; then the feature. */
const HEAD_NUMBERS = 7;
const BOX_AT = 2;
const WORDS_AT = 6;
const HEAD_WORDS = HEAD_NUMBERS * 2;

interface Bucket {
  /** In the file: start, end, start, end, ... */
  readonly blocks: number[];
  /** Records that are not in the file. */
  words: Int32Array<ArrayBuffer>;
  length: number;
}

export class SortBuckets {
  readonly #path: string;
  readonly #choose: BucketChoice;
  readonly #buckets: Bucket[] = [];
  readonly #head = new Float64Array(HEAD_NUMBERS);
  readonly #headWords = new Int32Array(this.#head.buffer);
  /** For one bucket after the other. */
  #memory = new Uint8Array(0);
  #file: ByteSink | null = null;
  #waitingBytes = 0;
  #count = 0;

  /** `path`: a file that a killed run left there is overwritten. */
  constructor(path: string, choose: BucketChoice) {
    this.#path = path;
    this.#choose = choose;
  }

  /** Bytes of the record of a feature. */
  static recordBytes(byteLength: number): number {
    return HEAD_WORDS * 4 + byteLength;
  }

  /** Adds the feature with the words `[start, end)` and the box at `boxes[box]`. */
  append(
    place: number,
    boxes: Float64Array,
    box: number,
    words: Int32Array,
    start: number,
    end: number,
  ): void {
    const count = HEAD_WORDS + end - start;
    const bucket = this.#bucket(this.#choose(place, count * 4));
    const head = this.#head;
    head[0] = place;
    head[1] = this.#count++;
    for (let i = 0; i < 4; i++) head[BOX_AT + i] = boxes[box + i];
    head[WORDS_AT] = end - start;
    const at = bucket.length;
    if (at + count > bucket.words.length) {
      const wordCount = Math.max(at + count, bucket.words.length * 2, LEAST_BUFFER_WORDS);
      bucket.words = new Int32Array(bucket.words.buffer.transfer(wordCount * 4));
    }
    copyWords(this.#headWords, 0, HEAD_WORDS, bucket.words, at);
    copyWords(words, start, end, bucket.words, at + HEAD_WORDS);
    bucket.length += count;
    this.#waitingBytes += count * 4;
    if (this.#waitingBytes > WAITING_BYTES) this.#flush();
  }

  /** Visits the features of one bucket after the other by their places; returns the number of those that are not where they were. */
  visit(visit: VisitFeature): number {
    let moved = 0;
    let visited = 0;
    // For one bucket after the other: nothing else makes objects here, so that a garbage collection would be many buckets away.
    let starts = new Uint32Array(0);
    let memory = new Float64Array(0);
    for (const bucket of this.#buckets) {
      const { words, length } = this.#read(bucket);
      const numbers = new Float64Array(words.buffer, 0, Math.floor(words.buffer.byteLength / 8));
      const most = Math.floor(length / HEAD_WORDS);
      if (starts.length < most) {
        starts = new Uint32Array(most);
        memory = new Float64Array(most);
      }
      let count = 0;
      for (let at = 0; at < length; at += HEAD_WORDS + numbers[at / 2 + WORDS_AT]) starts[count++] = at;
      const keys = memory.subarray(0, count);
      for (let i = 0; i < count; i++) keys[i] = numbers[starts[i] / 2] * MOST_NUMBERS + i;
      keys.sort();
      for (let i = 0; i < count; i++) {
        const head = starts[numberIn(keys[i])];
        const first = head / 2;
        if (numbers[first + 1] !== visited++) moved++;
        const start = head + HEAD_WORDS;
        visit(words, start, start + numbers[first + WORDS_AT], numbers, first + BOX_AT);
      }
    }
    return moved;
  }

  discard(): void {
    this.#file?.close();
    removeFile(this.#path);
  }

  #bucket(number: number): Bucket {
    while (this.#buckets.length <= number)
      this.#buckets.push({ blocks: [], words: new Int32Array(0), length: 0 });
    return this.#buckets[number];
  }

  #flush(): void {
    this.#file ??= createFileSink(this.#path, true);
    for (const bucket of this.#buckets) {
      if (bucket.length === 0) continue;
      const byteLength = bucket.length * 4;
      bucket.blocks.push(this.#file.byteLength, this.#file.byteLength + byteLength);
      this.#file.append(new Uint8Array(bucket.words.buffer, 0, byteLength));
      // Features that come in the order of the curve fill one bucket after the other: all would keep memory for all that wait.
      bucket.words.buffer.transfer(0);
      bucket.words = new Int32Array(0);
      bucket.length = 0;
    }
    this.#waitingBytes = 0;
  }

  /** All records of a bucket, valid until the next call. */
  #read(bucket: Bucket): { readonly words: Int32Array<ArrayBuffer>; readonly length: number } {
    const { blocks, words: rest, length } = bucket;
    if (blocks.length === 0) return { words: rest, length };
    using source = openFileSource(this.#path);
    let byteLength = length * 4;
    for (let i = 0; i < blocks.length; i += 2) byteLength += blocks[i + 1] - blocks[i];
    if (this.#memory.length < byteLength) this.#memory = new Uint8Array(byteLength);
    const bytes = this.#memory;
    let at = 0;
    for (let i = 0; i < blocks.length; i += 2) {
      const end = at + blocks[i + 1] - blocks[i];
      source.readInto(bytes.subarray(at, end), blocks[i]);
      at = end;
    }
    bytes.set(new Uint8Array(rest.buffer, 0, length * 4), at);
    rest.buffer.transfer(0);
    bucket.words = new Int32Array(0);
    return { words: new Int32Array(bytes.buffer, 0, byteLength / 4), length: byteLength / 4 };
  }
}
