/** The jobs of this page. */
import type { JSX } from 'preact';
import { runs } from '../model/run.ts';
import { DownloadAll } from './download-all.tsx';
import { RunCard } from './run-card.tsx';

export function RunCards(): JSX.Element {
  return (
    <>
      <DownloadAll />
      <ul class="cards">
        {runs.value.map((run) => (
          <RunCard key={run.key} run={run} />
        ))}
      </ul>
    </>
  );
}
