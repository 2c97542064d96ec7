/** Reads GeoParquet into batches. A partition is a range of rows. */
import { openFileSource } from '@geomill/io/byte-source.ts';
import type { FormatReader, Partition, PartitionRead, PartitionRequest, SourceLayer } from '../reader.ts';
import { withFaults } from './fault.ts';
import { openParquet } from './read/open.ts';
import { readRows } from './read/read-rows.ts';
import { partitionsNear, selectFeatures } from './read/row-selection.ts';
import type { ParquetState } from './read/state.ts';

export const reader: FormatReader = {
  typing: 'declared',
  mixedType: 'string',
  ids: 'none',
  // Any range of rows is a partition.
  excerpts: {
    boundaries: 'known',
    countFeatures: (_, { start, end }) => end - start,
    partitionsNear,
    selectFeatures,
  },
  open: async (file, context) => openParquet(file, context),
  readPartition(layer: SourceLayer, partition: Partition, request: PartitionRequest): PartitionRead {
    const stated = layer.state as ParquetState;
    const state = request.fields?.length === 0 ? { ...stated, fields: [] } : stated;
    using source = openFileSource(state.path);
    return withFaults(state.source, () => readRows(source, state, partition, request.limits));
  },
  undeclare(layer: SourceLayer, names: ReadonlySet<string>): SourceLayer {
    const state = layer.state as ParquetState;
    const fields = state.fields.map((plan) =>
      names.has(plan.field.name) && plan.kind === 'scalar'
        ? { ...plan, field: { ...plan.field, type: 'string' as const } }
        : plan,
    );
    return { ...layer, fields: fields.map(({ field }) => field), state: { ...state, fields } };
  },
};
