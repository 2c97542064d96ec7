/** Requests to one server, over shared connections: each within the time that is left, and only to the host of the URL. */

import { Agent } from 'node:http';
import { Agent as AgentTls } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { elapsed, PLATFORM_TIMERS, type Timers } from '@geomill/core/timers.ts';
import { urlErrors } from '@geomill/library/url-messages.ts';
import { type Answer, bodyOf, follow, requireOk } from '../answer.ts';
import { checkInputUrl, hostOf } from '../check-url.ts';
import type { Outside } from '../connect.ts';
import { Deadline } from '../deadline.ts';
import { remoteInputErrors } from '../errors.ts';
import type { FetchTask } from '../fetch-messages.ts';
import { JsonAnswer } from './json-answer.ts';

/** More than any layer needs that can be read in a day. */
const MAX_REQUESTS = 100_000;
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
const MAX_TRIES = 5;

/** Statuses of servers that are busy, or that gave up a query because it was too large. */
const TRANSIENT_STATUSES: readonly unknown[] = [408, 429, 500, 502, 503, 504];
const TRANSIENT_CODES: readonly string[] = [
  'URL_TIMEOUT',
  'URL_INCOMPLETE',
  'URL_UNREACHABLE',
  'SERVICE_ANSWER_INVALID',
];

export class ServiceRequests implements Disposable {
  readonly #task: FetchTask;
  readonly #outside: Outside;
  readonly #secrets: readonly string[];
  readonly #agents = {
    http: new Agent({ keepAlive: true, maxSockets: 1 }),
    https: new AgentTls({ keepAlive: true, maxSockets: 1 }),
  };
  readonly #timers: Timers;
  readonly #endsAt: number;
  #count = 0;

  /** `secrets`: removed from messages of the server. */
  constructor(task: FetchTask, outside: Outside, secrets: readonly string[]) {
    this.#task = task;
    this.#outside = outside;
    this.#secrets = secrets;
    this.#timers = outside.timers ?? PLATFORM_TIMERS;
    this.#endsAt = this.#timers.now() + task.limits.totalMs;
  }

  get count(): number {
    return this.#count;
  }

  /**
   * One request, tried once. Throws like `follow`, and URL_STATUS, URL_ENCODING, URL_INCOMPLETE, SERVICE_ERROR,
   * SERVICE_ANSWER_INVALID, and LIMIT_EXCEEDED if the answer has more than `maxBytes` when it is unpacked.
   */
  async get(url: URL, maxBytes = MAX_DOCUMENT_BYTES): Promise<JsonAnswer> {
    if (this.#count === MAX_REQUESTS) throw tooMany(url);
    this.#count++;
    const { totalMs, stallMs } = this.#task.limits;
    const leftMs = this.#endsAt - this.#timers.now();
    if (leftMs <= 0) throw this.#outOfTime(url);
    // Queries of large layers take longer than the answers of file servers.
    const limits = { ...this.#task.limits, totalMs: Math.min(leftMs, totalMs), headersMs: stallMs };
    using deadline = new Deadline(limits, this.#timers);
    try {
      return new JsonAnswer(
        await this.#receive(url, maxBytes, deadline),
        hostOf(url),
        this.#secrets,
        requestName(url),
      );
    } catch (error) {
      if (this.#timers.now() >= this.#endsAt) throw this.#outOfTime(url);
      throw withRequest(error, url);
    }
  }

  /** As `get`, tried again after failures that may pass. */
  async getPatiently(url: URL, maxBytes = MAX_DOCUMENT_BYTES): Promise<JsonAnswer> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.get(url, maxBytes);
      } catch (error) {
        // The first request of all fails at once: the URL is probably wrong.
        if (!isTransient(error) || tries === MAX_TRIES || this.#count === 1) throw error;
        await this.waitAfter(tries, error);
      }
    }
  }

  /** Waits longer after each failure. Throws `error` if there is no time to try again, or the tries are used up. */
  async waitAfter(failures: number, error: unknown): Promise<void> {
    const ms = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
    if (failures > MAX_TRIES || this.#timers.now() + ms >= this.#endsAt) throw error;
    await (this.#outside.wait?.(ms) ?? elapsed(ms, this.#timers));
  }

  [Symbol.dispose](): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  async #receive(url: URL, maxBytes: number, deadline: Deadline): Promise<Buffer<ArrayBuffer>> {
    const checked = checkInputUrl(url.href, this.#task.policy, this.#task.urlPath);
    const kind = { acceptEncoding: 'gzip', agents: this.#agents, staysOnHost: true } as const;
    const answer = await follow(checked, { task: this.#task, outside: this.#outside, kind }, deadline);
    try {
      requireOk(answer);
      return await bytesOf(answer, maxBytes, deadline);
    } catch (error) {
      answer.response.destroy();
      throw error;
    }
  }

  #outOfTime(url: URL): Error {
    const seconds = this.#task.limits.totalMs / 1000;
    const what = 'send the whole layer';
    return failure(remoteInputErrors.URL_TIMEOUT, {
      host: hostOf(url),
      what,
      seconds,
      setting: 'INPUT_URL_TIMEOUT',
    });
  }
}

/** What is asked for, for messages: without values of parameters, which may be secret. */
function requestName({ pathname, searchParams }: URL): string {
  if (!/\/query$/i.test(pathname)) return 'the request for the description of the layer';
  if (searchParams.has('returnCountOnly')) return 'the query for the number of features (returnCountOnly)';
  if (searchParams.has('returnIdsOnly')) return 'the query for the object ids (returnIdsOnly)';
  const offset = searchParams.get('resultOffset');
  if (offset !== null) return `the query for features from number ${Number(offset) + 1} on (resultOffset)`;
  if (searchParams.has('objectIds')) return 'the query for features by their object ids (objectIds)';
  const [, first, last] = / >= (-?\d+) AND \S+ <= (-?\d+)$/.exec(searchParams.get('where') ?? '') ?? [];
  return first === undefined
    ? 'the query for all features'
    : `the query for the features with object ids ${first} to ${last} (where)`;
}

/** An error of an answer that does not say which request it belongs to. */
function withRequest(error: unknown, url: URL): unknown {
  if (!(error instanceof GeomillError) || error.code !== 'URL_STATUS') return error;
  const what = `an answer to ${requestName(url)}`;
  const { host, status } = error.params;
  return failure(
    urlErrors.URL_STATUS,
    { host: String(host), status: Number(status), what },
    error.location,
    error,
  );
}

/** Whether the same request can succeed later. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof GeomillError)) return false;
  if (error.code === 'URL_STATUS' || error.code === 'SERVICE_ERROR')
    return TRANSIENT_STATUSES.includes(error.params.status);
  return TRANSIENT_CODES.includes(error.code);
}

/** The unpacked body and a zero byte. */
async function bytesOf(answer: Answer, maxBytes: number, deadline: Deadline): Promise<Buffer<ArrayBuffer>> {
  const host = hostOf(answer.url);
  const chunks: Buffer[] = [];
  let byteLength = 0;
  const collect = async (source: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of source) {
      byteLength += chunk.length;
      if (byteLength > maxBytes) throw tooLargeAnswer(host, maxBytes);
      chunks.push(chunk);
    }
  };
  deadline.expectBytes(host);
  const encoding = answer.response.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') await collect(received(answer, deadline));
  else if (encoding === 'gzip')
    await pipeline(received(answer, deadline), createGunzip(), collect).catch(rethrow);
  else throw failure(urlErrors.URL_ENCODING, { host });
  return Buffer.concat([...chunks, Buffer.alloc(1)]);

  function rethrow(error: unknown): never {
    if (error instanceof GeomillError) throw error;
    throw failure(
      remoteInputErrors.SERVICE_ANSWER_INVALID,
      { host, request: requestName(answer.url), reason: 'its gzip data is damaged' },
      undefined,
      error,
    );
  }
}

async function* received(answer: Answer, deadline: Deadline): AsyncIterable<Buffer> {
  for await (const chunk of bodyOf(answer, deadline)) {
    deadline.expectBytes(hostOf(answer.url));
    yield chunk;
  }
}

function tooLargeAnswer(host: string, maxBytes: number): Error {
  return failure(generalErrors.LIMIT_EXCEEDED, {
    what: `an answer of '${host}'`,
    actual: 'more than that',
    limit: `${maxBytes} bytes`,
    setting: 'a fixed limit',
  });
}

function tooMany(url: URL): Error {
  return failure(generalErrors.LIMIT_EXCEEDED, {
    what: `the number of requests to '${hostOf(url)}'`,
    actual: 'more than that',
    limit: String(MAX_REQUESTS),
    setting: 'a fixed limit',
  });
}
