/** Writes gzip files and reads untrusted ones. The limits are those of zip archives and are checked while bytes are unpacked. */
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { gunzipFile, gzipFile as packFile } from '@geomill/platform/compressed-streams.ts';
import { fileSize, isFileError, removeFile } from '@geomill/platform/files.ts';
import { ioErrors } from './errors.ts';
import { type ExpectedFile, moveIntoPlace, unfinishedPath } from './output-place.ts';
import type { UnpackBudget } from './unpack-budget.ts';

export const GZIP_EXTENSION = /\.gz$/i;

/** Whether a file begins like a gzip file that is deflated, as all are. */
export function isGzip([first, second, method]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b && method === 8;
}

/**
 * Unpacks all members of a gzip file to `targetPath`, which must not exist. `source` is its name for messages. Throws
 * GZIP_INVALID for damaged and truncated files, and LIMIT_EXCEEDED.
 */
export async function unpackGzip(
  file: { readonly path: string; readonly name: string; readonly byteLength: number },
  targetPath: string,
  budget: UnpackBudget,
  signal: AbortSignal,
): Promise<void> {
  let unpackedBytes = 0;
  const count = ({ length }: Uint8Array): void => {
    unpackedBytes += length;
    budget.countBytes(file.name, length);
    budget.checkRatio(file.name, unpackedBytes, file.byteLength);
  };
  try {
    await gunzipFile(file.path, targetPath, count, signal);
  } catch (error) {
    if (error instanceof GeomillError || signal.aborted || isFileError(error)) throw error;
    throw failure(
      ioErrors.GZIP_INVALID,
      { source: file.name, reason: (error as Error).message },
      undefined,
      error,
    );
  }
}

/**
 * Compresses a file to `targetPath`, which has its name only when it is complete; returns its size in bytes. Throws
 * OUTPUT_CHANGED.
 */
export async function gzipFile(
  path: string,
  targetPath: string,
  signal: AbortSignal,
  expected?: readonly ExpectedFile[],
): Promise<number> {
  const partialPath = `${unfinishedPath(targetPath, expected)}.partial`;
  try {
    await packFile(path, partialPath, signal);
    const size = fileSize(partialPath);
    moveIntoPlace([{ partial: partialPath, path: targetPath }], expected);
    return size;
  } catch (error) {
    removeFile(partialPath);
    throw error;
  }
}
