/**
 * This process among those that have the same queue: signs of life for the jobs that run here, and news of the others. Messages can
 * be lost, so everything is also asked for every few seconds.
 */
import type { Progress } from '@geomill/pipeline/report.ts';
import type { JobFeed } from './job-feed.ts';
import type { JobLog } from './observer.ts';
import type { AttemptId, QueueNews, SharedQueue } from './queue.ts';

export interface PeersOptions {
  readonly queue: SharedQueue;
  readonly feed: JobFeed;
  /** The attempts that run here. */
  readonly running: () => readonly AttemptId[];
  /** Ends the work of an attempt that is no longer the current one. */
  readonly end: (attempt: AttemptId) => void;
  /** Parts of a job that runs here may have ended. */
  readonly look?: (id: string) => void;
  /** Looks for jobs that wait. */
  readonly dispatch: () => void;
  /** Takes up jobs whose workers have died. */
  readonly reconcile: () => Promise<void>;
  readonly log: JobLog;
  /** Whether nobody asks this process for jobs. */
  readonly workersOnly: boolean;
  /** Default: 2 s. */
  readonly pollMs?: number;
}

/** Signs of life for each lease: one or two may be lost. */
const SIGNS_A_LEASE = 3;
const POLL_MS = 2000;
/** Minimum time between two reports of the progress of a job to the other processes. */
const PROGRESS_MS = 1000;
/** Jobs elsewhere whose progress is remembered. */
const MAX_REMEMBERED = 10_000;

export class Peers {
  readonly #options: PeersOptions;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #toldAt = new Map<string, number>();
  readonly #elsewhere = new Map<string, Progress>();
  #isSigning = false;
  #isStopped = false;

  constructor(options: PeersOptions) {
    this.#options = options;
  }

  start(): void {
    const { queue, feed, dispatch, workersOnly, pollMs = POLL_MS } = this.#options;
    const news: QueueNews = {
      queued: dispatch,
      changed: (id) => {
        this.#elsewhere.delete(id);
        feed.changed(id);
        const attempts = this.#options.running().filter((one) => one.id === id);
        if (attempts.length > 0) void this.#endLost(attempts, 'lost');
        this.#options.look?.(id);
      },
      progressed: (id, progress) => {
        this.#elsewhere.delete(id);
        this.#elsewhere.set(id, progress);
        const [oldest] = this.#elsewhere.keys();
        if (this.#elsewhere.size > MAX_REMEMBERED) this.#elsewhere.delete(oldest);
        feed.progressed(id, progress);
      },
    };
    queue.listen(news, workersOnly);
    this.#every(pollMs, () => {
      dispatch();
      void this.#refreshFeed();
      void this.#endLost(this.#options.running(), 'lost');
    });
    this.#every(this.#signMs, () => {
      if (!this.#isSigning) void this.#signAll();
    });
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
  }

  /** Time between two signs of life. Rounded down, because intervals are whole milliseconds in the database. */
  get #signMs(): number {
    return Math.floor(this.#options.queue.leaseMs / SIGNS_A_LEASE);
  }

  /** Progress of a job that another process runs, as it was last told; null: not known. */
  progressOf(id: string): Progress | null {
    return this.#elsewhere.get(id) ?? null;
  }

  /** Tells the others. */
  progressed(id: string, progress: Progress): void {
    const now = performance.now();
    const toldAt = this.#toldAt.get(id);
    if (toldAt !== undefined && now - toldAt < PROGRESS_MS) return;
    this.#toldAt.set(id, now);
    // The claim has already reported that the job has begun.
    if (toldAt === undefined) return;
    this.#options.queue.tellProgress(id, progress);
  }

  /** The attempt is over here: its end was recorded, or is not to be. */
  async ended(attempt: AttemptId): Promise<void> {
    if (attempt.part === undefined) this.#toldAt.delete(attempt.id);
    try {
      await this.#options.queue.release(attempt);
    } catch (error) {
      this.#options.log.error(
        { jobId: attempt.id, fence: attempt.fence, err: error },
        'a lease could not be given back; it ends by itself',
      );
    }
  }

  /** For the first time within that time: many processes that were started at once do not ask at once. */
  #every(ms: number, act: () => void): void {
    const first = setTimeout(() => {
      this.#timers.push(setInterval(act, ms).unref());
      act();
    }, Math.random() * ms).unref();
    this.#timers.push(first);
  }

  /** News of jobs that are watched here may have been lost. */
  async #refreshFeed(): Promise<void> {
    const { queue, feed, log } = this.#options;
    const ids = feed.watched();
    if (ids.length === 0) return;
    try {
      const states = await queue.states(ids);
      for (const id of ids) feed.changedTo(id, states.get(id) ?? null);
    } catch (error) {
      log.error({ err: error }, 'the states of watched jobs could not be read; it is tried again');
    }
  }

  async #signAll(): Promise<void> {
    this.#isSigning = true;
    try {
      const { queue, running, reconcile } = this.#options;
      await this.#endLost(running(), 'extend');
      // Each process asks this often, and one of them looks for all.
      if (await queue.takeTurn('leases', Math.floor(this.#signMs / 2))) await reconcile();
    } catch (error) {
      this.#options.log.error({ err: error }, 'jobs of workers that died could not be looked for');
    } finally {
      this.#isSigning = false;
    }
  }

  /** `extend`: with a sign of life for the others. */
  async #endLost(attempts: readonly AttemptId[], method: 'lost' | 'extend'): Promise<void> {
    if (this.#isStopped || attempts.length === 0) return;
    const { queue, end, log } = this.#options;
    try {
      for (const attempt of await queue[method](attempts)) {
        log.warn(
          { jobId: attempt.id, fence: attempt.fence },
          'an attempt is ended: its job was cancelled, deleted or given to another worker',
        );
        end(attempt);
      }
    } catch (error) {
      log.error({ err: error }, 'leases could not be checked or extended; it is tried again');
    }
  }
}
