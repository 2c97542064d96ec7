/** The page: header, the parts on the left or in a sheet, map and table. */
import { useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { engine } from '../engines/current.ts';
import { droppedFiles } from '../model/dropped-files.ts';
import { followDocument } from '../model/dry-run.ts';
import { isNarrow, shareHeight, sheetHeight, showPart } from '../model/layout.ts';
import { mapLayers } from '../model/map-layers.ts';
import { addDropped, addFolders, addPasted, keepDocument } from '../model/open.ts';
import { overlays } from '../model/overlays.ts';
import { runs } from '../model/run.ts';
import { followInputs, reject } from '../model/sources.ts';
import { tileLayers } from '../model/tile-layers.ts';
import { workspace } from '../model/workspace.ts';
import { catalogue, loadCatalogue, messageOf } from '../service.ts';
import { Busy, Problem } from './controls.tsx';
import { serviceHost } from './engine-bar.tsx';
import { Header } from './header.tsx';
import { followKeys, takesText } from './key-handler.ts';
import { lazy } from './lazy.tsx';
import { MapPanel } from './map-panel.tsx';
import { Modal } from './modal.tsx';
import { OutputPanel } from './output-panel.tsx';
import { Palette } from './palette.tsx';
import { PartPane, SheetBar } from './parts.tsx';
import { RunBar } from './run-bar.tsx';
import { RunPanel } from './run-panel.tsx';
import { durationText, tilesHost } from './service-words.ts';
import { SignInDialog, SignInNotice } from './sign-in.tsx';
import { SourcesPanel } from './sources-panel.tsx';
import { StepsPanel } from './steps-panel.tsx';
import { Welcome } from './welcome.tsx';

const CopyAs = lazy(() => import('./copy-as.tsx').then((module) => module.CopyAs));
const JobHistory = lazy(() => import('./job-history.tsx').then((module) => module.JobHistory));
const Legend = lazy(() => import('./legend.tsx').then((module) => module.Legend));
const Shortcuts = lazy(() => import('./shortcuts.tsx').then((module) => module.Shortcuts));
const TableDrawer = lazy(() => import('./table-drawer.tsx').then((module) => module.TableDrawer));

export function App(): JSX.Element {
  const isDropTarget = useFileDrop();
  useEffect(() => {
    void loadCatalogue();
    const stops = [followInputs(), followDocument(), followKeys(), shareHeight()];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  useArrivals();
  const loaded = catalogue.value;
  const isReady = loaded.state === 'ready';
  useEffect(() => (isReady ? keepDocument() : undefined), [isReady]);
  const isEmpty = workspace.current.value.inputs.length === 0;
  const classes = ['workspace', `sheet-${sheetHeight.value}`, isDropTarget ? 'drop-target' : ''];
  return (
    <div class={classes.join(' ').trim()}>
      <SignInDialog />
      <Modal name="palette" label="Find a command" class="palette">
        <Palette />
      </Modal>
      <Modal name="shortcuts" label="Keyboard shortcuts" class="shortcuts">
        <Shortcuts />
      </Modal>
      <Modal name="copy" label="Run this job elsewhere" class="copy-as">
        <CopyAs />
      </Modal>
      <Modal name="jobs" label="Earlier jobs" class="job-history">
        <JobHistory />
      </Modal>
      <Header />
      <main class="side">
        {isReady && <SheetBar />}
        <div class="panels">
          {isNarrow.value && isEmpty && isReady && <Welcome />}
          {engine.value.id === 'service' && <SignInNotice />}
          {loaded.state === 'loading' && <Busy label="Loading…" />}
          {loaded.state === 'failed' && (
            <Problem message={loaded.message}>
              <button type="button" onClick={() => void loadCatalogue()}>
                Try again
              </button>
            </Problem>
          )}
          {isReady && (
            <>
              <PartPane name="files">
                <SourcesPanel />
                {isNarrow.value && mapLayers.value.length + tileLayers.value.length > 0 && <Legend />}
                {isEmpty && <ServiceNote />}
              </PartPane>
              <PartPane name="steps">
                <StepsPanel />
              </PartPane>
              <PartPane name="output">
                <OutputPanel />
              </PartPane>
              <PartPane name="result">
                <RunPanel />
                {!isEmpty && <ServiceNote />}
              </PartPane>
            </>
          )}
        </div>
        {isReady && <RunBar />}
      </main>
      <MapPanel />
      {mapLayers.value.length > 0 && <TableDrawer />}
    </div>
  );
}

/** Shows what has just come: the first data, for which a full sheet makes room on the map, and new jobs. */
function useArrivals(): void {
  const seen = useRef({ hasData: false, run: 0 });
  useSignalEffect(() => {
    const hasData = mapLayers.value.length + tileLayers.value.length + overlays.value.size > 0;
    if (hasData && !seen.current.hasData && sheetHeight.peek() === 'full') sheetHeight.value = 'half';
    seen.current.hasData = hasData;
  });
  useSignalEffect(() => {
    const newest = Math.max(0, ...runs.value.map(({ key }) => key));
    const isNew = newest > seen.current.run;
    seen.current.run = newest;
    // When it is on the page.
    if (isNew) requestAnimationFrame(() => showPart('result'));
  });
}

function pasteText(text: string): void {
  try {
    addPasted(text);
  } catch (error) {
    reject('Pasted text', messageOf(error));
  }
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
      const { dataTransfer } = event;
      if (!dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      droppedFiles(dataTransfer).then(addFolders, (error) => reject('The dropped files', messageOf(error)));
    });
    on('paste', (event) => {
      if (takesText(event.target)) return;
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

export function ServiceNote(): JSX.Element | null {
  const loaded = catalogue.value;
  if (loaded.state !== 'ready' || loaded.value.service === null) return null;
  const { limits, map_tiles: tiles } = loaded.value.service;
  const [upload, output] = [limits.upload_retention_seconds, limits.output_retention_seconds].map(
    durationText,
  );
  return (
    <p class="service-note">
      {engine.value.id === 'service' &&
        `Files go only to this server (${serviceHost()}). Uploads are deleted after ${upload}, results ${output} after their job has ended.`}
      {tiles !== null &&
        ` The map loads tiles from ${tilesHost(tiles.url)}, which sees the areas you look at.`}
    </p>
  );
}
