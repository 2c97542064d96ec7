/** Finds the partitions that can have shapes in boxes, by the bounds at the beginning of each record. */
import { mayMeet, type NearBoxes } from '@geomill/core/columns/near-boxes.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { type FileSegment, withSegment } from '@geomill/io/file-segment.ts';
import type { Partition } from '../reader.ts';
import { INDEX_RECORD_BYTES, M_TYPE, RECORD_HEADER_BYTES, SHAPE_TYPE, Z_TYPE } from './shp-header.ts';
import { indexSlices } from './shp-index.ts';

interface Shapes {
  readonly shp: FileSegment;
  readonly index: FileSegment;
  readonly shapeCount: number;
}

const POINT_BYTES = 16;
const BOUNDS_BYTES = 32;
/** Record header, shape type, bounds. */
const HEAD_BYTES = RECORD_HEADER_BYTES + 4 + BOUNDS_BYTES;
const WINDOW_BYTES = 1 << 20;
/** Of records of this mean size only the heads are read, one by one. */
const LARGE_RECORD_BYTES = 1 << 14;
const POINT_TYPES: ReadonlySet<number> = new Set([0, Z_TYPE, M_TYPE].map((more) => SHAPE_TYPE.point + more));

/** For each partition, a range of records: 1 if it has a shape near one of the boxes, else 0. */
export function partitionsNear(
  { shp, index, shapeCount }: Shapes,
  partitions: readonly Partition[],
  near: NearBoxes,
): Uint8Array {
  const isNear = new Uint8Array(partitions.length);
  const hasLargeRecords = shp.byteLength > shapeCount * LARGE_RECORD_BYTES;
  withSegment(shp, (source) => {
    const heads = new RecordHeads(source, hasLargeRecords ? HEAD_BYTES : WINDOW_BYTES);
    withSegment(index, (entries) => {
      let record = 0;
      let partition = 0;
      for (const view of indexSlices(entries, 0, shapeCount))
        for (let at = 0; at < view.byteLength; at += INDEX_RECORD_BYTES, record++) {
          while (record >= partitions[partition].end) partition++;
          if (isNear[partition] === 0 && heads.isNear(view.getUint32(at) * 2, near)) isNear[partition] = 1;
        }
    });
  });
  return isNear;
}

/** The beginnings of records, read in the order of the file. */
class RecordHeads {
  readonly #source: ByteSource;
  readonly #windowBytes: number;
  #window = new DataView(new ArrayBuffer(0));
  #windowStart = 0;

  constructor(source: ByteSource, windowBytes: number) {
    this.#source = source;
    this.#windowBytes = windowBytes;
  }

  /** Whether the shape at `offset` can be in one of the boxes. True for damaged records: their reading reports the fault. */
  isNear(offset: number, near: NearBoxes): boolean {
    const end = this.#windowStart + this.#window.byteLength;
    if (offset < this.#windowStart || offset + HEAD_BYTES > end) {
      this.#window = new DataView(this.#source.slice(offset, offset + this.#windowBytes).buffer);
      this.#windowStart = offset;
    }
    const window = this.#window;
    const at = offset - this.#windowStart + RECORD_HEADER_BYTES;
    if (at + 4 > window.byteLength) return true;
    const type = window.getInt32(at, true);
    if (type === SHAPE_TYPE.null) return false;
    const isPoint = POINT_TYPES.has(type);
    if (at + 4 + (isPoint ? POINT_BYTES : BOUNDS_BYTES) > window.byteLength) return true;
    const minX = window.getFloat64(at + 4, true);
    const minY = window.getFloat64(at + 12, true);
    const maxX = isPoint ? minX : window.getFloat64(at + 20, true);
    const maxY = isPoint ? minY : window.getFloat64(at + 28, true);
    // Some programs write zeros or reversed bounds: such a record can be anywhere.
    const isStated = maxX >= minX && maxY >= minY && !(minX === 0 && minY === 0 && maxX === 0 && maxY === 0);
    if (!isStated) return true;
    return mayMeet(near, minX, minY, maxX, maxY);
  }
}
