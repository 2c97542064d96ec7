/**
 * `npm run bench [-- --count N] [--runs N] [--only REGEX] [--busy N] [--large]`: every pair of formats, with and without
 * reprojection, against the peers that are installed (pairs.ts). Checks first that their outputs have the same content, prints a
 * table and writes bench/results/<date>.json. Ratios are what counts: all commands run in turn on the same machine and files.
 * `--busy N`: while N other processes of the same priority compute all the time (busy-loop.ts).
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { traitsOf } from '../test/support/formats.ts';
import { DATA_DIRECTORY, datasetPath } from './data.ts';
import { CommandFailed, canMeasureMemory, type Measurement, measureInTurn } from './measure.ts';
import {
  allPairs,
  datasetOf,
  extensionsOf,
  geomillCommand,
  installedPeers,
  type Pair,
  type Peer,
  TARGETS,
} from './pairs.ts';
import { checkSameContent } from './same-content.ts';
import { meansRow, tableHead, tableRow } from './table.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '500000' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    busy: { type: 'string', default: '0' },
    large: { type: 'boolean', default: false },
  },
});

export interface Row {
  readonly pair: Pair;
  readonly ours: Measurement;
  /** In the order of the peers; null: a peer that does not know one of the formats, or that fails. */
  readonly peers: readonly (Measurement | null)[];
  /** What of the outputs was compared. */
  readonly checked: string;
}

/** The input of a pair, made on first use. A format whose files are zip archives is read from loose files, as its peer reads them. */
function inputOf(pair: Pair, count: number): string {
  const dataset = datasetOf(pair);
  const geojson = datasetPath(dataset, count);
  if (pair.from === 'geojson') return geojson;
  const path = join(DATA_DIRECTORY, `${dataset}-${count}.${extensionsOf(pair.from)[0]}`);
  if (existsSync(path)) return path;
  const { gdalMakes } = traitsOf(pair.from);
  const { argv } =
    gdalMakes === undefined
      ? geomillCommand({ from: 'geojson', to: pair.from, reproject: false }, geojson, path)
      : { argv: ['ogr2ogr', '-f', gdalMakes, path, geojson] };
  const made = spawnSync(argv[0], argv.slice(1), { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`cannot make ${path}: ${made.stderr}`);
  return path;
}

function measurePair(
  pair: Pair,
  input: string,
  directory: string,
  runs: number,
  peers: readonly Peer[],
): Row {
  const path = join(directory, `ours.${pair.extension}`);
  const ours = geomillCommand(pair, input, path);
  const checked = new Set<string>();
  const theirs = peers.map((peer, i) => {
    const output = join(directory, `peer${i}.${pair.extension}`);
    const command = peer.command(pair, input, output);
    if (command === null) return null;
    // One run each before those that are measured; the file cache is warm afterwards.
    try {
      measureInTurn([ours], 1);
      measureInTurn([command], 1);
      checked.add(checkSameContent(pair, path, output));
    } catch (error) {
      if (!(error instanceof CommandFailed) || error.command !== command) throw error;
      checked.add(`${peer.name} fails: ${error.firstError}`);
      command.prepare();
      return null;
    }
    command.prepare();
    return command;
  });
  const commands = [ours, ...theirs.filter((command) => command !== null)];
  const [own, ...others] = measureInTurn(commands, runs);
  for (const command of commands) command.prepare();
  return {
    pair,
    ours: own,
    peers: theirs.map((command) => (command === null ? null : (others.shift() ?? null))),
    checked: [...checked].join('; '),
  };
}

/** Ten times the features should take at most eleven times the time, and no more memory. */
function growth(directory: string, runs: number, count: number): void {
  for (const to of TARGETS) {
    const pair = { from: 'geojson', to, reproject: false };
    const output = join(directory, `growth.${extensionsOf(to)[0]}`);
    const [small] = measureInTurn([geomillCommand(pair, datasetPath('buildings', count / 10), output)], runs);
    const [large] = measureInTurn([geomillCommand(pair, datasetPath('buildings', count), output)], runs);
    geomillCommand(pair, '', output).prepare();
    console.log(
      `geojson>${to}: ${(large.wallSeconds / small.wallSeconds).toFixed(1)}x the time for 10x the features`,
    );
  }
}

/** 2 GB of GeoJSON and the same features as a GeoPackage through every writer: peak memory must not follow the input's size. */
function large(directory: string): void {
  const geojson = datasetPath('buildings', 5_000_000);
  const gpkg = join(directory, 'large.gpkg');
  const { argv } = geomillCommand({ from: 'geojson', to: 'gpkg', reproject: false }, geojson, gpkg);
  if (spawnSync(argv[0], argv.slice(1)).status !== 0) throw new Error(`cannot make ${gpkg}`);
  for (const [from, input] of [
    ['geojson', geojson],
    ['gpkg', gpkg],
  ] as const) {
    for (const to of TARGETS) {
      const [extension] = extensionsOf(to);
      const pair = { name: `5M features ${from}>${to}`, from, to, extension, reproject: false };
      console.log(tableRow(measurePair(pair, input, directory, 1, [])));
    }
  }
}

const directory = join(tmpdir(), `geomill-bench-${process.pid}`);
mkdirSync(directory, { recursive: true });
const busyLoops = Array.from({ length: Number(values.busy) }, () =>
  spawn(process.execPath, [join(import.meta.dirname, 'busy-loop.ts')], { stdio: 'ignore' }),
);
try {
  const count = Number(values.count);
  const runs = Number(values.runs);
  const peers = installedPeers();
  if (!canMeasureMemory) console.log('GNU time is not installed: no CPU and memory figures');
  if (peers.length === 0) console.log('no GDAL is installed: our own figures only');
  const pairs = allPairs().filter(({ name }) => new RegExp(values.only).test(name));
  const machine = {
    date: new Date().toISOString(),
    cores: cpus().length,
    node: process.version,
    load: loadavg()[0],
  };
  if (busyLoops.length > 0) console.log(`${busyLoops.length} other processes compute all the time.`);
  console.log(tableHead(machine, { count, runs }, peers));
  const rows: Row[] = [];
  for (const pair of pairs) {
    const row = measurePair(pair, inputOf(pair, count), directory, runs, peers);
    rows.push(row);
    console.log(tableRow(row));
  }
  console.log(meansRow(rows, peers));
  console.log(`\nLoad of the machine at the end: ${loadavg()[0].toFixed(1)}.`);
  if (values.only === '' && busyLoops.length === 0) growth(directory, runs, count);
  if (values.large) large(directory);
  const results = join(import.meta.dirname, 'results');
  mkdirSync(results, { recursive: true });
  const file = join(results, `${new Date().toISOString().slice(0, 10)}.json`);
  writeFileSync(
    file,
    `${JSON.stringify({ ...machine, count, runs, busyLoops: busyLoops.length, peers: peers.map(({ name }) => name), rows }, null, 2)}\n`,
  );
} finally {
  for (const loop of busyLoops) loop.kill();
  rmSync(directory, { recursive: true, force: true });
}
