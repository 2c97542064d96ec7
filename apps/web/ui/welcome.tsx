/** What the page is for, while it has no files. */
import type { FormatRecord } from '@geomill/client/client.ts';
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { catalogue } from '../service.ts';

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
        {formats.map((format) => (
          <FormatChip key={format.id} format={format} />
        ))}
      </ul>
    </div>
  );
}

/** The name; what is supported of the format is shown while the chip is pointed at or has the focus. */
function FormatChip({ format }: { readonly format: FormatRecord }): JSX.Element {
  const { name, title, extensions, input, output } = format;
  const id = useId();
  return (
    <li>
      <button type="button" class="format" aria-describedby={id}>
        {name}
      </button>
      <span id={id} class="tip">
        {title}. {input && output ? 'Read and written' : input ? 'Only read' : 'Only written'},{' '}
        {extensions.join(', ')}
      </span>
    </li>
  );
}
