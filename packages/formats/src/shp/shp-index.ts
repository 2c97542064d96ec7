/**
 * Locates the records of a .shp. The .shx is used only if it agrees with the .shp; otherwise the .shp is walked from
 * record to record.
 *
 * The index itself is not sent to the workers: they read the part they need from the .shx, or from a rebuilt one in the
 * scratch directory, which has the same layout.
 */

import { failure } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { type FileSegment, withSegment } from '@geomill/io/file-segment.ts';
import { writeNewFile } from '@geomill/platform/files.ts';
import type { Partition } from '../reader.ts';
import { shpErrors, shpFindings } from './messages.ts';
import { HEADER_BYTES, INDEX_RECORD_BYTES, RECORD_HEADER_BYTES, SHAPE_TYPE_NAMES } from './shp-header.ts';

interface ShpIndex {
  readonly segment: FileSegment;
  readonly shapeCount: number;
  /** Each record begins at the end of the previous one, so any range of them is one range of the .shp. */
  readonly contiguous: boolean;
}

const INDEX_SLICE_BYTES = 1 << 20;

/** The index of a .shp whose header was read. Throws SHP_RECORD if no index is usable and the .shp is damaged. */
export function findIndex(
  shp: FileSegment,
  declaredBytes: number,
  shx: FileSegment | null,
  scratchPath: () => string,
  findings: Findings,
): ShpIndex {
  const reason = shx === null ? 'there is no .shx' : null;
  const checked = shx === null ? null : checkIndex(shx, shp);
  if (shx !== null && checked !== null && 'contiguous' in checked) return { segment: shx, ...checked };
  findings.note(shpFindings.INDEX_REBUILT, {
    file: shp.name,
    reason: reason ?? (checked as { readonly reason: string }).reason,
  });
  return withSegment(shp, (source) => walk(source, shp, declaredBytes, scratchPath()));
}

type Checked = { readonly shapeCount: number; readonly contiguous: boolean } | { readonly reason: string };

function checkIndex(shx: FileSegment, shp: FileSegment): Checked {
  const body = shx.byteLength - HEADER_BYTES;
  if (body < 0 || body % INDEX_RECORD_BYTES !== 0)
    return { reason: `the .shx has ${shx.byteLength} bytes, which is not a header and whole entries` };
  const shapeCount = body / INDEX_RECORD_BYTES;
  return withSegment(shx, (index): Checked => {
    const head = new DataView(index.slice(0, HEADER_BYTES).buffer);
    if (head.getInt32(0) !== 9994) return { reason: 'the .shx is not a shapefile index' };
    if (head.getUint32(24) * 2 !== shx.byteLength)
      return { reason: `the .shx declares ${head.getUint32(24) * 2} bytes but has ${shx.byteLength}` };
    let expected = HEADER_BYTES;
    let contiguous = true;
    for (const view of indexSlices(index, 0, shapeCount)) {
      for (let at = 0; at < view.byteLength; at += INDEX_RECORD_BYTES) {
        const offset = view.getUint32(at) * 2;
        const end = offset + RECORD_HEADER_BYTES + view.getUint32(at + 4) * 2;
        if (offset !== expected) contiguous = false;
        if (offset < HEADER_BYTES || end > shp.byteLength)
          return { reason: `the .shx points behind the end of the .shp` };
        expected = end;
      }
    }
    // Contiguous but ending early: the .shx may lack the last records.
    if (contiguous && expected + RECORD_HEADER_BYTES <= shp.byteLength) contiguous = false;
    if (contiguous) return { shapeCount, contiguous };
    return agrees(index, shapeCount, shp, expected)
      ? { shapeCount, contiguous: false }
      : { reason: 'the .shx does not agree with the .shp' };
  });
}

/**
 * Whether every entry of an index with gaps points to a record header with the same number and length. Editors that
 * append a grown record at the end of the file leave such gaps; walking the file would restore the deleted records.
 */
function agrees(index: ByteSource, shapeCount: number, shp: FileSegment, endOfLast: number): boolean {
  return withSegment(shp, (source) => {
    let number = 0;
    for (const view of indexSlices(index, 0, shapeCount)) {
      for (let at = 0; at < view.byteLength; at += INDEX_RECORD_BYTES) {
        const offset = view.getUint32(at) * 2;
        const record = new DataView(source.slice(offset, offset + RECORD_HEADER_BYTES).buffer);
        if (record.getUint32(4) !== view.getUint32(at + 4) || record.getUint32(0) !== ++number) return false;
      }
    }
    // A record after the last one that continues the numbering means that the index is too short, not the file too
    // long.
    const next = source.slice(endOfLast, endOfLast + RECORD_HEADER_BYTES + 4);
    if (next.length < RECORD_HEADER_BYTES + 4) return true;
    const view = new DataView(next.buffer);
    return !(view.getUint32(0) === number + 1 && SHAPE_TYPE_NAMES.has(view.getInt32(8, true)));
  });
}

/** Entries `[first, end)` of an index, slice by slice. */
export function* indexSlices(index: ByteSource, first: number, end: number): Generator<DataView> {
  const perSlice = INDEX_SLICE_BYTES / INDEX_RECORD_BYTES;
  for (let entry = first; entry < end; entry += perSlice)
    yield readIndexEntries(index, entry, Math.min(end, entry + perSlice));
}

/** Entries `[first, end)` of an index: per entry offset and content length, uint32 BE, in words. */
export function readIndexEntries(index: ByteSource, first: number, end: number): DataView {
  return new DataView(
    index.slice(HEADER_BYTES + first * INDEX_RECORD_BYTES, HEADER_BYTES + end * INDEX_RECORD_BYTES).buffer,
  );
}

const WALK_BYTES = 1 << 20;

/** Walks the records one after another and writes their index to `path`. */
function walk(source: ByteSource, shp: FileSegment, declaredBytes: number, path: string): ShpIndex {
  let entries = new Uint32Array(1 << 12);
  let count = 0;
  let offset = HEADER_BYTES;
  let window = new DataView(new ArrayBuffer(0));
  let windowStart = 0;
  while (offset + RECORD_HEADER_BYTES <= source.byteLength) {
    if (offset < windowStart || offset + 12 > windowStart + window.byteLength) {
      windowStart = offset;
      window = new DataView(source.slice(offset, offset + WALK_BYTES).buffer);
    }
    const at = offset - windowStart;
    const words = window.getUint32(at + 4);
    const end = offset + RECORD_HEADER_BYTES + words * 2;
    const known =
      words >= 2 && at + 12 <= window.byteLength && SHAPE_TYPE_NAMES.has(window.getInt32(at + 8, true));
    if (!known || end > source.byteLength) {
      // Bytes after the declared length do not belong to the file.
      if (offset >= declaredBytes) break;
      throw failure(
        shpErrors.SHP_RECORD,
        {
          file: shp.name,
          record: count + 1,
          reason: known
            ? `at byte ${offset} it declares ${words * 2} bytes, which end behind the end of the file (${source.byteLength})`
            : `at byte ${offset} there is no record, and no usable .shx says where it is`,
        },
        { record: count + 1, offset },
      );
    }
    if (count * 2 === entries.length) {
      const grown = new Uint32Array(entries.length * 2);
      grown.set(entries);
      entries = grown;
    }
    entries[count * 2] = offset / 2;
    entries[count * 2 + 1] = words;
    count++;
    offset = end;
  }
  const bytes = new Uint8Array(HEADER_BYTES + count * INDEX_RECORD_BYTES);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < count * 2; i++) view.setUint32(HEADER_BYTES + i * 4, entries[i]);
  writeNewFile(path, bytes);
  return {
    segment: { path, name: `${shp.name} (index)`, start: 0, byteLength: bytes.length },
    shapeCount: count,
    contiguous: true,
  };
}

/**
 * Ranges of rows with about `partitionBytes` of .shp and .dbf each; rows without a shape count only their attributes.
 */
export function cutPartitions(
  index: ShpIndex | null,
  rowCount: number,
  bytesPerRow: number,
  partitionBytes: number,
): Partition[] {
  const partitions: Partition[] = [];
  let start = 0;
  let bytes = 0;
  let row = 0;
  const close = (): void => {
    partitions.push({ start, end: row });
    start = row;
    bytes = 0;
  };
  if (index !== null) {
    withSegment(index.segment, (source) => {
      for (const view of indexSlices(source, 0, Math.min(index.shapeCount, rowCount))) {
        for (let at = 0; at < view.byteLength; at += INDEX_RECORD_BYTES) {
          bytes += RECORD_HEADER_BYTES + view.getUint32(at + 4) * 2 + bytesPerRow;
          row++;
          if (bytes >= partitionBytes) close();
        }
      }
    });
  }
  const rowsAtOnce = Math.max(1, Math.floor(partitionBytes / Math.max(1, bytesPerRow)));
  while (row < rowCount) {
    const wanted = bytes > 0 ? 1 : rowsAtOnce;
    const step = Math.min(wanted, rowCount - row);
    bytes += step * bytesPerRow;
    row += step;
    if (bytes >= partitionBytes || step > 1) close();
  }
  if (row > start || partitions.length === 0) close();
  return partitions;
}
