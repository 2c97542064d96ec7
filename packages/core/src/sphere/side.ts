/** What a CRS is on the sphere: the facts by which geometries are cut when they go from one CRS to another. */
import type { CrsDescription } from '../crs/crs.ts';

/** Plain data. */
export interface SphereSide {
  /** A whole turn around the Earth in the unit of the longitudes; null: the coordinates are in a plane. */
  readonly turn: number | null;
  /** Of the prime meridian, in degrees from Greenwich. */
  readonly primeMeridian: number;
  /**
   * Of a projection: the meridian opposite to its central meridian, in degrees from Greenwich, -180 to 180. Whether the map ends there is
   * known only from the projection itself: see `isSeam`. Null: not a projection, or one without a central meridian.
   */
  readonly opposite: number | null;
}

/** Null for systems that have no known position on the Earth, such as local ones. */
export function sphereSideOf({ kind, unitFactor, projjson }: CrsDescription): SphereSide | null {
  if (kind === 'other') return null;
  const crs = projjson === null ? null : horizontalMember(JSON.parse(projjson) as Json);
  if (kind === 'geographic') {
    const turn = (2 * Math.PI) / unitFactor;
    // The radians of a degree are rounded in definitions.
    const rounded = Math.round(turn * 1e6) / 1e6;
    return { turn: rounded, primeMeridian: primeMeridianOf(crs), opposite: null };
  }
  const base = memberOf(crs, 'base_crs');
  const primeMeridian = primeMeridianOf(base);
  const central = centralMeridianOf(memberOf(crs, 'conversion'));
  if (central === null) return { turn: null, primeMeridian, opposite: null };
  return { turn: null, primeMeridian, opposite: within180(central + primeMeridian + 180) };
}

type Json = { readonly [name: string]: unknown } | null;

function memberOf(object: Json, name: string): Json {
  const member = object?.[name];
  return typeof member === 'object' && member !== null && !Array.isArray(member) ? (member as Json) : null;
}

function membersOf(object: Json, name: string): readonly Json[] {
  const members = object?.[name];
  return Array.isArray(members) ? (members as Json[]) : [];
}

/** The part of a CRS that x and y belong to: the source of a bound CRS, the first member of a compound one. */
function horizontalMember(crs: Json): Json {
  const inner = memberOf(crs, 'source_crs') ?? membersOf(crs, 'components')[0];
  return inner === undefined || inner === null ? crs : horizontalMember(inner);
}

function primeMeridianOf(crs: Json): number {
  const datum = memberOf(crs, 'datum') ?? memberOf(crs, 'datum_ensemble');
  const longitude = memberOf(datum, 'prime_meridian')?.longitude;
  if (typeof longitude === 'number') return longitude;
  if (typeof longitude !== 'object' || longitude === null) return 0;
  const { value, unit } = longitude as { value?: unknown; unit?: unknown };
  return degreesOf(value, unit) ?? 0;
}

/** Longitude of origin, of false origin, of the projection centre, ...: all mean the same here. */
function centralMeridianOf(conversion: Json): number | null {
  for (const parameter of membersOf(conversion, 'parameters')) {
    if (!/longitude|central.meridian|lon_0/i.test(String(parameter?.name))) continue;
    return degreesOf(parameter?.value, parameter?.unit);
  }
  return null;
}

/** A unit is its name, or an object with its radians. Default: degrees. */
function degreesOf(value: unknown, unit: unknown): number | null {
  if (typeof value !== 'number') return null;
  const factor = typeof unit === 'object' && unit !== null ? (unit as Json)?.conversion_factor : undefined;
  if (typeof factor !== 'number') return value;
  const degrees = (value * factor * 180) / Math.PI;
  // The radians of a degree are rounded in definitions.
  return Math.round(degrees * 1e9) / 1e9;
}

function within180(degrees: number): number {
  return degrees - 360 * Math.round(degrees / 360);
}

/** A longitude in degrees from Greenwich in the unit of a geographic system, from half a turn below 0 to half a turn above. */
export function longitudeIn({ turn, primeMeridian }: SphereSide, degrees: number): number {
  return (within180(degrees - primeMeridian) / 360) * (turn ?? 360);
}
