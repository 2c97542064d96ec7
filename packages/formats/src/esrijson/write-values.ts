/** Values of attributes as EsriJSON has them: times in milliseconds, booleans as 0 and 1. */
import { type AttributeColumn, type BytesColumn, isValid } from '@geomill/core/columns/attribute-column.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { formatFindings } from '../findings.ts';

const decoder = new TextDecoder();
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s?(?:(Z)|([+-]\d\d)(?::?(\d\d))?)?$/i;
const FORMAT = 'EsriJSON';

/** The column in the form in which it is written. */
export function writtenColumn(
  column: AttributeColumn,
  { name, type }: Field,
  rowCount: number,
  findings: Findings,
): AttributeColumn {
  if (column.type === 'boolean')
    return { type: 'int32', values: Int32Array.from(column.values), validity: column.validity };
  if (type === 'datetime' && column.type === 'datetime')
    return milliseconds(column, name, rowCount, findings);
  return column;
}

function milliseconds(
  { bytes, offsets, validity }: BytesColumn,
  field: string,
  rowCount: number,
  findings: Findings,
): AttributeColumn {
  const values = new BigInt64Array(rowCount);
  const valid = new Uint8Array((rowCount + 7) >> 3);
  for (let row = 0; row < rowCount; row++) {
    if (!isValid(validity, row)) continue;
    const location = { record: row + 1, field };
    const parts = ISO.exec(decoder.decode(bytes.subarray(offsets[row], offsets[row + 1])));
    if (parts === null) {
      findings.note(formatFindings.VALUE_NOT_WRITTEN, { field, format: FORMAT, type: 'datetime' }, location);
      continue;
    }
    values[row] = BigInt(instant(parts));
    valid[row >> 3] |= 1 << (row & 7);
    const [, , , , , , , fraction = '', zulu, hours, minutes = '00'] = parts;
    if (/[1-9]/.test(fraction.slice(3)))
      findings.note(formatFindings.NUMBER_ROUNDED, { field, format: FORMAT }, location);
    if (zulu === undefined && hours === undefined)
      findings.note(formatFindings.DATETIME_ASSUMED_UTC, { field, format: FORMAT }, location);
    else if (hours !== undefined && /[1-9]/.test(hours + minutes))
      findings.note(formatFindings.DATETIME_TO_UTC, { field, format: FORMAT }, location);
  }
  return { type: 'int64', values, validity: valid };
}

/** Milliseconds since 1970 in UTC; further digits are cut off. */
function instant(parts: RegExpExecArray): number {
  const [, year, month, day, hour, minute, second = '0', fraction = '', , hours, minutes = '0'] = parts;
  const date = new Date(0);
  // Not Date.UTC, which takes years before 100 for those of the last century.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const offset = hours === undefined ? 0 : Number(hours.slice(1)) * 60 + Number(minutes);
  const minuteInUtc = Number(minute) - (hours?.startsWith('-') === true ? -offset : offset);
  date.setUTCHours(Number(hour), minuteInUtc, Number(second), Number(fraction.slice(0, 3).padEnd(3, '0')));
  return date.getTime();
}
