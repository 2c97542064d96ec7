/** What engines throw, in one form. */
import { GeomillProblem, type Job, JobFailed } from '@geomill/client/client.ts';

type JobError = NonNullable<Job['error']>;

export interface FailureFacts {
  /** One of docs/errors.md. */
  readonly code: string;
  /** Where in the data; null: nowhere in particular, or not known. */
  readonly place: JobError['place'];
  /** Coordinate reference systems that may be meant. */
  readonly suggestions: NonNullable<JobError['suggestions']>;
  /** Values of the config with which it may succeed. */
  readonly fixes: NonNullable<JobError['fixes']>;
  /** Whether it says something of the file or the request, and not of the state of the engine. */
  readonly isAboutRequest: boolean;
}

/** Of the engine in this tab. */
export class LocalFailure extends Error {
  override readonly name = 'LocalFailure';
  readonly facts: FailureFacts;

  constructor(message: string, facts: FailureFacts) {
    super(message);
    this.facts = facts;
  }
}

/** Null: the engine gave no answer, or the error is of this page. */
export function failureFacts(error: unknown): FailureFacts | null {
  if (error instanceof LocalFailure) return error.facts;
  if (error instanceof JobFailed) {
    const { code, place, suggestions, fixes } = error;
    return { code, place, suggestions, fixes, isAboutRequest: true };
  }
  if (!(error instanceof GeomillProblem)) return null;
  const { code, suggestions, fixes, status } = error;
  return { code, place: null, suggestions, fixes, isAboutRequest: status < 500 && status !== 429 };
}

/** Whether the job was cancelled, or was deleted while it was waited for. */
export function isCancellation(error: unknown, isCancelling: boolean): boolean {
  if (isCancelling && error instanceof GeomillProblem && error.status === 404) return true;
  return !(error instanceof GeomillProblem) && failureFacts(error)?.code === 'CANCELLED';
}
