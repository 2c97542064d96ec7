/** Weights for the progress of a conversion: the number of partitions that its passes read. */
import type { ConversionPlan, LayerPlan } from './conversion-plan.ts';
import type { RunSource } from './run-source.ts';

/** Passes over all layers, in partitions; a collecting step counts as COLLECTING_WEIGHT passes. */
export function conversionWeight(
  { infersSchema, statisticsDepth, steps, layers }: ConversionPlan,
  sources: readonly (readonly RunSource[])[],
): number {
  const passes = (infersSchema ? 1 : 0) + (statisticsDepth === null ? 1 : 2);
  const passesOf = ({ stages }: LayerPlan): number =>
    stages.reduce((sum, { collect }) => {
      if (collect === null) return sum;
      return sum + (steps[collect.step].code.kind === 'collecting' ? 1 + COLLECTING_WEIGHT : 1);
    }, passes);
  return layers.reduce((sum, layer, i) => sum + passWeight(sources[i]) * passesOf(layer), 0);
}

/** Weight of a pass over the layer of these sources: the number of their partitions. */
export function passWeight(sources: readonly RunSource[]): number {
  return sources.reduce((sum, { layer }) => sum + Math.max(1, layer.partitions.length), 0);
}

/** Share of a collecting step in the progress, in passes over the layer. */
export const COLLECTING_WEIGHT = 2;
