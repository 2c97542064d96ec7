import { failure } from '../errors.ts';
import { field } from '../message.ts';
import type { Format, InputFormat, OutputFormat } from './format.ts';
import { inputFormats, outputFormats } from './registry.ts';

/** The format with an id or alias in lower case. */
export function formatNamed<Known extends Format>(among: readonly Known[], name: string): Known | undefined {
  return among.find(({ id, aliases }) => id === name || aliases.includes(name));
}

/** The format with an id or alias, ignoring case. Throws FORMAT_UNKNOWN; `path` is the path of the id in the request. */
export const inputFormatById = (id: string, path: string): InputFormat => formatById(inputFormats, id, path);
export const outputFormatById = (id: string, path: string): OutputFormat =>
  formatById(outputFormats, id, path);

function formatById<Known extends Format>(among: readonly Known[], id: string, path: string): Known {
  const format = formatNamed(among, id.trim().toLowerCase());
  if (format !== undefined) return format;
  throw failure('FORMAT_UNKNOWN', {
    value: id.slice(0, 40),
    path: field(path),
    known: among.map((known) => known.id).join(', '),
  });
}
