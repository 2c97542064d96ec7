/** State that the layers of a conversion share. */
import type { Findings } from '@geomill/core/messages/findings.ts';
import type { FormatReader } from '@geomill/formats/reader.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import type { BatchStore } from '@geomill/operations/transformation.ts';
import type { LoadedStep } from './conversion-plan.ts';
import type { Executor } from './executor.ts';
import type { GeometrySpool } from './geometry-spool.ts';
import type { ProgressMeter } from './progress.ts';
import type { SplitValues } from './split-parts.ts';
import type { TransformSetting } from './task.ts';

/** Maximum bytes of batches kept between passes; features beyond it are read again. */
export const KEPT_BYTES = 160 << 20;
/** Maximum bytes of coordinates in memory during a collecting step. */
export const GEOMETRY_BYTES = 32 << 20;

export interface LayerContext {
  /** A value that contradicts its declaration stops the conversion, which restarts without that declaration. */
  readonly trustsDeclarations: boolean;
  readonly reader: Pick<FormatReader, 'typing' | 'mixedType' | 'ids' | 'excerpts'>;
  readonly steps: readonly LoadedStep[];
  readonly executor: Executor;
  readonly findings: Findings;
  /** Findings list the features that they concern, with their places. */
  readonly locatesFindings: boolean;
  readonly signal: AbortSignal;
  readonly progress: ProgressMeter;
  readonly transforming: TransformSetting;
  readonly limits: InputLimits;
  /** The values by which the output is split; null: it is not. */
  readonly split: SplitValues | null;
  /** Features that do not fit in memory after a serial step. */
  readonly store: BatchStore;
  /** Coordinates that do not fit in memory during a collecting step. */
  readonly geometry: GeometrySpool;
  /** Bytes of the batches that all layers keep. */
  keptBytes: number;
}

/** Bytes of the result of a serial or collecting step that stay in memory. */
export const RESULT_BYTES = KEPT_BYTES / 4;
