/**
 * A source or a result as the map draws it: features in longitude and latitude, which the engine makes. They are limited in
 * number and in bytes, whatever the size of the file: more features are sampled, and long outlines simplified.
 */
import type { FeatureCollection, Inspection, Job } from '@geomill/client/client.ts';
import { engine } from '../engines/current.ts';
import type { EngineFile } from '../engines/engine.ts';
import { type InputChoice, inputConfig } from './document.ts';
import { layerFieldOf, MAX_PREVIEW_FEATURES, type Preview, previewJobs } from './preview-facts.ts';
import { DRAWN_FORMAT } from './preview-format.ts';
import { countPerLayer } from './preview-limits.ts';

/** Longer previews are simplified, then sampled: the tab holds the text and the features at once. */
const MAX_PREVIEW_BYTES = 24_000_000;
/** Pixels of a map, about. */
export const MAP_PIXELS = 1000;
const METRES_PER_DEGREE = 111_320;

/** The file of a preview; null: the service fetches it. */
type PreviewFile = EngineFile | null;

/** A preview of a file of which nothing is known yet. Null: it would be too long without the facts of an inspection. */
export async function firstPreview(
  file: PreviewFile,
  input: InputChoice,
  signal: AbortSignal,
): Promise<Preview | null> {
  const made = await runPreview(file, input, [sampleStep(MAX_PREVIEW_FEATURES)], signal);
  const { features, drawn, layerField } = made;
  return features === null ? null : { features, drawn, layerField, total: null, isSimplified: false };
}

export async function previewOf(
  file: PreviewFile,
  input: InputChoice,
  inspection: Inspection,
  signal: AbortSignal,
): Promise<Preview> {
  const counts = inspection.layers.map(({ features }) => features);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const made = await boundedPreview(file, input, [], {
    count: countPerLayer(counts, MAX_PREVIEW_FEATURES),
    tolerance: extentMetres(inspection) / MAP_PIXELS,
    isSimplified: false,
    signal,
  });
  const { features, drawn, isSimplified, layerField } = made;
  return { features, drawn, total, isSimplified, layerField };
}

export interface BoundedPreview extends Omit<Preview, 'total'> {
  readonly report: Job['report'];
}

/** Samples `count` features of each layer after the steps; if that is too long, simplifies them by `tolerance` metres, and takes fewer. */
export async function boundedPreview(
  file: PreviewFile,
  input: InputChoice,
  steps: readonly object[],
  wanted: {
    readonly count: number;
    readonly tolerance: number;
    readonly isSimplified: boolean;
    readonly signal: AbortSignal;
  },
): Promise<BoundedPreview> {
  let { count, isSimplified } = wanted;
  for (;;) {
    const simplify = { type: 'simplify', params: { tolerance: wanted.tolerance, units: 'meters' } };
    const all = [...steps, sampleStep(count), ...(isSimplified ? [simplify] : [])];
    const made = await runPreview(file, input, all, wanted.signal);
    const { features, drawn, byteLength, layerField, report } = made;
    if (features !== null) return { features, drawn, isSimplified, layerField, report };
    if (!isSimplified && wanted.tolerance > 0) isSimplified = true;
    else if (count > 1)
      count = Math.max(1, Math.floor((Math.min(count, drawn) * MAX_PREVIEW_BYTES) / byteLength));
    else throw new Error('Single features are too large for the map.');
  }
}

interface MadePreview {
  /** Null: they are longer than a tab should hold. */
  readonly features: FeatureCollection | null;
  readonly drawn: number;
  readonly byteLength: number;
  readonly layerField: string | null;
  readonly report: Job['report'];
}

/** Runs a job for the map, and deletes it afterwards. An abort cancels it at the engine, too. */
async function runPreview(
  file: PreviewFile,
  input: InputChoice,
  transformations: readonly object[],
  signal: AbortSignal,
): Promise<MadePreview> {
  signal.throwIfAborted();
  const config = { input: inputConfig(input), transformations, output: { format: DRAWN_FORMAT } };
  const files = file === null ? [] : [file];
  // Without the signal: a job whose id never arrived could not be cancelled.
  const handle = await engine
    .peek()
    .submit({ operation: 'transform', format: input.format, config, files }, { idempotencyKey: null });
  previewJobs.add(handle.id);
  try {
    const job = await handle.wait({ signal });
    const byteLength = job.output.bytes ?? 0;
    const drawn = job.report?.features.written ?? 0;
    const isShort = byteLength <= MAX_PREVIEW_BYTES;
    const output = isShort ? await handle.download({ signal }) : null;
    const features = output === null ? null : await output.json<FeatureCollection>();
    return { features, drawn, byteLength, layerField: layerFieldOf(job.report), report: job.report };
  } finally {
    // If this fails its output expires by itself.
    handle.delete().catch(() => {});
  }
}

/** The longer side of what the layers cover, roughly. */
function extentMetres({ layers }: Inspection): number {
  const sides = layers.flatMap(({ extent, crs }) => {
    if (extent === null || crs === null) return [];
    const [west, south, east, north] = extent;
    const unit = crs.kind === 'geographic' ? METRES_PER_DEGREE : crs.unit_name.includes('foot') ? 0.3048 : 1;
    return [Math.max(east - west, north - south) * unit];
  });
  return Math.max(0, ...sides);
}

function sampleStep(count: number): object {
  return { type: 'sample', params: { count } };
}
