/** Encodes attributes as rows of a .mid. Runs in the workers. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { type AttributeColumn, isValid } from '@geomill/core/columns/attribute-column.ts';
import { writeJsonAsText } from '@geomill/core/columns/cast.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { asciiSlice, COMMA, LF } from '@geomill/core/text/ascii.ts';
import { writeInteger, writeNumber } from '@geomill/core/text/number-text.ts';
import { appendQuoted } from '@geomill/core/text/quoted-text.ts';
import { formatFindings } from '../findings.ts';
import { mifFindings } from './messages.ts';

export type CellKind = 'logical' | 'number' | 'date' | 'datetime' | 'char' | 'json';

const FORMAT = 'MIF';

interface Tallies {
  readonly zoned: RowTally;
  readonly unwritten: RowTally;
}

/** A row for each feature; one without columns has an empty cell. */
export function writeCells(
  out: ByteWriter,
  { rowCount, columns }: FeatureBatch,
  kinds: readonly CellKind[],
  fields: readonly Field[],
  findings: Findings,
): void {
  const tallies = kinds.map((): Tallies => ({ zoned: new RowTally(), unwritten: new RowTally() }));
  const scratch = new ByteWriter(256);
  for (let row = 0; row < rowCount; row++) {
    for (const [i, kind] of kinds.entries()) {
      if (i > 0) out.uint8(COMMA);
      if (isValid(columns[i].validity, row)) writeCell(out, scratch, columns[i], row, kind, tallies[i]);
    }
    out.uint8(LF);
  }
  for (const [i, { name: field, type }] of fields.entries()) {
    findings.noteTally(mifFindings.MIF_ZONE_DROPPED, { field }, tallies[i].zoned);
    findings.noteTally(
      formatFindings.VALUE_NOT_WRITTEN,
      { field, format: FORMAT, type },
      tallies[i].unwritten,
    );
  }
}

function writeCell(
  out: ByteWriter,
  scratch: ByteWriter,
  column: AttributeColumn,
  row: number,
  kind: CellKind,
  { zoned, unwritten }: Tallies,
): void {
  if ('values' in column) {
    if (kind === 'logical') out.ascii(column.values[row] ? 'T' : 'F');
    else writeNumeric(out, column.values[row], row, unwritten);
  } else {
    const { bytes, offsets } = column;
    const [start, end] = [offsets[row], offsets[row + 1]];
    if (kind === 'char') appendQuoted(out, bytes, start, end);
    else if (kind === 'json') {
      scratch.reset();
      writeJsonAsText(scratch, bytes, start, end);
      appendQuoted(out, scratch.bytes, 0, scratch.length);
    } else {
      const text = asciiSlice(bytes, start, end);
      const compact = kind === 'date' ? compactDate(text) : compactTime(text);
      if (compact === null) unwritten.add(row);
      else {
        if (compact.hadZone) zoned.add(row);
        out.ascii(compact.text);
      }
    }
  }
}

function writeNumeric(out: ByteWriter, value: number | bigint, row: number, unwritten: RowTally): void {
  if (typeof value === 'bigint') out.ascii(String(value));
  else if (!Number.isFinite(value)) unwritten.add(row);
  else if (Number.isInteger(value) && Math.abs(value) < 2 ** 31) writeInteger(out, value);
  else writeNumber(out, value);
}

interface Compact {
  readonly text: string;
  readonly hadZone: boolean;
}

/** YYYYMMDD. */
function compactDate(text: string): Compact | null {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? { text: text.replaceAll('-', ''), hadZone: false } : null;
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d(?::?\d\d)?)?$/;

/** YYYYMMDDHHMMSSmmm, in UTC if the time has a zone. */
function compactTime(text: string): Compact | null {
  const [, minute, second = '00', fraction = '', zone] = TIME.exec(text) ?? [];
  if (minute === undefined) return null;
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone ?? '') ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  const local = Date.parse(`${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`);
  const ms = local - offset * 60_000;
  if (!Number.isFinite(ms)) return null;
  const iso = new Date(ms).toISOString();
  return iso.length === 24 ? { text: iso.replace(/[^\d]/g, ''), hadZone: zone !== undefined } : null;
}
