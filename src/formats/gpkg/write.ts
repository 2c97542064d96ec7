/** Writes GeoPackage 1.4: see docs/formats/gpkg.md for the rules. */
import type { FeatureBatch } from '../../batch/feature-batch.ts';
import { failure } from '../../errors.ts';
import type {
  EncodedChunk,
  FormatWriter,
  LayerEncoding,
  OutputLayer,
  OutputSink,
  WriteContext,
} from '../format.ts';
import { crsRows } from './crs-rows.ts';
import { encodeBatch } from './encode.ts';
import { columnNames, furtherColumnName, tableNames } from './names.ts';
import { createGpkgSink, type LayerState } from './sink.ts';

/** SQLite allows 2000 columns in a table: the fields plus key, geometry and possibly ids. */
const MAX_FIELDS = 1997;
const ID_COLUMN = 'id';

export const writer: FormatWriter = {
  needs: 'fields',

  plan(layers: readonly OutputLayer[], context: WriteContext): readonly LayerEncoding[] {
    const { findings } = context;
    const tables = tableNames(
      layers.map(({ name }) => name),
      findings,
    );
    const rows = crsRows(layers.map(({ crs }) => crs));
    return layers.map((layer, i) => {
      const { fields } = layer;
      if (fields === null) throw failure('INTERNAL', { reason: 'the GeoPackage writer got no fields' });
      if (fields.length > MAX_FIELDS)
        throw failure('GPKG_TOO_MANY_FIELDS', {
          layer: layer.name,
          fields: fields.length,
          limit: MAX_FIELDS,
        });
      const names = columnNames(fields, layer.name, findings);
      const state: LayerState = {
        plan: {
          layer: layer.name,
          table: tables[i],
          key: names.key,
          geometry: names.geometry,
          columns: fields.map(({ type }, at) => ({ name: names.columns[at], type })),
          srsId: rows[i].srsId,
          hasIndex: context.options.spatial_index !== false,
          promotes: context.options.promote !== false,
          idColumn: furtherColumnName(names, ID_COLUMN),
        },
        crs: rows[i],
        zones: context.options.datetimes === 'utc' ? 'utc' : 'keep',
      };
      return { fields, state };
    });
  },

  encode(batch: FeatureBatch, encoding: LayerEncoding): EncodedChunk {
    const { plan, zones } = encoding.state as LayerState;
    return encodeBatch(batch, plan.srsId, zones);
  },

  createSink(path: string, encodings: readonly LayerEncoding[], context: WriteContext): OutputSink {
    return createGpkgSink(path, encodings, context.findings);
  },
};
