/** The layers that a step works on: all, or those that are chosen. */
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';

export function LayersControl(props: {
  /** As the parameter has it: a name, a list of names, or undefined for all. */
  readonly value: unknown;
  /** Of the sources. */
  readonly names: readonly string[];
  readonly onChange: (value: readonly string[] | string | undefined) => void;
}): JSX.Element {
  const id = useId();
  const { value, names } = props;
  const chosen =
    value === undefined ? null : ([value as string | readonly string[]].flat() as readonly string[]);
  // Names that the sources do not have come from a job document.
  const all = [...names, ...(chosen ?? []).filter((name) => !names.includes(name))];
  const change = (next: readonly string[]) => props.onChange(next.length === 1 ? next[0] : next);
  return (
    <div class="field">
      <label for={id}>Apply to</label>
      <select
        id={id}
        value={chosen === null ? 'all' : 'chosen'}
        onChange={({ currentTarget }) =>
          currentTarget.value === 'all' ? props.onChange(undefined) : change([all[0]])
        }
      >
        <option value="all">All layers</option>
        <option value="chosen">Chosen layers</option>
      </select>
      {chosen !== null && (
        <ul class="field-list" aria-label="Layers of the step">
          {all.map((name) => (
            <li key={name}>
              <label>
                <input
                  type="checkbox"
                  checked={chosen.includes(name)}
                  // A step works on one layer at least.
                  disabled={chosen.length === 1 && chosen[0] === name}
                  onChange={({ currentTarget: { checked } }) =>
                    change(all.filter((one) => (one === name ? checked : chosen.includes(one))))
                  }
                />
                <span dir="auto">{name}</span>
              </label>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
