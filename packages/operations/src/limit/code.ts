import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { KeptBatches } from '../parts/kept-batches.ts';
import { takeFeatures } from '../parts/take-geometry.ts';
import type { SerialTransformation } from '../transformation.ts';

export const code: SerialTransformation = {
  kind: 'serial',
  async begin(parameters, _setting, store) {
    const { count, offset = 0 } = parameters as { readonly count: number; readonly offset?: number };
    const kept = new KeptBatches(store);
    const end = offset + count;
    let seen = 0;
    return {
      add(batch) {
        const from = Math.max(0, offset - seen);
        const to = Math.min(batch.rowCount, end - seen);
        seen += batch.rowCount;
        if (from < to) kept.add(rowsFrom(batch, from, to));
      },
      isComplete: () => seen >= end,
      finish: () => kept.all(),
    };
  },
};

function rowsFrom(batch: FeatureBatch, from: number, to: number): FeatureBatch {
  if (from === 0 && to === batch.rowCount) return batch;
  return takeFeatures(
    batch,
    Uint32Array.from({ length: to - from }, (_, i) => from + i),
  );
}
