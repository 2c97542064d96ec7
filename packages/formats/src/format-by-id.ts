import { didYouMean } from '@geomill/core/messages/did-you-mean.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { formatErrors } from './errors.ts';
import type { Format, InputFormat, OutputFormat } from './format.ts';
import { unsupportedByName } from './recognise.ts';
import { inputFormats, outputFormats } from './registry.ts';

/** The format with an id or alias in lower case. */
export function formatNamed<Known extends Format>(among: readonly Known[], name: string): Known | undefined {
  return among.find(({ id, aliases }) => id === name || aliases.includes(name));
}

/** The format of which the file is one of several that are one input; null: a file of that name is an input. */
export function formatOfPart(name: string): InputFormat | null {
  const lower = name.toLowerCase();
  const has = ({ fileParts }: Format): boolean => fileParts?.some((part) => lower.endsWith(part)) === true;
  return inputFormats.find(has) ?? null;
}

/** The paths of the other files of an input or output of several files, of which this path is that of the first; empty: it is one file. */
export function pathsBeside(path: string): string[] {
  const { fileParts = [], tableParts = [] } = formatOfPart(path) ?? {};
  for (const [main, ...others] of [fileParts, tableParts])
    if (main !== undefined && path.toLowerCase().endsWith(main))
      return others.map((extension) => path.slice(0, -main.length) + extension);
  return [];
}

/** Whether an output with this path is a table without geometries. */
export function isTablePath({ tableParts }: Format, path: string): boolean {
  return tableParts !== undefined && path.toLowerCase().endsWith(tableParts[0]);
}

/** The format with an id or alias, ignoring case. Throws FORMAT_UNKNOWN; `path` is the path of the id in the request. */
export const inputFormatById = (id: string, path: string): InputFormat =>
  formatById(inputFormats, id, path, 'input');
export const outputFormatById = (id: string, path: string): OutputFormat =>
  formatById(outputFormats, id, path, 'output');

function formatById<Known extends Format>(
  among: readonly Known[],
  id: string,
  path: string,
  side: 'input' | 'output',
): Known {
  const format = formatNamed(among, id.trim().toLowerCase());
  if (format !== undefined) return format;
  throw failure(formatErrors.FORMAT_UNKNOWN, {
    value: id.slice(0, 40),
    path: field(path),
    hint: formatHint(id, among, side),
    known: among.map((known) => known.id).join(', '),
  });
}

/** What a name that is no format of `among` may mean: a format that is not supported, or one of them misspelled. */
export function formatHint(name: string, among: readonly Format[], side: 'input' | 'output'): string {
  const unsupported = unsupportedByName(`.${name.trim()}`, side);
  if (unsupported !== null) return ` (${unsupported})`;
  return didYouMean(
    name.trim(),
    among.flatMap(({ id, aliases }) => [id, ...aliases]),
  );
}
