/** Compression of what is too large for memory, as compressed-streams.ts of Node.js has it. */
import { Gunzip, Gzip, Inflate } from 'fflate';
import { closeFile, createFile, openFileSize, openToRead, readFileAt, writeFileAt } from './files.ts';
import { eventTurn } from './scheduling.ts';

const CHUNK_BYTES = 1 << 20;

export async function inflateParts(
  parts: Iterable<Uint8Array>,
  consume: (chunks: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  await consume(inflatedChunks(parts));
}

async function* inflatedChunks(parts: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] = [];
  let isEnded = false;
  const inflate = new Inflate((chunk, isLast) => {
    if (chunk.length > 0) chunks.push(chunk);
    isEnded ||= isLast;
  });
  for (const part of parts) {
    // What follows the end of the stream is not of the stream.
    if (isEnded) return;
    // In pieces, because a piece can be unpacked to a thousand times its length.
    for (let at = 0; at < part.length && !isEnded; at += CHUNK_BYTES >> 4) {
      inflate.push(part.slice(at, at + (CHUNK_BYTES >> 4)));
      yield* chunks;
      chunks = [];
    }
  }
  if (isEnded) return;
  inflate.push(new Uint8Array(0), true);
  yield* chunks;
}

export async function gunzipFile(
  path: string,
  target: string,
  check: (bytes: Uint8Array) => void,
  signal: AbortSignal,
): Promise<void> {
  await throughFile(path, target, false, signal, (write) => {
    const gunzip = new Gunzip((chunk) => {
      check(chunk);
      write(chunk);
    });
    return (bytes, isLast) => gunzip.push(bytes, isLast);
  });
}

export async function gzipFile(path: string, target: string, signal: AbortSignal): Promise<void> {
  await throughFile(path, target, true, signal, (write) => {
    const gzip = new Gzip({ mtime: 0 }, write);
    return (bytes, isLast) => gzip.push(bytes, isLast);
  });
}

type Push = (bytes: Uint8Array<ArrayBuffer>, isLast: boolean) => void;

/** Reads a file in chunks; `connect` gives what takes them, and writes the results. */
async function throughFile(
  path: string,
  target: string,
  overwrite: boolean,
  signal: AbortSignal,
  connect: (write: (bytes: Uint8Array) => void) => Push,
): Promise<void> {
  const source = openToRead(path);
  try {
    const output = createFile(target, overwrite);
    try {
      let written = 0;
      const push = connect((bytes) => {
        writeFileAt(output, bytes, written);
        written += bytes.length;
      });
      const size = openFileSize(source);
      for (let at = 0; at === 0 || at < size; at += CHUNK_BYTES) {
        await eventTurn();
        signal.throwIfAborted();
        const chunk = new Uint8Array(Math.min(CHUNK_BYTES, size - at));
        readFileAt(source, chunk, at);
        push(chunk, at + CHUNK_BYTES >= size);
      }
    } finally {
      closeFile(output);
    }
  } finally {
    closeFile(source);
  }
}
