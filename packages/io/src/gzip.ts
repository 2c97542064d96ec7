/** Writes gzip files and reads untrusted ones. The limits are those of zip archives and are checked while bytes are unpacked. */
import { createReadStream, createWriteStream, rmSync, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { ioErrors } from './errors.ts';
import { type ExpectedFile, moveIntoPlace, unfinishedPath } from './output-place.ts';
import type { UnpackBudget } from './unpack-budget.ts';

export const GZIP_EXTENSION = /\.gz$/i;

const CHUNK_BYTES = 1 << 20;

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
  const count = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      unpackedBytes += chunk.length;
      budget.countBytes(file.name, chunk.length);
      budget.checkRatio(file.name, unpackedBytes, file.byteLength);
      yield chunk;
    }
  };
  const { createGunzip } = await import('node:zlib');
  try {
    await pipeline(
      createReadStream(file.path, { highWaterMark: CHUNK_BYTES }),
      createGunzip({ chunkSize: CHUNK_BYTES }),
      count,
      createWriteStream(targetPath, { flags: 'wx', highWaterMark: CHUNK_BYTES }),
      { signal },
    );
  } catch (error) {
    if (error instanceof GeomillError || signal.aborted || (error instanceof Error && 'syscall' in error))
      throw error;
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
  const { createGzip } = await import('node:zlib');
  try {
    await pipeline(
      createReadStream(path, { highWaterMark: CHUNK_BYTES }),
      createGzip({ chunkSize: CHUNK_BYTES }),
      createWriteStream(partialPath, { highWaterMark: CHUNK_BYTES }),
      { signal },
    );
    const { size } = statSync(partialPath);
    moveIntoPlace([{ partial: partialPath, path: targetPath }], expected);
    return size;
  } catch (error) {
    rmSync(partialPath, { force: true });
    throw error;
  }
}
