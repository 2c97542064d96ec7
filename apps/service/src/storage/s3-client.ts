/**
 * The part of S3's interface that the store uses.
 *
 * Alternative rejected: the client of an SDK. Only the signature is hard to get right, and aws4fetch (one file) makes it; the rest are
 * ten requests, whose bodies go out from where they are in memory and whose answers are read as streams.
 */
import type { IncomingMessage } from 'node:http';
import {
  connectionFault,
  element,
  elements,
  escapeXml,
  faultOf,
  isKnown,
  ObjectMissing,
  timeOf,
  WRONG_ANSWERS,
} from './s3-answers.ts';
import { type S3Request, type S3Settings, S3Transport, textOf } from './s3-transport.ts';
import { StoreFault } from './store-fault.ts';

export interface ListedObject {
  /** Below the prefix of the store. */
  readonly key: string;
  readonly changedAt: number;
}

export interface PendingUpload {
  readonly key: string;
  readonly uploadId: string;
  readonly begunAt: number;
}

/** Bytes from `start` on, and the length of the whole object. */
export interface ObjectRange {
  readonly byteLength: number;
  readonly body: IncomingMessage;
}

export class S3Client {
  readonly #transport: S3Transport;

  constructor(settings: S3Settings) {
    this.#transport = new S3Transport(settings);
  }

  close(): void {
    this.#transport.close();
  }

  async put(key: string, chunks: readonly Uint8Array[]): Promise<void> {
    await this.#transport.send({ method: 'PUT', key, body: chunks });
  }

  /** Throws ObjectMissing. */
  async copy(source: string, target: string): Promise<void> {
    await this.#transport.send({
      method: 'PUT',
      key: target,
      headers: { 'x-amz-copy-source': this.#transport.path(source) },
    });
  }

  /** Length of the object; null: it does not exist. */
  async size(key: string): Promise<number | null> {
    try {
      const { headers } = await this.#transport.send({ method: 'HEAD', key });
      return Number(headers['content-length']);
    } catch (error) {
      if (error instanceof ObjectMissing) return null;
      throw error;
    }
  }

  async remove(key: string): Promise<void> {
    try {
      await this.#transport.send({ method: 'DELETE', key });
    } catch (error) {
      if (!(error instanceof ObjectMissing)) throw error;
    }
  }

  /**
   * Bytes `[start, end)`, less if the object is shorter; `end` is not `start`. A response that ends early is continued. Throws
   * ObjectMissing, also after the first bytes if the object is removed meanwhile and the response ends early. `onLength` gets the length
   * of the whole object before the first bytes.
   */
  async *read(
    key: string,
    start: number,
    end: number,
    onLength: (byteLength: number) => void = () => {},
  ): AsyncGenerator<Buffer> {
    let at = start;
    for (let failures = 0; at < end; ) {
      let body: IncomingMessage | null = null;
      try {
        const range = await this.#open(key, at, end);
        if (range === null) return;
        body = range.body;
        onLength(range.byteLength);
        const last = Math.min(end, range.byteLength);
        for await (const chunk of body as AsyncIterable<Buffer>) {
          const wanted = at + chunk.length > last ? chunk.subarray(0, last - at) : chunk;
          at += wanted.length;
          failures = 0;
          if (wanted.length > 0) yield wanted;
          if (at === last) break;
        }
        if (at === last) return;
        throw new Error(`the response ended ${last - at} bytes early`);
      } catch (error) {
        if (isKnown(error)) throw error;
        failures += 1;
        if (failures > this.#transport.patience.retries) throw connectionFault('GET', key, error);
        await this.#transport.pause(failures);
      } finally {
        body?.destroy();
      }
    }
  }

  /** All of a small object. Throws ObjectMissing. */
  async readWhole(key: string, maxBytes: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.read(key, 0, maxBytes)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  /** Objects whose keys begin so, in the order of their keys. By version 1 of the list, which every store has. */
  async *list(prefix: string): AsyncGenerator<ListedObject> {
    for (let marker = ''; ; ) {
      const query = { prefix: this.#transport.withPrefix(prefix), ...(marker === '' ? {} : { marker }) };
      const { text } = await this.#transport.send({ method: 'GET', query });
      for (const entry of elements(text, 'Contents')) {
        marker = element(entry, 'Key');
        const key = this.#transport.withoutPrefix(marker);
        if (key !== null) yield { key, changedAt: timeOf(element(entry, 'LastModified')) };
      }
      if (element(text, 'IsTruncated') !== 'true' || marker === '') return;
    }
  }

  /** Begins an object of several parts; the id of the upload. */
  async begin(key: string): Promise<string> {
    const { text } = await this.#transport.send({ method: 'POST', key, query: { uploads: '' } });
    const id = element(text, 'UploadId');
    if (id === '') throw new StoreFault(`POST ${key}: the answer has no UploadId`, WRONG_ANSWERS);
    return id;
  }

  /** Stores part `number`, counted from 1; its tag. */
  async putPart(key: string, uploadId: string, number: number, body: readonly Uint8Array[]): Promise<string> {
    const query = { partNumber: String(number), uploadId };
    const { headers } = await this.#transport.send({ method: 'PUT', key, query, body });
    return headers.etag ?? '';
  }

  /** As `putPart`, with the content of another object. Throws ObjectMissing. */
  async copyPart(key: string, uploadId: string, number: number, source: string): Promise<string> {
    const { text } = await this.#transport.send({
      method: 'PUT',
      key,
      query: { partNumber: String(number), uploadId },
      headers: { 'x-amz-copy-source': this.#transport.path(source) },
    });
    return element(text, 'ETag');
  }

  /** Makes the parts, in order, the object of `byteLength` bytes. */
  async complete(key: string, uploadId: string, tags: readonly string[], byteLength: number): Promise<void> {
    const parts = tags.map(
      (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`,
    );
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
    try {
      await this.#transport.send({
        method: 'POST',
        key,
        query: { uploadId },
        headers: { 'content-type': 'application/xml' },
        body: [body],
      });
    } catch (error) {
      // A repeated request whose first answer was lost finds no such upload.
      if ((await this.size(key).catch(() => null)) !== byteLength) throw error;
    }
  }

  async abort(key: string, uploadId: string): Promise<void> {
    try {
      await this.#transport.send({ method: 'DELETE', key, query: { uploadId } });
    } catch (error) {
      if (!(error instanceof ObjectMissing)) throw error;
    }
  }

  /** Objects of several parts that were begun and neither completed nor aborted. */
  async *pending(): AsyncGenerator<PendingUpload> {
    for (let marker: Record<string, string> = {}; ; ) {
      const query = { uploads: '', prefix: this.#transport.withPrefix(''), ...marker };
      const { text } = await this.#transport.send({ method: 'GET', query });
      for (const entry of elements(text, 'Upload')) {
        const key = this.#transport.withoutPrefix(element(entry, 'Key'));
        const uploadId = element(entry, 'UploadId');
        if (key !== null) yield { key, uploadId, begunAt: timeOf(element(entry, 'Initiated')) };
      }
      if (element(text, 'IsTruncated') !== 'true') return;
      marker = {
        'key-marker': element(text, 'NextKeyMarker'),
        'upload-id-marker': element(text, 'NextUploadIdMarker'),
      };
    }
  }

  /** A URL for GET requests that is valid for so long; `overrides` are headers of the response. */
  async presign(
    key: string,
    expiresSeconds: number,
    overrides: Readonly<Record<string, string>>,
  ): Promise<string> {
    return this.#transport.presign(
      key,
      expiresSeconds,
      Object.entries(overrides).map(([name, value]) => [`response-${name}`, value]),
    );
  }

  /** Null: the object has no bytes from `start` on. */
  async #open(key: string, start: number, end: number): Promise<ObjectRange | null> {
    const request: S3Request = { method: 'GET', key, headers: { range: `bytes=${start}-${end - 1}` } };
    return this.#transport.repeated(request, async () => {
      const body = await this.#transport.request(request);
      const { statusCode: status = 0, headers } = body;
      if (status !== 200 && status !== 206 && status !== 416)
        throw faultOf('GET', key, status, await textOf(body));
      const match = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers['content-range'] ?? '');
      if (status === 206 && match !== null && Number(match[1]) === start)
        return { byteLength: Number(match[2]), body };
      // A server that ignores ranges, or one that does so for an empty object.
      if (status === 200 && start === 0) return { byteLength: Number(headers['content-length']), body };
      body.destroy();
      if (status === 416) return null;
      throw new StoreFault(`GET ${key}: the answer has another range`, WRONG_ANSWERS);
    });
  }
}
