/** A step: its sentence, its parameters, and what can be done with it. */
import type { TransformationRecord } from '@geomill/client/client.ts';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FieldChoice } from '../model/condition.ts';
import { changeStep, duplicateStep, moveStep, removeStep, type StepChoice } from '../model/document.ts';
import { stepToFocus } from '../model/layout.ts';
import { endLive } from '../model/live-preview.ts';
import { liveStepOf } from '../model/live-steps.ts';
import { sourceLayers } from '../model/source-fields.ts';
import type { FileParameter } from '../model/step-areas.ts';
import { countsOf } from '../model/step-counts.ts';
import { canPreview, togglePreview } from '../model/step-preview.ts';
import type { StepProblem } from '../model/step-problems.ts';
import { stepSentence } from '../model/step-sentence.ts';
import { stepView } from '../model/views.ts';
import { workspace } from '../model/workspace.ts';
import { AreaControl } from './area-control.tsx';
import { countText } from './controls.tsx';
import { viewText } from './drawn-words.ts';
import { LayersControl } from './layers-control.tsx';
import { LiveSlider } from './live-slider.tsx';
import { OptionsForm } from './options-form.tsx';

export function StepCard(props: {
  readonly step: StepChoice;
  readonly index: number;
  readonly count: number;
  readonly record: TransformationRecord | null;
  readonly fields: readonly FieldChoice[];
  readonly problem: StepProblem | null;
  /** Says something to screen readers. */
  readonly announce: (text: string) => void;
}): JSX.Element {
  const { step, index, count, record } = props;
  const [isDragged, setDragged] = useState(false);
  const title = record?.title ?? step.type;
  const move = (to: number) => {
    if (to < 0 || to >= count) return;
    workspace.edit((document) => moveStep(document, step.key, to));
    props.announce(`${title} is now step ${to + 1} of ${count}`);
  };
  const parameters = record?.parameters ?? {};
  const file = record?.file_parameter ?? null;
  const { problem } = props;
  const isOfArea =
    file !== null &&
    problem?.parameter != null &&
    (problem.parameter === file.name || problem.parameter.split('_')[0] === file.part);
  const areaProblem = isOfArea ? (problem?.text ?? null) : null;
  const sentence = stepSentence(step, parameters, file?.name ?? null);
  const layers = sourceLayers();
  const hasParameters =
    file !== null ||
    layers.length > 1 ||
    Object.keys((withoutOwnControls(parameters, null) as { properties: object }).properties).length > 0;
  const card = useRef<HTMLLIElement>(null);
  const isWanted = stepToFocus.value === step.key;
  useEffect(() => {
    if (!isWanted) return;
    stepToFocus.value = null;
    card.current?.scrollIntoView({ block: 'nearest' });
    const field = card.current?.querySelector<HTMLElement>('input, select, textarea');
    (field ?? card.current?.querySelector('summary'))?.focus();
  }, [isWanted]);
  return (
    <li
      ref={card}
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
          <strong>{title}</strong>{' '}
          {sentence !== '' && (
            <span class="sentence" dir="auto">
              {sentence}
            </span>
          )}{' '}
          <Counts step={step} />
        </summary>
        <p class="soft">{record?.summary ?? 'geomill does not have this step.'}</p>
        {file !== null && (
          <AreaControl
            step={step}
            parameter={file}
            label={areaLabel(parameters, file.name ?? file.part)}
            problem={areaProblem}
          />
        )}
        {problem !== null && problem.parameter === null && <p class="invalid">{problem.text}</p>}
        {hasParameters && (
          <OptionsForm
            problem={isOfArea ? null : problem}
            schema={withoutOwnControls(parameters, file)}
            values={step.params}
            fields={props.fields}
            main={record?.main_parameters ?? []}
            below={liveStepOf(step) !== null && <LiveSlider step={step} title={title} />}
            onChange={(params, control) =>
              workspace.edit(
                (document) => changeStep(document, step.key, { params }),
                `step ${step.key} ${control}`,
              )
            }
          />
        )}
        {(layers.length > 1 || step.params.layer !== undefined) && (
          <LayersControl
            value={step.params.layer}
            names={layers}
            onChange={(layer) => {
              const { layer: _old, ...others } = step.params;
              const params = layer === undefined ? others : { ...others, layer };
              workspace.edit((document) => changeStep(document, step.key, { params }));
            }}
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
        <button
          type="button"
          aria-pressed={stepView.value?.key === step.key}
          disabled={!canPreview(step)}
          title="The features in and around the view of the map after this step"
          onClick={() => {
            endLive();
            togglePreview(step, title);
          }}
        >
          Preview
        </button>
        <button type="button" onClick={() => workspace.edit((document) => duplicateStep(document, step.key))}>
          Duplicate
        </button>
        <button type="button" onClick={() => workspace.edit((document) => removeStep(document, step.key))}>
          Delete
        </button>
      </div>
      <PreviewNote step={step} />
    </li>
  );
}

/** State of the preview of the step, for people and screen readers: running, what it shows, or why it failed. */
function PreviewNote({ step }: { readonly step: StepChoice }): JSX.Element {
  const own = stepView.value?.key === step.key ? stepView.value.state : null;
  const text =
    own === null
      ? ''
      : own.next === 'loading'
        ? 'Preview: the steps run…'
        : own.message !== null
          ? `No preview: ${own.message}`
          : own.shown === null
            ? ''
            : `Preview on the map: ${viewText(own.shown)}.`;
  return (
    <p class="soft" role="status" hidden={text === ''}>
      {text}
    </p>
  );
}

/** "10 → 2", and the difference. */
function Counts({ step }: { readonly step: StepChoice }): JSX.Element | null {
  const counts = countsOf(workspace.current.value, step);
  if (counts === null) return null;
  const { before, after } = counts;
  const difference = after - before;
  return (
    <span class="counts">
      <span class="soft">
        {countText(before)} → {countText(after)}
      </span>
      {difference !== 0 && (
        <span class={difference < 0 ? 'difference fewer' : 'difference'}>
          {difference < 0 ? `−${countText(-difference)}` : `+${countText(difference)}`}
        </span>
      )}
    </span>
  );
}

/** "Area to keep", from the beginning of the description. */
function areaLabel(parameters: object, name: string): string {
  const { properties = {} } = parameters as {
    readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  };
  return properties[name]?.description?.split(/[:,]/, 1)[0] ?? 'Area';
}

/** The schema without the parameters that the controls of the area and of the layers have. */
function withoutOwnControls(parameters: object, file: FileParameter | null): object {
  const { properties = {} } = parameters as { readonly properties?: object };
  const isOfFile = (name: string): boolean =>
    file !== null && (name === file.name || name === file.part || name.startsWith(`${file.part}_`));
  const others = Object.entries(properties).filter(([name]) => name !== 'layer' && !isOfFile(name));
  return { ...parameters, properties: Object.fromEntries(others) };
}
