import { RequestTotals } from '../transformation.ts';
import type { Condition } from './condition.ts';
import { parseConditionTree } from './condition-json.ts';
import { parseConditionText } from './condition-text.ts';

/**
 * From what a request states as `where`; `path` is its place, and `totals` counts what its conditions have together.
 * Throws TRANSFORMATION_INVALID with the place that is wrong.
 */
export function parseCondition(where: unknown, path: string, totals = new RequestTotals()): Condition {
  return typeof where === 'string'
    ? parseConditionText(where, path, totals)
    : parseConditionTree(where, path, totals);
}
