/**
 * Expressions on the fields and the geometry of a feature, as a tree: those of CQL2 (OGC 21-065r2), with functions. From text:
 * parse-text.ts, from JSON: parse-json.ts. A tree is plain data; compile.ts makes column operations of it.
 */
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, type Phrase } from '@geomill/core/messages/message.ts';

/** Integers that a double cannot hold are bigints. */
export type Literal = number | bigint | string | boolean;

/** Where a part of an expression is, for messages: the offset of its first character in a text, or its path in JSON. */
export type Place = number | string;

export type Expression =
  | { readonly kind: 'literal'; readonly value: Literal | null; readonly place: Place }
  /** `isQuoted`: in double quotes, as a text may have been meant. */
  | {
      readonly kind: 'field';
      readonly name: string;
      readonly place: Place;
      readonly isQuoted?: boolean;
    }
  /** As GeoJSON or WKT, in EPSG:4326. */
  | { readonly kind: 'geometry'; readonly source: string; readonly place: Place }
  /** An operator or a function. Operators have their names in CQL2's JSON. */
  | Call;

export interface Call {
  readonly kind: 'call';
  /** In lower case. */
  readonly name: string;
  readonly args: readonly Expression[];
  readonly place: Place;
}

/** Names of the functions whose arguments can be lists: `('a', 'b')`, in JSON `["a", "b"]`. */
export const ARRAY_PREDICATES: ReadonlySet<string> = new Set([
  'a_equals',
  'a_contains',
  'a_containedby',
  'a_overlaps',
]);

/** Maximum depth, more than any real expression has: trees are walked by recursion. */
export const MAX_EXPRESSION_DEPTH = 100;
/** Maximum characters of an expression: its text, or all texts in its JSON together. */
export const MAX_EXPRESSION_LENGTH = 65_536;
/** Maximum number of tokens of texts, or of values and calls in JSON, in all expressions of a request together. */
export const MAX_EXPRESSION_TOKENS = 10_000;

/** Maximum number of characters of a text that a function makes. */
export const MAX_MADE_LENGTH = 1_000_000;
/** Characters of a text that count as a token where a function makes it while a request is checked. */
const CHARACTERS_PER_TOKEN = 100;

/** Counts over all expressions of a request. */
export interface ExpressionTotals {
  expressionTokens: number;
}

/** Counts a text that is made while a request is checked. Throws TRANSFORMATION_INVALID. */
export function countMadeText(text: string, path: string, totals: ExpressionTotals): void {
  addTokens(Math.floor(text.length / CHARACTERS_PER_TOKEN), path, totals);
}

function addTokens(count: number, path: string, totals: ExpressionTotals): void {
  totals.expressionTokens += count;
  if (totals.expressionTokens <= MAX_EXPRESSION_TOKENS) return;
  const reason = `brings the expressions of the request to more than ${MAX_EXPRESSION_TOKENS} words and values, the most that all of them may have together; shorten them, or send several requests`;
  throw refuseExpression(path, reason);
}

/** Counts the elements of expressions, so that none is too large to parse and evaluate. */
export class ExpressionSize {
  readonly #path: string;
  readonly #totals: ExpressionTotals;
  #length = 0;

  constructor(path: string, totals: ExpressionTotals) {
    this.#path = path;
    this.#totals = totals;
  }

  /** Throws TRANSFORMATION_INVALID. */
  addToken(): void {
    addTokens(1, this.#path, this.#totals);
  }

  /** Throws TRANSFORMATION_INVALID. */
  addText(text: string): void {
    this.#length += text.length;
    if (this.#length <= MAX_EXPRESSION_LENGTH) return;
    const reason = `has more than ${MAX_EXPRESSION_LENGTH} characters, the most an expression may have; shorten it, or use several steps`;
    throw refuseExpression(this.#path, reason);
  }

  /** Throws TRANSFORMATION_INVALID. */
  checkDepth(depth: number): void {
    if (depth > MAX_EXPRESSION_DEPTH)
      throw refuseExpression(this.#path, `is nested deeper than ${MAX_EXPRESSION_DEPTH} levels`);
  }
}

export function refuseExpression(path: string, reason: string | Phrase): GeomillError {
  return failure(generalErrors.TRANSFORMATION_INVALID, { path: field(path), reason });
}

/** The fields that an expression names, each once. */
export function fieldsOfExpression(
  expression: Expression,
  names: Set<string> = new Set(),
): ReadonlySet<string> {
  if (expression.kind === 'field') names.add(expression.name);
  else if (expression.kind === 'call') for (const arg of expression.args) fieldsOfExpression(arg, names);
  return names;
}

/** Whether the expression calls a function with one of the names. */
export function callsAny(expression: Expression, names: ReadonlySet<string>): boolean {
  return (
    expression.kind === 'call' &&
    (names.has(expression.name) || expression.args.some((arg) => callsAny(arg, names)))
  );
}

const ROW = new Set(['row']);

/** Whether the expression needs the numbers of the features. */
export function needsRows(expression: Expression): boolean {
  return callsAny(expression, ROW);
}

export function call(name: string, args: readonly Expression[], place: Place): Call {
  return { kind: 'call', name, args, place };
}
