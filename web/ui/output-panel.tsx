/** What should come out: format, CRS and options. */
import type { JSX } from 'preact';
import { chooseOutput, hasFixedCrs } from '../model/document.ts';
import { workspace } from '../model/workspace.ts';
import { catalogue, formatOf } from '../service.ts';
import { OptionsForm, Section, SelectField } from './controls.tsx';
import { CrsPicker } from './crs-picker.tsx';

export function OutputPanel(): JSX.Element {
  const { output } = workspace.current.value;
  const loaded = catalogue.value;
  const formats = loaded.state === 'ready' ? loaded.value.formats.filter((format) => format.output) : [];
  const format = formatOf(output.format);
  return (
    <Section number={3} title="Output">
      <SelectField
        label="Format"
        value={output.format}
        choices={formats.map(({ id, title }) => [id, title])}
        onChange={(id) => workspace.edit((document) => chooseOutput(document, { format: id }))}
      />
      {hasFixedCrs(output) ? (
        <p class="crs">
          CRS of the output: <strong>WGS 84 longitude and latitude</strong>
        </p>
      ) : (
        <CrsPicker
          label="CRS of the output"
          value={output.crs === 'source' ? null : output.crs}
          stated="as the source"
          isMissing={false}
          suggestions={[]}
          onChoose={(crs) => workspace.edit((document) => chooseOutput(document, { crs: crs ?? 'source' }))}
        />
      )}
      {format !== null && (
        <details>
          <summary>Options for writing</summary>
          <OptionsForm
            schema={format.write_options}
            values={output.options}
            fieldNames={[]}
            onChange={(options, control) =>
              workspace.edit((document) => chooseOutput(document, { options }), `output ${control}`)
            }
          />
        </details>
      )}
    </Section>
  );
}
