/** `geomill info FILE`: describes the layers, fields and CRS of a file. */
import { availableParallelism } from 'node:os';
import { type Domain, defaultText, type FieldFacts } from '@geomill/core/columns/field-facts.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { type ShownFinding, shownFindings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { counted } from '@geomill/core/messages/message.ts';
import type { InputFormat } from '@geomill/formats/format.ts';
import { TemporaryDirectory } from '@geomill/io/temporary-directory.ts';
import { inspectFile } from '@geomill/library/run.ts';
import { inspectionDocument } from '@geomill/pipeline/inspect-document.ts';
import type { Inspection } from '@geomill/pipeline/inspection.ts';
import type { InspectionRequest } from '@geomill/pipeline/request.ts';
import { catalogue } from '@geomill/service/catalogue.ts';
import { inputLimits } from '@geomill/service/settings/input-limits.ts';
import {
  chooseInputFormat,
  type Flags,
  formatFlags,
  formatOptions,
  type Parsed,
  parseCommand,
} from './arguments.ts';
import type { CommandContext } from './conversion.ts';
import { crsOf } from './conversion-request.ts';
import { interruptible } from './interrupt.ts';
import { StagedInputs } from './staged-inputs.ts';
import { standardOutput } from './standard-output.ts';
import { findingLines } from './summary.ts';
import { FLAG_FORM } from './wording.ts';

export const usage = (): string => `geomill info FILE [options]

  FILE                  file or URL; the extension states the format; '-' is standard input
  --from FORMAT         format of FILE, if the extension does not state it
  --from-crs CRS        CRS of FILE, if the file does not define one
  --layer NAME          only this layer; can be repeated
  --in-NAME VALUE       an option of the format (docs/formats)
  --json                print the description as JSON

Examples:
  geomill info roads.gpkg
  geomill info roads.zip --json
  geomill info survey.csv --in-delimiter ';'`;

export const flags = (): Flags => ({
  from: { type: 'string' },
  'from-crs': { type: 'string' },
  layer: { type: 'string', multiple: true },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  ...formatFlags('in'),
});

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const { values, positionals } = parsed;
  if (positionals.length !== 1)
    throw failure(generalErrors.USAGE, {
      detail: `info takes one FILE, got ${counted(positionals.length, 'name')}; --layer NAME shows one layer of it`,
    });
  const inspection = await inspectedFile(positionals[0], parsed, context);
  if (values.json === true) {
    const document = inspectionDocument(inspection, null, catalogue, FLAG_FORM);
    standardOutput().write(`${JSON.stringify(document, null, 2)}\n`);
    return 0;
  }
  const warnings = shownFindings(inspection.warnings, catalogue, FLAG_FORM);
  standardOutput().write(describe({ ...inspection, warnings }));
  return 0;
}

/** Inspects a file with the flags `--from`, `--from-crs`, `--layer` and `--in-NAME`. Throws GeomillError. */
export async function inspectedFile(
  path: string,
  parsed: Parsed,
  context: CommandContext,
): Promise<Inspection> {
  const format = chooseInputFormat(parsed.values.from, path);
  const request = await inspectionOf(format, parsed);
  const temporary = new TemporaryDirectory();
  try {
    return await interruptible(async (signal) => {
      const staged = new StagedInputs(temporary.path, context);
      const source = await staged.file(path, [format], signal);
      const call = {
        temporary,
        paths: {
          scratchDirectory: temporary.directory('scratch'),
          gridDirectory: context.gridDirectory,
          threads: availableParallelism(),
          limits: inputLimits(context),
        },
        control: { signal, onProgress: () => {} },
      };
      const { found } = await inspectFile(call, request, source);
      return { ...found, warnings: [...staged.findings, ...found.warnings] };
    });
  } catch (error) {
    throw temporary.explained(error);
  } finally {
    temporary.remove();
  }
}

async function inspectionOf(format: InputFormat, parsed: Parsed): Promise<InspectionRequest> {
  const { layer, 'from-crs': crs } = parsed.values;
  return {
    operation: 'inspect',
    input: {
      format: format.id,
      files: [{ crs: crsOf(crs, 'from-crs'), crsPath: 'input.epsg' }],
      layers: layer === undefined ? null : (layer as string[]),
      options: await formatOptions(parsed, 'in', format),
    },
    transformations: [],
    output: null,
  };
}

function describe({
  format,
  layers,
  warnings,
}: Inspection & { readonly warnings: readonly ShownFinding[] }): string {
  const lines = [`${format}, ${layers.length === 1 ? 'one layer' : `${layers.length} layers`}`];
  for (const layer of layers) {
    const types = Object.entries(layer.geometryTypes).map(([type, count]) =>
      type === 'None' ? `${count} without` : `${count} ${type}`,
    );
    // Z and M of the whole layer: after the last type they would seem to belong to that type.
    const ordinates = layer.hasZ
      ? layer.hasM
        ? ', with Z and M'
        : ', with Z'
      : layer.hasM
        ? ', with M'
        : '';
    const authority = layer.crs?.authority ?? null;
    const code = authority === null ? '' : ` (${authority.name}:${authority.code})`;
    lines.push('', `layer '${layer.name}': ${counted(layer.features, 'feature')}`);
    const hasGeometry = Object.keys(layer.geometryTypes).some((type) => type !== 'None');
    if (layer.features > 0 && !hasGeometry && layer.extent === null) lines.push('  geometry  no geometry');
    else lines.push(`  geometry  ${types.join(', ') || 'none'}${ordinates}`);
    lines.push(
      `  crs       ${layer.crs === null ? unknownCrs(layer) : `${layer.crs.name}${code}, ${layer.crs.unitName}`}`,
    );
    lines.push(`  extent    ${layer.extent === null ? 'none' : layer.extent.join(', ')}`);
    if (layer.metresPerUnit !== null) lines.push(`  unit      ${layer.metresPerUnit} m, as the file says`);
    if (layer.encoding !== null) lines.push(`  encoding  ${layer.encoding}`);
    for (const field of layer.fields) {
      lines.push(
        `  field     ${field.name}: ${field.type}, ${field.nonNull} of ${layer.features} with a value`,
      );
      if (field.facts !== undefined)
        lines.push(...factLines(field.facts).map((line) => `              ${line}`));
    }
  }
  if (warnings.length > 0) lines.push('', ...findingLines(warnings));
  return `${lines.join('\n')}\n`;
}

function unknownCrs({ crsSuggestions }: Inspection['layers'][number]): string {
  if (crsSuggestions.length === 0) return 'not stated, and no widely used system fits';
  const fitting = crsSuggestions.map(({ crs, name }) => `${crs} (${name})`).join(', ');
  return `not stated; the coordinates fit ${fitting}`;
}

const MAX_VALUES = 8;

function factLines({
  alias,
  title,
  description,
  width,
  notNull,
  unique,
  domain,
  ...facts
}: FieldFacts): string[] {
  const names = [alias, title, description].filter((text) => text !== undefined);
  const rules = [
    ...(width === undefined ? [] : [`at most ${width} characters`]),
    ...(notNull ? ['NOT NULL'] : []),
    ...(unique ? ['UNIQUE'] : []),
    ...(facts.default === undefined ? [] : [`default ${defaultText(facts.default)}`]),
  ];
  return [
    ...(names.length === 0 ? [] : [names.join('; ')]),
    ...(rules.length === 0 ? [] : [rules.join(', ')]),
    ...(domain === undefined ? [] : [`domain '${domain.name}': ${domainText(domain)}`]),
  ];
}

function domainText(domain: Domain): string {
  if (domain.kind === 'glob') return domain.pattern;
  if (domain.kind === 'range') return `${domain.min ?? '...'} to ${domain.max ?? '...'}`;
  const shown = domain.values
    .slice(0, MAX_VALUES)
    .map(({ code, text }) => (text === null ? code : `${code} = ${text}`));
  const more = domain.values.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
