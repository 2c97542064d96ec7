/** Small parts that all panels share. */
import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Options } from '../model/document.ts';
import { type FormField, formFields, labelOf } from '../model/schema-form.ts';

export function Section(props: {
  readonly number: number;
  readonly title: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const id = useId();
  return (
    <section class="panel-section" aria-labelledby={id}>
      <h2 id={id}>
        <span class="number" aria-hidden="true">
          {props.number}
        </span>{' '}
        {props.title}
      </h2>
      {props.children}
    </section>
  );
}

/** A sentence about something that failed, with what can be done. */
export function Problem(props: {
  readonly message: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="problem" role="alert">
      <p>{props.message}</p>
      {props.children}
    </div>
  );
}

export function Busy(props: { readonly label: string }): JSX.Element {
  return (
    <p class="busy" role="status">
      <span class="spinner" aria-hidden="true" /> {props.label}
    </p>
  );
}

export function SelectField(props: {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
}): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <select
        id={id}
        value={props.value}
        onChange={({ currentTarget }) => props.onChange(currentTarget.value)}
      >
        {props.choices.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A form for the options of a format or the parameters of a step. Absent values stay absent: the service has defaults. */
export function OptionsForm(props: {
  readonly schema: object;
  readonly values: Options;
  /** Names that a text field offers. */
  readonly fieldNames: readonly string[];
  readonly onChange: (values: Options, control: string) => void;
  /** What is wrong with the value of one of them. */
  readonly problem?: { readonly parameter: string | null; readonly text: string } | null;
}): JSX.Element {
  const list = useId();
  const change = (name: string, value: unknown) => {
    const { [name]: _old, ...others } = props.values;
    props.onChange(value === undefined ? others : { ...others, [name]: value }, name);
  };
  return (
    <div class="form">
      <datalist id={list}>
        {props.fieldNames.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {formFields(props.schema).map((field) => (
        <Field
          key={field.name}
          field={field}
          value={props.values[field.name]}
          list={list}
          onChange={(value) => change(field.name, value)}
          problem={props.problem?.parameter === field.name ? props.problem.text : null}
        />
      ))}
    </div>
  );
}

function Field(props: {
  readonly field: FormField;
  readonly value: unknown;
  readonly list: string;
  readonly onChange: (value: unknown) => void;
  readonly problem: string | null;
}): JSX.Element {
  const { field, value, onChange } = props;
  const id = useId();
  const help = useId();
  const { control } = field;
  // Of a list while it is typed: a result that arrives meanwhile draws the form again.
  const [typed, setTyped] = useState<string | null>(null);
  const common = {
    id,
    'aria-describedby': help,
    'aria-invalid': props.problem !== null,
    required: field.isRequired,
  };
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
        return (
          <select
            {...common}
            value={String(value ?? field.fallback ?? '')}
            onChange={({ currentTarget }) =>
              onChange(control.values.find((one) => String(one) === currentTarget.value))
            }
          >
            {value === undefined && field.fallback === undefined && <option value="">Choose…</option>}
            {control.values.map((one) => (
              <option key={String(one)} value={String(one)}>
                {labelOf(String(one))}
              </option>
            ))}
          </select>
        );
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
            list={props.list}
            maxLength={control.maxLength}
            value={value === undefined ? '' : String(value)}
            placeholder={field.fallback === undefined ? '' : String(field.fallback)}
            onInput={({ currentTarget }) =>
              onChange(currentTarget.value === '' ? undefined : currentTarget.value)
            }
          />
        );
      case 'list':
        return (
          <input
            {...common}
            type="text"
            list={props.list}
            value={typed ?? (Array.isArray(value) ? value.join(', ') : '')}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            onChange={({ currentTarget }) => {
              setTyped(null);
              const names = currentTarget.value.split(',').map((name) => name.trim());
              const given = names.filter((name) => name !== '');
              onChange(given.length === 0 ? undefined : given);
            }}
          />
        );
      case 'json':
        return <JsonField id={id} help={help} value={value} onChange={onChange} />;
    }
  })();
  return (
    <div class={control.kind === 'flag' ? 'field flag' : 'field'}>
      <label for={id}>
        {field.label}
        {field.isRequired && <span class="required"> (required)</span>}
      </label>
      {input}
      {/* Before the help, so that it is read first. */}
      <small id={help}>
        {props.problem !== null && <span class="invalid">{props.problem} </span>}
        {field.description}
      </small>
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

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** Decimal units, three digits: "1.23 MB". */
export function sizeText(byteLength: number): string {
  let [value, unit] = [byteLength, 0];
  for (; value >= 999.5 && unit < UNITS.length - 1; unit++) value /= 1000;
  return `${unit === 0 ? value : value.toPrecision(3)} ${UNITS[unit]}`;
}

/** Whole numbers with separators: "4,980,311". */
export function countText(count: number): string {
  return count.toLocaleString('en');
}
