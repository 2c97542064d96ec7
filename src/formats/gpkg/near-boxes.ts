/** Finds the partitions of a layer that can have features in boxes. */
import type { Bounds } from '../../batch/bounds.ts';
import { UntrustedDatabase } from '../../engines/sqlite/untrusted-database.ts';
import type { SourceLayer } from '../format.ts';
import type { GpkgState } from './open.ts';
import { joinRuns } from './page-partitions.ts';
import { visitRowsNear } from './rtree-read.ts';

/** Keys from here on are not exact as numbers. */
const LARGEST_EXACT = 2n ** 53n;
/** Only the nodes of the index are read. */
const MAPPED_BYTES = 256 << 20;

/** As `partitionsNear` of ExcerptRules. */
export function partitionsNear(
  { featureCount, state: stated }: SourceLayer,
  boxes: readonly Readonly<Bounds>[],
): Uint8Array | null {
  const state = stated as GpkgState;
  // Without pages the rows that were counted may not be those that are read.
  const { path, source, lastKeys, runs, table, geometry } = state;
  if (
    geometry === null ||
    runs === null ||
    lastKeys === null ||
    lastKeys.length === 0 ||
    featureCount === null
  )
    return null;
  if (lastKeys.some((key) => key > LARGEST_EXACT || key < -LARGEST_EXACT)) return null;
  const ends = Float64Array.from(lastKeys, Number);
  const isNear = new Uint8Array(ends.length);
  const database = new UntrustedDatabase(path, { source, mappedBytes: MAPPED_BYTES });
  try {
    const isUsable = visitRowsNear(database, { table, geometry, rowCount: featureCount }, boxes, (key) => {
      isNear[partitionOf(key, ends)] = 1;
    });
    return isUsable ? isNear : null;
  } finally {
    database.close();
  }
}

/** As `joinPartitions` of ExcerptRules. */
export function joinPartitions(
  layer: SourceLayer,
  isWanted: Uint8Array,
  partitionBytes: number,
): SourceLayer | null {
  const state = layer.state as GpkgState;
  if (state.runs === null || state.lastKeys === null) return null;
  const joined = joinRuns(state.runs, state.lastKeys, isWanted, partitionBytes);
  if (joined === null) return null;
  const { partitions, lastKeys, runs } = joined;
  return {
    ...layer,
    partitions: partitions.map((partition) => ({ ...partition, featuresBefore: null })),
    state: { ...state, lastKeys, runs },
  };
}

/** Number of the first partition whose last key is not less than the key; of the last one for keys after all of them. */
function partitionOf(key: number, ends: Float64Array): number {
  let low = 0;
  let high = ends.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
