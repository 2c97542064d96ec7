/** Zip archives that are written in the browser, without compression. */
import { Zip, ZipPassThrough } from 'fflate';

export interface ZipMember {
  readonly name: string;
  readonly open: () => Promise<ReadableStream<Uint8Array>>;
}

/** Reads one member after the other. Holds one chunk at a time beside the blob, which the browser keeps, on disk if it is large. */
export async function zipOf(members: readonly ZipMember[]): Promise<Blob> {
  let chunks: Blob[] = [];
  let failure: Error | null = null;
  const zip = new Zip((error, chunk) => {
    if (error) failure = error;
    else chunks.push(new Blob([chunk as Uint8Array<ArrayBuffer>]));
    // Thousands of small blobs would cost more than their bytes.
    if (chunks.length === MAX_CHUNKS) chunks = [new Blob(chunks)];
  });
  for (const { name, open } of members) {
    const entry = new ZipPassThrough(name);
    zip.add(entry);
    const reader = (await open()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      entry.push(value);
    }
    entry.push(new Uint8Array(0), true);
  }
  zip.end();
  if (failure !== null) throw failure;
  return new Blob(chunks, { type: 'application/zip' });
}

const MAX_CHUNKS = 1000;
