/** Metrics in Prometheus' text format; docs/operate.md describes each of them. All labels have few values. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { JobState, JobSummary } from '../jobs/job.ts';
import {
  type AttemptOutcome,
  attemptOutcomes,
  type JobObserver,
  type Swept,
  sweptKinds,
} from '../jobs/observer.ts';
import { checkNames } from '../jobs/readiness.ts';
import { runnerStates } from '../jobs/runner-process.ts';
import type { JobService } from '../jobs/service.ts';
import type { DatabaseObserver } from '../postgres/observer.ts';
import type { ObserveStore } from '../storage/observed-store.ts';
import type { ObserveS3 } from '../storage/s3-transport.ts';
import type { ExportObserver } from '../tracing/otlp-exporter.ts';

const JOB_SECONDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];
const HTTP_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 30, 120];
const DATABASE_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 20];
const STORE_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];
/** Time that a scrape waits for the database; Prometheus itself waits 10 s by default. */
const PATIENCE_MS = 3000;

export interface ProcessFacts {
  readonly version: string;
  readonly role: string;
  /** Number of runner processes by the settings. */
  readonly runners: number;
}

export class Metrics implements JobObserver, ExportObserver {
  readonly #registry = new Registry();
  readonly #jobs = this.#counter(
    'geomill_jobs_total',
    'Jobs that ended in this process, by final state and pair of formats.',
    ['state', 'input_format', 'output_format'],
  );
  readonly #waited = this.#histogram(
    'geomill_job_wait_seconds',
    'Time from submission to the begin of the last attempt.',
    JOB_SECONDS,
  );
  readonly #ran = this.#histogram(
    'geomill_job_duration_seconds',
    'Time of the last attempt at a job.',
    JOB_SECONDS,
    ['input_format', 'output_format'],
  );
  readonly #claims = this.#histogram(
    'geomill_claim_duration_seconds',
    'Claims of jobs, by result: job, or none if no job waited or another process was faster.',
    DATABASE_SECONDS,
    ['result'],
  );
  readonly #attempts = this.#counter(
    'geomill_attempts_total',
    'Attempts at jobs that ended in this process.',
    ['outcome'],
  );
  readonly #takenUp = this.#counter(
    'geomill_jobs_taken_up_total',
    'Jobs of dead workers that this process queued again, or failed after their last attempt.',
    ['result'],
  );
  readonly #inputBytes = this.#counter(
    'geomill_input_bytes_total',
    'Bytes of the inputs of jobs that ended.',
    ['input_format'],
  );
  readonly #outputBytes = this.#counter(
    'geomill_output_bytes_total',
    'Bytes of the outputs that jobs made.',
    ['output_format'],
  );
  readonly #parts = this.#counter(
    'geomill_parts_total',
    'Parts of divided jobs that this process ran for other workers.',
  );
  readonly #sentBytes = this.#counter('geomill_sent_bytes_total', 'Bytes of outputs that clients asked for.');
  readonly #uploadedBytes = this.#counter('geomill_upload_bytes_total', 'Bytes of uploads that were stored.');
  readonly #runnerDeaths = this.#counter(
    'geomill_runner_restarts_total',
    'Runner processes that were replaced, by cause.',
    ['cause'],
  );
  readonly #swept = this.#counter('geomill_swept_total', 'What sweeps removed, by kind.', ['kind']);
  readonly #sweeps = this.#counter('geomill_sweeps_total', 'Sweeps of expired and orphaned files.', [
    'outcome',
  ]);
  readonly #sweptAt = this.#gauge(
    'geomill_last_sweep_timestamp_seconds',
    'End of the last successful sweep.',
  );
  readonly #requests = this.#histogram(
    'geomill_http_request_duration_seconds',
    'Time from the first byte of a request to the last of its answer.',
    HTTP_SECONDS,
    ['method', 'route', 'status'],
  );
  readonly #storeTime = this.#histogram(
    'geomill_store_operation_duration_seconds',
    'Operations of the store, with all repetitions.',
    STORE_SECONDS,
    ['operation', 'outcome'],
  );
  readonly #s3Time = this.#histogram(
    'geomill_s3_request_duration_seconds',
    'Requests to the S3 server until the head of the response, each repetition counted.',
    STORE_SECONDS,
    ['method', 'status'],
  );
  readonly #statements = this.#histogram(
    'geomill_database_query_duration_seconds',
    'Statements in PostgreSQL.',
    DATABASE_SECONDS,
    ['outcome'],
  );
  readonly #connected = this.#histogram(
    'geomill_database_connection_wait_seconds',
    'Time until a connection of the pool was free.',
    DATABASE_SECONDS,
  );
  readonly #connections = this.#gauge('geomill_database_connections', 'Connections of the pool.', ['state']);
  readonly #waiters = this.#gauge(
    'geomill_database_waiting',
    'Callers that wait for a connection of the pool.',
  );
  readonly #notifications = this.#counter('geomill_notifications_received_total', 'Messages of NOTIFY.');
  readonly #reconnects = this.#counter(
    'geomill_notification_connects_total',
    'Connections for NOTIFY that were opened; more than one: it was lost.',
  );
  readonly #isListening = this.#gauge('geomill_notifications_connected', '1 while NOTIFY is received.');

  readonly #spans = this.#counter('geomill_trace_spans_exported_total', 'Spans that the collector took.');
  readonly #lostSpans = this.#counter(
    'geomill_trace_spans_dropped_total',
    'Spans that were not delivered to the collector.',
    ['reason'],
  );

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    // Series that exist from the start: a rate needs a value before the first event.
    for (const outcome of attemptOutcomes) this.#attempts.inc({ outcome }, 0);
    for (const result of ['requeued', 'failed']) this.#takenUp.inc({ result }, 0);
    for (const kind of sweptKinds) this.#swept.inc({ kind }, 0);
    for (const outcome of ['ok', 'failed']) this.#sweeps.inc({ outcome }, 0);
  }

  /** Adds the metrics that are read from the service at each scrape. A value that cannot be read in time is NaN. */
  watch(service: JobService, { version, role, runners }: ProcessFacts): void {
    this.#gauge('geomill_info', 'Always 1.', ['version', 'role']).set({ version, role }, 1);
    this.#gauge('geomill_runners_configured', 'Runner processes that this process should have.').set(runners);
    const queued = this.#gauge('geomill_queue_length', 'Jobs that wait, of the whole service.');
    const queueRunning = this.#gauge('geomill_queue_running', 'Jobs that run, of the whole service.');
    const oldest = this.#gauge(
      'geomill_queue_oldest_age_seconds',
      'Time since the submission of the oldest of the jobs that are next of their accounts; 0: none waits.',
    );
    const uploads = this.#gauge('geomill_uploads', 'Uploads that are kept, complete or not.');
    const running = this.#gauge('geomill_jobs_running', 'Jobs that run in this process.');
    const alive = this.#gauge('geomill_runners', 'Runner processes, by state.', ['state']);
    const ready = this.#gauge('geomill_ready', '1 while /readyz answers 200.');
    const failing = this.#gauge('geomill_check_failing', '1 while a check of /readyz fails.', ['check']);
    this.#beforeScrape = async () => {
      running.set(service.runningCount);
      const states = [...service.runners].map(({ state }) => state);
      for (const state of runnerStates) alive.set({ state }, states.filter((one) => one === state).length);
      const [facts, uploadCount, failed] = await Promise.all([
        known(service.queueFacts()),
        known(service.uploads.count()),
        known(service.failedChecks()),
      ]);
      queued.set(facts?.waiting ?? Number.NaN);
      queueRunning.set(facts?.running ?? Number.NaN);
      oldest.set(facts === null ? Number.NaN : ageSeconds(facts.oldestAt));
      uploads.set(uploadCount ?? Number.NaN);
      ready.set(failed?.length === 0 ? 1 : 0);
      for (const check of checkNames)
        failing.set({ check }, failed?.some(({ name }) => name === check) ? 1 : 0);
    };
  }

  readonly store: ObserveStore = (operation, outcome, ms) =>
    this.#storeTime.observe({ operation, outcome }, ms / 1000);

  readonly s3: ObserveS3 = (method, status, ms) =>
    this.#s3Time.observe({ method, status: status === null ? 'none' : String(status) }, ms / 1000);

  readonly database: DatabaseObserver = {
    opened: (read) => {
      this.#readPool = () => {
        const { busy, idle, waiting } = read();
        this.#connections.set({ state: 'busy' }, busy);
        this.#connections.set({ state: 'idle' }, idle);
        this.#waiters.set(waiting);
      };
    },
    connected: (ms) => this.#connected.observe(ms / 1000),
    queried: (ms, outcome) => this.#statements.observe({ outcome }, ms / 1000),
    listening: (isListening) => {
      this.#isListening.set(isListening ? 1 : 0);
      if (isListening) this.#reconnects.inc();
    },
    notified: () => this.#notifications.inc(),
  };

  #beforeScrape: () => Promise<void> = async () => {};
  #readPool: () => void = () => {};

  jobEnded(job: JobSummary, state: JobState, waitedMs: number, ranMs: number, outputBytes: number): void {
    const input_format = job.inputFormat;
    const output_format = job.outputFormat ?? 'none';
    this.#jobs.inc({ state, input_format, output_format });
    this.#waited.observe(waitedMs / 1000);
    this.#ran.observe({ input_format, output_format }, ranMs / 1000);
    for (const { byteLength } of job.inputs) this.#inputBytes.inc({ input_format }, byteLength ?? 0);
    this.#outputBytes.inc({ output_format }, outputBytes);
  }

  claimed(isFound: boolean, ms: number): void {
    this.#claims.observe({ result: isFound ? 'job' : 'none' }, ms / 1000);
  }

  attemptEnded(outcome: AttemptOutcome): void {
    this.#attempts.inc({ outcome });
  }

  takenUp(requeued: number, failed: number): void {
    this.#takenUp.inc({ result: 'requeued' }, requeued);
    this.#takenUp.inc({ result: 'failed' }, failed);
  }

  partRan(): void {
    this.#parts.inc();
  }

  runnerDied(cause: string): void {
    this.#runnerDeaths.inc({ cause });
  }

  swept(removed: Swept | null): void {
    this.#sweeps.inc({ outcome: removed === null ? 'failed' : 'ok' });
    if (removed === null) return;
    this.#sweptAt.set(Date.now() / 1000);
    for (const kind of sweptKinds) this.#swept.inc({ kind }, removed[kind]);
  }

  spansExported(count: number): void {
    this.#spans.inc(count);
  }

  spansDropped(reason: string, count: number): void {
    this.#lostSpans.inc({ reason }, count);
  }

  uploadStored(byteLength: number): void {
    this.#uploadedBytes.inc(byteLength);
  }

  outputSent(byteLength: number): void {
    this.#sentBytes.inc(byteLength);
  }

  requestDone(method: string, route: string, status: number, ms: number): void {
    this.#requests.observe({ method, route, status }, ms / 1000);
  }

  get mediaType(): string {
    return this.#registry.contentType;
  }

  /** Resolves within some seconds, also while the database does not answer. */
  async text(): Promise<string> {
    this.#readPool();
    await this.#beforeScrape();
    return this.#registry.metrics();
  }

  #counter<Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #gauge<Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] });
  }

  #histogram<Label extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: readonly Label[] = [],
  ) {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.#registry] });
  }
}

/** Null: it failed, or is not known in time. */
async function known<Value>(value: Promise<Value>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), PATIENCE_MS);
  });
  try {
    return await Promise.race([value, timeout]);
  } catch {
    // geomill_ready and geomill_check_failing say why.
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** The clock may have been set back since then. */
function ageSeconds(at: number | null): number {
  return at === null ? 0 : Math.max(0, Date.now() - at) / 1000;
}
