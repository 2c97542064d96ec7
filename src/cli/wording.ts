/** Errors and findings name the fields of a request; on a command line the same things are flags. */
import type { GeomillError } from '../errors.ts';
import { formats } from '../formats/registry.ts';
import { transformations } from '../transformations/registry.ts';
import type { Transformation } from '../transformations/transformation.ts';
import { flagName } from './arguments.ts';

let flagByField: ReadonlyMap<string, string> | undefined;

/** The text with every field of a request that has a flag under the name of the flag. */
export function inFlags(text: string): string {
  flagByField ??= fieldFlags();
  const flags = flagByField;
  return text
    .replace(/\b(?:input|output|[a-z]+_options)\.[a-z_]+/g, (field) => flags.get(field) ?? field)
    .replace(/'--[a-z-]+\.([a-z_]+)'/g, (path, parameter: string) => stepFlags().get(parameter) ?? path)
    .replace(/'([a-z_]+)'/g, (quoted, parameter: string) => stepFlags().get(parameter) ?? quoted);
}

/** An error in one line, with the file where it is one of several and the message does not name it. */
export function errorLine({ message, location }: GeomillError): string {
  const file = location?.file;
  const where = file === undefined || message.includes(file) ? '' : `'${file}': `;
  return `${where}${inFlags(message)}`;
}

let flagByParameter: ReadonlyMap<string, string> | undefined;

/** Parameters of steps that have flags of their own, such as `aggregate`. */
function stepFlags(): ReadonlyMap<string, string> {
  flagByParameter ??= new Map(
    (transformations as readonly Transformation[]).flatMap(({ commandLine }) =>
      (commandLine?.modifiers ?? []).map(({ flag }) => [flag.replaceAll('-', '_'), `--${flag}`] as const),
    ),
  );
  return flagByParameter;
}

function fieldFlags(): ReadonlyMap<string, string> {
  const flags = new Map([
    ['input.epsg', '--from-crs'],
    ['output.epsg', '--to-crs'],
    ['input.layer', '--layer'],
  ]);
  for (const { readOptions, readOptionsKey, writeOptions } of formats) {
    for (const name of Object.keys(readOptions.properties)) {
      flags.set(`input.${name}`, `--${flagName('in', name)}`);
      if (readOptionsKey !== undefined) flags.set(`${readOptionsKey}.${name}`, `--${flagName('in', name)}`);
    }
    for (const name of Object.keys(writeOptions.properties))
      flags.set(`output.${name}`, `--${flagName('out', name)}`);
  }
  return flags;
}
