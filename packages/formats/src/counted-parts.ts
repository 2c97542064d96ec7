/** Parts of a text file that have consecutive features of one layer: start and end in bytes, and number of features of each. */
import type { ExcerptRules, Partition, SourceLayer } from './reader.ts';

/** Numbers of a part in the list. */
export const PART_STRIDE = 3;

/** Partitions of parts, which count from 0. */
export function partitionsOf(parts: readonly number[], partitionBytes: number): Partition[] {
  const partitions: Partition[] = [];
  const count = parts.length / PART_STRIDE;
  let start = 0;
  let bytes = 0;
  for (let i = 0; i < count; i++) {
    bytes += parts[i * PART_STRIDE + 1] - parts[i * PART_STRIDE];
    if (bytes < partitionBytes && i + 1 < count) continue;
    partitions.push({ start, end: i + 1 });
    start = i + 1;
    bytes = 0;
  }
  return partitions.length > 0 ? partitions : [{ start: 0, end: 0 }];
}

/** For layers whose state has `parts`. */
export const countedParts: ExcerptRules = {
  boundaries: 'known',
  countFeatures({ state }: SourceLayer, { start, end }: Partition): number {
    const { parts } = state as { readonly parts: Float64Array };
    let count = 0;
    for (let part = start; part < end; part++) count += parts[part * PART_STRIDE + 2];
    return count;
  },
};
