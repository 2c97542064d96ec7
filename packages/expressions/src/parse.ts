import type { Expression, ExpressionTotals } from './expression.ts';
import { parseJson } from './parse-json.ts';
import { parseText } from './parse-text.ts';

/**
 * Parses an expression of a request, text or JSON. `path`: its path; `totals`: counts over all expressions of the request.
 * Throws TRANSFORMATION_INVALID with the place of the fault.
 */
export function parseExpression(
  source: unknown,
  path: string,
  totals: ExpressionTotals = { expressionTokens: 0 },
): Expression {
  return typeof source === 'string' ? parseText(source, path, totals) : parseJson(source, path, totals);
}
