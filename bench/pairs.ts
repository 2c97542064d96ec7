/** The pairs of formats, each with the command line of geomill and of its peer. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Command } from './measure.ts';

export const FORMATS = ['geojson', 'shp', 'csv', 'gpkg', 'dxf'] as const;
export type FormatId = (typeof FORMATS)[number];

export interface Pair {
  readonly name: string;
  readonly from: FormatId;
  readonly to: FormatId;
  readonly reproject: boolean;
}

export function allPairs(): Pair[] {
  const pairs: Pair[] = [];
  for (const reproject of [false, true]) {
    for (const from of FORMATS) {
      for (const to of FORMATS)
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
  if (pair.from === 'csv' || pair.from === 'dxf') argv.push('--from-crs', 'EPSG:4326');
  if (pair.reproject) argv.push('--to-crs', UTM);
  if (pair.reproject && pair.to === 'geojson') argv.push('--out-geojson-crs', 'requested');
  return { argv, prepare: () => removeOutput(output) };
}

export function ogr2ogrCommand(pair: Pair, input: string, output: string): Command {
  const driver = { geojson: 'GeoJSON', shp: 'ESRI Shapefile', csv: 'CSV', gpkg: 'GPKG', dxf: 'DXF' }[pair.to];
  const argv = ['ogr2ogr', '-f', driver, output, input];
  if (pair.from === 'csv') {
    argv.push(
      '-oo',
      'GEOM_POSSIBLE_NAMES=geom_wkt',
      '-oo',
      'KEEP_GEOM_COLUMNS=NO',
      '-oo',
      'AUTODETECT_TYPE=YES',
    );
    argv.push(pair.reproject ? '-s_srs' : '-a_srs', 'EPSG:4326');
  }
  if (pair.from === 'dxf') argv.push(pair.reproject ? '-s_srs' : '-a_srs', 'EPSG:4326');
  if (pair.to === 'csv') argv.push('-lco', 'GEOMETRY=AS_WKT');
  if (pair.to === 'shp') argv.push('-lco', 'ENCODING=UTF-8');
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
