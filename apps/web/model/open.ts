/** Opens documents and pasted text, and keeps the document in the address and over a reload. */
import { effect, untracked } from '@preact/signals';
import { engine } from '../engines/current.ts';
import { NO_URLS } from '../engines/engine.ts';
import { canFetchUrls, catalogue, messageOf } from '../service.ts';
import { EMPTY_DOCUMENT, type WorkspaceDocument } from './document.ts';
import { type DroppedFiles, folderOf, MAX_DROPPED_FILES } from './dropped-files.ts';
import { inputFolderOf, isUsed } from './grouping.ts';
import { formatOfUrl, NO_FORMAT } from './input-url.ts';
import { decodePipeline, encodePipeline, pipelineOf, portableDocument } from './link.ts';
import { looksLikeDocument, MAX_DOCUMENT_LENGTH, parseDocument } from './read-document.ts';
import { addFiles, addSource, addUrl, reject } from './sources.ts';
import { workspace } from './workspace.ts';

declare const SAMPLE_FILE: string;

/** Key of sessionStorage. */
const KEPT = 'geomill-document';
/** Between an edit and the change of the address; browsers limit how often a page may change it. */
const PAUSE_MS = 300;

/** Files that are job documents are opened, the others become sources. */
export async function addDropped(files: readonly File[]): Promise<void> {
  const others: File[] = [];
  const failures: [string, unknown][] = [];
  for (const file of files) {
    const text = await documentText(file);
    if (text === null) {
      others.push(file);
      continue;
    }
    try {
      openText(text);
    } catch (error) {
      failures.push([file.name, error]);
    }
  }
  await addFiles(others);
  for (const [name, error] of failures) reject(name, messageOf(error));
}

/** Files of which some may be from folders. In those, files that belong to no source are counted, not named one by one. */
export async function addFolders({ files, isCut }: DroppedFiles): Promise<void> {
  const known = catalogue.peek();
  if (known.state !== 'ready') return;
  const { formats } = known.value;
  const others = files.filter(
    (file) => folderOf(file) !== '' && !isUsed(file.name, formats) && inputFolderOf(file, formats) === null,
  );
  await addDropped(files.filter((file) => !others.includes(file)));
  if (others.length > 0) {
    const some = others.slice(0, 3).map(({ name }) => name);
    const names =
      others.length > some.length
        ? `${some.join(', ')} and ${others.length - some.length} more`
        : some.join(', ');
    reject('Left out', `${names} (no supported format).`);
  }
  if (isCut) reject('The folder', `Only its first ${MAX_DROPPED_FILES} files were read.`);
}

async function documentText(file: File): Promise<string | null> {
  if (!/\.json$/i.test(file.name) || file.size > MAX_DOCUMENT_LENGTH) return null;
  const text = await file.text();
  try {
    return looksLikeDocument(JSON.parse(text)) ? text : null;
  } catch {
    // Not JSON: as a source, the service says where.
    return null;
  }
}

/** Throws DocumentProblem. */
export function openText(text: string): void {
  const known = catalogue.peek();
  if (known.state !== 'ready') return;
  const document = parseDocument(text, known.value);
  workspace.edit(() => document);
}

/** Throws an Error with a sentence. */
export async function addPasted(text: string): Promise<void> {
  const { readPasted } = await import('./pasted.ts');
  const pasted = readPasted(text);
  if (pasted.kind === 'document') openText(pasted.text);
  else if (pasted.kind === 'url') {
    const known = catalogue.peek();
    if (known.state !== 'ready') return;
    if (engine.peek().id === 'local') throw new Error(NO_URLS);
    if (!canFetchUrls())
      throw new Error('This service does not fetch files by URL. Download the file and add it.');
    const format = formatOfUrl(pasted.url, known.value.formats);
    if (format === null)
      throw new Error(`${NO_FORMAT} Add it in the field for URLs, and choose the format there.`);
    addUrl(pasted.url, format);
  } else {
    const choices =
      pasted.kind === 'wkt' ? { crs: pasted.crs, options: { geometry_column: 'wkt' } } : undefined;
    addSource({ name: pasted.name, content: new Blob([pasted.text]) }, choices);
  }
}

/** Opens the document of the address or of before a reload, then keeps both up to date. Returns what ends that. */
export function keepDocument(): () => void {
  restore();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = effect(() => {
    const document = workspace.current.value;
    clearTimeout(timer);
    timer = setTimeout(() => untracked(() => keep(document)), PAUSE_MS);
  });
  // The address stays: a reload has begun to load it.
  const leave = () => keepInSession(workspace.current.peek());
  addEventListener('pagehide', leave);
  // A link that is opened in this tab changes the fragment only; the page's own changes raise no event.
  addEventListener('hashchange', openLink);
  return () => {
    clearTimeout(timer);
    removeEventListener('pagehide', leave);
    removeEventListener('hashchange', openLink);
    stop();
  };
}

/** Documents that are longer than a link stay in the session alone. */
function keep(document: WorkspaceDocument): void {
  const pipeline = document === EMPTY_DOCUMENT ? null : encodePipeline(document);
  const url = new URL(location.href);
  const query = url.search.slice(1).split('&');
  url.search = query.filter((pair) => !pair.startsWith('pipeline=')).join('&');
  url.hash = pipeline === null ? '' : `pipeline=${pipeline}`;
  if (url.href !== location.href) {
    earlierPipeline = pipelineOf(location);
    history.replaceState(history.state, '', url);
  }
  keepInSession(document);
}

/** Of the address before its last change: a reload that has begun loads that. */
let earlierPipeline: string | null = null;

/** With the pipelines of the address, to notice another one. */
function keepInSession(document: WorkspaceDocument): void {
  const disabled = document.steps.flatMap(({ enabled }, i) => (enabled ? [] : [i]));
  const pipelines = [pipelineOf(location), earlierPipeline];
  const text = JSON.stringify({ pipelines, disabled, document: portableDocument(document) });
  try {
    if (document === EMPTY_DOCUMENT) sessionStorage.removeItem(KEPT);
    else sessionStorage.setItem(KEPT, text);
  } catch (error) {
    // Full or switched off: the address still has the document unless it is long.
    console.info(`The document is not kept over a reload: ${messageOf(error)}`);
  }
}

function restore(): void {
  const known = catalogue.peek();
  if (known.state !== 'ready' || workspace.current.peek() !== EMPTY_DOCUMENT) return;
  const pipeline = pipelineOf(location);
  try {
    const kept = keptDocument(pipeline);
    if (kept !== null) {
      const document = parseDocument(kept.text, known.value);
      const steps = document.steps.map((step, i) => ({ ...step, enabled: !kept.disabled.has(i) }));
      workspace.edit(() => ({ ...document, steps }));
    } else openLink();
  } catch (error) {
    reject('The document of before the reload', messageOf(error));
  }
}

function openLink(): void {
  const pipeline = pipelineOf(location);
  if (pipeline === null) return;
  try {
    openText(decodePipeline(pipeline));
  } catch (error) {
    reject('The link', messageOf(error));
  }
}

/** Null: nothing was kept, or the address has another document. */
function keptDocument(
  pipeline: string | null,
): { readonly text: string; readonly disabled: ReadonlySet<number> } | null {
  const text = storedText();
  if (text === null) return null;
  try {
    const stored = JSON.parse(text) as {
      readonly pipelines: readonly (string | null)[];
      readonly disabled: readonly number[];
      readonly document: unknown;
    };
    if (pipeline !== null && !stored.pipelines.includes(pipeline)) return null;
    return { text: JSON.stringify(stored.document), disabled: new Set(stored.disabled) };
  } catch {
    // Of an earlier version of this page.
    return null;
  }
}

function storedText(): string | null {
  try {
    return sessionStorage.getItem(KEPT);
  } catch {
    // Storage is switched off.
    return null;
  }
}

const SAMPLE_NAME = 'harbour.geojson';

/** The sample file of the page, for people who want to look around first. */
export async function addSample(): Promise<void> {
  try {
    const response = await fetch(new URL(SAMPLE_FILE, import.meta.url));
    if (!response.ok) throw new Error(`The service answered ${response.status}. Reload the page.`);
    await addFiles([new File([await response.blob()], SAMPLE_NAME)]);
  } catch (error) {
    reject('The sample', messageOf(error));
  }
}
