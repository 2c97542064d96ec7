/** Finds the partitions of a layer that can have features in boxes. */
import type { Bounds } from '../../batch/bounds.ts';
import { UntrustedDatabase } from '../../engines/sqlite/untrusted-database.ts';
import type { SourceLayer } from '../format.ts';
import type { GpkgState } from './open.ts';
import { joinRuns } from './page-partitions.ts';
import { endsOfPartitions, partitionOf } from './partition-keys.ts';
import { visitRowsNear } from './rtree-read.ts';

/** Only the nodes of the index are read. */
const MAPPED_BYTES = 256 << 20;

/** As `partitionsNear` of ExcerptRules. */
export function partitionsNear(
  { featureCount, state: stated }: SourceLayer,
  boxes: readonly Readonly<Bounds>[],
): Uint8Array | null {
  const state = stated as GpkgState;
  const { path, source, table, geometry } = state;
  const ends = endsOfPartitions(state);
  if (ends === null || geometry === null || featureCount === null) return null;
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
