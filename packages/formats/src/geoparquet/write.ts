/** Writes GeoParquet 1.1 or 2.0: see docs/formats/geoparquet.md for the rules. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { EncodedChunk, FormatWriter, LayerEncoding, OutputLayer, WriteContext } from '../writer.ts';
import { schemaText } from './schema-key.ts';
import { encodeBatch } from './write/encode.ts';
import { type ParquetPlan, planLayer } from './write/plan.ts';
import { ParquetSink } from './write/sink.ts';

export const writer: FormatWriter = {
  needs: 'fields',
  plan: (layers: readonly OutputLayer[], context: WriteContext): readonly LayerEncoding[] =>
    layers.map((layer) => {
      const { fields } = layer;
      if (fields === null)
        throw failure(generalErrors.INTERNAL, { reason: 'the GeoParquet writer got no fields' });
      const state = planLayer(layer, fields, context);
      return { fields, state, sinkState: schemaText(fields, state.columns, layer.facts) };
    }),
  encode: (batch: FeatureBatch, encoding: LayerEncoding): EncodedChunk =>
    encodeBatch(batch, encoding.state as ParquetPlan),
  createSink(path, encodings, context) {
    const [encoding] = encodings;
    if (encodings.length !== 1)
      throw failure(generalErrors.INTERNAL, { reason: 'a GeoParquet file has one layer' });
    return new ParquetSink(path, encoding.state as ParquetPlan, encoding.sinkState as string | null, context);
  },
};
