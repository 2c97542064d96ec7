/** Fields that the output would rename, each with a field for another name. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { byteLength, nameForOutput, type RenamedField } from '../model/short-names.ts';
import { workspace } from '../model/workspace.ts';

export function ShortNames({ renamed }: { readonly renamed: readonly RenamedField[] }): JSX.Element {
  return (
    <details class="short-names">
      <summary>
        {renamed.length === 1 ? '1 field gets another name' : `${renamed.length} fields get other names`}
      </summary>
      <p class="soft">Choose better ones; they become a step that renames the fields.</p>
      {renamed.map((one) => (
        <Name key={one.from} renamed={one} />
      ))}
    </details>
  );
}

function Name({ renamed: { from, to } }: { readonly renamed: RenamedField }): JSX.Element {
  const id = useId();
  const [name, setName] = useState(to);
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault();
        if (name !== '') workspace.edit((document) => nameForOutput(document, from, name));
      }}
    >
      <label for={id} dir="auto">
        {from}
      </label>
      <div class="with-button">
        <input
          id={id}
          type="text"
          dir="auto"
          required
          aria-describedby={`${id}bytes`}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <button type="submit" disabled={name === ''}>
          Use
        </button>
      </div>
      <small id={`${id}bytes`}>
        {byteLength(name)} bytes; the output would name it <span dir="auto">{to}</span>.
      </small>
    </form>
  );
}
