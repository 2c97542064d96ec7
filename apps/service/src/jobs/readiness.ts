/**
 * What the service needs to accept and run jobs: each need is checked when /readyz or /metrics asks, and while storage fails.
 * Results are reused for some time, because anyone may ask.
 */
import { isDiskFull } from '@geomill/core/messages/errors.ts';
import { PLATFORM_TIMERS, type Timers } from '@geomill/core/timers.ts';
import { reasonOf } from './recovery.ts';

/** The tables in the database are older than this process needs, or missing. */
export class MigrationMissing extends Error {
  override readonly name = 'MigrationMissing';
}

export const checkNames = ['service', 'database', 'migrations', 'store', 'disk', 'runners'] as const;
export type CheckName = (typeof checkNames)[number];

/** A need that is not met. */
export interface FailedCheck {
  readonly name: CheckName;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** For clients: without addresses, paths and statements. */
  readonly reason: string;
  /** What the operator can do. */
  readonly action: string;
}

/** A test of storage. */
export interface StorageCheck {
  readonly name: 'database' | 'store' | 'disk';
  /** Whether it is reached over a network: a full disk is then not one of this machine. */
  readonly isRemote: boolean;
  /** Rejects if it fails. */
  readonly write: () => Promise<void>;
  /** As `write`, and cheap enough to be called every few seconds. Absent: `write` is. */
  readonly look?: () => Promise<void>;
  /** A success is believed for so long. Infinity: until an operation has failed. */
  readonly believedMs: number;
}

interface CheckState {
  failed: { readonly since: number; readonly error: unknown } | null;
  checkedAt: number;
  underway: Underway | null;
}

interface Underway {
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly done: Promise<void>;
}

/** A failed check is repeated after this time, if somebody asks. */
const FAILURE_BELIEVED_MS = 1000;
/** Time that a caller waits for a check; one that takes longer counts as failed. */
const PATIENCE_MS = 2000;

export const DISK_FULL = 'no disk space is left';

const ACTIONS: Readonly<Record<CheckName, string>> = {
  service: 'wait, or send the request to another process',
  database:
    'check that the database runs, accepts connections and has disk space; the service continues by itself',
  migrations: 'restart this process: it creates or updates the tables at its start',
  store:
    'check the server or mount of STORE_URL, its credentials and its space; the service continues by itself',
  disk: 'free space on the file system of DATA_DIR; the service continues by itself',
  runners: "look for 'a runner process' in the log and run geomill doctor; the service tries again by itself",
};

export function failedCheck(name: CheckName, since: number, reason: string): FailedCheck {
  return { name, since, reason, action: ACTIONS[name] };
}

export class Readiness {
  readonly #timers: Timers;
  readonly #checks: readonly { readonly check: StorageCheck; readonly state: CheckState }[];

  constructor(checks: readonly StorageCheck[], timers: Timers = PLATFORM_TIMERS) {
    this.#timers = timers;
    const now = timers.now();
    // The start has just used all of them.
    this.#checks = checks.map((check) => ({
      check,
      state: { failed: null, checkedAt: now, underway: null },
    }));
  }

  /** Tests all storage by writing; rejects with the first failure. */
  async verify(): Promise<void> {
    await Promise.all(this.#checks.map(({ check, state }) => this.#observed(state, check.write)));
  }

  /**
   * The needs that are not met, after at most two seconds. `isDoubtful`: an operation has failed, so successes are not believed.
   */
  async failed(isDoubtful: boolean): Promise<FailedCheck[]> {
    const underway = new Map<CheckState, Underway>();
    for (const { check, state } of this.#checks) {
      const believedMs = isDoubtful || state.failed !== null ? FAILURE_BELIEVED_MS : check.believedMs;
      if (state.underway === null && this.#timers.now() - state.checkedAt >= believedMs)
        // The state has the error.
        this.#observed(state, isDoubtful ? check.write : (check.look ?? check.write)).catch(() => {});
      if (state.underway !== null) underway.set(state, state.underway);
    }
    if (underway.size > 0)
      await this.#withinPatience(Promise.all([...underway.values()].map(({ done }) => done)));
    const failed = new Map<CheckName, FailedCheck>();
    for (const { check, state } of this.#checks) {
      // Not by the clock: a timer can end before it has counted two seconds.
      const isLate = state.underway !== null && underway.get(state) === state.underway;
      const failure = failureOf(check, state, isLate);
      // One disk can be that of several.
      if (failure !== null && !failed.has(failure.name)) failed.set(failure.name, failure);
    }
    return [...failed.values()];
  }

  /** Runs a check and notes its result. */
  async #observed(state: CheckState, act: () => Promise<void>): Promise<void> {
    const running = act();
    const underway = { since: Date.now(), done: running.catch(() => {}) };
    state.underway = underway;
    try {
      await running;
      state.failed = null;
    } catch (error) {
      state.failed = { since: state.failed?.since ?? underway.since, error };
      throw error;
    } finally {
      state.checkedAt = this.#timers.now();
      if (state.underway === underway) state.underway = null;
    }
  }

  /** Resolves when `work` has, or after PATIENCE_MS. */
  async #withinPatience(work: Promise<unknown>): Promise<void> {
    const timeout = Promise.withResolvers<void>();
    const cancel = this.#timers.after(PATIENCE_MS, timeout.resolve);
    await Promise.race([work, timeout.promise]);
    cancel();
  }
}

function failureOf(
  { name, isRemote }: StorageCheck,
  { failed, underway }: CheckState,
  isLate: boolean,
): FailedCheck | null {
  if (failed !== null) {
    const { since, error } = failed;
    if (error instanceof MigrationMissing) return failedCheck('migrations', since, error.message);
    if (!isRemote && isDiskFull(error)) return failedCheck('disk', since, DISK_FULL);
    return failedCheck(name, since, reasonOf(error));
  }
  if (underway === null || !isLate) return null;
  return failedCheck(name, underway.since, `no answer within ${PATIENCE_MS / 1000} s`);
}
