/** Copies of files that are too large to be made at once. */
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** Copies `[start, end)`, which are offsets in bytes, to a new file. Rejects with EEXIST. */
export async function copyFilePart(path: string, start: number, end: number, target: string): Promise<void> {
  await pipeline(createReadStream(path, { start, end: end - 1 }), createWriteStream(target, { flags: 'wx' }));
}
