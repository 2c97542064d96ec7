/** What can go wrong for a user of the client. Failures of the network stay what fetch throws. */
import type { Job, JobError, Place, Problem } from './openapi-types.ts';

export type ErrorCode = JobError['code'];

/** What an error of the service has in common, however it came. */
export abstract class GeomillError extends Error {
  /** Does not change; see docs/errors.md. Any text, as the service may be newer than this client. */
  abstract readonly code: ErrorCode | (string & {});
}

/** The service refused a request: problem details (RFC 9457). */
export class GeomillProblem extends GeomillError {
  override readonly name = 'GeomillProblem';
  override readonly code: ErrorCode | (string & {});
  /** The HTTP status. */
  readonly status: number;
  readonly type: string;
  readonly title: string;
  /** One sentence for a person: what is wrong, where, what to do. */
  readonly detail: string;
  readonly errors: NonNullable<Problem['errors']>;
  /** Coordinate reference systems that fit an input without one, most likely first. */
  readonly suggestions: NonNullable<Problem['suggestions']>;
  /** Values that the message proposes for the config, alternatives to each other. */
  readonly fixes: NonNullable<Problem['fixes']>;
  /** Reference under which the cause of a 500 is logged. */
  readonly instance: string | null;
  /** When it is worth to try again; null: the service does not say. */
  readonly retryAfterSeconds: number | null;
  /** The job that was waited for and failed; null: the request itself was refused. */
  readonly jobId: string | null;

  constructor(problem: Problem, about: { retryAfterSeconds: number | null; jobId: string | null }) {
    super(problem.detail);
    this.status = problem.status;
    this.type = problem.type;
    this.title = problem.title;
    this.detail = problem.detail;
    this.errors = problem.errors ?? [];
    this.suggestions = problem.suggestions ?? [];
    this.fixes = problem.fixes ?? [];
    this.instance = problem.instance ?? null;
    this.code = codeOf(problem.type);
    this.retryAfterSeconds = about.retryAfterSeconds;
    this.jobId = about.jobId;
  }
}

/** A job ended as FAILED: cancelled, when the code is CANCELLED. */
export class JobFailed extends GeomillError {
  override readonly name = 'JobFailed';
  override readonly code: ErrorCode | (string & {});
  /** Where in the data; null: nowhere in particular, or not known. */
  readonly place: Place | null;
  /** As of GeomillProblem. */
  readonly suggestions: NonNullable<JobError['suggestions']>;
  /** As of GeomillProblem. */
  readonly fixes: NonNullable<JobError['fixes']>;
  /** All there is to know about the job. */
  readonly job: Job;

  constructor(job: Job) {
    super(job.error?.message ?? `job ${job.job_id} failed`);
    this.code = job.error?.code ?? 'INTERNAL';
    this.place = job.error?.place ?? null;
    this.suggestions = job.error?.suggestions ?? [];
    this.fixes = job.error?.fixes ?? [];
    this.job = job;
  }
}

/** The output could not be fetched whole: it changed, or the connection broke too often. */
export class DownloadInterrupted extends Error {
  override readonly name = 'DownloadInterrupted';
  readonly receivedBytes: number;

  constructor(reason: string, receivedBytes: number, cause?: unknown) {
    super(`the download stopped after ${receivedBytes} bytes: ${reason}`, { cause });
    this.receivedBytes = receivedBytes;
  }
}

/** urn:geomill:error:csv-syntax -> CSV_SYNTAX */
function codeOf(type: string): string {
  return /^urn:geomill:error:([a-z0-9-]+)$/.exec(type)?.[1].toUpperCase().replaceAll('-', '_') ?? 'UNKNOWN';
}

/** Reads the body of an answer that is an error; a proxy may have given it, so it may be anything. */
export async function problemOf(response: Response): Promise<GeomillProblem> {
  const { status } = response;
  const text = await response.text().catch(() => '');
  const about = { retryAfterSeconds: retryAfterOf(response), jobId: jobIdOf(response.headers) };
  const given = parseObject(text);
  const problem: Problem = {
    type: typeof given.type === 'string' ? given.type : 'about:blank',
    title: typeof given.title === 'string' ? given.title : `HTTP status ${status}`,
    status,
    detail: typeof given.detail === 'string' ? given.detail : detailOf(response, text),
    ...(typeof given.instance === 'string' ? { instance: given.instance } : {}),
    ...(Array.isArray(given.errors) ? { errors: given.errors as NonNullable<Problem['errors']> } : {}),
    ...(Array.isArray(given.suggestions)
      ? { suggestions: given.suggestions as NonNullable<Problem['suggestions']> }
      : {}),
    ...(Array.isArray(given.fixes) ? { fixes: given.fixes as NonNullable<Problem['fixes']> } : {}),
  };
  return new GeomillProblem(problem, about);
}

/** For answers that the service did not give. */
function detailOf({ url, status, headers, type }: Response, text: string): string {
  const target = headers.get('location');
  // A browser does not tell where to.
  if (type === 'opaqueredirect')
    return `${url} redirects, which the service does not; is it the base address?`;
  if (status >= 300 && status < 400)
    return `${url} redirects to ${target}: give the address behind that as baseUrl`;
  return `${url} answered ${status}: ${text.slice(0, 200)}`;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Retry-After as seconds from now (RFC 9110 10.2.3); null: none that can be read. */
export function retryAfterOf({ headers }: Response): number | null {
  const text = headers.get('retry-after');
  if (text === null) return null;
  if (/^\d+$/.test(text)) return Number(text);
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : Math.max(0, (time - Date.now()) / 1000);
}

/** The job that an answer to a submission is about, as its links tell. */
export function jobIdOf(headers: Headers): string | null {
  const link = /<[^>]*\/v1\/jobs\/([^/>?]+)>/.exec(headers.get('link') ?? '')?.[1];
  return link ?? /\/result\/(?:status\/)?([^/?]+)$/.exec(headers.get('location') ?? '')?.[1] ?? null;
}
