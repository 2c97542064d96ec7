/** Inputs that are URLs: fetched into the temporary directory, with the `fetch` of the runtime or of the caller. */
import { failure } from '@geomill/core/messages/errors.ts';
import { type Finding, Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { HEAD_BYTES } from '@geomill/formats/content.ts';
import { hasEndMark } from '@geomill/formats/recognise.ts';
import { fileHead } from '@geomill/io/byte-source.ts';
import { safeName } from '@geomill/io/safe-name.ts';
import type { FetchReport } from '@geomill/pipeline/report.ts';
import type { InputPath } from '@geomill/pipeline/request.ts';
import { writeStream } from '@geomill/platform/file-streams.ts';
import { makeDirectory } from '@geomill/platform/files.ts';
import { joinedPath } from '@geomill/platform/paths.ts';
import { nameOfFile } from './file-name.ts';
import type { RunOptions } from './types.ts';
import { urlErrors, urlFindings } from './url-messages.ts';

export type Fetch = NonNullable<RunOptions['fetch']>;

const MAX_REDIRECTS = 5;
const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];

/** Whether an input is fetched. */
export function isFetched(source: unknown): source is string | URL {
  return (typeof source === 'string' || source instanceof URL) && /^https?:\/\//i.test(String(source));
}

/** A host in messages and reports. */
function hostOf({ host }: URL): string {
  return host.length > 100 ? `${host.slice(0, 100)}...` : host;
}

/** What a call fetches: all its files together have at most `maxBytes`. */
export class FetchedSources {
  readonly #fetch: Fetch;
  readonly #maxBytes: number;
  readonly #directory: string;
  readonly #signal: AbortSignal;
  #bytesLeft: number;
  #count = 0;
  readonly #findings = new Findings();
  readonly #reports: { readonly where: string; readonly report: FetchReport }[] = [];

  constructor(fetch: Fetch, maxBytes: number, directory: string, signal: AbortSignal) {
    this.#fetch = fetch;
    this.#maxBytes = maxBytes;
    this.#bytesLeft = maxBytes;
    this.#directory = directory;
    this.#signal = signal;
  }

  /**
   * Resolves when the file is complete. `where`: names the input in messages; `name`: that of the caller. Throws URL_INVALID, URL_REDIRECT,
   * URL_UNREACHABLE, URL_STATUS, URL_ENCODING, URL_PARTIAL, URL_INCOMPLETE, LIMIT_EXCEEDED, INPUT_EMPTY and CANCELLED.
   */
  async file(source: string | URL, where: string, name?: string): Promise<InputPath> {
    const first = checkedUrl(source, where);
    const { url, response } = await this.#follow(first);
    try {
      const length = statedLength(url, response);
      if (length !== null && length > this.#bytesLeft) throw this.#tooLarge(url);
      const named = name ?? nameOfFile(response.headers.get('content-disposition') ?? undefined, url, first);
      const directory = joinedPath(this.#directory, `fetched-${++this.#count}`);
      makeDirectory(directory);
      const path = joinedPath(directory, safeName(named ?? 'data', 'input', 200));
      const byteLength = await this.#receive(url, response, path);
      if (byteLength === 0)
        throw failure(generalErrors.INPUT_EMPTY, { source: `what '${hostOf(url)}' sent` });
      if (length !== null && byteLength < length)
        throw failure(urlErrors.URL_INCOMPLETE, { host: hostOf(url) });
      this.#note(url, response, length, path, byteLength);
      this.#reports.push({ where, report: { host: hostOf(url), byteLength } });
      return { path, name: named ?? 'data', ...(named === null ? { isUnnamed: true as const } : {}) };
    } catch (error) {
      await response.body?.cancel().catch(() => {
        // It is read, or has failed, already.
      });
      throw error;
    }
  }

  /** What a report says about it. `first`: names the first input in messages. */
  additions(first: string): {
    readonly findings: readonly Finding[];
    readonly fetched: {
      readonly fetched: FetchReport | null;
      readonly fetchedSources: readonly FetchReport[];
    };
  } {
    return {
      findings: this.#findings.list(),
      fetched: {
        fetched: this.#reports.find(({ where }) => where === first)?.report ?? null,
        fetchedSources: this.#reports.flatMap(({ where, report }) => (where === first ? [] : [report])),
      },
    };
  }

  async #follow(first: URL): Promise<{ readonly url: URL; readonly response: Response }> {
    let url = first;
    for (let redirects = 0; ; redirects++) {
      const response = await this.#ask(url);
      const isRedirect = REDIRECT_STATUSES.includes(response.status) || response.type === 'opaqueredirect';
      if (!isRedirect && response.status === 200) return { url, response };
      await response.body?.cancel();
      if (!isRedirect) {
        const { status } = response;
        throw failure(urlErrors.URL_STATUS, { host: hostOf(url), status, what: 'the file' });
      }
      if (redirects === MAX_REDIRECTS) throw redirectRefused(first, `more than ${MAX_REDIRECTS} times`);
      url = redirectTarget(first, url, response.headers.get('location'));
    }
  }

  async #ask(url: URL): Promise<Response> {
    try {
      return await this.#fetch(url.href, {
        redirect: 'manual',
        credentials: 'omit',
        headers: { 'accept-encoding': 'identity' },
        signal: this.#signal,
      });
    } catch (error) {
      if (this.#signal.aborted) throw failure(generalErrors.CANCELLED, {}, undefined, error);
      const reason = reasonOf(error);
      throw failure(urlErrors.URL_UNREACHABLE, { host: hostOf(url), reason }, undefined, error);
    }
  }

  async #receive(url: URL, response: Response, path: string): Promise<number> {
    let byteLength = 0;
    const counted = this.#bodyOf(url, response, (bytes) => {
      byteLength += bytes;
      this.#bytesLeft -= bytes;
      if (this.#bytesLeft < 0) throw this.#tooLarge(url);
    });
    try {
      await writeStream(path, counted, this.#signal);
    } catch (error) {
      if (this.#signal.aborted) throw failure(generalErrors.CANCELLED, {}, undefined, error);
      throw error;
    }
    return byteLength;
  }

  /** Errors of the connection become coded ones; those of the disk are thrown by the writer. */
  async *#bodyOf(url: URL, { body }: Response, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
    if (body === null) return;
    const reader = body.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((error: unknown) => {
          throw failure(urlErrors.URL_INCOMPLETE, { host: hostOf(url) }, undefined, error);
        });
        if (done) return;
        count(value.length);
        yield value;
      }
    } finally {
      await reader.cancel().catch(() => {
        // It is read, or has failed, already.
      });
      reader.releaseLock();
    }
  }

  #note(url: URL, { headers }: Response, length: number | null, path: string, bytes: number): void {
    if (length !== null || headers.get('transfer-encoding')?.toLowerCase() === 'chunked') return;
    const isMarked = hasEndMark(fileHead(path, HEAD_BYTES));
    const entry = isMarked ? urlFindings.INPUT_LENGTH_UNKNOWN : urlFindings.INPUT_END_UNKNOWN;
    this.#findings.note(entry, { host: hostOf(url), bytes });
  }

  #tooLarge(url: URL): Error {
    return failure(generalErrors.LIMIT_EXCEEDED, {
      what: `the size of the fetched files, with that of '${hostOf(url)}',`,
      actual: 'more than that',
      limit: `${this.#maxBytes} bytes`,
      setting: 'limits.fetchedBytes',
    });
  }
}

function checkedUrl(source: string | URL, where: string): URL {
  const url = URL.parse(String(source));
  const refuse = (reason: string): Error => failure(urlErrors.URL_INVALID, { path: field(where), reason });
  if (url === null) throw refuse('it is not a complete URL');
  if (url.username !== '' || url.password !== '')
    throw refuse(
      "it has a user or a password; fetch it yourself, and pass the body of the response as 'data'",
    );
  return url;
}

function redirectTarget(first: URL, from: URL, location: string | null): URL {
  if (location === null || location === '') throw redirectRefused(first, 'without saying where to');
  const target = URL.parse(location, from);
  const isFile = target !== null && /^https?:$/.test(target.protocol);
  if (!isFile || target.username !== '' || target.password !== '')
    throw redirectRefused(first, 'to an address from which files are not fetched');
  if (from.protocol === 'https:' && target.protocol === 'http:')
    throw redirectRefused(first, 'from https to http');
  return target;
}

function redirectRefused(first: URL, how: string): Error {
  return failure(urlErrors.URL_REDIRECT, { host: hostOf(first), how });
}

/** The size that the host states; null: none. Throws URL_ENCODING and URL_PARTIAL. */
function statedLength(url: URL, { headers }: Response): number | null {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  // Unpacking would need the limits of archives, and the end of the file would not be checked.
  if (encoding !== '' && encoding !== 'identity')
    throw failure(urlErrors.URL_ENCODING, { host: hostOf(url) });
  if (headers.has('content-range')) throw failure(urlErrors.URL_PARTIAL, { host: hostOf(url) });
  const length = headers.get('content-length');
  return length === null ? null : Number(length);
}

/** Runtimes put the error of the connection into the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return 'no connection is possible';
  return cause.message === '' && 'code' in cause ? String(cause.code) : cause.message;
}
