/** The steps between reading and writing, in their order. */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import type { StepChoice } from '../model/document.ts';
import { dryRun } from '../model/dry-run.ts';
import { needOf } from '../model/incomplete-step.ts';
import { runs } from '../model/run.ts';
import { sourceFields } from '../model/source-fields.ts';
import { type StepProblem, stepProblem } from '../model/step-problems.ts';
import { workspace } from '../model/workspace.ts';
import { catalogue } from '../service.ts';
import { Section } from './controls.tsx';
import { lazy } from './lazy.tsx';

const StepMenu = lazy(async () => (await import('./step-menu.tsx')).StepMenu);
const StepCard = lazy(async () => {
  const [{ StepCard }, { followAreas }, { followRuns }] = await Promise.all([
    import('./step-card.tsx'),
    import('../model/step-areas.ts'),
    import('../model/step-counts.ts'),
  ]);
  // From the first step on, as long as the page is open.
  followAreas();
  followRuns();
  return StepCard;
}, true);

/** Said to screen readers after a step was moved, because its place in the list changes without a sound. */
const announcement = signal('');

function announce(text: string): void {
  announcement.value = text;
}

export function StepsPanel(): JSX.Element {
  const { steps } = workspace.current.value;
  const loaded = catalogue.value;
  const known = loaded.state === 'ready' ? loaded.value.transformations : [];
  const fields = sourceFields();
  const problem = problemNow();
  return (
    <Section number={2} title="Steps">
      {steps.length === 0 && <p class="soft">No steps: the data is only converted.</p>}
      <ol class="cards">
        {steps.map((step, index) => (
          <StepCard
            key={step.key}
            step={step}
            index={index}
            count={steps.length}
            record={known.find(({ id }) => id === step.type) ?? null}
            fields={fields}
            announce={announce}
            problem={needProblem(step) ?? (problem?.step === step.key ? problem : null)}
          />
        ))}
      </ol>
      <p class="visually-hidden" role="status">
        {announcement}
      </p>
      <StepMenu known={known} groups={loaded.state === 'ready' ? loaded.value.stepGroups : []} />
    </Section>
  );
}

function needProblem(step: StepChoice): StepProblem | null {
  const need = needOf(step);
  // Of several it is at the first: the others are alternatives to it.
  return need === null ? null : { step: step.key, parameter: need.parameters[0], text: `${need.text}.` };
}

/** What the service says of a step, in the dry run or in the newest run. */
function problemNow(): StepProblem | null {
  const checked = dryRun.value?.result;
  const [failed] = runs.value.filter(({ state }) => state === 'failed');
  const message =
    checked?.state === 'failed' ? checked.message : checked === undefined ? failed?.failure?.message : null;
  return message == null ? null : stepProblem(workspace.current.value, message);
}
