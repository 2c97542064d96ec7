/** What the main thread asks of a worker: one partition, or one batch that was kept, and what to do with it. */
import type { FeatureBatch } from '../batch/feature-batch.ts';
import type { Field } from '../batch/schema.ts';
import type { LayerStatistics } from '../batch/statistics.ts';
import type { OperationDescription } from '../engines/proj/operation-description.ts';
import type { TransformerRecipe } from '../engines/proj/proj.ts';
import type { PlainError } from '../errors.ts';
import type { Finding } from '../findings.ts';
import type { LayerEncoding, Partition, SourceLayer } from '../formats/format.ts';
import type { InputLimits } from '../io/limits.ts';

/** What every task of a conversion has in common; sent to each worker once. */
export interface Session {
  readonly inputFormat: string;
  /** Null when nothing is encoded. */
  readonly outputFormat: string | null;
  readonly layers: readonly SessionLayer[];
  readonly gridDirectory: string | null;
  readonly limits: InputLimits;
}

/** What a thread may load while the input is still being opened. */
export interface Expectation {
  readonly inputFormat: string;
  readonly outputFormat: string;
  /** Coordinates will probably change, so PROJ will be needed. */
  readonly reprojects: boolean;
  readonly gridDirectory: string | null;
}

export interface SessionLayer {
  readonly source: SourceLayer;
  /** Null when the coordinates stay as they are. */
  readonly reprojection: TransformerRecipe | null;
  /** Check positions against the range of longitude and latitude. */
  readonly checkLonLatRange: boolean;
  /** Value of the field that tells joined layers apart; null: no such field. */
  readonly layerField: { readonly name: string; readonly value: string } | null;
}

export interface Task {
  readonly layerIndex: number;
  /** Where the records come from: the source, or a batch that an earlier task returned (already reprojected). */
  readonly input:
    | { readonly kind: 'partition'; readonly partition: Partition; readonly fields: readonly Field[] | null }
    | { readonly kind: 'batch'; readonly batch: FeatureBatch };
  /** Statistics of the batch, at this depth; null: none. */
  readonly scan: 'fields' | 'all' | null;
  /** Return the batch itself. */
  readonly keepBatch: boolean;
  /** Encode the batch; null: don't. */
  readonly encoding: LayerEncoding | null;
}

export interface TaskResult {
  readonly rowCount: number;
  /** Fields of the batch as it was read. */
  readonly fields: readonly Field[];
  /** See PartitionRead; for a batch input all 0. */
  readonly nextStart: number;
  readonly recordCount: number;
  readonly lineCount: number;
  readonly readFindings: readonly Finding[];
  readonly encodeFindings: readonly Finding[];
  readonly statistics: LayerStatistics | null;
  readonly batch: FeatureBatch | null;
  readonly chunk: unknown;
  readonly positions: PositionCounts;
}

export interface PositionCounts {
  readonly total: number;
  /** The coordinate operations that a sample of the positions went through; PROJ chooses for each position. */
  readonly operations: readonly OperationDescription[];
  /** Outside the area of use of the source or target CRS. */
  readonly outsideArea: number;
  /** Outside the range of longitude and latitude; counted when the layer asks for the check. */
  readonly outOfRange: number;
  readonly firstOutOfRange: { readonly record: number; readonly x: number; readonly y: number } | null;
}

export type TaskOutcome =
  | { readonly result: TaskResult }
  | { readonly error: PlainError; readonly stack?: string };
