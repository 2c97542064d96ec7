/** Metrics in Prometheus' text format; docs/operate.md describes each of them. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { JobObserver } from '../jobs/attempt.ts';
import type { JobState, JobSummary } from '../jobs/job.ts';
import type { JobService } from '../jobs/service.ts';

const JOB_SECONDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];
const HTTP_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 30, 120];

export class Metrics implements JobObserver {
  readonly #registry = new Registry();
  readonly #jobs: Counter<'state' | 'input_format' | 'output_format'>;
  readonly #waited: Histogram;
  readonly #ran: Histogram<'input_format' | 'output_format'>;
  readonly #inputBytes: Counter<'input_format'>;
  readonly #outputBytes: Counter<'output_format'>;
  readonly #sentBytes: Counter;
  readonly #uploadedBytes: Counter;
  readonly #runnerDeaths: Counter<'cause'>;
  readonly #requests: Histogram<'method' | 'route' | 'status'>;

  constructor() {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#jobs = new Counter({
      name: 'geomill_jobs_total',
      help: 'Jobs that ended, by final state and pair of formats.',
      labelNames: ['state', 'input_format', 'output_format'],
      registers,
    });
    this.#waited = new Histogram({
      name: 'geomill_job_wait_seconds',
      help: 'Time from submission to the begin of the last attempt.',
      buckets: JOB_SECONDS,
      registers,
    });
    this.#ran = new Histogram({
      name: 'geomill_job_duration_seconds',
      help: 'Time of the last attempt at a job.',
      labelNames: ['input_format', 'output_format'],
      buckets: JOB_SECONDS,
      registers,
    });
    this.#inputBytes = new Counter({
      name: 'geomill_input_bytes_total',
      help: 'Bytes of the inputs of jobs that ended.',
      labelNames: ['input_format'],
      registers,
    });
    this.#outputBytes = new Counter({
      name: 'geomill_output_bytes_total',
      help: 'Bytes of the outputs that jobs made.',
      labelNames: ['output_format'],
      registers,
    });
    this.#sentBytes = new Counter({
      name: 'geomill_sent_bytes_total',
      help: 'Bytes of outputs that clients asked for.',
      registers,
    });
    this.#uploadedBytes = new Counter({
      name: 'geomill_upload_bytes_total',
      help: 'Bytes of uploads that were stored.',
      registers,
    });
    this.#runnerDeaths = new Counter({
      name: 'geomill_runner_restarts_total',
      help: 'Runner processes that were replaced, by cause.',
      labelNames: ['cause'],
      registers,
    });
    this.#requests = new Histogram({
      name: 'geomill_http_request_duration_seconds',
      help: 'Time from the first byte of a request to the last of its answer.',
      labelNames: ['method', 'route', 'status'],
      buckets: HTTP_SECONDS,
      registers,
    });
  }

  /** Adds the metrics that are read from the service at each scrape. */
  watch(service: JobService): void {
    const registers = [this.#registry];
    const gauge = (name: string, help: string, read: () => number | Promise<number>): void => {
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          this.set(await read());
        },
      });
    };
    gauge('geomill_queue_length', 'Jobs that wait.', () => service.queueLength());
    gauge('geomill_jobs_running', 'Jobs that run.', () => service.runningCount);
    gauge('geomill_uploads', 'Uploads that are kept, complete or not.', () => service.uploads.count());
    gauge('geomill_runners', 'Runner processes that are alive.', () => service.runners.size);
  }

  jobEnded(job: JobSummary, state: JobState, waitedMs: number, ranMs: number, outputBytes: number): void {
    const input_format = job.inputFormat;
    const output_format = job.outputFormat ?? 'none';
    this.#jobs.inc({ state, input_format, output_format });
    this.#waited.observe(waitedMs / 1000);
    this.#ran.observe({ input_format, output_format }, ranMs / 1000);
    for (const { byteLength } of job.inputs) this.#inputBytes.inc({ input_format }, byteLength ?? 0);
    this.#outputBytes.inc({ output_format }, outputBytes);
  }

  runnerDied(cause: string): void {
    this.#runnerDeaths.inc({ cause });
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

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
