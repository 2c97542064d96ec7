/** Lengths in requests: units, form on the command line, conversion to the unit of a CRS. */
import type { CrsDescription } from '@geomill/core/crs/crs.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';

/** Metres in one unit of a request; feet are the international ones. */
export const METERS_PER_UNIT = { meters: 1, kilometers: 1000, feet: 0.3048, miles: 1609.344 } as const;

const UNIT_SUFFIXES: Readonly<Record<string, string>> = {
  m: 'meters',
  km: 'kilometers',
  ft: 'feet',
  mi: 'miles',
};

/** The longest degree is a degree of latitude at the poles, where the curvature of the meridian is smallest (WGS 84). */
const LONGEST_RADIAN_METERS = 6399593.6258;

/** Schema of the parameter that says which unit a length is in. */
export const unitsSchema = {
  type: 'string',
  enum: Object.keys(METERS_PER_UNIT),
  description: 'Unit of the length; feet are 0.3048 m, miles 1609.344 m.',
} as const;

/** "100m", "2.5km", "-300ft", "1mi" as a number and its unit; the schema decides whether it may be negative. Throws USAGE. */
export function parseLength(value: string, flag: string): { length: number; units: string } {
  const match = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*([a-z]+)\s*$/i.exec(value);
  const units = match === null ? undefined : UNIT_SUFFIXES[match[2].toLowerCase()];
  if (match === null || units === undefined) {
    const detail = `--${flag} '${value}' is not a length; write a number and m, km, ft or mi, such as 100m`;
    throw failure(generalErrors.USAGE, { detail });
  }
  return { length: Number(match[1]), units };
}

/** As `units`: the unit of the axes. */
export const UNITS_OF_CRS = 'crs';

/** As parseLength; a number alone is in units of the CRS. Throws USAGE. */
export function parseSize(value: string, flag: string): { size: number; units: string } {
  if (/^\s*[\d.]+(?:e[+-]?\d+)?\s*$/i.test(value)) return { size: Number(value), units: UNITS_OF_CRS };
  const { length, units } = parseLength(value, flag);
  return { size: length, units };
}

/** A checked length of a request in metres. */
export function metersOf(length: unknown, units: unknown): number {
  return (length as number) * METERS_PER_UNIT[units as keyof typeof METERS_PER_UNIT];
}

/**
 * A length in the unit of the coordinates. In a geographic CRS it uses the longest degree, so that the result is
 * never longer on the ground, in any direction and at any latitude.
 */
export function lengthInCrs(meters: number, crs: CrsDescription): number {
  return meters / crs.unitFactor / (crs.kind === 'geographic' ? LONGEST_RADIAN_METERS : 1);
}
