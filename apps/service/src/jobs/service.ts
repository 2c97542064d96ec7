/**
 * The job service: accepts jobs, runs each on an idle runner, stores the result. It is independent of HTTP.
 *
 *   submit -> row committed -> (202) -> claim -> runner -> output renamed into the store -> row SUCCESS
 *
 * dispatcher.ts and recovery.ts make sure that an accepted job ends, whatever fails meanwhile.
 */
import { randomUUID } from 'node:crypto';
import { failure, isDiskFull } from '@geomill/core/messages/errors.ts';
import { PLATFORM_TIMERS } from '@geomill/core/timers.ts';
import type { UploadReference } from '@geomill/requests/addresses.ts';
import { DatabaseFault } from '../postgres/fault.ts';
import { inputKey, type Upload } from '../storage/store.ts';
import { type TraceContext, traceparentOf } from '../tracing/trace-context.ts';
import { NO_TRACES, traced } from '../tracing/tracer.ts';
import { jobAttributes } from './attempt-trace.ts';
import { Dispatcher, logTakenUp } from './dispatcher.ts';
import { jobErrors } from './errors.ts';
import type { Idempotency, NewJob, Viewer } from './job.ts';
import { JobFeed } from './job-feed.ts';
import type { JobServiceOptions } from './job-service-options.ts';
import { OwnedJobs, type OwnedJobsOptions } from './owned-jobs.ts';
import { Peers } from './peers.ts';
import type { EnqueueResult, OwnerHolding, OwnerUsage, QueueFacts } from './queue.ts';
import { DISK_FULL, type FailedCheck, failedCheck, Readiness } from './readiness.ts';
import { Receipts, ReceivedBytes } from './receipts.ts';
import { isStorageFault, Recovery, reasonOf } from './recovery.ts';
import { Removals } from './removals.ts';
import { RunnerPool } from './runner-pool.ts';
import type { RunnerProcess } from './runner-process.ts';
import { storageChecks } from './storage-checks.ts';
import { Sweeps } from './sweeps.ts';
import { Uploads } from './uploads.ts';

/** A process without a runner is not ready after this time; runners are replaced sooner. */
const RUNNERS_MISSING_MS = 10_000;

export class JobService {
  readonly uploads: Uploads;
  readonly #options: JobServiceOptions;
  readonly #pool: RunnerPool;
  readonly #readiness: Readiness;
  readonly #recovery: Recovery;
  readonly #dispatcher: Dispatcher;
  readonly #received = new ReceivedBytes();
  readonly #receipts = new Receipts(this.#received);
  readonly #feed: JobFeed;
  readonly #removals: Removals;
  readonly #peers: Peers | null;
  readonly #ownedJobs: OwnedJobsOptions;
  readonly #sweeps: Sweeps;
  #state: 'new' | 'running' | 'stopping' | 'stopped' = 'new';
  #isLeaving = false;
  #stateSince = Date.now();
  #starting: Promise<void> | null = null;
  #stopping: Promise<void> | null = null;

  constructor(options: JobServiceOptions) {
    this.#options = options;
    const { queue, store, log, observer } = options;
    this.#feed = new JobFeed(
      (id) => queue.get(id),
      (error) => log.error({ err: error }, 'a change of a job could not be announced'),
    );
    const { timers = PLATFORM_TIMERS } = options;
    this.#readiness = new Readiness(storageChecks(options), timers);
    this.#recovery = new Recovery({
      checkStorage: () => this.#readiness.verify(),
      reconcile: () => this.#dispatcher.reconcile(),
      resume: () => this.#dispatcher.dispatch(),
      log,
    });
    this.#pool = new RunnerPool(
      { ...options.runner, size: options.runner.count, timers },
      {
        onIdle: () => this.#dispatcher.dispatch(),
        onDeath: (cause, detail) => {
          if (cause === 'crash' || cause === 'frozen' || cause === 'message')
            log.error({ cause, detail }, 'a runner process died');
          observer?.runnerDied(cause);
        },
        onTrouble: (error) => log.error({ err: error }, 'a runner process could not be managed'),
      },
    );
    this.#peers =
      queue.shared === null
        ? null
        : new Peers({
            queue: queue.shared,
            feed: this.#feed,
            running: () => this.#dispatcher.attempts(),
            end: (attempt) => this.#dispatcher.end(attempt),
            look: (id) => this.#dispatcher.look(id),
            dispatch: () => this.#dispatcher.dispatch(),
            reconcile: () => this.#dispatcher.reconcile(),
            workersOnly: options.answersRequests === false,
            log,
          });
    this.#dispatcher = new Dispatcher({
      options,
      pool: this.#pool,
      recovery: this.#recovery,
      feed: this.#feed,
      isBeingRemoved: (id) => this.#removals.has(id),
      peers: this.#peers,
    });
    const { running } = this.#dispatcher;
    this.#removals = new Removals(options, running, this.#feed, (id) => this.#dispatcher.endParts(id));
    this.uploads = new Uploads({
      records: queue.uploads,
      store,
      settings: { now: () => queue.now(), timers, ...options.uploads },
      received: this.#received,
      checkReady: () => this.checkReady(),
      watched: (act) => this.#watched(act),
      log,
      onStored: (bytes) => observer?.uploadStored(bytes),
    });
    this.#sweeps = new Sweeps(options, {
      uploads: this.uploads,
      // While storage fails this would fail too, and `#recovery` does it later.
      reconcile: async () => {
        if (!this.#recovery.isUnderway) await this.#dispatcher.reconcile();
      },
      isReceiving: (id) => this.#receipts.has(id),
    });
    this.#ownedJobs = {
      queue,
      store,
      feed: this.#feed,
      removals: this.#removals,
      progressOf: (id) => running.get(id)?.progress ?? this.#peers?.progressOf(id) ?? null,
    };
  }

  /** Requeues the jobs of a former service and starts the runners. Callers share one start. */
  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  /**
   * Lets running jobs finish for the grace time, requeues the rest, ends all runners. Callers share one stop. Records
   * and outputs can still be read afterwards: the code that opened the queue closes it after the last request.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** True while jobs are accepted. */
  get accepts(): boolean {
    return this.#state === 'running';
  }

  queueLength(): Promise<number> {
    return this.#options.queue.length();
  }

  queueFacts(): Promise<QueueFacts> {
    return this.#options.queue.facts();
  }

  /** What the service lacks to accept and run jobs; empty: nothing. Resolves within about two seconds. */
  async failedChecks(): Promise<readonly FailedCheck[]> {
    if (!this.accepts || this.#isLeaving)
      return [
        failedCheck(
          'service',
          this.#stateSince,
          this.#state === 'new' ? 'it is starting' : 'it is shutting down',
        ),
      ];
    const failed = await this.#readiness.failed(this.#recovery.isUnderway);
    const { trouble } = this.#recovery;
    if (trouble !== null && failed.length === 0) {
      const { error, since } = trouble;
      // The tests need less than what failed, or storage works again and results are being recorded.
      const isFull = isDiskFull(error) && !this.#options.store.isShared;
      const reason = `an operation of storage failed and is repeated: ${reasonOf(error)}`;
      failed.push(isFull ? failedCheck('disk', since, DISK_FULL) : failedCheck('service', since, reason));
    }
    const { missingSince } = this.#pool;
    if (this.#options.runner.count > 0 && missingSince !== null)
      if (Date.now() - missingSince >= RUNNERS_MISSING_MS)
        failed.push(failedCheck('runners', missingSince, 'no runner process starts'));
    return failed;
  }

  get runningCount(): number {
    return this.#dispatcher.running.size;
  }

  /** The runners; for metrics and tests. */
  get runners(): ReadonlySet<RunnerProcess> {
    return this.#pool.runners;
  }

  /** Number of watchers of jobs; for metrics and tests. */
  get watcherCount(): number {
    return this.#feed.size;
  }

  newJobId(): string {
    return randomUUID();
  }

  /**
   * Throws SHUTTING_DOWN, and STORAGE_FULL, STORAGE_UNAVAILABLE or DATABASE_UNAVAILABLE while jobs cannot be stored; these are temporary.
   */
  checkReady(): void {
    if (!this.accepts) throw failure(jobErrors.SHUTTING_DOWN, { seconds: 5 });
    const { refusal } = this.#recovery;
    if (refusal !== null) throw refusal;
  }

  /** From now on the process is not ready. Everything else goes on until `stop`. */
  leave(): void {
    this.#isLeaving = true;
    this.#stateSince = Date.now();
  }

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** Ends event streams, and requests that wait for a job: their clients go on at another process. */
  dismissWatchers(): void {
    this.#feed.close();
  }

  /** Reports an error of storage that no caller waits for. */
  storageFailed(error: unknown): void {
    this.#recovery.report(error);
  }

  /**
   * Checks before an input is received. Throws as `checkReady`, and QUEUE_FULL, OWNER_JOBS_EXCEEDED and
   * OWNER_STORAGE_EXCEEDED, as `submit` would for a job with inputs of at least so many bytes.
   */
  async checkRoom(owner: string, inputBytes: number): Promise<void> {
    this.checkReady();
    await this.#options.queue.checkRoom(owner, inputBytes);
  }

  /**
   * Starts to receive an input of a future job of the owner; `index` is its position among the inputs. Writing to it throws
   * as `checkRoom` as soon as there is no room for all that the owner is sending.
   */
  async receive(owner: string, id: string, index: number): Promise<Upload> {
    const { store } = this.#options;
    return this.#tracked(owner, id, await this.#watched(() => store.receive(inputKey(id, index))));
  }

  /** As `receive`, of an upload that `uploads.usable` returned: its content is there when the result is kept. */
  receiveUpload(
    owner: string,
    id: string,
    index: number,
    reference: UploadReference,
    byteLength: number,
  ): Promise<Upload> {
    return this.#tracked(owner, id, this.uploads.share(reference, byteLength, inputKey(id, index)));
  }

  async #tracked(owner: string, id: string, upload: Upload): Promise<Upload> {
    const { queue } = this.#options;
    const receipt = await this.#receipts.open(id, owner, upload, (bytes) => queue.checkRoom(owner, bytes));
    return {
      get byteLength() {
        return receipt.byteLength;
      },
      write: (bytes) => this.#watched(() => receipt.write(bytes)),
      keep: () => this.#watched(() => receipt.keep()),
      discard: () => receipt.discard(),
    };
  }

  /**
   * Accepts a job whose input is in the store. When this resolves, the job is durable and will end.
   * Throws as `checkReady`, QUEUE_FULL, OWNER_JOBS_EXCEEDED, OWNER_STORAGE_EXCEEDED, IDEMPOTENCY_CONFLICT; the input is
   * then the caller's to discard. `parent`: the span of the caller.
   */
  async submit(job: NewJob, parent: TraceContext | null = null): Promise<EnqueueResult> {
    this.checkReady();
    const attributes = jobAttributes(job.id, 'enqueue', 'send');
    const result = await traced(
      this.#options.tracer ?? NO_TRACES,
      'enqueue jobs',
      'producer',
      { parent, attributes },
      ({ context }) => {
        const trace = context === null ? null : traceparentOf(context);
        return this.#watched(() => this.#enqueue({ ...job, trace }));
      },
    );
    if (result.added) {
      this.#receipts.close(job.id);
      this.#dispatcher.dispatch();
    }
    return result;
  }

  async #enqueue(job: NewJob): Promise<EnqueueResult> {
    try {
      return await this.#options.queue.enqueue(job);
    } catch (error) {
      // The job may be there, and then needs its input. If it is not, the sweep removes the files.
      if (error instanceof DatabaseFault && error.isOutcomeUnknown) this.#receipts.leave(job.id);
      throw error;
    }
  }

  /** Whether a request with this Idempotency-Key repeats one of a kept job: its files are not stored and need no room. */
  async isRepeat(owner: string, idempotencyKey: string | null): Promise<boolean> {
    return idempotencyKey !== null && (await this.#options.queue.knowsKey(owner, idempotencyKey));
  }

  /** The earlier job of a request that is a repeat. Throws IDEMPOTENCY_CONFLICT, IDEMPOTENCY_KEY_RELEASED. */
  async earlier(owner: string, idempotency: Idempotency): Promise<EnqueueResult> {
    const earlier = await this.#options.queue.earlier(owner, idempotency);
    if (earlier === null) throw failure(jobErrors.IDEMPOTENCY_KEY_RELEASED, { key: idempotency.key });
    return earlier;
  }

  /** The jobs that `viewer` can see; clients have no other access. */
  jobsOf(viewer: Viewer): OwnedJobs {
    return new OwnedJobs(this.#ownedJobs, viewer);
  }

  /** Current usage of the owner. */
  holding(owner: string): Promise<OwnerHolding> {
    return this.#options.queue.holding(owner);
  }

  /** Statistics of the owner's jobs since then (ms since 1970), as far as their records are kept. */
  usage(owner: string, since: number): Promise<OwnerUsage> {
    return this.#options.queue.usage(owner, since);
  }

  async #start(): Promise<void> {
    const { queue, maxAttempts, outputRetentionMs, log, observer } = this.#options;
    const recovered = await queue.recover(maxAttempts, queue.now() + outputRetentionMs, () => false);
    observer?.takenUp(recovered.requeued.length, recovered.failed.length);
    logTakenUp(log, recovered);
    // Others may be writing uploads, and inputs of jobs that they are receiving.
    const isAlone = this.#peers === null;
    if (isAlone) await this.uploads.recover();
    const all = await this.#sweeps.first(isAlone);
    const removed = { ...all, slots: this.#pool.start() };
    if (Object.values(removed).some((count) => count > 0))
      log.warn(
        removed,
        'removed at the start: expired outputs and uploads, old records, files without a job, slots of runners',
      );
    this.#enter('running');
    this.#sweeps.start();
    this.#peers?.start();
    this.#dispatcher.open();
  }

  #enter(state: 'running' | 'stopping' | 'stopped'): void {
    this.#state = state;
    this.#stateSince = Date.now();
  }

  /** Runs a storage operation of a request: its failure rejects the request and starts the recovery. */
  async #watched<Result>(act: () => Promise<Result>): Promise<Result> {
    try {
      return await act();
    } catch (error) {
      if (!isStorageFault(error)) throw error;
      this.#recovery.report(error);
      throw this.#recovery.refusal ?? error;
    }
  }

  async #stop(): Promise<void> {
    await this.#starting?.catch(() => {});
    this.#enter('stopping');
    const swept = this.#sweeps.stop();
    const isOver = this.#dispatcher.close().then(() => this.#dispatcher.idle());
    await this.uploads.stop();
    const { graceMs, timers = PLATFORM_TIMERS } = this.#options;
    const grace = Promise.withResolvers<void>();
    const cancel = timers.after(graceMs, grace.resolve);
    await Promise.race([isOver, grace.promise]);
    cancel();
    this.#pool.stop();
    await Promise.all([this.#recovery.stop(), isOver, this.#pool.ended(), swept]);
    this.#peers?.stop();
    this.#enter('stopped');
    this.#feed.close();
  }
}
