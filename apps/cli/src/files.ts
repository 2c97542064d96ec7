/** Checks the files of a command line before any work, so that errors name the path as it was given. */
import { createReadStream, createWriteStream, mkdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { folderFormat } from '@geomill/formats/recognise.ts';
import { ioErrors } from '@geomill/io/errors.ts';
import {
  asOutputFailure,
  checkOutputPath,
  type OutputPath,
  type OutputUse,
  type OutputWords,
  statOf,
} from '@geomill/library/output-path.ts';
import type { FileFacts } from '@geomill/platform/files.ts';
import { isUrl, shownInput } from './urls.ts';

export interface InputFile {
  /** A regular file, or a folder of a format whose inputs can be folders. */
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
  if (stats.isFile || stats.isDirectory) return { path: realpathSync(path), name: basename(path) };
  await pipeline(createReadStream(path), createWriteStream(copy), { signal });
  return { path: copy, name: basename(path) };
}

/** Of an input file, or of a folder that is an input. Throws FILE_NOT_FOUND with what to write instead. */
export function inputStats(path: string): FileFacts {
  const stats = statOf(path);
  if (stats === null)
    throw failure(ioErrors.FILE_NOT_FOUND, { path, reason: `there is no such file${layerHint(path)}` });
  if (stats.isDirectory && folderFormat(path) === null) {
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
  if (colon <= 0 || statOf(file)?.isFile !== true) return '';
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

const OUTPUT_WORDS: OutputWords = {
  refuse: (detail) => failure(generalErrors.USAGE, { detail }),
  overwrite: 'say --overwrite',
  create: 'leave out --update',
  directoryAdvice: ', or use --out-dir',
  deviceAdvice: "; write to '-'",
};

/** Checks that an output can be put at `path`, and tells where that really is. Throws USAGE or OUTPUT_NOT_WRITABLE. */
export function checkOutput(path: string, use: OutputUse): OutputPath {
  refuseUrl(path);
  return checkOutputPath(path, use, OUTPUT_WORDS);
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
  if (statOf(path)?.isDirectory !== true)
    throw failure(ioErrors.OUTPUT_NOT_WRITABLE, { path, reason: 'it is not a directory' });
}
