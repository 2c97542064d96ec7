/** Objects of any length in a bucket: stored and fetched in parts, several at a time, with a few parts in memory. */
import { open } from 'node:fs/promises';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { readAt, removeFile } from './local-store.ts';
import type { S3Client } from './s3-client.ts';
import { BLOCK_BYTES } from './segments.ts';

/** Of large objects, all but the last; some stores require equal parts. */
export const PART_BYTES = BLOCK_BYTES;
/** S3's limit. */
export const MAX_PARTS = 10_000;
/** Requests for one file at a time. An upload holds a part in memory; a copy within the store is only waited for. */
const SENT_AT_ONCE = 2;
const FETCHED_AT_ONCE = 4;
const COPIED_AT_ONCE = 8;

type ReadPart = (start: number, end: number, lane: number) => Promise<Uint8Array[]>;

/**
 * Stores an object of known length, in parts if it is long; `read` gives bytes `[start, end)`, which are used until it is called with
 * the same lane again, and `sourceOf` the object that is the part at `start`, if there is one.
 */
export async function storeObject(
  client: S3Client,
  key: string,
  byteLength: number,
  read: ReadPart,
  sourceOf: ((start: number) => string | null) | null = null,
): Promise<void> {
  const partBytes = Math.max(PART_BYTES, Math.ceil(byteLength / MAX_PARTS));
  if (byteLength <= partBytes) return client.put(key, byteLength === 0 ? [] : await read(0, byteLength, 0));
  const uploadId = await client.begin(key);
  try {
    const tags: string[] = [];
    await eachPart(
      byteLength,
      partBytes,
      sourceOf === null ? SENT_AT_ONCE : COPIED_AT_ONCE,
      async (start, end, lane) => {
        const index = start / partBytes;
        const source = sourceOf?.(start) ?? null;
        tags[index] = await (source === null
          ? client.putPart(key, uploadId, index + 1, await read(start, end, lane))
          : client.copyPart(key, uploadId, index + 1, source));
      },
    );
    await client.complete(key, uploadId, tags, byteLength);
  } catch (error) {
    // Left if that fails, too; `removeAbandoned` finds it.
    await client.abort(key, uploadId).catch(() => {});
    throw error;
  }
}

/** Reads parts of an open file from `offset` on, in memory that is used again for each part. */
export function readerOf(descriptor: number): (offset: number) => ReadPart {
  const buffers: Buffer[] = [];
  return (offset) => async (start, end, lane) => {
    if ((buffers[lane]?.length ?? 0) < end - start) buffers[lane] = Buffer.allocUnsafeSlow(end - start);
    const part = buffers[lane].subarray(0, end - start);
    await readAt(descriptor, offset + start, part);
    return [part];
  };
}

/**
 * Fetches an object into a new local file of its length; with `range`, at least those of its bytes. Only the owner of the process can
 * read it, as it is in the store: a runner gets access from the service.
 */
export async function fetchObject(
  client: S3Client,
  key: string,
  path: string,
  range: readonly [start: number, end: number] | null = null,
): Promise<void> {
  const file = await open(path, 'wx', 0o400);
  try {
    let byteLength = 0;
    const fetchPart = async (start: number, end: number): Promise<void> => {
      let at = start;
      const chunks = client.read(key, start, end, (length) => {
        byteLength = length;
      });
      for await (const chunk of chunks)
        for (let written = 0; written < chunk.length; ) {
          const { bytesWritten } = await file.write(chunk, written, chunk.length - written, at);
          written += bytesWritten;
          at += bytesWritten;
        }
      if (at < Math.min(end, byteLength))
        throw failure(generalErrors.INTERNAL, {
          reason: `an object has ${at} bytes instead of ${byteLength}`,
        });
    };
    const first = range === null ? 0 : Math.floor(range[0] / PART_BYTES) * PART_BYTES;
    // Its response has the length of the whole.
    await fetchPart(first, first + PART_BYTES);
    const rest = Math.min(byteLength, range?.[1] ?? byteLength) - first;
    await eachPart(rest, PART_BYTES, FETCHED_AT_ONCE, async (start, end) => {
      if (start > 0) await fetchPart(first + start, first + end);
    });
    await file.truncate(byteLength);
  } catch (error) {
    await removeFile(path);
    throw error;
  } finally {
    await file.close();
  }
}

/** Calls `act` for the parts of `byteLength` bytes, several at a time, in as many lanes. After a failure no more are begun, and it rejects when all have ended. */
async function eachPart(
  byteLength: number,
  partBytes: number,
  atOnce: number,
  act: (start: number, end: number, lane: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failed: { readonly error: unknown } | null = null;
  const work = async (lane: number): Promise<void> => {
    while (next < byteLength && failed === null) {
      const start = next;
      next += partBytes;
      await act(start, Math.min(byteLength, next), lane).catch((error: unknown) => {
        failed ??= { error };
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, lane) => work(lane)));
  // Read through a function: the compiler does not see the assignment above.
  const failureOf = (): { readonly error: unknown } | null => failed;
  const found = failureOf();
  if (found !== null) throw found.error;
}
