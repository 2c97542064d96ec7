/** What the document would do, computed by the engine without an output: counts for each step, and what would be lost. */
import type { Inspection } from '@geomill/client/client.ts';
import { effect, signal, untracked } from '@preact/signals';
import { engine } from '../engines/current.ts';
import type { EngineFile } from '../engines/engine.ts';
import { formatOf, type Loading, messageOf } from '../service.ts';
import { conversionConfig, convertedInputs, type InputChoice, type WorkspaceDocument } from './document.ts';
import { incompleteStep } from './incomplete-step.ts';
import { isPassing, pause } from './reconnect.ts';
import { type Source, sources } from './sources.ts';
import { areStepFilesFetched, areStepFilesHere, stepFileReference } from './step-files.ts';
import { workspace } from './workspace.ts';

/** After the last edit. */
const PAUSE_MS = 700;
/** A larger file, and one that the service fetches, is only checked on request, because the service reads all of it. */
export const MAX_AUTOMATIC_BYTES = 50_000_000;

export type Outcome = Extract<NonNullable<Inspection['output']>, { readonly steps: unknown }>;

export interface DryRun {
  /** Name of the file. */
  readonly path: string;
  /** The config that it is of. */
  readonly key: string;
  readonly result: Loading<Outcome>;
}

/** Of the first input; null: there is none, or it has not been checked. */
export const dryRun = signal<DryRun | null>(null);

let abort = new AbortController();

/** Checks the document after each pause in its editing, if the file is small enough. Returns what ends that. */
export function followDocument(): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const stop = effect(() => {
    const document = workspace.current.value;
    const [input] = convertedInputs(document);
    const source = input === undefined ? undefined : sources.value.get(input.path);
    clearTimeout(timer);
    untracked(() => {
      const key = input === undefined ? '' : keyOf(document, input);
      if (dryRun.value?.key === key) return;
      abort.abort();
      dryRun.value = null;
      const isReady = source?.inspection.state === 'ready' && document.operation === 'transform';
      if (!isReady || incompleteStep(document) !== null || !areStepFilesHere(document)) return;
      if (!isAutomatic(document, source)) return;
      timer = setTimeout(checkNow, PAUSE_MS);
    });
  });
  return () => {
    clearTimeout(timer);
    abort.abort();
    stop();
  };
}

/** Whether the document can be checked but was not, because the file is large. */
export function isCheckOffered(): boolean {
  const document = workspace.current.value;
  const [input] = convertedInputs(document);
  const source = input === undefined ? undefined : sources.value.get(input.path);
  return (
    document.operation === 'transform' &&
    incompleteStep(document) === null &&
    areStepFilesHere(document) &&
    dryRun.value === null &&
    source?.inspection.state === 'ready' &&
    !isAutomatic(document, source)
  );
}

function isAutomatic(document: WorkspaceDocument, { byteLength }: Source): boolean {
  return (byteLength ?? Infinity) <= MAX_AUTOMATIC_BYTES && !areStepFilesFetched(document);
}

export function checkNow(): void {
  const document = workspace.current.peek();
  const [input] = convertedInputs(document);
  const source = input === undefined ? undefined : sources.peek().get(input.path);
  if (input === undefined || source === undefined) return;
  abort.abort();
  abort = new AbortController();
  void check(document, input, source.upload?.file() ?? null, abort.signal);
}

async function check(
  document: WorkspaceDocument,
  input: InputChoice,
  /** Null: the service fetches the file. */
  upload: Promise<EngineFile> | null,
  signal: AbortSignal,
): Promise<void> {
  const key = keyOf(document, input);
  const show = (result: Loading<Outcome>) => {
    if (!signal.aborted) dryRun.value = { path: input.path, key, result };
  };
  show({ state: 'loading' });
  for (let failures = 0; !signal.aborted; failures++)
    try {
      const reference = await stepFileReference(document);
      const config = conversionConfig(document, input, formatOf(document.output.format), reference);
      const { output } = await engine.peek().inspect({ config, file: await upload }, { signal });
      if (output === null) return;
      if ('error' in output) show({ state: 'failed', message: output.error.message });
      else show({ state: 'ready', value: output });
      return;
    } catch (error) {
      if (!isPassing(error)) return show({ state: 'failed', message: messageOf(error) });
      // Says nothing about the document.
      await pause(failures, signal).catch(() => {});
    }
}

function keyOf(document: WorkspaceDocument, input: InputChoice): string {
  return JSON.stringify([input.path, conversionConfig(document, input, formatOf(document.output.format))]);
}
