/** The values of a config by path. Each is taken once and checked by its schema; values never taken are unknown fields. */
import { parseInputCrs, parseOutputCrs } from '@geomill/core/crs/crs.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { shortValue } from '@geomill/core/messages/short-text.ts';
import {
  memberPath,
  type SchemaCheck,
  type SchemaFault,
  schemaCheck,
} from '@geomill/core/schemas/schema-check.ts';
import { formatErrors } from '@geomill/formats/errors.ts';
import { isInputFormat, isOutputFormat } from '@geomill/formats/format.ts';
import { formatHint } from '@geomill/formats/format-by-id.ts';
import {
  CONFIG_FIELDS,
  type ConfigField,
  type Endpoint,
  type FieldId,
  fieldNames,
  type Registries,
} from './config-fields.ts';

const compiled = new WeakMap<Registries['formats'], Map<FieldId, SchemaCheck>>();

export interface ConfigValue {
  /** The name used in the config; the preferred name if the value is absent. */
  readonly path: string;
  /** Undefined if absent or null. */
  readonly value: unknown;
}

export class ConfigValues {
  readonly #values = new Map<string, unknown>();
  readonly #endpoint: Endpoint;
  readonly #registries: Registries;
  /** A flat config where nested ones are documented: messages name the fields as the client does. */
  readonly #isFlatJob: boolean;

  /** Throws CONFIG_INVALID if the config or one of its groups is not an object. */
  constructor(config: unknown, endpoint: Endpoint, registries: Registries) {
    this.#endpoint = endpoint;
    this.#registries = registries;
    if (!isObject(config)) throw invalid('config', 'must be a JSON object');
    this.#isFlatJob =
      endpoint.spelling === 'nested' &&
      Object.hasOwn(config, 'input_format') &&
      !Object.hasOwn(config, 'input');
    for (const [key, value] of Object.entries(config)) {
      if (key !== 'input' && key !== 'output') this.#values.set(key, value);
      else if (isObject(value))
        for (const [inner, innerValue] of Object.entries(value))
          this.#values.set(`${key}.${inner}`, innerValue);
      else throw invalid(key, `must be an object such as {"format": "geojson"}, not ${describe(value)}`);
    }
  }

  /** The value of a field, checked by its schema; the name of a format in lower case. Throws CONFIG_INVALID, FORMAT_UNKNOWN or CRS_UNKNOWN. */
  take(id: FieldId): ConfigValue {
    const { path, value: given } = this.takeAny(this.#namesOf(id));
    if (given === undefined) return { path, value: given };
    const isFormat = id === 'inputFormat' || id === 'outputFormat';
    const value = isFormat && typeof given === 'string' ? given.trim().toLowerCase() : given;
    // Steps are checked by requested-steps.ts, with the schemas of their parameters.
    const fault = id === 'transformations' ? null : this.#check(id)(value);
    if (fault !== null) throw this.#refusal(fault, id, path, value, given);
    return { path, value };
  }

  /** The value given under any of the names. Throws CONFIG_INVALID if two of them contradict each other. */
  takeAny(names: readonly string[]): ConfigValue {
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

  /** Marks a path within a group as unknown. */
  setUnknown(path: string): void {
    this.#values.set(path, undefined);
  }

  /** Paths that were not taken. */
  unknown(): string[] {
    return [...this.#values.keys()];
  }

  /** All names of a field; the one for messages comes first. */
  #namesOf(id: FieldId): readonly string[] {
    const names = fieldNames(id, this.#endpoint);
    if (!this.#isFlatJob) return names;
    const { flat = [], flatJobName = flat[0] }: ConfigField = CONFIG_FIELDS[id];
    return flatJobName === undefined ? names : [flatJobName, ...names.filter((name) => name !== flatJobName)];
  }

  #check(id: FieldId): SchemaCheck {
    const { formats } = this.#registries;
    const checks = compiled.get(formats) ?? new Map<FieldId, SchemaCheck>();
    compiled.set(formats, checks);
    const check = checks.get(id) ?? schemaCheck(CONFIG_FIELDS[id].schema(this.#registries));
    checks.set(id, check);
    return check;
  }

  /** The error for a value that its schema rejects, worded for the field. */
  #refusal(fault: SchemaFault, id: FieldId, path: string, value: unknown, given: unknown): Error {
    if (id === 'inputFormat' || id === 'outputFormat') {
      const isKnown = id === 'inputFormat' ? isInputFormat : isOutputFormat;
      const formats = this.#registries.formats.filter(isKnown);
      const known = formats.map((format) => format.id).join(', ');
      return typeof given === 'string'
        ? failure(formatErrors.FORMAT_UNKNOWN, {
            value: given.slice(0, 40),
            path: field(path),
            hint: formatHint(given, formats, id === 'inputFormat' ? 'input' : 'output'),
            known,
          })
        : invalid(path, `must be the name of a format (${known}), not ${describe(given)}`);
    }
    if (id === 'inputCrs' || id === 'outputCrs' || id === 'appendCrs' || id === 'mergeCrs')
      try {
        const parse = id === 'outputCrs' ? parseOutputCrs : parseInputCrs;
        if (!Array.isArray(value)) parse(value, path);
        else for (const [i, entry] of value.entries()) if (entry !== null) parse(entry, `${path}[${i}]`);
      } catch (error) {
        return error as Error;
      }
    if (fault.keyword === 'maxItems' || fault.keyword === 'maxLength')
      return invalid(memberPath(path, fault.path), fault.reason);
    const { shouldBe }: ConfigField = CONFIG_FIELDS[id];
    return invalid(path, `must be ${shouldBe}, not ${describe(given)}`);
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value for a message. */
export function describe(value: unknown): string {
  return shortValue(value);
}

export function invalid(path: string, what: string): Error {
  return failure(generalErrors.CONFIG_INVALID, { detail: phrase`'${field(path)}' ${what}` });
}
