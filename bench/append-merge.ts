/**
 * `npm run bench:append [-- --files N] [--count N] [--runs N] [--only REGEX]`: append and merge of many files as whole
 * processes, against ogr2ogr once and then `ogr2ogr -append` for each further file, in turn on the same files.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DATA_DIRECTORY, datasetPath } from './data.ts';
import { type Command, hasCommand, measureInTurn } from './measure.ts';
import { geomillCommand } from './pairs.ts';
import { GEOMILL } from './program.ts';

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '10' },
    count: { type: 'string', default: '100000' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
});

type FileFormat = 'geojson' | 'gpkg' | 'shp';
const DRIVERS: Readonly<Record<FileFormat, string>> = {
  geojson: 'GeoJSON',
  gpkg: 'GPKG',
  shp: 'ESRI Shapefile',
};

interface Case {
  readonly operation: 'append' | 'merge';
  readonly from: FileFormat;
  readonly to: FileFormat;
  readonly crs: string | null;
}

const CASES: readonly Case[] = [
  { operation: 'append', from: 'geojson', to: 'gpkg', crs: null },
  { operation: 'append', from: 'gpkg', to: 'gpkg', crs: null },
  { operation: 'append', from: 'shp', to: 'shp', crs: null },
  { operation: 'append', from: 'gpkg', to: 'gpkg', crs: 'EPSG:32632' },
  { operation: 'append', from: 'geojson', to: 'geojson', crs: null },
  { operation: 'merge', from: 'geojson', to: 'gpkg', crs: null },
  { operation: 'merge', from: 'gpkg', to: 'gpkg', crs: null },
  { operation: 'merge', from: 'shp', to: 'shp', crs: null },
];

/** Copies of the same buildings under names of their own. */
function inputs(format: FileFormat, files: number, count: number): string[] {
  const directory = join(DATA_DIRECTORY, `parts-${count}`);
  mkdirSync(directory, { recursive: true });
  const extension = format === 'shp' ? 'zip' : format;
  return Array.from({ length: files }, (_, i) => {
    const path = join(directory, `part${i}.${extension}`);
    if (existsSync(path)) return path;
    const geojson = datasetPath('buildings', count);
    if (format === 'geojson') copyFileSync(geojson, path);
    else if (i > 0) copyFileSync(inputs(format, 1, count)[0], path);
    else {
      const { argv } = geomillCommand({ from: 'geojson', to: format, reproject: false }, geojson, path);
      const made = spawnSync(argv[0], argv.slice(1), { encoding: 'utf8' });
      if (made.status !== 0) throw new Error(`cannot make ${path}: ${made.stderr}`);
    }
    return path;
  });
}

function ours({ operation, to, crs }: Case, paths: readonly string[], directory: string): Command {
  const output = join(directory, `ours.${to === 'shp' ? 'zip' : to}`);
  const argv = [process.execPath, GEOMILL, operation, ...paths, '--out', output, '--quiet'];
  if (crs !== null) argv.push('--to-crs', crs);
  return { argv, prepare: () => rmSync(output, { force: true }) };
}

/** The layer gets one name, so that all go into it; a merge keeps no attributes. */
function peer({ operation, from, to, crs }: Case, paths: readonly string[], directory: string): Command {
  const output = join(directory, 'peer', `all.${to}`);
  const options = ['-nln', 'all', '-f', `'${DRIVERS[to]}'`];
  if (operation === 'merge') options.push('-select', "''");
  if (crs !== null) options.push('-t_srs', crs);
  const lines = paths.map((path, i) => {
    const source = from === 'shp' ? `/vsizip/${path}` : path;
    return `ogr2ogr ${i === 0 ? '' : '-append '}${options.join(' ')} '${output}' '${source}'`;
  });
  return {
    argv: ['sh', '-ec', lines.join('\n')],
    prepare: () => {
      rmSync(join(directory, 'peer'), { recursive: true, force: true });
      mkdirSync(join(directory, 'peer'));
    },
  };
}

const directory = mkdtempSync(join(tmpdir(), 'geomill-bench-'));
const hasPeer = hasCommand('ogr2ogr');
try {
  const only = new RegExp(values.only);
  for (const wanted of CASES) {
    const name = `${wanted.operation} ${wanted.from}>${wanted.to}${wanted.crs === null ? '' : ' reprojected'}`;
    if (!only.test(name)) continue;
    const paths = inputs(wanted.from, Number(values.files), Number(values.count));
    const commands = [ours(wanted, paths, directory), ...(hasPeer ? [peer(wanted, paths, directory)] : [])];
    const [own, other] = measureInTurn(commands, Number(values.runs));
    for (const command of commands) command.prepare();
    const figures = `${own.wallSeconds.toFixed(2)} s  cpu ${own.cpuSeconds.toFixed(2)}  ${own.peakMegabytes.toFixed(0)} MB`;
    const ratio =
      other === undefined
        ? ''
        : `  peer ${other.wallSeconds.toFixed(2)} s  cpu ${other.cpuSeconds.toFixed(2)}  ratio ${(other.wallSeconds / own.wallSeconds).toFixed(1)}x`;
    console.log(`${name.padEnd(30)} ${figures}${ratio}`);
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
