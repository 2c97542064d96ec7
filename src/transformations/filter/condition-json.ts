/**
 * Conditions as JSON:
 *
 *     {"and": [c, ...]}   {"or": [c, ...]}   {"not": c}
 *     {"field": "pop", "op": ">", "value": 10}                     = != < <= > >=
 *     {"field": "kind", "op": "in", "value": ["school", "shed"]}   in, not_in
 *     {"field": "pop", "op": "between", "value": [10, 20]}         between, not_between; both ends included
 *     {"field": "name", "op": "like", "value": "A%"}               like, not_like, ilike, not_ilike
 *     {"field": "name", "op": "is_null"}                           is_null, is_not_null
 */
import type { RequestTotals } from '../transformation.ts';
import {
  between,
  COMPARISONS,
  type Comparison,
  type Condition,
  ConditionSize,
  type Literal,
  MAX_CONDITION_DEPTH,
  refuseCondition,
} from './condition.ts';

const SYNONYMS: ReadonlyMap<string, Comparison> = new Map([
  ['==', '='],
  ['<>', '!='],
]);

const OPERATORS =
  '=, !=, <, <=, >, >=, in, not_in, between, not_between, like, not_like, ilike, not_ilike, is_null, is_not_null';

/** Throws TRANSFORMATION_INVALID with the path of the fault in the tree. */
export function parseConditionTree(node: unknown, path: string, totals: RequestTotals): Condition {
  return parseTree(node, path, 0, new ConditionSize(path, totals));
}

function parseTree(node: unknown, path: string, depth: number, size: ConditionSize): Condition {
  size.addToken();
  if (depth > MAX_CONDITION_DEPTH)
    throw refuseCondition(path.slice(0, 60), `is nested deeper than ${MAX_CONDITION_DEPTH} levels`);
  if (!isObject(node))
    throw refuseCondition(path, 'must be a condition such as {"field": "pop", "op": ">", "value": 10}');
  for (const kind of ['and', 'or'] as const) {
    if (!Object.hasOwn(node, kind)) continue;
    onlyKeys(node, [kind], path);
    const parts: unknown = node[kind];
    if (!Array.isArray(parts) || parts.length === 0)
      throw refuseCondition(`${path}.${kind}`, 'must be a list of one condition or more');
    return { kind, parts: parts.map((part, i) => parseTree(part, `${path}.${kind}[${i}]`, depth + 1, size)) };
  }
  if (Object.hasOwn(node, 'not')) {
    onlyKeys(node, ['not'], path);
    return { kind: 'not', part: parseTree(node.not, `${path}.not`, depth + 1, size) };
  }
  return parsePredicate(node, path, size);
}

function parsePredicate(node: Record<string, unknown>, path: string, size: ConditionSize): Condition {
  onlyKeys(node, ['field', 'op', 'value'], path);
  const { field, op: stated, value } = node;
  if (typeof field !== 'string') {
    const reason = 'is required: the name of a field, unless the condition is one of and, or, not';
    throw refuseCondition(`${path}.field`, reason);
  }
  size.addText(field);
  measure(value, size);
  const op = typeof stated === 'string' ? stated.trim().toLowerCase().replaceAll(/\s+/g, '_') : '';
  const comparison = SYNONYMS.get(op) ?? COMPARISONS.find((known) => known === op);
  const valuePath = `${path}.value`;
  if (comparison !== undefined)
    return { kind: 'compare', field, op: comparison, value: literal(value, valuePath) };
  if (op.startsWith('not_') || op === 'is_not_null') {
    const positive = op === 'is_not_null' ? 'is_null' : op.slice(4);
    const part = namedPredicate(field, positive, value, valuePath);
    if (part !== null) return { kind: 'not', part };
  }
  const predicate = namedPredicate(field, op, value, valuePath);
  if (predicate !== null) return predicate;
  throw refuseCondition(`${path}.op`, `must be one of ${OPERATORS}`);
}

/** Null for an unknown operator. */
function namedPredicate(field: string, op: string, value: unknown, path: string): Condition | null {
  switch (op) {
    case 'in':
      if (!Array.isArray(value) || value.length === 0)
        throw refuseCondition(path, 'must be a list of one value or more');
      return { kind: 'in', field, values: value.map((item, i) => literal(item, `${path}[${i}]`)) };
    case 'between':
      if (!Array.isArray(value) || value.length !== 2)
        throw refuseCondition(path, 'must be a list of two values, the lowest and the highest');
      return between(field, literal(value[0], `${path}[0]`), literal(value[1], `${path}[1]`));
    case 'like':
    case 'ilike':
      if (typeof value !== 'string')
        throw refuseCondition(path, 'must be a text; % stands for any characters, _ for one');
      return { kind: 'like', field, pattern: value, ignoresCase: op === 'ilike' };
    case 'is_null':
      if (value !== undefined && value !== null) throw refuseCondition(path, 'has no meaning for is_null');
      return { kind: 'null', field };
    default:
      return null;
  }
}

/** Checked before the values of a list, each of which would need a path. */
function measure(value: unknown, size: ConditionSize): void {
  if (Array.isArray(value)) for (const item of value) measureLiteral(item, size);
  else measureLiteral(value, size);
}

function measureLiteral(value: unknown, size: ConditionSize): void {
  size.addToken();
  if (typeof value === 'string') size.addText(value);
}

function literal(value: unknown, path: string): Literal {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) {
    const size = Math.abs(value);
    // The digits are lost already; larger values are not 64-bit integers and are approximate on purpose.
    if (size > Number.MAX_SAFE_INTEGER && size <= 2 ** 63)
      throw refuseCondition(path, 'is a number beyond 2^53, which JSON rounds; write it as a text in quotes');
    return value;
  }
  if (value === null || value === undefined)
    throw refuseCondition(path, "must be a value; the operator 'is_null' asks for null");
  throw refuseCondition(path, 'must be a number, a text, true or false');
}

function onlyKeys(node: Record<string, unknown>, known: readonly string[], path: string): void {
  for (const key of Object.keys(node)) {
    if (!known.includes(key))
      throw refuseCondition(`${path}.${key}`.slice(0, 120), `is not known beside ${known.join(', ')}`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
