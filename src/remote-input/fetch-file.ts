/**
 * Fetches a file: follows redirects itself, checks each URL like the first, and writes the body within limits. Runs in its
 * own process (fetch-main.ts).
 *
 * Error messages contain only what the requester already knows: no body or header of a response, no address, and no
 * rejected target of a redirect. Otherwise fetching could be used to explore the operator's network.
 */
import { open } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { failure, GeomillError } from '../errors.ts';
import { checkInputUrl, hostOf } from './check-url.ts';
import { type Outside, requestUrl } from './connect.ts';
import { Deadline } from './deadline.ts';
import type { FetchedFile, FetchLimits, FetchTask } from './fetch-messages.ts';
import { nameOfFile } from './file-name.ts';

const MAX_REDIRECTS = 5;
const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Resolves when the file is complete at `task.path`. Throws URL_INVALID, URL_REFUSED, URL_REDIRECT, URL_UNREACHABLE,
 * URL_STATUS, URL_ENCODING, URL_TIMEOUT, URL_INCOMPLETE, LIMIT_EXCEEDED, INPUT_EMPTY; any other error is internal.
 */
export async function fetchFile(task: FetchTask, outside: Outside): Promise<FetchedFile> {
  const first = checkInputUrl(task.url, task.policy, task.urlPath);
  using deadline = new Deadline(task.limits);
  const { url, response } = await follow(first, task, outside, deadline);
  try {
    const declaredBytes = checkHeaders(url, response, task.limits);
    const byteLength = await receive(url, response, task, deadline);
    const name = nameOfFile(response.headers['content-disposition'], url, first);
    if (byteLength === 0) throw failure('INPUT_EMPTY', { source: `what '${hostOf(url)}' sent` });
    const isLengthStated = declaredBytes !== null || response.headers['transfer-encoding'] !== undefined;
    return { host: hostOf(url), byteLength, name, isLengthStated };
  } finally {
    response.destroy();
  }
}

interface Answer {
  readonly url: URL;
  readonly response: IncomingMessage;
}

async function follow(first: URL, task: FetchTask, outside: Outside, deadline: Deadline): Promise<Answer> {
  let url = first;
  for (let redirects = 0; ; redirects++) {
    deadline.expectHeaders(hostOf(url));
    const response = await ask(url, redirects > 0, first, task, outside, deadline);
    const status = response.statusCode ?? 0;
    if (status === 200) return { url, response };
    response.destroy();
    if (!REDIRECT_STATUSES.includes(status)) throw failure('URL_STATUS', { host: hostOf(url), status });
    if (redirects === MAX_REDIRECTS) throw redirectRefused(first, `more than ${MAX_REDIRECTS} times`);
    url = redirectTarget(url, response.headers.location, first, task);
  }
}

async function ask(
  url: URL,
  isRedirected: boolean,
  first: URL,
  task: FetchTask,
  outside: Outside,
  deadline: Deadline,
): Promise<IncomingMessage> {
  try {
    return await requestUrl(url, task.policy, task.userAgent, deadline.signal, outside);
  } catch (error) {
    deadline.throwIfOver();
    if (error instanceof GeomillError && isRedirected) throw redirectRefused(first, TO_NOT_ALLOWED);
    if (error instanceof GeomillError || isOurs(error)) throw error;
    throw failure('URL_UNREACHABLE', { host: hostOf(url), reason: reasonOf(error) }, undefined, error);
  }
}

const TO_NOT_ALLOWED = 'to where this service does not fetch from';

function redirectTarget(from: URL, location: string | undefined, first: URL, task: FetchTask): URL {
  if (location === undefined || location === '') throw redirectRefused(first, 'without saying where to');
  let target: URL;
  try {
    // Characters that the parser would convert or drop are rejected before a relative address is resolved.
    checkCharacters(location);
    target = checkInputUrl(new URL(location, from).href, task.policy, task.urlPath);
  } catch (error) {
    throw failure('URL_REDIRECT', { host: hostOf(first), how: TO_NOT_ALLOWED }, undefined, error);
  }
  if (from.protocol === 'https:' && target.protocol === 'http:')
    throw redirectRefused(first, 'from https to http');
  return target;
}

function checkCharacters(location: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u0020\u007f\\]/.test(location)) throw new Error('a character that no URL holds');
}

function redirectRefused(first: URL, how: string): Error {
  return failure('URL_REDIRECT', { host: hostOf(first), how });
}

/** Size announced by the host; null: not announced. */
function checkHeaders(url: URL, { headers }: IncomingMessage, { maxBytes }: FetchLimits): number | null {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  // Decompression would need the same limits as zip archives, and few hosts ignore "identity".
  if (encoding !== '' && encoding !== 'identity') throw failure('URL_ENCODING', { host: hostOf(url) });
  const length = headers['content-length'];
  if (length === undefined) return null;
  const declaredBytes = Number(length);
  if (declaredBytes > maxBytes) throw tooLarge(url, `declared as ${declaredBytes} bytes`, maxBytes);
  return declaredBytes;
}

async function receive(
  url: URL,
  response: IncomingMessage,
  task: FetchTask,
  deadline: Deadline,
): Promise<number> {
  const { maxBytes } = task.limits;
  const file = await open(task.path, 'wx', 0o600);
  let byteLength = 0;
  try {
    deadline.expectBytes(hostOf(url));
    for await (const chunk of bodyOf(url, response, deadline)) {
      byteLength += chunk.length;
      if (byteLength > maxBytes) throw tooLarge(url, 'more than that', maxBytes);
      await writeAll(file, chunk);
      deadline.expectBytes(hostOf(url));
    }
  } finally {
    await file.close();
  }
  return byteLength;
}

/** The body; its errors become coded errors. Disk errors are thrown by the reader and pass unchanged. */
async function* bodyOf(url: URL, response: IncomingMessage, deadline: Deadline): AsyncIterable<Buffer> {
  try {
    yield* response as AsyncIterable<Buffer>;
  } catch (error) {
    deadline.throwIfOver();
    throw failure('URL_INCOMPLETE', { host: hostOf(url) }, undefined, error);
  }
  if (!response.complete) throw failure('URL_INCOMPLETE', { host: hostOf(url) });
}

async function writeAll(file: Awaited<ReturnType<typeof open>>, bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length; )
    written += (await file.write(bytes, written, bytes.length - written)).bytesWritten;
}

function tooLarge(url: URL, actual: string, maxBytes: number): Error {
  return failure('LIMIT_EXCEEDED', {
    what: `the file of '${hostOf(url)}'`,
    actual,
    limit: `${maxBytes} bytes`,
    setting: 'MAX_UPLOAD',
  });
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
