/** Sends the findings of a job with their places: a GeoJSON FeatureCollection that follows the output in its stored file. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isFinal, type Job } from '../jobs/job.ts';
import { type HttpContext, jobsOf, ownerOf } from './context.ts';
import { matchesEntityTag } from './entity-tag.ts';
import { expired, notDone, rangeOf } from './send-output.ts';

/** Throws JOB_NOT_DONE, JOB_EXPIRED, RANGE_NOT_SATISFIABLE and OWNER_REQUESTS_EXCEEDED. */
export async function sendFindings(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  job: Job,
): Promise<FastifyReply> {
  const { output } = job;
  if (!isFinal(job.state) || output === null) throw notDone(job);
  const etag = `"${job.id}-findings"`;
  reply
    .header('etag', etag)
    .header('last-modified', new Date(job.endedAt ?? 0).toUTCString())
    .header('accept-ranges', 'bytes')
    .header('cache-control', 'private, no-cache');
  if (jobsOf(context, request).isExpired(job)) throw expired(job);
  if (matchesEntityTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  reply
    .header('content-type', 'application/geo+json')
    .header('content-disposition', `attachment; filename="findings-${job.id}.geojson"`);
  const whole = output.findingsBytes === undefined ? Buffer.from(withoutFeatures(job)) : null;
  const byteLength = whole?.length ?? output.findingsBytes ?? 0;
  const range = request.method === 'GET' ? rangeOf(request, etag, byteLength) : 'whole';
  const { start, end } = range === 'whole' ? { start: 0, end: byteLength } : range;
  reply.header('content-length', end - start);
  if (range !== 'whole') reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${byteLength}`);
  if (request.method === 'HEAD') return reply.send();
  if (whole !== null) return reply.send(whole.subarray(start, end));
  const leave = context.openRequests.enter(ownerOf(request));
  reply.raw.once('close', leave);
  const file = await jobsOf(context, request).openOutput(job);
  if (file === null) throw expired(job);
  context.metrics.outputSent(end - start);
  return reply.send(file.stream(output.byteLength + start, output.byteLength + end));
}

/** Of a job whose findings list no features. */
function withoutFeatures({ report }: Job): string {
  const totals: Record<string, { count: number; listed: number }> = {};
  for (const { code, count } of report?.warnings ?? []) {
    totals[code] ??= { count: 0, listed: 0 };
    totals[code].count += count;
  }
  return `${JSON.stringify({ type: 'FeatureCollection', totals, features: [] })}\n`;
}
