/** Reads workbooks: the rows of a sheet in partitions. */
import type { FormatReader, Partition, PartitionRead, PartitionRequest, SourceLayer } from '../reader.ts';
import { readTable } from '../tables/partition-reader.ts';
import { sheetMessages } from './messages.ts';
import { openXlsx, type SheetState } from './open.ts';
import { type PieceTask, readPiece } from './sheet-piece.ts';

export const reader: FormatReader = {
  typing: 'declared',
  mixedType: 'string',
  ids: 'none',
  excerpts: { boundaries: 'guessed', countFeatures: () => null },
  open: openXlsx,

  work(payload: unknown) {
    const piece = readPiece(payload as PieceTask);
    return { result: piece, transfer: [piece.text.buffer] };
  },

  readPartition(layer: SourceLayer, partition: Partition, request: PartitionRequest): PartitionRead {
    const { sheet, table } = layer.state as SheetState;
    const fields = request.fields ?? layer.fields;
    return readTable(table, partition, { ...request, fields }, sheetMessages(sheet));
  },
};
