/** The pieces in which a layer is between its passes. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { OpenType } from '@geomill/core/columns/schema.ts';
import type { Partition } from '@geomill/formats/reader.ts';
import type { KeptBatches } from '@geomill/operations/parts/kept-batches.ts';
import type { StoredBatch } from '@geomill/operations/transformation.ts';
import type { PartitionBase } from './locations.ts';

/** A run of features: a partition, a batch in a file, or a batch that exists only in memory. */
export interface Piece {
  /** Position of its source; null: it has features of all sources, after a collecting step. */
  readonly source: number | null;
  /** The partition to read it from again; null: it cannot be read again. */
  readonly partition: Partition | null;
  /** The batch to load again. Default: the features are not in a file. */
  readonly stored?: StoredBatch;
  readonly base: PartitionBase;
  /** Number of features of the layer before it, at the begin of the current stage. Default: they were not counted. */
  readonly rowsBefore?: number;
  /** Inferred types of plain text in this piece, if the batch has them; null: the batch has the types of the layer. */
  readonly types: ReadonlyMap<string, OpenType> | null;
  /** Transferred to the task that processes it. */
  batch: FeatureBatch | null;
  /** The links of the current stage were applied to the batch. */
  readonly isTransformed: boolean;
}

/** A batch that a step left: in memory, or in the file of the context. */
export type Kept = { readonly batch: FeatureBatch } | { readonly stored: StoredBatch };

const NO_BASE: PartitionBase = { records: 0, lines: 0, rows: 0 };

/** A piece that is a batch alone, such as what a step left: nothing can read it again. */
export function pieceOf(batch: FeatureBatch | null): Piece {
  return { source: null, partition: null, base: NO_BASE, types: null, batch, isTransformed: false };
}

export function pieceOfKept(kept: Kept): Piece {
  return 'batch' in kept ? pieceOf(kept.batch) : { ...pieceOf(null), ...kept };
}

/** Each with the number of features before it, as the next step may number them. */
export function numberedPieces(kept: ReturnType<KeptBatches['all']>): Piece[] {
  let rowsBefore = 0;
  return kept.map((one): Piece => {
    // Rows of the source are not known any more.
    const base = { records: rowsBefore, lines: Number.NaN, rows: Number.NaN };
    const piece = 'shape' in one ? { ...pieceOf(null), stored: one } : pieceOf(one);
    const numbered = { ...piece, base, rowsBefore };
    rowsBefore += one.rowCount;
    return numbered;
  });
}
