/** Small parts that all panels share. */
import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

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

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** Decimal units, three digits: "1.23 MB". */
export function sizeText(byteLength: number): string {
  let [value, unit] = [byteLength, 0];
  for (; value >= 999.5 && unit < UNITS.length - 1; unit++) value /= 1000;
  return `${unit === 0 ? value : value.toPrecision(3)} ${UNITS[unit]}`;
}

/** "1 feature", "4,980,311 features". */
export function countOf(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Whole numbers with separators: "4,980,311". */
export function countText(count: number): string {
  return count.toLocaleString('en');
}
