/**
 * Layers that have single and multi lines, or single and multi polygons: their single geometries become multi geometries
 * with one part, so that the layer has one geometry type. Works on blobs as `GeometryEncoder` writes them:
 *
 *     header | 1 type ...          ->     header | 1 multi type, 1 part | 1 type ...
 *     header | 1 type, 0 rings     ->     header | 1 multi type, 0 parts
 */
import { GEOMETRY_TYPE } from '@geomill/core/geometry/geometry-column.ts';
import { blobSerial, headerBytes, varintBytes, writeVarint } from '@geomill/sqlite/record-bytes.ts';
import { SERIAL } from '@geomill/sqlite/records.ts';
import type { RecordBatch } from './encoded-records.ts';
import { ENVELOPE_BYTES, FLAG_ENVELOPE_XY, FLAGS_AT, HEADER_BYTES } from './geometry-encode.ts';
import { KEY_SERIAL_BYTES } from './record-encode.ts';

/** In WKB: the type, then the number of positions, rings or parts. */
const TYPE_AT = 1;
const COUNT_AT = 5;
/** Byte order, type and number of parts. */
const MULTI_BYTES = 9;
/** From the type code of single geometries to that of multi geometries, with any ordinates. */
const TO_MULTI = GEOMETRY_TYPE.multiPolygon - GEOMETRY_TYPE.polygon;

/**
 * The multi type for a layer with these numbers of features by type code, if it has lines and multi lines alone, or
 * polygons and multi polygons alone; otherwise null.
 */
export function commonMultiType(typeCounts: readonly number[]): number | null {
  const present = typeCounts.flatMap((count, type) =>
    count > 0 && type !== GEOMETRY_TYPE.none ? [type] : [],
  );
  if (present.length !== 2) return null;
  const [single, multi] = present;
  const isKnown = single === GEOMETRY_TYPE.lineString || single === GEOMETRY_TYPE.polygon;
  return isKnown && multi === single + TO_MULTI ? multi : null;
}

export function singleTypeOf(multiType: number): number {
  return multiType - TO_MULTI;
}

/** What the header of a record may grow by: its length, and the serial type of the blob. */
const HEADER_GROWTH_BYTES = 2;

/** The records with the geometries of type `single` as multi geometries; `wasSingle`: 1 for each row that was changed. */
export function promotedRecords(
  { bytes, offsets }: RecordBatch,
  single: number,
): {
  readonly records: RecordBatch;
  readonly wasSingle: Uint8Array;
} {
  const rowCount = offsets.length - 1;
  const target = new Uint8Array(bytes.length + rowCount * (MULTI_BYTES + HEADER_GROWTH_BYTES));
  const view = new DataView(target.buffer);
  const targetOffsets = new Uint32Array(rowCount + 1);
  const wasSingle = new Uint8Array(rowCount);
  let length = 0;
  for (let row = 0; row < rowCount; row++) {
    const [start, end] = [offsets[row], offsets[row + 1]];
    const header = varintAt(bytes, start);
    const serialAt = start + varintBytes(header) + KEY_SERIAL_BYTES;
    const serial = varintAt(bytes, serialAt);
    const blobAt = start + header;
    if (serial !== SERIAL.none && codeAt(bytes, blobAt) === single) {
      wasSingle[row] = 1;
      const columnsAt = serialAt + varintBytes(serial);
      const blobEnd = blobAt + (serial - SERIAL.firstBlob) / 2;
      const multi = blobSerial((serial - SERIAL.firstBlob) / 2 + promotionBytes(bytes, blobAt));
      length = writeVarint(
        target,
        length,
        headerBytes(KEY_SERIAL_BYTES + varintBytes(multi) + blobAt - columnsAt),
      );
      target[length] = SERIAL.none;
      length = writeVarint(target, length + KEY_SERIAL_BYTES, multi);
      length = copyBytes(bytes, columnsAt, blobAt, target, length);
      length = writePromoted(bytes, blobAt, blobEnd, target, view, length);
      length = copyBytes(bytes, blobEnd, end, target, length);
    } else length = copyBytes(bytes, start, end, target, length);
    targetOffsets[row + 1] = length;
  }
  return { records: { bytes: target.subarray(0, length), offsets: targetOffsets }, wasSingle };
}

/** Whether a blob is a line or polygon. */
export function isSingle(blob: Uint8Array): boolean {
  if (blob.length === 0) return false;
  const code = codeAt(blob, 0);
  return code === GEOMETRY_TYPE.lineString || code === GEOMETRY_TYPE.polygon;
}

/** A line or polygon as multi geometry. */
export function promotedBlob(blob: Uint8Array): Uint8Array {
  const target = new Uint8Array(blob.length + promotionBytes(blob, 0));
  writePromoted(blob, 0, blob.length, target, new DataView(target.buffer), 0);
  return target;
}

/** The inverse of `promotedBlob`. */
export function singleBlob(blob: Uint8Array): Uint8Array {
  const wkb = wkbStart(blob, 0);
  const isEmpty = uint32At(blob, wkb + COUNT_AT) === 0;
  const single = new Uint8Array(blob.length - (isEmpty ? 0 : MULTI_BYTES));
  single.set(blob.subarray(0, single.length));
  if (isEmpty)
    new DataView(single.buffer).setUint32(wkb + TYPE_AT, uint32At(blob, wkb + TYPE_AT) - TO_MULTI, true);
  else single.set(blob.subarray(wkb + MULTI_BYTES), wkb);
  return single;
}

/** The type code of the blob without the mark of its ordinates. */
function codeAt(bytes: Uint8Array, start: number): number {
  return uint32At(bytes, wkbStart(bytes, start) + TYPE_AT) % 1000;
}

/** Writes the blob `bytes[start, end)` at `at` as multi geometry; returns where it ends. */
function writePromoted(
  bytes: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array<ArrayBuffer>,
  view: DataView<ArrayBuffer>,
  at: number,
): number {
  const wkb = wkbStart(bytes, start);
  const parts = uint32At(bytes, wkb + COUNT_AT) === 0 ? 0 : 1;
  const multi = copyBytes(bytes, start, wkb, target, at);
  view.setUint8(multi, 1);
  view.setUint32(multi + TYPE_AT, uint32At(bytes, wkb + TYPE_AT) + TO_MULTI, true);
  view.setUint32(multi + COUNT_AT, parts, true);
  return parts === 0 ? multi + MULTI_BYTES : copyBytes(bytes, wkb, end, target, multi + MULTI_BYTES);
}

/** What the blob at `start` grows by when it becomes a multi geometry. */
function promotionBytes(bytes: Uint8Array, start: number): number {
  return uint32At(bytes, wkbStart(bytes, start) + COUNT_AT) === 0 ? 0 : MULTI_BYTES;
}

/** A varint below 2^53. */
function varintAt(bytes: Uint8Array, at: number): number {
  let value = bytes[at] & 0x7f;
  for (let i = at; bytes[i] >= 0x80; i++) value = value * 128 + (bytes[i + 1] & 0x7f);
  return value;
}

/** For fewer bytes a loop is faster than a view and `set`. */
const COPY_AT_ONCE_BYTES = 256;

function copyBytes(bytes: Uint8Array, start: number, end: number, target: Uint8Array, at: number): number {
  if (end - start >= COPY_AT_ONCE_BYTES) target.set(bytes.subarray(start, end), at);
  else for (let i = start, to = at; i < end; i++, to++) target[to] = bytes[i];
  return at + end - start;
}

function wkbStart(bytes: Uint8Array, start: number): number {
  return start + HEADER_BYTES + ((bytes[start + FLAGS_AT] & FLAG_ENVELOPE_XY) === 0 ? 0 : ENVELOPE_BYTES);
}

function uint32At(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
}
