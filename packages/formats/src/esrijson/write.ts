/** Writes EsriJSON: see docs/formats/esrijson.md for the rules. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { noteRounding } from '../coordinate-digits.ts';
import { noteSplitCollections } from '../single-kind.ts';
import type { EncodedChunk, FormatWriter, LayerEncoding } from '../writer.ts';
import { EsriJsonSink } from './sink.ts';
import { encodeSets } from './write-features.ts';
import { planLayers, type SetMembers, type WriteState } from './write-plan.ts';

export const writer: FormatWriter = {
  needs: 'statistics',
  plan: planLayers,

  encode(batch: FeatureBatch, encoding: LayerEncoding, isSpent = false): EncodedChunk {
    const state = encoding.state as WriteState;
    const findings = new Findings();
    noteRounding(batch, state.rounding, findings);
    if (state.sets.length > 1) noteSplitCollections(batch, findings);
    const data = encodeSets(batch, state, findings, isSpent && state.sets.length === 1);
    const transfer = data.flatMap(({ bytes, idOffsets }) => [bytes.buffer, idOffsets.buffer]);
    return { data, transfer, findings: findings.found() };
  },

  createSink: (path, encodings, context) =>
    new EsriJsonSink(
      path,
      encodings.map(({ state, sinkState }) => ({
        ...(state as WriteState),
        members: sinkState as SetMembers,
      })),
      context,
    ),
};
