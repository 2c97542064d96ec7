/** The jobs of this page. */
import { useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { isRunning, runs } from '../model/run.ts';
import { DownloadAll } from './download-all.tsx';
import { RunCard } from './run-card.tsx';

export function RunCards(): JSX.Element {
  const list = useRef<HTMLUListElement>(null);
  const wasRunning = useRef(false);
  const [hasArrived, setArrived] = useState(false);
  // The section is the last one, so the results of a run are mostly below what is in view.
  useSignalEffect(() => {
    const { value: isActive } = isRunning;
    const isEnd = wasRunning.current && !isActive;
    wasRunning.current = isActive;
    setArrived(isEnd);
    if (isEnd) requestAnimationFrame(() => list.current?.scrollIntoView({ block: 'start' }));
  });
  return (
    <>
      <DownloadAll />
      <ul ref={list} class={hasArrived ? 'cards arrived' : 'cards'}>
        {runs.value.map((run) => (
          <RunCard key={run.key} run={run} />
        ))}
      </ul>
    </>
  );
}
