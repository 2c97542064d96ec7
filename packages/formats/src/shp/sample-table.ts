/** Texts beyond ASCII of a .dbf, by which people recognise its encoding. */
import { type FileSegment, withSegment } from '@geomill/io/file-segment.ts';
import { SEARCHED_BYTES, type TextSamples } from '@geomill/io/text-samples.ts';
import type { DbfColumn } from './dbf-columns.ts';

export interface TextRows {
  readonly segment: FileSegment;
  readonly headerBytes: number;
  readonly rowBytes: number;
  readonly rowCount: number;
  readonly columns: readonly DbfColumn[];
}

const CHUNK_BYTES = 1 << 20;

export function sampleTable(
  { segment, headerBytes, rowBytes, rowCount, columns }: TextRows,
  samples: TextSamples,
): void {
  const texts = columns.filter(({ cell, nullsOf }) => cell === 'text' && nullsOf === undefined);
  if (texts.length === 0) return;
  const rowsAtOnce = Math.max(1, Math.floor(CHUNK_BYTES / rowBytes));
  const rows = Math.min(rowCount, Math.ceil(SEARCHED_BYTES / rowBytes));
  withSegment(segment, (source) => {
    for (let first = 0; first < rows && !samples.isFull; first += rowsAtOnce) {
      const start = headerBytes + first * rowBytes;
      const bytes = source.slice(start, start + Math.min(rowsAtOnce, rows - first) * rowBytes);
      for (let row = 0; row + rowBytes <= bytes.length && !samples.isFull; row += rowBytes)
        for (const { offset, width } of texts)
          samples.add(bytes, row + offset, row + offset + textWidth(bytes, row + offset, width));
    }
  });
}

/** Without padding of NUL, and what stale text comes after it. */
function textWidth(bytes: Uint8Array, start: number, width: number): number {
  const end = bytes.subarray(start, start + width).indexOf(0);
  return end < 0 ? width : end;
}
