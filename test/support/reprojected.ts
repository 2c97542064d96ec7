/** Geometries in another CRS, and their areas there. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GeometryBuilder } from '../../packages/core/src/geometry/geometry-column.ts';
import { WktReader } from '../../packages/core/src/geometry/wkt.ts';
import { Geos } from '../../packages/engines/geos/src/geos.ts';
import type { RequestedStep } from '../../packages/operations/src/requested-steps.ts';
import { convertFile, makeWorkspace } from './convert.ts';

const geos = await Geos.load();
function columnOf(wkt: string) {
  const builder = new GeometryBuilder();
  const bytes = new TextEncoder().encode(wkt);
  new WktReader().read(bytes, 0, bytes.length, builder);
  return builder.finish();
}

export interface Read {
  readonly type: string;
  readonly coordinates: unknown;
}

export function wktOf({ type, coordinates }: Read): string {
  const text = (value: unknown): string => {
    const list = value as unknown[];
    return typeof list[0] === 'number' ? list.slice(0, 2).join(' ') : `(${list.map(text).join(',')})`;
  };
  return `${type.toUpperCase()} ${text(coordinates)}`;
}

/** The features in the CRS, with the codes of what was reported. */
export async function converted(
  wkts: readonly string[],
  from: string,
  to: string,
  steps: readonly RequestedStep[] = [],
) {
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'in.csv');
  writeFileSync(input, `id,geom_wkt\n${wkts.map((wkt, i) => `${i},"${wkt}"\n`).join('')}`);
  const { outputPath, report } = await convertFile(input, workspace.path, {
    from: 'csv',
    to: 'geojson',
    fromCrs: from,
    toCrs: to,
    transformations: steps,
    writeOptions: { decimals: 12, ...(to === 'EPSG:4326' ? {} : { geojson_crs: 'requested' }) },
  });
  const { features } = JSON.parse(readFileSync(outputPath, 'utf8')) as { features: { geometry: Read }[] };
  return { geometries: features.map(({ geometry }) => geometry), findings: report.warnings };
}

/** The area of a valid geometry. */
export function planarArea(wkt: string): number {
  using geometry = geos.read(columnOf(wkt), 0);
  assert.ok(geometry.isValid, `${geometry.validityReason}: ${wkt.slice(0, 200)}`);
  return geometry.area;
}
