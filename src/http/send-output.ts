/** Sends the output of a job: media type, name, length, validators, ranges. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failure, GeomillError } from '../errors.ts';
import { errorText, type Job } from '../jobs/job.ts';
import { parseRange } from './byte-range.ts';
import type { HttpContext } from './context.ts';
import { matchesEntityTag } from './entity-tag.ts';
import { problemOf, sendProblem } from './error-reply.ts';

/** Throws JOB_NOT_DONE or JOB_EXPIRED. */
export async function sendOutput(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  job: Job,
): Promise<FastifyReply> {
  if (job.state !== 'SUCCESS' || job.output === null) throw notDone(job);
  const etag = `"${job.id}"`;
  reply
    .header('etag', etag)
    .header('last-modified', new Date(job.endedAt ?? 0).toUTCString())
    .header('accept-ranges', 'bytes')
    .header('cache-control', 'private, no-cache');
  if (!job.outputKept) throw expired(job);
  if (matchesEntityTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  const inline = job.request.output?.toFile === false;
  reply.header('content-type', inline ? 'application/json; charset=utf-8' : job.output.mediaType);
  if (!inline) reply.header('content-disposition', contentDisposition(job.output.fileName));

  const { byteLength } = job.output;
  const ifRange = request.headers['if-range'];
  const range =
    ifRange === undefined || ifRange === etag ? parseRange(request.headers.range, byteLength) : 'whole';
  if (range === 'unsatisfiable')
    throw failure('RANGE_NOT_SATISFIABLE', {
      range: String(request.headers.range).slice(0, 60),
      bytes: byteLength,
    });
  const { start, end } = range === 'whole' ? { start: 0, end: byteLength } : range;
  reply.header('content-length', end - start);
  if (range !== 'whole') reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${byteLength}`);
  if (request.method === 'HEAD') return reply.send();
  const file = await context.service.openOutput(job.id);
  if (file === null) throw expired(job);
  context.metrics.outputSent(end - start);
  return reply.send(file.stream(start, end));
}

/** Answers a client that waited for a job which failed: the job's error as a problem. */
export function sendJobFailure(reply: FastifyReply, job: Job): FastifyReply {
  const error = job.error ?? { code: 'INTERNAL' as const, params: { reason: 'unknown' } };
  return sendProblem(reply, problemOf(GeomillError.revive(error), errorText(job.id, error)));
}

function notDone(job: Job): GeomillError {
  const more = job.error === null ? '' : `: ${errorText(job.id, job.error)}`;
  return failure('JOB_NOT_DONE', { id: job.id, state: job.state, more });
}

function expired(job: Job): GeomillError {
  return failure('JOB_EXPIRED', { id: job.id, at: new Date(job.expiresAt ?? 0).toISOString() });
}

/** RFC 6266: a name in ASCII for old clients and the true one in UTF-8. */
export function contentDisposition(fileName: string): string {
  const ascii = fileName.replace(/[^\x20-\x7e]/g, '_').replace(/["\\]/g, '_');
  const plain = `attachment; filename="${ascii}"`;
  if (ascii === fileName) return plain;
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${plain}; filename*=UTF-8''${encoded}`;
}
