/**
 * Commits the changes of one turn of the event loop together, and waits for the disk outside of it.
 *
 * SQLite's own way to durable commits (synchronous = FULL) syncs the write-ahead log within COMMIT, and all requests wait
 * with it for the disk. Here COMMIT only writes (synchronous = NORMAL), and the log is synced in Node's thread pool before
 * anybody is told: the same file, the same sync, so the same promise. What differs is that others may see a change a
 * moment before it is durable; nothing is built on that but by those who wait here, too.
 *
 * Where COMMIT fails nothing is changed, and everybody is told so. Where the sync behind it fails the change is made, in
 * the database and for everybody who reads it, and only its durability is open: those who wait go on waiting, and it is
 * tried again, for half a minute. After that they are told of the failure, and the change stands.
 */
import { closeSync, fsync, openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Database } from '../engines/sqlite/database.ts';
import { SharedSync } from '../storage/shared-sync.ts';

const fsyncAsync = promisify(fsync);

interface Pending {
  work(): void;
  settle(commitError: unknown): void;
}

export interface SyncOptions {
  /** Syncs the open file. Default: fsync. */
  readonly sync?: (descriptor: number) => Promise<void>;
  readonly patienceMs?: number;
  /** A sync failed and is tried again. */
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
  #isClosing = false;
  #pending: Pending[] = [];
  #underway: Promise<unknown> = Promise.resolve();

  /** `database` at `path`, opened with synchronous = FULL. */
  constructor(database: Database, path: string, options: SyncOptions = {}) {
    this.#database = database;
    this.#options = options;
    // A commit of the old kind: it makes the log where there is none, and its name durable.
    const version = database.userVersion;
    database.userVersion = version;
    database.exec('PRAGMA synchronous = NORMAL');
    // The log stays the same file as long as a connection is open.
    this.#logDescriptor = openSync(`${path}-wal`, 'r+');
    this.#log = new SharedSync(() => this.#syncLog());
  }

  /**
   * Runs `work`, at most one changing statement, in a transaction with others; resolves with its result once that is
   * durable. What `work` throws rejects it alone: a statement that fails leaves the transaction as it was.
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

  /** Makes what was changed outside of `run` durable. */
  sync(): Promise<void> {
    return this.#log.sync();
  }

  /** Ends what is pending; before the database is closed. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#flush();
    await this.#underway;
    closeSync(this.#logDescriptor);
  }

  async #syncLog(): Promise<void> {
    const { sync = fsyncAsync, patienceMs = PATIENCE_MS, onFailure } = this.#options;
    const givenUpAt = performance.now() + patienceMs;
    let isWhole = true;
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS)) {
      try {
        // After a sync that failed the system may take pages for written that are not, and a second one would succeed
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
    const synced = this.#log.sync().then(() => settleAll(null), settleAll);
    this.#underway = Promise.all([this.#underway, synced]);
  }
}
