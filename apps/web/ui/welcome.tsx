/** What the page is for, while it has no files. */
import type { JSX } from 'preact';
import { catalogue, formatName } from '../service.ts';

export function Welcome(): JSX.Element {
  const loaded = catalogue.value;
  const formats = loaded.state === 'ready' ? loaded.value.formats : [];
  return (
    <div class="welcome">
      <h2>Convert vector geodata, and see what changed</h2>
      <p>
        Add files, see them on the map, choose format, coordinate system and steps. What an output would lose
        is listed before you run it.
      </p>
      <ul class="formats" aria-label="Formats">
        {formats.map(({ id, title, input, output }) => (
          <li key={id}>
            {formatName(title)}
            {!(input && output) && <span class="soft"> {input ? 'read only' : 'write only'}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
