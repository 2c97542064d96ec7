/** Features as records of SQLite. */
import type { GeometryFacts } from './geometry-facts.ts';

export interface EncodedRecords {
  readonly records: RecordBatch;
  /** minX, maxX, minY, maxY per row in the order of SQLite's RTree, rounded outward; NaN: not in the index. */
  readonly boxes: Float32Array<ArrayBuffer>;
  readonly facts: GeometryFacts;
}

export interface RecordBatch {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Row i is `bytes[offsets[i], offsets[i + 1])`. */
  readonly offsets: Uint32Array<ArrayBuffer>;
}
