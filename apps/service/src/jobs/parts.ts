/** Parts of running jobs: each is work of one runner, of whichever process. docs/decisions/jobs-over-machines.md has the design. */
import type { PlainError } from '@geomill/core/messages/errors.ts';

/** One run of a part. */
export interface PartRun {
  /** Of the part, from 0 within the attempt at the job. */
  readonly number: number;
  /** Number of the run, never reused: late reports of former runs change nothing. */
  readonly run: number;
}

/** What a part needs besides the record of its job. */
export interface PartTask {
  /** Names of the files with the session of the conversion and with the tasks of the part, among the part files of the job. */
  readonly session: string;
  readonly tasks: string;
  /** Other files that the tasks read: names among the part files, and paths in the slot of the runner. */
  readonly files: readonly { readonly name: string; readonly path: string }[];
  /** Bytes of the job's first input that the tasks probably read; null: all. Absent: none, `files` has what they read. */
  readonly range?: readonly [start: number, end: number] | null;
}

export interface ClaimedPart extends PartRun {
  readonly task: PartTask;
  /** Runs that count, with this one. */
  readonly attempts: number;
}

/** OWN: the runner of the job itself runs it. */
export type PartStateName = 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED' | 'OWN';

export interface PartState extends PartRun {
  readonly state: PartStateName;
  /** From 0 to 1; of a part that does not run, 0. */
  readonly progress: number;
  /** Why it failed. */
  readonly error: PlainError | null;
}

interface Attempt {
  readonly id: string;
  readonly fence: number;
}

/** A run of a part of an attempt at a job. */
export interface PartAttempt extends Attempt {
  readonly part: PartRun;
}

/**
 * The parts of the attempts that run. All parts of an attempt end with it: those that wait are removed, and `SharedQueue.extend`
 * ends those that run. Every change resolves when it would survive the death of the process.
 */
export interface PartQueue {
  /** Adds parts, numbered from `first` on. False: the attempt is no longer the current one. */
  add(attempt: Attempt, first: number, tasks: readonly PartTask[]): Promise<boolean>;
  /** The parts of the attempt, by number. */
  of(attempt: Attempt): Promise<readonly PartState[]>;
  /** Gives the first part that waits to the runner of the job; null: none waits. */
  takeOwn(attempt: Attempt): Promise<number | null>;
  /** Removes the parts of the attempt that do not run; those that run are ended. */
  withdraw(attempt: Attempt): Promise<void>;
  /** RUNNING -> DONE. False: this run is no longer the current one, or its job has ended. */
  finish(part: PartAttempt): Promise<boolean>;
  /** RUNNING -> FAILED. False as above. */
  fail(part: PartAttempt, error: PlainError): Promise<boolean>;
  /** RUNNING -> QUEUED. `uncounted`: its worker ended it. False as above. */
  requeue(part: PartAttempt, uncounted: boolean): Promise<boolean>;
  /** Records how far a run is, from 0 to 1. */
  progressed(part: PartAttempt, fraction: number): Promise<void>;
}
