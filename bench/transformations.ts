/**
 * `npm run bench:transformations [-- --count N] [--runs N] [--only REGEX]`: each transformation against ogr2ogr, as whole
 * processes, and against shapely, of which only the operation is timed while our time is that of the whole process, with
 * reading and writing. Prints a table and writes bench/results/transformations-<date>.json.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DATA_DIRECTORY, type Dataset, datasetPath, seededRandom } from './data.ts';
import { type Command, hasCommand, type Measurement, measureInTurn, median } from './measure.ts';
import { removeOutput } from './pairs.ts';
import { GEOMILL } from './program.ts';

const { values } = parseArgs({
  options: {
    /** Features of the large cases; those of shapely's slow ones are a tenth. */
    count: { type: 'string', default: '500000' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
});

const SHAPELY = join(import.meta.dirname, 'transformations_shapely.py');
const PYTHON = '/usr/bin/python3';
const count = Number(values.count);
const few = count / 10;
const runs = Number(values.runs);

/** 'geographic' as the data is made, 'projected' in EPSG:32632. */
type Plane = 'geographic' | 'projected';

interface Case {
  readonly name: string;
  readonly input: () => string;
  /** Flags of geomill. */
  readonly flags: readonly string[];
  readonly peer:
    | { readonly kind: 'ogr2ogr'; readonly flags: readonly string[] }
    | { readonly kind: 'shapely'; readonly operation: string; readonly parameters: object }
    | null;
}

interface Figures {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
}

interface Row {
  readonly name: string;
  readonly ours: Measurement;
  readonly peerKind: string | null;
  readonly peer: Figures | null;
}

/** A GeoPackage of the dataset, with `flags` applied; made when it does not exist. */
function gpkg(dataset: Dataset, features: number, plane: Plane, flags: readonly string[] = []): string {
  const marks = flags.map((flag) => `-${flag.replaceAll(/[^\w.]/g, '')}`).join('');
  const path = join(DATA_DIRECTORY, `${dataset}-${features}-${plane}${marks}.gpkg`);
  if (existsSync(path)) return path;
  const argv = flags.length === 0 ? [datasetPath(dataset, features)] : [gpkg(dataset, features, plane)];
  const crs = plane === 'projected' ? ['--to-crs', 'EPSG:32632'] : [];
  const made = spawnSync(process.execPath, [GEOMILL, 'convert', ...argv, path, '--quiet', ...flags, ...crs], {
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`cannot make ${path}: ${made.stderr}`);
  return path;
}

/** A star of 1,000 corners that holds about half of the data. */
const mask: readonly (readonly [number, number])[] = (() => {
  const random = seededRandom(1000);
  const corners = Array.from({ length: 1000 }, (_, i): [number, number] => {
    const angle = (i / 1000) * 2 * Math.PI;
    const reach = 0.8 + random() * 0.2;
    return [9 + 2.6 * reach * Math.cos(angle), 50 + 5.5 * reach * Math.sin(angle)];
  });
  return [...corners, corners[0]];
})();
const maskText = `POLYGON ((${mask.map((position) => position.join(' ')).join(', ')}))`;
const maskFile = join(DATA_DIRECTORY, 'mask-1000.geojson');
const maskGeojson = { type: 'Polygon', coordinates: [mask] };

/** 1,000 polygons of 40 positions, side by side, over the data; one polygon and these in the CRS of the data. */
const districts = (() => {
  const random = seededRandom(1001);
  const ring = (x: number, y: number): [number, number][] => {
    const corners = Array.from({ length: 40 }, (_, i): [number, number] => {
      const angle = (i / 40) * 2 * Math.PI;
      const reach = 0.4 + random() * 0.1;
      return [
        6.3 + (x + 0.5 + reach * Math.cos(angle)) * 0.216,
        44.4 + (y + 0.5 + reach * Math.sin(angle)) * 0.28,
      ];
    });
    return [...corners, corners[0]];
  };
  return {
    type: 'MultiPolygon',
    coordinates: Array.from({ length: 1000 }, (_, i) => [ring(i % 25, Math.floor(i / 25))]),
  };
})();
const districtsFile = join(DATA_DIRECTORY, 'districts-1000.geojson');
const projectedMaskFile = join(DATA_DIRECTORY, 'mask-1000-projected.gpkg');

function shapely(operation: string, parameters: object): Case['peer'] {
  return { kind: 'shapely', operation, parameters };
}

function ogr2ogr(...flags: string[]): Case['peer'] {
  return { kind: 'ogr2ogr', flags };
}

const many = (plane: Plane) => () => gpkg('buildings', count, plane);
const buffered = (features: number, distance: string) => () =>
  gpkg('buildings', features, 'projected', ['--buffer', distance]);

const cases: readonly Case[] = [
  {
    name: `buffer ${count} polygons, 50 m`,
    input: many('projected'),
    flags: ['--buffer', '50m'],
    peer: shapely('buffer', { distance: 50 }),
  },
  {
    name: `buffer ${count} polygons, -1 m`,
    input: many('projected'),
    flags: ['--buffer', '-1m'],
    peer: shapely('buffer', { distance: -1 }),
  },
  {
    name: `buffer ${count} points, 50 m`,
    input: () => gpkg('points', count, 'projected'),
    flags: ['--buffer', '50m'],
    peer: shapely('buffer', { distance: 50 }),
  },
  {
    name: `buffer ${few} roads, 50 m`,
    input: () => gpkg('roads', few, 'projected'),
    flags: ['--buffer', '50m'],
    peer: shapely('buffer', { distance: 50 }),
  },
  {
    name: `geodesic buffer ${few} polygons, 50 m`,
    input: () => gpkg('buildings', few, 'geographic'),
    flags: ['--buffer', '50m'],
    peer: null,
  },
  {
    name: `union ${few} buffers of 50 m`,
    input: buffered(few, '50m'),
    flags: ['--union'],
    peer: shapely('union', {}),
  },
  {
    name: `union ${few} buffers of 600 m`,
    input: buffered(few, '600m'),
    flags: ['--union'],
    peer: shapely('union', {}),
  },
  {
    name: `union ${few} buffers of 2 km`,
    input: buffered(few, '2km'),
    flags: ['--union'],
    peer: shapely('union', {}),
  },
  { name: `union ${count} buffers of 50 m`, input: buffered(count, '50m'), flags: ['--union'], peer: null },
  {
    name: `split ${few} buildings by kind`,
    input: () => gpkg('buildings', few, 'projected'),
    flags: ['--split-by', 'kind'],
    peer: null,
  },
  {
    name: `dissolve ${few} parcels by kind`,
    input: () => gpkg('parcels', few, 'projected'),
    flags: ['--dissolve', 'kind'],
    peer: shapely('dissolve', { by: 'kind' }),
  },
  {
    name: `clip ${count} polygons`,
    input: many('geographic'),
    flags: ['--clip', maskFile],
    peer: ogr2ogr('-clipsrc', maskFile),
  },
  {
    name: `clip ${few} polygons`,
    input: () => gpkg('buildings', few, 'geographic'),
    flags: ['--clip', maskFile],
    peer: shapely('clip', { mask: maskText }),
  },
  {
    name: `erase ${few} polygons`,
    input: () => gpkg('buildings', few, 'geographic'),
    flags: ['--erase', maskFile],
    peer: shapely('erase', { mask: maskText }),
  },
  {
    name: `clip ${few} polygons, mask in their CRS`,
    input: () => gpkg('buildings', few, 'projected'),
    flags: ['--clip', projectedMaskFile],
    peer: ogr2ogr('-clipsrc', projectedMaskFile),
  },
  {
    name: `clip ${few / 10} polygons by 1000`,
    input: () => gpkg('buildings', few / 10, 'geographic'),
    flags: ['--clip', districtsFile],
    peer: ogr2ogr('-clipsrc', districtsFile),
  },
  {
    name: `simplify ${count} polygons, 5 m`,
    input: many('projected'),
    flags: ['--simplify', '5m'],
    peer: ogr2ogr('-simplify', '5'),
  },
  {
    name: `segmentize ${count} polygons, 2 m`,
    input: many('projected'),
    flags: ['--segmentize', '2m'],
    peer: ogr2ogr('-segmentize', '2'),
  },
  {
    name: `make_valid ${count} polygons`,
    input: many('projected'),
    flags: ['--make-valid'],
    peer: ogr2ogr('-makevalid'),
  },
  {
    name: `filter ${count} by fields`,
    input: many('projected'),
    flags: ['--filter', "height > 30 and kind like 's%'"],
    peer: ogr2ogr('-where', "height > 30 and kind like 's%'"),
  },
  {
    name: `filter ${count} by a box`,
    input: many('geographic'),
    flags: ['--filter', '7,46,9,50'],
    peer: ogr2ogr('-spat', '7', '46', '9', '50'),
  },
  {
    name: `select 2 fields of ${count}`,
    input: many('projected'),
    flags: ['--select', 'kind,height'],
    peer: ogr2ogr('-select', 'kind,height'),
  },
  {
    name: `explode ${count} polygons`,
    input: many('projected'),
    flags: ['--explode'],
    peer: ogr2ogr('-explodecollections'),
  },
  ...rowOperations(),
];

/** Operations on rows, fields and positions. The peer is geopandas, with reading and writing, or ogr2ogr. */
function rowOperations(): readonly Case[] {
  const operations: Readonly<Record<string, readonly [flags: readonly string[], peer: Case['peer']]>> = {
    calculate: [['--calculate', 'v=round(height * 2.5 + levels, 2)'], shapely('calculate', {})],
    cast: [['--cast', 'height=text', '--cast', 'levels=number'], shapely('cast', {})],
    rename: [['--rename', 'kind=class'], shapely('rename', {})],
    drop: [['--drop', 'kind,built'], shapely('drop', {})],
    sort: [['--sort', 'kind, height desc'], shapely('sort', {})],
    limit: [['--limit', '1000'], ogr2ogr('-limit', '1000')],
    distinct: [['--distinct', 'kind,levels'], shapely('distinct', {})],
    check: [['--check'], shapely('check', {})],
    snap: [['--snap', '1m'], shapely('snap', {})],
    grid: [['--grid', '10km'], null],
    dimensions: [['--dimensions', 'XYZ'], ogr2ogr('-dim', 'XYZ')],
    vertices: [['--vertices'], shapely('vertices', {})],
    polygons_to_lines: [['--polygons-to-lines'], shapely('polygons_to_lines', {})],
    affine: [['--affine', 'rotate=30; scale=2'], shapely('affine', {})],
    swap_xy: [['--swap-xy'], shapely('swap_xy', {})],
    promote: [['--promote'], ogr2ogr('-nlt', 'PROMOTE_TO_MULTI')],
    sample: [['--sample', '1000'], null],
  };
  const rings = (): string => gpkg('buildings', count, 'projected', ['--polygons-to-lines']);
  return [
    ...Object.entries(operations).map(
      ([name, [flags, peer]]): Case => ({ name: `${name} ${count}`, input: many('projected'), flags, peer }),
    ),
    {
      name: `lines_to_polygons ${count}`,
      input: rings,
      flags: ['--lines-to-polygons'],
      peer: shapely('lines_to_polygons', {}),
    },
    {
      name: `points_to_line ${count}`,
      input: () => gpkg('points', count, 'projected'),
      flags: ['--points-to-line', 'kind'],
      peer: shapely('points_to_line', {}),
    },
  ];
}

function convertMask(): void {
  const flags = ['--to-crs', 'EPSG:32632', '--overwrite', '--quiet'];
  const made = spawnSync(process.execPath, [GEOMILL, 'convert', maskFile, projectedMaskFile, ...flags], {
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`cannot make ${projectedMaskFile}: ${made.stderr}`);
}

function command(argv: readonly string[], output: string): Command {
  return { argv, prepare: () => removeOutput(output) };
}

function measure({ name, input, flags, peer }: Case, directory: string): Row {
  const from = input();
  mkdirSync(directory, { recursive: true });
  const own = join(directory, 'ours.gpkg');
  const theirs = join(directory, 'peer.gpkg');
  const ours = command(
    [process.execPath, GEOMILL, 'convert', from, own, '--quiet', ...flags, ...crsOf(from)],
    own,
  );
  if (peer?.kind === 'ogr2ogr' && hasCommand('ogr2ogr')) {
    const argv = ['ogr2ogr', '-f', 'GPKG', theirs, from, ...peer.flags];
    const [first, second] = measureInTurn([ours, command(argv, theirs)], runs);
    return { name, ours: first, peerKind: peer.kind, peer: second };
  }
  const [first] = measureInTurn([ours], runs);
  if (peer?.kind === 'shapely' && hasShapely)
    return {
      name,
      ours: first,
      peerKind: peer.kind,
      peer: timeShapely(peer.operation, from, peer.parameters),
    };
  return { name, ours: first, peerKind: null, peer: null };
}

/** The output has the CRS of the input: a reprojection is another benchmark. */
function crsOf(path: string): readonly string[] {
  return path.includes('-projected') ? ['--to-crs', 'EPSG:32632'] : [];
}

const hasShapely = spawnSync(PYTHON, ['-c', 'import shapely; from osgeo import ogr']).status === 0;

function timeShapely(operation: string, input: string, parameters: object): Figures {
  const all = Array.from({ length: Math.min(runs, 3) }, () => {
    const done = spawnSync(PYTHON, [SHAPELY, operation, input, JSON.stringify(parameters)], {
      encoding: 'utf8',
    });
    if (done.status !== 0) throw new Error(`shapely ${operation} ended with ${done.status}: ${done.stderr}`);
    return JSON.parse(done.stdout) as { wall: number; cpu: number };
  });
  const wallSeconds = median(all.map(({ wall }) => wall));
  return { wallSeconds, cpuSeconds: median(all.map(({ cpu }) => cpu)) };
}

function print({ name, ours, peerKind, peer }: Row): void {
  const own = `${ours.wallSeconds.toFixed(2)} s  cpu ${ours.cpuSeconds.toFixed(2)}  ${ours.peakMegabytes.toFixed(0)} MB`;
  const other =
    peer === null
      ? ''
      : `  ${peerKind} ${peer.wallSeconds.toFixed(2)} s  cpu ${peer.cpuSeconds.toFixed(2)}  ratio ${(peer.wallSeconds / ours.wallSeconds).toFixed(1)}x  cpu ${(peer.cpuSeconds / ours.cpuSeconds).toFixed(1)}x`;
  console.log(`${name.padEnd(38)} ${own}${other}`);
}

const directory = join(tmpdir(), `geomill-bench-transformations-${process.pid}`);
mkdirSync(DATA_DIRECTORY, { recursive: true });
try {
  writeFileSync(maskFile, JSON.stringify(maskGeojson));
  writeFileSync(districtsFile, JSON.stringify(districts));
  convertMask();
  const rows: Row[] = [];
  for (const one of cases.filter(({ name }) => new RegExp(values.only).test(name))) {
    try {
      const row = measure(one, directory);
      rows.push(row);
      print(row);
    } catch (error) {
      // The others are still worth their time.
      console.error(`${one.name}: ${error instanceof Error ? error.message : error}`);
      process.exitCode = 1;
    }
  }
  const results = join(import.meta.dirname, 'results');
  mkdirSync(results, { recursive: true });
  const file = join(results, `transformations-${new Date().toISOString().slice(0, 10)}.json`);
  const about = { cores: cpus().length, node: process.version, count, runs };
  writeFileSync(file, `${JSON.stringify({ ...about, rows }, null, 2)}\n`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
