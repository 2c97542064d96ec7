/**
 * The jobs of one owner, as if there were no others. All access of clients to jobs uses this class, so that no route
 * can forget to check the owner: jobs of other owners do not exist here.
 */
import type { Progress } from '@geomill/pipeline/report.ts';
import type { FileStore, PresignOptions, StoredFile } from '../storage/store.ts';
import type { ListPosition } from './job.ts';
import { isFinal, type Job, type JobSummary, maySee, type Viewer } from './job.ts';
import type { JobFeed, JobNews, JobWatch } from './job-feed.ts';
import type { JobFilter, JobQueue } from './queue.ts';
import type { Removals } from './removals.ts';

export interface OwnedJobsOptions {
  readonly queue: JobQueue;
  readonly store: FileStore;
  readonly feed: JobFeed;
  readonly removals: Removals;
  readonly progressOf: (id: string) => Progress | null;
}

export class OwnedJobs {
  readonly #options: OwnedJobsOptions;
  readonly #viewer: Viewer;

  constructor(options: OwnedJobsOptions, viewer: Viewer) {
    this.#options = options;
    this.#viewer = viewer;
  }

  async get(id: string): Promise<Job | null> {
    return this.#seen(await this.#options.queue.get(id));
  }

  /** The job without request and report; cheaper where those are large. */
  async summary(id: string): Promise<JobSummary | null> {
    return this.#seen(await this.#options.queue.summary(id));
  }

  /** The newest jobs, newest first, or those after `after`; at most `limit`. */
  list(filter: JobFilter, after: ListPosition | null, limit: number): Promise<readonly JobSummary[]> {
    return this.#options.queue.list(this.#viewer, filter, after, limit);
  }

  /** Progress of a running job; null if it is not running. */
  progressOf(job: JobSummary): Progress | null {
    return maySee(this.#viewer, job) ? this.#options.progressOf(job.id) : null;
  }

  /** Whether the output is there no more. The sweep runs once a minute, so an expired one may still exist. */
  isExpired({ outputKept, expiresAt }: JobSummary): boolean {
    return !outputKept || this.#options.queue.now() >= (expiresAt ?? Number.POSITIVE_INFINITY);
  }

  async openOutput(job: JobSummary): Promise<StoredFile | null> {
    return maySee(this.#viewer, job) ? this.#options.store.openOutput(job.id, job.fence) : null;
  }

  /** As FileStore.presign. */
  async presignOutput(job: JobSummary, options: PresignOptions): Promise<string | null> {
    return maySee(this.#viewer, job) ? this.#options.store.presign(job.id, job.fence, options) : null;
  }

  /**
   * Cancels or deletes the job: a queued or running one becomes FAILED (CANCELLED), and its work has stopped when this resolves; one that has
   * ended is deleted with its output. False: no such job. Concurrent calls share one operation, so that
   * a client that repeats a cancellation does not delete the job.
   */
  remove(id: string): Promise<boolean> {
    return this.#options.removals.remove(this.#viewer, id);
  }

  /** Calls `tell` with the job's state and with all later changes. */
  async watch(id: string, tell: (news: JobNews) => void): Promise<JobWatch> {
    let isHidden = false;
    const watch = await this.#options.feed.watch(id, (news) => {
      if (isHidden) return;
      isHidden = news.kind === 'state' && news.job !== null && this.#seen(news.job) === null;
      tell(isHidden ? { kind: 'state', job: null } : news);
    });
    if (isHidden) watch.stop();
    return watch;
  }

  /** Waits until the job has ended, at most `timeoutMs` or until `signal`; resolves with the current job. */
  async waitForEnd(id: string, timeoutMs: number, signal?: AbortSignal): Promise<Job | null> {
    let last: Job | null = null;
    const ended = Promise.withResolvers<void>();
    const watch = await this.watch(id, (news) => {
      if (news.kind === 'state') last = news.job;
      if (news.kind === 'closing' || last === null || isFinal(last.state)) ended.resolve();
    });
    const timer = setTimeout(ended.resolve, timeoutMs);
    const stop = (): void => ended.resolve();
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    await ended.promise;
    watch.stop();
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    // No state was sent if the service closed just then.
    return last ?? this.get(id);
  }

  #seen<Found extends JobSummary>(job: Found | null): Found | null {
    return job !== null && maySee(this.#viewer, job) ? job : null;
  }
}
