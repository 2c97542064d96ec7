/** Files to append and merge: made from features by conversions, read back as rows. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inputFormatById } from '../../packages/formats/src/format-by-id.ts';
import { convertFile } from './convert.ts';
import { inOrder } from './formats.ts';
import { readFileLayers } from './read-layers.ts';
import type { Row } from './rows.ts';

export interface Feature {
  readonly type: 'Feature';
  readonly id?: number | string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly geometry: { readonly type: string; readonly coordinates: unknown } | null;
}

export function pointAt(
  coordinates: readonly number[],
  properties: Readonly<Record<string, unknown>>,
  id?: number | string,
): Feature {
  const feature = { type: 'Feature', properties, geometry: { type: 'Point', coordinates } } as const;
  return id === undefined ? feature : { id, ...feature };
}

/** Writes features as GeoJSON; resolves with the path. */
export function writeGeojson(path: string, features: readonly Feature[]): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features }));
  return path;
}

/** Writes features in a format and CRS; resolves with the path of `<workspace>/<name><ending>`. */
export async function writeFile(
  workspace: string,
  name: string,
  format: string,
  features: readonly Feature[],
  crs = 'EPSG:4326',
): Promise<string> {
  const directory = join(workspace, `made-${name}`);
  const source = writeGeojson(join(directory, `${name}.geojson`), features);
  if (format === 'geojson') return source;
  const options = {
    from: 'geojson',
    to: format,
    toCrs: crs,
    outputName: name,
    writeOptions: inOrder(format),
  };
  return (await convertFile(source, directory, options)).outputPath;
}

/** The rows of each layer by its name. */
export async function readRows(format: string, path: string): Promise<Record<string, readonly Row[]>> {
  const reader = await inputFormatById(format, 'format').loadReader();
  const { layers } = await readFileLayers(reader, path);
  return Object.fromEntries(layers.map(({ source, rows }) => [source.name, rows]));
}

/** The features of a GeoJSON file. */
export function featuresIn(path: string): Feature[] {
  return (JSON.parse(readFileSync(path, 'utf8')) as { features: Feature[] }).features;
}
