/**
 * The job service: takes jobs, runs each on an idle runner, files what comes of it. It knows no HTTP.
 *
 *   submit -> row committed -> (202) -> claim -> runner -> output renamed into the store -> row SUCCESS
 *
 * Nothing polls: a submitted job and a runner that becomes idle both call `#dispatch`.
 */
import { randomUUID } from 'node:crypto';
import { failure } from '../errors.ts';
import type { Progress } from '../pipeline/report.ts';
import { inputKey, type Upload } from '../storage/store.ts';
import { Attempts, type JobServiceOptions } from './attempt.ts';
import type { NewJob, Viewer } from './job.ts';
import { JobFeed } from './job-feed.ts';
import { OwnedJobs, type OwnedJobsOptions } from './owned-jobs.ts';
import type { Claim, EnqueueResult, OwnerHolding, OwnerUsage } from './queue.ts';
import { Receipts } from './receipts.ts';
import { Removals, type RunningJob } from './removals.ts';
import { sweep } from './retention.ts';
import { RunnerPool } from './runner-pool.ts';
import type { RunnerProcess } from './runner-process.ts';

const SWEEP_INTERVAL_MS = 60_000;
/** Looking at every file there is takes longer, and what it finds is rare. */
const ORPHAN_SWEEP_INTERVAL_MS = 3_600_000;
const ORPHAN_AGE_MS = 3_600_000;

export class JobService {
  readonly #options: JobServiceOptions;
  readonly #pool: RunnerPool;
  readonly #attempts: Attempts;
  readonly #running = new Map<string, RunningJob & { progress: Progress }>();
  readonly #receipts = new Receipts();
  readonly #feed: JobFeed;
  readonly #removals: Removals;
  readonly #ownedJobs: OwnedJobsOptions;
  #state: 'new' | 'running' | 'stopping' | 'stopped' = 'new';
  #starting: Promise<void> | null = null;
  #stopping: Promise<void> | null = null;
  #dispatching = false;
  #sweepTimer: NodeJS.Timeout | null = null;
  #sweeping: Promise<void> = Promise.resolve();
  #orphansSweptAt = 0;

  constructor(options: JobServiceOptions) {
    this.#options = options;
    this.#attempts = new Attempts(options);
    this.#feed = new JobFeed(
      (id) => options.queue.get(id),
      (error) => options.log.error({ err: error }, 'a change of a job could not be told'),
    );
    this.#removals = new Removals(options, this.#running, this.#feed);
    this.#ownedJobs = {
      queue: options.queue,
      store: options.store,
      feed: this.#feed,
      removals: this.#removals,
      progressOf: (id) => this.#running.get(id)?.progress ?? null,
    };
    this.#pool = new RunnerPool(
      { ...options.runner, size: options.runner.count },
      {
        onIdle: () => void this.#dispatch(),
        onDeath: (cause, detail) => {
          if (cause === 'crash' || cause === 'message')
            options.log.error({ cause, detail }, 'a runner process died');
          options.observer?.runnerDied(cause);
        },
      },
    );
  }

  /** Takes up what a former service left and starts the runners. Callers share one start. */
  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  /**
   * Lets running jobs finish for the grace time, puts the rest back, ends all runners. Callers share one stop. Records
   * and outputs can still be read afterwards: the queue is closed by who opened it, after the last request.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** True while jobs are accepted. */
  get accepts(): boolean {
    return this.#state === 'running';
  }

  get queueLength(): number {
    return this.#options.queue.length();
  }

  get runningCount(): number {
    return this.#running.size;
  }

  /** The runners there are; for metrics and tests. */
  get runners(): ReadonlySet<RunnerProcess> {
    return this.#pool.runners;
  }

  /** How many watch jobs or wait for them; for metrics and tests. */
  get watcherCount(): number {
    return this.#feed.size;
  }

  newJobId(): string {
    return randomUUID();
  }

  /**
   * What can be known before an input is received. Throws SHUTTING_DOWN, QUEUE_FULL, OWNER_JOBS_EXCEEDED and
   * OWNER_STORAGE_EXCEEDED, as `submit` would for a job with inputs of at least so many bytes.
   */
  checkRoom(owner: string, inputBytes: number): void {
    if (!this.accepts) throw failure('SHUTTING_DOWN', { seconds: 5 });
    this.#options.queue.checkRoom(owner, inputBytes);
  }

  /**
   * Begins to receive an input of the owner's job to be; `index` is its place among the inputs. Writing to it throws
   * as `checkRoom` as soon as there is no room for all that the owner is sending.
   */
  async receive(owner: string, id: string, index: number): Promise<Upload> {
    const { store, queue } = this.#options;
    const upload = await store.receive(inputKey(id, index));
    return this.#receipts.open(id, owner, upload, (bytes) => queue.checkRoom(owner, bytes));
  }

  /**
   * Accepts a job whose input is kept in the store. When this resolves the job is durable and will end.
   * Throws SHUTTING_DOWN, QUEUE_FULL, OWNER_JOBS_EXCEEDED, OWNER_STORAGE_EXCEEDED, IDEMPOTENCY_CONFLICT; the input is
   * then the caller's to discard.
   */
  async submit(job: NewJob): Promise<EnqueueResult> {
    if (!this.accepts) throw failure('SHUTTING_DOWN', { seconds: 5 });
    const result = await this.#options.queue.enqueue(job);
    if (result.added) {
      this.#receipts.close(job.id);
      void this.#dispatch();
    }
    return result;
  }

  /** The jobs that `viewer` can see; the only way to them. */
  jobsOf(viewer: Viewer): OwnedJobs {
    return new OwnedJobs(this.#ownedJobs, viewer);
  }

  /** What the owner holds now. */
  holding(owner: string): OwnerHolding {
    return this.#options.queue.holding(owner);
  }

  /** What became of the owner's jobs since then (ms since 1970), as far as their records are kept. */
  usage(owner: string, since: number): Promise<OwnerUsage> {
    return this.#options.queue.usage(owner, since);
  }

  async #start(): Promise<void> {
    const { queue, store, maxAttempts, outputRetentionMs, recordRetentionMs, log } = this.#options;
    const recovered = await queue.recover(maxAttempts, Date.now() + outputRetentionMs);
    if (recovered.requeued + recovered.failed > 0) log.warn(recovered, 'took up jobs of a service that died');
    this.#orphansSweptAt = Date.now();
    const isReceiving = (): boolean => false;
    const swept = await sweep(queue, store, Date.now(), { recordRetentionMs, orphanAgeMs: 0, isReceiving });
    const removed = { ...swept, slots: this.#pool.start() };
    if (Object.values(removed).some((count) => count > 0))
      log.warn(
        removed,
        'removed at the start: expired outputs, old records, files without a job, slots of runners',
      );
    this.#state = 'running';
    this.#sweepTimer = setInterval(() => {
      this.#sweeping = this.#sweeping.then(() => this.#sweep());
    }, SWEEP_INTERVAL_MS).unref();
    void this.#dispatch();
  }

  async #sweep(): Promise<void> {
    const { queue, store, recordRetentionMs, log } = this.#options;
    const now = Date.now();
    const withOrphans = now - this.#orphansSweptAt >= ORPHAN_SWEEP_INTERVAL_MS;
    if (withOrphans) this.#orphansSweptAt = now;
    try {
      const { orphans } = await sweep(queue, store, now, {
        recordRetentionMs,
        orphanAgeMs: withOrphans ? ORPHAN_AGE_MS : null,
        isReceiving: (id) => this.#receipts.has(id),
      });
      if (orphans > 0) log.warn({ orphans }, 'removed files that belong to no job');
    } catch (error) {
      log.error({ err: error }, 'the retention sweep failed and will be tried again');
    }
  }

  async #stop(): Promise<void> {
    await this.#starting?.catch(() => {});
    this.#state = 'stopping';
    if (this.#sweepTimer !== null) clearInterval(this.#sweepTimer);
    const running = Promise.all([...this.#running.values()].map((entry) => entry.done));
    if (this.#running.size > 0) {
      let timer: NodeJS.Timeout | undefined;
      const grace = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, this.#options.graceMs);
      });
      await Promise.race([running, grace]);
      clearTimeout(timer);
    }
    this.#pool.stop();
    await Promise.all([running, this.#pool.ended(), this.#sweeping]);
    this.#state = 'stopped';
    this.#feed.close();
  }

  async #dispatch(): Promise<void> {
    // One loop at a time; whoever comes meanwhile is served by the loop's next round, for it ends only in the same
    // tick in which it finds no runner or no job.
    if (this.#dispatching) return;
    this.#dispatching = true;
    try {
      while (this.#state === 'running') {
        if (this.#options.queue.length() === 0) {
          this.#pool.warmIdle();
          return;
        }
        const runner = this.#pool.take();
        if (runner === null) return;
        const claim = await this.#claimFor(runner);
        if (claim === null) return;
        this.#begin(claim, runner);
      }
    } catch (error) {
      this.#options.log.error({ err: error }, 'a job could not be taken from the queue');
    } finally {
      this.#dispatching = false;
    }
  }

  async #claimFor(runner: RunnerProcess): Promise<Claim | null> {
    let claim: Claim | null = null;
    try {
      claim = await this.#options.queue.claim();
    } finally {
      if (claim === null) runner.release();
    }
    return claim;
  }

  #begin(claim: Claim, runner: RunnerProcess): void {
    const { id } = claim.job;
    const entry = {
      progress: { fraction: 0, stage: 'opening' } as Progress,
      runner,
      done: Promise.resolve(),
    };
    this.#running.set(id, entry);
    this.#feed.changed(id);
    if (this.#removals.has(id)) runner.kill('cancelled');
    entry.done = this.#attempts
      .make(claim, runner, (progress) => {
        entry.progress = progress;
        this.#feed.progressed(id, progress);
      })
      .catch((error: unknown) => {
        // The row stays RUNNING; the next start takes the job up again.
        this.#options.log.error({ jobId: id, err: error }, 'the end of a job could not be recorded');
      })
      .finally(() => {
        this.#running.delete(id);
        runner.release();
        this.#feed.changed(id);
      });
  }
}
