/** Where an output goes: to a path of the caller, or to the temporary directory, from which it is returned. */
import { mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { failure } from '@geomill/core/messages/errors.ts';
import { type OutputFormat, variantNamed } from '@geomill/formats/format.ts';
import { outputFormatById, pathsBeside } from '@geomill/formats/format-by-id.ts';
import { unsupportedByName } from '@geomill/formats/recognise.ts';
import { formatByFileName, outputFormats } from '@geomill/formats/registry.ts';
import { ioErrors } from '@geomill/io/errors.ts';
import { GZIP_EXTENSION } from '@geomill/io/gzip.ts';
import { type ExpectedFile, fileState } from '@geomill/io/output-place.ts';
import { invalidJob } from './messages.ts';
import { pathOf, statOf } from './staged-inputs.ts';
import type { Output, OutputOptions } from './types.ts';

export interface StatedOutput {
  /** Null: the output is returned. */
  readonly path: string | null;
  readonly name: string | undefined;
  readonly overwrite: boolean;
  /** Those of a job document, with the format and what its name or the ending of the path state. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly format: OutputFormat;
}

/** Throws CONFIG_INVALID and FORMAT_UNKNOWN. */
export function statedOutput(output: Output | undefined): StatedOutput {
  if (output === undefined || output === null)
    throw invalidJob("'output' is required: a path, or an object with 'path' or 'format'");
  const options: OutputOptions =
    typeof output === 'string' || output instanceof URL ? { path: output } : output;
  const { path: stated, name, overwrite = false, ...members } = options;
  if (typeof overwrite !== 'boolean') throw invalidJob("'output.overwrite' must be true or false");
  const path = stated === undefined ? null : pathOf(stated, 'output.path');
  const { format, variant } = chosenFormat(members.format, path ?? name);
  const ofVariant = variant === null ? {} : { [variant.option]: variant.values[0] };
  // As on the command line, a path that ends with .zip gets files, also of formats with layers.
  const hasFiles = members.split_by !== undefined && path !== null && /\.zip$/i.test(path);
  const ofPath = hasFiles ? { split_into: 'files' } : {};
  return {
    ...{ path, name, overwrite, format },
    members: { ...ofPath, ...ofVariant, ...members, format: members.format ?? format.id },
  };
}

type Variant = ReturnType<typeof variantNamed>;

function chosenFormat(
  stated: unknown,
  name: string | undefined,
): { readonly format: OutputFormat; readonly variant: Variant } {
  if (stated !== undefined) {
    if (typeof stated !== 'string') throw invalidJob("'output.format' must be a text");
    const format = outputFormatById(stated, 'output.format');
    return { format, variant: variantNamed(format, stated.toLowerCase()) };
  }
  const advice = `set 'output.format' to one of ${outputFormats.map(({ id }) => id).join(', ')}`;
  if (name === undefined) throw invalidJob(`the output has neither 'path' nor 'format'; ${advice}`);
  const plain = name.replace(GZIP_EXTENSION, '');
  const format = formatByFileName(outputFormats, plain);
  if (format === null) {
    const reason =
      unsupportedByName(plain, 'output') ?? `cannot tell the format of '${name}' from its extension`;
    throw invalidJob(`'output.path': ${reason}; ${advice}`);
  }
  const lower = plain.toLowerCase();
  const variant = format.outputVariants?.find(({ extensions }) =>
    extensions.some((one) => lower.endsWith(one)),
  );
  return { format, variant: variant ?? null };
}

export interface CheckedPath {
  /** Where the output really goes. */
  readonly path: string;
  readonly expected: readonly ExpectedFile[];
}

/**
 * Checks that an output can be put at `path`. `target`: the path of the input that an append extends, which the output may replace. Throws
 * CONFIG_INVALID for a file that must not be replaced, and OUTPUT_NOT_WRITABLE.
 */
export function checkedPath(
  path: string,
  use: { readonly overwrite: boolean; readonly inputs: readonly string[]; readonly target: string | null },
): CheckedPath {
  const directory = dirname(resolve(path));
  if (statOf(directory)?.isDirectory() !== true)
    throw failure(ioErrors.OUTPUT_NOT_WRITABLE, { path, reason: `there is no directory '${directory}'` });
  const real = statOf(path) === null ? path : realpathSync(path);
  const companions = pathsBeside(real);
  for (const file of [real, ...companions]) {
    const stats = statOf(file);
    if (stats === null) continue;
    if (!stats.isFile()) throw invalidJob(`'output.path': '${file}' is not a regular file`);
    if (!use.overwrite)
      throw invalidJob(`'output.path': '${file}' exists; set 'output.overwrite' to true to replace it`);
    if (use.inputs.some((input) => input !== use.target && isSame(input, stats)))
      throw invalidJob(`'output.path': '${file}' is the input itself; give the output another name`);
  }
  // The state is also compared where a file is to be replaced: another call may be writing the same output.
  const expected = [real, ...companions].map((file) => ({
    path: file,
    name: basename(file),
    state: fileState(file),
  }));
  return { path: real, expected };
}

function isSame(input: string, { dev, ino }: { readonly dev: number; readonly ino: number }): boolean {
  const stats = statOf(input);
  return stats !== null && stats.dev === dev && stats.ino === ino;
}

/** The files of an output that is returned. */
export function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory)
    .sort()
    .map((name) => join(directory, name));
}

export function newDirectory(path: string): string {
  mkdirSync(path, { recursive: true });
  return path;
}
