/** The form: files, formats, coordinate reference systems, a few options. */
import { inputFormats, outputFormats } from '@geomill/formats/registry.ts';
import { size } from '../account/pages/parts.ts';
import { type Html, type HtmlValue, html } from '../html.ts';
import { type FieldName, type FormValues, LABELS, namesOf } from './form-fields.ts';
import { MAX_FILES } from './receive-form.ts';
import type { Visitor } from './visitor.ts';

type CrsFieldName = 'input_crs' | 'output_crs';

export interface Suggestions {
  readonly field: CrsFieldName;
  readonly list: readonly { readonly crs: string; readonly name: string }[];
}

export interface FormState {
  readonly values: FormValues;
  /** Coordinate reference systems to choose from. */
  readonly suggestions: Suggestions | null;
}

export const EMPTY_FORM: FormState = { values: {}, suggestions: null };

const MORE_FIELDS: readonly FieldName[] = ['layer', 'decimals', 'tolerance', 'input_format'];
const UNITS = { meters: 'metres', kilometers: 'kilometres', feet: 'feet', miles: 'miles' } as const;

export function convertForm(visitor: Visitor, state: FormState): Html {
  const { config, urlPolicy } = visitor.site.context;
  const fetchesUrls = urlPolicy.hosts.length > 0;
  const { values } = state;
  const isMoreUsed = MORE_FIELDS.some((name) => values[name] !== undefined);
  const extensions = [...new Set([...inputFormats.flatMap((format) => format.extensions), '.gz'])];
  return html`<form class="work" method="post" action="${visitor.href('/')}" enctype="multipart/form-data">
${visitor.formToken()}
<div class="field">
<label for="file">Files</label>
<p class="hint" id="file-hint">${namesOf(inputFormats)}; a shapefile as one .zip. At most ${Math.min(MAX_FILES, config.maxFiles)} files and ${size(config.maxUploadBytes)}; each file is converted by itself.</p>
<input type="file" id="file" name="file" multiple${fetchesUrls ? null : html` required`} aria-describedby="file-hint" accept="${extensions.join(',')}">
</div>
${fetchesUrls ? urlField(values) : null}
${suggestionField(state)}
<div class="pair">
${select('output_format', values.output_format ?? 'gpkg', outputOptions, fixedNote)}
${state.suggestions?.field === 'output_crs' ? null : crsField('output_crs', values, html`As the input, or a code such as EPSG:25832.`)}
</div>
${state.suggestions?.field === 'input_crs' ? null : crsField('input_crs', values, html`Only if the file does not store it: many CSV and DXF files, a shapefile without .prj.`)}
<details${isMoreUsed ? html` open` : null}>
<summary>More options</summary>
<div class="pair">
${text('layer', values, html`Name of the only layer to read.`)}
${text('decimals', values, html`Of coordinates in text formats, such as GeoJSON, CSV and DXF: 3 is a millimetre in metres, 7 a centimetre in degrees.`, 'numeric')}
${simplifyField(values)}
${select('input_format', values.input_format ?? '', inputOptions, 'For files with an unusual name.')}
</div>
</details>
<details${(values.clip_layer ?? values.clip_crs) ? html` open` : null}>
<summary>Clip</summary>
<div class="field">
<label for="mask">${LABELS.mask} <span class="soft">(optional)</span></label>
<p class="hint" id="mask-hint">A file with polygons, in any of these formats: only what is inside them is kept. For one file at a time.</p>
<input type="file" id="mask" name="mask" aria-describedby="mask-hint" accept="${extensions.join(',')}">
</div>
<div class="pair">
${text('clip_layer', values, html`If the clip file has several layers.`)}
${text('clip_crs', values, html`If the clip file does not store it.`)}
</div>
</details>
<p class="actions"><button name="action" value="convert">Convert</button>
<button class="second" name="action" value="inspect">Inspect</button>
<span class="soft">Inspect shows layers, fields, extent and CRS.</span></p>
<p class="data">${whereDataGoes(visitor)}</p>
</form>`;
}

function whereDataGoes({ isOpen, site, baseUrl }: Visitor): Html {
  const { outputRetentionSeconds, recordRetentionSeconds } = site.context.config;
  const readers = isOpen
    ? 'This service needs no sign-in: everyone who can reach it can see them.'
    : 'Only you and the administrators of this service can see them.';
  return html`Files go to this server (${new URL(baseUrl).host}) and nowhere else. Inputs are deleted when their job ends, outputs ${duration(outputRetentionSeconds)} and reports ${duration(recordRetentionSeconds)} after that. ${readers}`;
}

/** "24 hours", "7 days", "90 minutes". */
export function duration(seconds: number): string {
  const units = [
    ['day', 24 * 3600, 2],
    ['hour', 3600, 1],
    ['minute', 60, 2],
  ] as const;
  const found = units.find(([, length, least]) => seconds % length === 0 && seconds >= least * length);
  const [name, length] = found ?? ['second', 1];
  const count = seconds / length;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

type Option = readonly [value: string, label: string];

const fixedFormats = outputFormats.filter(({ fixedOutputCrs }) => fixedOutputCrs !== undefined);
const fixedNote = `${namesOf(fixedFormats)} are written in EPSG:4326.`;

const outputOptions: readonly Option[] = outputFormats.flatMap(
  ({ id, name, outputVariants = [] }): Option[] => [
    [id, name],
    ...outputVariants.map(
      ({ names, title, extensions }): Option => [names[0], `${title} (${extensions[0]})`],
    ),
  ],
);

const inputOptions: readonly Option[] = [
  ['', 'As the file name shows'],
  ...inputFormats.map(({ id, name }): Option => [id, name]),
];

function select(name: FieldName, chosen: string, options: readonly Option[], hint: string): Html {
  return html`<div class="field">
<label for="${name}">${LABELS[name]}</label>
<p class="hint" id="${name}-hint">${hint}</p>
<select id="${name}" name="${name}" aria-describedby="${name}-hint">
${options.map(([value, label]) => html`<option value="${value}"${value === chosen ? html` selected` : null}>${label}</option>\n`)}</select>
</div>`;
}

function text(name: FieldName, values: FormValues, hint: HtmlValue, inputMode = 'text'): Html {
  return html`<div class="field">
<label for="${name}">${LABELS[name]} <span class="soft">(optional)</span></label>
<p class="hint" id="${name}-hint">${hint}</p>
<input type="text" id="${name}" name="${name}" value="${values[name] ?? ''}" inputmode="${inputMode}" autocomplete="off" spellcheck="false" aria-describedby="${name}-hint">
</div>`;
}

function urlField(values: FormValues): Html {
  const hint = html`Fetched by this service, from hosts that its operator allows. All features of a layer such as …/FeatureServer/0 are read.`;
  return text('input_url', values, hint, 'url');
}

function crsField(name: CrsFieldName, values: FormValues, hint: Html): Html {
  return text(name, values, hint);
}

function simplifyField(values: FormValues): Html {
  const units = Object.entries(UNITS).map(
    ([value, label]) =>
      html`<option value="${value}"${value === values.units ? html` selected` : null}>${label}</option>`,
  );
  return html`<div class="field">
<label for="tolerance">${LABELS.tolerance} <span class="soft">(optional)</span></label>
<p class="hint" id="tolerance-hint">For smaller files: outlines move by at most this much.</p>
<div class="length"><input type="text" id="tolerance" name="tolerance" value="${values.tolerance ?? ''}" inputmode="decimal" autocomplete="off" aria-describedby="tolerance-hint">
<select name="units" aria-label="Unit of the tolerance">${units}</select></div>
</div>`;
}

/**
 * The field of a CRS as a choice among suggestions. None is chosen at first: only the user can know. Another one can be
 * entered, in an empty field, because its text wins over a choice.
 */
function suggestionField({ suggestions }: FormState): Html | null {
  if (suggestions === null) return null;
  const { field, list } = suggestions;
  const choices = list.map(
    ({ crs, name }, i) => html`<div class="check">
<input type="radio" id="${field}-${i}" name="suggested_${field}" value="${crs}">
<label for="${field}-${i}"><b>${crs}</b> ${name}</label>
</div>`,
  );
  return html`<fieldset class="choices">
<legend>${LABELS[field]}</legend>
<p class="hint">Choose one, and choose the file again.</p>
${choices}
<div class="check"><label for="${field}">Another:</label>
<input type="text" id="${field}" name="${field}" autocomplete="off" spellcheck="false"></div>
</fieldset>`;
}
