/** Writes PMTiles 3 with MVT 2.1: see docs/formats/pmtiles.md for the rules. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { hasM, hasZ } from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { formatFindings } from '../findings.ts';
import type {
  EncodedChunk,
  FormatWriter,
  LayerEncoding,
  OutputLayer,
  OutputSink,
  WriteContext,
} from '../writer.ts';
import { RETYPED } from './attributes.ts';
import { encodeTiles } from './encode.ts';
import { PmtilesSink } from './sink.ts';
import type { WriteState } from './state.ts';
import { buildTiles, type TileWork } from './tile-build.ts';
import { zoomsFor } from './zooms.ts';

const TILE_LIMIT = 500_000;

export const writer: FormatWriter = {
  needs: ({ max_zoom: maxZoom }) => (maxZoom === undefined ? 'measures' : 'fields'),

  plan(layers: readonly OutputLayer[], { options, findings }: WriteContext): readonly LayerEncoding[] {
    const zooms = zoomsFor(layers, options);
    return layers.map(({ name, fields, statistics, idField }, layer) => {
      if (fields === null)
        throw failure(generalErrors.INTERNAL, { reason: 'the PMTiles writer got no fields' });
      const nested = new Map(statistics?.fields.map((field) => [field.name, field.hasNested]));
      for (const { name: field, type } of fields) {
        const to = RETYPED[type];
        if (to !== undefined && (type !== 'json' || nested.get(field) !== false))
          findings.note(formatFindings.FIELD_RETYPED, { field, layer: name, from: type, to });
      }
      const state: WriteState = {
        layer,
        layerName: name,
        fields,
        idField: idField === undefined ? -1 : 0,
        ...zooms,
        dropsSmall: options.small_features === 'drop',
        tileLimit: typeof options.tile_size_limit === 'number' ? options.tile_size_limit : TILE_LIMIT,
      };
      return { fields, state };
    });
  },

  encode(batch: FeatureBatch, encoding: LayerEncoding): EncodedChunk {
    const { chunk, findings } = encodeTiles(batch, encoding.state as WriteState);
    const format = 'PMTiles';
    const { dimensions } = batch.geometry;
    if (hasZ(dimensions)) findings.note(generalFindings.Z_DROPPED, { format }, undefined, batch.rowCount);
    if (hasM(dimensions)) findings.note(generalFindings.M_DROPPED, { format }, undefined, batch.rowCount);
    return { data: chunk, transfer: [chunk.bytes.buffer], findings: findings.found() };
  },

  createSink(path: string, encodings: readonly LayerEncoding[], context: WriteContext): OutputSink {
    return new PmtilesSink(
      path,
      encodings.map(({ state }) => state as WriteState),
      context,
    );
  },

  usesThreads: true,

  work(payload: unknown) {
    const built = buildTiles(payload as TileWork);
    return { result: built, transfer: [built.bytes.buffer] };
  },
};
