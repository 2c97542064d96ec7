/** Messages of the command line: they name the flag of each field of a request. The flags come from the registries. */
import { GeomillError } from '@geomill/core/messages/errors.ts';
import { type FieldForm, textOf } from '@geomill/core/messages/message.ts';
import { formats } from '@geomill/formats/registry.ts';
import { transformations } from '@geomill/operations/registry.ts';
import type { CommandLineModifier, Transformation } from '@geomill/operations/transformation.ts';
import { flagName } from './arguments.ts';

export const FLAG_FORM: FieldForm = {
  name: flagOf,
  required: (path) => `${flagOf(path)} is required`,
  set(path, value) {
    const flag = flagOf(path);
    if (value !== null && / \w+$/.test(flag)) return `add ${flag}=${value}`;
    const takesValue = value !== null && !(value === 'true' && isSwitch(flag));
    return `add ${flag}${takesValue ? ` ${value}` : ''}`;
  },
};

/** An error in one line, with the file where it is one of several and the message does not name it. */
export function errorLine(error: GeomillError, form = FLAG_FORM): string {
  const { message, location } = error.inForm(form);
  const file = location?.file;
  const where = file === undefined || message.includes(file) ? '' : `'${file}': `;
  return `${where}${message}`;
}

/** The suggestions of an error as lines with the flag to add. */
export function suggestionLines({ suggestions, params }: GeomillError, form = FLAG_FORM): string {
  const width = Math.max(0, ...suggestions.map(({ crs }) => crs.length));
  const flag = textOf(params.path ?? '', form);
  return suggestions.map(({ crs, name }) => `  ${flag} ${crs.padEnd(width)}   ${name}\n`).join('');
}

/** The flag of a field; a path of an unknown field stays as it is. */
function flagOf(path: string): string {
  const [, flag, inner] = /^--([a-z-]+)(?:[.[](.*))?$/.exec(path) ?? [];
  if (flag === undefined) {
    const parameter = /^step\.(\w+)$/.exec(path)?.[1];
    if (parameter !== undefined)
      return `--${modifiers(parameter)[0]?.flag ?? parameter.replaceAll('_', '-')}`;
    fieldFlags ??= flagsOfFields();
    return fieldFlags.get(path) ?? path;
  }
  return inner === undefined ? path : stepFlag(flag, inner);
}

/** The flag that states a parameter of a step: "--aggregate" for the path "--dissolve.aggregate.pop". */
function stepFlag(flag: string, inner: string): string {
  const [, step, position] = /^(\d+)\](?:\.params)?\.?(.*)$/.exec(inner) ?? [];
  if (step !== undefined)
    return `--${flag}, step ${Number(step) + 1}${position === '' ? '' : `, ${position}`}`;
  const [parameter] = inner.split(/[.[]/, 1);
  const modifier = modifiers(parameter, flag)[0];
  // The rest is a position in the value, which may be a file.
  const within = inner.slice(parameter.length).replace(/^\./, '');
  if (modifier !== undefined)
    return `--${modifier.flag}${modifier.placeholder === 'NAME=VALUE' && within !== '' ? ` ${within}` : ''}`;
  return within === '' ? `--${flag}` : `--${flag} (${within})`;
}

/** Flags of a parameter, of the steps with this flag or of all. */
function modifiers(parameter: string, flag?: string): readonly CommandLineModifier[] {
  return (transformations as readonly Transformation[])
    .filter(({ commandLine }) => flag === undefined || commandLine?.flag === flag)
    .flatMap(({ commandLine }) => commandLine?.modifiers ?? [])
    .filter((modifier) => modifier.flag.replaceAll('-', '_') === parameter);
}

const SWITCHES = new Set(['--overwrite', '--drop-other-content', '--accept-impossible-coordinates']);

function isSwitch(flag: string): boolean {
  return SWITCHES.has(flag) || modifiers(flag.slice(2).replaceAll('-', '_'))[0]?.placeholder === null;
}

let fieldFlags: ReadonlyMap<string, string> | undefined;

function flagsOfFields(): ReadonlyMap<string, string> {
  const flags = new Map([
    ['input.format', '--from'],
    ['output.format', '--to'],
    ['input.epsg', '--from-crs'],
    ['output.epsg', '--to-crs'],
    ['input.layer', '--layer'],
    ['output.layer_name', '--layer-name'],
    ['output.split_by', '--split-by'],
    ['output.replace_layers', '--overwrite'],
    ['output.drop_other_content', '--drop-other-content'],
    ['attributes', '--attributes'],
    ['source_field', '--source-field'],
    ['fail_on', '--fail-on'],
    ['accept_impossible_coordinates', '--accept-impossible-coordinates'],
    // Of the forms that users and keys are created with.
    ['name', '--name'],
    ['owner', '--owner'],
    ['scopes', '--scope'],
    ['expiry', '--expires'],
    ['email', 'EMAIL'],
    ['password', '--password-stdin'],
  ]);
  for (const { readOptions, readOptionsKey = 'input', writeOptions } of formats) {
    for (const name of Object.keys(readOptions.properties))
      for (const parent of ['input', readOptionsKey])
        flags.set(`${parent}.${name}`, `--${flagName('in', name)}`);
    for (const name of Object.keys(writeOptions.properties))
      flags.set(`output.${name}`, `--${flagName('out', name)}`);
  }
  return flags;
}

const MAX_SUGGESTED = 3;
/** Words for "no CRS" are also the beginning of place names. */
const NO_NAME = /^(?:none|null|nil|no|unknown|undefined)$/i;
/** What a name consists of; definitions have brackets, and codes have been looked up already. */
const NAME = /^[\p{L}\d][\p{L}\d\s/().,+-]*$/u;

/** A CRS_UNKNOWN error with suggestions if its text is the name of known systems; any other error as it is. */
export async function withNamedSystems(error: GeomillError): Promise<GeomillError> {
  if (error.code !== 'CRS_UNKNOWN') return error;
  const name = textOf(error.params.definition, FLAG_FORM).trim();
  if (NO_NAME.test(name) || !NAME.test(name)) return error;
  const { CrsSearch } = await import('@geomill/crs-search/crs-search.ts');
  const hits = new CrsSearch().search(name, MAX_SUGGESTED);
  const suggestions = hits.map((hit) => `${hit.code} ${hit.name}`).join('\n');
  return new GeomillError(error.entry, { ...error.params, suggestions }, error.location, error.cause);
}
