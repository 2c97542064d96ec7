/**
 * Compiles expressions for the fields of a layer: checks that fields exist and kinds of values fit, computes what is constant,
 * and gives one function from a batch to a column.
 */
import { valueAt } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { indexOfField } from '@geomill/core/columns/known-field.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { GEOMETRY_TYPE, GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import { closest, didYouMean } from '@geomill/core/messages/did-you-mean.ts';
import type { GeomillError } from '@geomill/core/messages/errors.ts';
import { arithmetic, type Operator } from './arithmetic.ts';
import { comparison, isNull, likeness, membership } from './comparisons.ts';
import {
  type Call,
  countMadeText,
  type Expression,
  type ExpressionTotals,
  type Literal,
  type Place,
  refuseExpression,
} from './expression.ts';
import { compileCall, signatureOf } from './function.ts';
import { joined } from './functions/texts.ts';
import { findFunction, functions } from './functions.ts';
import { parseGeometry } from './geometry-literal.ts';
import {
  computedOnce,
  condition,
  constantNode,
  type Evaluation,
  evaluationOf,
  isNumeric,
  isTemporal,
  isValueKind,
  KIND_NAME,
  KIND_NAMES,
  kindOfField,
  type Node,
  noColumn,
  verdictsOf,
} from './node.ts';
import type { ExpressionSetting } from './setting.ts';
import { type Comparison, TRUE, type Verdicts } from './verdict.ts';

const COMPARISONS = new Set(['=', '<>', '<', '<=', '>', '>=']);
const ARITHMETIC = new Set(['+', '-', '*', '/', '%', 'div', '^']);
/** For what is the same for all features. */
const ONE_ROW: FeatureBatch = { rowCount: 1, geometry: emptyGeometry(), fields: [], columns: [], ids: null };
/** Names of the geometry of a feature, unless a field has the name. */
const GEOMETRY_NAMES = new Set(['geometry', 'geom', 'the_geom', 'shape']);

/** What an expression is compiled for. */
export interface Scope {
  readonly fields: readonly Field[];
  /** There are other fields that are not known yet: only the expression is checked. */
  readonly isOpen?: true;
  /** Of the request that is checked. Default: only this expression is counted. */
  readonly totals?: ExpressionTotals;
  /** Of the expression, for messages. */
  readonly path: string;
  /** Null: the kinds are checked, and nothing is evaluated. */
  readonly setting: ExpressionSetting | null;
}

/** Throws FIELD_UNKNOWN, and TRANSFORMATION_INVALID with the place of the fault. */
export function compile(expression: Expression, scope: Scope): Node {
  return new Compiler(scope).node(expression);
}

/** Compiles a condition. Throws as `compile`. */
export function compileCondition(expression: Expression, scope: Scope): (evaluation: Evaluation) => Verdicts {
  const node = new Compiler(scope).condition(expression);
  return (evaluation) => verdictsOf(node, evaluation);
}

export class Compiler {
  readonly scope: Scope;
  readonly #totals: ExpressionTotals;

  constructor(scope: Scope) {
    this.scope = scope;
    this.#totals = scope.totals ?? { expressionTokens: 0 };
  }

  node(expression: Expression): Node {
    const { place } = expression;
    switch (expression.kind) {
      case 'literal':
        return constantNode(expression.value, place);
      case 'field':
        return this.#field(expression.name, place, expression.isQuoted === true);
      case 'geometry':
        return this.#geometry(expression.source, place);
      default:
        return this.#call(expression);
    }
  }

  condition(expression: Expression): Node {
    const node = this.node(expression);
    if (node.kind !== 'boolean' && node.kind !== 'null' && node.kind !== 'unknown')
      throw this.refuse(node.place, `must be a condition, and ${this.#named(expression, node)}`);
    return node;
  }

  /** An error about a part of the expression. */
  refuse(place: Place, reason: string): GeomillError {
    return typeof place === 'string'
      ? refuseExpression(place, reason)
      : refuseExpression(this.scope.path, `${reason} (at character ${place + 1})`);
  }

  #field(name: string, place: Place, isQuoted: boolean): Node {
    const { fields, isOpen } = this.scope;
    if (isOpen && !fields.some((field) => field.name === name))
      return { kind: 'unknown', place, field: name, column: noColumn };
    const isGeometry = GEOMETRY_NAMES.has(name.toLowerCase()) && !fields.some((field) => field.name === name);
    if (isGeometry) {
      const geometry = ({ batch }: Evaluation) => batch.geometry;
      return { kind: 'geometry', place, field: name, geometry, column: noColumn };
    }
    if (
      isQuoted &&
      fields.length > 0 &&
      !fields.some((field) => field.name === name) &&
      closest(
        name,
        fields.map((field) => field.name),
      ) === null
    )
      throw this.refuse(
        place,
        `names a field "${name.slice(0, 40)}" that does not exist; for a text, write '${name.slice(0, 40)}'`,
      );
    const isText = typeof place === 'number' && !isQuoted;
    const index = indexOfField(fields, name, isText ? ` (a text needs single quotes: '${name}')` : '');
    return {
      kind: kindOfField(fields[index].type),
      place,
      field: name,
      column: ({ batch }) => batch.columns[index],
    };
  }

  #geometry(source: string, place: Place): Node {
    const where = typeof place === 'number' ? ` at character ${place + 1}` : '';
    const literal = parseGeometry(source, typeof place === 'number' ? this.scope.path : place, where);
    return { kind: 'geometry', place, constant: source, geometry: () => literal, column: noColumn };
  }

  #call(call: Call): Node {
    const { name, args, place } = call;
    switch (name) {
      case 'and':
      case 'or':
        return this.#joined(name, args, place);
      case 'not': {
        this.#count(call, 1);
        const part = this.condition(args[0]);
        return condition(place, (evaluation) => {
          const verdicts = verdictsOf(part, evaluation).slice();
          for (let row = 0; row < verdicts.length; row++) verdicts[row] = TRUE - verdicts[row];
          return verdicts;
        });
      }
      case 'isnull':
        this.#count(call, 1);
        return isNull(this.node(args[0]));
      case 'between': {
        this.#count(call, 3);
        const value = computedOnce(this.node(args[0]));
        const bounds = (['>=', '<='] as const).map((op, i) =>
          this.#comparison(op, args[0], args[i + 1], value),
        );
        return this.#all(bounds, place, 'and');
      }
      case 'in':
        return this.#in(call);
      case 'like':
        return this.#like(call);
    }
    if (COMPARISONS.has(name)) {
      this.#count(call, 2);
      return this.#comparison(name as Comparison, args[0], args[1]);
    }
    if (ARITHMETIC.has(name)) return this.#arithmetic(call);
    if (name === '||') return this.#concatenation(call);
    return this.#function(call);
  }

  #joined(word: 'and' | 'or', args: readonly Expression[], place: Place): Node {
    if (args.length === 0) throw this.refuse(place, `'${word}' needs conditions`);
    return this.#all(
      args.map((arg) => this.condition(arg)),
      place,
      word,
    );
  }

  #all(parts: readonly Node[], place: Place, word: 'and' | 'or'): Node {
    return condition(place, (evaluation) => {
      const verdicts = verdictsOf(parts[0], evaluation).slice();
      for (const part of parts.slice(1)) {
        const other = verdictsOf(part, evaluation);
        if (word === 'and') keepSmaller(verdicts, other);
        else keepLarger(verdicts, other);
      }
      return verdicts;
    });
  }

  #comparison(op: Comparison, left: Expression, right: Expression, a = this.node(left)): Node {
    const b = this.node(right);
    const made = comparison(op, a, b);
    if (made === null) throw this.#notComparable(left, a, right, b);
    return made;
  }

  #in(call: Call): Node {
    const [left, ...members] = call.args;
    if (members.length === 0)
      throw this.refuse(call.place, "'in' needs a value and a list of one value or more");
    const node = this.node(left);
    const others = members.map((member) => this.node(member));
    const result = membership(node, others);
    if (typeof result !== 'number') return result;
    throw this.#notComparable(left, node, members[result], others[result]);
  }

  #like(call: Call): Node {
    this.#count(call, 2);
    const [value, pattern] = call.args;
    const [node, text] = [this.node(value), this.node(pattern)];
    if (text.kind !== 'text' || typeof text.constant !== 'string')
      throw this.refuse(pattern.place, "a pattern such as 'A%' is expected after 'like'");
    if (node.kind === 'null' || node.kind === 'unknown') return comparison('=', node, text) as Node;
    // Dates are kept as texts, so '2010-%' is a pattern for them.
    if (node.kind !== 'text' && node.kind !== 'mixed' && node.kind !== 'date' && node.kind !== 'datetime') {
      const reason = `asks whether ${this.#label(value)} is like a text, but its values are ${KIND_NAMES[node.kind]}`;
      throw this.refuse(node.place, reason);
    }
    return likeness(node, text.constant);
  }

  #arithmetic(call: Call): Node {
    const { name, args, place } = call;
    const nodes = args.map((arg) => this.node(arg));
    for (const [i, node] of nodes.entries())
      if (!isNumeric(node.kind) && node.kind !== 'null' && node.kind !== 'unknown')
        throw this.refuse(
          node.place,
          `'${name}' needs numbers, and ${this.#named(args[i], node)}${textAdvice(name, node)}`,
        );
    if (nodes.some(({ kind }) => kind === 'null')) return constantNode(null, place);
    if (nodes.length === 1 && name === '-') nodes.unshift(constantNode(0, place));
    if (nodes.length < 2) throw this.refuse(place, `'${name}' needs two numbers`);
    if (nodes.some(({ kind }) => kind === 'unknown')) return { kind: 'number', place, column: noColumn };
    return nodes.reduce((left, right) =>
      this.#folded(arithmetic(name as Operator, left, right, place), [left, right]),
    );
  }

  #concatenation({ args, place }: Call): Node {
    const nodes = args.map((arg) => this.node(arg));
    nodes.forEach(({ kind }, i) => {
      if (kind === 'geometry' || kind === 'interval')
        throw this.refuse(
          args[i].place,
          `'||' joins texts${kind === 'geometry' ? "; 'wkt()' gives the text of a geometry" : ', not intervals'}`,
        );
    });
    return this.#folded(joined(nodes, place, false), nodes);
  }

  #function({ name, args, place }: Call): Node {
    const found = findFunction(name);
    if (found === undefined) {
      const hint = didYouMean(
        name,
        functions.map((one) => one.name),
      );
      throw this.refuse(place, `'${name}' is not a function${hint}`);
    }
    const nodes = args.map((arg) => this.node(arg));
    const made = compileCall(found, nodes, {
      place,
      setting: this.scope.setting,
      refuse: (index, reason) =>
        this.refuse(index === null ? place : args[index].place, `'${signatureOf(found)}': ${reason}`),
    });
    return this.#folded(made, nodes);
  }

  /** The result of parts that are the same for all features, computed once. */
  #folded(node: Node, args: readonly Node[]): Node {
    const isConstant = args.length > 0 && args.every(({ constant }) => constant !== undefined);
    if (
      !isConstant ||
      node.constant !== undefined ||
      !isValueKind(node.kind) ||
      args.some(({ kind }) => !isValueKind(kind))
    )
      return node;
    const note = (reason: string): never => {
      throw this.refuse(node.place, `has no result: ${reason}`);
    };
    const value = valueAt(node.column(evaluationOf(ONE_ROW, this.scope.path, note)), 0);
    if (value instanceof Uint8Array) return node;
    if (typeof value === 'string') countMadeText(value, this.scope.path, this.#totals);
    return constantNode(value, node.place, value === null ? 'null' : node.kind);
  }

  #count({ name, args, place }: Call, count: number): void {
    if (args.length !== count)
      throw this.refuse(
        place,
        `'${name}' needs ${count} ${count === 1 ? 'argument' : 'arguments'}, not ${args.length}`,
      );
  }

  #notComparable(left: Expression, a: Node, right: Expression, b: Node): GeomillError {
    const isFlipped = a.constant !== undefined;
    const [subject, node, other, value] = isFlipped ? [right, b, left, a] : [left, a, right, b];
    const { constant } = value;
    const shown =
      constant === undefined
        ? `${this.#label(other)}, whose values are ${KIND_NAMES[value.kind]}`
        : shownLiteral(constant);
    const advice = isTemporal(node.kind)
      ? "; write dates as '2020-01-31'"
      : node.kind === 'text' && isNumeric(value.kind) && constant !== undefined
        ? `; write '${constant}' to compare texts`
        : '';
    const label = this.#label(subject);
    return this.refuse(
      other.place,
      `compares ${label}, whose values are ${KIND_NAMES[node.kind]}, with ${shown}${advice}`,
    );
  }

  /** "the values of 'pop' are numbers" */
  #named(expression: Expression, { kind }: Node): string {
    const label = this.#label(expression);
    return expression.kind === 'literal'
      ? `${label} is ${KIND_NAME[kind]}`
      : `the values of ${label} are ${KIND_NAMES[kind]}`;
  }

  #label(expression: Expression): string {
    if (expression.kind === 'field') return `'${expression.name}'`;
    if (expression.kind === 'literal') return shownLiteral(expression.value);
    if (expression.kind === 'geometry') return 'a geometry';
    return /^\w/.test(expression.name) ? `'${expression.name}(…)'` : `'${expression.name}'`;
  }
}

function shownLiteral(value: Literal | null): string {
  return typeof value === 'string' ? `'${value.slice(0, 40)}'` : String(value);
}

function textAdvice(operator: string, { kind }: Node): string {
  if (kind !== 'text') return '';
  return operator === '+' ? "; join texts with '||'" : '; convert them with to_number(…)';
}

function keepSmaller(verdicts: Verdicts, other: Verdicts): void {
  for (let row = 0; row < verdicts.length; row++) if (other[row] < verdicts[row]) verdicts[row] = other[row];
}

function keepLarger(verdicts: Verdicts, other: Verdicts): void {
  for (let row = 0; row < verdicts.length; row++) if (other[row] > verdicts[row]) verdicts[row] = other[row];
}

function emptyGeometry() {
  const builder = new GeometryBuilder('XY', 8, 8);
  builder.endFeature(GEOMETRY_TYPE.none);
  return builder.finish();
}
