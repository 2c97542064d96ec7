/** Writes TopoJSON: see docs/formats/topojson.md for the rules. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { crsUrn, describesWgs84 } from '@geomill/core/crs/crs-member.ts';
import { positionBounds } from '@geomill/core/geometry/bounds.ts';
import { geometryBuffers } from '@geomill/core/geometry/geometry-column.ts';
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
import { type EncodedFeatures, encodeAttributes, encodeGeometry } from './encode.ts';
import { TopologySink } from './sink.ts';
import type { WriteState } from './write-state.ts';

export const writer: FormatWriter = {
  needs: 'batch',

  plan(layers: readonly OutputLayer[], { options, findings }: WriteContext): readonly LayerEncoding[] {
    return layers.map((layer) => {
      const isWgs84 = describesWgs84(layer.crs);
      const crsName = isWgs84 ? null : crsUrn(layer.crs);
      if (!isWgs84 && crsName === null)
        findings.note(formatFindings.CRS_NOT_WRITTEN, {
          crs: layer.crs.name,
          reason: 'it has no code of an authority',
        });
      const state: WriteState = {
        layerName: layer.name,
        isWgs84,
        crsName,
        rounding: coordinateRounding(layer, options),
      };
      return { fields: null, state };
    });
  },

  encode(batch: FeatureBatch, encoding: LayerEncoding): EncodedChunk {
    const { isWgs84, layerName, rounding } = encoding.state as WriteState;
    const findings = new Findings();
    const source = isWgs84 ? cutForWriting(batch.geometry, findings) : batch.geometry;
    noteRounding(batch, rounding, findings);
    const geometry = encodeGeometry(source, findings);
    const chunk: EncodedFeatures = {
      geometry,
      ...encodeAttributes(batch, layerName, findings),
      bounds: Float64Array.from(positionBounds(geometry)),
    };
    const transfer = [chunk.attributes.buffer, chunk.attributeOffsets.buffer, chunk.bounds.buffer];
    // The other columns of the geometry are those of the batch, which ends here.
    for (const buffer of geometryBuffers(geometry)) if (!transfer.includes(buffer)) transfer.push(buffer);
    return { data: chunk, transfer, findings: findings.found() };
  },

  createSink(path: string, encodings: readonly LayerEncoding[], context: WriteContext): OutputSink {
    const states = encodings.map((encoding) => encoding.state as WriteState);
    return new TopologySink(path, states, context);
  },
};
