/** Submissions of jobs before their body is read and after they were accepted; submit-job.ts, which reads the body, is loaded with the first. */
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Job } from '../jobs/job.ts';
import { type HttpContext, jobsOf, ownerOf } from './context.ts';
import { httpErrors } from './errors.ts';
import { wantedWait } from './prefer.ts';
import { uploadTooLarge } from './received-files.ts';

/** Allowance for the overhead of a form: boundaries, part headers, small unknown parts. */
const FORM_OVERHEAD_BYTES = 1024 * 1024;
const MAX_KEY_LENGTH = 255;

export interface AcceptedJob {
  readonly id: string;
  readonly state: Job['state'];
}

/** Rejects requests by their headers, before the body is read and before "100 Continue". */
export async function refuseEarly(
  takesJson: boolean,
  { config, service }: HttpContext,
  request: FastifyRequest,
): Promise<void> {
  const owner = ownerOf(request);
  const isRepeat = await service.isRepeat(owner, idempotencyKeyOf(request));
  if (!isRepeat) await service.checkRoom(owner, 0);
  const type = request.headers['content-type'] ?? '';
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if ((!isForm(type) && !(takesJson && isJson(type))) || encoding.toLowerCase() !== 'identity')
    throw failure(httpErrors.BODY_TYPE, {
      type: (encoding === 'identity' ? type : `${type}, ${encoding}`).slice(0, 100) || 'none',
      expected: takesJson ? 'multipart/form-data or application/json' : 'multipart/form-data',
    });
  const declaredBytes = Number(request.headers['content-length'] ?? 0);
  const actual = `declared as ${declaredBytes} bytes`;
  if (isJson(type)) {
    if (declaredBytes > config.maxJsonBodyBytes) throw bodyTooLarge(actual, config.maxJsonBodyBytes);
  } else if (declaredBytes > config.maxUploadBytes + config.maxConfigBytes + FORM_OVERHEAD_BYTES)
    throw uploadTooLarge(actual, config.maxUploadBytes);
  // The minimum size of the files in the body.
  if (!isRepeat)
    await service.checkRoom(owner, Math.max(0, declaredBytes - config.maxConfigBytes - FORM_OVERHEAD_BYTES));
}

export function bodyTooLarge(actual: string, limitBytes: number): GeomillError {
  return failure(generalErrors.LIMIT_EXCEEDED, {
    what: 'the JSON body',
    actual,
    limit: `${limitBytes} bytes`,
    setting: 'MAX_JSON_BODY',
  });
}

export interface Waited {
  /** 0: the request did not wait. */
  readonly seconds: number;
  /** The job after that time; null if the request did not wait. */
  readonly job: Job | null;
}

/**
 * Waits for the end of an accepted job for as long as the client wants, and sets Preference-Applied. Does not wait if the
 * account has too many waiting requests. Throws JOB_UNKNOWN if the job was deleted meanwhile.
 */
export async function waitForJob(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  id: string,
  waitsByDefault: boolean,
): Promise<Waited> {
  const query = request.query as Readonly<Record<string, unknown>>;
  const { seconds, applied } = wantedWait({
    prefer: headerText(request.headers.prefer),
    asyncParameter: query.async,
    maxSeconds: context.config.syncTimeoutSeconds,
    waitsByDefault,
  });
  const owner = ownerOf(request);
  if (seconds > 0 && !context.openRequests.hasRoom(owner)) return { seconds: 0, job: null };
  if (applied !== null) reply.header('preference-applied', applied);
  if (seconds === 0) return { seconds, job: null };
  const leave = context.openRequests.enter(owner);
  try {
    const job = await jobsOf(context, request).waitForEnd(id, seconds * 1000, abortSignalOf(reply));
    if (job === null) throw failure(httpErrors.JOB_UNKNOWN, { id });
    return { seconds, job };
  } finally {
    leave();
  }
}

/** Fires when the client disconnects before the response. The job continues. */
function abortSignalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort());
  return controller.signal;
}

export function idempotencyKeyOf(request: FastifyRequest): string | null {
  const key = headerText(request.headers['idempotency-key'])?.trim();
  if (key === undefined || key === '') return null;
  if (key.length > MAX_KEY_LENGTH)
    throw failure(generalErrors.CONFIG_INVALID, {
      detail: `header 'Idempotency-Key' is longer than ${MAX_KEY_LENGTH} characters`,
    });
  return key;
}

function headerText(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header;
}

function isForm(contentType: string): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(contentType);
}

export function isJson(contentType: string): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType);
}
