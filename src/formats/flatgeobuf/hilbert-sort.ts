/**
 * Sorts features along the Hilbert curve through the extent of their layer. They are distributed over buckets, each a section of
 * the curve, and sorted in one bucket at a time, so that memory does not grow with the layer.
 */
import { rmSync } from 'node:fs';
import { type ByteSink, createFileSink } from '../../io/byte-sink.ts';
import { openFileSource } from '../../io/byte-source.ts';
import type { FeatureSpool } from './feature-spool.ts';
import { PREFIX_BYTES } from './header.ts';

/** Number of cells of the curve along each axis, as a power of 2. */
const CELL_BITS = 16;
const CELLS = 2 ** CELL_BITS;
/** Features without a position come last. */
const NO_PLACE = 2 ** (2 * CELL_BITS);

const BUCKET_BYTES = 32 << 20;
/** Bits of a number on the curve by which features are distributed. */
const SECTION_BITS = 16;
const SECTIONS = 2 ** SECTION_BITS + 1;
/** Memory for features that wait to be written to their buckets. */
const BUFFER_BYTES = 32 << 20;
const LEAST_BUFFER_BYTES = 16 << 10;

/** A feature in a bucket: its place on the curve, its number, its box, all f64; then its bytes. */
const RECORD_HEAD_BYTES = 48;
const BOX_AT = 16;
/** More than there are in a bucket: its bytes divided by those of the shortest record. */
const MOST_RECORDS = 2 ** 20;

/** Position of a feature: `bytes[start, end)`; its box begins at `box` of the view of the same memory. */
export type VisitFeature = (
  bytes: Uint8Array,
  start: number,
  end: number,
  view: DataView,
  box: number,
) => void;

/**
 * Calls `visit` for all features in their order on the curve; those at the same place stay in their order. `path`: used only for
 * many bytes. Returns the number of features that are not where they were.
 */
export function visitSorted(
  spool: FeatureSpool,
  path: string,
  visit: VisitFeature,
  bucketBytes = BUCKET_BYTES,
): number {
  const place = placeIn(spool.extent);
  const buckets = new Buckets(path, bucketsOf(spool, place, bucketBytes), spool.byteLength > bucketBytes);
  try {
    for (const { bytes, lengths, boxes } of spool.chunks())
      for (let row = 0, at = 0; row < lengths.length; at += lengths[row++])
        buckets.append(place(boxes, row * 4), boxes, row * 4, bytes, at, at + lengths[row]);
    return buckets.visit(visit);
  } finally {
    buckets.discard();
  }
}

type Place = (boxes: Float64Array, at: number) => number;

/** A number for the centre of a box, from 0 on, in the order of the reference implementation: against the curve. */
function placeIn(extent: Float64Array): Place {
  const [minX, minY, maxX, maxY] = extent;
  const cell = (low: number, high: number, least: number, most: number): number => {
    const share = (low / 2 + high / 2 - least) / (most - least);
    return Math.min(CELLS - 1, Math.max(0, Math.floor((CELLS - 1) * share))) >>> 0;
  };
  return (boxes, at) => {
    if (boxes[at] > boxes[at + 2]) return NO_PLACE;
    const x = cell(boxes[at], boxes[at + 2], minX, maxX);
    const y = cell(boxes[at + 1], boxes[at + 3], minY, maxY);
    return NO_PLACE - 1 - hilbert(x, y);
  };
}

/** Distance along the curve of a cell (Warren, Hacker's Delight 16-3). */
export function hilbert(x: number, y: number): number {
  let distance = 0;
  for (let side = CELLS >> 1; side > 0; side >>= 1) {
    const right = (x & side) === 0 ? 0 : 1;
    const upper = (y & side) === 0 ? 0 : 1;
    distance = distance * 4 + ((3 * right) ^ upper);
    if (upper === 1) continue;
    if (right === 1) {
      x = CELLS - 1 - x;
      y = CELLS - 1 - y;
    }
    const swapped = x;
    x = y;
    y = swapped;
  }
  return distance;
}

/** The bucket of a feature by its place. Features of one section fill several buckets in their order if they are many. */
function bucketsOf(spool: FeatureSpool, place: Place, bucketBytes: number): BucketChoice {
  if (spool.byteLength <= bucketBytes) return () => 0;
  const sectionBytes = new Float64Array(SECTIONS);
  for (const { lengths, boxes } of spool.chunks())
    for (let row = 0; row < lengths.length; row++)
      sectionBytes[sectionOf(place(boxes, row * 4))] += lengths[row] + RECORD_HEAD_BYTES;
  const firstBucket = new Uint32Array(SECTIONS);
  let bucket = 0;
  let filled = 0;
  for (let section = 0; section < SECTIONS; section++) {
    const bytes = sectionBytes[section];
    if (filled > 0 && filled + bytes > bucketBytes) {
      bucket++;
      filled = 0;
    }
    firstBucket[section] = bucket;
    filled += bytes;
    if (filled <= bucketBytes) continue;
    // A section with more than a bucket has buckets of its own.
    bucket += Math.ceil(filled / bucketBytes);
    filled = 0;
  }
  const distributed = new Float64Array(SECTIONS);
  return (at, byteLength) => {
    const section = sectionOf(at);
    const own = firstBucket[section];
    if (sectionBytes[section] <= bucketBytes) return own;
    const before = distributed[section];
    distributed[section] += byteLength;
    return own + Math.floor(before / bucketBytes);
  };
}

/** Bytes include the head of the record. */
type BucketChoice = (place: number, byteLength: number) => number;

function sectionOf(place: number): number {
  return Math.floor(place / 2 ** (2 * CELL_BITS - SECTION_BITS));
}

interface Bucket {
  /** In the file: start, end, start, end, ... */
  readonly blocks: number[];
  /** Records that are not in the file. */
  buffer: Uint8Array<ArrayBuffer>;
  length: number;
}

class Buckets {
  readonly #path: string;
  readonly #choose: BucketChoice;
  readonly #buckets: Bucket[] = [];
  readonly #isInFile: boolean;
  readonly #head = new Float64Array(RECORD_HEAD_BYTES / 8);
  readonly #headBytes = new Uint8Array(this.#head.buffer);
  #file: ByteSink | null = null;
  #waitingBytes = 0;
  #count = 0;

  constructor(path: string, choose: BucketChoice, isInFile: boolean) {
    this.#path = path;
    this.#choose = choose;
    this.#isInFile = isInFile;
  }

  /** Adds the feature `bytes[start, end)` with the box at `boxes[box]`. */
  append(
    place: number,
    boxes: Float64Array,
    box: number,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): void {
    const byteLength = RECORD_HEAD_BYTES + end - start;
    const bucket = this.#bucket(this.#choose(place, byteLength));
    const head = this.#head;
    head[0] = place;
    head[1] = this.#count++;
    for (let i = 0; i < 4; i++) head[i + 2] = boxes[box + i];
    const to = bucket.length;
    if (to + byteLength > bucket.buffer.length) {
      const grown = new Uint8Array(Math.max(to + byteLength, bucket.buffer.length * 2, LEAST_BUFFER_BYTES));
      grown.set(bucket.buffer.subarray(0, to));
      bucket.buffer = grown;
    }
    bucket.buffer.set(this.#headBytes, to);
    bucket.buffer.set(bytes.subarray(start, end), to + RECORD_HEAD_BYTES);
    bucket.length += byteLength;
    this.#waitingBytes += byteLength;
    if (this.#isInFile && this.#waitingBytes > BUFFER_BYTES) this.#flush();
  }

  /** Returns the number of features that are not where they were among all. */
  visit(visit: VisitFeature): number {
    let moved = 0;
    let visited = 0;
    for (const bucket of this.#buckets) {
      const bytes = this.#read(bucket);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const { starts, keys } = sortedRecords(view);
      for (const key of keys) {
        const head = starts[key % MOST_RECORDS];
        const feature = head + RECORD_HEAD_BYTES;
        if (view.getFloat64(head + 8, true) !== visited++) moved++;
        visit(bytes, feature, feature + PREFIX_BYTES + view.getUint32(feature, true), view, head + BOX_AT);
      }
    }
    return moved;
  }

  discard(): void {
    this.#file?.close();
    rmSync(this.#path, { force: true });
  }

  #bucket(number: number): Bucket {
    while (this.#buckets.length <= number)
      this.#buckets.push({ blocks: [], buffer: new Uint8Array(0), length: 0 });
    return this.#buckets[number];
  }

  #flush(): void {
    this.#file ??= createFileSink(this.#path, true);
    for (const bucket of this.#buckets) {
      if (bucket.length === 0) continue;
      bucket.blocks.push(this.#file.byteLength, this.#file.byteLength + bucket.length);
      this.#file.append(bucket.buffer.subarray(0, bucket.length));
      bucket.length = 0;
    }
    this.#waitingBytes = 0;
  }

  /** The records of a bucket, which is emptied. */
  #read(bucket: Bucket): Uint8Array<ArrayBuffer> {
    const { blocks, buffer, length } = bucket;
    bucket.buffer = new Uint8Array(0);
    if (blocks.length === 0) return buffer.subarray(0, length);
    using source = openFileSource(this.#path);
    let byteLength = length;
    for (let i = 0; i < blocks.length; i += 2) byteLength += blocks[i + 1] - blocks[i];
    const bytes = new Uint8Array(byteLength);
    let at = 0;
    for (let i = 0; i < blocks.length; i += 2) {
      const end = at + blocks[i + 1] - blocks[i];
      source.readInto(bytes.subarray(at, end), blocks[i]);
      at = end;
    }
    bytes.set(buffer.subarray(0, length), at);
    return bytes;
  }
}

/** Where the records of a bucket begin, and for each a number whose order is theirs: its rest by MOST_RECORDS is its number. */
function sortedRecords(view: DataView): { readonly starts: Uint32Array; readonly keys: Float64Array } {
  const starts: number[] = [];
  for (let at = 0; at < view.byteLength; ) {
    starts.push(at);
    at += RECORD_HEAD_BYTES + PREFIX_BYTES + view.getUint32(at + RECORD_HEAD_BYTES, true);
  }
  // Places have 32 bits and a bit, so that numbers are exact.
  const keys = Float64Array.from(starts, (at, i) => view.getFloat64(at, true) * MOST_RECORDS + i);
  return { starts: Uint32Array.from(starts), keys: keys.sort() };
}
