/** Compression of what is too large for memory. Loads its modules when it is called: few conversions do. */
import { createReadStream, createWriteStream } from 'node:fs';

const CHUNK_BYTES = 1 << 20;

/** Gives the bytes that a raw deflate stream unpacks to, in chunks, to `consume`. Rejects with what that throws, and for damaged data. */
export async function inflateParts(
  parts: Iterable<Uint8Array>,
  consume: (chunks: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  const { pipeline } = await import('node:stream/promises');
  const { Readable } = await import('node:stream');
  const { constants, createInflateRaw } = await import('node:zlib');
  await pipeline(
    Readable.from(parts, { objectMode: false }),
    createInflateRaw({ chunkSize: CHUNK_BYTES, finishFlush: constants.Z_FINISH }),
    consume,
  );
}

/**
 * Unpacks all members of a gzip file to a new file. `check` gets the bytes before they are written. Rejects with what that throws, for damaged
 * data, and when the signal aborts.
 */
export async function gunzipFile(
  path: string,
  target: string,
  check: (bytes: Uint8Array) => void,
  signal: AbortSignal,
): Promise<void> {
  const { pipeline } = await import('node:stream/promises');
  const { createGunzip } = await import('node:zlib');
  const checked = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      check(chunk);
      yield chunk;
    }
  };
  await pipeline(
    createReadStream(path, { highWaterMark: CHUNK_BYTES }),
    createGunzip({ chunkSize: CHUNK_BYTES }),
    checked,
    createWriteStream(target, { flags: 'wx', highWaterMark: CHUNK_BYTES }),
    { signal },
  );
}

/** Packs a file to `target`, which is replaced. Rejects when the signal aborts. */
export async function gzipFile(path: string, target: string, signal: AbortSignal): Promise<void> {
  const { pipeline } = await import('node:stream/promises');
  const { createGzip } = await import('node:zlib');
  await pipeline(
    createReadStream(path, { highWaterMark: CHUNK_BYTES }),
    createGzip({ chunkSize: CHUNK_BYTES }),
    createWriteStream(target, { highWaterMark: CHUNK_BYTES }),
    { signal },
  );
}
