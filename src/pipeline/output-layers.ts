/** What the writer is told about the layers before it decides anything. */
import type { Field, MixedType } from '../batch/schema.ts';
import { emptyStatistics, fieldsOf, type LayerStatistics, mergeStatistics } from '../batch/statistics.ts';
import type { OutputLayer } from '../formats/format.ts';
import { checkFieldCount, type InputLimits } from '../io/limits.ts';
import type { LayerRun } from './layer-run.ts';
import type { ConversionPlan } from './plan.ts';
import type { CrsAuthority } from './source-crs.ts';

/** One per layer, or one for all where the plan joins them; `name` is the output's, for a joined layer. */
export function outputLayers(
  plan: ConversionPlan,
  layers: readonly LayerRun[],
  crs: Pick<CrsAuthority, 'describe'>,
  mixed: MixedType,
  name: string,
  limits: Pick<InputLimits, 'fields'>,
): OutputLayer[] {
  const separate = layers.map(
    (layer): OutputLayer => ({
      name: layer.plan.name,
      fields: plan.scan === null ? layer.outputFields : fieldsOf(layer.statistics),
      statistics: plan.scan === null ? layer.plan.declaredStatistics : layer.statistics,
      crs: crs.describe(layer.plan.targetCrs, 'output.epsg'),
      coordinatesComputed: layer.plan.reproject,
    }),
  );
  if (plan.layerField === null) return separate;
  const statistics = emptyStatistics();
  for (const layer of layers) {
    const own = plan.scan === null ? statisticsOf(layer.outputFields ?? []) : layer.statistics;
    mergeStatistics(statistics, own, mixed);
    checkFieldCount(name, statistics.fields.length, limits);
  }
  const fields = fieldsOf(statistics);
  // A scan has met the field already: it is part of every batch.
  if (plan.scan === null) fields.push({ name: plan.layerField, type: 'string' });
  return [
    {
      name,
      fields: separate.every((layer) => layer.fields !== null) ? fields : null,
      statistics: plan.scan === null ? null : statistics,
      crs: separate[0].crs,
      coordinatesComputed: separate.some((layer) => layer.coordinatesComputed),
    },
  ];
}

function statisticsOf(fields: readonly Field[]): LayerStatistics {
  const statistics = emptyStatistics();
  for (const { name, type } of fields) {
    const nothingKnown = { nonNullCount: 0, maxLength: 0, maxDecimals: 0, integersExact: true };
    statistics.fields.push({ name, type, ...nothingKnown });
  }
  return statistics;
}
