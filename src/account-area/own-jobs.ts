/** What the account area tells of jobs. Who composes the service gives it; the area knows no queue. */
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
  /** The output can be fetched until then; null: there is none, or none any more. */
  readonly outputUntil: number | null;
  /** Why it failed, for a person. */
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
  /** `cursor`: `next` of the page before. One that is none is the first page. */
  page(owner: string, cursor: string | null, limit: number): Promise<OwnJobPage>;
  /** Of the jobs since then whose record is still kept. */
  usage(owner: string, since: number): Promise<Usage>;
  /** How long records of jobs are kept after their end: what `usage` can know of at all. */
  readonly recordDays: number;
  /** Throws JOB_UNKNOWN for jobs of others too. */
  sendOutput(owner: string, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}
