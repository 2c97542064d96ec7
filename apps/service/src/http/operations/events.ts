/**
 * GET /v1/jobs/{job_id}/events: what happens to a job, as server-sent events (HTML standard, 9.2).
 *
 * Every stream begins with the state as it is, so a client that reconnects has missed nothing and needs no history here.
 */
import { PassThrough } from 'node:stream';
import type { Progress } from '@geomill/pipeline/report.ts';
import type { FastifyRequest } from 'fastify';
import { isFinal, type Job } from '../../jobs/job.ts';
import type { JobNews } from '../../jobs/job-feed.ts';
import { baseUrlOf, type HttpContext, jobsOf, ownerOf } from '../context.ts';
import type { Operation } from '../operation.ts';
import { TEXT } from '../schemas/schema.ts';
import { describeJob } from './job-document.ts';
import { findJob, jobIdParameter } from './result.ts';

/** Shorter than any proxy waits for a sign of life. */
const HEARTBEAT_MS = 15_000;
const RETRY_MS = 2000;
/** How long a client gets to read the rest when the service stops. */
const LINGER_MS = 2000;
/** Id of the last event. */
const LAST_ID = 'end';

export const getJobEvents: Operation = {
  id: 'getJobEvents',
  method: 'GET',
  path: '/v1/jobs/{job_id}/events',
  tag: 'Jobs',
  access: 'jobs:read',
  summary: 'Watch a job',
  description:
    'Server-sent events, for `EventSource` or `curl -N`. `state`: the job as in GET /v1/jobs/{job_id}, sent at once and at every ' +
    'change of its state. `progress`: `{fraction, stage}`, at most five per second. The stream ends after the final state, ' +
    'or without it when the job is deleted or the service stops. An `EventSource` that reconnects after the ' +
    'final state gets 204, which ends it.',
  parameters: [
    jobIdParameter,
    {
      in: 'header',
      name: 'Last-Event-ID',
      schema: TEXT,
      description: 'Sent by an `EventSource` that reconnects. Every stream begins with the current state.',
    },
  ],
  responses: {
    200: {
      description: 'The events.',
      content: {
        'text/event-stream': {
          schema: TEXT,
          example: 'id: 2\nevent: progress\ndata: {"fraction":0.4,"stage":"converting"}\n\n',
        },
      },
    },
    204: { description: 'The final state was already sent: do not reconnect.' },
  },
  examples: ['curl -N BASE_URL/v1/jobs/JOB_ID/events'],
  handle: async (context, request, reply) => {
    const job = await findJob(context, request);
    reply.header('cache-control', 'no-store');
    if (request.headers['last-event-id'] === LAST_ID && isFinal(job.state)) return reply.code(204).send();
    // The second: nginx would gather events until its buffer is full.
    reply.header('content-type', 'text/event-stream').header('x-accel-buffering', 'no');
    if (request.method === 'HEAD') return reply.send();
    const leave = context.openRequests.enter(ownerOf(request));
    const stream = openStream(context, request, job.id);
    stream.once('close', leave);
    return reply.send(stream);
  },
};

/** A stream that ends by itself with the job, and stops watching when the client is gone. */
function openStream(context: HttpContext, request: FastifyRequest, id: string): PassThrough {
  const jobs = jobsOf(context, request);
  const baseUrl = baseUrlOf(context, request);
  const stream = new PassThrough();
  let serial = 0;
  const send = (event: string, data: string, isLast = false): void => {
    serial += 1;
    stream.write(`id: ${isLast ? LAST_ID : serial}\nevent: ${event}\ndata: ${data}\n\n`);
  };
  const tell = (news: JobNews): void => {
    if (stream.destroyed) return;
    if (news.kind === 'state' && news.job !== null) {
      const isLast = isFinal(news.job.state);
      send('state', stateText(news.job, jobs.progressOf(news.job), baseUrl), isLast);
      if (isLast) stream.end();
    } else if (news.kind === 'progress') {
      // A client that reads slowly gets fewer; states it gets all.
      if (!stream.writableNeedDrain) send('progress', progressText(news.progress));
    } else {
      stream.end();
      // A client that does not read would hold up the stopping of the service.
      setTimeout(() => stream.destroy(), LINGER_MS).unref();
    }
  };
  stream.write(`retry: ${RETRY_MS}\n\n`);
  const heartbeat = setInterval(() => {
    if (!stream.writableNeedDrain) stream.write(':\n\n');
  }, HEARTBEAT_MS);
  const watching = jobs.watch(id, tell);
  stream.once('close', () => {
    clearInterval(heartbeat);
    watching.then(
      (watch) => watch.stop(),
      () => {},
    );
  });
  watching.catch((error: Error) => stream.destroy(error));
  return stream;
}

/** All watchers of a job get the same texts, which are made once. */
const stateTexts = new WeakMap<Job, Map<string, string>>();
const progressTexts = new WeakMap<Progress, string>();

function stateText(job: Job, progress: Progress | null, baseUrl: string): string {
  const texts = stateTexts.get(job) ?? new Map<string, string>();
  stateTexts.set(job, texts);
  const text = texts.get(baseUrl) ?? JSON.stringify(describeJob(job, progress, baseUrl));
  texts.set(baseUrl, text);
  return text;
}

function progressText(progress: Progress): string {
  const text = progressTexts.get(progress) ?? JSON.stringify(progress);
  progressTexts.set(progress, text);
  return text;
}
