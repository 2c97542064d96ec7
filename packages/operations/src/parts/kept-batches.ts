/** Batches in their order: the first ones in memory, the others in a store. */
import { batchByteLength, type FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { BatchStore, StoredBatch } from '../transformation.ts';

const MEMORY_BYTES = 32 << 20;

export class KeptBatches {
  readonly #store: BatchStore;
  readonly #kept: (FeatureBatch | StoredBatch)[] = [];
  #bytes = 0;

  constructor(store: BatchStore) {
    this.#store = store;
  }

  add(batch: FeatureBatch): void {
    if (batch.rowCount === 0) return;
    this.#bytes += batchByteLength(batch);
    this.#kept.push(this.#bytes <= MEMORY_BYTES ? batch : this.#store.store(batch));
  }

  all(): readonly (FeatureBatch | StoredBatch)[] {
    return this.#kept;
  }
}
