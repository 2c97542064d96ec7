/** The files that were dropped, what the engine says of them, and how they look on the map. */
import type { Inspection } from '@geomill/client/client.ts';
import { batch, effect, signal, untracked } from '@preact/signals';
import { engine, keepEngine } from '../engines/current.ts';
import type { EngineFile, EngineId } from '../engines/engine.ts';
import { type FailureFacts, failureFacts } from '../engines/failures.ts';
import { catalogue, formatOf, type Loading, messageOf } from '../service.ts';
import {
  addInput,
  changeInput,
  type InputChoice,
  inputConfig,
  removeInput,
  renameInput,
} from './document.ts';
import { failureOf, type RunFailure } from './fixes.ts';
import { type Rejected, rejectionReason } from './foreign-files.ts';
import { formatOfName, groupFiles, type SourceFile, stemOf, uniqueName } from './grouping.ts';
import { nameOfUrl } from './input-url.ts';
import { hasShape, isLarge, isOnEarth, type Preview } from './preview-facts.ts';
import { SourceUpload } from './source-upload.ts';
import { addTileFile, isTileFile } from './tile-files.ts';
import { workspace } from './workspace.ts';

export interface Source {
  /** Name of the file, by which the document names it. */
  readonly path: string;
  /** Null: of an address, from which the service fetches it. */
  readonly byteLength: number | null;
  readonly upload: SourceUpload | null;
  readonly inspection: Loading<Inspection>;
  /** The inspection failed for a reason that may pass, such as a broken connection. */
  readonly mayRetry: boolean;
  /** How its text is read, also if it cannot be; null: not known, or the format has only one encoding. */
  readonly text: Inspection['text'];
  /** Systems that the error of a failed inspection names. */
  readonly suggestions: FailureFacts['suggestions'];
  /** Why it could not be inspected or drawn. */
  readonly failure: RunFailure | null;
  /** Null: there is nothing to draw, or it was not drawn unasked. */
  readonly preview: Loading<Preview> | null;
  /** It can be drawn on request: the service would fetch it again, which took long. */
  readonly isDrawingOffered: boolean;
}

/** A file that takes the service longer to fetch is not fetched again unasked. */
const SLOW_MS = 4000;

/** Before the engine was asked. */
const UNREAD = {
  inspection: { state: 'loading' },
  mayRetry: false,
  text: null,
  suggestions: [],
  failure: null,
  preview: null,
  isDrawingOffered: false,
} as const satisfies Partial<Source>;

/** In the order in which they were added. A source whose input was removed stays, so that undo brings it back. */
export const sources = signal<ReadonlyMap<string, Source>>(new Map());
/** Files that could not become sources, with the reason. */
export const rejected = signal<readonly Rejected[]>([]);

/** Shows why something did not become a source. */
export function reject(name: string, reason: string): void {
  rejected.value = [...rejected.value, { name, reason }];
}

export async function addFiles(files: readonly File[]): Promise<void> {
  rejected.value = [];
  const known = catalogue.peek();
  const formats = known.state === 'ready' ? known.value.formats : [];
  for (const file of await groupFiles(files, formats)) addSource(file);
}

/** Returns its path in the document; null: it was rejected. `choices`: what is known of the input beside its format. A file that the document names and the page lacks becomes that input. */
export function addSource(
  { name, content }: SourceFile,
  choices: Partial<Pick<InputChoice, 'crs' | 'options'>> = {},
): string | null {
  const loaded = catalogue.peek();
  if (loaded.state !== 'ready') return null;
  const { formats } = loaded.value;
  const format = formatOfName(name, formats);
  if (format === null && isTileFile(name)) {
    addTileFile(name, content);
    return null;
  }
  if (format === null) {
    reject(name, rejectionReason(name, loaded.value));
    return null;
  }
  const missing = missingInput(name, format);
  if (missing !== null) {
    batch(() => {
      keep(name, content);
      if (missing.path !== name) workspace.edit((document) => renameInput(document, missing.path, name));
    });
    return name;
  }
  return addNew({ path: name, format, crs: null, layers: null, options: {}, ...choices }, content);
}

/** An input that the service fetches. */
export function addUrl(url: string, format: string): void {
  addNew({ path: nameOfUrl(url), format, crs: null, layers: null, options: {}, url }, null);
}

/** Returns the path, which no other source has. A file that was removed and is added again has its path again. */
function addNew(input: InputChoice, content: Blob | null): string {
  const present = workspace.current.peek().inputs.map(({ path }) => path);
  const others = [...sources.value.values()].filter(({ upload }) => upload?.holds(content) !== true);
  const taken = [...present, ...others.map(({ path }) => path)];
  const path = uniqueName(input.path, new Set(taken));
  batch(() => {
    keep(path, content);
    workspace.edit((document) => addInput(document, { ...input, path }));
  });
  return path;
}

function keep(path: string, content: Blob | null): void {
  const source: Source = {
    path,
    byteLength: content?.size ?? null,
    upload: content === null ? null : new SourceUpload(path, content),
    ...UNREAD,
  };
  sources.value = new Map(sources.value).set(path, source);
}

/** The input of this name, or the only one with its name but another extension, as when loose files became a zip. */
function missingInput(name: string, format: string): InputChoice | null {
  const missing = workspace.current
    .peek()
    .inputs.filter(({ path, url }) => url === undefined && !sources.value.has(path));
  const same = missing.find(({ path }) => path === name);
  if (same !== undefined) return same;
  const alike = missing.filter((input) => input.format === format && stemOf(input.path) === stemOf(name));
  return alike.length === 1 && !sources.value.has(name) ? alike[0] : null;
}

export function dismissRejected(): void {
  rejected.value = [];
}

/** The file stays in the page, so that undo brings it back; what the engine said of it is asked again then. */
export function removeSource(path: string): void {
  asked.get(path)?.abort.abort();
  asked.delete(path);
  sources.value.get(path)?.upload?.discard();
  batch(() => {
    change(path, UNREAD);
    workspace.edit((document) => removeInput(document, path));
  });
}

/** Null: as the file states. A choice counts more than what the file states, which may be what is wrong. */
export function chooseCrs(path: string, crs: string | null): void {
  const inspection = sources.peek().get(path)?.inspection;
  workspace.edit((document) => {
    const input = document.inputs.find((one) => one.path === path);
    const statesItself =
      inspection?.state === 'ready' &&
      inspection.value.layers.some((layer) => layer.crs?.origin === 'file') &&
      formatOf(input?.format ?? '')?.input_crs === 'file';
    const overrides = crs !== null && (statesItself || input?.overridesCrs === true);
    return changeInput(document, path, { crs, overridesCrs: overrides ? true : undefined });
  });
}

/** What was asked of the engine for a source: asked again when the answer would differ. */
const asked = new Map<
  string,
  { readonly key: string; readonly upload: SourceUpload | null; readonly abort: AbortController }
>();

/** Inspects and draws each input of the document whenever it changes. Returns what ends that. */
export function followInputs(): () => void {
  return effect(() => {
    const { inputs } = workspace.current.value;
    // A file may come after its input.
    void sources.value;
    if (catalogue.value.state !== 'ready') return;
    untracked(() => {
      for (const input of inputs) look(input);
    });
  });
}

function look(input: InputChoice): void {
  if (input.url !== undefined && !sources.value.has(input.path)) keep(input.path, null);
  const source = sources.value.get(input.path);
  if (source === undefined) return;
  const { upload } = source;
  const key = keyOf(input);
  const earlier = asked.get(input.path);
  if (earlier?.key === key && earlier.upload === upload) return;
  earlier?.abort.abort();
  const abort = new AbortController();
  asked.set(input.path, { key, upload, abort });
  void inspectAndDraw(source, input, abort.signal);
}

/** Which of the layers are chosen changes nothing in the answer. */
function keyOf(input: InputChoice): string {
  return JSON.stringify({ ...inputConfig(input), layer: null });
}

/** After a failure: inspects and draws it once more. */
export function lookAgain(path: string): void {
  const input = workspace.current.peek().inputs.find((one) => one.path === path);
  if (input === undefined) return;
  asked.get(path)?.abort.abort();
  asked.delete(path);
  look(input);
}

/**
 * Changes to another engine: what the earlier one has of the files is removed there. Inspections stay: all engines say the same. Jobs that run go on where they were started.
 */
export function switchEngine(id: EngineId): void {
  const known = [...sources.peek().values()];
  batch(() => {
    for (const { upload } of known) upload?.discard();
    keepEngine(id);
  });
  for (const { path, inspection } of known) if (inspection.state !== 'ready') lookAgain(path);
}

/** Not what the engine says of the file or the request. */
function isTransient(error: unknown): boolean {
  return failureFacts(error)?.isAboutRequest !== true;
}

async function inspectAndDraw(
  { path, upload }: Source,
  input: InputChoice,
  abort: AbortSignal,
): Promise<void> {
  // Of all layers: which of them are chosen changes nothing here.
  const whole = { ...input, layers: null };
  const config = { input: inputConfig(whole) };
  change(path, { ...UNREAD, text: sources.peek().get(path)?.text ?? null });
  const startedAt = performance.now();
  const file = upload === null ? null : await upload.file().catch(() => null);
  if (abort.aborted) return;
  const first = isLarge(file) ? await drawFirst(path, file, whole, abort) : null;
  if (abort.aborted) return;
  let inspection: Inspection;
  try {
    inspection = await engine.peek().inspect({ config, file }, { signal: abort });
  } catch (error) {
    if (abort.aborted) return;
    change(path, {
      inspection: { state: 'failed', message: messageOf(error) },
      // The content of an address can differ the next time.
      mayRetry: isTransient(error) || input.url !== undefined,
      suggestions: suggestionsOf(error),
      failure: failureOf(error),
    });
    const text = await textOf(file, whole, abort);
    if (!abort.aborted) change(path, { text });
    return;
  }
  if (abort.aborted) return;
  const assumed = assumedCrs(input, inspection);
  const placed = assumed === null ? whole : { ...whole, crs: assumed };
  if (assumed !== null) {
    const request = asked.get(path);
    if (request !== undefined) asked.set(path, { ...request, key: keyOf(placed) });
    workspace.amend((document) => changeInput(document, path, { crs: assumed }));
  }
  const isDrawn = hasShape(inspection);
  const isOffered = isDrawn && input.url !== undefined && performance.now() - startedAt > SLOW_MS;
  const total = inspection.layers.reduce((sum, { features }) => sum + features, 0);
  change(path, {
    inspection: { state: 'ready', value: inspection },
    text: inspection.text,
    isDrawingOffered: isOffered,
  });
  if (first !== null) change(path, { preview: { state: 'ready', value: { ...first, total } } });
  else if (isDrawn && !isOffered) await draw(path, file, placed, inspection, abort);
}

/** Draws a source whose drawing was offered. */
export function drawNow(path: string): void {
  const input = workspace.current.peek().inputs.find((one) => one.path === path);
  const source = sources.peek().get(path);
  const abort = asked.get(path)?.abort.signal;
  if (input === undefined || source?.inspection.state !== 'ready' || abort === undefined) return;
  void draw(path, null, { ...input, layers: null }, source.inspection.value, abort);
}

async function draw(
  path: string,
  /** Null: the service fetches it. */
  file: EngineFile | null,
  placed: InputChoice,
  inspection: Inspection,
  abort: AbortSignal,
): Promise<void> {
  change(path, { preview: { state: 'loading' }, isDrawingOffered: false });
  try {
    const preview = isOnEarth(inspection)
      ? await (await import('./preview.ts')).previewOf(file, placed, inspection, abort)
      : await (await import('./plane-preview.ts')).planePreviewOf(file, placed, inspection, abort);
    if (!abort.aborted) change(path, { preview: { state: 'ready', value: preview } });
  } catch (error) {
    if (abort.aborted) return;
    change(path, {
      preview: { state: 'failed', message: messageOf(error) },
      failure: failureOf(error),
    });
  }
}

/** How the text of a file is read that could not be inspected. Null: the format has only one encoding, or this failed, too. */
async function textOf(
  file: EngineFile | null,
  input: InputChoice,
  signal: AbortSignal,
): Promise<Inspection['text']> {
  const { properties = {} } = (formatOf(input.format)?.read_options ?? {}) as {
    readonly properties?: object;
  };
  if (!('encoding' in properties)) return null;
  const config = { input: inputConfig(input), text_only: true };
  try {
    return (await engine.peek().inspect({ config, file }, { signal })).text;
  } catch {
    // The first error is the one that is shown.
    return null;
  }
}

/** Draws a large file before the inspection has read it whole. Null: that is not possible, and the inspection says why. */
async function drawFirst(
  path: string,
  file: EngineFile | null,
  input: InputChoice,
  abort: AbortSignal,
): Promise<Preview | null> {
  change(path, { preview: { state: 'loading' } });
  const { firstPreview } = await import('./preview.ts');
  const first = await firstPreview(file, input, abort).catch(() => null);
  if (!abort.aborted) change(path, { preview: first === null ? null : { state: 'ready', value: first } });
  return first;
}

function change(path: string, changes: Partial<Source>): void {
  const source = sources.value.get(path);
  if (source !== undefined) sources.value = new Map(sources.value).set(path, { ...source, ...changes });
}

function suggestionsOf(error: unknown): Source['suggestions'] {
  return failureFacts(error)?.suggestions ?? [];
}

/**
 * The CRS that an inspection assumed for a format that cannot state one, because a conversion has to name it. Null: not needed,
 * or unknown.
 */
function assumedCrs({ format, crs }: InputChoice, { layers }: Inspection): string | null {
  const authority = layers[0]?.crs?.authority ?? null;
  // Data without positions has none either: its columns may still get roles, and a question about their CRS.
  const hasPositions = layers.some(({ extent }) => extent !== null);
  if (!hasPositions || crs !== null || authority === null || formatOf(format)?.input_crs !== 'request')
    return null;
  return `${authority.name}:${authority.code}`;
}
