/**
 * `npm run bench [-- --count N] [--runs N] [--only REGEX] [--large]`: every pair of formats, with and without
 * reprojection, against ogr2ogr where it is installed. Prints a table and writes bench/results/<date>.json.
 * Ratios are what counts: both commands run in turn on the same machine and the same files.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DATA_DIRECTORY, datasetPath } from './data.ts';
import { canMeasureMemory, geometricMean, hasCommand, type Measurement, measureInTurn } from './measure.ts';
import { allPairs, geomillCommand, ogr2ogrCommand, type Pair, SOURCES, TARGETS } from './pairs.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '500000' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    large: { type: 'boolean', default: false },
  },
});

interface Row {
  readonly pair: Pair;
  readonly ours: Measurement;
  readonly peer: Measurement | null;
}

/** By format; a format whose files are zip archives is read from loose files, as its peer reads them. */
function inputs(count: number): ReadonlyMap<string, string> {
  const geojson = datasetPath('buildings', count);
  const paths = new Map([['geojson', geojson]]);
  for (const to of SOURCES) {
    if (paths.has(to)) continue;
    const path = join(DATA_DIRECTORY, `buildings-${count}.${to}`);
    paths.set(to, path);
    if (existsSync(path)) continue;
    const pair: Pair = { name: to, from: 'geojson', to, reproject: false };
    const { argv } = geomillCommand(pair, geojson, path);
    const made = spawnSync(argv[0], argv.slice(1), { encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`cannot make ${path}: ${made.stderr}`);
  }
  return paths;
}

function measurePair(pair: Pair, input: string, directory: string, runs: number, peer: boolean): Row {
  const ours = geomillCommand(pair, input, join(directory, `ours.${pair.to}`));
  const theirs = peer ? ogr2ogrCommand(pair, input, join(directory, `peer.${pair.to}`)) : null;
  const commands = theirs === null ? [ours] : [ours, theirs];
  const measured = measureInTurn(commands, runs);
  for (const command of commands) command.prepare();
  return { pair, ours: measured[0], peer: measured[1] ?? null };
}

function print({ pair, ours, peer }: Row): void {
  const own = `${ours.wallSeconds.toFixed(2)} s  cpu ${ours.cpuSeconds.toFixed(2)}  ${ours.peakMegabytes.toFixed(0)} MB`;
  const ratio =
    peer === null
      ? ''
      : `  peer ${peer.wallSeconds.toFixed(2)} s  cpu ${peer.cpuSeconds.toFixed(2)}  ratio ${(peer.wallSeconds / ours.wallSeconds).toFixed(1)}x  cpu ${(peer.cpuSeconds / ours.cpuSeconds).toFixed(1)}x`;
  console.log(`${pair.name.padEnd(26)} ${own}${ratio}`);
}

/** Ten times the features should take at most eleven times the time, and no more memory. */
function growth(directory: string, runs: number, count: number): void {
  for (const to of TARGETS) {
    const pair: Pair = { name: `growth geojson>${to}`, from: 'geojson', to, reproject: false };
    const output = join(directory, `growth.${to}`);
    const [small] = measureInTurn([geomillCommand(pair, datasetPath('buildings', count / 10), output)], runs);
    const [large] = measureInTurn([geomillCommand(pair, datasetPath('buildings', count), output)], runs);
    geomillCommand(pair, '', output).prepare();
    console.log(
      `${pair.name.padEnd(26)} ${(large.wallSeconds / small.wallSeconds).toFixed(1)}x the time for 10x the features`,
    );
  }
}

/** 2 GB of GeoJSON and the same features as a GeoPackage through every writer: peak memory must not follow the input's size. */
function large(directory: string): void {
  const geojson = datasetPath('buildings', 5_000_000);
  const gpkg = join(directory, 'large.gpkg');
  const making: Pair = { name: 'large', from: 'geojson', to: 'gpkg', reproject: false };
  const { argv } = geomillCommand(making, geojson, gpkg);
  if (spawnSync(argv[0], argv.slice(1)).status !== 0) throw new Error(`cannot make ${gpkg}`);
  for (const [from, input] of [
    ['geojson', geojson],
    ['gpkg', gpkg],
  ] as const) {
    for (const to of TARGETS) {
      const pair: Pair = { name: `5M features ${from}>${to}`, from, to, reproject: false };
      print(measurePair(pair, input, directory, 1, false));
    }
  }
}

const directory = join(tmpdir(), `geomill-bench-${process.pid}`);
mkdirSync(directory, { recursive: true });
try {
  const count = Number(values.count);
  const runs = Number(values.runs);
  const peer = hasCommand('ogr2ogr');
  if (!canMeasureMemory) console.log('GNU time is not installed: no CPU and memory figures');
  if (!peer) console.log('ogr2ogr is not installed: our own figures only');
  const paths = inputs(count);
  const rows: Row[] = [];
  for (const pair of allPairs().filter(({ name }) => new RegExp(values.only).test(name))) {
    const row = measurePair(pair, paths.get(pair.from) as string, directory, runs, peer);
    rows.push(row);
    print(row);
  }
  const compared = rows.flatMap(({ ours, peer: other }) => (other === null ? [] : [{ ours, other }]));
  if (compared.length > 0) {
    const wall = geometricMean(compared.map(({ ours, other }) => other.wallSeconds / ours.wallSeconds));
    const cpu = geometricMean(compared.map(({ ours, other }) => other.cpuSeconds / ours.cpuSeconds));
    console.log(
      `geometric mean over ${compared.length} pairs: ${wall.toFixed(1)}x faster, ${cpu.toFixed(1)}x less CPU`,
    );
  }
  if (values.only === '') growth(directory, runs, count);
  if (values.large) large(directory);
  const results = join(import.meta.dirname, 'results');
  mkdirSync(results, { recursive: true });
  const file = join(results, `${new Date().toISOString().slice(0, 10)}.json`);
  writeFileSync(
    file,
    `${JSON.stringify({ cores: cpus().length, node: process.version, count, runs, rows }, null, 2)}\n`,
  );
} finally {
  rmSync(directory, { recursive: true, force: true });
}
