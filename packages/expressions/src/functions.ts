/** All functions of the expression language. */
import type { ExpressionFunction } from './function.ts';
import { arrayFunctions } from './functions/arrays.ts';
import { choiceFunctions } from './functions/choices.ts';
import { numberFunctions } from './functions/numbers.ts';
import { shapeFunctions } from './functions/shapes.ts';
import { sizeFunctions } from './functions/sizes.ts';
import { spatialFunctions } from './functions/spatial.ts';
import { temporalFunctions } from './functions/temporal.ts';
import { textFunctions } from './functions/texts.ts';
import { timeFunctions } from './functions/times.ts';

export const functions: readonly ExpressionFunction[] = [
  ...numberFunctions,
  ...textFunctions,
  ...timeFunctions,
  ...temporalFunctions,
  ...choiceFunctions,
  ...arrayFunctions,
  ...sizeFunctions,
  ...shapeFunctions,
  ...spatialFunctions,
];

const byName = new Map(functions.map((one) => [one.name, one]));

/** `name` is in lower case. */
export function findFunction(name: string): ExpressionFunction | undefined {
  return byName.get(name);
}
