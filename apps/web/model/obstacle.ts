/** Why a run would fail for certain, so that it is not offered. */
import { computed } from '@preact/signals';
import { convertedInputs, type WorkspaceDocument } from './document.ts';
import { dryRun } from './dry-run.ts';
import { incompleteStep, type Obstacle } from './incomplete-step.ts';
import { stepProblem, withStepName } from './step-problems.ts';
import { workspace } from './workspace.ts';

/** Null: a run can be tried. */
export const obstacle = computed((): Obstacle | null => {
  const document = workspace.current.value;
  return incompleteStep(document) ?? failedCheck(document);
});

/** The dry run failed because of a step. With several files others may do. */
function failedCheck(document: WorkspaceDocument): Obstacle | null {
  const checked = dryRun.value?.result;
  if (checked?.state !== 'failed' || convertedInputs(document).length > 1) return null;
  const problem = stepProblem(document, checked.message);
  return problem === null ? null : { text: withStepName(document, checked.message), step: problem.step };
}
