/**
 * The answer to a request for one URL: follows redirects itself and checks each URL like the first.
 *
 * Error messages contain only what the requester already knows: no body or header of a response, no address, and no
 * rejected target of a redirect. Otherwise fetching could be used to explore the operator's network.
 */

import type { IncomingMessage } from 'node:http';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { urlErrors } from '@geomill/library/url-messages.ts';
import { checkInputUrl, hostOf } from './check-url.ts';
import { type Outside, type RequestKind, requestUrl, sentMoreThanStated } from './connect.ts';
import type { Deadline } from './deadline.ts';
import type { FetchTask } from './fetch-messages.ts';

const MAX_REDIRECTS = 5;
const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];

export interface Answer {
  /** Where it came from, after redirects. */
  readonly url: URL;
  /** Not read yet, with any status but those of redirects. */
  readonly response: IncomingMessage;
}

/** What the requests of a task have in common. */
export interface Asker {
  readonly task: FetchTask;
  readonly outside: Outside;
  readonly kind: RequestKind;
}

/**
 * Resolves with the answer to a request for `first`, which was checked, or for what it redirects to. Throws URL_REFUSED,
 * URL_REDIRECT, URL_UNREACHABLE, URL_TIMEOUT; any other error is internal.
 */
export async function follow(first: URL, asker: Asker, deadline: Deadline): Promise<Answer> {
  let url = first;
  for (let redirects = 0; ; redirects++) {
    deadline.expectHeaders(hostOf(url));
    const response = await ask(url, redirects > 0, first, asker, deadline);
    if (!REDIRECT_STATUSES.includes(response.statusCode ?? 0)) return { url, response };
    response.destroy();
    if (redirects === MAX_REDIRECTS) throw redirectRefused(first, `more than ${MAX_REDIRECTS} times`);
    url = redirectTarget(url, response.headers.location, first, asker);
  }
}

/** Throws URL_STATUS. */
export function requireOk({ url, response: { statusCode = 0 } }: Answer): void {
  if (statusCode !== 200)
    throw failure(urlErrors.URL_STATUS, { host: hostOf(url), status: statusCode, what: 'the file' });
}

async function ask(
  url: URL,
  isRedirected: boolean,
  first: URL,
  { task, outside, kind }: Asker,
  deadline: Deadline,
): Promise<IncomingMessage> {
  try {
    return await requestUrl(url, task, deadline.signal, outside, kind);
  } catch (error) {
    deadline.throwIfOver();
    if (error instanceof GeomillError && isRedirected) throw redirectRefused(first, TO_NOT_ALLOWED);
    if (error instanceof GeomillError || isOurs(error)) throw error;
    throw failure(
      urlErrors.URL_UNREACHABLE,
      { host: hostOf(url), reason: reasonOf(error) },
      undefined,
      error,
    );
  }
}

const TO_NOT_ALLOWED = 'to an address from which files are not fetched';

function redirectTarget(from: URL, location: string | undefined, first: URL, { task, kind }: Asker): URL {
  if (location === undefined || location === '') throw redirectRefused(first, 'without saying where to');
  let target: URL;
  try {
    // Characters that the parser would convert or drop are rejected before a relative address is resolved.
    checkCharacters(location);
    target = checkInputUrl(new URL(location, from).href, task.policy, task.urlPath);
  } catch (error) {
    throw failure(urlErrors.URL_REDIRECT, { host: hostOf(first), how: TO_NOT_ALLOWED }, undefined, error);
  }
  if (from.protocol === 'https:' && target.protocol === 'http:')
    throw redirectRefused(first, 'from https to http');
  if (kind.staysOnHost && target.host !== first.host) throw redirectRefused(first, 'to another host');
  return target;
}

function checkCharacters(location: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u0020\u007f\\]/.test(location)) throw new Error('a character that no URL holds');
}

function redirectRefused(first: URL, how: string): Error {
  return failure(urlErrors.URL_REDIRECT, { host: hostOf(first), how });
}

/** The body; its errors become coded errors. Disk errors are thrown by the reader and pass unchanged. */
export async function* bodyOf({ url, response }: Answer, deadline: Deadline): AsyncIterable<Buffer> {
  try {
    yield* response as AsyncIterable<Buffer>;
  } catch (error) {
    deadline.throwIfOver();
    throw failure(urlErrors.URL_INCOMPLETE, { host: hostOf(url) }, undefined, error);
  }
  deadline.throwIfOver();
  if (!response.complete) throw failure(urlErrors.URL_INCOMPLETE, { host: hostOf(url) });
  if (sentMoreThanStated(response)) throw failure(urlErrors.URL_LENGTH_WRONG, { host: hostOf(url) });
}

/** Errors of the network and of the permission model have codes. */
function isOurs(error: unknown): boolean {
  return !(error instanceof Error && 'code' in error) || error.code === 'ERR_ACCESS_DENIED';
}

/** Own messages, because those of Node contain addresses and ports. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^(?:ENOTFOUND|EAI_|ENODATA)/.test(code)) return 'its name does not resolve';
  if (code === 'ECONNREFUSED') return 'it refuses connections';
  if (/^(?:ECONNRESET|EPIPE|ECONNABORTED)$/.test(code)) return 'it closed the connection';
  if (/^(?:HPE_|ERR_HTTP|ERR_STREAM)/.test(code)) return 'it does not answer in valid HTTP';
  if (/CERT|^ERR_TLS|^UNABLE_TO|SIGNATURE|HOSTNAME|^INVALID_CA|^INVALID_PURPOSE/.test(code))
    return `its TLS certificate is not to be trusted (${code})`;
  if (/^(?:ERR_SSL|EPROTO)/.test(code)) return 'it does not speak TLS that is understood here';
  return 'no connection is possible';
}
