import { RequestTotals } from '../transformation.ts';
import type { Condition } from './condition.ts';
import { parseConditionTree } from './condition-json.ts';
import { parseConditionText } from './condition-text.ts';

/**
 * Parses `where` of a request; `path`: its path, `totals`: counts over all conditions of the request.
 * Throws TRANSFORMATION_INVALID with the path of the fault.
 */
export function parseCondition(where: unknown, path: string, totals = new RequestTotals()): Condition {
  return typeof where === 'string'
    ? parseConditionText(where, path, totals)
    : parseConditionTree(where, path, totals);
}
