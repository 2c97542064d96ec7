/** Reads rows of a .mid into columns. */
import { textDecoder } from '@geomill/core/bytes/text-encoding.ts';
import { type AttributeColumn, ColumnBuilder } from '@geomill/core/columns/attribute-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { CR, LF, QUOTE, SPACE } from '@geomill/core/text/ascii.ts';
import { formatFindings } from '../findings.ts';
import { noteReplaced } from './charset.ts';
import type { MapInfoColumn } from './columns.ts';
import { mapInfoErrors, mifFindings } from './messages.ts';
import { endOfText } from './mif-index.ts';
import { dateText, dateTimeText, timeText } from './times.ts';

const REPLACEMENT = '\ufffd';
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

export interface MidPlace {
  readonly file: string;
  readonly columns: readonly MapInfoColumn[];
  readonly delimiter: number;
  readonly encoding: string;
}

/** The columns of `rowCount` rows of `bytes`; rows that are not there are null. Throws MAPINFO_FILE. */
export function readMidRows(
  bytes: Uint8Array,
  rowCount: number,
  { file, columns, delimiter, encoding }: MidPlace,
  findings: Findings,
): AttributeColumn[] {
  const decode = textDecoder(encoding);
  const builders = columns.map(({ type }) => new ColumnBuilder(type, rowCount));
  const invalid = columns.map(() => new RowTally());
  const replaced = columns.map(() => new RowTally());
  const extra = new RowTally();
  let at = 0;
  for (let row = 0; row < rowCount; row++) {
    if (at >= bytes.length) {
      for (const builder of builders) builder.appendNull();
      continue;
    }
    let column = 0;
    for (let isMore = true; isMore; column++) {
      let start = at;
      while (bytes[start] === SPACE && delimiter !== SPACE) start++;
      let end: number;
      const isQuoted = bytes[start] === QUOTE;
      if (isQuoted) {
        end = endOfText(bytes, start);
        start++;
        at = end + 1;
      } else end = at;
      while (at < bytes.length && bytes[at] !== delimiter && bytes[at] !== LF) at++;
      isMore = bytes[at] === delimiter;
      if (!isQuoted) {
        end = at;
        if (!isMore && end > start && bytes[end - 1] === CR) end--;
      }
      at++;
      if (column < columns.length) {
        // A text without quotes that is empty is none.
        if (!isQuoted && end <= start) {
          builders[column].appendNull();
          continue;
        }
        let text = decode(bytes, start, Math.max(start, end));
        if (isQuoted) text = text.replaceAll('""', '"');
        if (text.includes(REPLACEMENT)) replaced[column].add(row);
        if (!append(builders[column], columns[column], text)) invalid[column].add(row);
      } else if (column === columns.length && (end > start || isMore)) extra.add(row);
    }
    if (column < columns.length && !(column === 1 && columns.length === 0))
      throw failure(
        mapInfoErrors.MAPINFO_FILE,
        { file, reason: `row ${row + 1} has ${column} values, and the table ${columns.length} columns` },
        { record: row + 1 },
      );
  }
  for (const [i, column] of columns.entries()) {
    const { name, type } = column;
    findings.noteTally(formatFindings.VALUE_INVALID, { field: name, type }, invalid[i]);
    noteReplaced(findings, column, encoding, replaced[i]);
  }
  findings.noteTally(mifFindings.MIF_CELLS_EXTRA, {}, extra);
  return builders.map((builder) => builder.finish());
}

/** Returns whether the text is a value of the column; else the value is null. */
function append(builder: ColumnBuilder, { kind, type }: MapInfoColumn, text: string): boolean {
  if (kind === 'char') {
    builder.appendText(text);
    return true;
  }
  const value = text.trim();
  if (value === '') {
    builder.appendNull();
    return true;
  }
  if (type === 'int64') {
    const integer = /^[+-]?\d{1,19}$/.test(value) ? BigInt(value) : null;
    if (integer !== null && integer >= INT64_MIN && integer <= INT64_MAX) {
      builder.appendBigInt(integer);
      return true;
    }
  } else if (type === 'int32' || type === 'float64') {
    const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(value) ? Number(value) : Number.NaN;
    if (
      type === 'float64'
        ? Number.isFinite(number)
        : number === Math.trunc(number) && Math.abs(number) < 2 ** 31
    ) {
      builder.appendNumber(number);
      return true;
    }
  } else if (type === 'boolean') {
    if (/^[tyfn01]$/i.test(value)) {
      builder.appendNumber(/^[ty1]$/i.test(value) ? 1 : 0);
      return true;
    }
  } else {
    const time = kind === 'date' ? dateText(value) : kind === 'time' ? timeText(value) : dateTimeText(value);
    if (time !== null) {
      builder.appendText(time);
      return true;
    }
  }
  builder.appendNull();
  return false;
}
