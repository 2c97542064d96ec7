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
  const form = new FormSource(boundary, configText, files);
  // Nothing is read ahead: what waits, waits in the file.
  const content = new ReadableStream<Uint8Array>(form, { highWaterMark: 0 });
  const mediaType = `multipart/form-data; boundary=${boundary}`;
  return { content, mediaType, release: (reason) => void form.cancel(reason) };
}

class FormSource {
  readonly #pieces: AsyncGenerator<Uint8Array | ReadableStream<Uint8Array>, void>;
  readonly #files: readonly FilePart[];
  /** The stream whose turn it is. */
  #reader: ReadableStreamDefaultReader<Uint8Array> | null = null;

  constructor(boundary: string, configText: string, files: readonly FilePart[]) {
    this.#pieces = formPieces(boundary, configText, files);
    this.#files = files;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (;;) {
      if (this.#reader !== null) {
        const { done, value } = await this.#reader.read();
        if (!done) {
          controller.enqueue(value);
          return;
        }
        this.#reader = null;
      }
      const { done, value } = await this.#pieces.next();
      if (done) {
        controller.close();
        return;
      }
      if (value instanceof Uint8Array) {
        controller.enqueue(value);
        return;
      }
      this.#reader = value.getReader();
    }
  }

  /** Cancels immediately, also during a read, and also the streams that were not read yet. */
  async cancel(reason: unknown): Promise<void> {
    const reader = this.#reader;
    this.#reader = null;
    await this.#pieces.return();
    await reader?.cancel(reason).catch(() => {});
    for (const { content, isRepeatable } of this.#files)
      if (typeof content === 'function' && !isRepeatable)
        await content()
          .cancel(reason)
          .catch(() => {});
  }
}

async function* formPieces(
  boundary: string,
  configText: string,
  files: readonly FilePart[],
): AsyncGenerator<Uint8Array | ReadableStream<Uint8Array>, void> {
  const encoder = new TextEncoder();
  const head = (field: string, more: string): Uint8Array =>
    encoder.encode(`--${boundary}\r\ncontent-disposition: form-data; name="${field}"${more}\r\n\r\n`);
  const end = encoder.encode('\r\n');
  yield head('config', '');
  yield encoder.encode(configText);
  yield end;
  for (const { field, fileName, content } of files) {
    yield head(field, `; filename="${quoted(fileName)}"`);
    yield content instanceof Blob ? content.stream() : content();
    yield end;
  }
  yield encoder.encode(`--${boundary}--\r\n`);
}

/** As browsers do (HTML, "multipart/form-data encoding algorithm"). */
function quoted(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}
