/** Messages between a service and its runner processes, over a channel of process-channel.ts. */
import type { PlainError } from '@geomill/core/messages/errors.ts';
import type { Offer } from '@geomill/pipeline/division/division.ts';
import type { PartOrder } from '@geomill/pipeline/division/run-part.ts';
import type { JobReport, Progress } from '@geomill/pipeline/report.ts';
import type { ConversionPaths, JobRequest } from '@geomill/pipeline/request.ts';

export interface RunnerTask {
  readonly request: JobRequest;
  readonly paths: ConversionPaths;
  /** Other processes can run parts of it; then all paths are relative to the slot. */
  readonly division?: { readonly partBytes: number };
}

export type ToRunner =
  | { readonly type: 'run'; readonly task: RunnerTask }
  /** Run a part of a job of another runner. */
  | { readonly type: 'part'; readonly order: PartOrder }
  /** Run this part of your own job. */
  | { readonly type: 'own'; readonly number: number }
  /** Another runner has run this part of your job. */
  | { readonly type: 'result'; readonly number: number; readonly path: string }
  /** Load and run the code that jobs need, in this directory; only sent to an idle runner. */
  | { readonly type: 'warm'; readonly directory: string };

export type FromRunner =
  /** Its code is loaded; it accepts a task. */
  | { readonly type: 'loaded' }
  | { readonly type: 'warmed' }
  | { readonly type: 'progress'; readonly progress: Progress }
  /** Parts of its job that other runners can run. */
  | { readonly type: 'offer'; readonly offer: Offer }
  /** The parts that it offered are not needed any more. */
  | { readonly type: 'withdraw' }
  /** It could run one of the parts that it offered. */
  | { readonly type: 'free' }
  /** The results of the part are in the file. */
  | { readonly type: 'part-done' }
  /**
   * The output is at `paths.outputPath`, and after it, in the same file, `findingsBytes` of findings with places. Its bytes
   * need not be durable: the permission model forbids fsync.
   */
  | { readonly type: 'done'; readonly report: JobReport; readonly findingsBytes?: number }
  /** `log`: details for the operator. */
  | { readonly type: 'failed'; readonly error: PlainError; readonly log: string | null };
