/** The steps between reading and writing, in their order. */
import type { TransformationRecord } from '@geomill/client/client.ts';
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { addStep } from '../model/document.ts';
import { dryRun } from '../model/dry-run.ts';
import { runs } from '../model/run.ts';
import { firstChoices } from '../model/schema-form.ts';
import { sourceFields } from '../model/source-fields.ts';
import { isMissing, type StepProblem, stepProblem } from '../model/step-problems.ts';
import { workspace } from '../model/workspace.ts';
import { catalogue } from '../service.ts';
import { Section } from './controls.tsx';
import { lazy } from './lazy.tsx';

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
            problem={problem?.step === step.key ? problem : null}
          />
        ))}
      </ol>
      <p class="visually-hidden" role="status">
        {announcement}
      </p>
      <AddStep known={known} />
    </Section>
  );
}

function AddStep({ known }: { readonly known: readonly TransformationRecord[] }): JSX.Element {
  return (
    <select
      class="add"
      aria-label="Add a step"
      value=""
      // In a closed list each key would choose, and so add a step.
      onKeyDown={(event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (!event.key.startsWith('Arrow') && (event.key.length > 1 || event.key === ' ')) return;
        event.preventDefault();
        event.currentTarget.showPicker();
      }}
      onChange={({ currentTarget }) => {
        const type = currentTarget.value;
        currentTarget.value = '';
        if (type === '') return;
        const record = known.find(({ id }) => id === type);
        workspace.edit((document) => addStep(document, type, firstChoices(record?.parameters ?? {})));
      }}
    >
      <option value="">Add a step…</option>
      {known.map(({ id, title }) => (
        <option key={id} value={id}>
          {title}
        </option>
      ))}
    </select>
  );
}

/** What the service says of a step, in the dry run or in the newest run. A parameter that is missing says so itself. */
function problemNow(): StepProblem | null {
  const checked = dryRun.value?.result;
  const [failed] = runs.value.filter(({ state }) => state === 'failed');
  const message =
    checked?.state === 'failed' ? checked.message : checked === undefined ? failed?.failure?.message : null;
  const problem = message == null ? null : stepProblem(workspace.current.value, message);
  return problem === null || isMissing(problem) ? null : problem;
}
