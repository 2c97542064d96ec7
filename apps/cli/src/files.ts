/** Checks the files of a command line before any work, so that errors name the path as it was given. */
import {
  accessSync,
  constants,
  createReadStream,
  createWriteStream,
  mkdirSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { pathsBeside } from '@geomill/formats/format-by-id.ts';
import { ioErrors } from '@geomill/io/errors.ts';
import { type ExpectedFile, fileState } from '@geomill/io/output-place.ts';
import { isUrl, shownInput } from './urls.ts';

export interface InputFile {
  /** A regular file. */
  readonly path: string;
  /** For messages and the report. */
  readonly name: string;
}

/**
 * The input as a file that can be read at any place: itself, or a copy at the path `copy` of what can only be read from
 * its beginning (standard input, a named pipe). Throws FILE_NOT_FOUND.
 */
export async function stageInput(path: string, copy: string, signal: AbortSignal): Promise<InputFile> {
  if (path === '-') {
    await pipeline(process.stdin, createWriteStream(copy), { signal });
    return { path: copy, name: 'standard input' };
  }
  const stats = inputStats(path);
  // SQLite keeps its log beside the file that a link leads to.
  if (stats.isFile()) return { path: realpathSync(path), name: basename(path) };
  await pipeline(createReadStream(path), createWriteStream(copy), { signal });
  return { path: copy, name: basename(path) };
}

/** Of an input file, which is no directory. Throws FILE_NOT_FOUND with what to write instead. */
export function inputStats(path: string): Stats {
  const stats = statOf(path);
  if (stats === null)
    throw failure(ioErrors.FILE_NOT_FOUND, { path, reason: `there is no such file${layerHint(path)}` });
  if (stats.isDirectory()) {
    const pattern = join(path, '*.gpkg');
    const reason = `it is a directory; for all files in it write a pattern, such as '${pattern}', and --out-dir DIR`;
    throw failure(ioErrors.FILE_NOT_FOUND, { path, reason });
  }
  return stats;
}

/** "city.gpkg:roads" names a layer only for masks. */
function layerHint(path: string): string {
  const colon = path.lastIndexOf(':');
  const file = path.slice(0, colon);
  if (colon <= 0 || statOf(file)?.isFile() !== true) return '';
  return `; for a layer of '${file}' add --layer ${path.slice(colon + 1)}`;
}

const READ_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a directory',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  ENOTDIR: 'a part of the path is not a directory',
};

/** Why a file could not be read, in words. */
export function readFailure(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return READ_FAILURES[code ?? ''] ?? message;
}

export interface OutputPath {
  /** Where the output goes. */
  readonly path: string;
  /** The output replaces the first input. */
  readonly isUpdate: boolean;
  /**
   * What must be there when the output is complete: the file to update, unchanged, or no file. Missing: anything, because
   * the user wants what is there to be replaced.
   */
  readonly expected?: readonly ExpectedFile[];
}

/**
 * Checks that an output can be put at `path`, and tells where that really is. A file is replaced only with `overwrite`; an
 * input only if it is the first and that one is to be updated. What is no file is never replaced: the output is moved to
 * its name, so a device or a pipe would be gone. Throws USAGE or OUTPUT_NOT_WRITABLE.
 */
export function checkOutput(
  path: string,
  use: {
    readonly inputs: readonly string[];
    readonly overwrite: boolean;
    readonly isUpdate: boolean;
    /** Layers are added to the file, which must exist. */
    readonly isExtended?: boolean;
  },
): OutputPath {
  refuseUrl(path);
  const stats = statOf(path);
  if (use.isExtended && stats === null)
    throw failure(generalErrors.USAGE, {
      detail: `'${path}' does not exist; leave out --update to create it`,
    });
  let isUpdate = false;
  if (stats !== null) {
    const same = use.inputs.filter((input) => isSameFile(input, stats));
    const isUpdated = use.isUpdate && same.length === 1 && same[0] === use.inputs[0];
    if (same.length > 0 && !isUpdated && !use.isExtended)
      throw failure(generalErrors.USAGE, {
        detail: `'${path}' is the input itself; give the output another name`,
      });
    if (!stats.isFile()) {
      const what = stats.isDirectory()
        ? 'a directory; name a file in it, or use --out-dir'
        : "not a regular file; write to '-'";
      throw failure(generalErrors.USAGE, { detail: `'${path}' is ${what}` });
    }
    if (!use.overwrite && !use.isExtended) {
      const what = isUpdated
        ? 'is the target; say --overwrite to update it'
        : 'exists; say --overwrite to replace it';
      throw failure(generalErrors.USAGE, { detail: `'${path}' ${what}` });
    }
    // Not the link but the file that it leads to is to be updated.
    if (isUpdated || use.isExtended) path = writableFile(path);
    isUpdate = isUpdated;
  }
  const directory = dirname(resolve(path));
  if (statOf(directory)?.isDirectory() !== true)
    throw failure(ioErrors.OUTPUT_NOT_WRITABLE, { path, reason: `there is no directory '${directory}'` });
  try {
    accessSync(directory, constants.W_OK);
  } catch (error) {
    const reason = `the directory '${directory}' is not writable`;
    throw failure(ioErrors.OUTPUT_NOT_WRITABLE, { path, reason }, undefined, error);
  }
  const others = pathsBeside(path);
  refuseCompanions(path, others, use.overwrite || stats !== null);
  if (stats !== null && !isUpdate && !use.isExtended) return { path, isUpdate };
  return { path, isUpdate, expected: [path, ...others].map(expectedFile) };
}

/** The files of an output that has several must not replace others either. */
function refuseCompanions(path: string, others: readonly string[], mayReplace: boolean): void {
  for (const other of others) {
    const stats = statOf(other);
    if (stats === null) continue;
    if (!stats.isFile())
      throw failure(generalErrors.USAGE, {
        detail: `'${other}', which belongs to '${path}', is not a regular file`,
      });
    if (!mayReplace)
      throw failure(generalErrors.USAGE, {
        detail: `'${other}', which belongs to '${path}', exists; say --overwrite to replace it`,
      });
  }
}

function refuseUrl(path: string): void {
  if (isUrl(path))
    throw failure(generalErrors.USAGE, { detail: `'${shownInput(path)}' is a URL; an output is a file` });
}

/** With its parents, if they do not exist. Throws USAGE for a URL, and OUTPUT_NOT_WRITABLE. */
export function makeDirectory(path: string): void {
  refuseUrl(path);
  // One after the other: mkdir with `recursive` never returns below /proc.
  const missing: string[] = [];
  for (let at = resolve(path); statOf(at) === null; at = dirname(at)) missing.push(at);
  for (const directory of missing.reverse())
    try {
      mkdirSync(directory);
    } catch (error) {
      // Another program may have made it.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw asOutputFailure(error, directory);
    }
  if (statOf(path)?.isDirectory() !== true)
    throw failure(ioErrors.OUTPUT_NOT_WRITABLE, { path, reason: 'it is not a directory' });
}

function expectedFile(path: string): ExpectedFile {
  return { path, name: basename(path), state: fileState(path) };
}

function writableFile(path: string): string {
  const real = realpathSync(path);
  try {
    accessSync(real, constants.W_OK);
  } catch (error) {
    throw failure(ioErrors.OUTPUT_NOT_WRITABLE, { path, reason: 'the file is read-only' }, undefined, error);
  }
  return real;
}

/** By whatever names: links, letter case. */
export function isSameFile(input: string, { dev, ino }: Stats): boolean {
  const stats = input === '-' || isUrl(input) ? null : statOf(input);
  return stats !== null && stats.dev === dev && stats.ino === ino;
}

const DISK_REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than the file system allows',
  EROFS: 'the file system is read-only',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EIO: 'the device reports an error',
  EPIPE: 'its reader has gone',
  ENOENT: 'its directory takes no new files',
  ENOTDIR: 'a part of the path is not a directory',
};

/** The user's error for a failed write of the output; other errors unchanged. */
export function asOutputFailure(thrown: unknown, path: string): unknown {
  const cause = thrown instanceof GeomillError ? thrown.cause : thrown;
  if (!(cause instanceof Error) || !('code' in cause) || !('syscall' in cause)) return thrown;
  if (thrown instanceof GeomillError && thrown.code !== 'INTERNAL') return thrown;
  const reason = DISK_REASONS[String(cause.code)];
  if (reason === undefined) return thrown;
  const shown = path === '-' ? 'standard output' : path;
  return failure(ioErrors.OUTPUT_NOT_WRITABLE, { path: shown, reason }, undefined, thrown);
}

const NAME_REASONS: Readonly<Record<string, string>> = {
  ENOTDIR: 'a part of the path is not a directory',
  EACCES: 'permission is denied',
  ELOOP: 'its symbolic links lead in a circle',
  ENAMETOOLONG: 'the name is too long',
  ERR_INVALID_ARG_VALUE: 'the name contains a null character',
};

/** Null if there is no such file. Throws FILE_NOT_FOUND for a path that leads to no file. */
export function statOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    const reason = NAME_REASONS[(error as NodeJS.ErrnoException).code ?? ''];
    if (reason === undefined) throw error;
    throw failure(ioErrors.FILE_NOT_FOUND, { path, reason }, undefined, error);
  }
}
