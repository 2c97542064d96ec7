/**
 * The part of S3's interface that the store uses, with path-style addresses: https://endpoint/bucket/key. Requests are repeated after
 * errors of the server and of the connection, so all of them are ones that can be repeated.
 *
 * Alternative rejected: the client of an SDK. Only the signature is hard to get right, and aws4fetch (one file) makes it; the rest are
 * ten requests, whose bodies go out from where they are in memory and whose answers are read as streams.
 */
import { createHash } from 'node:crypto';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
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
import { StoreFault } from './store-fault.ts';

export interface S3Settings {
  readonly bucket: string;
  /** Before all keys, without a slash at its ends; empty: none. */
  readonly prefix: string;
  /** Null: that of AWS for the region. */
  readonly endpoint: string | null;
  /** Where clients reach the endpoint; null: as the service does. */
  readonly publicEndpoint: string | null;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
  readonly observe?: ObserveS3;
  /** For tests: shorter waits. */
  readonly patience?: Patience;
}

/** `status`: of the response; null: there was none. */
export type ObserveS3 = (method: string, status: number | null, ms: number) => void;

export interface Patience {
  /** Number of times that a failed request is repeated. */
  readonly retries: number;
  /** Pause before the first repetition; it doubles with each. */
  readonly firstPauseMs: number;
  /** Time without a byte of the response; while a body is sent, in addition to what it takes at `leastRate`. */
  readonly stallMs: number;
  /** Bytes per second. */
  readonly leastRate: number;
}

const PATIENCE: Patience = { retries: 6, firstPauseMs: 100, stallMs: 20_000, leastRate: 256 * 1024 };
const LONGEST_PAUSE_MS = 5000;
const HASHED_AT_ONCE = 1024 ** 2;
/** Answers that are not the content of an object; a page of a list has at most 1000 entries. */
const MAX_TEXT_BYTES = 4 * 1024 ** 2;

interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Below the prefix; absent: the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: readonly Uint8Array[];
}

interface S3Answer {
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

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
  readonly #settings: S3Settings;
  readonly #endpoint: string;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #isTls: boolean;
  readonly #patience: Patience;
  /** Signing keys of the day. */
  readonly #keys = new Map<string, ArrayBuffer>();

  constructor(settings: S3Settings) {
    this.#settings = settings;
    this.#endpoint = settings.endpoint ?? `https://s3.${settings.region}.amazonaws.com`;
    this.#isTls = this.#endpoint.startsWith('https:');
    this.#patience = settings.patience ?? PATIENCE;
    // The pause of many servers before they close an idle connection is a few seconds.
    const options = { keepAlive: true, maxSockets: 64, timeout: 4000 };
    this.#agent = this.#isTls ? new HttpsAgent(options) : new HttpAgent(options);
  }

  close(): void {
    this.#agent.destroy();
  }

  async put(key: string, chunks: readonly Uint8Array[]): Promise<void> {
    await this.#send({ method: 'PUT', key, body: chunks });
  }

  /** Throws ObjectMissing. */
  async copy(source: string, target: string): Promise<void> {
    await this.#send({ method: 'PUT', key: target, headers: { 'x-amz-copy-source': this.#path(source) } });
  }

  /** Length of the object; null: it does not exist. */
  async size(key: string): Promise<number | null> {
    try {
      const { headers } = await this.#send({ method: 'HEAD', key });
      return Number(headers['content-length']);
    } catch (error) {
      if (error instanceof ObjectMissing) return null;
      throw error;
    }
  }

  async remove(key: string): Promise<void> {
    try {
      await this.#send({ method: 'DELETE', key });
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
        if (failures > this.#patience.retries) throw connectionFault('GET', key, error);
        await this.#pause(failures);
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
      const query = { prefix: this.#withPrefix(prefix), ...(marker === '' ? {} : { marker }) };
      const { text } = await this.#send({ method: 'GET', query });
      for (const entry of elements(text, 'Contents')) {
        marker = element(entry, 'Key');
        const key = this.#withoutPrefix(marker);
        if (key !== null) yield { key, changedAt: timeOf(element(entry, 'LastModified')) };
      }
      if (element(text, 'IsTruncated') !== 'true' || marker === '') return;
    }
  }

  /** Begins an object of several parts; the id of the upload. */
  async begin(key: string): Promise<string> {
    const { text } = await this.#send({ method: 'POST', key, query: { uploads: '' } });
    const id = element(text, 'UploadId');
    if (id === '') throw new StoreFault(`POST ${key}: the answer has no UploadId`, WRONG_ANSWERS);
    return id;
  }

  /** Stores part `number`, counted from 1; its tag. */
  async putPart(key: string, uploadId: string, number: number, body: readonly Uint8Array[]): Promise<string> {
    const query = { partNumber: String(number), uploadId };
    const { headers } = await this.#send({ method: 'PUT', key, query, body });
    return headers.etag ?? '';
  }

  /** As `putPart`, with the content of another object. Throws ObjectMissing. */
  async copyPart(key: string, uploadId: string, number: number, source: string): Promise<string> {
    const { text } = await this.#send({
      method: 'PUT',
      key,
      query: { partNumber: String(number), uploadId },
      headers: { 'x-amz-copy-source': this.#path(source) },
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
      await this.#send({
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
      await this.#send({ method: 'DELETE', key, query: { uploadId } });
    } catch (error) {
      if (!(error instanceof ObjectMissing)) throw error;
    }
  }

  /** Objects of several parts that were begun and neither completed nor aborted. */
  async *pending(): AsyncGenerator<PendingUpload> {
    for (let marker: Record<string, string> = {}; ; ) {
      const query = { uploads: '', prefix: this.#withPrefix(''), ...marker };
      const { text } = await this.#send({ method: 'GET', query });
      for (const entry of elements(text, 'Upload')) {
        const key = this.#withoutPrefix(element(entry, 'Key'));
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
    const url = this.#url({ method: 'GET', key }, this.#settings.publicEndpoint ?? this.#endpoint);
    url.searchParams.set('X-Amz-Expires', String(expiresSeconds));
    for (const [name, value] of Object.entries(overrides)) url.searchParams.set(`response-${name}`, value);
    const signed = await this.#signer('GET', url, {}, true).sign();
    return withPlainSpaces(signed.url);
  }

  /** Null: the object has no bytes from `start` on. */
  async #open(key: string, start: number, end: number): Promise<ObjectRange | null> {
    const request: S3Request = { method: 'GET', key, headers: { range: `bytes=${start}-${end - 1}` } };
    return this.#repeated(request, async () => {
      const body = await this.#request(request);
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

  /** Throws ObjectMissing, STORAGE_FULL, StoreFault. */
  #send(request: S3Request): Promise<S3Answer> {
    const { method, key } = request;
    return this.#repeated(request, async () => {
      const response = await this.#request(request);
      const { statusCode = 0, headers } = response;
      const text = await textOf(response);
      // S3 answers 200 before it knows the result of a copy and of a completion.
      const status = statusCode === 200 && method !== 'GET' && /<Error[\s>]/.test(text) ? 500 : statusCode;
      if (status === 200 || status === 204) return { headers, text };
      throw faultOf(method, key, status, text);
    });
  }

  async #repeated<Result>({ method, key }: S3Request, act: () => Promise<Result>): Promise<Result> {
    for (let failures = 1; ; failures++)
      try {
        return await act();
      } catch (error) {
        const fault = isKnown(error) ? error : connectionFault(method, key, error);
        const isPassing = fault instanceof StoreFault && fault.isPassing;
        if (!isPassing || failures > this.#patience.retries) throw fault;
        await this.#pause(failures);
      }
  }

  async #request(request: S3Request): Promise<IncomingMessage> {
    const { method, headers = {}, body = [] } = request;
    const byteLength = body.reduce((sum, { length }) => sum + length, 0);
    const signed = await this.#signer(
      method,
      this.#url(request, this.#endpoint),
      { ...headers, 'x-amz-content-sha256': this.#isTls ? 'UNSIGNED-PAYLOAD' : await hashOf(body) },
      false,
    ).sign();
    const hasBody = method === 'PUT' || method === 'POST';
    const { stallMs, leastRate } = this.#patience;
    const patienceMs = stallMs + (byteLength / leastRate) * 1000;
    const began = performance.now();
    let isObserved = false;
    const observe = (status: number | null): void => {
      if (!isObserved) this.#settings.observe?.(method, status, performance.now() - began);
      isObserved = true;
    };
    return new Promise((resolve, reject) => {
      const sending = (this.#isTls ? httpsRequest : httpRequest)(withPlainSpaces(signed.url), {
        method,
        agent: this.#agent,
        headers: {
          ...Object.fromEntries(signed.headers),
          ...(hasBody ? { 'content-length': byteLength } : {}),
        },
      });
      const timer = setTimeout(
        () => sending.destroy(new Error(`no answer within ${patienceMs} ms`)),
        patienceMs,
      );
      sending.on('response', (response) => {
        clearTimeout(timer);
        observe(response.statusCode ?? null);
        response.setTimeout(stallMs, () => response.destroy(new Error(`no byte for ${stallMs} ms`)));
        resolve(response);
      });
      sending.on('error', (error) => {
        clearTimeout(timer);
        observe(null);
        reject(error);
      });
      for (const chunk of body) sending.write(chunk);
      sending.end();
    });
  }

  #signer(
    method: string,
    url: URL,
    headers: Readonly<Record<string, string>>,
    signQuery: boolean,
  ): AwsV4Signer {
    const { region, accessKeyId, secretAccessKey, sessionToken } = this.#settings;
    return new AwsV4Signer({
      method,
      url: url.href,
      headers,
      service: 's3',
      region,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === null ? {} : { sessionToken }),
      cache: this.#keys,
      signQuery,
    });
  }

  #url({ key, query = {} }: S3Request, endpoint: string): URL {
    const path = key === undefined ? `/${this.#settings.bucket}` : this.#path(key);
    const url = new URL(endpoint + path);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  }

  #path(key: string): string {
    return `/${this.#settings.bucket}/${this.#withPrefix(key)}`;
  }

  #withPrefix(key: string): string {
    return this.#settings.prefix === '' ? key : `${this.#settings.prefix}/${key}`;
  }

  #withoutPrefix(key: string): string | null {
    const prefix = this.#withPrefix('');
    return key.startsWith(prefix) ? key.slice(prefix.length) : null;
  }

  #pause(failures: number): Promise<void> {
    const longest = Math.min(LONGEST_PAUSE_MS, this.#patience.firstPauseMs * 2 ** (failures - 1));
    // Clients that failed together must not come back together.
    return pause(longest * (0.5 + Math.random() / 2));
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let byteLength = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    byteLength += chunk.length;
    if (byteLength > MAX_TEXT_BYTES) throw new Error(`an answer is longer than ${MAX_TEXT_BYTES} bytes`);
    chunks.push(chunk);
  }
  return String(Buffer.concat(chunks));
}

/** Other requests are answered in between: a part takes as long as many of them. */
async function hashOf(chunks: readonly Uint8Array[]): Promise<string> {
  const hash = createHash('sha256');
  for (const chunk of chunks)
    for (let at = 0; at < chunk.length; at += HASHED_AT_ONCE) {
      if (at > 0) await immediate();
      hash.update(chunk.subarray(at, at + HASHED_AT_ONCE));
    }
  return hash.digest('hex');
}

/** URLSearchParams writes a space as +, which S3 does not read as one. */
function withPlainSpaces(url: URL): string {
  return url.href.replaceAll('+', '%20');
}
