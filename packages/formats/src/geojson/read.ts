/** Reads GeoJSON (RFC 7946), newline-delimited GeoJSON, GeoJSON text sequences (RFC 8142) and JSON-FG (OGC 21-045r1) in partitions. */
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
import { FeatureParser } from './feature-parser.ts';
import { nameInTail, readHead } from './head.ts';
import { JsonFgFeatureParser } from './json-fg/feature-parser.ts';
import { hasTraces, openJsonFg } from './json-fg/open.ts';
import { PartitionReader, type ReadState } from './partition-reader.ts';
import { cutSource } from './partitions.ts';
import type { BatchParser } from './text-parser.ts';

export const reader: FormatReader = {
  typing: 'value',
  mixedType: 'json',
  ids: 'data',

  excerpts: { boundaries: 'guessed', countFeatures: () => null },

  async open(file: InputFile, context: OpenContext): Promise<readonly SourceLayer[]> {
    using source = openFileSource(file.path);
    const head = readHead(source, file.name);
    const { members } = head;
    const state: ReadState = {
      path: file.path,
      fileName: file.name,
      mode: head.mode,
      firstStart: head.firstStart,
      type: members.type,
      jsonFg: null,
    };
    const layers = hasTraces(source) ? await openJsonFg(source, head, file, state, context) : null;
    if (layers !== null) return layers;
    members.note(context.findings);
    let name = members.name;
    if (name === null && head.mode === 'collection') name = nameInTail(source, head, file.name);
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
    const { jsonFg } = state;
    const reading = new PartitionReader<BatchParser>(
      source,
      state,
      partition,
      (members) => {
        // Of a JSON-FG document they were noted when it was opened.
        if (jsonFg === null) members.note(findings);
      },
      (scanner) =>
        jsonFg === null
          ? new FeatureParser(scanner, layer.name, request.limits, findings, partition)
          : new JsonFgFeatureParser(scanner, jsonFg, request.limits, findings),
    );
    const nextStart = reading.read();
    const batch = reading.parser.finish(request.fields);
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
