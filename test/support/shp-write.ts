/** Writes batches with the shapefile writer as the pipeline does: statistics, plan, cast, encode, sink. */
import { mkdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { castBatch } from '../../packages/core/src/columns/cast.ts';
import type { FeatureBatch } from '../../packages/core/src/columns/feature-batch.ts';
import {
  batchStatistics,
  emptyStatistics,
  fieldsOf,
  mergeStatistics,
} from '../../packages/core/src/columns/statistics.ts';
import type { CrsDescription } from '../../packages/core/src/crs/crs.ts';
import { type Finding, Findings } from '../../packages/core/src/messages/findings.ts';
import { writer } from '../../packages/formats/src/shp/write.ts';
import type { OutputFile } from '../../packages/formats/src/writer.ts';

export const WGS84_ESRI =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]';

export interface LayerToWrite {
  readonly name: string;
  readonly batches: readonly FeatureBatch[];
}

export async function writeShp(
  path: string,
  layers: readonly LayerToWrite[],
  wktEsri: string | null = WGS84_ESRI,
): Promise<{ readonly output: OutputFile; readonly findings: readonly Finding[] }> {
  mkdirSync(dirname(path), { recursive: true });
  const findings = new Findings();
  const context = { name: basename(path).replace(/\.\w+$/, ''), options: {}, findings };
  const crs: CrsDescription = {
    definition: 'EPSG:4326',
    name: 'WGS 84',
    authority: { name: 'EPSG', code: '4326' },
    kind: 'geographic',
    unitName: 'degree',
    unitFactor: Math.PI / 180,
    ellipsoid: null,
    areaOfUse: null,
    wktEsri,
    wkt2: null,
    projjson: null,
    wkt1: null,
  };
  const outputLayers = layers.map(({ name, batches }) => {
    const statistics = emptyStatistics();
    for (const batch of batches) mergeStatistics(statistics, batchStatistics(batch, 'all'), 'json');
    return { name, fields: fieldsOf(statistics), statistics, crs, coordinatesComputed: false };
  });
  const encodings = writer.plan(outputLayers, context);
  const sink = writer.createSink(path, encodings, context);
  try {
    for (const [i, { batches }] of layers.entries()) {
      for (const batch of batches) {
        const { fields } = encodings[i];
        const chunk = writer.encode(fields === null ? batch : castBatch(batch, fields), encodings[i]);
        findings.merge(chunk.findings);
        sink.append(i, chunk.data);
      }
    }
    return { output: await sink.finish(), findings: findings.list() };
  } catch (error) {
    sink.abort();
    throw error;
  }
}
