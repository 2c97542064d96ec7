/** How a conversion is watched, ended, and run by more threads or processes. */
import type { CrsMemory } from './crs-service.ts';
import type { Division } from './division/division.ts';
import type { Progress } from './report.ts';
import type { ThreadSource } from './threads.ts';

export interface ConversionControl {
  readonly signal: AbortSignal;
  onProgress(progress: Progress): void;
  /** Source of threads for large conversions. Default: new threads. */
  readonly threads?: ThreadSource;
  /** Default: PROJ is asked every time. */
  readonly crsMemory?: CrsMemory;
  /** Where other processes can run parts of the conversion; used where it can be divided. Default: nowhere. */
  readonly division?: Division;
  /** Gets the names of the files of a split output before any is written; what it throws fails the conversion. */
  onFiles?(names: readonly string[]): void;
}
