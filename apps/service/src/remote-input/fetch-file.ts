/** Fetches a file into a new file, within limits. Runs in its own process (fetch-main.ts). */

import { type FileHandle, open } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { nameOfFile } from '@geomill/library/file-name.ts';
import { urlErrors } from '@geomill/library/url-messages.ts';
import { type Answer, bodyOf, follow, requireOk } from './answer.ts';
import { checkInputUrl, hostOf } from './check-url.ts';
import { type Outside, PLAIN_REQUEST } from './connect.ts';
import { Deadline } from './deadline.ts';
import type { FetchedFile, FetchLimits, FetchTask } from './fetch-messages.ts';

/**
 * Resolves when the file is complete at `task.path`. Throws URL_INVALID, URL_REFUSED, URL_REDIRECT, URL_UNREACHABLE,
 * URL_STATUS, URL_ENCODING, URL_PARTIAL, URL_TIMEOUT, URL_INCOMPLETE, URL_LENGTH_WRONG, LIMIT_EXCEEDED, INPUT_EMPTY; any other error is internal.
 */
export async function fetchFile(task: FetchTask, outside: Outside): Promise<FetchedFile> {
  const first = checkInputUrl(task.url, task.policy, task.urlPath);
  using deadline = new Deadline(task.limits, outside.timers);
  const answer = await follow(first, { task, outside, kind: PLAIN_REQUEST }, deadline);
  const { url, response } = answer;
  try {
    requireOk(answer);
    const declaredBytes = checkHeaders(answer, task.limits);
    const byteLength = await receive(answer, task, deadline);
    const name = nameOfFile(response.headers['content-disposition'], url, first);
    if (byteLength === 0) throw failure(generalErrors.INPUT_EMPTY, { source: `what '${hostOf(url)}' sent` });
    if (declaredBytes === null && !isChunked(response.headers))
      return { host: hostOf(url), byteLength, name, end: await endOf(task.path) };
    return { host: hostOf(url), byteLength, name, end: 'stated' };
  } finally {
    response.destroy();
  }
}

function isChunked(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding']?.trim().toLowerCase() === 'chunked';
}

/** How the end of a file is known whose length the host did not state. */
async function endOf(path: string): Promise<FetchedFile['end']> {
  // Loaded only for such files: a fetching process needs no formats otherwise.
  const { HEAD_BYTES } = await import('@geomill/formats/content.ts');
  const { hasEndMark } = await import('@geomill/formats/recognise.ts');
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return hasEndMark(buffer.subarray(0, bytesRead)) ? 'marked' : 'unknown';
}

/** Size announced by the host; null: not announced. Throws URL_ENCODING, URL_PARTIAL and LIMIT_EXCEEDED. */
function checkHeaders({ url, response: { headers } }: Answer, { maxBytes }: FetchLimits): number | null {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  // Decompression would need the same limits as zip archives, and few hosts ignore "identity".
  if (encoding !== '' && encoding !== 'identity')
    throw failure(urlErrors.URL_ENCODING, { host: hostOf(url) });
  const transfer = headers['transfer-encoding'];
  // Node unpacks chunks only.
  if (transfer !== undefined && !isChunked(headers) && transfer.trim().toLowerCase() !== 'identity')
    throw failure(urlErrors.URL_ENCODING, { host: hostOf(url) });
  if (isPartOfFile(headers['content-range'])) throw failure(urlErrors.URL_PARTIAL, { host: hostOf(url) });
  const length = headers['content-length'];
  if (length === undefined) return null;
  const declaredBytes = Number(length);
  if (declaredBytes > maxBytes) throw tooLarge(url, `declared as ${declaredBytes} bytes`, maxBytes);
  return declaredBytes;
}

/** Some hosts send a range with the status 200. A range of all bytes is the file. */
function isPartOfFile(contentRange: string | undefined): boolean {
  if (contentRange === undefined) return false;
  const range = /^bytes\s+(\d+)-(\d+)\/(\d+)$/i.exec(contentRange.trim());
  return range === null || Number(range[1]) !== 0 || Number(range[2]) !== Number(range[3]) - 1;
}

async function receive(answer: Answer, task: FetchTask, deadline: Deadline): Promise<number> {
  const { url } = answer;
  const { maxBytes } = task.limits;
  const file = await open(task.path, 'wx', 0o600);
  let byteLength = 0;
  try {
    deadline.expectBytes(hostOf(url));
    for await (const chunk of bodyOf(answer, deadline)) {
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

export async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length; )
    written += (await file.write(bytes, written, bytes.length - written)).bytesWritten;
}

/** The file is larger than MAX_UPLOAD allows. */
export function tooLarge(url: URL, actual: string, maxBytes: number): Error {
  return failure(generalErrors.LIMIT_EXCEEDED, {
    what: `the file of '${hostOf(url)}'`,
    actual,
    limit: `${maxBytes} bytes`,
    setting: 'MAX_UPLOAD',
  });
}
