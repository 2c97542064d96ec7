/** The pairs of formats, each with the command line of geomill and of its peer. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isOutputFormat } from '../src/formats/format.ts';
import { inputFormats, outputFormats } from '../src/formats/registry.ts';
import { statedCrs, traitsOf } from '../test/support/formats.ts';
import type { Command } from './measure.ts';

export const SOURCES = inputFormats.filter(isOutputFormat).map(({ id }) => id);
export const TARGETS = outputFormats.map(({ id }) => id);

export interface Pair {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly reproject: boolean;
}

export function allPairs(): Pair[] {
  const pairs: Pair[] = [];
  for (const reproject of [false, true]) {
    for (const from of SOURCES) {
      for (const to of TARGETS)
        pairs.push({ name: `${from}>${to}${reproject ? ' reprojected' : ''}`, from, to, reproject });
    }
  }
  return pairs;
}

const MAIN = join(import.meta.dirname, '..', 'bin', 'geomill.js');
const UTM = 'EPSG:32632';

/** geomill as a whole process. GeoJSON output in another CRS has to be asked for by name. */
export function geomillCommand(pair: Pair, input: string, output: string): Command {
  const argv = [process.execPath, MAIN, 'convert', input, output, '--quiet'];
  const crs = statedCrs(pair.from);
  if (crs !== null) argv.push('--from-crs', crs);
  if (pair.reproject) argv.push('--to-crs', UTM);
  if (pair.reproject && pair.to === 'geojson') argv.push('--out-geojson-crs', 'requested');
  return { argv, prepare: () => removeOutput(output) };
}

/** Null: GDAL does not know one of the formats. */
export function ogr2ogrCommand(pair: Pair, input: string, output: string): Command | null {
  const { gdal: source } = traitsOf(pair.from);
  const { gdal: target } = traitsOf(pair.to);
  if (source === null || target === null) return null;
  const argv = ['ogr2ogr', '-f', target.driver, output, input];
  for (const option of source.openOptions) argv.push('-oo', option);
  for (const option of target.layerOptions) argv.push('-lco', option);
  const crs = statedCrs(pair.from);
  if (crs !== null) argv.push(pair.reproject ? '-s_srs' : '-a_srs', crs);
  if (pair.reproject) argv.push('-t_srs', UTM);
  return { argv, prepare: () => removeOutput(output) };
}

/** Removes a file and, for a shapefile, its siblings. */
export function removeOutput(path: string): void {
  const directory = dirname(path);
  if (!existsSync(directory)) return;
  const stem = `${basename(path).replace(/\.[^.]+$/, '')}.`;
  for (const name of readdirSync(directory)) if (name.startsWith(stem)) rmSync(join(directory, name));
}
