/** Combines the statistics that file headers declare into those of an output layer. Pure. */
import { mapFields } from '@geomill/core/columns/field-mapping.ts';
import {
  emptyStatistics,
  type FieldStatistics,
  type LayerStatistics,
  mergeStatistics,
} from '@geomill/core/columns/statistics.ts';
import type { SourceLayer } from '@geomill/formats/reader.ts';
import { changesFeatures } from './chain.ts';
import type { LoadedStep } from './conversion-plan.ts';
import type { ConversionRequest } from './request.ts';

/**
 * Bounds on all features of the layers; in an append the first is the target. Null where only reading the features gives
 * them: after steps, for files that declare nothing, and where values change their type.
 */
export function declaredTogether(
  operation: ConversionRequest['operation'],
  layers: readonly SourceLayer[],
  steps: readonly LoadedStep[],
): LayerStatistics | null {
  if (changesFeatures(steps)) return null;
  if (operation === 'transform') return layers[0].declaredStatistics ?? null;
  const fields = operation === 'merge' ? [] : layers[0].fields;
  if (fields === null) return null;
  const together = emptyStatistics();
  for (const layer of layers) {
    const own = layer.declaredStatistics ?? null;
    if (own === null) return null;
    const { sources } = mapFields(fields, own.fields);
    const byName = new Map(own.fields.map((field) => [field.name, field]));
    const mapped: FieldStatistics[] = [];
    for (const [i, { name, type }] of fields.entries()) {
      const source = sources[i];
      const declared = source === null ? undefined : byName.get(source);
      if (declared === undefined) continue;
      if (declared.type !== type) return null;
      mapped.push({ ...declared, name });
    }
    // All layers have the same types here, so none is widened.
    mergeStatistics(together, { ...own, fields: mapped, hasIds: false, ids: null }, 'string');
  }
  return together;
}
