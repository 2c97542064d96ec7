/** Messages between a service and its runner processes, over a channel of process-channel.ts. */
import type { PlainError } from '../errors.ts';
import type { JobReport, Progress } from '../pipeline/report.ts';
import type { ConversionPaths, JobRequest } from '../pipeline/request.ts';

export interface RunnerTask {
  readonly request: JobRequest;
  readonly paths: ConversionPaths;
}

export type ToRunner =
  | { readonly type: 'run'; readonly task: RunnerTask }
  /** Load and run the code that jobs need, in this directory; only sent to an idle runner. */
  | { readonly type: 'warm'; readonly directory: string };

export type FromRunner =
  /** Its code is loaded; it accepts a task. */
  | { readonly type: 'loaded' }
  | { readonly type: 'warmed' }
  | { readonly type: 'progress'; readonly progress: Progress }
  /**
   * The output is at `paths.outputPath`, and after it, in the same file, `findingsBytes` of findings with places. Its bytes
   * need not be durable: the permission model forbids fsync.
   */
  | { readonly type: 'done'; readonly report: JobReport; readonly findingsBytes?: number }
  /** `log`: details for the operator. */
  | { readonly type: 'failed'; readonly error: PlainError; readonly log: string | null };
