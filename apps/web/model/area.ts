/** Areas of steps as GeoJSON in longitude and latitude: making them, and saying what they are. Pure. */
import type { FeatureCollection } from '@geomill/client/client.ts';
import type { LonLatBox } from '../map/extent.ts';

export interface Area {
  readonly type: 'Polygon';
  readonly coordinates: readonly (readonly (readonly [number, number])[])[];
}

/** Characters of GeoJSON that a step holds itself; more becomes a source, so that documents and links stay short. */
export const MAX_AREA_LENGTH = 64_000;

/** About a centimetre. */
export function roundDegrees(degrees: number): number {
  return Number(degrees.toFixed(7));
}

/**
 * East may exceed 180 if the box crosses the antimeridian. Sides of more than 180 degrees have a position in the middle: without it,
 * they are the short way around the Earth.
 */
export function rectangle([west, south, east, north]: LonLatBox): Area {
  const middle = east - west > 180 ? [roundDegrees((west + east) / 2)] : [];
  const ring: readonly (readonly [number, number])[] = [
    [west, south],
    ...middle.map((x) => [x, south] as const),
    [east, south],
    [east, north],
    ...middle.map((x) => [x, north] as const),
    [west, north],
    [west, south],
  ];
  return { type: 'Polygon', coordinates: [ring] };
}

/** Why numbers are not the bounds of an area; null: they are. West may be greater than east: the box then crosses the antimeridian. */
export function boundsProblem([west, south, east, north]: LonLatBox): string | null {
  if (![west, south, east, north].every(Number.isFinite)) return 'All four bounds are needed, in degrees.';
  if (Math.abs(west) > 180 || Math.abs(east) > 360) return 'Longitudes are between -180 and 180 degrees.';
  if (Math.abs(south) > 90 || Math.abs(north) > 90) return 'Latitudes are between -90 and 90 degrees.';
  if (south >= north) return 'South is less than north.';
  if (west === east) return 'West and east are different.';
  return null;
}

/** The bounds of a rectangle with vertical and horizontal sides; null: it is another area. */
export function boundsOf(area: unknown): LonLatBox | null {
  const { type, coordinates } = (area ?? {}) as { readonly type?: unknown; readonly coordinates?: unknown };
  if (type !== 'Polygon' || !Array.isArray(coordinates) || coordinates.length !== 1) return null;
  const [written] = coordinates as unknown[];
  const isRing = Array.isArray(written) && (written.length === 5 || written.length === 7);
  if (!isRing || !written.every(isPosition)) return null;
  const [xs, ys] = [0, 1].map((axis) => written.map((position) => position[axis]));
  const box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)] as const;
  const [west, south, east, north] = box;
  // A wide rectangle has positions in the middle of its sides.
  const ring = written.filter(([x, y]) => x === west || x === east || (y !== south && y !== north));
  if (ring.length !== 5) return null;
  const isCorner = ring.every(([x, y]) => (x === west || x === east) && (y === south || y === north));
  const alternates = ring.every(([x, y], i) => i === 0 || (x === ring[i - 1][0]) !== (y === ring[i - 1][1]));
  return isCorner && alternates && west < east && south < north ? box : null;
}

function isPosition(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length >= 2 && value.slice(0, 2).every(Number.isFinite);
}

/** GeoJSON of any kind as features for the map; null: it is not GeoJSON. */
export function featuresOf(value: unknown): FeatureCollection | null {
  const { type, features } = (value ?? {}) as { readonly type?: unknown; readonly features?: unknown };
  if (type === 'FeatureCollection') return Array.isArray(features) ? (value as FeatureCollection) : null;
  if (type === 'Feature') return { type: 'FeatureCollection', features: [value] } as never;
  if (typeof type !== 'string') return null;
  const feature = { type: 'Feature', properties: {}, geometry: value };
  return { type: 'FeatureCollection', features: [feature] } as never;
}

/** "rectangle", "polygon with 5 corners", "3 polygons". */
export function areaText(value: unknown): string {
  if (boundsOf(value) !== null) return 'rectangle';
  const polygons = (featuresOf(value)?.features ?? []).flatMap(({ geometry }) => {
    const { type, coordinates } = (geometry ?? {}) as {
      readonly type?: unknown;
      readonly coordinates?: readonly unknown[];
    };
    if (!Array.isArray(coordinates)) return [];
    return type === 'Polygon' ? [coordinates] : type === 'MultiPolygon' ? coordinates : [];
  });
  if (polygons.length === 0) return 'no polygon';
  if (polygons.length > 1) return `${polygons.length.toLocaleString('en')} polygons`;
  const ring = (polygons[0] as readonly unknown[])[0];
  const corners = Array.isArray(ring) ? ring.length - 1 : 0;
  return `polygon with ${corners.toLocaleString('en')} corners`;
}
