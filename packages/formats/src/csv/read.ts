/** Reads CSV in partitions. */
import type { FormatReader, Partition, PartitionRead, PartitionRequest, SourceLayer } from '../reader.ts';
import { readTable } from '../tables/partition-reader.ts';
import type { TableState } from '../tables/state.ts';
import { describeText } from './describe-text.ts';
import { csvMessages } from './messages.ts';
import { openCsv } from './open.ts';

export const reader: FormatReader = {
  typing: 'layer',
  mixedType: 'string',
  ids: 'none',
  excerpts: { boundaries: 'guessed', countFeatures: () => null },
  open: async (file, context) => openCsv(file, context),
  describeText: async (file, context) => describeText(file, context),
  readPartition: (layer: SourceLayer, partition: Partition, request: PartitionRequest): PartitionRead =>
    readTable(layer.state as TableState, partition, request, csvMessages),
};
