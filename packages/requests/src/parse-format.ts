/** The formats that a config names, and their options. */
import { closest } from '@geomill/core/messages/did-you-mean.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import {
  type Format,
  type InputFormat,
  isInputFormat,
  isOutputFormat,
  type OptionsSchema,
  type OutputFormat,
  type OutputVariant,
  variantNamed,
} from '@geomill/formats/format.ts';
import { formatNamed } from '@geomill/formats/format-by-id.ts';
import { validateOptions } from '@geomill/formats/options.ts';
import { type Endpoint, groupNames, optionNames, type Registries } from './config-fields.ts';
import { type ConfigValues, describe, invalid, isObject } from './config-values.ts';

export function parseInputFormat(
  values: ConfigValues,
  endpoint: Endpoint,
  { formats }: Registries,
): InputFormat {
  const known = formats.filter(isInputFormat);
  const { path, value } = values.take('inputFormat');
  const fromPath = endpoint.inputFormat;
  if (value === undefined && fromPath === null) throw formatMissing(values, path, known);
  const format = findFormat(String(value ?? fromPath), known);
  if (value !== undefined && fromPath !== null && format.id !== fromPath)
    throw invalid(
      path,
      `says ${format.id}, but the path of the request says ${fromPath}; post to the path of the format, or remove it`,
    );
  return format;
}

export interface OutputChoice {
  readonly format: OutputFormat;
  /** The variant that the name of the format selects. */
  readonly variant: OutputVariant | null;
}

/** Null: an inspection without an output. */
export function parseOutputFormat(
  values: ConfigValues,
  endpoint: Endpoint,
  { formats }: Registries,
): OutputChoice | null {
  const known = formats.filter(isOutputFormat);
  const { path, value } = values.take('outputFormat');
  if (value !== undefined) {
    const name = String(value);
    const format = findFormat(name, known);
    return { format, variant: variantNamed(format, name) };
  }
  if (endpoint.operation === 'inspect') return null;
  throw formatMissing(values, path, known);
}

function findFormat<Known extends Format>(name: string, among: readonly Known[]): Known {
  const format = formatNamed(among, name);
  if (format === undefined)
    throw failure(generalErrors.INTERNAL, { reason: `format ${name} is not registered` });
  return format;
}

function formatMissing(values: ConfigValues, path: string, among: readonly Format[]): Error {
  const known = among.map((format) => format.id).join(', ');
  const others = values.unknown().slice(0, 8);
  const found = others.length === 0 ? '' : `; what came is ${others.map((name) => `'${name}'`).join(', ')}`;
  return invalid(path, `is required; known formats are ${known}${found}`);
}

/** Options of a format, either in the group `groupKey` or next to the format. */
export function parseOptions(
  values: ConfigValues,
  endpoint: Endpoint,
  side: 'input' | 'output',
  schema: OptionsSchema,
  groupKey: string | undefined,
): Readonly<Record<string, unknown>> {
  const options: Record<string, unknown> = Object.create(null);
  const paths = new Map<string, string>();
  const group = groupKey === undefined ? undefined : values.takeAny(groupNames(groupKey, endpoint));
  if (group?.value !== undefined) {
    if (!isObject(group.value)) throw invalid(group.path, `must be an object, not ${describe(group.value)}`);
    for (const [name, value] of Object.entries(group.value)) {
      const path = `${group.path}.${name}`;
      // Not `in`: 'constructor' is not an option.
      if (!Object.hasOwn(schema.properties, name)) {
        const meant = closest(name, Object.keys(schema.properties));
        if (meant !== null) throw invalid(path, `is an unknown key; did you mean '${group.path}.${meant}'?`);
        values.setUnknown(path);
      } else if (value !== null) {
        options[name] = value;
        paths.set(name, path);
      }
    }
  }
  for (const name of Object.keys(schema.properties)) {
    const { path, value } = values.takeAny(optionNames(side, name, endpoint));
    if (value === undefined) continue;
    if (Object.hasOwn(options, name) && JSON.stringify(options[name]) !== JSON.stringify(value))
      throw invalid(path, `contradicts '${paths.get(name)}'; state it once`);
    options[name] = value;
    paths.set(name, path);
  }
  return { ...validateOptions(schema, options, (name) => paths.get(name) ?? `${side}.${name}`) };
}
