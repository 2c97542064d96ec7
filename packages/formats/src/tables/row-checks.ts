/**
 * What the first rows decided and a later row can contradict. Every row is compared with it: the position of a row that
 * contradicts it would be wrong.
 */
import { GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import type { GeomillError, Location } from '@geomill/core/messages/errors.ts';
import { phrase } from '@geomill/core/messages/message.ts';
import { DOT } from '@geomill/core/text/ascii.ts';
import { NumberScanner } from '@geomill/core/text/number-scanner.ts';
import { hemisphereOf, OrdinateScanner } from '@geomill/core/text/ordinate-text.ts';
import { textOf } from './angle-cells.ts';
import { GeometryCells } from './geometry-cells.ts';
import type { RowCheck } from './located.ts';
import type { TableMessages } from './messages.ts';
import { isMissing } from './missing.ts';
import type { CellTable } from './records.ts';
import { CellBytes, shownCell } from './sample.ts';
import { zoneText } from './utm-zones.ts';

/** The cell of an error: the parameters that say which it is, and its location. */
export interface WrongCell {
  readonly params: { readonly line: number; readonly column: string; readonly value: string };
  readonly location: Location;
}

export interface Contradiction {
  readonly column: number;
  readonly errorOf: (cell: WrongCell) => GeomillError;
}

/** Compares one row; null: it agrees. */
export type RowChecker = (table: CellTable, row: number) => Contradiction | null;

export function rowChecker(check: RowCheck, names: readonly string[], messages: TableMessages): RowChecker {
  switch (check.kind) {
    case 'letters':
      return lettersChecker(check, names, messages);
    case 'zone':
      return zoneChecker(check, messages);
    case 'decimals':
      return decimalsChecker(check, names, messages);
    case 'no geometry':
      return geometryChecker(check.column, messages);
    case 'trailing':
      return trailingChecker(check.column, names.length, messages);
  }
}

type CheckOf<Kind extends RowCheck['kind']> = RowCheck & { readonly kind: Kind };

function lettersChecker(
  { column, axis, degrees, letterO }: CheckOf<'letters'>,
  names: readonly string[],
  messages: TableMessages,
): RowChecker {
  const cell = new CellBytes();
  return (table, row) => {
    const index = row * table.columnCount + column;
    if (table.starts[index] === table.ends[index] || !cell.open(table, index)) return null;
    if (!isNegativeLetter(textOf(cell), axis, letterO)) return null;
    const found = { coordinate: names[degrees], option: messages.option(`${axis}_hemisphere_column`) };
    return {
      column,
      errorOf: ({ params, location }) => messages.failure('LETTERS_APART', { ...params, ...found }, location),
    };
  };
}

function isNegativeLetter(text: string, axis: 'x' | 'y', letterO: 'E' | 'W' | null): boolean {
  const letter = text === '' ? '' : hemisphereOf(text);
  return axis === 'y' ? letter === 'S' : letter === 'W' || (letter === 'O' && letterO !== 'E');
}

function zoneChecker({ column, zone, line, isUtm }: CheckOf<'zone'>, messages: TableMessages): RowChecker {
  const cell = new CellBytes();
  // The bytes of the zone: nearly all rows have the same.
  let usual = new Uint8Array(0);
  return (table, row) => {
    const index = row * table.columnCount + column;
    const { bytes } = table;
    const start = table.starts[index];
    const end = table.ends[index];
    let same = end - start === usual.length ? 0 : -1;
    while (same >= 0 && same < usual.length && bytes[start + same] === usual[same]) same++;
    if (same === usual.length || !cell.open(table, index) || isMissing(cell)) return null;
    const text = shownCell(cell);
    const own = zoneText(text);
    if (own === zone || (zone === null && (own === null || (!isUtm && !/\D/.test(own))))) {
      usual = bytes.slice(start, end);
      return null;
    }
    const other = zone === null ? 'the first rows have none' : `${messages.words.line} ${line} is in ${zone}`;
    const found = { zone: own ?? `'${text}'`, other };
    return {
      column,
      errorOf: ({ params, location }) => messages.failure('ZONES', { ...params, ...found }, location),
    };
  };
}

function decimalsChecker(
  { axes, notation, saysDegrees }: CheckOf<'decimals'>,
  names: readonly string[],
  messages: TableMessages,
): RowChecker {
  const cell = new CellBytes();
  const ordinates = new OrdinateScanner(notation);
  const numbers = new NumberScanner();
  const number = (table: CellTable, row: number, column: number): number => {
    if (column < 0 || !cell.open(table, row * table.columnCount + column)) return Number.NaN;
    const { bytes, start, end } = cell;
    // The plain number, which nearly all are, is tried first.
    const value = notation.decimalMark === DOT ? numbers.scan(bytes, start, end) : Number.NaN;
    if (Number.isFinite(value) && numbers.end === end) return value;
    return isMissing(cell) ? Number.NaN : ordinates.parse(bytes, start, end);
  };
  return (table, row) => {
    for (const axis of axes) {
      const rest = (number(table, row, axis.minutes) || 0) + (number(table, row, axis.seconds) || 0) / 60;
      const relation = rest === 0 ? 'none' : relationOf(number(table, row, axis.degrees), rest);
      if (relation !== 'joined' && !(relation === 'other' && saysDegrees)) continue;
      const reason = phrase`the degrees of the first rows have decimals, and column '${names[axis.minutes]}' has no other minutes; name '${messages.option('x_column')}' and '${messages.option('y_column')}' to keep the minutes as fields. Found degrees with other minutes`;
      return {
        column: axis.degrees,
        errorOf: ({ params, location }) => messages.failure('GEOMETRY', { ...params, reason }, location),
      };
    }
    return null;
  };
}

/** How the minutes (with the seconds as a fraction) that are not 0 are related to the degrees. */
export function relationOf(degrees: number, minutes: number): 'joined' | 'repeated' | 'other' | 'none' {
  if (Number.isNaN(degrees)) return 'none';
  if (Number.isInteger(degrees)) return 'joined';
  return Math.abs((Math.abs(degrees) % 1) * 60 - minutes) < 0.1 ? 'repeated' : 'other';
}

function geometryChecker(column: number, messages: TableMessages): RowChecker {
  const cell = new CellBytes();
  const builder = new GeometryBuilder('XY', 8, 8);
  const geometry = new GeometryCells(column, builder);
  return (table, row) => {
    const index = row * table.columnCount + column;
    if (table.starts[index] === table.ends[index] || !cell.open(table, index) || isMissing(cell)) return null;
    const isGeometry = geometry.readCell(cell) >= 0;
    builder.rewind(0);
    if (!isGeometry) return null;
    return {
      column,
      errorOf: ({ params, location }) => messages.failure('GEOMETRY_LATE', params, location),
    };
  };
}

function trailingChecker(column: number, columnCount: number, messages: TableMessages): RowChecker {
  const cell = new CellBytes();
  return (table, row) => {
    const index = row * table.columnCount + column;
    if (table.starts[index] === table.ends[index] || !cell.open(table, index)) return null;
    const reason = `the row has ${columnCount} cells where the header has ${columnCount - 1}, and the last one, which is empty in the first rows, is '${shownCell(cell)}'`;
    return {
      column,
      errorOf: ({ params, location }) => messages.failure('SYNTAX', { ...params, reason }, location),
    };
  };
}
