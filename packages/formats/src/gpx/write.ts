/** Writes GPX 1.1: see docs/formats/gpx.md for the rules. */
import { jsonAsText } from '@geomill/core/columns/cast.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { strideOf } from '@geomill/core/geometry/geometry-column.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { cutForWriting } from '@geomill/core/sphere/cut-for-writing.ts';
import { coordinateRounding, noteRounding } from '../coordinate-digits.ts';
import { formatFindings } from '../findings.ts';
import type {
  EncodedChunk,
  FormatWriter,
  LayerEncoding,
  OutputLayer,
  OutputSink,
  WriteContext,
} from '../writer.ts';
import { gpxFindings } from './messages.ts';
import { GpxSink } from './sink.ts';
import { encodeFeatures } from './write-features.ts';
import { planLayer, type WriteState } from './write-plan.ts';

export const writer: FormatWriter = {
  needs: 'fields',

  plan(layers: readonly OutputLayer[], context: WriteContext): readonly LayerEncoding[] {
    return layers.map((layer) => {
      const rounding = coordinateRounding(layer, context.options);
      const state = planLayer(layer, layers, rounding, context);
      return { fields: jsonAsText(state.fields, state.times), state };
    });
  },

  encode(batch: FeatureBatch, encoding: LayerEncoding): EncodedChunk {
    const state = encoding.state as WriteState;
    const findings = new Findings();
    const { layerName: layer, pointsOf: lines } = state;
    if (lines !== null) {
      const { coordinates, dimensions } = batch.geometry;
      const drawn = coordinates.length / strideOf(dimensions);
      if (drawn > 0) findings.note(gpxFindings.GPX_POINTS_IN_LINES, { layer, lines }, undefined, drawn);
      const others = batch.rowCount - drawn;
      if (others > 0) findings.note(formatFindings.GEOMETRY_NOT_DRAWN, { format: 'GPX' }, undefined, others);
      return { data: null, transfer: [], findings: findings.found() };
    }
    const geometry = cutForWriting(batch.geometry, findings);
    noteRounding(batch, state.rounding, findings);
    const chunk = encodeFeatures({ ...batch, geometry }, state, findings);
    const transfer = [chunk.wpt.buffer, chunk.rte.buffer, chunk.trk.buffer];
    return { data: chunk, transfer, findings: findings.found() };
  },

  createSink(path: string, encodings: readonly LayerEncoding[], context: WriteContext): OutputSink {
    return new GpxSink(
      path,
      encodings.map(({ state }) => state as WriteState),
      context,
    );
  },
};
