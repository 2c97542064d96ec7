/** Outputs of jobs: on the map, and as sources of this page. */
import type { FeatureCollection } from '@geomill/client/client.ts';
import { engine } from '../engines/current.ts';
import type { EndedJob, EngineJob } from '../engines/engine.ts';
import { formatOf } from '../service.ts';
import { type InputChoice, inputConfig } from './document.ts';
import { isOnEarth, layerFieldOf, MAX_PREVIEW_FEATURES, type Preview } from './preview-facts.ts';
import { DRAWN_FORMAT } from './preview-format.ts';

/** Outputs that are larger are not fetched for the map. */
const MAX_DRAWN_BYTES = 50_000_000;

/** The output as a file of this page. */
export async function outputFile(handle: EngineJob, job: EndedJob, signal?: AbortSignal): Promise<File> {
  const output = await handle.download(signal === undefined ? {} : { signal });
  return new File([await output.blob()], job.output.name ?? 'output');
}

/** Whether geomill reads the format of an output: PMTiles are only written. */
export function isReadable(job: EndedJob): boolean {
  return formatOf(job.output.format ?? '')?.input !== false;
}

/** The input that reads an output of a job: formats that cannot state a CRS get that of the output. */
export function outputInput(job: EndedJob): InputChoice {
  const format = job.output.format ?? '';
  const crs = formatOf(format)?.input_crs === 'request' ? (job.report?.output.crs ?? null) : null;
  return { path: job.output.name ?? 'output', format, crs, layers: null, options: {} };
}

/**
 * An output for the map. Outputs that are not GeoJSON are handed to the engine again, which makes a preview of them.
 * Throws an Error with a sentence.
 */
export async function drawOutput(handle: EngineJob, job: EndedJob, signal: AbortSignal): Promise<Preview> {
  if (!isReadable(job))
    throw new Error(`geomill writes ${formatOf(job.output.format ?? '')?.title} and does not read it.`);
  const byteLength = job.output.bytes ?? 0;
  if (byteLength > MAX_DRAWN_BYTES)
    throw new Error(
      `The output has ${Math.round(byteLength / 1e6)} MB; outputs up to ${MAX_DRAWN_BYTES / 1e6} MB are drawn.`,
    );
  const written = job.report?.features.written ?? 0;
  if (
    (job.report?.output.layers ?? []).some(({ files }) => files !== undefined) &&
    formatOf(job.output.format ?? '')?.output_extension !== '.zip'
  )
    throw new Error(
      'The files are in a zip archive, which the map does not show. Add one of them to see it.',
    );
  const { format, crs } = { format: job.output.format, crs: job.report?.output.crs };
  const isPlain = format === DRAWN_FORMAT && crs === 'EPSG:4326' && written <= MAX_PREVIEW_FEATURES;
  return isPlain ? plainPreview(handle, job, written, signal) : enginePreview(handle, job, signal);
}
async function plainPreview(
  handle: EngineJob,
  { report }: EndedJob,
  total: number,
  signal: AbortSignal,
): Promise<Preview> {
  const features = await (await handle.download({ signal })).json<FeatureCollection>();
  const drawn = features.features.length;
  return { features, drawn, total, isSimplified: false, layerField: layerFieldOf(report) };
}

async function enginePreview(handle: EngineJob, job: EndedJob, signal: AbortSignal): Promise<Preview> {
  const file = await outputFile(handle, job, signal);
  const own = engine.peek();
  const received = await own.receive(file.name, file, { signal, resume: null, onProgress: () => {} });
  try {
    const input = outputInput(job);
    const inspection = await own.inspect(
      { config: { input: inputConfig(input) }, file: received },
      { signal },
    );
    return isOnEarth(inspection)
      ? await (await import('./preview.ts')).previewOf(received, input, inspection, signal)
      : await (await import('./plane-preview.ts')).planePreviewOf(received, input, inspection, signal);
  } finally {
    // If this fails it expires by itself.
    received.delete().catch(() => {});
  }
}

type Picker = (options: { readonly suggestedName: string }) => Promise<FileSystemFileHandle>;

/** Writes an output to a place of the disk that the user chooses (File System Access API). Does nothing if the user closes the dialog. */
export async function saveOutput(job: EngineJob, { output }: EndedJob): Promise<void> {
  const { showSaveFilePicker } = window as unknown as { readonly showSaveFilePicker: Picker };
  let file: FileSystemFileHandle;
  try {
    file = await showSaveFilePicker({ suggestedName: output.name ?? 'output' });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return;
    throw error;
  }
  const content = await (await job.download()).stream();
  await content.pipeTo(await file.createWritable());
}
