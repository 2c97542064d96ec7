/** Conditions on systems besides the words of a search: a point or a box in the area of use, and the unit. */
import type { DegreeBox } from './placement.ts';

/** Degrees. */
export interface GeographicPoint {
  readonly longitude: number;
  readonly latitude: number;
}

/** All that are given must hold. */
export interface CrsFilter {
  /** In the area of use. */
  readonly near?: GeographicPoint | null;
  /** Wholly in the area of use; west > east across the antimeridian. */
  readonly bbox?: DegreeBox | null;
  /** A unit that `unitPattern` accepts. */
  readonly unit?: string | null;
}

const NUMBER = String.raw`\s*(-?\d+(?:\.\d*)?)\s*`;
const POINT = new RegExp(`^${NUMBER},${NUMBER}$`);
const BOX = new RegExp(`^${NUMBER},${NUMBER},${NUMBER},${NUMBER}$`);

/** A point as "LONGITUDE,LATITUDE" in degrees; null: not in that form, or out of range. */
export function parsePoint(text: string): GeographicPoint | null {
  const [, x, y] = POINT.exec(text) ?? [];
  return pointOf(Number(x), Number(y));
}

/** A box as "WEST,SOUTH,EAST,NORTH" in degrees, west > east across the antimeridian; null: not in that form, or out of range. */
export function parseBox(text: string): DegreeBox | null {
  const [, west, south, east, north] = (BOX.exec(text) ?? []).map(Number);
  return boxOf([west, south, east, north]);
}

/** Null: out of range. */
export function pointOf(longitude: number, latitude: number): GeographicPoint | null {
  return isPosition(longitude, latitude) ? { longitude, latitude } : null;
}

/** Null: out of range, or the south is not south of the north. */
export function boxOf([west, south, east, north]: readonly number[]): DegreeBox | null {
  const isBox = isPosition(west, south) && isPosition(east, north) && south <= north;
  return isBox ? { west, south, east, north } : null;
}

function isPosition(longitude: number, latitude: number): boolean {
  return Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90;
}

export function hasPoint(
  { west, east, south, north }: DegreeBox,
  longitude: number,
  latitude: number,
): boolean {
  return hasLongitude(west, east, longitude) && latitude >= south && latitude <= north;
}

export function hasBox(outer: DegreeBox, { west, east, south, north }: DegreeBox): boolean {
  if (south < outer.south || north > outer.north) return false;
  const width = widthOf(outer);
  if (width >= 360) return true;
  // From the west of the outer box eastwards.
  const start = (((west - outer.west) % 360) + 360) % 360;
  return start + widthOf({ west, east }) <= width;
}

export function haveCommon(a: DegreeBox, b: DegreeBox): boolean {
  const isBeside = !hasLongitude(a.west, a.east, b.west) && !hasLongitude(b.west, b.east, a.west);
  return !isBeside && a.south <= b.north && a.north >= b.south;
}

function hasLongitude(west: number, east: number, longitude: number): boolean {
  return west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east;
}

/** Degrees. */
export function widthOf({ west, east }: Pick<DegreeBox, 'west' | 'east'>): number {
  return east - west + (west > east ? 360 : 0);
}

const SPELLINGS: Readonly<Record<string, string>> = {
  m: 'metre', meter: 'metre', meters: 'metre', metres: 'metre', km: 'kilometre', kilometer: 'kilometre',
  deg: 'degree', degrees: 'degree', ft: 'foot', feet: 'foot', 'us-ft': 'us survey foot', ftus: 'us survey foot',
}; // biome-ignore format: a table

/** Matches names of units with all words of the text: "foot" also "US survey foot"; null: the text has no words. */
export function unitPattern(text: string): RegExp | null {
  const wanted = text.trim().toLowerCase();
  const words = (SPELLINGS[wanted] ?? wanted).split(/\s+/);
  if (words.some((word) => !/^[a-z']{1,20}$/.test(word))) return null;
  return new RegExp(`\\b${words.join(' ')}\\b`, 'i');
}
