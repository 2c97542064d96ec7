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
import { inputKey, type StoredFile, type Upload } from '../storage/store.ts';
import { Attempts, type JobServiceOptions } from './attempt.ts';
import { isFinal, type Job, type NewJob } from './job.ts';
import type { Claim, EnqueueResult } from './queue.ts';
import { sweep } from './retention.ts';
import { RunnerPool } from './runner-pool.ts';
import type { RunnerProcess } from './runner-process.ts';

const SWEEP_INTERVAL_MS = 60_000;
const ORPHAN_AGE_MS = 3_600_000;

export class JobService {
  readonly #options: JobServiceOptions;
  readonly #pool: RunnerPool;
  readonly #attempts: Attempts;
  readonly #running = new Map<string, { progress: Progress; runner: RunnerProcess; done: Promise<void> }>();
  readonly #waiters = new Map<string, Set<() => void>>();
  #state: 'new' | 'running' | 'stopping' | 'stopped' = 'new';
  #starting: Promise<void> | null = null;
  #stopping: Promise<void> | null = null;
  #dispatching = false;
  #sweepTimer: NodeJS.Timeout | null = null;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(options: JobServiceOptions) {
    this.#options = options;
    this.#attempts = new Attempts(options);
    this.#pool = new RunnerPool(
      { ...options.runner, size: options.runner.count },
      {
        onIdle: () => void this.#dispatch(),
        onDeath: (cause, detail) => {
          if (cause === 'crash') options.log.error({ cause, detail }, 'a runner process died');
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

  newJobId(): string {
    return randomUUID();
  }

  /** Begins to receive an input of a job to be; `index` is its place among the inputs. */
  receive(id: string, index: number): Promise<Upload> {
    return this.#options.store.receive(inputKey(id, index));
  }

  /**
   * Accepts a job whose input is kept in the store. When this resolves the job is durable and will end.
   * Throws SHUTTING_DOWN, QUEUE_FULL, IDEMPOTENCY_CONFLICT; the input is then the caller's to discard.
   */
  async submit(job: NewJob): Promise<EnqueueResult> {
    if (!this.accepts) throw failure('SHUTTING_DOWN', { seconds: 5 });
    const result = await this.#options.queue.enqueue(job);
    if (result.added) void this.#dispatch();
    return result;
  }

  get(id: string): Promise<Job | null> {
    return this.#options.queue.get(id);
  }

  /** How far a running job is; null when it is not running. */
  progressOf(id: string): Progress | null {
    return this.#running.get(id)?.progress ?? null;
  }

  openOutput(id: string): Promise<StoredFile | null> {
    return this.#options.store.openOutput(id);
  }

  /** Waits until the job has ended, at most `timeoutMs` or until `signal`; resolves with the job as it is then. */
  async waitForEnd(id: string, timeoutMs: number, signal?: AbortSignal): Promise<Job | null> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const job = await this.get(id);
      if (job === null || isFinal(job.state) || signal?.aborted || this.#state === 'stopped') return job;
      const remainingMs = deadline - performance.now();
      if (remainingMs <= 0) return job;
      await this.#nextAttemptEnd(id, remainingMs, signal);
    }
  }

  #nextAttemptEnd(id: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(id) ?? new Set();
      this.#waiters.set(id, waiters);
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        waiters.delete(wake);
        if (waiters.size === 0) this.#waiters.delete(id);
        resolve();
      };
      const timer = setTimeout(wake, timeoutMs);
      signal?.addEventListener('abort', wake);
      waiters.add(wake);
    });
  }

  async #start(): Promise<void> {
    const { queue, store, maxAttempts, outputRetentionMs, recordRetentionMs, log } = this.#options;
    const recovered = await queue.recover(maxAttempts, Date.now() + outputRetentionMs);
    if (recovered.requeued + recovered.failed > 0) log.warn(recovered, 'took up jobs of a service that died');
    await sweep(queue, store, Date.now(), { recordRetentionMs, orphanAgeMs: 0 });
    this.#pool.start();
    this.#state = 'running';
    this.#sweepTimer = setInterval(() => {
      this.#sweeping = this.#sweeping.then(() => this.#sweep());
    }, SWEEP_INTERVAL_MS).unref();
    void this.#dispatch();
  }

  async #sweep(): Promise<void> {
    const { queue, store, recordRetentionMs, log } = this.#options;
    try {
      await sweep(queue, store, Date.now(), { recordRetentionMs, orphanAgeMs: ORPHAN_AGE_MS });
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
    for (const waiters of this.#waiters.values()) for (const wake of [...waiters]) wake();
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
    entry.done = this.#attempts
      .make(claim, runner, (progress) => {
        entry.progress = progress;
      })
      .catch((error: unknown) => {
        // The row stays RUNNING; the next start takes the job up again.
        this.#options.log.error({ jobId: id, err: error }, 'the end of a job could not be recorded');
      })
      .finally(() => {
        this.#running.delete(id);
        runner.release();
        for (const wake of [...(this.#waiters.get(id) ?? [])]) wake();
      });
  }
}
