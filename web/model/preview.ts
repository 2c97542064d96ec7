/** A source or a result as the map draws it: a sample in longitude and latitude, which the service makes. */
import type { FeatureCollection, Inspection, Job, UploadedFile } from '../../src/client/client.ts';
import { catalogue, client } from '../service.ts';
import { type InputChoice, inputConfig } from './document.ts';

/** More features than this are sampled: a map cannot show more at once, and a tab cannot hold them. */
export const MAX_PREVIEW_FEATURES = 20_000;

/** Ids of the jobs that made previews since the page was loaded: they are not jobs of the user. */
export const previewJobs = new Set<string>();

export interface Preview {
  /** Longitude and latitude, WGS 84. */
  readonly features: FeatureCollection;
  /** Number of features in the preview, and in all layers of the file. */
  readonly drawn: number;
  readonly total: number;
  /** Property that names the layer of each feature, if layers were joined; else null. */
  readonly layerField: string | null;
}

export async function previewOf(
  /** Null: the service fetches it. */
  file: UploadedFile | null,
  input: InputChoice,
  inspection: Inspection,
  signal: AbortSignal,
): Promise<Preview> {
  const total = inspection.layers.reduce((sum, layer) => sum + layer.features, 0);
  const config = {
    input: inputConfig(input),
    ...(total > MAX_PREVIEW_FEATURES ? { transformations: [sampleStep()] } : {}),
    output: { format: 'geojson' },
  };
  const request = { ...(file === null ? {} : { input: file }), config: config as never };
  const job = await client.submit(request, { signal, idempotencyKey: null });
  previewJobs.add(job.id);
  const { report } = await job.wait({ signal });
  const features = await (await job.download({ signal })).json<FeatureCollection>();
  return { features, drawn: features.features.length, total, layerField: layerFieldOf(report) };
}

/** The property in which the service writes the layer of each feature when it joins layers. */
export function layerFieldOf(report: Job['report']): string | null {
  const joined = report?.warnings.find(({ code }) => code === 'LAYERS_JOINED');
  return joined === undefined ? null : String(joined.params.field);
}

function sampleStep(): object {
  const loaded = catalogue.peek();
  const isKnown =
    loaded.state === 'ready' && loaded.value.transformations.some(({ id }) => id === ('sample' as string));
  if (!isKnown)
    throw new Error(`the preview is limited to ${MAX_PREVIEW_FEATURES.toLocaleString('en')} features`);
  return { type: 'sample', params: { count: MAX_PREVIEW_FEATURES } };
}
