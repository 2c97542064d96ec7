/** What a job is: its states, the ways between them, its record. */
import { GeomillError, type PlainError } from '../errors.ts';
import type { Finding } from '../findings.ts';
import type { JobReport } from '../pipeline/report.ts';
import type { JobRequest } from '../pipeline/request.ts';

export const jobStates = ['QUEUED', 'RUNNING', 'SUCCESS', 'FAILED'] as const;
export type JobState = (typeof jobStates)[number];

export const jobOperations = [
  'transform',
  'append',
  'merge',
  'inspect',
] as const satisfies readonly JobRequest['operation'][];

/** The only ways from one state to another; the queue's statements are made from this table. */
export const transitions = Object.freeze({
  /** FAILED at once: it was cancelled before it was begun. */
  QUEUED: ['RUNNING', 'FAILED'],
  /** FAILED also when it is cancelled. Back to QUEUED: its runner or the service died. */
  RUNNING: ['SUCCESS', 'FAILED', 'QUEUED'],
  SUCCESS: [],
  FAILED: [],
} as const satisfies Record<JobState, readonly JobState[]>);

export function isFinal(state: JobState): boolean {
  return transitions[state].length === 0;
}

/** Sees the jobs of every owner: for who looks after the service, and for the service itself. */
export const ANY_OWNER = Symbol('any owner');

/** Whose jobs can be seen: those of one account, or all. No null or undefined, which a slip of the pen could produce. */
export type Viewer = string | typeof ANY_OWNER;

export function maySee(viewer: Viewer, { owner }: Pick<JobSummary, 'owner'>): boolean {
  return viewer === ANY_OWNER || viewer === owner;
}

export interface NewJob {
  readonly id: string;
  /** Account id of who submits it. */
  readonly owner: string;
  /** In the order of the request's files, at least one; then those that its steps refer to. */
  readonly inputs: readonly JobInput[];
  readonly request: JobRequest;
  /** What was tolerated in the request; joins the report. */
  readonly requestFindings: readonly Finding[];
  readonly idempotency: Idempotency | null;
}

export interface JobInput {
  /** The file's name as the user knows it, a plain name without directories. */
  readonly name: string;
  /** Null: it is still to be fetched. */
  readonly byteLength: number | null;
  /** Under which number its file is stored (see `inputKey`): files can come in another order than they count in. */
  readonly fileIndex: number;
  /** The name by which steps of the request refer to it; absent: it is one of the files that are converted, which come first. */
  readonly stepInput?: string;
  /** The client gave no name: this one is for messages alone, not for the output to be named after. */
  readonly isUnnamed?: true;
  /** The file is not stored but fetched from here by each attempt. It may hold a key: not to be shown or logged. */
  readonly url?: string;
}

/** The files that are converted, without those that steps refer to. */
export function convertedInputs(inputs: readonly JobInput[]): readonly JobInput[] {
  return inputs.filter(({ stepInput }) => stepInput === undefined);
}

export interface Idempotency {
  /** The client's key; the same of another owner is another key. */
  readonly key: string;
  /** Hash of everything that decides the result. */
  readonly requestHash: string;
}

export interface JobOutput {
  readonly byteLength: number;
  readonly mediaType: string;
  /** File name to offer to the one who downloads. */
  readonly fileName: string;
}

/** What lists show of a job, without its texts of unbounded size. Times are milliseconds since 1970. */
export interface JobSummary {
  readonly id: string;
  /** Account id of who submitted it; 'local' in an open service. */
  readonly owner: string;
  readonly state: JobState;
  /** Times it was begun. */
  readonly attempts: number;
  readonly operation: JobRequest['operation'];
  readonly inputFormat: string;
  /** Null: an inspection, whose output is JSON. */
  readonly outputFormat: string | null;
  readonly inputs: readonly JobInput[];
  /** Kinds of warnings: of the report, before there is one of the request. */
  readonly warningCount: number;
  readonly createdAt: number;
  /** Begin of the latest attempt. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** When the output is removed; null before the end. */
  readonly expiresAt: number | null;
  /** Set on SUCCESS. */
  readonly output: JobOutput | null;
  /** False once the output has expired. */
  readonly outputKept: boolean;
  /** Set on FAILED. */
  readonly error: PlainError | null;
}

/** The whole record of a job. */
export interface Job extends JobSummary {
  readonly request: JobRequest;
  readonly requestFindings: readonly Finding[];
  /** Set on SUCCESS. */
  readonly report: JobReport | null;
}

/** The format that a job delivers; null for the JSON of an inspection, whatever output it asks about. */
export function deliveredFormat(request: JobRequest): string | null {
  return request.operation === 'inspect' ? null : request.output.format;
}

/** What a client is told about a failed job. Our own faults are logged under the job's id and named in general. */
export function errorText(jobId: string, error: PlainError): string {
  if (error.code === 'INTERNAL')
    return `the service failed at this job; the cause is logged under reference ${jobId}`;
  const { message } = GeomillError.revive(error);
  const { file, layer, record, line, id } = error.place ?? {};
  const where = [
    file === undefined || message.includes(file) ? '' : `file ${file}`,
    layer === undefined ? '' : `layer ${layer}`,
    record === undefined ? '' : `record ${record}`,
    line === undefined ? '' : `line ${line}`,
    id === undefined ? '' : `id ${id}`,
  ].filter((part) => part !== '' && !message.includes(part));
  return where.length === 0 ? message : `${message} (${where.join(', ')})`;
}
