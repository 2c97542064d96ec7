/** The jobs that a click on Run starts, from the upload to the report. */
import { batch, computed, signal } from '@preact/signals';
import {
  type FeatureCollection,
  type InspectConfig,
  type Job,
  JobFailed,
  type JobHandle,
  type Progress,
} from '../../src/client/client.ts';
import { client, formatOf, type Loading, messageOf } from '../service.ts';
import {
  conversionConfig,
  convertedInputs,
  type InputChoice,
  inputConfig,
  outputConfig,
  stepConfigs,
} from './document.ts';
import { layerFieldOf, MAX_PREVIEW_FEATURES, type Preview, previewOf } from './preview.ts';
import { sources } from './sources.ts';
import { uploadedFiles } from './step-files.ts';
import { workspace } from './workspace.ts';

export interface Run {
  readonly key: number;
  /** Name of the file, or of the first of several that become one. */
  readonly title: string;
  readonly startedAt: number;
  readonly state: 'sending' | 'running' | 'done' | 'failed' | 'cancelled';
  readonly progress: Progress | null;
  readonly handle: JobHandle | null;
  /** All about the job, once it has ended. */
  readonly job: Job | null;
  /** Why it failed. */
  readonly message: string | null;
  /** The output on the map; null: it is not drawn. */
  readonly preview: Loading<Preview> | null;
}

/** Newest first. */
export const runs = signal<readonly Run[]>([]);

export const isRunning = computed(() => runs.value.some(isActive));

const aborts = new Map<number, AbortController>();
let lastKey = 0;

export function isActive({ state }: Run): boolean {
  return state === 'sending' || state === 'running';
}

/** Starts what the document states: a job for each input, or one for all if they are appended or merged. */
export function start(): void {
  const document = workspace.current.value;
  const inputs = convertedInputs(document);
  const groups = document.operation === 'transform' ? inputs.map((input) => [input]) : [inputs];
  batch(() => {
    runs.value = runs.value.filter(isActive);
    for (const inputs of groups) if (inputs.length > 0) void startOne(inputs);
  });
}

/** Cancels the job at the service too. */
export function cancel({ key, handle }: Run): void {
  aborts.get(key)?.abort();
  change(key, { state: 'cancelled' });
  // It may have ended in the meantime, which is as good.
  handle?.cancel().catch(() => {});
}

async function startOne(inputs: readonly InputChoice[]): Promise<void> {
  const key = ++lastKey;
  const abort = new AbortController();
  aborts.set(key, abort);
  const run: Run = {
    key,
    title: inputs[0].path,
    startedAt: Date.now(),
    state: 'sending',
    progress: null,
    handle: null,
    job: null,
    message: null,
    preview: null,
  };
  runs.value = [run, ...runs.value];
  try {
    const handle = await submit(inputs, abort.signal);
    change(key, { state: 'running', handle });
    const job = await handle.wait({
      signal: abort.signal,
      onProgress: (progress) => change(key, { progress }),
    });
    change(key, { state: 'done', job });
    await draw(key, handle, job, abort.signal);
  } catch (error) {
    if (abort.signal.aborted) return;
    change(key, {
      state: 'failed',
      message: messageOf(error),
      job: error instanceof JobFailed ? error.job : null,
    });
  } finally {
    aborts.delete(key);
  }
}

async function submit(inputs: readonly InputChoice[], signal: AbortSignal): Promise<JobHandle> {
  const document = workspace.current.value;
  const files = await Promise.all(
    inputs.map(({ path, url }) => {
      if (url !== undefined) return null;
      const source = sources.value.get(path);
      if (source?.upload == null)
        throw new Error(`'${path}' is not in this page any more. Add the file again.`);
      return source.upload.file();
    }),
  );
  const reference = await uploadedFiles(document);
  signal.throwIfAborted();
  if (document.operation === 'transform') {
    const [first] = files;
    const config = conversionConfig(document, inputs[0], reference) as unknown as Parameters<
      typeof client.submit
    >[0]['config'];
    return client.submit({ ...(first === null ? {} : { input: first }), config }, { signal });
  }
  const here = files.filter((file) => file !== null);
  if (here.length < files.length)
    throw new Error('Only a conversion can fetch its input from an address. Download the file and add it.');
  const [target, ...others] = here;
  const format = inputs[0].format as Parameters<typeof client.submitAppend>[0];
  const config = {
    input: inputConfig(inputs[0]),
    transformations: stepConfigs(document, reference),
    output: outputConfig(document.output),
  } as never;
  return document.operation === 'append'
    ? client.submitAppend(format, { target, files: others, config }, { signal })
    : client.submitMerge(format, { files: here, config }, { signal });
}

/** Outputs that are larger are not fetched for the map. */
const MAX_DRAWN_BYTES = 50_000_000;

/** The output as a file of this page. */
export async function outputFile(handle: JobHandle, job: Job, signal?: AbortSignal): Promise<File> {
  const output = await handle.download(signal === undefined ? {} : { signal });
  return new File([await output.blob()], job.output.name ?? 'output');
}

/** The input that reads an output of a job: formats that cannot state a CRS get that of the output. */
export function outputInput(job: Job): InputChoice {
  const format = job.output.format ?? '';
  const crs = formatOf(format)?.input_crs === 'request' ? (job.report?.output.crs ?? null) : null;
  return { path: job.output.name ?? 'output', format, crs, layers: null, options: {} };
}

/** Draws outputs. Those that are not GeoJSON for the map are sent back to the service, which makes a preview of them. */
async function draw(key: number, handle: JobHandle, job: Job, signal: AbortSignal): Promise<void> {
  const written = job.report?.features.written ?? 0;
  const { format, crs } = { format: job.output.format, crs: job.report?.output.crs };
  if (written === 0) return;
  change(key, { preview: { state: 'loading' } });
  try {
    const byteLength = job.output.bytes ?? 0;
    if (byteLength > MAX_DRAWN_BYTES)
      throw new Error(
        `The output has ${Math.round(byteLength / 1e6)} MB; outputs up to ${MAX_DRAWN_BYTES / 1e6} MB are drawn.`,
      );
    const isPlain = format === 'geojson' && crs === 'EPSG:4326' && written <= MAX_PREVIEW_FEATURES;
    const preview = isPlain
      ? await plainPreview(handle, job, written, signal)
      : await servicePreview(handle, job, signal);
    change(key, { preview: { state: 'ready', value: preview } });
  } catch (error) {
    if (!signal.aborted) change(key, { preview: { state: 'failed', message: messageOf(error) } });
  }
}

async function plainPreview(
  handle: JobHandle,
  { report }: Job,
  total: number,
  signal: AbortSignal,
): Promise<Preview> {
  const features = await (await handle.download({ signal })).json<FeatureCollection>();
  return { features, drawn: features.features.length, total, layerField: layerFieldOf(report) };
}

async function servicePreview(handle: JobHandle, job: Job, signal: AbortSignal): Promise<Preview> {
  const file = await outputFile(handle, job, signal);
  const upload = await client.upload({ name: file.name, data: file }, { signal });
  try {
    const input = outputInput(job);
    const config = { input: inputConfig(input) } as unknown as InspectConfig;
    const inspection = await client.inspect({ input: upload, config }, { signal, idempotencyKey: null });
    if (!inspection.layers.some(({ crs, extent }) => crs !== null && extent !== null))
      throw new Error('The output has no position on the Earth.');
    return await previewOf(upload, input, inspection, signal);
  } finally {
    // If this fails it expires by itself.
    upload.delete().catch(() => {});
  }
}

function change(key: number, changes: Partial<Run>): void {
  runs.value = runs.value.map((run) =>
    run.key === key && run.state !== 'cancelled' ? { ...run, ...changes } : run,
  );
}
