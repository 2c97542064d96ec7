/** Unknown keys of a config: those that look like a known one are refused, because ignoring them changes the result. */
import { misspelled } from '@geomill/core/messages/did-you-mean.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { shortText } from '@geomill/core/messages/short-text.ts';
import { isInputFormat, isOutputFormat } from '@geomill/formats/format.ts';
import {
  CONFIG_FIELDS,
  type ConfigField,
  type Endpoint,
  type FieldId,
  fieldNames,
  groupNames,
  optionNames,
  type Registries,
} from './config-fields.ts';
import { type ConfigValues, invalid } from './config-values.ts';
import { requestFindings } from './messages.ts';

/** Only so many unknown keys are compared; a config may contain very many. */
const MAX_COMPARED = 20;

/** Names that other documents use for a key. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([['steps', 'transformations']]);

interface KnownNames {
  /** Names of this endpoint, which are suggested. */
  readonly here: readonly string[];
  /** With those of other operations. */
  readonly anywhere: ReadonlySet<string>;
}

const namesByEndpoint = new WeakMap<Registries['formats'], Map<string, KnownNames>>();

/** The first key that looks like a known one, and the names that may be meant; null if there is none. */
export function misspelledKey(
  keys: readonly string[],
  endpoint: Endpoint,
  registries: Registries,
): { readonly key: string; readonly meant: readonly string[] } | null {
  const { here, anywhere } = namesFor(endpoint, registries);
  const unknown = keys.filter((key) => !anywhere.has(key)).slice(0, MAX_COMPARED);
  for (const key of unknown) {
    const meant = meantBy(key, here);
    if (meant.length > 0) return { key, meant };
  }
  return null;
}

function meantBy(key: string, known: readonly string[]): readonly string[] {
  const synonym = SYNONYMS.get(key.toLowerCase());
  if (synonym !== undefined && known.includes(synonym)) return [synonym];
  const [group, leaf] = split(key);
  const beside = known.filter((name) => split(name)[0] === group);
  const near = misspelled(
    leaf,
    beside.map((name) => split(name)[1]),
  );
  if (near !== null) return [group === '' ? near : `${group}.${near}`];
  // The same member at another level: 'precision' for 'output.precision'.
  const elsewhere = known.filter((name) => split(name)[0] !== group);
  return elsewhere.filter((name) => split(name)[1] === leaf.toLowerCase()).slice(0, 2);
}

/** "output.format" as ["output", "format"]; a name without group is its own leaf. */
function split(name: string): readonly [group: string, leaf: string] {
  const dot = name.indexOf('.');
  return dot < 0 ? ['', name] : [name.slice(0, dot), name.slice(dot + 1)];
}

function namesFor(endpoint: Endpoint, registries: Registries): KnownNames {
  const byEndpoint = namesByEndpoint.get(registries.formats) ?? new Map<string, KnownNames>();
  namesByEndpoint.set(registries.formats, byEndpoint);
  const id = `${endpoint.operation} ${endpoint.spelling}`;
  const names = byEndpoint.get(id) ?? collectNames(endpoint, registries);
  byEndpoint.set(id, names);
  return names;
}

function collectNames(endpoint: Endpoint, { formats }: Registries): KnownNames {
  const fields = Object.keys(CONFIG_FIELDS) as FieldId[];
  const isHere = (id: FieldId): boolean => {
    const { operations }: ConfigField = CONFIG_FIELDS[id];
    return operations.includes(endpoint.operation);
  };
  const options = formats.flatMap((format) => [
    ...(isInputFormat(format)
      ? Object.keys(format.readOptions.properties).flatMap((name) => optionNames('input', name, endpoint))
      : []),
    ...(isOutputFormat(format)
      ? Object.keys(format.writeOptions.properties).flatMap((name) => optionNames('output', name, endpoint))
      : []),
    ...(format.readOptionsKey === undefined ? [] : groupNames(format.readOptionsKey, endpoint)),
  ]);
  const here = fields.filter(isHere).flatMap((id) => fieldNames(id, endpoint));
  const known = [...new Set(['input', 'output', ...here, ...options])];
  return {
    here: known,
    anywhere: new Set([...known, ...fields.flatMap((id) => fieldNames(id, endpoint))]),
  };
}

/** Maximum number of unknown keys that are named in the report. */
const MAX_UNKNOWN_KEYS = 20;

export function refuseMisspelledKey(values: ConfigValues, endpoint: Endpoint, registries: Registries): void {
  const found = misspelledKey(values.unknown(), endpoint, registries);
  if (found === null) return;
  const meant = found.meant.map((name) => `'${name}'`).join(' or ');
  throw invalid(shortText(found.key, 100), `is an unknown key; did you mean ${meant}?`);
}

export function refuseUnknownKeys(paths: readonly string[]): void {
  if (paths.length === 0) return;
  const more = paths.length === 1 ? '' : `, as are ${paths.length - 1} more`;
  throw invalid(shortText(paths[0], 100), `is an unknown key${more}; remove it, or set 'strict' to false`);
}

/** Names the first unknown keys and counts the others, because a config may contain very many. */
export function noteUnknownKeys(paths: readonly string[], findings: Findings): void {
  for (const path of paths.slice(0, MAX_UNKNOWN_KEYS))
    findings.note(requestFindings.UNKNOWN_KEY, { path: path.slice(0, 100) });
  const count = paths.length - MAX_UNKNOWN_KEYS;
  if (count > 0) findings.note(requestFindings.UNKNOWN_KEYS, { count });
}
