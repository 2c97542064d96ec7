/** Choosing fields of the data: a list with check boxes, and a value for each of some fields. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { FieldChoice } from '../model/condition.ts';
import { type FormValue, labelOf } from '../model/schema-form.ts';

/** More fields than this have a search. */
const MAX_WITHOUT_SEARCH = 20;

/** The names in the order in which they were chosen. Names that no source has, such as those of an earlier step, can be added. */
export function FieldsControl(props: {
  readonly label: string;
  readonly value: unknown;
  readonly fields: readonly FieldChoice[];
  readonly onChange: (value: readonly string[] | undefined) => void;
}): JSX.Element {
  const id = useId();
  const [query, setQuery] = useState('');
  const [other, setOther] = useState('');
  const chosen = Array.isArray(props.value) ? props.value.map(String) : [];
  const set = (names: readonly string[]) => props.onChange(names.length === 0 ? undefined : names);
  const known = new Set(props.fields.map(({ name }) => name));
  const names = [...chosen.filter((name) => !known.has(name)), ...known];
  const wanted = query.trim().toLowerCase();
  const shown = names.filter((name) => name.toLowerCase().includes(wanted));
  const addOther = () => {
    if (other !== '' && !chosen.includes(other)) set([...chosen, other]);
    setOther('');
  };
  return (
    <>
      {names.length > MAX_WITHOUT_SEARCH && (
        <input
          type="search"
          aria-label={`Search the fields of ${props.label}`}
          placeholder={`Search ${names.length} fields`}
          value={query}
          onInput={({ currentTarget }) => setQuery(currentTarget.value)}
        />
      )}
      {names.length > 0 && (
        <ul class="field-list" aria-label={props.label}>
          {shown.map((name) => (
            <li key={name}>
              <label>
                <input
                  type="checkbox"
                  checked={chosen.includes(name)}
                  onChange={({ currentTarget: { checked } }) =>
                    set(checked ? [...chosen, name] : chosen.filter((one) => one !== name))
                  }
                />
                <span dir="auto">{name}</span>
                {!known.has(name) && <span class="soft">in no source</span>}
              </label>
            </li>
          ))}
          {shown.length === 0 && <li class="soft">No field has this in its name.</li>}
        </ul>
      )}
      {chosen.length === 0 && Array.isArray(props.value) && (
        <p class="chosen soft">
          The list is empty.{' '}
          <button type="button" class="link" onClick={() => set([])}>
            Remove it
          </button>
        </p>
      )}
      {chosen.length > 0 && (
        <p class="chosen soft">
          {chosen.length} of {names.length} chosen, in this order: <span dir="auto">{chosen.join(', ')}</span>{' '}
          <button type="button" class="link" onClick={() => set([])}>
            Choose none
          </button>
        </p>
      )}
      <div class="with-button">
        <input
          id={id}
          type="text"
          dir="auto"
          aria-label={`Another field for ${props.label}`}
          placeholder="Another field, as of an earlier step"
          value={other}
          onInput={({ currentTarget }) => setOther(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            addOther();
          }}
        />
        <button type="button" disabled={other === ''} onClick={addOther}>
          Add
        </button>
      </div>
    </>
  );
}

export function MapControl(props: {
  readonly label: string;
  readonly value: unknown;
  /** Null: any text. */
  readonly values: readonly FormValue[] | null;
  readonly fields: readonly FieldChoice[];
  readonly onChange: (value: Readonly<Record<string, unknown>> | undefined) => void;
}): JSX.Element {
  const list = useId();
  const [name, setName] = useState('');
  const pairs = Object.entries((props.value ?? {}) as Readonly<Record<string, unknown>>);
  const set = (next: readonly (readonly [string, unknown])[]) =>
    props.onChange(next.length === 0 ? undefined : Object.fromEntries(next));
  const taken = new Set(pairs.map(([one]) => one));
  const first = props.values?.[0] ?? '';
  const add = () => {
    if (name !== '' && !taken.has(name)) set([...pairs, [name, props.values === null ? name : first]]);
    setName('');
  };
  return (
    <>
      {pairs.map(([one, value], i) => (
        <div key={one} class="pair">
          <span dir="auto">{one}</span>
          {props.values === null ? (
            <input
              type="text"
              dir="auto"
              aria-label={`${props.label}: ${one}`}
              value={String(value)}
              onInput={({ currentTarget }) => set(pairs.with(i, [one, currentTarget.value]))}
            />
          ) : (
            <select
              aria-label={`${props.label}: ${one}`}
              value={String(value)}
              onChange={({ currentTarget }) => set(pairs.with(i, [one, currentTarget.value]))}
            >
              {props.values.map((choice) => (
                <option key={String(choice)} value={String(choice)}>
                  {labelOf(String(choice))}
                </option>
              ))}
            </select>
          )}
          <button
            type="button"
            aria-label={`Remove ${one} from ${props.label}`}
            onClick={() => set(pairs.toSpliced(i, 1))}
          >
            ✕
          </button>
        </div>
      ))}
      <datalist id={list}>
        {props.fields
          .filter((field) => !taken.has(field.name))
          .map((field) => (
            <option key={field.name} value={field.name} />
          ))}
      </datalist>
      <div class="with-button">
        <input
          type="text"
          dir="auto"
          list={list}
          aria-label={`Field for ${props.label}`}
          placeholder="Field"
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            add();
          }}
        />
        <button type="button" disabled={name === '' || taken.has(name)} onClick={add}>
          Add
        </button>
      </div>
    </>
  );
}
