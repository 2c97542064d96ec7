/** The pairs of formats, each with the command line of geomill and of its peers. */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isOutputFormat } from '../packages/formats/src/format.ts';
import { inputFormats, outputFormats } from '../packages/formats/src/registry.ts';
import { recordOf, statedCrs, traitsOf } from '../test/support/formats.ts';
import type { Dataset } from './data.ts';
import { type Command, hasCommand, outputOf } from './measure.ts';
import { GEOMILL } from './program.ts';

/** Files of formats that geomill cannot write are made by GDAL. */
export const SOURCES = inputFormats
  .filter((format) => isOutputFormat(format) || traitsOf(format.id).gdalMakes !== undefined)
  .map(({ id }) => id);
export const TARGETS = outputFormats.map(({ id }) => id);

export interface Pair {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** Ending of the output, which selects loose files or an archive. */
  readonly extension: string;
  readonly reproject: boolean;
}

/** The kinds of geometries that are converted: GPX has no polygons. */
export function datasetOf({ from, to }: Pick<Pair, 'from' | 'to'>): Dataset {
  return from === 'gpx' || to === 'gpx' ? 'points' : 'buildings';
}

/** Shapefiles are written twice, as loose files and as an archive; all peers write the same. */
const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  shp: ['shp', 'shz'],
  filegdb: ['gdb'],
};

/** Endings of outputs, without the dot; inputs have the first one. */
export function extensionsOf(id: string): readonly string[] {
  return EXTENSIONS[id] ?? [recordOf(id).extensions[0].slice(1)];
}

export function allPairs(): Pair[] {
  const pairs: Pair[] = [];
  for (const reproject of [false, true])
    for (const from of SOURCES)
      for (const to of TARGETS)
        for (const extension of extensionsOf(to))
          pairs.push({
            name: `${extensionsOf(from)[0]}>${extension}${reproject ? ' reprojected' : ''}`,
            from,
            to,
            extension,
            reproject,
          });
  return pairs;
}

const UTM = 'EPSG:32632';

/** geomill as a whole process. GeoJSON output in another CRS has to be asked for by name. */
export function geomillCommand(
  pair: Pick<Pair, 'from' | 'to' | 'reproject'>,
  input: string,
  output: string,
): Command {
  const argv = [process.execPath, GEOMILL, 'convert', input, output, '--quiet'];
  const crs = statedCrs(pair.from);
  if (crs !== null) argv.push('--from-crs', crs);
  if (pair.reproject) argv.push('--to-crs', UTM);
  if (pair.reproject && pair.to === 'geojson') argv.push('--out-geojson-crs', 'requested');
  return { argv, prepare: () => removeOutput(output) };
}

export interface Peer {
  readonly name: string;
  /** Null: it does not know one of the formats. */
  command(pair: Pair, input: string, output: string): Command | null;
}

const TRANSLATE = join(import.meta.dirname, 'vector_translate.py');

/**
 * The peers that are installed: ogr2ogr, and the GDAL in the wheel of pyogrio where GDAL312_DIR names a virtual environment of
 * Python with it. The wheel is built with optimisation, while npm's gdal-async is compiled on the spot for an hour.
 */
export function installedPeers(): Peer[] {
  const peers: Peer[] = [];
  if (hasCommand('ogr2ogr')) peers.push(gdalPeer(['ogr2ogr'], outputOf(['ogr2ogr', '--version'])));
  const directory = process.env.GDAL312_DIR;
  if (directory !== undefined) {
    const argv = [join(directory, 'bin', 'python'), TRANSLATE];
    peers.push(gdalPeer(argv, outputOf([...argv, '--version'])));
  }
  return peers;
}

/** `version`: "GDAL 3.12.4, released ...". */
function gdalPeer(argv: readonly string[], version: string): Peer {
  return {
    name: version.split(/[,"]/)[0].trim(),
    command(pair, input, output) {
      const { gdal: source, gdalReads: isRead = false, gdalTable: table } = traitsOf(pair.from);
      const { gdal: target, gdalTable: targetTable } = traitsOf(pair.to);
      const driver = target?.fastDriver ?? target?.driver ?? targetTable?.driver;
      if ((source === null && table === undefined && !isRead) || driver === undefined) return null;
      // Text in a field is not reprojected.
      if (targetTable !== undefined && pair.reproject) return null;
      const read = table === undefined ? input : virtualLayer(input, table.wktField, dirname(output));
      const all = [...argv, '-f', driver, output, read];
      for (const option of source?.openOptions ?? []) all.push('-oo', option);
      for (const option of target?.layerOptions ?? []) all.push('-lco', option);
      for (const option of target?.datasetOptions ?? []) all.push('-dsco', option);
      if (targetTable !== undefined) all.push(...withWkt(input, targetTable.wktField));
      const crs = statedCrs(pair.from);
      if (crs !== null) all.push(pair.reproject ? '-s_srs' : '-a_srs', crs);
      if (pair.reproject) all.push('-t_srs', UTM);
      all.push(...layersOf(pair));
      return { argv: all, prepare: () => removeOutput(output) };
    },
  };
}

/** Makes a field with WKT of the geometries of the layer. */
function withWkt(input: string, field: string): string[] {
  return ['-dialect', 'OGRSQL', '-sql', `SELECT OGR_GEOM_WKT AS ${field}, * FROM "${stemOf(input)}"`];
}

/** GDAL has a layer for each kind of element of GPX, also where there are none. */
function layersOf({ from }: Pair): string[] {
  return from === 'gpx' ? ['waypoints'] : [];
}

/** Path of a description, in the directory, that makes geometries of a field with WKT of a table (GDAL's driver VRT). */
function virtualLayer(input: string, wktField: string, directory: string): string {
  const path = join(directory, `${basename(input)}.vrt`);
  const layer = stemOf(input);
  writeFileSync(
    path,
    `<OGRVRTDataSource><OGRVRTLayer name="${layer}"><SrcDataSource>${resolve(input)}</SrcDataSource><SrcLayer>${layer}</SrcLayer><GeometryField encoding="WKT" field="${wktField}"/></OGRVRTLayer></OGRVRTDataSource>`,
  );
  return path;
}

function stemOf(path: string): string {
  return basename(path).replace(/\.[^.]+$/, '');
}

/** Removes a file and, for a shapefile, its siblings. */
export function removeOutput(path: string): void {
  const directory = dirname(path);
  if (!existsSync(directory)) return;
  const stem = `${stemOf(path)}.`;
  for (const name of readdirSync(directory)) if (name.startsWith(stem)) rmSync(join(directory, name));
}
