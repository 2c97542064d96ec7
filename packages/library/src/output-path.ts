/** Checks of the path of an output before any work, for every caller: only the words of the messages differ. */
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { pathsBeside } from '@geomill/formats/format-by-id.ts';
import { ioErrors } from '@geomill/io/errors.ts';
import { type ExpectedFile, fileState } from '@geomill/io/output-place.ts';
import { sidecarPath } from '@geomill/pipeline/sidecar/find-sidecar.ts';
import {
  type FileFacts,
  fileFacts,
  isFileError,
  realPath,
  requireWritable,
} from '@geomill/platform/files.ts';
import { absolutePath, directoryOf, fileName } from '@geomill/platform/paths.ts';

/** How a caller words the refusal of an output path. */
export interface OutputWords {
  refuse(detail: string): GeomillError;
  /** What permits that a file is replaced: "say --overwrite". */
  readonly overwrite: string;
  /** What permits that a file is missing to which layers are to be added: "leave out --update". */
  readonly create: string;
  /** Advice after "name a file in it", for a directory. */
  readonly directoryAdvice: string;
  /** Advice after "is not a regular file". */
  readonly deviceAdvice: string;
}

export interface OutputUse {
  /** Paths of files that are read; what is no file is ignored. */
  readonly inputs: readonly string[];
  readonly overwrite: boolean;
  /** The output may replace the first input. */
  readonly isUpdate: boolean;
  /** Layers are added to the file, which must exist. Default: false. */
  readonly isExtended?: boolean;
  /**
   * Other calls may write the same output: a file that is to be replaced must stay as it is until then, and a link is followed. Default: whatever
   * is there, also a link, is replaced, because the user wants that.
   */
  readonly isGuarded?: boolean;
  /** A sidecar is written beside the output. Default: none is. */
  readonly hasSidecar?: boolean;
}

export interface OutputPath {
  /** Where the output goes. */
  readonly path: string;
  /** The output replaces the first input. */
  readonly isUpdate: boolean;
  /** What must be there when the output is complete: the file to update, unchanged, or no file. Default: anything. */
  readonly expected?: readonly ExpectedFile[];
}

/**
 * Checks that an output can be put at `path`. A file is replaced only with `overwrite`; an input only if it is the first and that one is to be
 * updated. What is no file is never replaced: the output is moved to its name, so a device or a pipe would be gone. Throws what `words` makes,
 * FILE_NOT_FOUND and OUTPUT_NOT_WRITABLE.
 */
export function checkOutputPath(stated: string, use: OutputUse, words: OutputWords): OutputPath {
  const stats = statOf(stated);
  const { isExtended = false, isGuarded = false } = use;
  if (stats === null && isExtended)
    throw words.refuse(`'${stated}' does not exist; ${words.create} to create it`);
  const isUpdated = stats !== null && checkReplaced(stated, stats, use, words);
  const isKept = isUpdated || isExtended;
  // Not the link but the file that it leads to is to be updated.
  const path =
    stats === null ? stated : isKept ? writableFile(stated) : isGuarded ? realPath(stated) : stated;
  checkDirectory(path);
  const others = [...pathsBeside(path), ...(use.hasSidecar === true ? [sidecarPath(path)] : [])];
  for (const other of others) checkCompanion(other, path, use, use.overwrite || stats !== null, words);
  if (stats !== null && !isKept && !isGuarded) return { path, isUpdate: false };
  return { path, isUpdate: isUpdated, expected: [path, ...others].map(expectedFile) };
}

/** Whether the file at `path` is the first input, which is to be updated. Throws for a file that must not be replaced. */
function checkReplaced(path: string, stats: FileFacts, use: OutputUse, words: OutputWords): boolean {
  const same = use.inputs.filter((input) => isSameFile(input, stats));
  const isUpdated = use.isUpdate && same.length === 1 && same[0] === use.inputs[0];
  if (same.length > 0 && !isUpdated && use.isExtended !== true)
    throw words.refuse(`'${path}' is the input itself; give the output another name`);
  if (stats.isDirectory)
    throw words.refuse(`'${path}' is a directory; name a file in it${words.directoryAdvice}`);
  if (!stats.isFile) throw words.refuse(`'${path}' is not a regular file${words.deviceAdvice}`);
  if (!use.overwrite && use.isExtended !== true)
    throw words.refuse(
      isUpdated
        ? `'${path}' is the target; ${words.overwrite} to update it`
        : `'${path}' exists; ${words.overwrite} to replace it`,
    );
  return isUpdated;
}

/** The files of an output that has several must not replace others either. */
function checkCompanion(
  other: string,
  path: string,
  { inputs }: OutputUse,
  mayReplace: boolean,
  words: OutputWords,
): void {
  const stats = statOf(other);
  if (stats === null) return;
  const named = `'${other}', which belongs to '${path}',`;
  if (!stats.isFile) throw words.refuse(`${named} is not a regular file`);
  if (!mayReplace) throw words.refuse(`${named} exists; ${words.overwrite} to replace it`);
  if (inputs.some((input) => isSameFile(input, stats)))
    throw words.refuse(`${named} is an input; give the output another name`);
}

function checkDirectory(path: string): void {
  const directory = directoryOf(absolutePath(path));
  if (statOf(directory)?.isDirectory !== true)
    throw failure(ioErrors.OUTPUT_NOT_WRITABLE, { path, reason: `there is no directory '${directory}'` });
  try {
    requireWritable(directory);
  } catch (error) {
    const reason = `the directory '${directory}' is not writable`;
    throw failure(ioErrors.OUTPUT_NOT_WRITABLE, { path, reason }, undefined, error);
  }
}

function expectedFile(path: string): ExpectedFile {
  return { path, name: fileName(path), state: fileState(path) };
}

function writableFile(path: string): string {
  const real = realPath(path);
  try {
    requireWritable(real);
  } catch (error) {
    throw failure(ioErrors.OUTPUT_NOT_WRITABLE, { path, reason: 'the file is read-only' }, undefined, error);
  }
  return real;
}

/** By whatever names: links, letter case. `input` is a path, or '-' or a URL, which are no file. */
export function isSameFile(input: string, { identity }: FileFacts): boolean {
  const stats = input === '-' || /^https?:\/\//i.test(input) ? null : statOf(input);
  return stats !== null && stats.identity === identity;
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
  if (!isFileError(cause)) return thrown;
  if (thrown instanceof GeomillError && thrown.code !== 'INTERNAL') return thrown;
  const reason = DISK_REASONS[codeOf(cause)];
  if (reason === undefined) return thrown;
  return failure(ioErrors.OUTPUT_NOT_WRITABLE, { path, reason }, undefined, thrown);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

const NAME_REASONS: Readonly<Record<string, string>> = {
  ENOTDIR: 'a part of the path is not a directory',
  EACCES: 'permission is denied',
  ELOOP: 'its symbolic links lead in a circle',
  ENAMETOOLONG: 'the name is too long',
  ERR_INVALID_ARG_VALUE: 'the name contains a null character',
};

/** Null if there is no such file. Throws FILE_NOT_FOUND for a path that leads to no file. */
export function statOf(path: string): FileFacts | null {
  try {
    return fileFacts(path);
  } catch (error) {
    const reason = NAME_REASONS[codeOf(error)];
    if (reason === undefined) throw error;
    throw failure(ioErrors.FILE_NOT_FOUND, { path, reason }, undefined, error);
  }
}
