/** Reads EsriJSON in partitions. */
import { MisfitList } from '@geomill/core/columns/misfits.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { openFileSource } from '@geomill/io/byte-source.ts';
import { assumedDegrees } from '../assumed-degrees.ts';
import type { FormatReader, Partition, PartitionRead, PartitionRequest, SourceLayer } from '../reader.ts';
import { layerFields } from './fields.ts';
import { openEsriJson } from './open.ts';
import { PartitionReader } from './partition-reader.ts';
import type { LayerState } from './state.ts';

const DEGREES = 'its coordinates can be longitudes and latitudes';

export const reader: FormatReader = {
  typing: 'declared',
  mixedType: 'json',
  ids: 'none',
  excerpts: { boundaries: 'guessed', countFeatures: () => null },

  async open(file, context) {
    return openEsriJson(file, context).map((layer) => {
      if (layer.crs !== null) return layer;
      const { isTable } = layer.state as LayerState;
      const assumed = assumedDegrees(layer, reader, context.limits, { reason: DEGREES, isTable });
      return { ...layer, assumedCrs: assumed };
    });
  },

  readPartition(layer: SourceLayer, partition: Partition, request: PartitionRequest): PartitionRead {
    const state = layer.state as LayerState;
    using source = openFileSource(state.path);
    const findings = new Findings();
    const misfits = new MisfitList();
    const reading = new PartitionReader(source, layer.name, state, partition, request.limits, findings);
    const nextStart = reading.read();
    const batch = reading.finish(request.fields, misfits);
    if (batch.rowCount > request.limits.features)
      throw failure(generalErrors.LIMIT_EXCEEDED, {
        what: 'the number of features',
        actual: batch.rowCount,
        limit: request.limits.features,
        setting: 'MAX_FEATURES',
      });
    return {
      batch,
      nextStart,
      recordCount: batch.rowCount,
      lineCount: 0,
      findings: findings.found(),
      misfits: misfits.list(),
    };
  },

  /** Their values have their own types, and so do those of fields that the layer does not declare. */
  undeclare(layer: SourceLayer, names: ReadonlySet<string>): SourceLayer {
    const state = layer.state as LayerState;
    const declared = state.fields ?? [];
    const known = new Set(declared.map(({ name }) => name));
    const fields = [
      ...declared.map((field) => (names.has(field.name) ? { ...field, type: null } : field)),
      ...[...names]
        .filter((name) => !known.has(name))
        .map((name) => ({ name, type: null, form: 'value', declared: 'nothing', names: null }) as const),
    ];
    return { ...layer, fields: layerFields(fields), state: { ...state, fields } };
  },
};
