/** The formats of a job's files, by what the caller states, their names and their content. */
import type { GeomillError } from '@geomill/core/messages/errors.ts';
import type { InputContent } from '@geomill/formats/content.ts';
import {
  type Format,
  type InputFormat,
  type OutputFormat,
  type OutputVariant,
  variantNamed,
} from '@geomill/formats/format.ts';
import { isTablePath, outputFormatById } from '@geomill/formats/format-by-id.ts';
import { formatOfFile, formatOfUnnamed, lookOf, unsupportedByName } from '@geomill/formats/recognise.ts';
import { formatByFileName, inputFormats, outputFormats } from '@geomill/formats/registry.ts';
import { GZIP_EXTENSION } from '@geomill/io/gzip.ts';
import type { ConversionRequest } from '@geomill/pipeline/request.ts';
import { statOf } from './output-path.ts';

/** Where a caller states a format, and how it words refusals. */
export interface FormatKey {
  /** "--to", or the path of a member. */
  readonly name: string;
  /** "use --to with one of" */
  readonly advice: string;
  /** Advice after "name a file in it", for a directory. */
  readonly directoryAdvice: string;
  refuse(detail: string): GeomillError;
}

export interface NamedFile {
  /** Empty: the file has no name. */
  readonly name: string;
  /** The name in messages. Default: `name`. */
  readonly shown?: string;
  /** What a message says about a file without a name. */
  readonly nameless: string;
}

export interface NamedInput extends NamedFile {
  /** There is no file of this name: it may mean a database or a server. Default: false. */
  readonly isMissing?: boolean;
  /** Reads what shows the format; null: it cannot be read now. */
  content(): InputContent | null;
}

/** The format by the name of a file, else by its content. Throws what `key` makes if neither shows it. */
export function inputFormatOf(file: NamedInput, key: FormatKey): InputFormat {
  const { isMissing = false } = file;
  const name = file.name.replace(/(?<=.)[\\/]+$/, '');
  if (isMissing) refuseUnsupported(file, 'input', key);
  const named = formatOfFile(name.replace(GZIP_EXTENSION, ''), file.content);
  if (named !== null) return named;
  refuseUnsupported(file, 'input', key);
  const content = file.content();
  const found = content === null ? null : formatOfUnnamed(content);
  if (found !== null) return found;
  throw unknownFormat(
    file,
    inputFormats,
    key,
    content === null ? '' : `; it looks like ${lookOf(content.head)}`,
  );
}

export interface OutputChoice {
  readonly format: OutputFormat;
  /** Write options that the name of the format or the extension states. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** The format that `stated` is, else the one of the name of the file. Throws FORMAT_UNKNOWN, and what `key` makes. */
export function outputFormatOf(stated: unknown, file: NamedFile, key: FormatKey): OutputChoice {
  const { name, shown = name } = file;
  const plainName = name.replace(GZIP_EXTENSION, '');
  if (stated !== undefined) {
    if (typeof stated !== 'string') throw key.refuse(`'${key.name}' must be a text`);
    const format = outputFormatById(stated, key.name);
    return outputChoice(format, variantNamed(format, stated.toLowerCase()), file, key);
  }
  const format = name === '' ? null : formatByFileName(outputFormats, plainName);
  if (format !== null) {
    const lower = plainName.toLowerCase();
    const variant = format.outputVariants?.find(({ extensions }) =>
      extensions.some((one) => lower.endsWith(one)),
    );
    const choice = outputChoice(format, variant ?? null, file, key);
    const isTable = isTablePath(format, plainName);
    return isTable ? { ...choice, options: { geometry: 'none', ...choice.options } } : choice;
  }
  refuseUnsupported(file, 'output', key);
  if (name.endsWith('/') || (name !== '' && statOf(name)?.isDirectory === true))
    throw key.refuse(`'${shown}' is a directory; name a file in it${key.directoryAdvice}`);
  throw unknownFormat(file, outputFormats, key, '');
}

function outputChoice(
  format: OutputFormat,
  variant: OutputVariant | null,
  { name, shown = name }: NamedFile,
  key: FormatKey,
): OutputChoice {
  if (GZIP_EXTENSION.test(name) && format.outputExtension === '.zip')
    throw key.refuse(`'${shown}': a .zip is compressed already; remove the .gz`);
  return { format, options: variant === null ? {} : { [variant.option]: variant.values[0] } };
}

/** The members of an output that its path states: as `members`, and with the format, its variant and the files of a split. */
export function outputMembers(
  members: Readonly<Record<string, unknown>>,
  path: string | null,
  { format, options }: OutputChoice,
): Readonly<Record<string, unknown>> {
  // A path that ends with .zip gets files, also of formats with layers.
  const hasFiles = members.split_by !== undefined && path !== null && isZipName(path);
  const ofPath = hasFiles ? { split_into: 'files' } : {};
  return { ...ofPath, ...options, ...members, format: members.format ?? format.id };
}

export function isZipName(output: string): boolean {
  return /\.zip$/i.test(output);
}

function refuseUnsupported(
  { name, shown = name }: NamedFile,
  side: 'input' | 'output',
  key: FormatKey,
): void {
  const unsupported = name === '' ? null : unsupportedByName(name, side);
  if (unsupported === null) return;
  const known = idsOf(side === 'input' ? inputFormats : outputFormats);
  throw key.refuse(`'${shown}': ${unsupported}; supported formats: ${known}`);
}

function unknownFormat(
  { name, shown = name, nameless }: NamedFile,
  among: readonly Format[],
  { advice, refuse }: FormatKey,
  look: string,
): GeomillError {
  const what = name === '' ? nameless : `cannot tell the format of '${shown}' from its extension`;
  return refuse(`${what}${look}; ${advice} ${idsOf(among)}`);
}

function idsOf(among: readonly Format[]): string {
  return among.map(({ id }) => id).join(', ');
}

/** The inputs of one run of the pipeline. */
export interface RunInputs {
  /** Of all of them, except for the target of an append and in a merge. */
  readonly format: InputFormat;
  /** Of the target of an append, if it is another one. */
  readonly targetFormat?: InputFormat;
  /** Of each input of a merge, if they differ. */
  readonly formatOfEach?: readonly InputFormat[];
  /** Positions in the inputs of the job; the first is the target of an append. */
  readonly positions: readonly number[];
}

/**
 * The runs of a job on inputs with these formats. An append of files with several formats is one run for each format, each appending to the
 * output of the one before, which must keep the format of the target. `refuse`: the error for formats that one job cannot read, with the first
 * position of another format.
 */
export function runsByFormat(
  operation: ConversionRequest['operation'],
  formats: readonly InputFormat[],
  output: OutputFormat,
  refuse: (other: number) => Error,
): readonly RunInputs[] {
  const [first, ...others] = formats;
  const positions = [...formats.keys()];
  const other = formats.findIndex((format) => format !== first);
  if (other < 0) return [{ format: first, positions }];
  if (operation === 'merge') return [{ format: first, formatOfEach: formats, positions }];
  if (operation !== 'append' || !first.isExtendable || (output as Format) !== first) throw refuse(other);
  const byFormat = Map.groupBy(others.keys(), (i) => others[i]);
  return [...byFormat].map(([format, indexes]) => ({
    format,
    ...(format === first ? {} : { targetFormat: first }),
    positions: [0, ...indexes.map((i) => i + 1)],
  }));
}
