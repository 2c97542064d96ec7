/** What the parts of the job service are made of and bounded by. */
import type { Timers } from '@geomill/core/timers.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import type { OutputFormat } from '@geomill/library/output-name.ts';
import type { JobRequest } from '@geomill/pipeline/request.ts';
import type { FileStore } from '../storage/store.ts';
import type { Tracer } from '../tracing/tracer.ts';
import type { FetchSettings } from './fetch-input.ts';
import type { JobLog, JobObserver } from './observer.ts';
import type { JobQueue } from './queue.ts';
import type { RunnerOptions } from './runner-command.ts';
import type { ScratchLimits } from './scratch-watch.ts';
import type { UploadSettings } from './uploads.ts';

export interface JobServiceOptions {
  readonly queue: JobQueue;
  readonly store: FileStore;
  readonly uploads: UploadSettings;
  readonly runner: RunnerOptions & { readonly count: number };
  readonly limits: InputLimits;
  readonly fetch: FetchSettings;
  readonly scratch: ScratchLimits;
  /** As ConversionPaths.timeMs. */
  readonly outputTimeMs?: number;
  readonly jobTimeoutMs: number;
  readonly maxAttempts: number;
  /** Where jobs can be divided: bytes of input from which they are, and of a part. Default: they are not. */
  readonly division?: { readonly fromBytes: number; readonly partBytes: number };
  readonly graceMs: number;
  readonly outputRetentionMs: number;
  readonly recordRetentionMs: number;
  /** Default: a minute. */
  readonly sweepIntervalMs?: number;
  /** Interval of the search for files without a job, and their minimum age. Default: an hour each. */
  readonly orphanSweepIntervalMs?: number;
  readonly orphanAgeMs?: number;
  /** Rejects if the directory of the runners' slots cannot be written. Absent: a test of the store tests the same disk. */
  readonly checkDisk?: () => Promise<void>;
  /** The output that a request asks for. */
  readonly outputFormat: (request: JobRequest) => OutputFormat;
  /** Whether clients ask this process for jobs. Default: true. */
  readonly answersRequests?: boolean;
  readonly log: JobLog;
  readonly observer?: JobObserver;
  /** Default: no traces. */
  readonly tracer?: Tracer;
  /** Time of the limits and sweeps of this service. Default: that of the platform. */
  readonly timers?: Timers;
}
