/** Writes KML 2.2 (OGC 07-147r2 and 12-007r2) and KMZ: see docs/formats/kml.md for the rules. */
import { jsonAsText } from '@geomill/core/columns/cast.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { cutForWriting } from '@geomill/core/sphere/cut-for-writing.ts';
import { coordinateRounding, noteRounding } from '../coordinate-digits.ts';
import type {
  EncodedChunk,
  FormatWriter,
  LayerEncoding,
  OutputLayer,
  OutputSink,
  WriteContext,
} from '../writer.ts';
import { KmlSink } from './sink.ts';
import { encodeFeatures } from './write-features.ts';
import { type Aliases, aliasesOf, planLayer, type WriteState } from './write-plan.ts';

export const writer: FormatWriter = {
  needs: 'fields',

  plan(layers: readonly OutputLayer[], context: WriteContext): readonly LayerEncoding[] {
    return layers.map((layer, i) => {
      const state = planLayer(layer, i, coordinateRounding(layer, context.options), context);
      return { fields: jsonAsText(layer.fields ?? []), state, sinkState: aliasesOf(layer, state, context) };
    });
  },

  encode(batch: FeatureBatch, encoding: LayerEncoding, isSpent = false): EncodedChunk {
    const state = encoding.state as WriteState;
    const findings = new Findings();
    const geometry = cutForWriting(batch.geometry, findings);
    noteRounding(batch, state.rounding, findings);
    const bytes = encodeFeatures({ ...batch, geometry }, state, findings, isSpent);
    return { data: bytes, transfer: [bytes.buffer], findings: findings.found() };
  },

  createSink(path: string, encodings: readonly LayerEncoding[], context: WriteContext): OutputSink {
    return new KmlSink(
      path,
      encodings.map(({ state }) => state as WriteState),
      encodings.map(({ sinkState }) => sinkState as Aliases),
      context,
    );
  },
};
