/**
 * From what a client sends to the one ConversionRequest. A table tells under which names each field may come: nested as
 * on the job surface, flat as on the CSV page and the versioned surface. Adding a spelling is adding a word to the table.
 */
import { parseEpsg } from '../crs/crs.ts';
import { failure } from '../errors.ts';
import { Findings } from '../findings.ts';
import type { Format, OptionsSchema } from '../formats/format.ts';
import { validateOptions } from '../formats/options.ts';
import type { ConversionRequest } from '../pipeline/request.ts';
import { parseSteps, type RequestedStep } from '../transformations/requested-steps.ts';
import type { Transformation } from '../transformations/transformation.ts';

/** Names of each field; the first one is used in messages. A dot leads into `input` or `output`. */
const FIELD_NAMES = {
  inputFormat: ['input.format', 'input_format'],
  inputCrs: ['input.epsg', 'input.crs', 'input_epsg', 'input_crs'],
  inputLayers: ['input.layer', 'input.layers', 'input_layer', 'layer'],
  inputUrl: ['input.url', 'input_url'],
  transformations: ['transformations'],
  outputFormat: ['output.format', 'output_format'],
  outputCrs: ['output.epsg', 'output.crs', 'output_epsg', 'output_crs'],
  toFile: ['output.to_file', 'output_to_file', 'to_file'],
} as const satisfies Record<string, readonly string[]>;

/** Other words for a format that clients use. */
const FORMAT_ALIASES: Readonly<Record<string, string>> = { geopackage: 'gpkg', shapefile: 'shp' };

export interface Registries {
  readonly formats: readonly Format[];
  readonly transformations: readonly Transformation[];
}

export interface ParsedRequest {
  readonly request: ConversionRequest;
  readonly findings: Findings;
  readonly inputFormat: Format;
  readonly outputFormat: Format;
}

/**
 * Parses a config that was JSON. What is not known is noted as a finding; what is wrong throws an error that names the
 * path (CONFIG_INVALID, FORMAT_UNKNOWN, CRS_UNKNOWN, FIELD_REQUIRED, INLINE_NOT_POSSIBLE, INPUT_URL_DISABLED, and what
 * `parseSteps` throws).
 */
export function parseJobRequest(config: unknown, registries: Registries): ParsedRequest {
  const fields = new ConfigFields(config);
  const inputFormat = parseFormat(fields, 'inputFormat', registries);
  const outputFormat = parseFormat(fields, 'outputFormat', registries);
  if (fields.take('inputUrl').value !== undefined)
    throw failure('INPUT_URL_DISABLED', { path: FIELD_NAMES.inputUrl[0] });
  const inputCrs = parseCrs(fields, 'inputCrs');
  if (inputCrs === null && inputFormat.inputCrs === 'request')
    throw failure('FIELD_REQUIRED', { path: FIELD_NAMES.inputCrs[0], format: inputFormat.id });
  const outputCrs = parseCrs(fields, 'outputCrs');
  const toFile = parseToFile(fields, outputFormat);
  const steps = parseTransformations(fields, registries);
  const layers = parseLayers(fields);
  const readOptions = parseOptions(fields, 'input', inputFormat.readOptions, inputFormat.readOptionsKey);
  const writeOptions = parseOptions(fields, 'output', outputFormat.writeOptions, undefined);
  const findings = new Findings();
  for (const path of fields.unknown()) findings.note('UNKNOWN_KEY', { path: path.slice(0, 100) });
  return {
    request: {
      operation: 'transform',
      input: {
        format: inputFormat.id,
        files: [{ crs: inputCrs, crsPath: FIELD_NAMES.inputCrs[0] }],
        layers,
        options: readOptions,
      },
      transformations: steps,
      output: { format: outputFormat.id, crs: outputCrs, toFile, options: writeOptions },
    },
    findings,
    inputFormat,
    outputFormat,
  };
}

/** The values of a config by path, each taken once; what is never taken is not known here. */
class ConfigFields {
  readonly #values = new Map<string, unknown>();

  constructor(config: unknown) {
    if (!isObject(config)) throw invalid('config', 'must be a JSON object');
    for (const [key, value] of Object.entries(config)) {
      if (key !== 'input' && key !== 'output') this.#values.set(key, value);
      else if (isObject(value))
        for (const [inner, innerValue] of Object.entries(value))
          this.#values.set(`${key}.${inner}`, innerValue);
      else throw invalid(key, `must be an object such as {"format": "geojson"}, not ${describe(value)}`);
    }
  }

  /** The value of a field; undefined when it is absent or null. The path is the name it came under. */
  take(field: keyof typeof FIELD_NAMES): { readonly path: string; readonly value: unknown } {
    return this.takeAny(FIELD_NAMES[field]);
  }

  takeAny(names: readonly string[]): { readonly path: string; readonly value: unknown } {
    let path = names[0];
    let found: unknown;
    for (const name of names) {
      const value = this.#values.get(name);
      this.#values.delete(name);
      if (value === undefined || value === null) continue;
      if (found !== undefined && JSON.stringify(found) !== JSON.stringify(value))
        throw invalid(name, `contradicts '${path}'; state it once`);
      if (found === undefined) path = name;
      found = value;
    }
    return { path, value: found };
  }

  /** Notes a path within a group as not known. */
  setUnknown(path: string): void {
    this.#values.set(path, undefined);
  }

  unknown(): string[] {
    return [...this.#values.keys()];
  }
}

function parseFormat(
  fields: ConfigFields,
  field: 'inputFormat' | 'outputFormat',
  { formats }: Registries,
): Format {
  const { path, value } = fields.take(field);
  const known = formats.map((format) => format.id).join(', ');
  if (value === undefined) {
    const others = fields.unknown().slice(0, 8);
    const found = others.length === 0 ? '' : `; what came is ${others.map((name) => `'${name}'`).join(', ')}`;
    throw invalid(path, `is required; known formats are ${known}${found}`);
  }
  if (typeof value !== 'string')
    throw invalid(path, `must be the name of a format (${known}), not ${describe(value)}`);
  const lower = value.trim().toLowerCase();
  const format = formats.find(({ id }) => id === (FORMAT_ALIASES[lower] ?? lower));
  if (format === undefined) throw failure('FORMAT_UNKNOWN', { value: value.slice(0, 40), path, known });
  return format;
}

function parseCrs(fields: ConfigFields, field: 'inputCrs' | 'outputCrs'): string | null {
  const { path, value } = fields.take(field);
  return value === undefined ? null : parseEpsg(value, path);
}

function parseToFile(fields: ConfigFields, outputFormat: Format): boolean {
  const { path, value } = fields.take('toFile');
  if (value === undefined) return true;
  if (typeof value !== 'boolean') throw invalid(path, `must be true or false, not ${describe(value)}`);
  if (!value && outputFormat.id !== 'geojson')
    throw failure('INLINE_NOT_POSSIBLE', { format: outputFormat.id });
  return value;
}

function parseLayers(fields: ConfigFields): readonly string[] | null {
  const { path, value } = fields.take('inputLayers');
  if (value === undefined) return null;
  const names: unknown[] = Array.isArray(value) ? value : [value];
  if (names.length === 0 || !names.every((name) => typeof name === 'string'))
    throw invalid(path, `must be the name of a layer or a list of names, not ${describe(value)}`);
  return names;
}

function parseTransformations(
  fields: ConfigFields,
  { transformations }: Registries,
): readonly RequestedStep[] {
  const { path, value } = fields.take('transformations');
  return value === undefined ? [] : parseSteps(value, path, transformations);
}

/** Options of a format, grouped under `groupKey` as the specification has it or directly beside the format. */
function parseOptions(
  fields: ConfigFields,
  section: 'input' | 'output',
  schema: OptionsSchema,
  groupKey: string | undefined,
): Readonly<Record<string, unknown>> {
  const options: Record<string, unknown> = {};
  const group = groupKey === undefined ? undefined : fields.takeAny([`${section}.${groupKey}`, groupKey]);
  if (group?.value !== undefined) {
    if (!isObject(group.value)) throw invalid(group.path, `must be an object, not ${describe(group.value)}`);
    for (const [name, value] of Object.entries(group.value)) {
      if (name in schema.properties) options[name] = value;
      else fields.setUnknown(`${group.path}.${name}`);
    }
  }
  for (const name of Object.keys(schema.properties)) {
    const { path, value } = fields.takeAny([`${section}.${name}`, `${section}_${name}`]);
    if (value === undefined) continue;
    if (name in options && JSON.stringify(options[name]) !== JSON.stringify(value))
      throw invalid(path, `contradicts '${group?.path}.${name}'; state it once`);
    options[name] = value;
  }
  for (const name of Object.keys(options)) if (options[name] === null) delete options[name];
  return validateOptions(schema, options, group?.value === undefined ? section : group.path);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function describe(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 60);
}

function invalid(path: string, what: string): Error {
  return failure('CONFIG_INVALID', { detail: `'${path}' ${what}` });
}
