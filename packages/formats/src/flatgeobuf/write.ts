/** Writes FlatGeobuf 3: see docs/formats/flatgeobuf.md for the rules. */

import { buffersOfGeometry, type FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { LayerFacts } from '@geomill/core/columns/field-facts.ts';
import type { CrsDescription } from '@geomill/core/crs/crs.ts';
import { isInDegrees } from '@geomill/core/crs/degrees.ts';
import {
  type Dimensions,
  dimensionsOf,
  type GeometryColumn,
  hasM,
  hasZ,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { SphereBoxes } from '@geomill/core/sphere/sphere-boxes.ts';
import { formatFindings } from '../findings.ts';
import type {
  EncodedChunk,
  FormatWriter,
  LayerEncoding,
  OutputLayer,
  OutputSink,
  WriteContext,
} from '../writer.ts';
import { encodeFeatures } from './feature-encode.ts';
import type { LayerHeader } from './header-write.ts';
import { flatgeobufErrors } from './messages.ts';
import { FlatGeobufSink } from './sink.ts';

/** Numbers of columns have 16 bits. */
const MAX_FIELDS = 65_535;

export const writer: FormatWriter = {
  needs: 'fields',

  plan(layers: readonly OutputLayer[], { findings }: WriteContext): readonly LayerEncoding[] {
    return layers.map(({ name, fields, crs, facts }) => {
      if (fields === null)
        throw failure(generalErrors.INTERNAL, { reason: 'the FlatGeobuf writer got no fields' });
      if (fields.length > MAX_FIELDS)
        throw failure(flatgeobufErrors.FLATGEOBUF_TOO_MANY_FIELDS, {
          layer: name,
          fields: fields.length,
          limit: MAX_FIELDS,
        });
      const state: LayerHeader = { layer: name, fields, crs: statedCrs(crs), isInDegrees: isInDegrees(crs) };
      if (state.crs.wkt2 === null && state.crs.code === null)
        findings.note(formatFindings.CRS_NOT_WRITTEN, {
          crs: crs.name,
          reason: 'it has no code and no WKT2',
        });
      return { fields, state, sinkState: facts };
    });
  },

  encode(batch: FeatureBatch, encoding: LayerEncoding, isSpent = false): EncodedChunk {
    const { isInDegrees } = encoding.state as LayerHeader;
    const findings = new Findings();
    if (batch.ids !== null)
      findings.note(formatFindings.IDS_DROPPED, { format: 'FlatGeobuf' }, undefined, batch.rowCount);
    const data = encodeFeatures(
      batch,
      usedDimensions(batch.geometry),
      isInDegrees ? new SphereBoxes(batch.geometry) : null,
      null,
      isSpent ? buffersOfGeometry(batch) : [],
    );
    const transfer = [data.bytes.buffer, data.lengths.buffer, data.boxes.buffer];
    return { data, transfer, findings: findings.found() };
  },

  createSink(path: string, encodings: readonly LayerEncoding[], context: WriteContext): OutputSink {
    if (encodings.length !== 1)
      throw failure(generalErrors.INTERNAL, { reason: 'a FlatGeobuf file has one layer' });
    return new FlatGeobufSink(
      path,
      { ...(encodings[0].state as LayerHeader), facts: encodings[0].sinkState as LayerFacts | undefined },
      context,
    );
  },
};

function statedCrs({ definition, name, wkt2, authority }: CrsDescription): LayerHeader['crs'] {
  const match = /^([a-z]+):(\w+)$/i.exec(definition);
  return {
    name,
    wkt2,
    organization: authority?.name ?? match?.[1].toUpperCase() ?? null,
    code: authority?.code ?? match?.[2] ?? null,
  };
}

/** The ordinates that positions of the batch have. */
function usedDimensions({ coordinates, dimensions }: GeometryColumn): Dimensions {
  const stride = strideOf(dimensions);
  const isUsed = (first: number): boolean => {
    for (let i = first; i < coordinates.length; i += stride) if (!Number.isNaN(coordinates[i])) return true;
    return false;
  };
  return dimensionsOf(hasZ(dimensions) && isUsed(2), hasM(dimensions) && isUsed(stride - 1));
}
