/** The value by which an output is split: a field, or an expression. A step that only the pipeline adds, after all others. */
import { compile } from '@geomill/expressions/compile.ts';
import { parseExpression } from '@geomill/expressions/parse.ts';
import { calculatedType } from '../parts/calculated-type.ts';
import type { RequestTotals, StepParameters, Transformation } from '../transformation.ts';

/** A text is the name of a field; where no field has the name, it is an expression. An object is an expression of CQL2. */
export type SplitBy = string | object;

export const SPLIT_PATH = 'output.split_by';

/** Expressions have at least one of these characters; names rarely do. */
const OF_EXPRESSIONS = /[()'"+*/%^|<>=]/;

/** Whether it can only be the name of a field. The values of a field need no step. */
export function isFieldName(by: SplitBy): by is string {
  return typeof by === 'string' && !OF_EXPRESSIONS.test(by);
}

/** The step that appends the values as the last field; none if `by` is the name of a field. */
export function splitSteps(
  by: SplitBy,
): readonly { readonly type: string; readonly params: StepParameters; readonly path: string }[] {
  return isFieldName(by) ? [] : [{ type: splitBy.id, params: { by }, path: SPLIT_PATH }];
}

/** Throws TRANSFORMATION_INVALID if the request alone shows that there are no values. */
export function checkSplitBy(by: SplitBy, path: string, totals?: RequestTotals): void {
  if (typeof by === 'string') return;
  const expression = parseExpression(by, path, totals);
  calculatedType(compile(expression, { fields: [], isOpen: true, path, setting: null }), path);
}

export const splitBy: Pick<
  Transformation,
  'id' | 'fileParameter' | 'longitudes' | 'usesGeometries' | 'load'
> = {
  id: 'split_by',
  longitudes: 'own',
  usesGeometries: 'if any',
  load: async () => (await import('./code.ts')).code,
};
