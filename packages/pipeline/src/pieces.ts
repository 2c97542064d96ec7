/** Pieces of a layer that are batches alone: what a step left, and nothing can read again. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { KeptBatches } from '@geomill/operations/parts/kept-batches.ts';
import type { PartitionBase } from './partition-run.ts';
import type { Piece } from './piece-run.ts';
import type { Kept } from './serial.ts';

const NO_BASE: PartitionBase = { records: 0, lines: 0, rows: 0 };

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
