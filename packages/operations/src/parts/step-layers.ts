/** The parameter `layer`, which every transformation has: the step works on these layers alone. */
import type { StepParameters, Transformation } from '../transformation.ts';
import { MAX_NAME_LENGTH } from './name-lists.ts';

const MAX_LAYERS = 10_000;
const layerName = { type: 'string', minLength: 1, maxLength: MAX_NAME_LENGTH } as const;

export const LAYER_PARAMETER = 'layer';

/** On the command line, after the flag of a step. */
export const LAYER_FLAG = {
  flag: 'on-layer',
  placeholder: 'NAME',
  description: 'apply the transformation before it to this layer only; can be repeated',
} as const;

const parameter = {
  type: ['string', 'array'],
  ...{ minLength: 1, maxLength: MAX_NAME_LENGTH },
  ...{ items: layerName, minItems: 1, maxItems: MAX_LAYERS, uniqueItems: true },
  description: 'Layer that the step works on, or a list of layers; others are not changed. Default: all.',
} as const;

/** The transformation with the parameter. */
export function withLayers(transformation: Transformation): Transformation {
  const { parameters } = transformation;
  const properties = { ...parameters.properties, [LAYER_PARAMETER]: parameter };
  return { ...transformation, parameters: { ...parameters, properties } };
}

/** Names of the layers that a step works on; null: all. */
export function layersOf({ params }: { readonly params: StepParameters }): readonly string[] | null {
  const value = params[LAYER_PARAMETER];
  if (value === undefined) return null;
  return typeof value === 'string' ? [value] : (value as readonly string[]);
}
