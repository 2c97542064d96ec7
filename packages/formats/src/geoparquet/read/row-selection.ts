/** Which row groups can have features that a filter keeps, by their boxes and the statistics of their columns. */
import { mayMeet, type NearBoxes } from '@geomill/core/columns/near-boxes.ts';
import type { WantedValues } from '@geomill/core/columns/wanted-values.ts';
import { openFileSource } from '@geomill/io/byte-source.ts';
import type { FeatureSelection, SourceLayer } from '../../reader.ts';
import { withFaults } from '../fault.ts';
import { readMetadata } from './metadata.ts';
import { cutRows } from './open.ts';
import { groupOf, readRowGroups } from './row-groups.ts';
import { leavesOf, schemaTree } from './schema.ts';
import type { ParquetState } from './state.ts';
import { valueTestsFor } from './value-tests.ts';

/** For each partition of the layer 1 or 0; null: no row group has a box. */
export function partitionsNear({ partitions, state }: SourceLayer, near: NearBoxes): Uint8Array | null {
  const { firstRows } = (state as ParquetState).groups;
  const isNear = groupsNear(state as ParquetState, near);
  if (isNear === null) return null;
  return Uint8Array.from(partitions, ({ start, end }) => {
    const last = groupOf(firstRows, end - 1);
    return isNear.subarray(groupOf(firstRows, start), last + 1).includes(1) ? 1 : 0;
  });
}

/** As `selectFeatures` of ExcerptRules: all rows of the row groups that may have such features. */
export function selectFeatures(
  layer: SourceLayer,
  { near, values }: FeatureSelection,
  partitionBytes: number,
): SourceLayer | null {
  const state = layer.state as ParquetState;
  const isNear = near === null ? null : groupsNear(state, near);
  const hasValues = groupsWith(state, values);
  const isWanted = new Uint8Array(state.groups.firstRows.length - 1).fill(1);
  for (const one of [isNear, hasValues])
    if (one !== null) for (const [group, bit] of one.entries()) isWanted[group] &= bit;
  if (!isWanted.includes(0)) return null;
  return {
    ...layer,
    partitions: cutRows(state.groups, partitionBytes, isWanted).map((partition) => ({
      ...partition,
      featuresBefore: partition.start,
    })),
    excerpt: {
      isSampled: false,
      isNearBox: isNear?.includes(0) === true,
      hasValues: hasValues?.includes(0) === true,
    },
  };
}

/** For each row group 1 or 0; null: none has a box. */
function groupsNear({ groups }: ParquetState, near: NearBoxes): Uint8Array | null {
  if (groups.boxes.every(Number.isNaN)) return null;
  return Uint8Array.from({ length: groups.boxes.length / 4 }, (_, group) => {
    const [minX, minY, maxX, maxY] = groups.boxes.subarray(group * 4, group * 4 + 4);
    return mayMeet(near, minX, minY, maxX, maxY) ? 1 : 0;
  });
}

/** For each row group 1 or 0; null: the values of no field can be compared with statistics. Throws INPUT_UNREADABLE. */
function groupsWith(state: ParquetState, wanted: readonly WantedValues[]): Uint8Array | null {
  const tests = valueTestsFor(state.fields, wanted);
  if (tests.length === 0) return null;
  const mayHave = new Uint8Array(state.groups.firstRows.length - 1).fill(1);
  using source = openFileSource(state.path);
  withFaults(state.source, () => {
    // The statistics of all columns would take more memory than the rest of the metadata: only those that are needed are read, now.
    const metadata = readMetadata(source);
    const leaves = leavesOf(schemaTree(metadata.elements));
    readRowGroups(metadata, leaves, { geometry: -1, box: null }, (group, leaf, statistics) => {
      for (const test of tests)
        if (test.leaf === leaf && metadata.isOrdered[leaf] === true && !test.mayHave(statistics))
          mayHave[group] = 0;
    });
  });
  return mayHave;
}
