/**
 * Copies the write-ahead log of a database into it in a thread. SQLite does it within the COMMIT after which the log has 1,000 pages,
 * and syncs both files: the event loop would wait 5 to 20 ms for the disk.
 */
import { Worker } from 'node:worker_threads';
import { entryFile } from '@geomill/platform/program-files.ts';
import type { Database } from '@geomill/sqlite/database.ts';

/** Each writes about five pages. */
const COMMITS_PER_CHECKPOINT = 200;
/** If the thread cannot keep up: 64 MiB of log. */
const MOST_PAGES = 16_384;
/** SQLite's own limit, where there is no thread. */
const USUAL_PAGES = 1000;

export class Checkpoints {
  readonly #database: Database;
  readonly #path: string;
  #thread: Worker | null = null;
  /** False: the thread could not be started, has failed or was closed. */
  #isUsable = true;
  #isRunning = false;
  #commits = 0;

  /** Of the database at `path`, to which `database` writes. */
  constructor(database: Database, path: string) {
    this.#database = database;
    this.#path = path;
    database.exec(`PRAGMA wal_autocheckpoint = ${MOST_PAGES}`);
  }

  /** After each commit. */
  countCommit(): void {
    this.#commits++;
    if (this.#commits < COMMITS_PER_CHECKPOINT || this.#isRunning || !this.#isUsable) return;
    this.#commits = 0;
    this.#thread ??= this.#start();
    if (this.#thread === null) return;
    this.#isRunning = true;
    this.#thread.postMessage(false);
  }

  /** Before the database is closed: the last connection to close removes the log. */
  async close(): Promise<void> {
    const thread = this.#thread;
    if (thread === null || !this.#isUsable) return;
    this.#isUsable = false;
    // Not `once`, which an error of the thread rejects: it has ended then, too.
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    // Without anything else to wait for, the process would end before.
    thread.ref();
    thread.postMessage(true);
    await ended;
  }

  /** Null if the system allows no more threads. */
  #start(): Worker | null {
    const file = entryFile('packages/engines/sqlite/src/node/checkpoint-entry.js');
    let thread: Worker;
    try {
      thread = new Worker(file, { workerData: { path: this.#path } });
    } catch {
      this.#giveUp();
      return null;
    }
    thread.unref();
    thread.on('message', () => {
      this.#isRunning = false;
    });
    thread.on('error', () => this.#giveUp());
    return thread;
  }

  /** Then SQLite does it, in the thread that commits. */
  #giveUp(): void {
    if (!this.#isUsable) return;
    this.#isUsable = false;
    this.#database.exec(`PRAGMA wal_autocheckpoint = ${USUAL_PAGES}`);
  }
}
