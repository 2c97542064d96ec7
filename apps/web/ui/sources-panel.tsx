/** Files: adding them, and a card for each with what the service found in it. */
import type { Inspection } from '@geomill/client/client.ts';
import type { JSX } from 'preact';
import { extentOf, plainExtentOf } from '../map/extent.ts';
import { boxText } from '../model/crs-places.ts';
import { changeInput, convertedInputs, type InputChoice, setConverted } from '../model/document.ts';
import { rejectionSentences } from '../model/foreign-files.ts';
import { shownUrl } from '../model/input-url.ts';
import { elementIds, typedUrl } from '../model/layout.ts';
import type { Preview } from '../model/preview-facts.ts';
import type { SourceUpload } from '../model/source-upload.ts';
import {
  dismissRejected,
  drawNow,
  lookAgain,
  rejected,
  removeSource,
  type Source,
  sources,
} from '../model/sources.ts';
import { workspace } from '../model/workspace.ts';
import { formatOf } from '../service.ts';
import { AddFiles, FileButton } from './add-files.tsx';
import { Busy, countOf, Problem, Section, SelectField, sizeText } from './controls.tsx';
import { drawnSentence, isWhole } from './drawn-words.ts';
import { lazy } from './lazy.tsx';
import { OptionsDetails } from './options-details.tsx';

const FixButtons = lazy(async () => (await import('./fix-buttons.tsx')).FixButtons);
const SourceCrs = lazy(() => import('./source-crs.tsx').then((module) => module.SourceCrs));
const SourceText = lazy(() => import('./source-text.tsx').then((module) => module.SourceText));

const OPERATIONS = [
  ['transform', 'Convert each file'],
  ['append', 'Append all to the first, with its fields'],
  ['merge', 'Merge the geometries into one layer'],
] as const;

export function SourcesPanel(): JSX.Element {
  const document = workspace.current.value;
  const { inputs, operation } = document;
  const converted = convertedInputs(document);
  return (
    <Section number={1} title="Sources">
      <AddFiles isFirst={inputs.length === 0} />
      {rejected.value.length > 0 && (
        <Problem message={rejectionSentences(rejected.value).join(' ')}>
          <button type="button" onClick={dismissRejected}>
            Dismiss
          </button>
        </Problem>
      )}
      <ul class="cards">
        {inputs.map((input, index) => (
          <SourceCard
            key={input.path}
            index={index}
            input={input}
            source={sources.value.get(input.path)}
            isConverted={converted.includes(input)}
          />
        ))}
      </ul>
      {operation !== 'transform' && new Set(converted.map(({ format }) => format)).size > 1 && (
        <Problem message="Only files of one format can be appended or merged. Convert them to one format first, or remove the others." />
      )}
      {operation !== 'transform' && converted.some(({ url }) => url !== undefined) && (
        <Problem message="Only files of this page can be appended or merged. Download those that the service fetches, and add them." />
      )}
      {converted.length > 1 && (
        <SelectField
          label="Several files"
          value={operation}
          choices={OPERATIONS}
          onChange={(value) =>
            workspace.edit((document) => ({ ...document, operation: value as typeof operation }))
          }
        />
      )}
    </Section>
  );
}

/** The CRS is chosen beside it. */
function SourceFixes({ source: { failure, path } }: { readonly source: Source }): JSX.Element | null {
  return failure === null ? null : <FixButtons failure={failure} paths={[path]} withCrs={false} />;
}

/** The button that was used is gone: the next card, the one before, or what adds files has the focus. */
function focusNear(index: number): void {
  requestAnimationFrame(() => {
    const cards = [index, index - 1].map((at) => document.getElementById(elementIds.source(at)));
    const files = document.getElementById(elementIds.files);
    (cards.find((card) => card !== null) ?? files?.parentElement?.querySelector('button'))?.focus();
  });
}

function SourceCard(props: {
  readonly index: number;
  readonly input: InputChoice;
  readonly source: Source | undefined;
  readonly isConverted: boolean;
}): JSX.Element {
  const { input, source } = props;
  const format = formatOf(input.format);
  return (
    <li id={elementIds.source(props.index)} class="card" tabIndex={-1}>
      <div class="card-head">
        <strong class="name" dir="auto">
          {input.path}
        </strong>
        <span class="soft">
          {format?.name ?? input.format}
          {source?.byteLength != null && `, ${sizeText(source.byteLength)}`}
        </span>
        <button
          type="button"
          aria-label={`Remove ${input.path}`}
          onClick={() => {
            removeSource(input.path);
            focusNear(props.index);
          }}
        >
          ✕
        </button>
      </div>
      {input.url !== undefined && (
        <p class="soft address">
          Fetched by the service from <bdi>{shownUrl(input.url)}</bdi>
        </p>
      )}
      {!props.isConverted && (
        <p class="soft">
          Used by a step, not converted.{' '}
          <button
            type="button"
            class="link"
            onClick={() => workspace.edit((document) => setConverted(document, input.path, true))}
          >
            Convert it too
          </button>
        </p>
      )}
      {source === undefined ? (
        <Problem message="This file is not in the page.">
          <FileButton text="Add this file…" label={`File ${input.path}`} isPrimary={false} />
        </Problem>
      ) : (
        <SourceDetails input={input} source={source} />
      )}
      {format !== null && Object.keys(optionsOf(format.read_options)).length > 0 && (
        <OptionsDetails
          title="Options for reading"
          schema={format.read_options}
          values={input.options}
          fields={[]}
          onChange={(options, control) =>
            workspace.edit(
              (document) => changeInput(document, input.path, { options }),
              `input ${input.path} ${control}`,
            )
          }
        />
      )}
    </li>
  );
}

function optionsOf(schema: Readonly<Record<string, unknown>>): object {
  return (schema.properties as object | undefined) ?? {};
}

function SourceDetails(props: { readonly input: InputChoice; readonly source: Source }): JSX.Element {
  const { input, source } = props;
  const { inspection, preview } = source;
  return (
    <>
      {source.upload !== null && (
        <Upload path={source.path} byteLength={source.byteLength ?? 0} upload={source.upload} />
      )}
      {inspection.state === 'loading' && (source.upload?.state.value.state ?? 'done') === 'done' && (
        <Busy label="Reading…" />
      )}
      {inspection.state === 'failed' && (
        <Problem message={inspection.message}>
          {source.mayRetry && <Again path={source.path} />}
          {input.url !== undefined && <EditUrl input={input} url={input.url} />}
          <SourceFixes source={source} />
        </Problem>
      )}
      {inspection.state === 'ready' && <Layers input={input} inspection={inspection.value} />}
      {source.text !== null && <SourceText input={input} source={source} text={source.text} />}
      <SourceCrs input={input} source={source} />
      {source.isDrawingOffered && (
        <p class="soft">
          Not drawn: the service would have to fetch it again.{' '}
          <button type="button" class="link" onClick={() => drawNow(source.path)}>
            Show it on the map
          </button>
        </p>
      )}
      {preview?.state === 'loading' && <Busy label="Drawing…" />}
      {preview?.state === 'failed' && (
        <Problem message={`Not drawn: ${preview.message}`}>
          <Again path={source.path} />
          <SourceFixes source={source} />
        </Problem>
      )}
      {preview?.state === 'ready' && <Extent preview={preview.value} />}
      {preview?.state === 'ready' && !isWhole(preview.value) && (
        <p class="soft">{drawnSentence(preview.value)}</p>
      )}
      {inspection.state === 'ready' && inspection.value.warnings.length > 0 && (
        <details>
          <summary>
            {inspection.value.warnings.length === 1
              ? '1 note on this file'
              : `${inspection.value.warnings.length} notes on this file`}
          </summary>
          <ul class="notes">
            {inspection.value.warnings.map(({ code, message }) => (
              <li key={code + message}>{message}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** Where the data is, in words: for those who do not see the map. */
function Extent({ preview }: { readonly preview: Preview }): JSX.Element | null {
  const plain = preview.isOnPaper === true;
  const box = plain ? plainExtentOf([preview.features]) : extentOf([preview.features]);
  if (box === null) return null;
  const [west, south, east, north] = box.map((value) =>
    value.toLocaleString('en', { maximumFractionDigits: 4 }),
  );
  return (
    <p class="soft">
      {isWhole(preview) ? '' : 'About '}
      {plain ? `x ${west} to ${east}, y ${south} to ${north}` : boxText(box)}
    </p>
  );
}

/** Back to the field, to correct the address. */
function EditUrl({ input, url }: { readonly input: InputChoice; readonly url: string }): JSX.Element {
  return (
    <button
      type="button"
      onClick={() => {
        removeSource(input.path);
        typedUrl.value = url;
        requestAnimationFrame(() => document.getElementById(elementIds.url)?.focus());
      }}
    >
      Edit the URL
    </button>
  );
}

function Again({ path }: { readonly path: string }): JSX.Element {
  return (
    <button type="button" onClick={() => lookAgain(path)}>
      Try again
    </button>
  );
}

/** The progress of sending the file, until it is at the service. */
function Upload(props: {
  readonly path: string;
  readonly byteLength: number;
  readonly upload: SourceUpload;
}): JSX.Element | null {
  const { path, byteLength, upload } = props;
  const now = upload.state.value;
  if (now.state === 'done' || now.state === 'idle') return null;
  const rate =
    now.state === 'sending' && now.bytesPerSecond !== null
      ? `, ${sizeText(Math.round(now.bytesPerSecond))}/s`
      : '';
  return (
    <>
      <progress aria-label={`Upload of ${path}`} max={byteLength} value={now.sentBytes} />
      <div class="actions">
        <span class="soft">
          {now.state === 'paused' ? 'Paused at ' : ''}
          {sizeText(now.sentBytes)} of {sizeText(byteLength)} sent{rate}
        </span>
        {now.state === 'sending' ? (
          <button type="button" onClick={() => upload.pause()}>
            Pause
          </button>
        ) : (
          <button type="button" onClick={() => upload.resume()}>
            {now.state === 'failed' ? 'Try again' : 'Resume'}
          </button>
        )}
      </div>
      {now.state === 'failed' && <Problem message={now.message} />}
    </>
  );
}

function Layers(props: { readonly input: InputChoice; readonly inspection: Inspection }): JSX.Element {
  const { layers } = props.inspection;
  const { path, layers: chosen } = props.input;
  const toggle = (name: string, isChosen: boolean) => {
    const all = layers.map((layer) => layer.name);
    const next = all.filter((one) => (one === name ? isChosen : (chosen ?? all).includes(one)));
    const choice = next.length === all.length ? null : next;
    workspace.edit((document) => changeInput(document, path, { layers: choice }));
  };
  return (
    <ul class="layers">
      {layers.map((layer) => (
        <li key={layer.name}>
          <label>
            <input
              type="checkbox"
              checked={chosen === null || chosen.includes(layer.name)}
              disabled={layers.length === 1}
              onChange={({ currentTarget: { checked } }) => toggle(layer.name, checked)}
            />
            <span dir="auto">{layer.name}</span>
          </label>
          <span class="soft">
            {countOf(layer.features, 'feature')}
            {Object.keys(layer.geometry_types).length > 0 &&
              `, ${Object.keys(layer.geometry_types).join(', ')}`}
            {`, ${countOf(layer.fields.length, 'field')}`}
          </span>
        </li>
      ))}
    </ul>
  );
}
