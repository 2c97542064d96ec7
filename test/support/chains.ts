/**
 * Random chains of reprojections and steps. A feature is drawn in an equal-area plane around a place of the Earth, where no map ends. It goes through
 * other systems and a file of some format, and gets one step in the plane; a judge does the same step in the plane alone, and compares what came out
 * at the end in longitudes and latitudes. Edges are short against the feature, because systems bend edges of less than 10 degrees.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../bench/data.ts';
import { transformations } from '../../packages/operations/src/registry.ts';
import { checkedStep, type RequestedStep } from '../../packages/operations/src/requested-steps.ts';
import { convertFile, makeWorkspace } from './convert.ts';
import type { LawGeometry } from './turned.ts';

type Position = readonly [x: number, y: number];
type Ring = readonly Position[];
type Random = () => number;

/** What the judge does in the plane. */
export type PlanarStep = readonly [name: string, argument: number | null];
export interface Chain {
  readonly name: string;
  /** The plane, as a PROJ string. */
  readonly plane: string;
  readonly wkt: string;
  readonly kind: Kind;
  readonly steps: readonly RequestedStep[];
  /** The file in the middle. */
  readonly format: string;
  readonly crs: string;
  readonly planar: PlanarStep;
  /** How far outlines and lines may be from their place, in metres: what short edges bend in all systems. */
  readonly tolerance: number;
}
type Kind = 'points' | 'line' | 'lines' | 'polygon' | 'holes' | 'polygons';
const KINDS: readonly Kind[] = ['points', 'line', 'lines', 'polygon', 'holes', 'polygons'];

/** Formats that hold all kinds of geometries, in any CRS. */
const FORMATS = ['gpkg', 'flatgeobuf', 'geoparquet', 'csv', 'shp', 'geojson'];

interface Place {
  readonly name: string;
  readonly center: (random: Random) => Position;
  /** Systems that show all of the surroundings. */
  readonly systems: readonly string[];
}
/**
 * Longitudes of WGS 84 in grads from Paris. Not EPSG:4901: PROJ has a datum shift of a kilometre between it and a PROJ string of WGS 84, but none
 * between it and EPSG:4326, so that no chain with both comes back.
 */
const GRADS = `GEOGCRS["WGS 84 from Paris in grads",DATUM["World Geodetic System 1984",ELLIPSOID["WGS 84",6378137,298.257223563,LENGTHUNIT["metre",1]]],PRIMEM["Paris",2.5969213,ANGLEUNIT["grad",0.015707963267949]],CS[ellipsoidal,2],AXIS["longitude (Lon)",east],AXIS["latitude (Lat)",north],ANGLEUNIT["grad",0.015707963267949]]`;
const WORLD = [
  'EPSG:4326',
  'EPSG:4979',
  'EPSG:4269',
  GRADS,
  'ESRI:54009',
  'ESRI:54030',
  'EPSG:6933',
  'EPSG:8857',
];
/** Cylindrical maps show what is near a pole very wide. */
const POLAR = WORLD.filter((one) => one !== 'EPSG:6933');
const between = (random: Random, low: number, high: number): number => low + random() * (high - low);
const PLACES: readonly Place[] = [
  {
    name: 'across 180 degrees',
    center: (random) => [between(random, 174, 186), between(random, -55, 55)],
    systems: [...WORLD, 'EPSG:3857', 'EPSG:3832', '+proj=eqearth +lon_0=150 +datum=WGS84'],
  },
  {
    name: 'around the north pole',
    center: (random) => [between(random, -180, 180), between(random, 83, 90)],
    systems: [...POLAR, 'EPSG:3995', 'EPSG:3571', 'EPSG:3413', 'EPSG:5041'],
  },
  {
    name: 'around the south pole',
    center: (random) => [between(random, -180, 180), between(random, -90, -83)],
    systems: [...POLAR, 'EPSG:3031', 'ESRI:102020', 'EPSG:5042'],
  },
  {
    name: 'far from both',
    center: (random) => [between(random, -120, 120), between(random, -50, 50)],
    systems: [...WORLD, 'EPSG:3857'],
  },
];

function star(random: Random, x: number, y: number, radius: number): Ring {
  const count = 120;
  const shape = between(random, 0, 0.35);
  const [lobes, from] = [3 + Math.floor(random() * 4), random()];
  const ring = Array.from({ length: count }, (_, i): Position => {
    const angle = (2 * Math.PI * (i + from)) / count;
    const far = radius * (1 - shape + shape * Math.cos(lobes * angle));
    return [Math.round(x + far * Math.cos(angle)), Math.round(y + far * Math.sin(angle))];
  });
  return [...ring, ring[0]];
}

function path(random: Random, size: number): Ring {
  const angle = random() * 2 * Math.PI;
  const bend = between(random, -0.4, 0.4);
  return Array.from({ length: 60 }, (_, i): Position => {
    const [along, aside] = [
      (i / 59 - 0.5) * 2 * size,
      bend * size * Math.sin((i / 59) * Math.PI * 2) + 0.1 * size,
    ];
    return [
      Math.round(along * Math.cos(angle) - aside * Math.sin(angle)),
      Math.round(along * Math.sin(angle) + aside * Math.cos(angle)),
    ];
  });
}

const text = (ring: Ring): string => `(${ring.map(([x, y]) => `${x} ${y}`).join(',')})`;

function shapeOf(random: Random, kind: Kind, size: number): string {
  const [x, y] = [between(random, -0.3, 0.3) * size, between(random, -0.3, 0.3) * size];
  if (kind === 'points')
    return `MULTIPOINT ${text(Array.from({ length: 5 }, () => [Math.round(between(random, -size, size)), Math.round(between(random, -size, size))]))}`;
  if (kind === 'line') return `LINESTRING ${text(path(random, size))}`;
  if (kind === 'lines')
    return `MULTILINESTRING (${text(path(random, size))},${text(path(random, size / 2))})`;
  const outer = text(star(random, x, y, size));
  if (kind === 'polygon') return `POLYGON (${outer})`;
  if (kind === 'holes')
    return `POLYGON (${outer},${text(star(random, x + size * 0.1, y, size * 0.12))},${text(star(random, x - size * 0.15, y + size * 0.05, size * 0.08))})`;
  return `MULTIPOLYGON ((${outer}),(${text(star(random, x + 1.5 * size, y, size * 0.3))}))`;
}

function stepOf(type: string, params: Readonly<Record<string, unknown>>): RequestedStep {
  const record = transformations.find(({ id }) => id === type);
  if (record === undefined) throw new Error(`no step '${type}'`);
  return checkedStep(record, { ...params }, 'step', transformations);
}

/** A step in the plane, and shapely's. */
function planarStep(random: Random, kind: Kind, size: number): readonly [RequestedStep, PlanarStep] {
  const isArea = ['polygon', 'holes', 'polygons'].includes(kind);
  const choices: (() => readonly [RequestedStep, PlanarStep])[] = [
    () => {
      const distance = Math.round(size * between(random, 0.05, 0.2));
      return [stepOf('buffer', { distance, units: 'meters' }), ['buffer', distance]];
    },
    () => [stepOf('convex_hull', {}), ['convex_hull', null]],
    () => [stepOf('envelope', {}), ['envelope', null]],
  ];
  if (kind !== 'points')
    choices.push(() => {
      const tolerance = Math.round(size * 0.01);
      return [stepOf('simplify', { tolerance, units: 'meters' }), ['simplify', tolerance]];
    });
  if (isArea) choices.push(() => [stepOf('centroid', {}), ['centroid', null]]);
  return choices[Math.floor(random() * choices.length)]();
}

/** Steps that change no place. */
function stillSteps(random: Random, kind: Kind): readonly RequestedStep[] {
  const choices = [
    () => [stepOf('make_valid', {})],
    () => [stepOf('explode', {}), stepOf('dissolve', { by: ['id'] })],
    () => [stepOf('promote', {})],
    () => [stepOf('segmentize', { max_length: 300, units: 'kilometers' })],
  ];
  return choices[Math.floor(random() * (kind === 'points' ? 3 : 4))]();
}

const shortName = (crs: string): string => (crs === GRADS ? 'grads' : crs);

/** The number of the chain is its seed: any of them can be made again. */
export function chainOf(number: number): Chain {
  const random = seededRandom(Math.imul(number + 1, 0x9e3779b1));
  // The first numbers of seeds that are alike are alike, too.
  random();
  const place = PLACES[number % PLACES.length];
  const kind = KINDS[Math.floor(random() * KINDS.length)];
  const [lon, lat] = place.center(random);
  const plane = `+proj=laea +lat_0=${lat.toFixed(4)} +lon_0=${(lon > 180 ? lon - 360 : lon).toFixed(4)} +datum=WGS84 +units=m`;
  const size = Math.round(10 ** between(random, 4, 5.9));
  const system = (): string => place.systems[Math.floor(random() * place.systems.length)];
  const via = (): RequestedStep => stepOf('reproject', { crs: system() });
  const [step, planar] = planarStep(random, kind, size);
  const steps = [via()];
  if (random() < 0.6) steps.push(...stillSteps(random, kind), via());
  steps.push(stepOf('reproject', { crs: plane }), step);
  const ends = planar[0] === 'centroid' ? 'points' : 'polygon';
  if (ends !== 'points')
    steps.push(stepOf('segmentize', { max_length: Math.round(size / 40), units: 'meters' }));
  if (random() < 0.5) steps.push(via());
  if (random() < 0.4) steps.push(...stillSteps(random, ends));
  const format = FORMATS[Math.floor(random() * FORMATS.length)];
  const crs = system();
  const names = steps
    .map(({ type, params }) => (type === 'reproject' ? shortName(String(params.crs)) : type))
    .join(' > ');
  const name = `${number}, ${kind} ${place.name}, ${size} m: ${names} > ${shortName(crs)} (${format})`;
  const wkt = shapeOf(random, kind, size);
  // Lines that a step before divided where they cross are simplified to other ones.
  const isDivided = planar[0] === 'simplify' && (kind === 'line' || kind === 'lines');
  const tolerance = 5 + size * (isDivided ? 0.012 : 2e-3);
  return { name, plane, wkt, kind, steps, format, crs, planar, tolerance };
}

/** Edges that are followed are so within a kilometre. */
const FOLLOWED = 1000;

/** How far a result may be from its place, in metres. */
export function allowedOf({ tolerance }: Chain, { codes }: ChainResult): number {
  return codes.includes('EDGES_FOLLOWED') ? tolerance + FOLLOWED : tolerance;
}

export interface ChainResult {
  /** Of GeoJSON. */
  readonly geometries: readonly LawGeometry[];
  readonly codes: readonly string[];
}

export async function runChain({ wkt, plane, steps, format, crs }: Chain): Promise<ChainResult> {
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'in.csv');
  writeFileSync(input, `id,geom_wkt\n1,"${wkt}"\n`);
  const written = await convertFile(input, workspace.path, {
    from: 'csv',
    to: format,
    fromCrs: plane,
    toCrs: crs,
    threads: 1,
    outputName: 'middle',
    transformations: steps,
    writeOptions: format === 'geojson' ? { geojson_crs: 'requested', decimals: 12 } : {},
  });
  const read = await convertFile(written.outputPath, workspace.path, {
    from: format,
    to: 'geojson',
    fromCrs: ['csv', 'geojson'].includes(format) ? crs : null,
    toCrs: 'EPSG:4326',
    threads: 1,
  });
  const { features } = JSON.parse(readFileSync(read.outputPath, 'utf8')) as {
    features: { geometry: LawGeometry | null }[];
  };
  return {
    geometries: features.flatMap(({ geometry }) => geometry ?? []),
    codes: [...written.report.warnings, ...read.report.warnings].map(({ code }) => code),
  };
}
