/** One archive with the outputs of all runs. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { uniqueName } from '../model/grouping.ts';
import { type Run, runs } from '../model/run.ts';
import { type Loading, messageOf } from '../service.ts';
import { Busy, countText, Problem, sizeText } from './controls.tsx';

/** Bytes of all outputs together: the archive is kept by the browser until it is saved. */
const MAX_BYTES = 1_000_000_000;

export function DownloadAll(): JSX.Element | null {
  const [zipped, setZipped] = useState<Loading<null> | null>(null);
  const done = runs.value.filter(({ state }) => state === 'done');
  if (done.length < 2) return null;
  const byteLength = done.reduce((sum, { job }) => sum + (job?.output.bytes ?? 0), 0);
  if (byteLength > MAX_BYTES)
    return (
      <p class="soft">
        The {countText(done.length)} outputs have {sizeText(byteLength)}. Up to {sizeText(MAX_BYTES)} can be
        downloaded as one .zip; download them one by one.
      </p>
    );
  const download = async () => {
    setZipped({ state: 'loading' });
    try {
      // Runs are listed newest first.
      save(await archiveOf(done.toReversed()), 'geomill-outputs.zip');
      setZipped(null);
    } catch (error) {
      setZipped({ state: 'failed', message: messageOf(error) });
    }
  };
  return (
    <div class="download-all">
      <button type="button" disabled={zipped?.state === 'loading'} onClick={() => void download()}>
        Download all (.zip, {sizeText(byteLength)})
      </button>
      {zipped?.state === 'loading' && <Busy label="Fetching the outputs…" />}
      {zipped?.state === 'failed' && <Problem message={zipped.message} />}
    </div>
  );
}

async function archiveOf(done: readonly Run[]): Promise<Blob> {
  const names = new Set<string>();
  const members = done.flatMap(({ handle, job }) => {
    if (handle === null || job === null) return [];
    const name = uniqueName(job.output.name ?? 'output', names);
    names.add(name);
    return [{ name, open: async () => (await handle.download()).stream() }];
  });
  const { zipOf } = await import('../model/zip.ts');
  return zipOf(members);
}

function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
