/** Sends the output of a job with its media type, name, length, validators, ranges and metadata. */
import { failure, type GeomillError, plainError, reviveError } from '@geomill/core/messages/errors.ts';
import { severitiesOf } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { fetchedBytes } from '@geomill/pipeline/report.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { catalogue } from '../catalogue.ts';
import { errorText, type Job, type JobOutput } from '../jobs/job.ts';
import type { PresignOptions } from '../storage/store.ts';
import { type HttpContext, jobsOf, ownerOf } from './context.ts';
import { matchesEntityTag } from './entity-tag.ts';
import { problemOf, sendProblem } from './error-reply.ts';
import { httpErrors } from './errors.ts';
import { joinTraceOf } from './request-trace.ts';

/**
 * Answers a GET or HEAD of the output, or the request that submitted the job, to which no range and no condition applies.
 * Throws JOB_NOT_DONE, JOB_EXPIRED, RANGE_NOT_SATISFIABLE and OWNER_REQUESTS_EXCEEDED.
 */
export async function sendOutput(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  job: Job,
): Promise<FastifyReply> {
  joinTraceOf(job, request, reply);
  if (job.state !== 'SUCCESS' || job.output === null) throw notDone(job);
  const etag = `"${job.id}"`;
  reply
    .header('etag', etag)
    .header('last-modified', new Date(job.endedAt ?? 0).toUTCString())
    .header('accept-ranges', 'bytes')
    .header('cache-control', 'private, no-cache');
  if (jobsOf(context, request).isExpired(job)) throw expired(job);
  const isRetrieval = request.method === 'GET' || request.method === 'HEAD';
  if (isRetrieval && matchesEntityTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  const url = await redirectOf(context, request, job);
  if (url !== null) {
    for (const name of ['etag', 'last-modified', 'accept-ranges']) reply.removeHeader(name);
    return reply.header('cache-control', 'private, no-store').redirect(url, 302);
  }
  reply.headers(metadataOf(job));
  const { mediaType, disposition } = presentationOf(job, job.output);
  reply.header('content-type', mediaType);
  if (disposition !== undefined) reply.header('content-disposition', disposition);

  const { byteLength } = job.output;
  const range = request.method === 'GET' ? rangeOf(request, etag, byteLength) : 'whole';
  const { start, end } = range === 'whole' ? { start: 0, end: byteLength } : range;
  reply.header('content-length', end - start);
  if (range !== 'whole') reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${byteLength}`);
  if (request.method === 'HEAD') return reply.send();
  const leave = context.openRequests.enter(ownerOf(request));
  reply.raw.once('close', leave);
  const span = context.tracer.span('deliver output', 'internal', {
    parent: request.span.context,
    attributes: { 'geomill.job.id': job.id, 'geomill.bytes': end - start },
  });
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) span.fail('aborted');
    span.end();
  });
  const file = await jobsOf(context, request).openOutput(job);
  if (file === null) throw expired(job);
  context.metrics.outputSent(end - start);
  return reply.send(file.stream(start, end));
}

function presentationOf(job: Job, output: JobOutput): Pick<PresignOptions, 'mediaType' | 'disposition'> {
  const isInline = job.request.operation === 'inspect' || !job.request.output.toFile;
  if (isInline) return { mediaType: 'application/json; charset=utf-8' };
  return { mediaType: output.mediaType, disposition: contentDisposition(output.fileName) };
}

/**
 * The presigned URL to send a client to, with STORE_REDIRECT; null: it gets the bytes. Scripts of pages do, which may not load from other
 * hosts, and a client that continues a download, whose If-Range has a tag that the store does not know.
 */
async function redirectOf(context: HttpContext, request: FastifyRequest, job: Job): Promise<string | null> {
  const { storeRedirect, storeRedirectSeconds: expiresSeconds } = context.config;
  const { 'sec-fetch-dest': destination, 'if-range': ifRange } = request.headers;
  if (storeRedirect !== 'true' || job.output === null) return null;
  if (
    request.method !== 'GET' ||
    ifRange !== undefined ||
    (destination !== undefined && destination !== 'document')
  )
    return null;
  return jobsOf(context, request).presignOutput(job, { ...presentationOf(job, job.output), expiresSeconds });
}

/** Throws RANGE_NOT_SATISFIABLE. */
export function rangeOf({ headers }: FastifyRequest, etag: string, byteLength: number): ByteRange | 'whole' {
  const ifRange = headers['if-range'];
  if (ifRange !== undefined && ifRange !== etag) return 'whole';
  const range = parseRange(headers.range, byteLength);
  if (range !== 'unsatisfiable') return range;
  throw failure(httpErrors.RANGE_NOT_SATISFIABLE, {
    range: String(headers.range).slice(0, 60),
    bytes: byteLength,
  });
}

interface ByteRange {
  readonly start: number;
  readonly end: number; // exclusive
}

/**
 * The range of a Range header (RFC 9110 14.2). 'whole': no header, or one to be ignored (other units, several ranges,
 * invalid syntax), as the RFC allows. 'unsatisfiable': the range is outside the `byteLength` bytes.
 */
function parseRange(header: string | undefined, byteLength: number): ByteRange | 'whole' | 'unsatisfiable' {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.replaceAll(' ', '') ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return 'whole';
  if (match[1] === '') {
    const suffix = Math.min(Number(match[2]), byteLength);
    return suffix === 0 ? 'unsatisfiable' : { start: byteLength - suffix, end: byteLength };
  }
  const start = Number(match[1]);
  const last = match[2] === '' ? byteLength - 1 : Math.min(Number(match[2]), byteLength - 1);
  if (match[2] !== '' && Number(match[2]) < start) return 'whole';
  return start >= byteLength ? 'unsatisfiable' : { start, end: last + 1 };
}

/**
 * Headers with a summary of the job, for clients that do not request the report. Sizes are in bytes: of all inputs
 * together, and of the whole output.
 */
function metadataOf({ request, inputs, output, report, warningCount }: Job): Record<string, string> {
  const uploadedBytes = inputs.reduce((sum, input) => sum + (input.byteLength ?? 0), 0);
  const requestBytes = uploadedBytes + (report === null ? 0 : fetchedBytes(report));
  return {
    'metadata-input-format': request.input.format,
    'metadata-output-format': request.operation === 'inspect' ? 'json' : request.output.format,
    'metadata-transformations': request.transformations.map(({ type }) => type).join(','),
    'metadata-request-size': String(requestBytes),
    'metadata-response-size': String(output?.byteLength ?? 0),
    'geomill-warnings': warningsText(warningCount, report),
  };
}

/** An integer with parameters (RFC 9651): `3;info=1;changed=2;lost=0`. */
function warningsText(count: number, report: Job['report']): string {
  if (report === null) return String(count);
  const { info, changed, lost } = severitiesOf(report, catalogue);
  return `${count};info=${info};changed=${changed};lost=${lost}`;
}

/** Sends the error of a failed job as a problem, to a client that waited for the job. */
export function sendJobFailure(reply: FastifyReply, job: Job): FastifyReply {
  const error = job.error ?? plainError(generalErrors.INTERNAL, { reason: 'unknown' });
  return sendProblem(reply, problemOf(reviveError(error, catalogue), errorText(job.id, error)));
}

export function notDone(job: Job): GeomillError {
  const more = job.error === null ? '' : `: ${errorText(job.id, job.error)}`;
  return failure(httpErrors.JOB_NOT_DONE, { id: job.id, state: job.state, more });
}

export function expired(job: Job): GeomillError {
  return failure(httpErrors.JOB_EXPIRED, { id: job.id, at: new Date(job.expiresAt ?? 0).toISOString() });
}

/** RFC 6266: an ASCII name for old clients and the real name in UTF-8. */
function contentDisposition(fileName: string): string {
  const ascii = fileName.replace(/[^\x20-\x7e]/g, '_').replace(/["\\]/g, '_');
  const plain = `attachment; filename="${ascii}"`;
  if (ascii === fileName) return plain;
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${plain}; filename*=UTF-8''${encoded}`;
}
