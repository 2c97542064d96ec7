/** What should come out: format, CRS and options. */
import type { JSX } from 'preact';
import { chooseOutput, convertedInputs, fixedCrs, type WorkspaceDocument } from '../model/document.ts';
import { checkNow, dryRun, isCheckOffered } from '../model/dry-run.ts';
import { renamedFields } from '../model/short-names.ts';
import { sourceFields } from '../model/source-fields.ts';
import { withSplitOptions } from '../model/split-output.ts';
import { withStepName } from '../model/step-problems.ts';
import { workspace } from '../model/workspace.ts';
import { catalogue, formatOf } from '../service.ts';
import { Busy, countOf, countText, Section, SelectField, sizeText } from './controls.tsx';
import { lazy } from './lazy.tsx';
import { OptionsDetails } from './options-details.tsx';

const CrsPicker = lazy(async () => (await import('./crs-picker.tsx')).CrsPicker);
const Findings = lazy(async () => (await import('./findings.tsx')).Findings);
const ShortNames = lazy(async () => (await import('./short-names.tsx')).ShortNames);

export function OutputPanel(): JSX.Element {
  const { output, operation } = workspace.current.value;
  const loaded = catalogue.value;
  const formats = loaded.state === 'ready' ? loaded.value.formats.filter((format) => format.output) : [];
  const format = formatOf(output.format);
  const fixed = fixedCrs(output, format);
  return (
    <Section number={3} title="Output">
      <SelectField
        label="Format"
        value={output.format}
        choices={formats.map(({ id, name }) => [id, name])}
        onChange={(id) => workspace.edit((document) => chooseOutput(document, { format: id }))}
      />
      {fixed !== null ? (
        <p class="crs">
          CRS of the output:{' '}
          <strong>{fixed === 'EPSG:4326' ? 'WGS 84 longitude and latitude' : fixed}</strong>
        </p>
      ) : (
        <CrsPicker
          label="CRS of the output"
          value={output.crs === 'source' ? null : output.crs}
          stated="as the source"
          isMissing={false}
          resetText="As the source"
          onChoose={(crs) => workspace.edit((document) => chooseOutput(document, { crs: crs ?? 'source' }))}
        />
      )}
      {format !== null && (
        <OptionsDetails
          title="Options for writing"
          schema={operation === 'transform' ? withSplitOptions(format) : format.write_options}
          values={output.options}
          fields={sourceFields()}
          onChange={(options, control) =>
            workspace.edit((document) => chooseOutput(document, { options }), `output ${control}`)
          }
        />
      )}
      <Forecast />
    </Section>
  );
}

/** The sentence for a dry run that failed; an instruction needs no introduction. */
function forecastOf(document: WorkspaceDocument, message: string): string {
  const text = withStepName(document, message);
  return text.startsWith('Enter ') ? text : `It would fail: ${text}`;
}

/** What this output will lose, before the run. */
function Forecast(): JSX.Element | null {
  const checked = dryRun.value;
  if (isCheckOffered())
    return (
      <button type="button" onClick={checkNow}>
        Check what this output would lose
      </button>
    );
  if (checked === null) return null;
  const { path, result } = checked;
  const document = workspace.current.value;
  const renamed = result.state === 'ready' ? renamedFields(result.value.fields.renamed) : [];
  return (
    <section class="forecast" aria-label="What this output will lose">
      <h3>
        What this output will lose
        {convertedInputs(workspace.current.value).length > 1 && (
          <>
            : <span dir="auto">{path}</span>
          </>
        )}
      </h3>
      {result.state === 'loading' && <Busy label="Checking…" />}
      {result.state === 'failed' && <p class="soft">{forecastOf(document, result.message)}</p>}
      {result.state === 'ready' && (
        <>
          <p class="soft">
            {countOf(result.value.features.read, 'feature')} read, {countText(result.value.features.written)}{' '}
            written, {sizeText(result.value.bytes)}
          </p>
          <Findings findings={result.value.warnings} nothing="Nothing will be lost or changed." />
          {renamed.length > 0 && convertedInputs(workspace.current.value).length === 1 && (
            <ShortNames renamed={renamed} />
          )}
        </>
      )}
    </section>
  );
}
