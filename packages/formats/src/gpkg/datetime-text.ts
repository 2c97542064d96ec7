/**
 * Writes datetimes in the form of GeoPackage (clause 1.1.1.1.3): `YYYY-MM-DDTHH:MM:SS.SSSZ`. Longer fractions are kept,
 * and so are texts that are not datetimes, since there is nothing better to write.
 *
 * The standard only allows UTC. Other offsets, and times without a zone, are written anyway unless the request asks for
 * UTC: GDAL writes and reads them, and a converted time loses its local offset.
 */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { type BytesColumn, isValid } from '@geomill/core/columns/attribute-column.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { DOT, UPPER_T, UPPER_Z } from '@geomill/core/text/ascii.ts';
import { formatFindings } from '../findings.ts';
import { gpkgFindings } from './messages.ts';

const USUAL_LENGTH = 24;
const ISO = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

export type DatetimeZones = 'keep' | 'utc';

/** Returns the column itself if every row already has this form, which is checked without decoding. */
export function datetimeTexts(
  column: BytesColumn,
  rowCount: number,
  field: string,
  zones: DatetimeZones,
  findings: Findings,
): BytesColumn {
  if (isUsual(column, rowCount)) return column;
  const decoder = new TextDecoder();
  const writer = new ByteWriter(rowCount * USUAL_LENGTH);
  const offsets = new Uint32Array(rowCount + 1);
  for (let row = 0; row < rowCount; row++) {
    if (isValid(column.validity, row)) {
      const text = decoder.decode(column.bytes.subarray(column.offsets[row], column.offsets[row + 1]));
      const parts = ISO.exec(text);
      if (parts === null) writer.utf8(text);
      else {
        const written = zones === 'utc' ? inUtc(parts) : withOffset(parts);
        writer.utf8(written ?? text);
        if (written !== null) noteZone(parts[8], zones, { record: row + 1, field }, findings);
      }
    }
    offsets[row + 1] = writer.length;
  }
  return { type: 'datetime', bytes: writer.take(), offsets, validity: column.validity };
}

function isUsual({ bytes, offsets, validity }: BytesColumn, rowCount: number): boolean {
  for (let row = 0; row < rowCount; row++) {
    if (!isValid(validity, row)) continue;
    const start = offsets[row];
    if (offsets[row + 1] - start !== USUAL_LENGTH) return false;
    if (bytes[start + 10] !== UPPER_T || bytes[start + 19] !== DOT || bytes[start + 23] !== UPPER_Z)
      return false;
  }
  return true;
}

function noteZone(
  zone: string | undefined,
  zones: DatetimeZones,
  location: { record: number; field: string },
  findings: Findings,
): void {
  const { field } = location;
  const format = 'GeoPackage';
  if (zone === undefined) {
    if (zones === 'utc') findings.note(formatFindings.DATETIME_ASSUMED_UTC, { field, format }, location);
  } else if (/[1-9]/.test(zone)) {
    findings.note(
      zones === 'utc' ? formatFindings.DATETIME_TO_UTC : gpkgFindings.DATETIME_OFFSET_KEPT,
      { field, format },
      location,
    );
  }
}

/** With seconds, milliseconds and the original zone: none, Z or hours and minutes. */
function withOffset([, year, month, day, hour, minute, ...rest]: RegExpExecArray): string {
  const [second = '00', fraction = '', zone = ''] = rest;
  const isUtc = zone !== '' && !/[1-9]/.test(zone);
  const offset =
    zone.length === 3 ? `${zone}:00` : zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0')}${isUtc ? 'Z' : offset}`;
}

/** Null if the year in UTC does not have four digits. */
function inUtc(parts: RegExpExecArray): string | null {
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone = 'Z'] = parts;
  const seconds = `${second}.${fraction.padEnd(3, '0')}Z`;
  if (!/[1-9]/.test(zone)) return `${year}-${month}-${day}T${hour}:${minute}:${seconds}`;
  const offset = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || 0);
  const date = new Date(0);
  // Not Date.UTC, which takes years before 100 for those of the last century.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute) + (zone[0] === '-' ? offset : -offset));
  const utc = date.toISOString();
  // Years outside 0000 to 9999 begin with a sign.
  return /^\d{4}-/.test(utc) ? utc.slice(0, 17) + seconds : null;
}
