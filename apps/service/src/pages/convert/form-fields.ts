/** The fields of the form, and the config of a job that they mean. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { CONFIG_FORM, type FieldForm } from '@geomill/core/messages/message.ts';
import type { Format } from '@geomill/formats/format.ts';
import { formatOfPart } from '@geomill/formats/format-by-id.ts';
import { unsupportedByName } from '@geomill/formats/recognise.ts';
import { formatByFileName, inputFormats, outputFormats } from '@geomill/formats/registry.ts';
import { fileNameOf, layerFormatOf } from '../../http/remote-address.ts';

/** Names of the fields and their labels. */
export const LABELS = {
  form_token: '',
  action: '',
  input_url: 'URL of a file or an ArcGIS layer',
  output_format: 'Convert to',
  output_crs: 'CRS of the output',
  input_crs: 'CRS of the input',
  /** Of a suggested CRS; the text field wins. */
  suggested_input_crs: 'CRS of the input',
  suggested_output_crs: 'CRS of the output',
  input_format: 'Format of the input',
  layer: 'Layer',
  decimals: 'Decimal places',
  tolerance: 'Simplify by',
  units: 'Unit',
  mask: 'Clip to',
  clip_layer: 'Layer of the clip file',
  clip_crs: 'CRS of the clip file',
} as const;

export type FieldName = keyof typeof LABELS;
/** Submitted texts, trimmed; absent: the field is empty. */
export type FormValues = Readonly<Partial<Record<FieldName, string>>>;

/** Longer texts are cut: no value of a field is as long. A URL is checked whole, so that none is cut to a valid one. */
const MAX_TEXT = 500;

export function valuesIn(given: unknown): FormValues {
  const fields = (given ?? {}) as Readonly<Record<string, unknown>>;
  const values: Partial<Record<FieldName, string>> = {};
  for (const name of Object.keys(LABELS) as FieldName[]) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const maxLength = name === 'input_url' ? Number.POSITIVE_INFINITY : MAX_TEXT;
    const text = typeof value === 'string' ? value.slice(0, maxLength).trim() : '';
    if (text !== '') values[name] = text;
  }
  const { suggested_input_crs: input, suggested_output_crs: output, ...rest } = values;
  return {
    ...(input === undefined ? {} : { input_crs: input }),
    ...(output === undefined ? {} : { output_crs: output }),
    ...rest,
  };
}

const BY_PATH: Readonly<Record<string, FieldName>> = {
  'input.epsg': 'input_crs',
  'input.crs': 'input_crs',
  'input.format': 'input_format',
  'input.url': 'input_url',
  'input.layer': 'layer',
  'output.epsg': 'output_crs',
  'output.crs': 'output_crs',
  'output.format': 'output_format',
  'output.decimals': 'decimals',
  'transformations[0].tolerance': 'tolerance',
  'transformations[1].tolerance': 'tolerance',
  'transformations[0].mask': 'mask',
  'transformations[0].mask_layer': 'clip_layer',
  'transformations[0].mask_crs': 'clip_crs',
  'step.mask_layer': 'clip_layer',
  'step.mask_crs': 'clip_crs',
};

/** The field that a path of the config is about. */
export function fieldOfPath(path: string): FieldName | null {
  return BY_PATH[path] ?? null;
}

/** How errors on these pages name the fields. */
export const PAGE_FORM: FieldForm = {
  name(path) {
    const field = fieldOfPath(path);
    return field === null ? CONFIG_FORM.name(path) : LABELS[field];
  },
  required: (path) => `'${PAGE_FORM.name(path)}' is required`,
  set(path, value) {
    if (fieldOfPath(path) === null) return CONFIG_FORM.set(path, value);
    const name = `'${PAGE_FORM.name(path)}'`;
    return value === null ? `fill in ${name}` : `enter ${value} in ${name}`;
  },
};

/** The input format that the name of a file shows, or null. */
export function formatByName(name: string): Format | null {
  return formatByFileName(inputFormats, name.replace(/\.gz$/i, ''));
}

/** The same. Throws CONFIG_INVALID if it shows none. */
export function formatOfFile(name: string): Format {
  if (formatOfPart(name) !== null)
    throw refused(`'${name}' is one file of a shapefile; zip all of its files together and choose the .zip`);
  const format = formatByName(name);
  if (format !== null) return format;
  const unsupported = unsupportedByName(name, 'input');
  if (unsupported !== null) throw refused(`'${name}' cannot be read: ${unsupported}. ${supported()}`);
  throw refused(
    `the name of '${name}' does not show its format. ${supported()}. If it is one of these, choose it in '${LABELS.input_format}'`,
  );
}

/** The input format of a URL. A URL that cannot be parsed has any: it is refused for that. Throws CONFIG_INVALID if it shows none. */
export function formatOfUrl(text: string): Format {
  const url = URL.parse(text);
  if (url === null) return inputFormats[0];
  return layerFormatOf(url, inputFormats) ?? formatOfFile(fileNameOf(url) ?? url.hostname);
}

/** "Supported: GeoJSON (.geojson, .json), ..." */
function supported(): string {
  const known = inputFormats.map(({ name, extensions }) => `${name} (${extensions.slice(0, 2).join(', ')})`);
  return `Supported: ${known.join(', ')}`;
}

/** The config of a job for a file of this format. `url`: of the file; null: it was sent. Throws CONFIG_INVALID. */
export function configOf(
  values: FormValues,
  inputFormat: string,
  url: string | null,
  hasMask: boolean,
): object {
  const { action, input_crs: from, layer, output_crs: to, output_format: format, decimals } = values;
  const input = {
    format: inputFormat,
    ...(url === null ? {} : { url }),
    ...(from === undefined ? {} : { epsg: from }),
    ...(layer === undefined ? {} : { layer }),
  };
  if (action === 'inspect') return { input };
  if (decimals !== undefined && !takesDecimals(format))
    throw refused(
      `'${LABELS.decimals}' is possible only where coordinates are written as text: ${namesOf(textFormats)}; leave it empty`,
    );
  return {
    input,
    transformations: [...(hasMask ? [clipping(values)] : []), ...simplification(values)],
    output: {
      format: format ?? '',
      epsg: to ?? 'source',
      ...(decimals === undefined ? {} : { decimals: numberIn(decimals, 'decimals') }),
    },
  };
}

/** With the file in part `mask`. */
function clipping({ clip_layer: layer, clip_crs: crs }: FormValues): object {
  return {
    type: 'clip',
    ...(layer === undefined ? {} : { mask_layer: layer }),
    ...(crs === undefined ? {} : { mask_crs: crs }),
  };
}

function simplification({ tolerance, units }: FormValues): object[] {
  if (tolerance === undefined) return [];
  return [{ type: 'simplify', tolerance: numberIn(tolerance, 'tolerance'), units: units ?? 'meters' }];
}

/** Decimal commas are accepted. */
function numberIn(text: string, field: FieldName): number {
  const value = Number(text.replace(',', '.'));
  if (!Number.isFinite(value))
    throw refused(`'${LABELS[field]}' must be a number, not '${text.slice(0, 40)}'`);
  return value;
}

const textFormats = outputFormats.filter(({ writeOptions }) => 'decimals' in writeOptions.properties);

function takesDecimals(format: string | undefined): boolean {
  return textFormats.some(({ id, aliases }) => id === format || aliases.includes(format ?? ''));
}

export function namesOf(formats: readonly Format[]): string {
  return formats.map(({ name }) => name).join(', ');
}

function refused(detail: string): Error {
  return failure(generalErrors.CONFIG_INVALID, { detail });
}
