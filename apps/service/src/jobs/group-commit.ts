/**
 * Commits the changes of one turn of the event loop together, and waits for the disk outside of the event loop.
 *
 * SQLite makes commits durable (synchronous = FULL) by syncing the write-ahead log within COMMIT, and all requests wait
 * for the disk meanwhile. Here COMMIT only writes (synchronous = NORMAL), and the log is synced in Node's thread pool before
 * callers get their result: same file, same sync, same guarantee. The difference is that readers may see a change a
 * moment before it is durable; only callers that wait here too depend on it.
 *
 * If COMMIT fails, nothing is changed, and all callers get the error. If the sync after it fails, the change is made, in
 * the database and for all readers, and only its durability is uncertain: the callers go on waiting while the sync is
 * retried for half a minute. After that they get the error, and the change stays.
 */
import { closeSync, fsync, openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Database } from '@geomill/sqlite/database.ts';
import { SharedSync } from '../storage/shared-sync.ts';
import { Checkpoints } from './checkpoints.ts';

const fsyncAsync = promisify(fsync);

interface Pending {
  work(): void;
  settle(commitError: unknown): void;
}

export interface SyncOptions {
  /** Syncs the open file. Default: fsync. */
  readonly sync?: (descriptor: number) => Promise<void>;
  readonly patienceMs?: number;
  /** Called when a sync failed and is retried. */
  readonly onFailure?: (error: unknown) => void;
}

const PATIENCE_MS = 30_000;
const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 2000;

export class GroupCommit {
  readonly #database: Database;
  readonly #log: SharedSync;
  readonly #logDescriptor: number;
  readonly #options: SyncOptions;
  readonly #checkpoints: Checkpoints;
  #isClosing = false;
  #pending: Pending[] = [];
  #underway: Promise<unknown> = Promise.resolve();

  /** `database` at `path`, opened with synchronous = FULL. */
  constructor(database: Database, path: string, options: SyncOptions = {}) {
    this.#database = database;
    this.#options = options;
    // A commit with synchronous = FULL: it creates the log if there is none, and makes its name durable.
    const version = database.userVersion;
    database.userVersion = version;
    database.exec('PRAGMA synchronous = NORMAL');
    this.#checkpoints = new Checkpoints(database, path);
    // The log stays the same file as long as a connection is open.
    this.#logDescriptor = openSync(`${path}-wal`, 'r+');
    this.#log = new SharedSync(() => this.#syncLog());
  }

  /**
   * Runs `work`, with at most one changing statement, in a shared transaction; resolves with its result once it is
   * durable. If `work` throws, only its own promise rejects: a failed statement does not change the transaction.
   */
  run<Result>(work: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      let outcome: { readonly result: Result } | { readonly error: unknown } | null = null;
      this.#pending.push({
        work() {
          try {
            outcome = { result: work() };
          } catch (error) {
            outcome = { error };
          }
        },
        settle(commitError) {
          if (outcome !== null && 'error' in outcome) reject(outcome.error);
          else if (outcome === null || commitError !== null) reject(commitError);
          else resolve(outcome.result);
        },
      });
      if (this.#pending.length === 1) setImmediate(() => this.#flush());
    });
  }

  /** Makes changes outside of `run` durable. */
  sync(): Promise<void> {
    return this.#log.sync();
  }

  /** Completes pending commits; call it before the database is closed. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#flush();
    await this.#underway;
    await this.#checkpoints.close();
    closeSync(this.#logDescriptor);
  }

  async #syncLog(): Promise<void> {
    const { sync = fsyncAsync, patienceMs = PATIENCE_MS, onFailure } = this.#options;
    const givenUpAt = performance.now() + patienceMs;
    let isWhole = true;
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS)) {
      try {
        // After a failed sync the system may treat pages as written that are not, and a second sync would succeed
        // without them. So the log is copied into the database, which writes and syncs all of it again.
        if (!isWhole && !this.#database.checkpoint()) throw new Error('the log is in use by another program');
        await sync(this.#logDescriptor);
        return;
      } catch (error) {
        if (this.#isClosing || performance.now() >= givenUpAt) throw error;
        isWhole = false;
        onFailure?.(error);
        await pause(delayMs);
      }
    }
  }

  #flush(): void {
    const batch = this.#pending;
    if (batch.length === 0) return;
    this.#pending = [];
    const settleAll = (error: unknown): void => {
      for (const { settle } of batch) settle(error);
    };
    try {
      this.#database.transaction(() => {
        for (const { work } of batch) work();
      });
    } catch (error) {
      settleAll(error);
      return;
    }
    this.#checkpoints.countCommit();
    const synced = this.#log.sync().then(() => settleAll(null), settleAll);
    this.#underway = Promise.all([this.#underway, synced]);
  }
}
