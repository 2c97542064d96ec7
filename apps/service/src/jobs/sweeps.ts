/** Removes what is older than its retention: at the start, and again and again while the service runs. */
import { PLATFORM_TIMERS } from '@geomill/core/timers.ts';
import type { JobServiceOptions } from './job-service-options.ts';
import type { Swept } from './observer.ts';
import { LastTime, type SweepResult, sweep } from './retention.ts';
import type { Uploads } from './uploads.ts';

const SWEEP_INTERVAL_MS = 60_000;
/** Checking all files takes longer and rarely finds any. */
const ORPHAN_SWEEP_INTERVAL_MS = 3_600_000;
const ORPHAN_AGE_MS = 3_600_000;

export interface SweepsOptions {
  readonly uploads: Pick<Uploads, 'sweep' | 'sweepOrphans'>;
  /** Called before each sweep: makes sure that running jobs are those of the queue. */
  readonly reconcile: () => Promise<void>;
  /** Whether inputs of this job, which has no row yet, are being received. */
  readonly isReceiving: (jobId: string) => boolean;
}

export class Sweeps {
  readonly #job: JobServiceOptions;
  readonly #options: SweepsOptions;
  #end = (): void => {};
  #underWay: Promise<void> = Promise.resolve();
  readonly #orphansSwept = new LastTime();

  constructor(job: JobServiceOptions, options: SweepsOptions) {
    this.#job = job;
    this.#options = options;
  }

  /** Before requests are accepted. `isAlone`: no other process may be writing uploads, or inputs of jobs that it is receiving. */
  async first(isAlone: boolean): Promise<Swept> {
    const { queue, store, recordRetentionMs, observer } = this.#job;
    this.#orphansSwept.set(queue.now());
    const orphanAgeMs = isAlone ? 0 : null;
    const isReceiving = (): boolean => false;
    const swept = await sweep(queue, store, queue.now(), { recordRetentionMs, orphanAgeMs, isReceiving });
    const all = allSwept(swept, await this.#sweepUploads(isAlone));
    observer?.swept(all);
    return all;
  }

  start(): void {
    const { timers = PLATFORM_TIMERS } = this.#job;
    let isSweeping = false;
    this.#end = timers.every(this.#intervalMs, () => {
      // One at a time: on a slow disk they would accumulate.
      if (isSweeping) return;
      isSweeping = true;
      this.#underWay = this.#sweep().finally(() => {
        isSweeping = false;
      });
    });
  }

  /** Resolves when the sweep under way has ended. */
  stop(): Promise<void> {
    this.#end();
    return this.#underWay;
  }

  get #intervalMs(): number {
    return this.#job.sweepIntervalMs ?? SWEEP_INTERVAL_MS;
  }

  async #sweep(): Promise<void> {
    const { queue, store, recordRetentionMs, log, observer } = this.#job;
    const now = queue.now();
    const intervalMs = this.#job.orphanSweepIntervalMs ?? ORPHAN_SWEEP_INTERVAL_MS;
    const { shared } = queue;
    try {
      await this.#options.reconcile();
      // One process does it for all. Timers are never exactly as far apart.
      if (shared !== null && !(await shared.takeTurn('retention', Math.floor(this.#intervalMs / 2)))) return;
      const isDue = this.#orphansSwept.isDue(now, intervalMs);
      const withOrphans =
        isDue && (shared === null || (await shared.takeTurn('orphans', Math.floor(intervalMs / 2))));
      const swept = await sweep(queue, store, now, {
        recordRetentionMs,
        orphanAgeMs: withOrphans ? (this.#job.orphanAgeMs ?? ORPHAN_AGE_MS) : null,
        isReceiving: this.#options.isReceiving,
      });
      const all = allSwept(swept, await this.#sweepUploads(withOrphans));
      observer?.swept(all);
      if (all.orphans > 0) log.warn({ orphans: all.orphans }, 'removed files that belong to no job');
    } catch (error) {
      observer?.swept(null);
      log.error({ err: error }, 'the retention sweep failed and will be tried again');
    }
  }

  async #sweepUploads(withOrphans: boolean): Promise<{ expired: number; orphans: number }> {
    const { uploads } = this.#options;
    const expired = await uploads.sweep(this.#job.recordRetentionMs);
    return { expired, orphans: withOrphans ? await uploads.sweepOrphans() : 0 };
  }
}

function allSwept(jobs: SweepResult, uploads: { expired: number; orphans: number }): Swept {
  return { ...jobs, uploads: uploads.expired, orphans: jobs.orphans + uploads.orphans };
}
