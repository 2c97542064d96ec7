/** A form for the options of a format or the parameters of a step. Absent values stay absent: the service has defaults. */
import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { FieldChoice } from '../model/condition.ts';
import type { Options } from '../model/document.ts';
import { type FormField, formFields, labelOf, unitText } from '../model/schema-form.ts';
import { ConditionControl } from './condition-control.tsx';
import { FieldsControl, MapControl } from './field-controls.tsx';

interface Shared {
  readonly field: FormField;
  readonly value: unknown;
  /** Fields that the controls offer. */
  readonly fields: readonly FieldChoice[];
  readonly onChange: (value: unknown) => void;
}

export function OptionsForm(props: {
  readonly schema: object;
  readonly values: Options;
  readonly fields: readonly FieldChoice[];
  readonly onChange: (values: Options, control: string) => void;
  /** Names of those that are shown at once; the others open. Default: all. */
  readonly main?: readonly string[];
  /** Shown below those. */
  readonly below?: ComponentChildren;
  /** What is wrong with the value of one of them. */
  readonly problem?: { readonly parameter: string | null; readonly text: string } | null;
}): JSX.Element {
  const list = useId();
  const all = formFields(props.schema);
  const units = new Set(all.map(({ unitField }) => unitField));
  const change = (name: string, value: unknown) => {
    const { [name]: _old, ...others } = props.values;
    props.onChange(value === undefined ? others : { ...others, [name]: value }, name);
  };
  const firstWithUnit = new Set(
    [...units].map((unit) => all.find(({ unitField }) => unitField === unit && unit !== null)?.name),
  );
  const rowOf = (field: FormField): JSX.Element => {
    const unit = all.find(({ name }) => name === field.unitField);
    return (
      <Row
        key={field.name}
        field={field}
        value={props.values[field.name]}
        fields={props.fields}
        list={list}
        isBrief={props.main?.includes(field.name) === true}
        onChange={(value) => change(field.name, value)}
        problem={problemOf(props.problem, field, unit, firstWithUnit.has(field.name))}
        unit={
          unit === undefined ? null : firstWithUnit.has(field.name) ? (
            <Choice
              field={unit}
              value={props.values[unit.name]}
              common={{ 'aria-label': unit.label, required: unit.isRequired }}
              onChange={(value) => change(unit.name, value)}
            />
          ) : (
            <span>{unitText(props.values[unit.name])}</span>
          )
        }
      />
    );
  };
  const rows = all.filter(({ name }) => !units.has(name));
  const { main, problem } = props;
  const first = main === undefined ? rows : rows.filter(({ name }) => main.includes(name));
  const others = rows.filter((field) => !first.includes(field));
  const set = others.filter(({ name }) => props.values[name] !== undefined).length;
  return (
    <div class="form">
      <datalist id={list}>
        {props.fields.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {first.map(rowOf)}
      {props.below}
      {others.length > 0 && (
        <details class="more-options" open={others.some(({ name }) => name === problem?.parameter)}>
          <summary>More options{set > 0 && ` (${set} set)`}</summary>
          {others.map(rowOf)}
        </details>
      )}
    </div>
  );
}

/** A problem with the unit is shown at the number beside which it is chosen. */
function problemOf(
  problem: { readonly parameter: string | null; readonly text: string } | null | undefined,
  { name }: FormField,
  unit: FormField | undefined,
  hasUnit: boolean,
): string | null {
  if (problem == null) return null;
  return problem.parameter === name || (hasUnit && problem.parameter === unit?.name) ? problem.text : null;
}

function Row(
  props: Shared & {
    readonly list: string;
    /** The help is for screen readers, and shown while the field is pointed at. */
    readonly isBrief: boolean;
    readonly problem: string | null;
    readonly unit: JSX.Element | null;
  },
): JSX.Element {
  const { field, value, onChange, problem } = props;
  const id = useId();
  const help = useId();
  const { control } = field;
  const common = {
    id,
    'aria-describedby': help,
    'aria-invalid': problem !== null,
    required: field.isRequired,
  };
  const label = (
    <>
      {field.label}
      {field.isRequired && <span class="required"> (required)</span>}
    </>
  );
  const notes = (
    <small id={help}>
      {/* Before the help, so that it is read first. */}
      {problem !== null && <span class="invalid">{problem} </span>}
      {props.isBrief ? (
        <span class="visually-hidden">{plainText(field.description)}</span>
      ) : (
        <Description text={plainText(field.description)} />
      )}
    </small>
  );
  const title = props.isBrief ? plainText(field.description) : undefined;
  if (
    control.kind === 'fields' ||
    control.kind === 'map' ||
    control.kind === 'numbers' ||
    control.kind === 'condition'
  )
    return (
      <fieldset class="field group" aria-describedby={help} title={title}>
        <legend>{label}</legend>
        {control.kind === 'fields' && (
          <FieldsControl label={field.label} value={value} fields={props.fields} onChange={onChange} />
        )}
        {control.kind === 'map' && (
          <MapControl
            label={field.label}
            value={value}
            values={control.values}
            fields={props.fields}
            onChange={onChange}
          />
        )}
        {control.kind === 'numbers' && (
          <NumbersControl names={control.names} value={value} onChange={onChange} />
        )}
        {control.kind === 'condition' && (
          <ConditionControl label={field.label} value={value} fields={props.fields} onChange={onChange} />
        )}
        {notes}
      </fieldset>
    );
  const input = ((): JSX.Element => {
    switch (control.kind) {
      case 'flag':
        return (
          <input
            {...common}
            required={false}
            type="checkbox"
            checked={(value ?? field.fallback ?? false) as boolean}
            onChange={({ currentTarget: { checked } }) =>
              onChange(checked === (field.fallback ?? false) ? undefined : checked)
            }
          />
        );
      case 'choice':
        return <Choice field={field} value={value} common={common} onChange={onChange} />;
      case 'number':
        return (
          <input
            {...common}
            type="number"
            inputMode="decimal"
            min={control.min}
            max={control.max}
            step={control.step}
            value={value === undefined ? '' : String(value)}
            placeholder={field.fallback === undefined ? '' : String(field.fallback)}
            onInput={({ currentTarget }) =>
              onChange(currentTarget.value === '' ? undefined : currentTarget.valueAsNumber)
            }
          />
        );
      case 'text':
        return (
          <input
            {...common}
            type="text"
            list={control.isField ? props.list : undefined}
            maxLength={control.maxLength}
            value={value === undefined ? '' : String(value)}
            placeholder={field.fallback === undefined ? '' : String(field.fallback)}
            onInput={({ currentTarget }) =>
              onChange(currentTarget.value === '' ? undefined : currentTarget.value)
            }
          />
        );
      default:
        return <JsonField id={id} help={help} value={value} onChange={onChange} />;
    }
  })();
  return (
    <div class={control.kind === 'flag' ? 'field flag' : 'field'} title={title}>
      <label for={id}>{label}</label>
      {props.unit === null ? (
        input
      ) : (
        <div class="with-unit">
          {input}
          {props.unit}
        </div>
      )}
      {notes}
    </div>
  );
}

const MAX_DESCRIPTION = 160;

/** The first sentence; more of a long text opens. */
function Description({ text }: { readonly text: string }): JSX.Element {
  const first = text.length <= MAX_DESCRIPTION ? text : (/^.*?[.;](?=\s)/.exec(text)?.[0] ?? text);
  if (first === text) return <>{text}</>;
  return (
    <>
      {first.replace(/;$/, '.')}
      <details class="more">
        <summary>More</summary>
        {text.slice(first.length).trim()}
      </details>
    </>
  );
}

/** Without the marks of Markdown code. */
export function plainText(description: string): string {
  return description.replaceAll('`', '').replaceAll('\n', ' ');
}

function Choice(props: {
  readonly field: FormField;
  readonly value: unknown;
  readonly common: object;
  readonly onChange: (value: unknown) => void;
}): JSX.Element {
  const { field, value } = props;
  const values = field.control.kind === 'choice' ? field.control.values : [];
  return (
    <select
      {...props.common}
      value={String(value ?? field.fallback ?? '')}
      onChange={({ currentTarget }) =>
        props.onChange(values.find((one) => String(one) === currentTarget.value))
      }
    >
      {value === undefined && field.fallback === undefined && <option value="">Choose…</option>}
      {values.map((one) => (
        <option key={String(one)} value={String(one)}>
          {labelOf(String(one))}
        </option>
      ))}
    </select>
  );
}

/** A list of a fixed length. Incomplete ones stay in the fields until all numbers are there. */
function NumbersControl(props: {
  readonly names: readonly string[];
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}): JSX.Element {
  const id = useId();
  const [draft, setDraft] = useState<readonly string[] | null>(null);
  const given = Array.isArray(props.value) ? props.value.map(String) : [];
  const shown = draft ?? props.names.map((_, i) => given[i] ?? '');
  const change = (i: number, text: string) => {
    const next = shown.with(i, text);
    const isComplete = next.every((one) => one !== '');
    const isEmpty = next.every((one) => one === '');
    setDraft(isComplete || isEmpty ? null : next);
    if (isComplete) props.onChange(next.map(Number));
    else if (props.value !== undefined) props.onChange(undefined);
  };
  return (
    <div class="bounds">
      {props.names.map((name, i) => (
        <div key={name} class="field">
          <label for={id + name}>{name}</label>
          <input
            id={id + name}
            type="number"
            step="any"
            value={shown[i]}
            onInput={({ currentTarget }) => change(i, currentTarget.value)}
          />
        </div>
      ))}
    </div>
  );
}

/** A value of any kind. Text that is not JSON stays in the field, with the reason, until it is. */
function JsonField(props: {
  readonly id: string;
  readonly help: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}): JSX.Element {
  const [draft, setDraft] = useState<{ readonly text: string; readonly reason: string } | null>(null);
  const text = draft?.text ?? (props.value === undefined ? '' : JSON.stringify(props.value));
  return (
    <>
      <textarea
        id={props.id}
        aria-describedby={props.help}
        aria-invalid={draft !== null}
        rows={2}
        spellcheck={false}
        value={text}
        onChange={({ currentTarget: { value } }) => {
          try {
            props.onChange(value.trim() === '' ? undefined : JSON.parse(value));
            setDraft(null);
          } catch (error) {
            setDraft({ text: value, reason: (error as Error).message });
          }
        }}
      />
      {draft !== null && <span class="invalid">This is not JSON: {draft.reason}</span>}
    </>
  );
}
