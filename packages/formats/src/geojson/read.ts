/** Reads GeoJSON (RFC 7946), newline-delimited GeoJSON and GeoJSON text sequences (RFC 8142) in partitions. */
import { failure } from '@geomill/core/messages/errors.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { openFileSource } from '@geomill/io/byte-source.ts';
import type {
  FormatReader,
  InputFile,
  OpenContext,
  Partition,
  PartitionRead,
  PartitionRequest,
  SourceLayer,
} from '../reader.ts';
import { nameInTail, readHead } from './head.ts';
import { PartitionReader, type ReadState } from './partition-reader.ts';
import { cutSource } from './partitions.ts';

export const reader: FormatReader = {
  typing: 'value',
  mixedType: 'json',
  ids: 'data',

  excerpts: { boundaries: 'guessed', countFeatures: () => null },

  async open(file: InputFile, context: OpenContext): Promise<readonly SourceLayer[]> {
    using source = openFileSource(file.path);
    const head = readHead(source, file.name);
    const { members } = head;
    members.note(context.findings);
    let name = members.name;
    if (name === null && head.mode === 'collection') name = nameInTail(source, head, file.name);
    const state: ReadState = {
      path: file.path,
      fileName: file.name,
      mode: head.mode,
      firstStart: head.firstStart,
      type: members.type,
    };
    return [
      {
        name: name !== null && name !== '' ? name : file.name.replace(/\.[^.]*$/, ''),
        fields: null,
        featureCount: null,
        crs: 'EPSG:4326',
        crsMissingReason: '',
        encoding: 'UTF-8',
        partitions: cutSource(source, head, context.partitionBytes),
        state,
      },
    ];
  },

  readPartition(layer: SourceLayer, partition: Partition, request: PartitionRequest): PartitionRead {
    const state = layer.state as ReadState;
    using source = openFileSource(state.path);
    const findings = new Findings();
    const reading = new PartitionReader(source, layer.name, state, partition, request.limits, findings);
    const nextStart = reading.read();
    const batch = reading.finish(request.fields);
    if (batch.rowCount > request.limits.features)
      throw failure(generalErrors.LIMIT_EXCEEDED, {
        what: 'the number of features',
        actual: batch.rowCount,
        limit: request.limits.features,
        setting: 'MAX_FEATURES',
      });
    return { batch, nextStart, recordCount: batch.rowCount, lineCount: 0, findings: findings.found() };
  },
};
