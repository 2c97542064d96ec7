/**
 * Forms (RFC 7578). Of blobs alone the platform makes them, with a length that the service can refuse at once; where a
 * part is a stream they are written here, piece by piece as they are taken: FormData knows no streams, and gathering one
 * into a blob would hold a whole file in memory.
 */
import type { FilePart } from './file-input.ts';
import { randomHex } from './random-hex.ts';
import type { OutgoingBody } from './transport.ts';

/** The config comes first, so that a wrong one is refused before files are sent. */
export function formBody(config: object, files: readonly FilePart[]): () => OutgoingBody {
  const configText = JSON.stringify(config);
  return files.every(({ content }) => content instanceof Blob)
    ? () => ({ content: platformForm(configText, files) })
    : () => streamedForm(configText, files);
}

function platformForm(configText: string, files: readonly FilePart[]): FormData {
  const form = new FormData();
  form.append('config', configText);
  for (const { field, fileName, content } of files) form.append(field, content as Blob, fileName);
  return form;
}

function streamedForm(configText: string, files: readonly FilePart[]): OutgoingBody {
  const boundary = `geomill-${randomHex()}`;
  const chunks = formChunks(boundary, configText, files);
  const content = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel(reason) {
        await chunks.throw(reason).catch(() => {});
      },
    },
    // Nothing is read ahead: what waits, waits in the file.
    { highWaterMark: 0 },
  );
  return { content, mediaType: `multipart/form-data; boundary=${boundary}` };
}

async function* formChunks(
  boundary: string,
  configText: string,
  files: readonly FilePart[],
): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  const head = (field: string, more: string): Uint8Array =>
    encoder.encode(`--${boundary}\r\ncontent-disposition: form-data; name="${field}"${more}\r\n\r\n`);
  const end = encoder.encode('\r\n');
  yield head('config', '');
  yield encoder.encode(configText);
  yield end;
  for (const { field, fileName, content } of files) {
    yield head(field, `; filename="${quoted(fileName)}"`);
    yield* chunksOf(content instanceof Blob ? content.stream() : content());
    yield end;
  }
  yield encoder.encode(`--${boundary}--\r\n`);
}

/** Cancels the stream when it is left early. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  let isDone = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isDone = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!isDone) await reader.cancel().catch(() => {});
    reader.releaseLock();
  }
}

/** As browsers do (HTML, "multipart/form-data encoding algorithm"). */
function quoted(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}
