/** Ends jobs at a client's word: stops what waits or runs, deletes what has ended. */
import { type JobServiceOptions, removeInputs } from './attempt.ts';
import { ANY_OWNER, isFinal, maySee, type Viewer } from './job.ts';
import type { JobFeed } from './job-feed.ts';
import type { RunnerProcess } from './runner-process.ts';

/** A job that runs in this service. */
export interface RunningJob {
  readonly runner: RunnerProcess;
  /** Resolves when its attempt is over and recorded. */
  readonly done: Promise<void>;
}

type Options = Pick<JobServiceOptions, 'queue' | 'store' | 'outputRetentionMs' | 'observer'>;

export class Removals {
  readonly #options: Options;
  readonly #running: ReadonlyMap<string, RunningJob>;
  readonly #feed: JobFeed;
  /** By who asked and for which job. */
  readonly #asked = new Map<string, Promise<boolean>>();
  /** By job: only what may be ended by who asked. */
  readonly #underway = new Map<string, Promise<boolean>>();

  constructor(options: Options, running: ReadonlyMap<string, RunningJob>, feed: JobFeed) {
    this.#options = options;
    this.#running = running;
    this.#feed = feed;
  }

  /** True while the job is being ended: it is not worth beginning. */
  has(id: string): boolean {
    return this.#underway.has(id);
  }

  /** As OwnedJobs.remove. */
  remove(viewer: Viewer, id: string): Promise<boolean> {
    const key = viewer === ANY_OWNER ? id : `${id} ${viewer}`;
    return shared(this.#asked, key, async () => {
      const job = await this.#options.queue.summary(id);
      // A job never changes its owner and no id is given twice: what is seen here holds until it is ended.
      if (job === null || !maySee(viewer, job)) return false;
      return shared(this.#underway, id, () => this.#remove(id));
    });
  }

  /**
   * The row is changed first, for it decides every race: a job that succeeds a moment before has ended and is deleted; an
   * attempt that is over a moment later finds that it is no longer the current one and leaves nothing behind.
   */
  async #remove(id: string): Promise<boolean> {
    const { queue, store, outputRetentionMs } = this.#options;
    const found = await queue.cancel(id, { code: 'CANCELLED', params: {} }, Date.now() + outputRetentionMs);
    if (found === null) return false;
    if (isFinal(found)) {
      const isRemoved = await queue.removeEnded(id);
      // After the row: an output that is announced must be there. Who downloads it now gets it to its end.
      await store.remove('output', id);
      this.#feed.changed(id);
      return isRemoved;
    }
    const running = this.#running.get(id);
    running?.runner.kill('cancelled');
    this.#feed.changed(id);
    await running?.done;
    await this.#clear(id);
    return true;
  }

  async #clear(id: string): Promise<void> {
    const { queue, store, observer } = this.#options;
    const job = await queue.summary(id);
    if (job === null) return;
    const { createdAt, startedAt, endedAt } = job;
    const ranMs = startedAt === null || endedAt === null ? 0 : endedAt - startedAt;
    observer?.jobEnded(job, 'FAILED', (startedAt ?? endedAt ?? createdAt) - createdAt, ranMs, 0);
    await removeInputs(store, job);
    // The attempt may have filed its output just before.
    await store.remove('output', id);
  }
}

/** What is underway for the key; `begin` begins it where nothing is. */
function shared(
  underway: Map<string, Promise<boolean>>,
  key: string,
  begin: () => Promise<boolean>,
): Promise<boolean> {
  const promise = underway.get(key) ?? begin().finally(() => underway.delete(key));
  underway.set(key, promise);
  return promise;
}
