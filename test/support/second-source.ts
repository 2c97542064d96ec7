/** Conversions of texts with a step that has a second source: GeoJSON in, GeoJSON out. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FeatureCollection } from '../../packages/client/src/client.ts';
import { transformations } from '../../packages/operations/src/registry.ts';
import { checkedStep, type RequestedStep } from '../../packages/operations/src/requested-steps.ts';
import { type ConvertOptions, convertFile, makeWorkspace } from './convert.ts';

export interface SecondSourceRun {
  readonly features: readonly {
    readonly id?: string | number;
    readonly properties: Readonly<Record<string, unknown>>;
    readonly geometry: { readonly type: string; readonly coordinates: unknown } | null;
  }[];
  /** Code and count. */
  readonly counts: Readonly<Record<string, number>>;
  readonly messages: readonly string[];
}

/** A step as the command line makes it: the file is the parameter `source`. */
export function stepWithSource(type: string, params: Readonly<Record<string, unknown>>): RequestedStep {
  const record = transformations.find(({ id }) => id === type);
  if (record === undefined) throw new Error(`no transformation '${type}'`);
  return checkedStep(record, { ...params }, 'step', transformations);
}

/** `source`: its name, which shows the format, and its content. */
export async function runWithSource(
  type: string,
  params: Readonly<Record<string, unknown>>,
  input: object | string,
  source: readonly [name: string, content: string | Uint8Array],
  options: Partial<ConvertOptions> = {},
): Promise<SecondSourceRun> {
  using workspace = makeWorkspace();
  const inputPath = join(workspace.path, 'in.geojson');
  writeFileSync(inputPath, typeof input === 'string' ? input : JSON.stringify(input));
  const [name, content] = source;
  const path = join(workspace.path, name);
  writeFileSync(path, content);
  const { report, outputPath } = await convertFile(inputPath, workspace.path, {
    from: 'geojson',
    to: 'geojson',
    threads: 1,
    transformations: [stepWithSource(type, { source: path, ...params })],
    stepInputs: { [path]: { path, name } },
    ...options,
  });
  const { features } = JSON.parse(readFileSync(outputPath, 'utf8')) as FeatureCollection;
  return {
    features: features as SecondSourceRun['features'],
    counts: Object.fromEntries(report.warnings.map(({ code, count }) => [code, count])),
    messages: report.warnings.map(({ message }) => message),
  };
}

/** Features of a GeoJSON with these properties; `geometry` by number from 0. */
export function collectionOf(
  rows: readonly Readonly<Record<string, unknown>>[],
  geometry: (row: number) => object | null = (row) => ({ type: 'Point', coordinates: [row % 90, 1] }),
): object {
  return {
    type: 'FeatureCollection',
    features: rows.map((properties, row) => ({
      type: 'Feature',
      id: row + 1,
      properties,
      geometry: geometry(row),
    })),
  };
}
