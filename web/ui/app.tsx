/** The page: header, panels on the left, map on the right. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { convertedInputs } from '../model/document.ts';
import { followDocument } from '../model/dry-run.ts';
import { addDropped, addPasted, keepDocument } from '../model/open.ts';
import { start } from '../model/run.ts';
import { followInputs, reject } from '../model/sources.ts';
import { workspace } from '../model/workspace.ts';
import { catalogue, loadCatalogue, messageOf, SERVICE_URL } from '../service.ts';
import { Busy, Problem } from './controls.tsx';
import { MapPanel } from './map-panel.tsx';
import { OutputPanel } from './output-panel.tsx';
import { RunPanel } from './run-panel.tsx';
import { ServiceNote } from './service-note.tsx';
import { AccountLink, SignInDialog, SignInNotice } from './sign-in.tsx';
import { SourcesPanel } from './sources-panel.tsx';
import { StepsPanel } from './steps-panel.tsx';
import { TableDrawer } from './table-drawer.tsx';

export function App(): JSX.Element {
  const isDropTarget = useFileDrop();
  useEffect(() => {
    void loadCatalogue();
    const stops = [followInputs(), followDocument()];
    document.addEventListener('keydown', onShortcut);
    return () => {
      for (const stop of stops) stop();
      document.removeEventListener('keydown', onShortcut);
    };
  }, []);
  const loaded = catalogue.value;
  const isReady = loaded.state === 'ready';
  useEffect(() => (isReady ? keepDocument() : undefined), [isReady]);
  return (
    <div class={isDropTarget ? 'workspace drop-target' : 'workspace'}>
      <SignInDialog />
      <Header />
      <main class="panels" id="panels">
        <SignInNotice />
        {loaded.state === 'loading' && <Busy label="Asking the service what it supports…" />}
        {loaded.state === 'failed' && (
          <Problem message={loaded.message}>
            <button type="button" onClick={() => void loadCatalogue()}>
              Try again
            </button>
          </Problem>
        )}
        {loaded.state === 'ready' && (
          <>
            <SourcesPanel />
            <StepsPanel />
            <OutputPanel />
            <RunPanel />
            <ServiceNote />
          </>
        )}
      </main>
      <MapPanel />
      <TableDrawer />
    </div>
  );
}

function Header(): JSX.Element {
  return (
    <header>
      <h1>geomill</h1>
      <div class="actions" role="group" aria-label="History of edits">
        <button
          type="button"
          disabled={!workspace.canUndo.value}
          aria-keyshortcuts="Control+Z"
          onClick={() => workspace.undo()}
        >
          Undo
        </button>
        <button
          type="button"
          disabled={!workspace.canRedo.value}
          aria-keyshortcuts="Control+Shift+Z"
          onClick={() => workspace.redo()}
        >
          Redo
        </button>
      </div>
      <nav aria-label="Service">
        <a href={`${SERVICE_URL}/docs`}>Docs</a>
        <AccountLink />
      </nav>
    </header>
  );
}

function pasteText(text: string): void {
  try {
    addPasted(text);
  } catch (error) {
    reject('Pasted text', messageOf(error));
  }
}

function isTextField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && target.type !== 'checkbox')
  );
}

/** Takes files that are dropped anywhere on the page; true while some are held over it. */
function useFileDrop(): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const abort = new AbortController();
    const on = <Name extends keyof WindowEventMap>(name: Name, act: (event: WindowEventMap[Name]) => void) =>
      window.addEventListener(name, act, { signal: abort.signal });
    on('dragover', (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    });
    on('dragleave', ({ relatedTarget }) => {
      if (relatedTarget === null) setOver(false);
    });
    on('drop', (event) => {
      setOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      void addDropped(files);
    });
    on('paste', (event) => {
      if (isTextField(event.target)) return;
      const files = [...(event.clipboardData?.files ?? [])];
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (files.length > 0) void addDropped(files);
      else if (text.trim() !== '') pasteText(text);
      else return;
      event.preventDefault();
    });
    return () => abort.abort();
  }, []);
  return isOver;
}

/** Ctrl+Enter runs, Ctrl+Z undoes; a text field keeps its own undo. */
function onShortcut(event: KeyboardEvent): void {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const isText = isTextField(event.target);
  if (event.key === 'Enter') {
    if (convertedInputs(workspace.current.value).length === 0) return;
    start();
  } else if (event.key.toLowerCase() === 'z' && !isText) {
    if (event.shiftKey) workspace.redo();
    else workspace.undo();
  } else return;
  event.preventDefault();
}
