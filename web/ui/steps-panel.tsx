/** The steps between reading and writing, in their order. */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { TransformationRecord } from '../../src/client/client.ts';
import {
  addStep,
  changeStep,
  duplicateStep,
  moveStep,
  removeStep,
  type StepChoice,
  type WorkspaceDocument,
} from '../model/document.ts';
import { dryRun } from '../model/dry-run.ts';
import { sources } from '../model/sources.ts';
import { workspace } from '../model/workspace.ts';
import { catalogue } from '../service.ts';
import { countText, OptionsForm, Section } from './controls.tsx';

/** Said to screen readers after a step was moved, because its place in the list changes without a sound. */
const announcement = signal('');

export function StepsPanel(): JSX.Element {
  const { steps } = workspace.current.value;
  const loaded = catalogue.value;
  const known = loaded.state === 'ready' ? loaded.value.transformations : [];
  const fieldNames = namesOfFields();
  return (
    <Section number={2} title="Steps">
      {steps.length === 0 && <p class="soft">None: the data is converted as it is.</p>}
      <ol class="cards">
        {steps.map((step, index) => (
          <StepCard
            key={step.key}
            step={step}
            index={index}
            count={steps.length}
            record={known.find(({ id }) => id === step.type) ?? null}
            fieldNames={fieldNames}
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
      onChange={({ currentTarget }) => {
        const type = currentTarget.value;
        currentTarget.value = '';
        if (type !== '') workspace.edit((document) => addStep(document, type, {}));
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

function StepCard(props: {
  readonly step: StepChoice;
  readonly index: number;
  readonly count: number;
  readonly record: TransformationRecord | null;
  readonly fieldNames: readonly string[];
}): JSX.Element {
  const { step, index, count, record } = props;
  const [isDragged, setDragged] = useState(false);
  const title = record?.title ?? step.type;
  const move = (to: number) => {
    if (to < 0 || to >= count) return;
    workspace.edit((document) => moveStep(document, step.key, to));
    announcement.value = `${title} is now step ${to + 1} of ${count}`;
  };
  const parameters = record?.parameters ?? {};
  const hasParameters = Object.keys((parameters as { properties?: object }).properties ?? {}).length > 0;
  return (
    <li
      class={`card${step.enabled ? '' : ' off'}${isDragged ? ' dragged' : ''}`}
      draggable
      onDragStart={(event) => {
        setDragged(true);
        event.dataTransfer?.setData('application/x-geomill-step', String(step.key));
      }}
      onDragEnd={() => setDragged(false)}
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes('application/x-geomill-step')) event.preventDefault();
      }}
      onDrop={(event) => {
        const key = Number(event.dataTransfer?.getData('application/x-geomill-step') || Number.NaN);
        if (Number.isNaN(key)) return;
        event.preventDefault();
        workspace.edit((document) => moveStep(document, key, index));
      }}
    >
      <details open={hasParameters}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is a control */}
        <summary
          onKeyDown={(event) => {
            if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
            event.preventDefault();
            move(index + (event.key === 'ArrowUp' ? -1 : 1));
          }}
        >
          <strong>{title}</strong> <StepCounts document={workspace.current.value} step={step} />
        </summary>
        <p class="soft">{firstSentence(record?.description ?? 'The service does not have this step.')}</p>
        {hasParameters && (
          <OptionsForm
            schema={parameters}
            values={step.params}
            fieldNames={props.fieldNames}
            onChange={(params, control) =>
              workspace.edit(
                (document) => changeStep(document, step.key, { params }),
                `step ${step.key} ${control}`,
              )
            }
          />
        )}
      </details>
      <div class="actions" role="group" aria-label={`${title}, step ${index + 1}`}>
        <button type="button" disabled={index === 0} aria-label="Move up" onClick={() => move(index - 1)}>
          ↑
        </button>
        <button
          type="button"
          disabled={index === count - 1}
          aria-label="Move down"
          onClick={() => move(index + 1)}
        >
          ↓
        </button>
        <button
          type="button"
          aria-pressed={!step.enabled}
          onClick={() =>
            workspace.edit((document) => changeStep(document, step.key, { enabled: !step.enabled }))
          }
        >
          {step.enabled ? 'Switch off' : 'Switch on'}
        </button>
        <button type="button" onClick={() => workspace.edit((document) => duplicateStep(document, step.key))}>
          Duplicate
        </button>
        <button type="button" onClick={() => workspace.edit((document) => removeStep(document, step.key))}>
          Delete
        </button>
      </div>
    </li>
  );
}

/** Features before and after the step, if the service has counted them for this document. */
function StepCounts(props: {
  readonly document: WorkspaceDocument;
  readonly step: StepChoice;
}): JSX.Element | null {
  const checked = dryRun.value;
  if (checked?.result.state !== 'ready') return null;
  const at = props.document.steps.filter(({ enabled }) => enabled).indexOf(props.step);
  const counts = checked.result.value.steps[at];
  if (counts === undefined) return null;
  return (
    <span class="soft">
      {countText(counts.features_in)} → {countText(counts.features_out)}
    </span>
  );
}

function firstSentence(text: string): string {
  return /^.*?[.](?=\s|$)/s.exec(text)?.[0].replaceAll('\n', ' ') ?? text;
}

/** Fields of all sources. */
function namesOfFields(): string[] {
  const names = new Set<string>();
  for (const { inspection } of sources.value.values())
    if (inspection.state === 'ready')
      for (const { fields } of inspection.value.layers) for (const { name } of fields) names.add(name);
  return [...names].slice(0, 1000);
}
