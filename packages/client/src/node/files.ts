/** Files of a disk for the client, in Node, Deno and Bun: `geomill/client/node`. */
import { createWriteStream, openAsBlob } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import type { NamedFile } from '../file-input.ts';
import type { Output } from '../output.ts';

/**
 * A file that is read as it is sent, and can be sent again after a failure; a change meanwhile fails the request. Rejects
 * when it cannot be opened. `name`: for the service, which names the output after it.
 */
export async function fileFrom(path: string, name: string = basename(path)): Promise<NamedFile> {
  try {
    // A directory would only be noticed while it is sent.
    if ((await stat(path)).isDirectory()) throw new Error('it is a directory');
    return { name, data: await openAsBlob(path) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : message;
    throw new Error(`cannot open '${path}': ${reason}`, { cause: error });
  }
}

/**
 * Saves an output, into a directory under its own name. It takes that name once it is whole: a failure leaves what was
 * there before, and no half. Returns the path.
 */
export async function saveTo(output: Output, path: string): Promise<string> {
  const isDirectory = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const target = isDirectory ? join(path, output.fileName ?? `${output.jobId}.json`) : path;
  const part = `${target}.${output.jobId}.part`;
  try {
    const source = Readable.fromWeb(output.stream() as NodeReadableStream<Uint8Array>);
    await pipeline(source, createWriteStream(part));
    await rename(part, target);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return target;
}
