/** Finds the partitions of a layer that can have features in boxes. */
import type { NearBoxes } from '@geomill/core/columns/near-boxes.ts';
import { UntrustedDatabase } from '@geomill/sqlite/untrusted-database.ts';
import type { SourceLayer } from '../reader.ts';
import { endsOfPartitions, partitionOf } from './partition-keys.ts';
import { visitRowsNear } from './rtree-read.ts';
import type { GpkgState } from './state.ts';

/** Only the nodes of the index are read. */
const MAPPED_BYTES = 256 << 20;

/** As `partitionsNear` of ExcerptRules. */
export function partitionsNear(
  { featureCount, state: stated }: SourceLayer,
  near: NearBoxes,
): Uint8Array | null {
  const state = stated as GpkgState;
  const { path, source, table, key, geometry } = state;
  const ends = endsOfPartitions(state);
  if (ends === null || key === null || geometry === null) return null;
  const isNear = new Uint8Array(ends.length);
  const database = new UntrustedDatabase(path, { source, mappedBytes: MAPPED_BYTES });
  try {
    const countRows = (): number | null => featureCount;
    const rowCount = visitRowsNear(database, { table, key, geometry, countRows }, near, (row) => {
      isNear[partitionOf(row, ends)] = 1;
    });
    return rowCount === null ? null : isNear;
  } finally {
    database.close();
  }
}
