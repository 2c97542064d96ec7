/**
 * Visits the features of a layer along a Hilbert curve. Few are sorted in memory. Many are distributed over buckets, each a
 * section of the curve, and sorted in one bucket at a time, so that memory does not grow with the layer.
 */

import { RadixSorter } from '@geomill/core/bytes/radix-sort.ts';
import { hilbert } from '@geomill/core/geometry/hilbert.ts';
import type { EncodedFeatures } from './feature-encode.ts';
import type { FeatureSpool } from './feature-spool.ts';
import { type BucketChoice, MOST_NUMBERS, SortBuckets, type VisitFeature } from './sort-buckets.ts';

/** Number of cells of the curve along each axis, as a power of 2. */
const CELL_BITS = 16;
const CELLS = 2 ** CELL_BITS;
/** Numbers of places are below this. */
const PLACES = 2 ** (2 * CELL_BITS);

/** Gives the place of the box at `boxes[at]`. */
type Place = (boxes: Float64Array, at: number) => number;

/** Places in the order of the reference implementation, against the curve; boxes without a position come last. */
function placesIn([minX, minY, maxX, maxY]: Readonly<Float64Array>): Place {
  return (boxes, at) => {
    if (boxes[at] > boxes[at + 2]) return PLACES - 1;
    const x = cellOf(boxes[at] / 2 + boxes[at + 2] / 2, minX, maxX);
    const y = cellOf(boxes[at + 1] / 2 + boxes[at + 3] / 2, minY, maxY);
    return PLACES - 1 - hilbert(x, y, CELL_BITS);
  };
}

/** 0 for an extent without width. */
function cellOf(centre: number, least: number, most: number): number {
  const cell = Math.floor(((CELLS - 1) * (centre - least)) / (most - least));
  return cell > 0 ? Math.min(cell, CELLS - 1) : 0;
}

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

/** Features that are looked up together: they fit into the processor's cache. */
const GROUP = 256;
/** Words that the processor fetches at once. */
const LINE_WORDS = 16;

/** Chunks in memory, and where each feature is. */
interface Locations {
  readonly boxes: readonly Float64Array[];
  readonly words: readonly Int32Array<ArrayBuffer>[];
  /** By number of a feature, LOCATION_NUMBERS each: its chunk, its row in the chunk, and where its words begin and end. */
  readonly numbers: Uint32Array;
}

/** Side by side, so that the processor fetches them at once. */
const LOCATION_NUMBERS = 4;

function visitInMemory(spool: FeatureSpool, place: Place, visit: VisitFeature): number {
  const chunks = [...spool.chunks()];
  const { count } = spool;
  const sorter = new RadixSorter(count);
  const locations: Locations = {
    boxes: chunks.map(({ boxes }) => boxes),
    words: chunks.map(({ bytes }) => wordsOf(bytes)),
    numbers: new Uint32Array(count * LOCATION_NUMBERS),
  };
  let feature = 0;
  for (const [i, chunk] of chunks.entries()) {
    enterChunk(chunk, i, feature, place, locations.numbers, sorter);
    feature += chunk.lengths.length;
  }
  sorter.sort(0, count);
  let moved = 0;
  for (let first = 0; first < count; first += GROUP)
    moved += visitGroup(locations, sorter.order, first, Math.min(first + GROUP, count), visit);
  return moved;
}

function enterChunk(
  { lengths, boxes }: EncodedFeatures,
  chunk: number,
  first: number,
  place: Place,
  numbers: Uint32Array,
  { keys, order }: RadixSorter,
): void {
  let start = 0;
  for (let row = 0; row < lengths.length; row++) {
    const feature = first + row;
    keys[feature] = place(boxes, row * 4);
    order[feature] = feature;
    const at = feature * LOCATION_NUMBERS;
    numbers[at] = chunk;
    numbers[at + 1] = row;
    numbers[at + 2] = start;
    start += lengths[row] / 4;
    numbers[at + 3] = start;
  }
}

/** Of the features of a group: their locations, their boxes. */
const groupLocations = new Uint32Array(GROUP * LOCATION_NUMBERS);
const groupBoxes = new Float64Array(GROUP * 4);
/** Words that were only read to fetch them. */
const fetchedWords = new Int32Array(1);

/** Visits the features with the numbers order[first, end); returns how many are not where they were. */
function visitGroup(
  locations: Locations,
  order: Uint32Array,
  first: number,
  end: number,
  visit: VisitFeature,
): number {
  const { words } = locations;
  const count = end - first;
  const moved = takeLocations(locations.numbers, order, first, count);
  fetchBoxes(locations.boxes, count);
  fetchFeatures(words, count);
  for (let i = 0; i < count; i++) {
    const at = i * LOCATION_NUMBERS;
    visit(words[groupLocations[at]], groupLocations[at + 2], groupLocations[at + 3], groupBoxes, i * 4);
  }
  return moved;
}

// The features are anywhere in memory: in loops that do nothing else, the processor fetches several at a time.

function takeLocations(numbers: Uint32Array, order: Uint32Array, first: number, count: number): number {
  let moved = 0;
  for (let i = 0; i < count; i++) {
    const number = order[first + i];
    if (number !== first + i) moved++;
    const at = number * LOCATION_NUMBERS;
    const to = i * LOCATION_NUMBERS;
    groupLocations[to] = numbers[at];
    groupLocations[to + 1] = numbers[at + 1];
    groupLocations[to + 2] = numbers[at + 2];
    groupLocations[to + 3] = numbers[at + 3];
  }
  return moved;
}

function fetchBoxes(chunkBoxes: readonly Float64Array[], count: number): void {
  for (let i = 0; i < count; i++) {
    const boxes = chunkBoxes[groupLocations[i * LOCATION_NUMBERS]];
    const box = groupLocations[i * LOCATION_NUMBERS + 1] * 4;
    const to = i * 4;
    groupBoxes[to] = boxes[box];
    groupBoxes[to + 1] = boxes[box + 1];
    groupBoxes[to + 2] = boxes[box + 2];
    groupBoxes[to + 3] = boxes[box + 3];
  }
}

function fetchFeatures(words: readonly Int32Array[], count: number): void {
  let fetched = 0;
  for (let i = 0; i < count; i++) {
    const at = i * LOCATION_NUMBERS;
    const feature = words[groupLocations[at]];
    const end = groupLocations[at + 3];
    for (let word = groupLocations[at + 2]; word < end; word += LINE_WORDS) fetched ^= feature[word];
  }
  fetchedWords[0] = fetched;
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
