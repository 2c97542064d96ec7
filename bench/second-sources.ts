/**
 * `node bench/second-sources.ts [--runs N] [--only REGEX]`: steps with a second source against geopandas (join against pandas), as whole
 * processes that read and write files, and against its operation alone; a join also against ogr2ogr -sql. Their outputs are
 * compared before anything is timed, and they run in turn.
 * Prints a table and writes bench/results/second-sources-<date>.json.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DATA_DIRECTORY } from './data.ts';
import { median } from './measure.ts';
import { GEOMILL } from './program.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '3' }, only: { type: 'string', default: '' } },
});
const runs = Number(values.runs);
const PEER = join(import.meta.dirname, 'second_sources.py');
const directory = join(DATA_DIRECTORY, 'second-sources');

interface Case {
  readonly operation: 'join' | 'spatial_join' | 'overlay' | 'ogr_join';
  readonly name: string;
  readonly argv: readonly string[];
}

const FROM_CSV = ['ours.csv', '--from-crs', 'EPSG:25832', '--to-crs', 'source'] as const;
const OGR_SQL = 'SELECT f.*, t.pop, t.name FROM features f LEFT JOIN tbl t ON f.key = t.key';
const cases: readonly Case[] = [
  {
    // Of a GeoPackage with the table, which SQLite joins by an index: ogr2ogr reads a table in a CSV again for each feature.
    operation: 'ogr_join',
    name: '500,000 features of a GeoPackage with a table of 500,000 rows, against ogr2ogr -sql',
    argv: ['both.gpkg', 'ours.gpkg', '--layer', 'features', '--join', 'table.csv', '--key', 'key'],
  },
  {
    operation: 'join',
    name: '500,000 features with a table of 500,000 rows',
    argv: ['features.csv', ...FROM_CSV, '--join', 'table.csv', '--key', 'key'],
  },
  {
    operation: 'spatial_join',
    name: '1,000,000 points in 3,000 polygons of 100 positions',
    argv: ['points.csv', ...FROM_CSV, '--spatial-join', 'zones-3000.gpkg'],
  },
  {
    operation: 'overlay',
    name: '50,000 parcels with 1,000 zones of 100 positions, intersection',
    argv: ['parcels.gpkg', 'ours.gpkg', '--overlay', 'zones-1000.gpkg'],
  },
];

function run(command: string, argv: readonly string[]): { readonly seconds: number; readonly out: string } {
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync(command, argv, { cwd: directory, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${argv.join(' ')}: ${stderr}`);
  return { seconds: (performance.now() - startedAt) / 1000, out: stdout };
}

const python = (...argv: readonly string[]) => run('/usr/bin/python3', ['-W', 'ignore', PEER, ...argv]);
const ours = (argv: readonly string[]) =>
  run(process.execPath, [GEOMILL, 'convert', ...argv, '--overwrite', '--quiet']);

/** As the peer in Python prints it; of ogr2ogr only the whole process is known. */
function peer(operation: Case['operation']): { readonly operation: number | null; readonly total: number } {
  if (operation !== 'ogr_join') return JSON.parse(python('run', directory, operation).out);
  const argv = [
    '-q',
    '-overwrite',
    '-f',
    'GPKG',
    'peer.gpkg',
    'both.gpkg',
    '-nln',
    'features',
    '-sql',
    OGR_SQL,
  ];
  return { operation: null, total: run('ogr2ogr', argv).seconds };
}

/** The CSV files as one GeoPackage. */
function makeGeoPackage(): void {
  const common = ['-q', '-f', 'GPKG', 'both.gpkg', '-oo', 'AUTODETECT_TYPE=YES'] as const;
  const places = ['-oo', 'X_POSSIBLE_NAMES=x', '-oo', 'Y_POSSIBLE_NAMES=y', '-a_srs', 'EPSG:25832'] as const;
  run('ogr2ogr', [...common, 'features.csv', ...places, '-nln', 'features']);
  run('ogr2ogr', ['-update', ...common, 'table.csv', '-nln', 'tbl']);
}

mkdirSync(directory, { recursive: true });
if (!existsSync(join(directory, 'table.csv'))) python('make', directory);
if (!existsSync(join(directory, 'both.gpkg'))) makeGeoPackage();
const rows = cases
  .filter(({ operation, name }) => new RegExp(values.only).test(`${operation} ${name}`))
  .map(({ operation, name, argv }) => {
    ours(argv);
    peer(operation);
    python('compare', directory, operation);
    const own: number[] = [];
    const peers: ReturnType<typeof peer>[] = [];
    for (let i = 0; i < runs; i++) {
      own.push(ours(argv).seconds);
      peers.push(peer(operation));
    }
    return {
      operation,
      name,
      oursSeconds: median(own),
      peerSeconds: median(peers.map(({ total }) => total)),
      peerOperationSeconds: median(peers.flatMap(({ operation: alone }) => alone ?? [])),
    };
  });
for (const { operation, name, oursSeconds, peerSeconds, peerOperationSeconds } of rows) {
  const alone = operation === 'ogr_join' ? '' : `, its operation alone ${peerOperationSeconds.toFixed(2)} s`;
  const times = (peerSeconds / oursSeconds).toFixed(1);
  console.log(
    `${operation}, ${name}: ${oursSeconds.toFixed(2)} s; peer ${peerSeconds.toFixed(2)} s (${times} times as long)${alone}`,
  );
}
const results = join(import.meta.dirname, 'results');
mkdirSync(results, { recursive: true });
const date = new Date().toISOString().slice(0, 10);
writeFileSync(join(results, `second-sources-${date}.json`), `${JSON.stringify({ runs, rows }, null, 1)}\n`);
