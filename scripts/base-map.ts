/**
 * The base map of the workspace: land, borders and lakes of Natural Earth (public domain), as GeoJSON.
 * The package world-atlas joins what Natural Earth cuts at the antimeridian; a map in Web Mercator needs it cut again. The lakes are of
 * the package mapeo-offline-map.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';

/** Web Mercator ends here. */
const MAX_LATITUDE = 85;

type Position = readonly number[];
type Ring = readonly Position[];

/** Decimal places of the degrees in the base map of each scale: a tenth of a degree is less than a pixel of a map of the world. */
const DECIMALS = { '110m': 1, '50m': 2 } as const;

/** Lakes up to this scale rank of Natural Earth are in the base map of each scale: in the coarse one, the largest two dozen. */
const MAX_LAKE_RANK = { '110m': 1, '50m': Number.POSITIVE_INFINITY } as const;

/** What each feature of the base map is, in the property `kind`. */
export type BaseKind = 'land' | 'borders' | 'lakes';

/** GeoJSON: a feature with the land, one with the borders of countries, and one with lakes. "50m" is 1:50,000,000. */
export function baseMap(root: string, scale: keyof typeof DECIMALS): object {
  const file = join(root, 'node_modules', 'world-atlas', `countries-${scale}.json`);
  const rounded = roundedTo(10 ** DECIMALS[scale]);
  const world = JSON.parse(readFileSync(file, 'utf8')) as Topology<
    Record<'countries' | 'land', GeometryCollection>
  >;
  const { countries, land } = world.objects;
  const polygons = feature(world, land).features.flatMap(({ geometry }) =>
    geometry.type === 'MultiPolygon'
      ? geometry.coordinates
      : geometry.type === 'Polygon'
        ? [geometry.coordinates]
        : [],
  );
  const borders = mesh(world, countries, (one, other) => one !== other);
  const landPolygons = polygons.flatMap(cut).map((rings) => rings.map((ring) => ring.map(rounded)));
  const lakes = lakesOf(root, MAX_LAKE_RANK[scale]).map((rings) => rings.map((ring) => ring.map(rounded)));
  return {
    type: 'FeatureCollection',
    features: [
      featureOf('land', 'MultiPolygon', landPolygons),
      featureOf(
        'borders',
        'MultiLineString',
        borders.coordinates.map((line) => line.map(rounded)),
      ),
      featureOf('lakes', 'MultiPolygon', lakes),
    ],
  };
}

function featureOf(kind: BaseKind, type: string, coordinates: unknown): object {
  return { type: 'Feature', properties: { kind }, geometry: { type, coordinates } };
}

/** Rings of the lakes. */
function lakesOf(root: string, maxRank: number): Ring[][] {
  const file = join(root, 'node_modules', 'mapeo-offline-map', 'dist', 'lakes.json');
  const { features } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly features: readonly {
      readonly properties: { readonly scalerank: number };
      readonly geometry: { readonly coordinates: Ring[] };
    }[];
  };
  return features
    .filter(({ properties }) => properties.scalerank <= maxRank)
    .map(({ geometry }) => geometry.coordinates);
}

/** One polygon as polygons within -180 to 180 degrees. Longitudes are unrolled, and parts beyond a side move to the other. */
export function cut(polygon: readonly Ring[]): Ring[][] {
  const rings = polygon.map(unrolled);
  const longitudes = rings[0].map(([x]) => x);
  const west = Math.floor((Math.min(...longitudes) + 180) / 360);
  const east = Math.ceil((Math.max(...longitudes) - 180) / 360);
  const parts: Ring[][] = [];
  for (let turn = west; turn <= Math.max(east, west); turn++) {
    const inside = rings
      .map((ring) => withinTurn(ring.map(([x, y]) => [x - 360 * turn, y])))
      .filter((ring) => ring.length >= 4);
    if (inside.length > 0) parts.push(inside);
  }
  return parts;
}

/** Without jumps of more than 180 degrees. A ring around a pole is closed along the edge of the map. */
function unrolled(ring: Ring): Ring {
  let shift = 0;
  const out = ring.map(([x, y], i) => {
    const step = i === 0 ? 0 : x - ring[i - 1][0];
    if (step > 180) shift -= 360;
    else if (step < -180) shift += 360;
    return [x + shift, y];
  });
  if (shift === 0) return out;
  const edge = out[0][1] < 0 ? -MAX_LATITUDE : MAX_LATITUDE;
  return [...out, [out[out.length - 1][0], edge], [out[0][0], edge], out[0]];
}

/** Clips a ring at both meridians (Sutherland-Hodgman). */
function withinTurn(ring: Ring): Ring {
  return clipped(
    clipped(ring, ([x]) => 180 - x),
    ([x]) => x + 180,
  );
}

/** The part of a ring where `distance` is not negative. */
function clipped(ring: Ring, distance: (position: Position) => number): Ring {
  const out: Position[] = [];
  for (let i = 0; i + 1 < ring.length; i++) {
    const [a, b] = [ring[i], ring[i + 1]];
    const [da, db] = [distance(a), distance(b)];
    if (da >= 0) out.push(a);
    if (da >= 0 !== db >= 0) {
      const t = da / (da - db);
      out.push([a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]);
    }
  }
  if (out.length > 0) out.push(out[0]);
  return out;
}

function roundedTo(units: number): (position: Position) => Position {
  const round = (degrees: number) => Math.round(degrees * units) / units;
  return ([x, y]) => [round(x), round(Math.min(Math.max(y, -MAX_LATITUDE), MAX_LATITUDE))];
}
