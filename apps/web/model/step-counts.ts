/** Features before and after each step, as the service has counted them for this document. */
import { effect, untracked } from '@preact/signals';
import type { StepChoice, WorkspaceDocument } from './document.ts';
import { dryRun } from './dry-run.ts';
import { runs } from './run.ts';
import { workspace } from './workspace.ts';

export interface StepCounts {
  readonly before: number;
  readonly after: number;
}

/** The steps of each run, by its key. */
const ran = new Map<number, readonly StepChoice[]>();

/** Remembers of which steps a run is. Returns what ends that. */
export function followRuns(): () => void {
  return effect(() => {
    const keys = new Set(runs.value.map(({ key }) => key));
    untracked(() => {
      const { steps } = workspace.current.value;
      for (const key of keys) if (!ran.has(key)) ran.set(key, steps);
      for (const key of ran.keys()) if (!keys.has(key)) ran.delete(key);
    });
  });
}

/** Of the dry run, or of the runs of these steps together; null: neither is there, or the step is switched off. */
export function countsOf({ steps }: WorkspaceDocument, step: StepChoice): StepCounts | null {
  const at = steps.filter(({ enabled }) => enabled).indexOf(step);
  if (at < 0) return null;
  const checked = dryRun.value?.result;
  if (checked?.state === 'ready') {
    const counts = checked.value.steps.at(at);
    return counts === undefined ? null : { before: counts.features_in, after: counts.features_out };
  }
  const reports = runs.value
    .filter(({ key, state }) => state === 'done' && ran.get(key) === steps)
    .flatMap(({ job }) => job?.report?.steps.at(at) ?? []);
  if (reports.length === 0) return null;
  return {
    before: reports.reduce((sum, one) => sum + one.features_in, 0),
    after: reports.reduce((sum, one) => sum + one.features_out, 0),
  };
}
