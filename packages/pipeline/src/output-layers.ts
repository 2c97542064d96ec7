/** Descriptions of the layers from which the writer makes its plan. */
import type { Field, MixedType } from '@geomill/core/columns/schema.ts';
import {
  emptyStatistics,
  fieldsOf,
  type LayerStatistics,
  mergeStatistics,
} from '@geomill/core/columns/statistics.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { formatFindings } from '@geomill/formats/findings.ts';
import type { Format } from '@geomill/formats/format.ts';
import type { OutputLayer } from '@geomill/formats/writer.ts';
import { checkFieldCount, type InputLimits } from '@geomill/io/limits.ts';
import type { ConversionPlan } from './conversion-plan.ts';
import type { CrsAuthority } from './crs-authority.ts';
import type { LayerState } from './layer-state.ts';

/** One per layer, or one for all where the plan joins them; `name` is the output's, for a joined layer. */
export function outputLayers(
  plan: ConversionPlan,
  layers: readonly Pick<LayerState, 'plan' | 'statistics' | 'outputFields'>[],
  crs: Pick<CrsAuthority, 'describe'>,
  mixed: MixedType,
  name: string,
  limits: Pick<InputLimits, 'fields'>,
): OutputLayer[] {
  const collected = layers.map(({ statistics, outputFields }) =>
    plan.statisticsDepth === null ? null : completed(statistics, outputFields ?? []),
  );
  const separate = layers.map((layer, i): OutputLayer => {
    const found = collected[i];
    return {
      name: layer.plan.name,
      fields: found === null ? layer.outputFields : fieldsOf(found),
      statistics: found ?? layer.plan.declaredStatistics,
      crs: crs.describe(layer.plan.targetCrs, 'output.epsg'),
      coordinatesComputed: layer.plan.reproject,
      target: layer.plan.target,
      ...(layer.plan.isTable ? { isTable: true as const } : {}),
    };
  });
  if (plan.layerField === null) return separate;
  const statistics = emptyStatistics();
  for (const [i, layer] of layers.entries()) {
    mergeStatistics(statistics, collected[i] ?? statisticsOf(layer.outputFields ?? []), mixed);
    checkFieldCount(name, statistics.fields.length, limits);
  }
  const fields = fieldsOf(statistics);
  // Where statistics were collected the field is part of every batch.
  if (plan.statisticsDepth === null) fields.push({ name: plan.layerField, type: 'string' });
  return [
    {
      name,
      fields: separate.every((layer) => layer.fields !== null) ? fields : null,
      statistics: plan.statisticsDepth === null ? null : statistics,
      crs: separate[0].crs,
      coordinatesComputed: separate.some((layer) => layer.coordinatesComputed),
      ...(separate.every((layer) => layer.isTable === true) ? { isTable: true as const } : {}),
    },
  ];
}

/** The collected statistics, with the known fields that are missing because the layer has no features. */
function completed(found: LayerStatistics, known: readonly Field[]): LayerStatistics {
  const names = new Set(found.fields.map(({ name }) => name));
  const missing = known.filter(({ name }) => !names.has(name));
  if (missing.length === 0) return found;
  const fields = missing.map(({ name, type }) => ({
    name,
    type: 'null' as const,
    columnType: type,
    nonNullCount: 0,
    maxLength: 0,
    maxDecimals: 0,
    integersExact: true,
    hasNested: false,
  }));
  return { ...found, fields: [...found.fields, ...fields] };
}

function statisticsOf(fields: readonly Field[]): LayerStatistics {
  const statistics = emptyStatistics();
  for (const { name, type } of fields) {
    const nothingKnown = {
      nonNullCount: 0,
      maxLength: 0,
      maxDecimals: 0,
      integersExact: true,
      hasNested: true,
    };
    statistics.fields.push({ name, type, ...nothingKnown });
  }
  return statistics;
}

/**
 * Returns the layer with text in place of JSON for each field whose values are numbers, booleans and texts, so that a text is written
 * without the quotes of JSON. Fields with objects or arrays, and fields of which no statistics were collected, keep their types.
 */
export function mixedAsText(
  layer: OutputLayer,
  { mixedValues }: Pick<Format, 'mixedValues'>,
  findings: Findings,
): OutputLayer {
  const { fields, statistics } = layer;
  if (mixedValues === 'kept' || fields === null || statistics === null) return layer;
  const mixed = new Set(
    statistics.fields.filter(({ type, hasNested }) => type === 'json' && !hasNested).map(({ name }) => name),
  );
  if (mixed.size === 0) return layer;
  const from = 'values of several types';
  for (const field of mixed)
    findings.note(formatFindings.FIELD_RETYPED, { field, layer: layer.name, from, to: 'text' });
  return {
    ...layer,
    fields: fields.map((field) => (mixed.has(field.name) ? { ...field, type: 'string' } : field)),
  };
}
