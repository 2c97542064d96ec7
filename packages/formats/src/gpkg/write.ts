/** Writes GeoPackage 1.4: see docs/formats/gpkg.md for the rules. */

import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { isInDegrees } from '@geomill/core/crs/degrees.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { fileName } from '@geomill/platform/paths.ts';
import { formatErrors } from '../errors.ts';
import type {
  EncodedChunk,
  ExistingOutput,
  FormatWriter,
  LayerEncoding,
  OutputLayer,
  OutputSink,
  WriteContext,
} from '../writer.ts';
import type { AppendedTablePlan } from './appended-table.ts';
import { crsRows } from './crs-rows.ts';
import { encodeBatch } from './encode.ts';
import { type ExistingContent, ExtendingSink, readExisting } from './extend.ts';
import type { FeatureTablePlan } from './feature-table.ts';
import { refuseInUse } from './in-use.ts';
import type { LayerModel, LayerState, SinkLayer } from './layer-state.ts';
import { gpkgErrors } from './messages.ts';
import { columnNames, folded, furtherColumnName, tableNames } from './names.ts';
import { GpkgSink } from './sink.ts';
import type { GpkgState } from './state.ts';

/** SQLite allows 2000 columns in a table: the fields plus key, geometry and possibly ids. */
const MAX_FIELDS = 1997;
const ID_COLUMN = 'id';

export const writer: FormatWriter = {
  needs: 'fields',
  refuseInUse: (path) => refuseInUse(path, fileName(path)),

  plan(layers: readonly OutputLayer[], context: WriteContext): readonly LayerEncoding[] {
    const zones = context.options.datetimes === 'utc' ? 'utc' : 'keep';
    const { existing } = context;
    if (existing?.mode === 'append')
      return layers.map((layer) => {
        const { plan, srsId } = appendedTablePlan(layer);
        const state: LayerState = {
          srsId,
          zones,
          isInDegrees: isInDegrees(layer.crs),
          hasGeometry: plan.geometry !== null,
          table: { kind: 'existing', plan },
        };
        return { fields: fieldsOf(layer), state };
      });
    const found = existing === undefined ? null : readExisting(existing);
    const names = layers.map(({ name }) => name);
    // A layer that is replaced keeps the name to which its styles and metadata refer, whatever its letter case.
    const tables = tableNames(names, context.findings).map((table) =>
      existing?.mode === 'replace' ? (found?.tables.get(folded(table)) ?? table) : table,
    );
    if (existing !== undefined && found !== null) checkNames(names, tables, existing, found);
    const rows = crsRows(
      layers.map(({ crs }) => crs),
      found?.systems,
    );
    return layers.map((layer, i) => {
      const plan = newTablePlan(layer, tables[i], rows[i].srsId, context);
      const state: LayerState = {
        srsId: rows[i].srsId,
        zones,
        isInDegrees: isInDegrees(layer.crs),
        hasGeometry: plan.geometry !== null,
        table: { kind: 'new', plan, crs: rows[i] },
      };
      return { fields: fieldsOf(layer), state, sinkState: modelOf(layer, plan) };
    });
  },

  encode(batch: FeatureBatch, encoding: LayerEncoding, isSpent = false): EncodedChunk {
    const state = encoding.state as LayerState;
    // Features that are added to a layer get new keys.
    return encodeBatch(state.table.kind === 'new' ? batch : { ...batch, ids: null }, state, isSpent);
  },

  createSink(path: string, encodings: readonly LayerEncoding[], context: WriteContext): OutputSink {
    const layers = encodings.map(
      ({ state, sinkState }): SinkLayer => ({
        ...(state as LayerState),
        model: (sinkState as LayerModel | undefined) ?? null,
      }),
    );
    return context.existing === undefined
      ? new GpkgSink(path, layers, context)
      : new ExtendingSink(path, layers, context.existing, context);
  },
};

function fieldsOf({ fields }: OutputLayer): readonly Field[] {
  if (fields === null)
    throw failure(generalErrors.INTERNAL, { reason: 'the GeoPackage writer got no fields' });
  return fields;
}

function modelOf(
  { facts, origins = [], fields }: OutputLayer,
  { columns }: FeatureTablePlan,
): LayerModel | undefined {
  if (facts === undefined) return undefined;
  const names = new Map((fields ?? []).map(({ name }, at) => [name, columns[at].name]));
  return { facts, columns: names, origins };
}

function newTablePlan(
  layer: OutputLayer,
  table: string,
  srsId: number,
  { findings, options }: WriteContext,
): FeatureTablePlan {
  const fields = fieldsOf(layer);
  if (fields.length > MAX_FIELDS)
    throw failure(gpkgErrors.GPKG_TOO_MANY_FIELDS, {
      layer: layer.name,
      fields: fields.length,
      limit: MAX_FIELDS,
    });
  const names = columnNames(fields, layer.name, layer.isTable !== true, findings);
  return {
    layer: layer.name,
    table,
    key: names.key,
    geometry: names.geometry,
    columns: fields.map(({ type }, at) => ({ name: names.columns[at], type })),
    srsId,
    hasIndex: names.geometry !== null && options.spatial_index !== false,
    promotes: options.promote !== false,
    idColumn: furtherColumnName(names, ID_COLUMN),
  };
}

function appendedTablePlan(layer: OutputLayer): { readonly plan: AppendedTablePlan; readonly srsId: number } {
  if (layer.target == null)
    throw failure(generalErrors.INTERNAL, { reason: 'the layer to append to is missing' });
  const { table, key, hasRowid, geometry, geometryType, srsId } = layer.target.state as GpkgState;
  const columns = fieldsOf(layer).map(({ name }) => name);
  return {
    plan: {
      layer: layer.name,
      table,
      key: hasRowid ? key : null,
      geometry,
      geometryType,
      columns,
      rowCount: layer.target.featureCount ?? 0,
    },
    srsId,
  };
}

/** Throws LAYER_EXISTS for names that the file has already, unless layers are to be replaced. */
function checkNames(
  layers: readonly string[],
  tables: readonly string[],
  { name: file, mode }: ExistingOutput,
  existing: ExistingContent,
): void {
  for (const [i, table] of tables.entries()) {
    const key = folded(table);
    if (!existing.tables.has(key)) continue;
    const isLayer = existing.layers.has(key);
    if (isLayer && mode === 'replace') continue;
    const layer = layers[i];
    throw isLayer
      ? failure(formatErrors.LAYER_EXISTS, { layer, file })
      : failure(formatErrors.LAYER_NAME_TAKEN, { layer, file, table: existing.tables.get(key) ?? table });
  }
}
