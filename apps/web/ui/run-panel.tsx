/** Jobs while they run, and what became of the data. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { followPlaces } from '../model/finding-places.ts';
import { runs } from '../model/run.ts';
import { followProgress } from '../model/tab-progress.ts';
import { Section } from './controls.tsx';
import { lazy } from './lazy.tsx';

const RunCards = lazy(() => import('./run-cards.tsx').then((module) => module.RunCards));

export function RunPanel(): JSX.Element {
  useEffect(() => {
    const stops = [followPlaces(), followProgress()];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  return (
    <Section number={4} title="Result">
      {runs.value.length === 0 ? (
        <p class="soft">The output appears here, with a report of what was changed or lost.</p>
      ) : (
        <RunCards />
      )}
    </Section>
  );
}
