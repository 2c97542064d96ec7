/** Jobs: their states, the transitions between them, their record. */
import { type PlainError, reviveError } from '@geomill/core/messages/errors.ts';
import type { Finding, SeverityCounts } from '@geomill/core/messages/findings.ts';
import { CONFIG_FORM, type FieldForm } from '@geomill/core/messages/message.ts';
import { MAX_COMPOSED, shortText } from '@geomill/core/messages/short-text.ts';
import type { JobReport } from '@geomill/pipeline/report.ts';
import type { JobRequest } from '@geomill/pipeline/request.ts';
import { catalogue } from '../catalogue.ts';
import type { LayerService } from '../remote-input/fetch-messages.ts';

export const jobStates = ['QUEUED', 'RUNNING', 'SUCCESS', 'FAILED'] as const;
export type JobState = (typeof jobStates)[number];

export const jobOperations = [
  'transform',
  'append',
  'merge',
  'inspect',
] as const satisfies readonly JobRequest['operation'][];

/** The allowed transitions; the queue's statements are made from this table. */
export const transitions = Object.freeze({
  /** Directly to FAILED: cancelled before it started. */
  QUEUED: ['RUNNING', 'FAILED'],
  /** FAILED also when cancelled. Back to QUEUED: its runner or the service died. */
  RUNNING: ['SUCCESS', 'FAILED', 'QUEUED'],
  SUCCESS: [],
  FAILED: [],
} as const satisfies Record<JobState, readonly JobState[]>);

export function isFinal(state: JobState): boolean {
  return transitions[state].length === 0;
}

/** Sees the jobs of all owners: for administrators and for the service itself. */
export const ANY_OWNER = Symbol('any owner');

/** Whose jobs can be seen: those of one account, or all. Never null or undefined, so that a missing value cannot mean all. */
export type Viewer = string | typeof ANY_OWNER;

export function maySee(viewer: Viewer, { owner }: Pick<JobSummary, 'owner'>): boolean {
  return viewer === ANY_OWNER || viewer === owner;
}

export interface NewJob {
  readonly id: string;
  /** Account id of the submitter. */
  readonly owner: string;
  /** In the order of the request's files, at least one; then the files of steps. */
  readonly inputs: readonly JobInput[];
  readonly request: JobRequest;
  /** Warnings about the request; added to the report. */
  readonly requestFindings: readonly Finding[];
  readonly idempotency: Idempotency | null;
  /** Position in a trace that attempts continue, as a `traceparent`. Absent or null: none. */
  readonly trace?: string | null;
}

export interface JobInput {
  /** The file's name as the user knows it, a plain name without directories. */
  readonly name: string;
  /** Null: not fetched yet. */
  readonly byteLength: number | null;
  /** Number of the stored file (see `inputKey`): files can arrive in another order than that of the inputs. */
  readonly fileIndex: number;
  /** The name by which steps of the request refer to it; absent: it is a converted file, which come first. */
  readonly stepInput?: string;
  /** The client gave no name: this one is used in messages only, not for the name of the output. */
  readonly isUnnamed?: true;
  /** The URL that each attempt fetches the file from. It may contain a key: do not show or log it. */
  readonly url?: string;
  /** The URL is that of a layer of such a server; absent: that of a file. */
  readonly service?: LayerService;
}

/** The converted files, without those of steps. */
export function convertedInputs(inputs: readonly JobInput[]): readonly JobInput[] {
  return inputs.filter(({ stepInput }) => stepInput === undefined);
}

export interface Idempotency {
  /** The client's key; keys of different owners are independent. */
  readonly key: string;
  /** Hash of everything that determines the result. */
  readonly requestHash: string;
}

export interface JobOutput {
  readonly byteLength: number;
  /** Findings with places, as GeoJSON, which follow the output in its stored file. Default: there are none. */
  readonly findingsBytes?: number;
  readonly mediaType: string;
  /** File name for the download. */
  readonly fileName: string;
}

/** A job without its texts of unbounded size, for lists. Times are milliseconds since 1970. */
export interface JobSummary {
  readonly id: string;
  /** Account id of the submitter; 'local' in an open service. */
  readonly owner: string;
  readonly state: JobState;
  /** Number of attempts. */
  readonly attempts: number;
  /** Number of the latest attempt, counted or not; no number is given twice. The output of a job that succeeded is that attempt's. */
  readonly fence: number;
  readonly operation: JobRequest['operation'];
  readonly inputFormat: string;
  /** Null: an inspection, whose output is JSON. */
  readonly outputFormat: string | null;
  readonly inputs: readonly JobInput[];
  /** Number of kinds of warnings in the report; before there is one, in the request. */
  readonly warningCount: number;
  /** How many of them have each severity; null: not known, as the job was stored by geomill 0.2. */
  readonly severities: SeverityCounts | null;
  readonly createdAt: number;
  /** Start of the latest attempt. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Time when the output is removed; null before the end. */
  readonly expiresAt: number | null;
  /** Set on SUCCESS. */
  readonly output: JobOutput | null;
  /** False once the output has expired. */
  readonly outputKept: boolean;
  /** Set on FAILED. */
  readonly error: PlainError | null;
}

/** A change that is sent to the watchers of a job: a new state, or the same state in another attempt. */
export type JobStep = Pick<JobSummary, 'state' | 'attempts'>;

/** The whole record of a job. */
export interface Job extends JobSummary {
  readonly request: JobRequest;
  readonly requestFindings: readonly Finding[];
  /** As in NewJob. */
  readonly trace: string | null;
  /** Set on SUCCESS. */
  readonly report: JobReport | null;
}

/** The format of the output; null for the JSON of an inspection, even one with a dry run. */
export function deliveredFormat(request: JobRequest): string | null {
  return request.operation === 'inspect' ? null : request.output.format;
}

/** The message of a failed job for clients. Internal errors are logged with the job's id; their message is general. */
export function errorText(jobId: string, error: PlainError, form: FieldForm = CONFIG_FORM): string {
  if (error.code === 'INTERNAL')
    return `the service failed at this job; the cause is logged under reference ${jobId}`;
  const { message } = reviveError(error, catalogue).inForm(form);
  const { file, layer, record, line, id } = error.place ?? {};
  const where = [
    file === undefined || message.includes(file) ? '' : `file ${file}`,
    layer === undefined ? '' : `layer ${layer}`,
    record === undefined ? '' : `record ${record}`,
    line === undefined ? '' : `line ${line}`,
    id === undefined ? '' : `id ${id}`,
  ].filter((part) => part !== '' && !message.includes(part));
  return where.length === 0 ? message : shortText(`${message} (${where.join(', ')})`, MAX_COMPOSED);
}

/** A position in the list of jobs: the last job of a page. */
export interface ListPosition {
  readonly createdAt: number;
  readonly id: string;
}
