/**
 * Conditions as text, similar to SQL:
 *
 *     condition  = all { OR all }            all = one { AND one }         one = NOT one | "(" condition ")" | predicate
 *     predicate  = field ( = | == | != | <> | < | <= | > | >= ) value
 *                | field [NOT] IN "(" value { "," value } ")"
 *                | field [NOT] BETWEEN value AND value
 *                | field [NOT] ( LIKE | ILIKE ) text
 *                | field IS [NOT] NULL
 *     field      = name | "any name, "" for a quote"
 *     value      = number | 'text, '' for a quote' | TRUE | FALSE
 *
 * Keywords are case-insensitive. Characters in messages count from 1.
 */
import type { RequestTotals } from '../transformation.ts';
import {
  between,
  type Comparison,
  type Condition,
  type Literal,
  MAX_CONDITION_DEPTH,
  refuseCondition,
} from './condition.ts';
import { dateAdvice, type Token, tokenize } from './tokens.ts';

const SYMBOLS: Readonly<Record<string, Comparison>> = {
  '=': '=',
  '==': '=',
  '!=': '!=',
  '<>': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};

/** Keywords; fields with these names must be written in double quotes. */
const RESERVED = new Set(
  'and or not in between like ilike is null true false'.split(' '), // biome-ignore format: one line
);

/** Throws TRANSFORMATION_INVALID with the character at which the text is invalid. */
export function parseConditionText(text: string, path: string, totals: RequestTotals): Condition {
  return new TextParser(text, path, totals).parse();
}

class TextParser {
  readonly #path: string;
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(text: string, path: string, totals: RequestTotals) {
    this.#path = path;
    this.#text = text;
    this.#tokens = tokenize(text, path, totals);
  }

  parse(): Condition {
    const condition = this.#any();
    if (this.#token.kind !== 'end') throw this.#expected("'and', 'or' or the end");
    return condition;
  }

  #any(): Condition {
    // Recursion happens only here.
    if (++this.#depth > MAX_CONDITION_DEPTH)
      throw refuseCondition(this.#path, `is nested deeper than ${MAX_CONDITION_DEPTH} levels`);
    const parts = [this.#all()];
    while (this.#takeWord('or')) parts.push(this.#all());
    this.#depth--;
    return parts.length === 1 ? parts[0] : { kind: 'or', parts };
  }

  #all(): Condition {
    const parts = [this.#one()];
    while (this.#takeWord('and')) parts.push(this.#one());
    return parts.length === 1 ? parts[0] : { kind: 'and', parts };
  }

  #one(): Condition {
    let isNegated = false;
    while (this.#takeWord('not')) isNegated = !isNegated;
    let condition: Condition;
    if (this.#takeSymbol('(')) {
      condition = this.#any();
      this.#needSymbol(')');
    } else condition = this.#predicate();
    return isNegated ? { kind: 'not', part: condition } : condition;
  }

  #predicate(): Condition {
    const field = this.#field();
    const { kind, text } = this.#token;
    const comparison = kind === 'symbol' ? SYMBOLS[text] : undefined;
    if (comparison !== undefined) {
      this.#next++;
      return { kind: 'compare', field, op: comparison, value: this.#value() };
    }
    if (this.#takeWord('is')) {
      const isNegated = this.#takeWord('not');
      this.#needWord('null');
      const part: Condition = { kind: 'null', field };
      return isNegated ? { kind: 'not', part } : part;
    }
    const isNegated = this.#takeWord('not');
    const part = this.#worded(field);
    return isNegated ? { kind: 'not', part } : part;
  }

  #worded(field: string): Condition {
    if (this.#takeWord('in')) {
      this.#needSymbol('(');
      const values = [this.#value()];
      while (this.#takeSymbol(',')) values.push(this.#value());
      this.#needSymbol(')');
      return { kind: 'in', field, values };
    }
    if (this.#takeWord('between')) {
      const low = this.#value();
      this.#needWord('and');
      return between(field, low, this.#value());
    }
    for (const word of ['like', 'ilike'] as const) {
      if (!this.#takeWord(word)) continue;
      const { kind, text } = this.#token;
      if (kind !== 'text') throw this.#expected("a text such as 'A%'");
      this.#next++;
      return { kind: 'like', field, pattern: text, ignoresCase: word === 'ilike' };
    }
    throw this.#expected('=, !=, <, <=, >, >=, in, between, like, ilike or is null');
  }

  #field(): string {
    const { kind, text, word } = this.#token;
    if (kind === 'word' && !RESERVED.has(word)) {
      this.#next++;
      return text;
    }
    if (kind !== 'quoted') throw this.#expected('the name of a field');
    this.#next++;
    return text;
  }

  #value(): Literal {
    const { kind, text, word } = this.#token;
    if (kind === 'text') {
      this.#next++;
      return text;
    }
    if (kind === 'number') {
      if (!Number.isFinite(Number(text))) throw this.#expected('a number of at most 1.8e308');
      this.#next++;
      return numberOf(text);
    }
    if (this.#takeWord('true')) return true;
    if (this.#takeWord('false')) return false;
    if (word === 'null') throw this.#expected("a value ('is null' asks for null)");
    throw this.#expected('a number, a text in single quotes, true or false');
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
    return refuseCondition(
      this.#path,
      `is not understood at character ${start + 1}: ${what} is expected, not ${found}${dateAdvice(this.#text, start)}`,
    );
  }
}

function numberOf(text: string): Literal {
  const value = Number(text);
  return /^[+-]?\d+$/.test(text) && !Number.isSafeInteger(value) ? BigInt(text.replace('+', '')) : value;
}
