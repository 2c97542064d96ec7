/** Cancels queued and running jobs for clients, and deletes ended ones. */
import { setTimeout as pause } from 'node:timers/promises';
import { plainError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { removeInputs } from './attempt-results.ts';
import { ANY_OWNER, isFinal, maySee, type Viewer } from './job.ts';
import type { JobFeed } from './job-feed.ts';
import type { JobServiceOptions } from './job-service-options.ts';
import type { RunnerProcess } from './runner-process.ts';

/** A running job of this service. */
export interface RunningJob {
  readonly runner: RunnerProcess;
  /** Resolves when its attempt is over and recorded. */
  readonly done: Promise<void>;
}

type Options = Pick<JobServiceOptions, 'queue' | 'store' | 'outputRetentionMs' | 'observer'>;

const RELEASE_POLL_MS = 100;

export class Removals {
  readonly #options: Options;
  readonly #running: ReadonlyMap<string, RunningJob>;
  readonly #feed: JobFeed;
  readonly #endParts: (id: string) => void;
  /** By viewer and job. */
  readonly #asked = new Map<string, Promise<boolean>>();
  /** By job: only jobs that the viewer may see. */
  readonly #underway = new Map<string, Promise<boolean>>();

  /** `endParts`: ends the parts of a job that run here. */
  constructor(
    options: Options,
    running: ReadonlyMap<string, RunningJob>,
    feed: JobFeed,
    endParts: (id: string) => void,
  ) {
    this.#options = options;
    this.#running = running;
    this.#feed = feed;
    this.#endParts = endParts;
  }

  /** Whether the job is being cancelled, so that it need not be started. */
  has(id: string): boolean {
    return this.#underway.has(id);
  }

  /** As OwnedJobs.remove. */
  remove(viewer: Viewer, id: string): Promise<boolean> {
    const key = viewer === ANY_OWNER ? id : `${id} ${viewer}`;
    return shared(this.#asked, key, async () => {
      const job = await this.#options.queue.summary(id);
      // A job never changes its owner and ids are not reused, so this check stays valid.
      if (job === null || !maySee(viewer, job)) return false;
      return shared(this.#underway, id, () => this.#remove(id));
    });
  }

  /**
   * The row is changed first and decides every race: a job that succeeds just before has ended and is deleted; an
   * attempt that ends just after it is no longer the current one and removes its files.
   */
  async #remove(id: string): Promise<boolean> {
    const { queue, store, outputRetentionMs } = this.#options;
    const found = await queue.cancel(
      id,
      plainError(generalErrors.CANCELLED, {}),
      queue.now() + outputRetentionMs,
    );
    if (found === null) return false;
    if (isFinal(found)) {
      const isRemoved = await queue.removeEnded(id);
      // After the row: an announced output must exist. Downloads in progress still complete.
      await store.remove('output', id);
      this.#feed.changed(id);
      return isRemoved;
    }
    const running = this.#running.get(id);
    running?.runner.kill('cancelled');
    this.#endParts(id);
    this.#feed.changed(id);
    await running?.done;
    if (found === 'RUNNING') await this.#releasedElsewhere(id);
    await this.#clear(id);
    return true;
  }

  /** Waits until the processes that run the job, or parts of it, have stopped, or their leases have ended. */
  async #releasedElsewhere(id: string): Promise<void> {
    const { shared } = this.#options.queue;
    while (shared !== null && !(await shared.isReleased(id))) await pause(RELEASE_POLL_MS);
  }

  async #clear(id: string): Promise<void> {
    const { queue, store, observer } = this.#options;
    const job = await queue.summary(id);
    if (job === null) return;
    const { createdAt, startedAt, endedAt } = job;
    const ranMs = startedAt === null || endedAt === null ? 0 : endedAt - startedAt;
    observer?.jobEnded(job, 'FAILED', (startedAt ?? endedAt ?? createdAt) - createdAt, ranMs, 0);
    await removeInputs(store, job);
    // The attempt may have stored its output just before.
    await store.remove('output', id);
  }
}

/** The running operation for the key; `begin` starts it if there is none. */
function shared(
  underway: Map<string, Promise<boolean>>,
  key: string,
  begin: () => Promise<boolean>,
): Promise<boolean> {
  const promise = underway.get(key) ?? begin().finally(() => underway.delete(key));
  underway.set(key, promise);
  return promise;
}
