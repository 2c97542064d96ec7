/** Jobs as shown in the account area; provided by the composition of the service, so that the area needs no queue. */
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Times are milliseconds since 1970. */
export interface OwnJob {
  readonly id: string;
  readonly state: 'QUEUED' | 'RUNNING' | 'SUCCESS' | 'FAILED';
  readonly operation: string;
  readonly inputNames: readonly string[];
  readonly inputFormat: string;
  /** Null: an inspection. */
  readonly outputFormat: string | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
  /** Bytes; null: not known yet. */
  readonly inputBytes: number | null;
  readonly outputBytes: number | null;
  /** When the output expires; null: no output, or already removed. */
  readonly outputUntil: number | null;
  /** Error message of a failed job. */
  readonly error: string | null;
}

export interface OwnJobPage {
  /** Newest first. */
  readonly jobs: readonly OwnJob[];
  /** For the next page; null on the last. */
  readonly next: string | null;
}

export interface Usage {
  readonly jobs: number;
  readonly failedJobs: number;
  readonly inputBytes: number;
  readonly outputBytes: number;
}

export interface UsageSource {
  /** `cursor`: `next` of the previous page. An invalid cursor gives the first page. */
  page(owner: string, cursor: string | null, limit: number): Promise<OwnJobPage>;
  /** Totals of the jobs since then whose records are still kept. */
  usage(owner: string, since: number): Promise<Usage>;
  /** How long job records are kept, which limits `usage`. */
  readonly recordDays: number;
  /** Throws JOB_UNKNOWN, also for jobs of other accounts. */
  sendOutput(owner: string, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}
