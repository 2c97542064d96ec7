/** The jobs that a click on Run starts, from the upload to the report. */
import { type FindingCollection, JobFailed, type Progress } from '@geomill/client/client.ts';
import { randomHex } from '@geomill/client/random-hex.ts';
import { batch, computed, signal } from '@preact/signals';
import { engine } from '../engines/current.ts';
import type { EndedJob, EngineJob } from '../engines/engine.ts';
import { isCancellation } from '../engines/failures.ts';
import { formatOf, type Loading, messageOf } from '../service.ts';
import {
  conversionConfig,
  convertedInputs,
  type InputChoice,
  inputConfig,
  outputConfig,
  stepConfigs,
  type WorkspaceDocument,
} from './document.ts';
import { failureOf, type RunFailure } from './fixes.ts';
import type { Preview } from './preview-facts.ts';
import { TILES_FORMAT } from './preview-format.ts';
import { isAway, isPassing, pause } from './reconnect.ts';
import { drawOutput } from './run-output.ts';
import { sources } from './sources.ts';
import { stepFileReference } from './step-files.ts';
import { workspace } from './workspace.ts';

export interface Run {
  readonly key: number;
  /** Name of the file, or of the first of several that become one. */
  readonly title: string;
  /** What was run. */
  readonly document: WorkspaceDocument;
  /** Names of the inputs among those of the document. */
  readonly paths: readonly string[];
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly state: 'sending' | 'running' | 'done' | 'failed' | 'cancelled';
  /** Whether the engine was asked to cancel the job. */
  readonly isCancelling: boolean;
  readonly progress: Progress | null;
  readonly handle: EngineJob | null;
  /** All about the job, once it has ended. */
  readonly job: EndedJob | null;
  /** Why it failed, or could not be cancelled. */
  readonly failure: RunFailure | null;
  /** The output on the map; null: it is not drawn. */
  readonly preview: Loading<Preview> | null;
  /** Where its findings are; null: it has none. */
  readonly places: Loading<FindingCollection> | null;
}

/** Newest first. */
export const runs = signal<readonly Run[]>([]);

export const isRunning = computed(() => runs.value.some(isActive));

const aborts = new Map<number, AbortController>();
let lastKey = 0;

export function isActive({ state }: Pick<Run, 'state'>): boolean {
  return state === 'sending' || state === 'running';
}

/** Starts what the document states: a job for each input, or one for all if they are appended or merged. */
export function start(): void {
  const document = workspace.current.value;
  const inputs = convertedInputs(document);
  const groups = document.operation === 'transform' ? inputs.map((input) => [input]) : [inputs];
  batch(() => {
    forget((run) => !isActive(run));
    // The newest run is listed first: so they are in the order of the sources.
    for (const group of groups.toReversed()) if (group.length > 0) void startOne(document, group);
  });
}

function forget(isGone: (run: Run) => boolean): void {
  for (const { handle } of runs.value.filter(isGone)) handle?.release();
  runs.value = runs.value.filter((run) => !isGone(run));
}

/** Starts the inputs of an earlier run with the document as it is now, in place of that run. */
export function startAgain(run: Run): void {
  const document = workspace.current.value;
  const inputs = convertedInputs(document).filter(({ path }) => run.paths.includes(path));
  batch(() => {
    forget(({ key }) => key === run.key);
    if (inputs.length > 0) void startOne(document, inputs);
  });
}

/** Asks the engine to cancel the job. It has ended when the run says so: it may also end well in the meantime. */
export async function cancel({ key, handle }: Run): Promise<void> {
  if (handle === null) {
    aborts.get(key)?.abort();
    change(key, { state: 'cancelled', endedAt: Date.now() });
    return;
  }
  change(key, { isCancelling: true, failure: null });
  try {
    await handle.cancel();
  } catch (error) {
    const failure = failureOf(error);
    const message = `The job could not be cancelled. ${failure.message}`;
    change(key, { isCancelling: false, failure: { ...failure, message } });
  }
}

async function startOne(document: WorkspaceDocument, inputs: readonly InputChoice[]): Promise<void> {
  const key = ++lastKey;
  const abort = new AbortController();
  aborts.set(key, abort);
  const run: Run = {
    key,
    title: inputs[0].path,
    document,
    paths: inputs.map(({ path }) => path),
    startedAt: Date.now(),
    endedAt: null,
    state: 'sending',
    isCancelling: false,
    progress: null,
    handle: null,
    job: null,
    failure: null,
    preview: null,
    places: null,
  };
  runs.value = [run, ...runs.value];
  try {
    const handle = await submitUntilReached(document, inputs, abort.signal);
    change(key, { state: 'running', handle });
    const job = await waitForEnd(key, handle, abort.signal);
    change(key, { state: 'done', endedAt: Date.now(), job, failure: null });
    await Promise.all([findPlaces(key, handle, job, abort.signal), draw(key, handle, job, abort.signal)]);
  } catch (error) {
    if (abort.signal.aborted) return;
    const { isCancelling } = runs.peek().find((one) => one.key === key) ?? { isCancelling: false };
    const endedAt = Date.now();
    if (isCancellation(error, isCancelling)) change(key, { state: 'cancelled', endedAt });
    else {
      const job = error instanceof JobFailed ? error.job : null;
      change(key, { state: 'failed', endedAt, failure: failureOf(error), job });
    }
  } finally {
    aborts.delete(key);
  }
}

/** The job goes on while the service does not answer, and after it was restarted: this asks until it says how the job ended. */
async function waitForEnd(key: number, handle: EngineJob, signal: AbortSignal): Promise<EndedJob> {
  for (let failures = 0; ; failures++) {
    try {
      return await handle.wait({
        signal,
        onProgress: (progress) => {
          failures = 0;
          change(key, { progress });
        },
      });
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      await pause(failures, signal);
    }
  }
}

/** Submits again while the service is away. Its key keeps a request whose answer was lost from becoming a second job. */
async function submitUntilReached(
  document: WorkspaceDocument,
  inputs: readonly InputChoice[],
  signal: AbortSignal,
): Promise<EngineJob> {
  const idempotencyKey = randomHex();
  for (let failures = 0; ; failures++)
    try {
      return await submit(document, inputs, { signal, idempotencyKey });
    } catch (error) {
      if (signal.aborted || !isAway(error)) throw error;
      await pause(failures, signal);
    }
}

async function submit(
  document: WorkspaceDocument,
  inputs: readonly InputChoice[],
  options: { readonly signal: AbortSignal; readonly idempotencyKey: string },
): Promise<EngineJob> {
  const files = await Promise.all(
    inputs.map(({ path, url }) => {
      if (url !== undefined) return null;
      const source = sources.value.get(path);
      if (source?.upload == null)
        throw new Error(`'${path}' is not in this page any more. Add the file again.`);
      return source.upload.file();
    }),
  );
  const reference = await stepFileReference(document);
  const rule = formatOf(document.output.format);
  options.signal.throwIfAborted();
  const here = files.filter((file) => file !== null);
  const { operation } = document;
  const { format } = inputs[0];
  if (operation === 'transform') {
    const config = conversionConfig(document, inputs[0], rule, reference);
    return engine.peek().submit({ operation: 'transform', format, config, files: here }, options);
  }
  if (here.length < files.length)
    throw new Error(
      'Only files of this page can be appended or merged. Download those that the service fetches, and add them.',
    );
  const config = {
    input: inputConfig(inputs[0]),
    transformations: stepConfigs(document, reference),
    output: outputConfig(document.output, rule),
  };
  return engine.peek().submit({ operation, format, config, files: here }, options);
}

/** Asks where the findings are. */
async function findPlaces(key: number, handle: EngineJob, job: EndedJob, signal: AbortSignal): Promise<void> {
  if (job.warnings.length === 0) return;
  change(key, { places: { state: 'loading' } });
  try {
    change(key, { places: { state: 'ready', value: await handle.findings({ signal }) } });
  } catch (error) {
    if (!signal.aborted) change(key, { places: { state: 'failed', message: messageOf(error) } });
  }
}

async function draw(key: number, handle: EngineJob, job: EndedJob, signal: AbortSignal): Promise<void> {
  // Tiles are drawn as they are (tile-layers.ts).
  if ((job.report?.features.written ?? 0) === 0 || job.output.format === TILES_FORMAT) return;
  change(key, { preview: { state: 'loading' } });
  try {
    change(key, { preview: { state: 'ready', value: await drawOutput(handle, job, signal) } });
  } catch (error) {
    if (!signal.aborted) change(key, { preview: { state: 'failed', message: messageOf(error) } });
  }
}

function change(key: number, changes: Partial<Run>): void {
  runs.value = runs.value.map((run) => (run.key === key ? { ...run, ...changes } : run));
}
