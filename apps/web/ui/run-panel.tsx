/** Jobs while they run, and what became of the data. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { runs } from '../model/run.ts';
import { followProgress } from '../model/tab-progress.ts';
import { Section } from './controls.tsx';
import { lazy } from './lazy.tsx';

const RunCards = lazy(async () => {
  const [{ RunCards }, { followPlaces }] = await Promise.all([
    import('./run-cards.tsx'),
    import('../model/finding-places.ts'),
  ]);
  // From the first run on, as long as the page is open.
  followPlaces();
  return RunCards;
});

export function RunPanel(): JSX.Element {
  useEffect(followProgress, []);
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
