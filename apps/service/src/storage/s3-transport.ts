/**
 * Signs and sends requests to S3, with path-style addresses: https://endpoint/bucket/key. Requests are repeated after errors of the
 * server and of the connection, so all of them are ones that can be repeated.
 */
import { createHash } from 'node:crypto';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { connectionFault, faultOf, isKnown } from './s3-answers.ts';
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

export interface S3Request {
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

export class S3Transport {
  readonly patience: Patience;
  readonly #settings: S3Settings;
  readonly #endpoint: string;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #isTls: boolean;
  /** Signing keys of the day. */
  readonly #keys = new Map<string, ArrayBuffer>();

  constructor(settings: S3Settings) {
    this.#settings = settings;
    this.#endpoint = settings.endpoint ?? `https://s3.${settings.region}.amazonaws.com`;
    this.#isTls = this.#endpoint.startsWith('https:');
    this.patience = settings.patience ?? PATIENCE;
    // The pause of many servers before they close an idle connection is a few seconds.
    const options = { keepAlive: true, maxSockets: 64, timeout: 4000 };
    this.#agent = this.#isTls ? new HttpsAgent(options) : new HttpAgent(options);
  }

  close(): void {
    this.#agent.destroy();
  }

  /** A URL for GET requests that is valid for so long, with further parameters. */
  async presign(
    key: string,
    expiresSeconds: number,
    parameters: readonly (readonly [name: string, value: string])[],
  ): Promise<string> {
    const url = this.#url({ method: 'GET', key }, this.#settings.publicEndpoint ?? this.#endpoint);
    url.searchParams.set('X-Amz-Expires', String(expiresSeconds));
    for (const [name, value] of parameters) url.searchParams.set(name, value);
    const signed = await this.#signer('GET', url, {}, true).sign();
    return withPlainSpaces(signed.url);
  }

  /** Throws ObjectMissing, STORAGE_FULL, StoreFault. */
  send(request: S3Request): Promise<S3Answer> {
    const { method, key } = request;
    return this.repeated(request, async () => {
      const response = await this.request(request);
      const { statusCode = 0, headers } = response;
      const text = await textOf(response);
      // S3 answers 200 before it knows the result of a copy and of a completion.
      const status = statusCode === 200 && method !== 'GET' && /<Error[\s>]/.test(text) ? 500 : statusCode;
      if (status === 200 || status === 204) return { headers, text };
      throw faultOf(method, key, status, text);
    });
  }

  /** Repeats `act`, which makes the request, after errors that may pass. */
  async repeated<Result>({ method, key }: S3Request, act: () => Promise<Result>): Promise<Result> {
    for (let failures = 1; ; failures++)
      try {
        return await act();
      } catch (error) {
        const fault = isKnown(error) ? error : connectionFault(method, key, error);
        const isPassing = fault instanceof StoreFault && fault.isPassing;
        if (!isPassing || failures > this.patience.retries) throw fault;
        await this.pause(failures);
      }
  }

  /** Sends the request once. */
  async request(request: S3Request): Promise<IncomingMessage> {
    const { method, headers = {}, body = [] } = request;
    const byteLength = body.reduce((sum, { length }) => sum + length, 0);
    const signed = await this.#signer(
      method,
      this.#url(request, this.#endpoint),
      { ...headers, 'x-amz-content-sha256': this.#isTls ? 'UNSIGNED-PAYLOAD' : await hashOf(body) },
      false,
    ).sign();
    const hasBody = method === 'PUT' || method === 'POST';
    const { stallMs, leastRate } = this.patience;
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
    const path = key === undefined ? `/${this.#settings.bucket}` : this.path(key);
    const url = new URL(endpoint + path);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  }

  path(key: string): string {
    return `/${this.#settings.bucket}/${this.withPrefix(key)}`;
  }

  withPrefix(key: string): string {
    return this.#settings.prefix === '' ? key : `${this.#settings.prefix}/${key}`;
  }

  withoutPrefix(key: string): string | null {
    const prefix = this.withPrefix('');
    return key.startsWith(prefix) ? key.slice(prefix.length) : null;
  }

  pause(failures: number): Promise<void> {
    const longest = Math.min(LONGEST_PAUSE_MS, this.patience.firstPauseMs * 2 ** (failures - 1));
    // Clients that failed together must not come back together.
    return pause(longest * (0.5 + Math.random() / 2));
  }
}

export async function textOf(response: IncomingMessage): Promise<string> {
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
