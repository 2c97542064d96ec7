/** What the page knows of previews before it makes one: preview.ts is loaded when the first file is at the service. */
import type { FeatureCollection, Inspection, Job } from '@geomill/client/client.ts';
import type { EngineFile } from '../engines/engine.ts';

/** More features than this are sampled: a map cannot show more at once. */
export const MAX_PREVIEW_FEATURES = 20_000;
/** Reading larger files whole takes longer than people like to wait for a first look. */
const LARGE_BYTES = 64_000_000;

/** Ids of the jobs that made previews since the page was loaded: they are not jobs of the user. */
export const previewJobs = new Set<string>();

export interface Preview {
  /** Longitude and latitude, WGS 84. */
  readonly features: FeatureCollection;
  readonly drawn: number;
  /** In all layers of the file; null: not counted yet. */
  readonly total: number | null;
  /** Outlines are drawn to about one pixel of the whole. */
  readonly isSimplified: boolean;
  /** Property that names the layer of each feature, if layers were joined; else null. */
  readonly layerField: string | null;
  /** The data has no position on the Earth: the features have its own coordinates. */
  readonly isOnPaper?: true;
}

/** Whether the map should not wait for the inspection of the file, which reads it whole. */
export function isLarge(file: EngineFile | null): boolean {
  return file !== null && file.byteLength >= LARGE_BYTES;
}

/** The property in which the service writes the layer of each feature when it joins layers. */
export function layerFieldOf(report: Job['report']): string | null {
  const joined = report?.warnings.find(({ code }) => code === 'LAYERS_JOINED');
  return joined === undefined ? null : String(joined.params.field);
}

/** Whether the service can say where on the Earth some of the data is. */
export function isOnEarth({ layers }: Inspection): boolean {
  return layers.some(({ crs, extent }) => crs !== null && crs.kind !== 'other' && extent !== null);
}

/** Whether there is something to draw on plain paper. */
export function hasShape({ layers }: Inspection): boolean {
  return layers.some(({ extent }) => extent !== null);
}
