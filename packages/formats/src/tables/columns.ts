/** The columns that options name. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { phrase } from '@geomill/core/messages/message.ts';
import { delimiterName } from './delimiter.ts';
import type { HeaderReading } from './located.ts';
import type { TableMessages } from './messages.ts';

/** A name, or a number counted from 1. */
export type ColumnName = string | number;

export interface AngleParts {
  readonly minutes: ColumnName | null;
  readonly seconds: ColumnName | null;
  readonly hemisphere: ColumnName | null;
}

export interface WantedColumns {
  readonly geometry: ColumnName | null;
  readonly x: ColumnName | null;
  readonly y: ColumnName | null;
  /** Also beside x and y that are recognised. */
  readonly z: ColumnName | null;
  /** Beside x and y, which then are columns of degrees. Null: not stated. */
  readonly xParts: AngleParts;
  readonly yParts: AngleParts;
  readonly point: ColumnName | null;
  readonly pointOrder: 'lat_lon' | 'lon_lat' | null;
  /** null: the values show it. */
  readonly decimalComma: boolean | null;
}

type Options = Readonly<Record<string, unknown>>;

/** Throws CONFIG_INVALID for options that contradict each other. */
export function wantedColumns(options: Options, messages: TableMessages): WantedColumns {
  const column = (name: string): ColumnName | null => (options[name] as ColumnName | undefined) ?? null;
  const parts = (axis: 'x' | 'y'): AngleParts => ({
    minutes: column(`${axis}_minutes_column`),
    seconds: column(`${axis}_seconds_column`),
    hemisphere: column(`${axis}_hemisphere_column`),
  });
  const wanted: WantedColumns = {
    geometry: column('geometry_column'),
    x: column('x_column'),
    y: column('y_column'),
    z: column('z_column'),
    xParts: parts('x'),
    yParts: parts('y'),
    point: column('point_column'),
    pointOrder: (options.point_order as 'lat_lon' | 'lon_lat' | undefined) ?? null,
    decimalComma: (options.decimal_comma as boolean | undefined) ?? null,
  };
  const x = messages.option('x_column');
  const y = messages.option('y_column');
  const point = messages.option('point_column');
  const geometry = messages.option('geometry_column');
  if ((wanted.x === null) !== (wanted.y === null))
    throw failure(generalErrors.CONFIG_INVALID, { detail: phrase`'${x}' and '${y}' are required together` });
  if (namesParts(wanted) && wanted.x === null)
    throw failure(generalErrors.CONFIG_INVALID, {
      detail: phrase`columns of minutes, seconds and hemispheres need '${x}' and '${y}', the columns of degrees`,
    });
  const hasPair = wanted.x !== null || wanted.z !== null;
  if ([wanted.geometry !== null, hasPair, wanted.point !== null].filter(Boolean).length > 1)
    throw failure(generalErrors.CONFIG_INVALID, {
      detail: phrase`'${geometry}', '${x}' with '${y}', and '${point}' exclude each other: a feature has one geometry`,
    });
  return wanted;
}

/** Whether the options name a column. */
export function namesColumn({ geometry, x, point }: WantedColumns): boolean {
  return geometry !== null || x !== null || point !== null;
}

/** Whether the options name columns of minutes, seconds or hemispheres. */
export function namesParts({ xParts, yParts }: WantedColumns): boolean {
  return [xParts, yParts].some((parts) => Object.values(parts).some((column) => column !== null));
}

/** The index of a column; -1 if there is none. */
export function columnIndex(names: readonly string[], wanted: ColumnName): number {
  const byName = names.indexOf(String(wanted));
  if (byName >= 0) return byName;
  const number = typeof wanted === 'number' || /^\d{1,6}$/.test(wanted) ? Number(wanted) : 0;
  return number >= 1 && number <= names.length ? number - 1 : -1;
}

/** COLUMN_UNKNOWN for the first column of the options that the header lacks. */
export function unknownColumn(
  { geometry, x, y, z, xParts, yParts, point }: WantedColumns,
  { names, delimiter, messages }: HeaderReading,
): Error {
  const all: readonly (readonly [string, ColumnName | null])[] = [
    ['geometry_column', geometry],
    ['x_column', x],
    ['y_column', y],
    ['z_column', z],
    ['x_minutes_column', xParts.minutes],
    ['x_seconds_column', xParts.seconds],
    ['x_hemisphere_column', xParts.hemisphere],
    ['y_minutes_column', yParts.minutes],
    ['y_seconds_column', yParts.seconds],
    ['y_hemisphere_column', yParts.hemisphere],
    ['point_column', point],
  ];
  const [option, column] =
    all.find(([, wanted]) => wanted !== null && columnIndex(names, wanted) < 0) ?? all[0];
  return messages.failure('COLUMN_UNKNOWN', {
    column: String(column),
    path: messages.option(option),
    found: listNames(names, delimiter),
  });
}

const LISTED_NAMES = 40;
const NAME_LENGTH = 40;

/** "'a', 'b' (separated by ';')" */
export function listNames(names: readonly string[], delimiter: number): string {
  const shown = names.slice(0, LISTED_NAMES).map((name) => `'${name.slice(0, NAME_LENGTH)}'`);
  const more = names.length > LISTED_NAMES ? ` and ${names.length - LISTED_NAMES} more` : '';
  const separated = names.length > 1 ? ` (separated by ${delimiterName(delimiter)})` : '';
  return `${shown.join(', ')}${more}${separated}`;
}
