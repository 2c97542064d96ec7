/**
 * Visits the features of a layer along a Hilbert curve. Few are sorted in memory. Many are distributed over buckets, each a
 * section of the curve, and sorted in one bucket at a time, so that memory does not grow with the layer.
 */
import type { FeatureSpool } from './feature-spool.ts';
import { PLACES, type Place, placesIn } from './hilbert.ts';
import { type BucketChoice, MOST_NUMBERS, numberIn, SortBuckets, type VisitFeature } from './sort-buckets.ts';

const BUCKET_BYTES = 16 << 20;
/** The curve has so many sections, each with a sequence of places. */
const SECTIONS = 2 ** 16;
const PLACES_OF_SECTION = PLACES / SECTIONS;

/**
 * Visits all features; those at the same place stay in their order. `path`: for many features. Returns the number of features that
 * are not where they were.
 */
export function visitSorted(
  spool: FeatureSpool,
  path: string,
  visit: VisitFeature,
  bucketBytes = BUCKET_BYTES,
): number {
  const place = placesIn(spool.extent);
  if (!spool.isInFile && spool.count <= MOST_NUMBERS) return visitInMemory(spool, place, visit);
  const buckets = new SortBuckets(path, bucketsOf(spool, place, bucketBytes));
  try {
    for (const { bytes, lengths, boxes } of spool.chunks()) {
      const words = wordsOf(bytes);
      for (let row = 0, at = 0; row < lengths.length; row++) {
        const end = at + lengths[row] / 4;
        buckets.append(place(boxes, row * 4), boxes, row * 4, words, at, end);
        at = end;
      }
    }
    return buckets.visit(visit);
  } finally {
    buckets.discard();
  }
}

/** Features that are looked up together. */
const GROUP = 256;

function visitInMemory(spool: FeatureSpool, place: Place, visit: VisitFeature): number {
  const chunks = [...spool.chunks()];
  const words = chunks.map(({ bytes }) => wordsOf(bytes));
  const { count } = spool;
  const keys = new Float64Array(count);
  const chunkOf = new Uint32Array(count);
  const starts = new Uint32Array(count);
  const firstOf: number[] = [];
  let feature = 0;
  for (const [i, { lengths, boxes }] of chunks.entries()) {
    firstOf.push(feature);
    for (let row = 0, at = 0; row < lengths.length; at += lengths[row++] / 4, feature++) {
      keys[feature] = place(boxes, row * 4) * MOST_NUMBERS + feature;
      chunkOf[feature] = i;
      starts[feature] = at;
    }
  }
  keys.sort();
  let moved = 0;
  const numbers = new Uint32Array(GROUP);
  const ends = new Uint32Array(GROUP);
  const boxes = new Float64Array(GROUP * 4);
  for (let first = 0; first < count; first += GROUP) {
    const groupCount = Math.min(GROUP, count - first);
    // The features are anywhere in memory: in a loop that does nothing else, the processor fetches several at a time.
    for (let i = 0; i < groupCount; i++) {
      const number = numberIn(keys[first + i]);
      const chunk = chunkOf[number];
      const start = starts[number];
      const box = (number - firstOf[chunk]) * 4;
      const from = chunks[chunk].boxes;
      for (let side = 0; side < 4; side++) boxes[i * 4 + side] = from[box + side];
      numbers[i] = number;
      ends[i] = start + 1 + words[chunk][start] / 4;
      if (number !== first + i) moved++;
    }
    for (let i = 0; i < groupCount; i++) {
      const number = numbers[i];
      visit(words[chunkOf[number]], starts[number], ends[i], boxes, i * 4);
    }
  }
  return moved;
}

/** The bytes as words; copied if they do not begin at one, as an empty chunk may. */
function wordsOf(bytes: Uint8Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
}

/** Features of one section fill several buckets in their order if they are many. */
function bucketsOf(spool: FeatureSpool, place: Place, bucketBytes: number): BucketChoice {
  const sectionOf = (at: number): number => Math.floor(at / PLACES_OF_SECTION);
  const sectionBytes = new Float64Array(SECTIONS);
  for (const { lengths, boxes } of spool.heads())
    for (let row = 0; row < lengths.length; row++)
      sectionBytes[sectionOf(place(boxes, row * 4))] += SortBuckets.recordBytes(lengths[row]);
  const firstBucket = new Uint32Array(SECTIONS);
  let bucket = 0;
  let filled = 0;
  for (let section = 0; section < SECTIONS; section++) {
    if (filled > 0 && filled + sectionBytes[section] > bucketBytes) {
      bucket++;
      filled = 0;
    }
    firstBucket[section] = bucket;
    filled += sectionBytes[section];
    if (filled <= bucketBytes) continue;
    // A section with more than a bucket has buckets of its own.
    bucket += Math.ceil(filled / bucketBytes);
    filled = 0;
  }
  const distributed = new Float64Array(SECTIONS);
  return (at, byteLength) => {
    const section = sectionOf(at);
    if (sectionBytes[section] <= bucketBytes) return firstBucket[section];
    const before = distributed[section];
    distributed[section] += byteLength;
    return firstBucket[section] + Math.floor(before / bucketBytes);
  };
}
