/**
 * Expressions as text: CQL2 Text (OGC 21-065r2) with the operators and literals that SQL has besides.
 *
 *     expression = all { OR all }            all = one { AND one }         one = { NOT } predicate
 *     predicate  = sum [ ( = | == | <> | != | < | <= | > | >= ) sum
 *                      | IS [NOT] NULL
 *                      | [NOT] IN "(" expression { "," expression } ")"
 *                      | [NOT] BETWEEN sum AND sum
 *                      | [NOT] ( LIKE | ILIKE ) sum ]
 *     sum        = product { ( + | - | "||" ) product }
 *     product    = power { ( * | / | % | DIV ) power }
 *     power      = signed [ ^ power ]        signed = { + | - } value
 *     value      = number | 'text, '' for a quote' | TRUE | FALSE | NULL | WKT | BBOX "(" number { "," number } ")" | field
 *                | function "(" [ argument { "," argument } ] ")"
 *                | CASE { WHEN expression THEN expression } [ ELSE expression ] END | "(" expression ")"
 *     argument   = expression, or in A_EQUALS, A_CONTAINS, A_CONTAINEDBY and A_OVERLAPS: "(" [ expression { "," expression } ] ")"
 *     field      = name | "any name, "" for a quote"
 *
 * Keywords are case-insensitive. Characters in messages count from 1.
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
import { dateAdvice, type Token, tokenize } from './tokens.ts';

const COMPARISONS: Readonly<Record<string, string>> = {
  '=': '=',
  '==': '=',
  '!=': '<>',
  '<>': '<>',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};

/** Keywords that are never fields; fields with these names must be written in double quotes. */
const RESERVED = new Set('and or not in between like ilike is null true false'.split(' '));
/** Further keywords within CASE. */
const CASE_WORDS = new Set(['when', 'then', 'else', 'end']);
const WKT_TYPES = new Set(
  'point linestring polygon multipoint multilinestring multipolygon geometrycollection'.split(' '),
);
const WKT_DIMENSIONS = new Set(['z', 'm', 'zm']);
const VALUE = 'a number, a text in single quotes, the name of a field or a function';

/** Throws TRANSFORMATION_INVALID with the character at which the text is invalid. */
export function parseText(text: string, path: string, totals: ExpressionTotals): Expression {
  return new TextParser(text, path, new ExpressionSize(path, totals)).parse();
}

class TextParser {
  readonly #path: string;
  readonly #text: string;
  readonly #size: ExpressionSize;
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;
  #caseDepth = 0;

  constructor(text: string, path: string, size: ExpressionSize) {
    this.#path = path;
    this.#text = text;
    this.#size = size;
    this.#tokens = tokenize(text, path, size);
  }

  parse(): Expression {
    const expression = this.#any();
    if (this.#token.kind !== 'end') throw this.#expected("an operator such as 'and' or '=', or the end");
    return expression;
  }

  #any(): Expression {
    // Recursion happens only here and in powers.
    this.#size.checkDepth(++this.#depth);
    const expression = this.#joined('or', () => this.#joined('and', () => this.#one()));
    this.#depth--;
    return expression;
  }

  #joined(word: 'and' | 'or', part: () => Expression): Expression {
    const first = part();
    if (this.#token.word !== word) return first;
    const parts = [first];
    const place = this.#token.start;
    while (this.#takeWord(word)) parts.push(part());
    return call(word, parts, place);
  }

  #one(): Expression {
    const place = this.#token.start;
    let isNegated = false;
    while (this.#takeWord('not')) isNegated = !isNegated;
    return negatedIf(isNegated, this.#predicate(), place);
  }

  #predicate(): Expression {
    const left = this.#sum();
    const { kind, text, start } = this.#token;
    const comparison = kind === 'symbol' ? COMPARISONS[text] : undefined;
    if (comparison !== undefined) {
      this.#next++;
      if (this.#token.word === 'null') throw this.#expected("a value ('is null' asks for null)");
      return call(comparison, [left, this.#sum()], start);
    }
    if (this.#takeWord('is')) {
      const isNegated = this.#takeWord('not');
      this.#needWord('null');
      return negatedIf(isNegated, call('isnull', [left], start), start);
    }
    const isNegated = this.#takeWord('not');
    const worded = this.#worded(left, start);
    if (worded !== null) return negatedIf(isNegated, worded, start);
    if (isNegated) throw this.#expected("'in', 'between', 'like' or 'ilike'");
    return left;
  }

  /** Null: no such predicate follows. */
  #worded(left: Expression, place: number): Expression | null {
    if (this.#takeWord('in')) {
      this.#needSymbol('(');
      const values = this.#list();
      this.#needSymbol(')');
      return call('in', [left, ...values], place);
    }
    if (this.#takeWord('between')) {
      const low = this.#sum();
      this.#needWord('and');
      return call('between', [left, low, this.#sum()], place);
    }
    if (this.#takeWord('like')) return call('like', [left, this.#sum()], place);
    if (!this.#takeWord('ilike')) return null;
    const pattern = this.#sum();
    return call('like', [call('lower', [left], left.place), call('lower', [pattern], pattern.place)], place);
  }

  #list(item: () => Expression = () => this.#any()): Expression[] {
    const list = [item()];
    while (this.#takeSymbol(',')) list.push(item());
    return list;
  }

  #sum(): Expression {
    return this.#chain(['+', '-', '||'], () => this.#chain(['*', '/', '%', 'div'], () => this.#power()));
  }

  /** Operators of the same kind in a row are one call, so that long sums are not deep. */
  #chain(operators: readonly string[], operand: () => Expression): Expression {
    let result = operand();
    for (let levels = this.#depth; ; ) {
      const { kind, text, word, start } = this.#token;
      const operator = kind === 'symbol' ? text : word;
      if (!operators.includes(operator)) return result;
      this.#next++;
      const args = [result, operand()];
      while (this.#token.text.toLowerCase() === operator && this.#token.kind === kind) {
        this.#next++;
        args.push(operand());
      }
      this.#size.checkDepth(++levels);
      result = call(operator, args, start);
    }
  }

  #power(): Expression {
    const base = this.#signed();
    const { start } = this.#token;
    if (!this.#takeSymbol('^')) return base;
    this.#size.checkDepth(++this.#depth);
    const power = call('^', [base, this.#power()], start);
    this.#depth--;
    return power;
  }

  #signed(): Expression {
    const { start } = this.#token;
    let isNegative = false;
    for (;;) {
      if (this.#takeSymbol('-')) isNegative = !isNegative;
      else if (!this.#takeSymbol('+')) break;
    }
    const value = this.#value();
    if (!isNegative) return value;
    if (value.kind === 'literal' && (typeof value.value === 'number' || typeof value.value === 'bigint'))
      return { ...value, value: -value.value };
    return call('-', [value], start);
  }

  #value(): Expression {
    const { kind, text, word, start } = this.#token;
    const literal = (value: Literal | null): Expression => {
      this.#next++;
      return { kind: 'literal', value, place: start };
    };
    if (kind === 'text') return literal(text);
    if (kind === 'number') {
      if (!Number.isFinite(Number(text))) throw this.#expected('a number of at most 1.8e308');
      return literal(numberOf(text));
    }
    if (kind === 'quoted') return this.#field();
    if (word === 'true' || word === 'false') return literal(word === 'true');
    if (word === 'null') return literal(null);
    if (this.#takeSymbol('(')) {
      const inner = this.#any();
      this.#needSymbol(')');
      return inner;
    }
    if (kind !== 'word') throw this.#expected(VALUE);
    const after = this.#tokens[this.#next + 1];
    if (word === 'case' && after.word === 'when') return this.#case();
    if (WKT_TYPES.has(word) && isWkt(after, this.#tokens[this.#next + 2])) return this.#geometry();
    if (after.kind === 'symbol' && after.text === '(' && !RESERVED.has(word))
      return word === 'bbox' ? this.#box() : this.#function();
    if (RESERVED.has(word) || (this.#caseDepth > 0 && CASE_WORDS.has(word))) throw this.#expected(VALUE);
    return this.#field();
  }

  #field(): Expression {
    const { kind, text, start } = this.#token;
    this.#next++;
    return { kind: 'field', name: text, place: start, isQuoted: kind === 'quoted' };
  }

  #function(): Expression {
    const { word, start } = this.#token;
    this.#next += 2;
    const args = this.#takeSymbol(')')
      ? []
      : this.#list(ARRAY_PREDICATES.has(word) ? () => this.#arrayArgument() : undefined);
    if (args.length > 0) this.#needSymbol(')');
    return call(word, args, start);
  }

  /** A list in parentheses is an array here, also if it has one element. */
  #arrayArgument(): Expression {
    const { start } = this.#token;
    if (!this.#takeSymbol('(')) return this.#any();
    const elements = this.#takeSymbol(')') ? [] : this.#list();
    if (elements.length > 0) this.#needSymbol(')');
    return call('array', elements, start);
  }

  /** `BBOX(west, south, east, north)`, or with the least and greatest heights, which have no meaning. */
  #box(): Expression {
    const { start } = this.#token;
    this.#next += 2;
    const bounds = this.#list(() => this.#signed()).map((bound) => {
      if (bound.kind === 'literal' && typeof bound.value === 'number') return bound.value;
      throw refuseExpression(
        this.#path,
        `is not understood at character ${start + 1}: 'bbox' needs numbers: west, south, east, north`,
      );
    });
    this.#needSymbol(')');
    return {
      kind: 'geometry',
      source: polygonOfBox(bounds, this.#path, ` (at character ${start + 1})`),
      place: start,
    };
  }

  #case(): Expression {
    const { start } = this.#token;
    this.#next++;
    this.#caseDepth++;
    const args: Expression[] = [];
    while (this.#takeWord('when')) {
      args.push(this.#any());
      this.#needWord('then');
      args.push(this.#any());
    }
    if (this.#takeWord('else')) args.push(this.#any());
    this.#needWord('end');
    this.#caseDepth--;
    return call('case', args, start);
  }

  #geometry(): Expression {
    const { start } = this.#token;
    this.#next++;
    if (this.#token.kind === 'word') this.#next++;
    let end = this.#token.start;
    for (let open = 0; ; ) {
      const { kind, text, start: at } = this.#token;
      if (kind === 'end') throw this.#expected("')'");
      if (kind === 'symbol' && text === '(') open++;
      else if (kind === 'symbol' && text === ')') open--;
      else if (open === 0) break;
      this.#next++;
      end = at + 1;
      if (open === 0) break;
    }
    return { kind: 'geometry', source: this.#text.slice(start, end).trim(), place: start };
  }

  get #token(): Token {
    return this.#tokens[this.#next];
  }

  #takeWord(word: string): boolean {
    if (this.#token.word !== word) return false;
    this.#next++;
    return true;
  }

  #takeSymbol(symbol: string): boolean {
    const { kind, text } = this.#token;
    if (kind !== 'symbol' || text !== symbol) return false;
    this.#next++;
    return true;
  }

  #needWord(word: string): void {
    if (!this.#takeWord(word)) throw this.#expected(`'${word}'`);
  }

  #needSymbol(symbol: string): void {
    if (!this.#takeSymbol(symbol)) throw this.#expected(`'${symbol}'`);
  }

  #expected(what: string) {
    const { kind, start, source } = this.#token;
    const found = kind === 'end' ? 'the end' : `'${source.slice(0, 40)}'`;
    return refuseExpression(
      this.#path,
      `is not understood at character ${start + 1}: ${what} is expected, not ${found}${dateAdvice(this.#text, start)}`,
    );
  }
}

function negatedIf(isNegated: boolean, part: Expression, place: number): Expression {
  return isNegated ? call('not', [part], place) : part;
}

function isWkt(after: Token, second: Token | undefined): boolean {
  if (after.kind === 'word' && WKT_DIMENSIONS.has(after.word))
    return second !== undefined && (second.text === '(' || second.word === 'empty');
  return (after.kind === 'symbol' && after.text === '(') || after.word === 'empty';
}

function numberOf(text: string): Literal {
  const value = Number(text);
  return /^\d+$/.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
}
