/**
 * Handles failures of storage: no more jobs are started, results of attempts that could not
 * be written are kept, and storage is tested until it works again. Jobs then continue without other help.
 *
 * The state of storage is measured: it fails when an operation failed, and works again once a file and a
 * record were written as a test, and then all kept results. One timer drives all of it.
 */
import { failure, GeomillError, isDiskFull } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { DatabaseFault } from '../postgres/fault.ts';
import { storageErrors } from '../storage/errors.ts';
import { StoreFault } from '../storage/store-fault.ts';

export interface RecoverySteps {
  /** Rejects while files or records cannot be written. */
  readonly checkStorage: () => Promise<void>;
  /** Requeues jobs without a runner, after all kept results were written. */
  readonly reconcile: () => Promise<void>;
  /** Storage works again. */
  readonly resume: () => void;
  readonly log: {
    warn(facts: object, text: string): void;
    error(facts: object, text: string): void;
  };
}

interface Kept {
  readonly write: () => Promise<void>;
  readonly giveUp: (error: unknown) => void;
  /** Number of failures while storage works. */
  tries: number;
}

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 2000;
/** A write that fails so often while storage works is given up. */
const MAX_TRIES = 5;
const RETRY_SECONDS = 5;

export class Recovery {
  readonly #steps: RecoverySteps;
  readonly #kept: Kept[] = [];
  #trouble: { readonly error: unknown; readonly since: number } | null = null;
  #reports = 0;
  #delayMs = FIRST_DELAY_MS;
  #timer: NodeJS.Timeout | null = null;
  #trying: Promise<void> | null = null;
  #isStopped = false;

  constructor(steps: RecoverySteps) {
    this.#steps = steps;
  }

  /** True while storage is not known to work. */
  get isUnderway(): boolean {
    return this.#trouble !== null;
  }

  /** Why jobs cannot be accepted, for clients: STORAGE_FULL, STORAGE_UNAVAILABLE or DATABASE_UNAVAILABLE. Null: they can. */
  get refusal(): GeomillError | null {
    if (this.#trouble === null) return null;
    const { error } = this.#trouble;
    if (isDiskFull(error)) return failure(generalErrors.STORAGE_FULL, { what: 'jobs' });
    if (isUnavailable(error)) return new GeomillError(error.entry, error.params);
    return failure(storageErrors.STORAGE_UNAVAILABLE, { reason: reasonOf(error), seconds: RETRY_SECONDS });
  }

  /** What failed last, and since when (ms since 1970) something has; null: nothing. */
  get trouble(): { readonly error: unknown; readonly since: number } | null {
    return this.#trouble;
  }

  /** An operation of storage failed. */
  report(error: unknown): void {
    if (this.#isStopped) return;
    this.#reports += 1;
    if (this.#trouble === null)
      this.#steps.log.error({ err: error }, 'storage failed; jobs wait until it works again');
    this.#trouble = { error, since: this.#trouble?.since ?? Date.now() };
    this.#schedule();
  }

  /** An operation that needs storage succeeded: the next failure is the first of its kind. */
  worked(): void {
    if (this.#trouble === null) this.#delayMs = FIRST_DELAY_MS;
  }

  /**
   * Runs `write` until it succeeds, in order with other waiting writes. Rejects if it keeps failing while
   * storage works, or when the service stops.
   */
  async keep<Result>(write: () => Promise<Result>): Promise<Result> {
    if (this.#kept.length === 0)
      try {
        const result = await write();
        this.worked();
        return result;
      } catch (error) {
        if (this.#isStopped) throw error;
        this.report(error);
      }
    return new Promise((resolve, reject) => {
      this.#kept.push({
        write: async () => resolve(await write()),
        giveUp: reject,
        tries: 0,
      });
    });
  }

  /** Drops the kept results; the rows of these jobs stay RUNNING, and the next start requeues them. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#trying;
    for (const { giveUp } of this.#kept.splice(0))
      giveUp(new Error('the service stopped before storage worked again', { cause: this.#trouble?.error }));
  }

  #schedule(): void {
    if (this.#timer !== null || this.#trying !== null || this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#trying = this.#try().finally(() => {
        this.#trying = null;
        if (this.#trouble !== null) this.#schedule();
        else this.#steps.resume();
      });
    }, this.#delayMs);
    this.#delayMs = Math.min(this.#delayMs * 2, LONGEST_DELAY_MS);
  }

  async #try(): Promise<void> {
    const reports = this.#reports;
    try {
      await this.#steps.checkStorage();
      await this.#writeKept();
      await this.#steps.reconcile();
    } catch (error) {
      // The current cause: a full disk may be broken now.
      if (this.#trouble !== null) this.#trouble = { ...this.#trouble, error };
      return;
    }
    // This may not fix other failures since then.
    if (this.#reports !== reports || this.#trouble === null) return;
    const seconds = Math.round((Date.now() - this.#trouble.since) / 1000);
    this.#trouble = null;
    this.#steps.log.warn({ seconds }, 'storage works again');
  }

  async #writeKept(): Promise<void> {
    while (this.#kept.length > 0) {
      if (this.#isStopped) return;
      const [first] = this.#kept;
      try {
        await first.write();
      } catch (error) {
        first.tries += 1;
        if (isStorageFault(error) || first.tries < MAX_TRIES) throw error;
        first.giveUp(error);
      }
      this.#kept.shift();
    }
  }
}

/** Primary result codes of SQLite that the statement did not cause: busy, locked, no memory, read-only, ... full. */
const PASSING_SQLITE_CODES = new Set([5, 6, 7, 8, 9, 10, 13, 14, 15]);

/** Whether the disk or another process caused the failure: the same operation can succeed later. */
export function isStorageFault(error: unknown): boolean {
  if (isDiskFull(error) || isUnavailable(error)) return true;
  const { code, errcode, errno } = error as Readonly<Record<'code' | 'errcode' | 'errno', unknown>>;
  if (typeof errcode === 'number') return PASSING_SQLITE_CODES.has(errcode & 0xff);
  return typeof errno === 'number' && typeof code === 'string';
}

/** Whether a database server, or a store that is not a local directory, failed. */
export function isUnavailable(error: unknown): error is DatabaseFault | StoreFault {
  return error instanceof DatabaseFault || error instanceof StoreFault;
}

const REASONS: Readonly<Record<string, string>> = {
  EROFS: 'its file system is read-only',
  EIO: 'its disk reports errors',
  EACCES: 'it may not write its data directory',
  EPERM: 'it may not write its data directory',
  ENOENT: 'its data directory is not there',
};
const SQLITE_REASONS: Readonly<Record<number, string>> = {
  5: 'its database is locked by another program',
  8: 'its database is read-only',
  10: 'its disk reports errors',
  11: 'its database is damaged',
};

/** By SQLSTATE, or by the code of an error of the connection. */
const DATABASE_REASONS: readonly (readonly [RegExp, string])[] = [
  [/^(?:ECONNREFUSED|ENOENT)$/, 'it refuses connections'],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'its host name cannot be resolved'],
  [/^(?:ECONNRESET|EPIPE|08)/, 'the connection to it was lost'],
  [/^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, 'it cannot be reached'],
  [/^28/, 'it rejects the credentials'],
  [/^3D/, 'there is no such database'],
  [/^53100$/, 'its disk is full'],
  [/^53/, 'it has no free connection or memory'],
  [/^57P/, 'it is starting or shutting down'],
  [/^25006$/, 'it is read-only'],
];

/** An error for clients, without addresses, paths and statements. */
export function reasonOf(error: unknown): string {
  if (error instanceof StoreFault) return error.reason;
  if (error instanceof DatabaseFault) {
    const { code = '' } = (error.cause ?? {}) as { code?: string };
    return DATABASE_REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? 'it does not answer';
  }
  const { code, errcode } = error as Readonly<Record<'code' | 'errcode', unknown>>;
  const known =
    typeof errcode === 'number'
      ? SQLITE_REASONS[errcode & 0xff]
      : REASONS[typeof code === 'string' ? code : ''];
  return known ?? 'the cause is in its log';
}
