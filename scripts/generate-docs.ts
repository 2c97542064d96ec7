/**
 * Writes the generated pages of docs/: `node scripts/generate-docs.ts`. With `--check` it writes nothing, and its exit
 * status is 1 if a page differs from the code.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { argv, exit, stderr } from 'node:process';
import { fileURLToPath } from 'node:url';
import { cliErrors } from '../apps/cli/src/errors.ts';
import { EXIT, EXIT_MEANINGS } from '../apps/cli/src/exit-status.ts';
import { catalogue } from '../apps/service/src/catalogue.ts';
import type { OpenApiDocument } from '../apps/service/src/http/openapi/types.ts';
import { openApiDocument } from '../apps/service/src/http/openapi.ts';
import { allOperations } from '../apps/service/src/http/operations/all.ts';
import { settings } from '../apps/service/src/settings/config.ts';
import type { Setting } from '../apps/service/src/settings/setting-values.ts';
import { fillTemplate } from '../packages/core/src/messages/message.ts';
import { signatureOf } from '../packages/expressions/src/function.ts';
import { functions } from '../packages/expressions/src/functions.ts';
import {
  type Format,
  isInputFormat,
  isOutputFormat,
  type OptionsSchema,
} from '../packages/formats/src/format.ts';
import { formats } from '../packages/formats/src/registry.ts';
import { exampleStep } from '../packages/operations/src/parts/example-step.ts';
import { LAYER_PARAMETER } from '../packages/operations/src/parts/step-layers.ts';
import { transformations } from '../packages/operations/src/registry.ts';
import type {
  CommandLineForm,
  Longitudes,
  Transformation,
} from '../packages/operations/src/transformation.ts';
import { packageVersion } from '../packages/platform/src/package-version.ts';
import { renderSpecification } from './specification-page.ts';

interface Page {
  /** Name within docs/. */
  readonly name: string;
  readonly render: () => string;
}

export const PAGES: readonly Page[] = [
  { name: 'errors.md', render: renderErrors },
  { name: 'settings.md', render: renderSettings },
  { name: 'transformations.md', render: renderTransformations },
  { name: 'expressions.md', render: () => withBlock('expressions.md', 'functions', functionTables()) },
  { name: 'openapi.json', render: renderOpenApi },
  { name: 'job.schema.json', render: renderJobSchema },
  { name: 'formats/README.md', render: renderFormats },
  { name: '../.github/ISSUE_TEMPLATE/conversion.yml', render: renderIssueForm },
  { name: '../README.md', render: () => withBlock('../README.md', 'formats', formatTable('docs/formats/')) },
  { name: 'cli.md', render: () => withBlock('cli.md', 'exit status', exitStatusTable()) },
  { name: 'specification.md', render: renderSpecification },
];

function exitStatusTable(): string {
  const rows = Object.entries(EXIT_MEANINGS).map(([name, meaning]) => [
    EXIT[name as keyof typeof EXIT],
    meaning,
  ]);
  return ['| status | meaning |', '| --- | --- |', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n');
}

const EFFECTS: Readonly<Record<string, string>> = {
  reported: 'reported',
  dropped: 'feature dropped',
  repaired: 'feature repaired',
  split: 'feature split',
};

/** For generating a client without a running service. A service has its own document at /openapi.json. */
function renderOpenApi(): string {
  return `${JSON.stringify(describedInterface(), null, 1)}\n`;
}

/** The schema of job documents with all schemas that it refers to, without the keyword that only OpenAPI has. */
function renderJobSchema(): string {
  const { schemas } = describedInterface().components;
  const definitions: Record<string, unknown> = {};
  const withLocalRefs = (schema: unknown): unknown =>
    JSON.parse(
      JSON.stringify(schema, (key, value) => (key === 'discriminator' ? undefined : value)).replaceAll(
        /"#\/components\/schemas\/(\w+)"/g,
        (_, name: string) => {
          if (!Object.hasOwn(definitions, name)) {
            definitions[name] = null;
            definitions[name] = withLocalRefs(schemas[name]);
          }
          return `"#/$defs/${name}"`;
        },
      ),
    );
  const document = withLocalRefs(schemas.JobDocument) as object;
  const dialect = 'https://json-schema.org/draft/2020-12/schema';
  return `${JSON.stringify({ $schema: dialect, title: 'geomill job', ...document, $defs: definitions }, null, 1)}\n`;
}

/** The OpenAPI document of the sources, without what an operator's settings add. */
export function describedInterface(): OpenApiDocument {
  return openApiDocument(allOperations(formats), { formats, transformations }, packageVersion());
}

/** The page with the text between `<!-- NAME: ... -->` and `<!-- /NAME -->` replaced. */
function withBlock(page: string, name: string, content: string): string {
  const block = new RegExp(`(<!-- ${name}: [^>]* -->\\n)[^]*?(<!-- /${name} -->)`);
  const whole = read(page) ?? '';
  if (!block.test(whole)) throw new Error(`${page} has no block '${name}'`);
  return whole.replace(block, (_, begin: string, end: string) => `${begin}${content}\n${end}`);
}

/** The functions of expressions, one table for each group. */
function functionTables(): string {
  const titles = {
    number: 'Numbers',
    text: 'Texts',
    date: 'Dates and times',
    interval: 'Intervals of time',
    choice: 'Choices',
    array: 'Arrays',
    geometry: 'Geometries and layers',
  } as const;
  return Object.entries(titles)
    .map(([group, title]) => {
      const rows = functions
        .filter((one) => one.group === group)
        .map((one) => [`\`${signatureOf(one)}\``, one.description]);
      return `### ${title}\n\n${table(['function', 'value'], rows)}`;
    })
    .join('\n\n');
}

/** The choices of formats in the issue form. */
function renderIssueForm(): string {
  const choices = formats.map(({ name }) => name).join(', ');
  const page = read('../.github/ISSUE_TEMPLATE/conversion.yml') ?? '';
  return page.replaceAll(/(?<= options: \[).*(?=, other\])/g, choices);
}

function formatTable(folder: string): string {
  const rows = formats.map((format) => [
    format.name,
    isInputFormat(format) ? 'yes' : 'no',
    isOutputFormat(format) ? 'yes' : 'no',
    `${format.summary} ([details](${folder}${format.id}.md))`,
  ]);
  return table(['format', 'read', 'write', ''], rows);
}

const INPUT_CRS: Readonly<Record<Format['inputCrs'], string>> = {
  fixed: 'EPSG:4326, unless the request states one',
  file: 'stated in the file',
  request: 'must be stated',
};

function renderFormats(): string {
  const codes = (list: readonly string[]): string => list.map((one) => `\`${one}\``).join(' ');
  return page(
    'Formats',
    ['packages/formats/src/'],
    formatTable(''),
    '## Facts',
    table(
      [
        'id',
        'other ids',
        'extensions',
        'media type of outputs',
        'CRS of inputs',
        'layers of an output',
        'sample',
      ],
      formats.map((format) => [
        codes([format.id]),
        codes(format.aliases),
        codes(format.extensions),
        codes([format.mediaType]),
        isInputFormat(format) ? INPUT_CRS[format.inputCrs] : 'not read',
        format.outputLayers,
        `[${format.sample}](../../samples/${format.sample})`,
      ]),
    ),
    ...formats.flatMap((format) => [
      ...optionsTable(`Reading ${format.name}`, format.readOptions),
      ...optionsTable(`Writing ${format.name}`, format.writeOptions),
    ]),
  );
}

function optionsTable(title: string, { properties }: OptionsSchema): string[] {
  const rows = Object.entries(properties as Record<string, PropertySchema>).map(([name, schema]) => [
    `\`${name}\``,
    kindOf(schema).replaceAll('|', '\\|').replaceAll('\t', '\\t'),
    schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``,
    text(schema.description ?? ''),
  ]);
  return rows.length === 0 ? [] : [`## ${title}`, table(['option', 'kind', 'default', 'meaning'], rows)];
}

function renderErrors(): string {
  const errors = Object.entries({ ...catalogue.errors, ...cliErrors }).map(
    ([code, { status, fault, template }]) => [
      `\`${code}\``,
      String(status),
      fault === 'user' ? 'request or data' : 'service',
      text(fillTemplate(template, {})),
    ],
  );
  const findings = Object.entries(catalogue.findings).map(([code, { effect, severity, template, unit }]) => [
    `\`${code}\``,
    `\`${severity}\``,
    EFFECTS[effect],
    unit === 'time' ? '' : `${unit}s`.replace('entitys', 'entities'),
    text(fillTemplate(template, {})),
  ]);
  return page(
    'Errors and warnings',
    ['errors.ts', 'findings.ts'],
    `Every error and every warning has a code that does not change; its text may change. Words in braces are parameters. The
status is that of the HTTP response when the error is known while the request is answered; a job that fails later is
FAILED with the same code. Errors of the service are logged, and the response has a general text. On the command line the same
messages name flags (\`--to-crs\`) instead of the fields of a request (\`output.epsg\`).`,
    '## Errors',
    table(['code', 'status', 'caused by', 'text'], errors),
    `## Warnings

No data is lost silently: the report of a job lists what was tolerated, changed or dropped, once for each kind, with a
count and the first places. The severity of a warning says how the output differs from what was requested:

- \`info\`: not at all. Whatever a request asks for is \`info\` too, such as removing the features outside a clip polygon;
- \`changed\`: values, geometries or names differ from those of the input;
- \`lost\`: data of the input is not in the output.`,
    table(['code', 'severity', 'effect', 'counts', 'text'], findings),
    `## Places

The findings of a conversion are also a GeoJSON FeatureCollection in EPSG:4326 (\`GET /v1/jobs/{job_id}/findings\`, \`job.findings()\`, \`--findings FILE\`) with one feature for each feature, value,
record or entity of the data that a warning counts:

- The geometry is the point, or the box as a polygon, of the feature where it was found: as it was read, as it came into the step, or
  as it came to the writer. It is null if the feature has no geometry or was not read, if its coordinates cannot be transformed, or if only its number is known
  (\`FID_REASSIGNED\`, \`ORDER_BY_KEY\`). A box across the antimeridian is the point in its middle.
- Properties: \`code\`, \`severity\`, \`message\`, and, if known, \`file\` (of several), \`layer\`, \`row\` (number of the record in the layer,
  from 1; of a step or the writer, the number of the feature that came to it), \`line\` of a text file, and \`id\` (feature id, or handle in a DXF).
- The member \`totals\` has for each code the number in the report (\`count\`) and the number of features in the collection (\`listed\`). At most
  10,000 of a code are listed, and 50,000 or 20 MB in all.

Warnings that count nothing in the table are about files, layers, fields or parameters and list no features, except for those about entities of a DXF
(\`ENTITY_SKIPPED\`, \`BLOCK_MISSING\`, \`EXTERNAL_REFERENCE\` and others). These count features but list none:
\`COORDINATES_ROUNDED\`, \`IDS_AS_FIELD\`, \`IDS_WITHOUT_FIELD\`, \`IDS_DROPPED\`, \`IDS_NOT_APPENDED\`, \`GEOMETRIES_PROMOTED\`,
\`GEOMETRIES_MADE_MULTI\` and \`GEOMETRY_TYPE_WIDENED\` concern whole layers; \`SRID_STATED\` lists the first feature; of \`VALUES_COLLAPSED\`,
\`TEXT_BY_CODE_PAGE\`, and \`OUTSIDE_AREA_OF_USE\` of layers that are reprojected, only the count is known; of \`VALUE_NOT_APPENDED\`, the
first few features of each partition.`,
  );
}

function renderSettings(): string {
  const rows = Object.values(settings as Record<string, Setting>).map((setting) => [
    `\`${setting.name}\``,
    setting.choices === undefined ? setting.type : setting.choices.map((choice) => `\`${choice}\``).join(' '),
    setting.default === null ? 'unset' : `\`${quantity(setting, setting.default)}\``,
    range(setting),
    text(setting.text),
  ]);
  return page(
    'Settings',
    ['apps/service/src/settings/config.ts'],
    `Settings are environment variables. The service reads them once at the start; an empty variable counts as unset. Bytes and times
accept a unit (\`512 MiB\`, \`90 s\`, \`2 h\`, \`7 d\`); without a unit they are bytes and seconds. The service does not start with an invalid value.`,
    table(['variable', 'kind', 'default', 'range', 'meaning'], rows),
  );
}

function range(setting: Setting): string {
  const { min, max } = setting;
  if (min === undefined && max === undefined) return '';
  if (max === undefined) return `from ${quantity(setting, min!)}`;
  return min === undefined
    ? `to ${quantity(setting, max)}`
    : `${quantity(setting, min)} to ${quantity(setting, max)}`;
}

const UNITS: Readonly<Record<string, readonly (readonly [size: number, name: string])[]>> = {
  bytes: [
    [2 ** 40, 'TiB'],
    [2 ** 30, 'GiB'],
    [2 ** 20, 'MiB'],
    [2 ** 10, 'KiB'],
  ],
  seconds: [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
  ],
};

/** A default or bound in the largest unit that gives a whole number. */
function quantity({ type }: Setting, value: string | number): string {
  if (typeof value === 'string' || value === 0 || type === 'integer') return String(value);
  const unit = UNITS[type]?.find(([size]) => value % size === 0);
  if (unit !== undefined) return `${value / unit[0]} ${unit[1]}`;
  return type === 'seconds' ? `${value} s` : `${value} B`;
}

function renderTransformations(): string {
  return page(
    'Transformations',
    ['packages/operations/src/'],
    `A request has a list of steps, and so does a [command line](cli.md). Steps are applied in order, to each layer separately. Each step works
in the current CRS of the data; [reproject](#reproject) changes it for the following steps. The output is written in \`output.epsg\`,
whatever the CRS of the steps.

A step is \`{"type": ..., "params": {...}}\`; the parameters can also be next to the type. An unknown parameter or type is rejected, because ignoring it would
change the result. Mistakes that only the data can show, such as a missing field, fail the job with the same kind of
message. The report counts the features that a step drops, repairs or splits.

Every step works on all layers, unless it has \`layer\`, the name of a layer or a list of names: \`{"type": "buffer", "layer": "roads", ...}\`, on the
command line \`--buffer 10m --on-layer roads\`. Other layers go on to the next step as they are. A name that is not a layer is an error that lists the layers.

Most steps process parts of a layer in parallel, and their memory does not grow with the layer. Steps that need all features at once
say what they keep in memory.

A step may produce [\`MAX_OUTPUT_FACTOR\`](settings.md) positions (500 by default) for each input position; results
of up to 5 million positions are always allowed. Larger results fail the job with \`OUTPUT_FACTOR_EXCEEDED\`, which names the step.`,
    transformations.map(({ id, title }) => `- [${title}](#${id})`).join('\n'),
    renderLongitudes(),
    ...transformations.map(renderTransformation),
  );
}

/** What each step does with features across 180 degrees, by the fact of its record. */
function renderLongitudes(): string {
  const links = (longitudes: Longitudes): string =>
    transformations
      .filter((one) => one.longitudes === longitudes)
      .map(({ id, title }) => `[${title}](#${id})`)
      .join(', ');
  return `## Features across 180 degrees

In a geographic CRS in degrees, an edge between longitudes that are more than 180 degrees apart is the short way, over 180 degrees. A feature there may be
written as one geometry whose longitudes jump from 180 to -180, or go on over 180, or as a multi geometry that was cut at 180 degrees: steps take all
three for the same feature. A box is different: \`bbox\` has the width that it states.

Before a step that works in the plane, longitudes continue over 180 degrees, and after it geometries are cut there again
(\`ANTIMERIDIAN_CUT\`). Features whose longitudes are less than 180 degrees apart are not changed, including those with longitudes up to 360. Longitudes of
geometries that were cut again are exact to 1e-12 degrees. Edges of a result that are longer than 180 degrees get a position in the middle. A
geometry that cannot be drawn in one piece, such as a ring that goes around the Earth twice, is taken as it is written
(\`ANTIMERIDIAN_IN_PLANE\`).

| what is together | steps |
|---|---|
| each edge, and the parts that a cut at 180 degrees made of a feature | ${links('edges')} |
| the same, and all parts of a feature, on the side of its largest gap | ${links('feature')} |
| all features of a layer, in one plane; if they are at all longitudes, they are cut at 180 degrees, and features that only meet there are not merged | ${links('layer')} |
| the step has its own way: its section says which | ${links('own')} |
| positions are taken as they are written | ${links('as written')} |`;
}

function renderTransformation(transformation: Transformation): string {
  const { id, title, description, guarantees, commandLine, parameters } = transformation;
  const anchor = title.toLowerCase().replaceAll(' ', '-') === id ? '' : `<a id="${id}"></a>\n\n`;
  const own = Object.entries(parameters.properties).filter(([name]) => name !== LAYER_PARAMETER);
  const rows = own.map(([name, schema]) => {
    const facts = schema as PropertySchema;
    const isRequired = parameters.required?.includes(name) === true;
    return [
      `\`${name}\``,
      kindOf(facts),
      isRequired ? 'required' : facts.default === undefined ? '' : `\`${JSON.stringify(facts.default)}\``,
      text(facts.description ?? ''),
    ];
  });
  return [
    `${anchor}## ${title}`,
    description,
    ...(rows.length === 0 ? [] : [table(['parameter', 'kind', 'default', 'meaning'], rows)]),
    guarantees.map((guarantee) => `- ${guarantee}`).join('\n'),
    ['```json', JSON.stringify(exampleStep(transformation)), '```'].join('\n'),
    ...(commandLine === null ? [] : [commandLineText(commandLine)]),
  ].join('\n\n');
}

interface PropertySchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: PropertySchema;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly anyOf?: readonly PropertySchema[];
  readonly oneOf?: readonly PropertySchema[];
}

function kindOf(schema: PropertySchema): string {
  const choices = schema.anyOf ?? schema.oneOf;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(' ');
  if (schema.type === undefined) return choices === undefined ? 'any' : choices.map(kindOf).join(' or ');
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  const names = types.map((type) =>
    type === 'array' && schema.items !== undefined ? `list of ${kindOf(schema.items)}` : type,
  );
  return [names.join(' or '), ...rangeOf(schema)].join(', ');
}

function rangeOf({ minimum, maximum, exclusiveMinimum }: PropertySchema): string[] {
  if (exclusiveMinimum !== undefined)
    return [maximum === undefined ? `above ${exclusiveMinimum}` : `above ${exclusiveMinimum}, to ${maximum}`];
  if (minimum === undefined && maximum === undefined) return [];
  if (maximum === undefined) return [`from ${minimum}`];
  return [minimum === undefined ? `to ${maximum}` : `${minimum} to ${maximum}`];
}

function commandLineText(form: CommandLineForm): string {
  const [main, ...options] = [form, ...(form.modifiers ?? [])].map(
    ({ flag, placeholder, description }) =>
      `\`--${flag}${placeholder === null ? '' : ` ${placeholder}`}\`: ${description}`,
  );
  if (options.length === 0) return `Command line: ${main}`;
  const list = options.map((option) => `- ${option}`).join('\n');
  return `Command line: ${main}\n\nOptions of \`--${form.flag}\`, given after it:\n\n${list}`;
}

/** Text in a table cell. */
function text(raw: string): string {
  return raw
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

function page(title: string, sources: readonly string[], ...sections: readonly string[]): string {
  const from = sources.map((source) => `\`${source}\``).join(' and ');
  return `${[`# ${title}`, `<!-- Generated from ${from} by npm run docs. Edit the sources. -->`, ...sections].join('\n\n')}\n`;
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(`../docs/${name}`, import.meta.url));
}

function read(name: string): string | null {
  try {
    return readFileSync(pathOf(name), 'utf8');
  } catch {
    return null;
  }
}

if (import.meta.main) {
  const stale = PAGES.filter(({ name, render }) => read(name) !== render());
  if (argv.includes('--check')) {
    for (const { name } of stale) stderr.write(`docs/${name} is out of date: run \`npm run docs\`\n`);
    exit(stale.length === 0 ? 0 : 1);
  }
  for (const { name, render } of stale) writeFileSync(pathOf(name), render());
}
