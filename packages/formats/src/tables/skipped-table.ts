/** Recognises a table before the header that was found: its rows are data that is lost, unlike titles and comments. */
import type { ByteSource } from '@geomill/io/byte-source.ts';
import type { HeaderReading, LineStart } from './located.ts';
import { BLANK_LINE, RECORD, RecordScanner } from './records.ts';
import { inferType } from './typing.ts';

/** Share of the rows that have as many cells as their header. */
const LEAST_SHARE = 0.9;
const LEAST_ROWS = 2;

/**
 * Whether the lines from a header up to `end` are a table: all columns have names, and rows have as many cells. Two columns
 * can also be titles and their values ("Station,Bern"), unless one of them has only numbers or dates.
 */
export function isTable(
  { names, delimiter, newline, dataStart }: HeaderReading,
  source: ByteSource,
  end: LineStart,
): boolean {
  if (names.length < 2 || names.some((name) => name.trim() === '')) return false;
  const bytes = source.slice(dataStart.offset, end.offset);
  const scanner = new RecordScanner(bytes, true, delimiter, newline, names.length);
  let records = 0;
  while (scanner.at < bytes.length) {
    const outcome = scanner.next();
    if (outcome === BLANK_LINE) continue;
    records++;
    if (outcome === RECORD && scanner.cellCount === names.length) scanner.keep();
  }
  if (scanner.rowCount < LEAST_ROWS || scanner.rowCount < records * LEAST_SHARE) return false;
  const isName = (name: string): boolean => Number.isNaN(Number(name));
  return (
    names.length > 2 || names.some((name, i) => isName(name) && inferType(scanner, i, false) !== 'string')
  );
}
