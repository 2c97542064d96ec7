/**
 * `node bench/second-sources.ts [--runs N] [--only REGEX]`: steps with a second source against geopandas (join against pandas), as whole
 * processes that read and write files, and against its operation alone. Their outputs are compared before anything is timed.
 * Prints a table and writes bench/results/second-sources-<date>.json.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DATA_DIRECTORY } from './data.ts';
import { median } from './measure.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '3' }, only: { type: 'string', default: '' } },
});
const runs = Number(values.runs);
const MAIN = join(import.meta.dirname, '..', 'bin', 'geomill.js');
const PEER = join(import.meta.dirname, 'second_sources.py');
const directory = join(DATA_DIRECTORY, 'second-sources');

interface Case {
  readonly operation: 'join' | 'spatial_join' | 'overlay';
  readonly name: string;
  readonly argv: readonly string[];
}

const FROM_CSV = ['ours.csv', '--from-crs', 'EPSG:25832', '--to-crs', 'source'] as const;
const cases: readonly Case[] = [
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
  run(process.execPath, [MAIN, 'convert', ...argv, '--overwrite', '--quiet']);

mkdirSync(directory, { recursive: true });
if (!existsSync(join(directory, 'table.csv'))) python('make', directory);
const rows = cases
  .filter(({ operation, name }) => new RegExp(values.only).test(`${operation} ${name}`))
  .map(({ operation, name, argv }) => {
    ours(argv);
    python('run', directory, operation);
    python('compare', directory, operation);
    const own: number[] = [];
    const peers: { operation: number; total: number }[] = [];
    for (let i = 0; i < runs; i++) {
      own.push(ours(argv).seconds);
      peers.push(JSON.parse(python('run', directory, operation).out));
    }
    return {
      operation,
      name,
      oursSeconds: median(own),
      peerSeconds: median(peers.map(({ total }) => total)),
      peerOperationSeconds: median(peers.map((peer) => peer.operation)),
    };
  });
for (const { operation, name, oursSeconds, peerSeconds, peerOperationSeconds } of rows)
  console.log(
    `${operation}, ${name}: ${oursSeconds.toFixed(2)} s; geopandas ${peerSeconds.toFixed(2)} s (${(peerSeconds / oursSeconds).toFixed(1)} times as long), its operation alone ${peerOperationSeconds.toFixed(2)} s`,
  );
const results = join(import.meta.dirname, 'results');
mkdirSync(results, { recursive: true });
const date = new Date().toISOString().slice(0, 10);
writeFileSync(join(results, `second-sources-${date}.json`), `${JSON.stringify({ runs, rows }, null, 1)}\n`);
