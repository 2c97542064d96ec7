/** A field for the URL of a file or a layer, which the service fetches. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { formatOfUrl, isWebAddress, NO_FORMAT } from '../model/input-url.ts';
import { elementIds, typedUrl } from '../model/layout.ts';
import { addUrl } from '../model/sources.ts';
import { catalogue } from '../service.ts';
import { SelectField } from './controls.tsx';

export function UrlField(): JSX.Element | null {
  const [reason, setReason] = useState<string | null>(null);
  /** Null: as the URL shows. '': to be chosen. */
  const [format, setFormat] = useState<string | null>(null);
  const reasonId = useId();
  const hintId = useId();
  const loaded = catalogue.value;
  if (loaded.state !== 'ready') return null;
  const formats = loaded.value.formats.filter(({ input }) => input);
  const change = (url: string) => {
    typedUrl.value = url;
    setReason(null);
    setFormat(null);
  };
  const add = () => {
    const url = typedUrl.peek().trim();
    if (!isWebAddress(url)) return setReason('This is not a URL that begins with https:// or http://.');
    const known = format || formatOfUrl(url, formats);
    if (known === null) {
      setFormat('');
      return setReason(`${NO_FORMAT} Choose the format.`);
    }
    addUrl(url, known);
    change('');
  };
  return (
    <form
      class="url-field"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <label for={elementIds.url}>URL of a file or an ArcGIS layer</label>
      <div class="url-row">
        <input
          id={elementIds.url}
          type="url"
          inputMode="url"
          autocomplete="off"
          spellcheck={false}
          placeholder="https://"
          aria-invalid={reason !== null}
          aria-describedby={reason === null ? hintId : `${reasonId} ${hintId}`}
          value={typedUrl.value}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
        <button type="submit" disabled={typedUrl.value.trim() === ''}>
          Fetch
        </button>
      </div>
      {reason !== null && (
        <p id={reasonId} class="invalid" role="alert">
          {reason}
        </p>
      )}
      {format !== null && (
        <SelectField
          label="Format of the file"
          value={format}
          choices={[['', 'Choose…'], ...formats.map(({ id, name }) => [id, name] as const)]}
          onChange={(chosen) => {
            setFormat(chosen);
            setReason(null);
          }}
        />
      )}
      <small id={hintId}>
        Fetched by the service, from hosts that its operator allows. All features of a layer such as
        …/FeatureServer/0 are read.
      </small>
    </form>
  );
}
