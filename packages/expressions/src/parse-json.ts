/**
 * Expressions as JSON: CQL2 JSON (OGC 21-065r2), and the shorter form that conditions on fields had before.
 *
 *     {"op": ">", "args": [{"property": "pop"}, 10]}               operators and functions
 *     {"property": "pop"}   {"date": "2020-01-31"}   {"timestamp": "2020-01-31T12:00:00Z"}   {"interval": ["2020-01-31", ".."]}
 *     {"bbox": [W, S, E, N]}   GeoJSON geometries
 *
 *     {"and": [c, ...]}   {"or": [c, ...]}   {"not": c}
 *     {"field": "pop", "op": ">", "value": 10}                     = != < <= > >=
 *     {"field": "kind", "op": "in", "value": ["school", "shed"]}   in, not_in
 *     {"field": "pop", "op": "between", "value": [10, 20]}         between, not_between; both ends included
 *     {"field": "name", "op": "like", "value": "A%"}               like, not_like, ilike, not_ilike
 *     {"field": "name", "op": "is_null"}                           is_null, is_not_null
 */
import {
  ARRAY_PREDICATES,
  call,
  type Expression,
  ExpressionSize,
  type ExpressionTotals,
  type Literal,
  refuseExpression,
} from './expression.ts';
import { polygonOfBox } from './geometry-literal.ts';

type Node = Readonly<Record<string, unknown>>;

/** Names of operators in other spellings. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['==', '='],
  ['!=', '<>'],
  ['is_null', 'isnull'],
]);
const COMPARISONS = new Set(['=', '<>', '<', '<=', '>', '>=']);
const CONDITIONS =
  '=, !=, <, <=, >, >=, in, not_in, between, not_between, like, not_like, ilike, not_ilike, is_null, is_not_null';

/** Throws TRANSFORMATION_INVALID with the path of the fault in the tree. */
export function parseJson(node: unknown, path: string, totals: ExpressionTotals): Expression {
  return new JsonParser(new ExpressionSize(path, totals)).expression(node, path, 0);
}

class JsonParser {
  readonly #size: ExpressionSize;

  constructor(size: ExpressionSize) {
    this.#size = size;
  }

  expression(node: unknown, path: string, depth: number): Expression {
    this.#size.addToken();
    this.#size.checkDepth(depth);
    if (typeof node !== 'object' || node === null) return this.#literal(node, path);
    if (Array.isArray(node)) throw refuseExpression(path, 'must be an expression, not a list');
    const object = node as Node;
    for (const kind of ['and', 'or'] as const)
      if (Object.hasOwn(object, kind)) return this.#joined(object, kind, path, depth);
    if (Object.hasOwn(object, 'not')) {
      onlyKeys(object, ['not'], path);
      return call('not', [this.expression(object.not, `${path}.not`, depth + 1)], path);
    }
    if (Object.hasOwn(object, 'args')) return this.#call(object, path, depth);
    if (Object.hasOwn(object, 'op') || Object.hasOwn(object, 'field')) return this.#condition(object, path);
    if (Object.hasOwn(object, 'interval')) return this.#interval(object, path, depth);
    return this.#operand(object, path);
  }

  #joined(node: Node, kind: 'and' | 'or', path: string, depth: number): Expression {
    onlyKeys(node, [kind], path);
    const parts = node[kind];
    if (!Array.isArray(parts) || parts.length === 0)
      throw refuseExpression(`${path}.${kind}`, 'must be a list of one condition or more');
    const args = parts.map((part, i) => this.expression(part, `${path}.${kind}[${i}]`, depth + 1));
    return args.length === 1 ? args[0] : call(kind, args, path);
  }

  #call(node: Node, path: string, depth: number): Expression {
    onlyKeys(node, ['op', 'args'], path);
    const { op, args } = node;
    if (typeof op !== 'string')
      throw refuseExpression(`${path}.op`, 'must be the name of an operator or a function');
    if (!Array.isArray(args)) throw refuseExpression(`${path}.args`, 'must be a list');
    this.#size.addText(op);
    const lower = op.toLowerCase();
    const name = SYNONYMS.get(lower) ?? lower;
    // The values of a list are one argument in JSON.
    const listed =
      name === 'in' && args.length === 2 && Array.isArray(args[1]) ? [args[0], ...args[1]] : args;
    const parsed = listed.map((arg, i) => {
      const isInList = listed !== args && i > 0;
      const at = isInList ? `${path}.args[1][${i - 1}]` : `${path}.args[${i}]`;
      return ARRAY_PREDICATES.has(name)
        ? this.#element(arg, at, depth + 1)
        : this.expression(arg, at, depth + 1);
    });
    return call(name, parsed, path);
  }

  /** An expression, or an array of such elements. */
  #element(node: unknown, path: string, depth: number): Expression {
    if (!Array.isArray(node)) return this.expression(node, path, depth);
    this.#size.addToken();
    this.#size.checkDepth(depth);
    return call(
      'array',
      node.map((item, i) => this.#element(item, `${path}[${i}]`, depth + 1)),
      path,
    );
  }

  #interval(node: Node, path: string, depth: number): Expression {
    onlyKeys(node, ['interval'], path);
    const { interval } = node;
    if (!Array.isArray(interval) || interval.length !== 2)
      throw refuseExpression(`${path}.interval`, "must be a list of two dates, or '..' for no bound");
    const bounds = interval.map((bound, i) => this.expression(bound, `${path}.interval[${i}]`, depth + 1));
    return call('interval', bounds, path);
  }

  #operand(node: Node, path: string): Expression {
    const text = (key: string): string => {
      onlyKeys(node, [key], path);
      const value = node[key];
      if (typeof value !== 'string') throw refuseExpression(`${path}.${key}`, 'must be a text');
      this.#size.addText(value);
      return value;
    };
    if (Object.hasOwn(node, 'property')) return { kind: 'field', name: text('property'), place: path };
    for (const key of ['date', 'timestamp'])
      if (Object.hasOwn(node, key))
        return call(key, [{ kind: 'literal', value: text(key), place: `${path}.${key}` }], path);
    if (Object.hasOwn(node, 'bbox')) {
      onlyKeys(node, ['bbox'], path);
      return { kind: 'geometry', source: polygonOfBox(node.bbox, `${path}.bbox`), place: path };
    }
    if (Object.hasOwn(node, 'type')) {
      const source = JSON.stringify(node);
      this.#size.addText(source);
      return { kind: 'geometry', source, place: path };
    }
    throw refuseExpression(
      path,
      'must be an expression such as {"op": ">", "args": [{"property": "pop"}, 10]} or {"field": "pop", "op": ">", "value": 10}',
    );
  }

  #condition(node: Node, path: string): Expression {
    onlyKeys(node, ['field', 'op', 'value'], path);
    const { field, op: stated, value } = node;
    if (typeof field !== 'string') {
      const reason =
        'is required: the name of a field, unless the condition is one of and, or, not, or has args';
      throw refuseExpression(`${path}.field`, reason);
    }
    this.#size.addText(field);
    for (const item of Array.isArray(value) ? value : [value]) {
      this.#size.addToken();
      if (typeof item === 'string') this.#size.addText(item);
    }
    const op = typeof stated === 'string' ? stated.trim().toLowerCase().replaceAll(/\s+/g, '_') : '';
    const positive = op === 'is_not_null' ? 'is_null' : op.replace(/^not_/, '');
    const left: Expression = { kind: 'field', name: field, place: `${path}.field` };
    const args = this.#conditionArgs(left, positive, value, `${path}.value`);
    if (args === null || (positive !== op && COMPARISONS.has(args.name)))
      throw refuseExpression(`${path}.op`, `must be one of ${CONDITIONS}`);
    return positive === op ? args : call('not', [args], path);
  }

  /** Null for an unknown operator. */
  #conditionArgs(left: Expression, op: string, value: unknown, path: string) {
    const literal = (one: unknown, at: string): Expression => {
      if (one === null || one === undefined)
        throw refuseExpression(at, "must be a value; the operator 'is_null' asks for null");
      return { kind: 'literal', value: literalOf(one, at), place: at };
    };
    const name = SYNONYMS.get(op) ?? op;
    if (COMPARISONS.has(name)) return call(name, [left, literal(value, path)], path);
    switch (name) {
      case 'in':
        if (!Array.isArray(value) || value.length === 0)
          throw refuseExpression(path, 'must be a list of one value or more');
        return call('in', [left, ...value.map((item, i) => literal(item, `${path}[${i}]`))], path);
      case 'between':
        if (!Array.isArray(value) || value.length !== 2)
          throw refuseExpression(path, 'must be a list of two values, the lowest and the highest');
        return call(
          'between',
          [left, literal(value[0], `${path}[0]`), literal(value[1], `${path}[1]`)],
          path,
        );
      case 'like':
      case 'ilike': {
        if (typeof value !== 'string')
          throw refuseExpression(path, 'must be a text; % stands for any characters, _ for one');
        const pattern = literal(value, path);
        if (name === 'like') return call('like', [left, pattern], path);
        return call('like', [call('lower', [left], left.place), call('lower', [pattern], path)], path);
      }
      case 'isnull':
        if (value !== undefined && value !== null) throw refuseExpression(path, 'has no meaning for is_null');
        return call('isnull', [left], path);
      default:
        return null;
    }
  }

  #literal(value: unknown, path: string): Expression {
    if (typeof value === 'string') this.#size.addText(value);
    return { kind: 'literal', value: value === null ? null : literalOf(value, path), place: path };
  }
}

function literalOf(value: unknown, path: string): Literal {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) {
    const size = Math.abs(value);
    // The digits are lost already; larger values are not 64-bit integers and are approximate on purpose.
    if (size > Number.MAX_SAFE_INTEGER && size <= 2 ** 63)
      throw refuseExpression(
        path,
        'is a number beyond 2^53, which JSON rounds; write it as a text in quotes',
      );
    return value;
  }
  throw refuseExpression(path, 'must be a number, a text, true or false');
}

function onlyKeys(node: Node, known: readonly string[], path: string): void {
  for (const key of Object.keys(node)) {
    if (!known.includes(key))
      throw refuseExpression(`${path}.${key}`.slice(0, 120), `is not known beside ${known.join(', ')}`);
  }
}
