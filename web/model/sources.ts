/** The files that were dropped, what the service says of them, and how they look on the map. */
import { batch, effect, signal, untracked } from '@preact/signals';
import { GeomillProblem, type InspectConfig, type Inspection, JobFailed } from '../../src/client/client.ts';
import { catalogue, client, type Loading, messageOf } from '../service.ts';
import { addInput, changeInput, type InputChoice, inputConfig, removeInput } from './document.ts';
import { formatOfName, groupFiles, type SourceFile, uniqueName } from './grouping.ts';
import { type Preview, previewOf } from './preview.ts';
import { SourceUpload } from './source-upload.ts';
import { workspace } from './workspace.ts';

export interface Source {
  /** Name of the file, by which the document names it. */
  readonly path: string;
  readonly byteLength: number;
  readonly upload: SourceUpload;
  readonly inspection: Loading<Inspection>;
  /** Systems that fit the coordinates, if the CRS is missing. */
  readonly suggestions: GeomillProblem['suggestions'];
  /** Null: there is nothing to draw, for instance because the CRS is not known. */
  readonly preview: Loading<Preview> | null;
}

/** In the order in which they were added. A source whose input was removed stays, so that undo brings it back. */
export const sources = signal<ReadonlyMap<string, Source>>(new Map());
/** Files that could not become sources, with the reason. */
export const rejected = signal<readonly { readonly name: string; readonly reason: string }[]>([]);

export async function addFiles(files: readonly File[]): Promise<void> {
  rejected.value = [];
  for (const file of await groupFiles(files)) addSource(file);
}

function addSource({ name, content }: SourceFile): void {
  const loaded = catalogue.peek();
  if (loaded.state !== 'ready') return;
  const { formats } = loaded.value;
  const format = formatOfName(name, formats);
  if (format === null) {
    const supported = formats.filter(({ input }) => input).map(({ title }) => title);
    const reason = `This format is not supported. Supported: ${supported.join('; ')}.`;
    rejected.value = [...rejected.value, { name, reason }];
    return;
  }
  const path = uniqueName(name, new Set(sources.value.keys()));
  const source: Source = {
    path,
    byteLength: content.size,
    upload: new SourceUpload(path, content),
    inspection: { state: 'loading' },
    suggestions: [],
    preview: null,
  };
  batch(() => {
    sources.value = new Map(sources.value).set(path, source);
    const input = { path, format, crs: null, layers: null, options: {} };
    workspace.edit((document) => addInput(document, input));
  });
}

export function dismissRejected(): void {
  rejected.value = [];
}

/** The file stays in the page, so that undo brings it back. */
export function removeSource(path: string): void {
  sources.value.get(path)?.upload.discard();
  workspace.edit((document) => removeInput(document, path));
}

export function chooseCrs(path: string, crs: string | null): void {
  workspace.edit((document) => changeInput(document, path, { crs }));
}

/** What was asked of the service for a source: asked again when the answer would differ. */
const asked = new Map<string, { readonly key: string; readonly abort: AbortController }>();

/** Inspects and draws each input of the document whenever it changes. Returns what ends that. */
export function followInputs(): () => void {
  return effect(() => {
    const { inputs } = workspace.current.value;
    if (catalogue.value.state !== 'ready') return;
    untracked(() => {
      for (const input of inputs) look(input);
    });
  });
}

function look(input: InputChoice): void {
  const source = sources.value.get(input.path);
  if (source === undefined) return;
  const key = JSON.stringify({ ...inputConfig(input), layer: null });
  const earlier = asked.get(input.path);
  if (earlier?.key === key) return;
  earlier?.abort.abort();
  const abort = new AbortController();
  asked.set(input.path, { key, abort });
  void inspectAndDraw(source, input, abort.signal);
}

async function inspectAndDraw(
  { path, upload }: Source,
  input: InputChoice,
  abort: AbortSignal,
): Promise<void> {
  // Of all layers: which of them are chosen changes nothing here.
  const whole = { ...input, layers: null };
  const config = { input: inputConfig(whole) } as unknown as InspectConfig;
  change(path, { inspection: { state: 'loading' }, suggestions: [], preview: null });
  const file = await upload.file();
  if (abort.aborted) return;
  let inspection: Inspection;
  try {
    inspection = await client.inspect({ input: file, config }, { signal: abort, idempotencyKey: null });
  } catch (error) {
    if (abort.aborted) return;
    change(path, {
      inspection: { state: 'failed', message: messageOf(error) },
      suggestions: suggestionsOf(error),
    });
    return;
  }
  if (abort.aborted) return;
  const isPlaced = inspection.layers.some(({ crs, extent }) => crs !== null && extent !== null);
  change(path, {
    inspection: { state: 'ready', value: inspection },
    suggestions: inspection.layers.find(({ crs }) => crs === null)?.crs_suggestions ?? [],
    preview: isPlaced ? { state: 'loading' } : null,
  });
  if (!isPlaced) return;
  try {
    const preview = await previewOf(file, whole, inspection, abort);
    if (!abort.aborted) change(path, { preview: { state: 'ready', value: preview } });
  } catch (error) {
    if (abort.aborted) return;
    change(path, { preview: { state: 'failed', message: messageOf(error) } });
  }
}

function change(path: string, changes: Partial<Source>): void {
  const source = sources.value.get(path);
  if (source !== undefined) sources.value = new Map(sources.value).set(path, { ...source, ...changes });
}

function suggestionsOf(error: unknown): Source['suggestions'] {
  return error instanceof GeomillProblem || error instanceof JobFailed ? error.suggestions : [];
}
