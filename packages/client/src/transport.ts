/** Requests: address, credentials, and what is tried again. Nothing but fetch, so it runs wherever that does. */
import { backoffMs, delay } from './delay.ts';
import { problemOf, retryAfterOf } from './errors.ts';
import type { TokenSource } from './token-source.ts';

export interface TransportOptions {
  /** Address of the service, with its path where it has one. */
  readonly baseUrl: string;
  /** Sent as the header `apiKey`. */
  readonly apiKey?: string;
  /** An access token, or a function that gives one and is called before every request, so it can renew the token. */
  readonly token?: string | TokenSource;
  /** Default: that of the platform. For proxies, own certificates, tests. */
  readonly fetch?: typeof globalThis.fetch;
  readonly retry?: RetryOptions;
}

export interface RetryOptions {
  /** How often a request is sent at most. Default: 5; 1: never again. */
  readonly attempts?: number;
  /** The longest pause between two attempts; a service that asks for more gets no further attempt. Default: 30. */
  readonly maxDelaySeconds?: number;
}

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the base address, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Made anew for each attempt. */
  readonly body?: () => OutgoingBody;
  /** Whether it may be sent again: it does no more when it comes twice, and its body can be made twice. */
  readonly isRepeatable: boolean;
  /** Whether `body` can be made again after the service has rejected the token. Default: as `isRepeatable`. */
  readonly hasRepeatableBody?: boolean;
  /** Answers that the caller wants to see besides those below 400. */
  readonly alsoStatuses?: readonly number[];
  readonly signal?: AbortSignal;
}

export interface OutgoingBody {
  readonly content: FormData | string | Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  /** Of a stream or a text; a form has its own. */
  readonly mediaType?: string;
  /** Closes what it is read from, when it need not be read further. Harmless at the end. */
  readonly release?: (reason: unknown) => void;
}

/** Busy, without disk space, or a proxy that did not reach the service: gone with time. */
const PASSING_STATUSES = [429, 502, 503, 504, 507];
const FIRST_DELAY_MS = 300;

export class Transport {
  readonly #options: TransportOptions;
  readonly #baseUrl: string;
  readonly #attempts: number;
  readonly #maxDelayMs: number;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#baseUrl = new URL(options.baseUrl).href.replace(/\/+$/, '');
    this.#attempts = Math.max(1, options.retry?.attempts ?? 5);
    this.#maxDelayMs = (options.retry?.maxDelaySeconds ?? 30) * 1000;
  }

  get attempts(): number {
    return this.#attempts;
  }

  /** Pause before the attempt that follows so many failures. */
  pauseMs(failures: number): number {
    return backoffMs(failures, FIRST_DELAY_MS, this.#maxDelayMs);
  }

  /** Throws GeomillProblem for statuses from 400 on, what fetch throws, and the reason of the signal. */
  async send(request: OutgoingRequest): Promise<Response> {
    const { isRepeatable, signal, alsoStatuses = [] } = request;
    for (let failures = 0; ; failures++) {
      const isLast = !isRepeatable || failures + 1 >= this.#attempts;
      let pauseMs = this.pauseMs(failures);
      try {
        const response = await this.#sendWithToken(request);
        if (response.ok || alsoStatuses.includes(response.status)) return response;
        const wantedMs = (retryAfterOf(response) ?? 0) * 1000;
        const isPassing = PASSING_STATUSES.includes(response.status) && wantedMs <= this.#maxDelayMs;
        if (isLast || !isPassing) throw new Refusal(response);
        pauseMs = Math.max(pauseMs, wantedMs);
        // Read to its end, so that the connection serves the next attempt.
        await response.text().catch(() => {});
      } catch (error) {
        if (error instanceof Refusal) throw await problemOf(error.response);
        if (isLast || signal?.aborted || !isNetworkFailure(error)) throw error;
      }
      await delay(pauseMs, signal);
    }
  }

  async json<T>(request: Omit<OutgoingRequest, 'isRepeatable' | 'method'>): Promise<T> {
    const response = await this.send({ ...request, method: 'GET', isRepeatable: true });
    return (await response.json()) as T;
  }

  /** Once more with another token if the service rejects the first one, before it has done anything. */
  async #sendWithToken(request: OutgoingRequest): Promise<Response> {
    const { token } = this.#options;
    if (typeof token !== 'function') return this.#sendOnce(request, token);
    const first = await token();
    const response = await this.#sendOnce(request, first);
    const { body, isRepeatable, hasRepeatableBody = isRepeatable } = request;
    if (response.status !== 401 || !(body === undefined || hasRepeatableBody)) return response;
    const second = await token(first);
    if (second === first) return response;
    await response.text().catch(() => {});
    return this.#sendOnce(request, second);
  }

  async #sendOnce(
    { method, path, headers, body, signal }: OutgoingRequest,
    token: string | undefined,
  ): Promise<Response> {
    const { apiKey } = this.#options;
    const made = body?.();
    const init: RequestInit & { duplex?: 'half' } = {
      method,
      headers: {
        ...(apiKey === undefined ? {} : { apiKey }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(made?.mediaType === undefined ? {} : { 'content-type': made.mediaType }),
        ...headers,
      },
      // The service never redirects, and fetch would send an API key to the new address.
      redirect: 'manual',
      ...(signal === undefined ? {} : { signal }),
      ...(made === undefined ? {} : { body: made.content }),
      ...(made?.content instanceof ReadableStream ? { duplex: 'half' as const } : {}),
    };
    const { fetch = globalThis.fetch } = this.#options;
    try {
      const response = await fetch(this.#baseUrl + path, init);
      if (!response.ok) made?.release?.(new Error(`the service answered ${response.status}`));
      return response;
    } catch (error) {
      // The fetch of Node lets go of a stream that it reads no further, without canceling it.
      made?.release?.(error);
      // "fetch failed" names neither the address nor the reason.
      throw error instanceof TypeError ? unreachable(this.#baseUrl, error) : error;
    }
  }
}

/** Still a TypeError, as fetch throws where no answer comes. */
function unreachable(baseUrl: string, error: TypeError): TypeError {
  const { cause } = error;
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : error.message;
  return new TypeError(`no answer from ${baseUrl}: ${reason}`, { cause: error });
}

class Refusal {
  readonly response: Response;

  constructor(response: Response) {
    this.response = response;
  }
}

/** fetch throws a TypeError if no response arrives; other errors are wrong arguments or an abort. */
function isNetworkFailure(error: unknown): boolean {
  return error instanceof TypeError;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}
