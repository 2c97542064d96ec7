/**
 * Conditions on fields as rows: a list of comparisons that are joined by "and" or by "or". Texts of the grammar of `where`
 * (docs/transformations.md#filter) that are more than that have no rows. Pure.
 */

/** A field that controls offer. */
export interface FieldChoice {
  readonly name: string;
  /** As in an inspection; null: sources differ, or the type is not known. */
  readonly type: string | null;
}

export const OPERATORS = [
  '=',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'between',
  'not between',
  'in',
  'not in',
  'like',
  'not like',
  'ilike',
  'not ilike',
  'is null',
  'is not null',
] as const;
export type Operator = (typeof OPERATORS)[number];

export interface Literal {
  readonly kind: 'number' | 'text' | 'boolean';
  /** A number keeps its digits: those of 64 bits are no numbers of JavaScript. */
  readonly text: string;
}

export interface ConditionRow {
  readonly field: string;
  readonly operator: Operator;
  readonly values: readonly Literal[];
}

export interface RowCondition {
  readonly join: 'and' | 'or';
  readonly rows: readonly ConditionRow[];
}

/** Longer conditions stay text. */
const MAX_ROWS = 50;
const MAX_LENGTH = 20_000;
/** Fields of these names are quoted. */
const KEYWORDS = new Set('and or not in between like ilike is null true false'.split(' '));
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** How many values an operator takes; null: one or more. */
export function valueCount(operator: Operator): number | null {
  if (operator.endsWith('null')) return 0;
  if (operator.endsWith('between')) return 2;
  return operator === 'in' || operator === 'not in' ? null : 1;
}

export function isComplete({ field, operator, values }: ConditionRow): boolean {
  const count = valueCount(operator);
  const hasAll = count === null ? values.length > 0 : values.length === count;
  return field !== '' && hasAll && values.every(isLiteral);
}

function isLiteral({ kind, text }: Literal): boolean {
  if (kind === 'number') return NUMBER.test(text) && Number.isFinite(Number(text));
  return kind === 'text' || text === 'true' || text === 'false';
}

/** The complete rows as text; undefined: there are none. */
export function conditionText({ join, rows }: RowCondition): string | undefined {
  const texts = rows.filter(isComplete).map(rowText);
  return texts.length === 0 ? undefined : texts.join(` ${join} `);
}

function rowText({ field, operator, values }: ConditionRow): string {
  const isPlain = /^[A-Za-z_]\w*$/.test(field) && !KEYWORDS.has(field.toLowerCase());
  const name = isPlain ? field : `"${field.replaceAll('"', '""')}"`;
  const texts = values.map(({ kind, text }) => (kind === 'text' ? `'${text.replaceAll("'", "''")}'` : text));
  if (texts.length === 0) return `${name} ${operator}`;
  if (operator.endsWith('between')) return `${name} ${operator} ${texts.join(' and ')}`;
  return `${name} ${operator} ${operator.endsWith('in') ? `(${texts.join(', ')})` : texts[0]}`;
}

/** The rows of a text; null: it cannot be shown as rows, because of parentheses, "and" beside "or", or a mistake. */
export function parseRows(text: string): RowCondition | null {
  if (text.length > MAX_LENGTH) return null;
  const tokens = tokensOf(text);
  return tokens === null ? null : new RowParser(tokens).parse();
}

interface Token {
  readonly kind: 'word' | 'name' | 'text' | 'number' | 'symbol';
  readonly text: string;
}

const TOKEN =
  /\s*(?:([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\p{L}\p{N}_]))|([\p{L}_][\p{L}\p{N}_.:]*)|"((?:[^"]|"")*)"|'((?:[^']|'')*)'|(<=|>=|<>|!=|==|[=<>(),]))/uy;

function tokensOf(text: string): Token[] | null {
  const tokens: Token[] = [];
  const trimmed = text.trimEnd();
  for (let at = 0; at < trimmed.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(trimmed);
    if (match === null) return null;
    const [, number, word, name, literal, symbol] = match;
    if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name.replaceAll('""', '"') });
    else if (literal !== undefined) tokens.push({ kind: 'text', text: literal.replaceAll("''", "'") });
    else tokens.push({ kind: 'symbol', text: symbol });
  }
  return tokens;
}

const COMPARISONS = new Map<string, Operator>([
  ['==', '='],
  ['<>', '!='],
  ...(['=', '!=', '<', '<=', '>', '>='] as const).map((one) => [one, one] as const),
]);

/** Methods return null for what is not a row, and the parse ends. */
class RowParser {
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): RowCondition | null {
    const rows: ConditionRow[] = [];
    let join: RowCondition['join'] | null = null;
    for (;;) {
      const row = this.#row();
      // A field without a name would be lost: rows without one are not written.
      if (row === null || !isComplete(row) || rows.length === MAX_ROWS) return null;
      rows.push(row);
      if (this.#next === this.#tokens.length) return { join: join ?? 'and', rows };
      const next = this.#takeWord('and') ? 'and' : this.#takeWord('or') ? 'or' : null;
      if (next === null || (join !== null && join !== next)) return null;
      join = next;
    }
  }

  #row(): ConditionRow | null {
    const name = this.#take();
    const isName = name?.kind === 'name' || (name?.kind === 'word' && !KEYWORDS.has(name.text.toLowerCase()));
    if (name === undefined || !isName) return null;
    const field = name.text;
    const symbol = this.#tokens.at(this.#next);
    const comparison =
      this.#next < this.#tokens.length && symbol?.kind === 'symbol'
        ? COMPARISONS.get(symbol.text)
        : undefined;
    if (comparison !== undefined) {
      this.#next++;
      return this.#withValues(field, comparison, this.#literals(1, null));
    }
    if (this.#takeWord('is')) {
      const operator = this.#takeWord('not') ? 'is not null' : 'is null';
      return this.#takeWord('null') ? { field, operator, values: [] } : null;
    }
    const not = this.#takeWord('not') ? 'not ' : '';
    if (this.#takeWord('in'))
      return this.#withValues(field, `${not}in` as Operator, this.#takeSymbol('(') ? this.#list() : null);
    if (this.#takeWord('between'))
      return this.#withValues(field, `${not}between` as Operator, this.#literals(2, 'and'));
    for (const word of ['like', 'ilike'] as const)
      if (this.#takeWord(word)) {
        const values = this.#literals(1, null);
        return values?.[0].kind === 'text' ? { field, operator: `${not}${word}` as Operator, values } : null;
      }
    return null;
  }

  #withValues(field: string, operator: Operator, values: readonly Literal[] | null): ConditionRow | null {
    return values === null ? null : { field, operator, values };
  }

  #literals(count: number, separator: string | null): Literal[] | null {
    const values: Literal[] = [];
    for (let i = 0; i < count; i++) {
      if (i > 0 && separator !== null && !this.#takeWord(separator)) return null;
      const value = this.#literal();
      if (value === null) return null;
      values.push(value);
    }
    return values;
  }

  #list(): Literal[] | null {
    const values: Literal[] = [];
    do {
      const value = this.#literal();
      if (value === null) return null;
      values.push(value);
    } while (this.#takeSymbol(','));
    return this.#takeSymbol(')') ? values : null;
  }

  #literal(): Literal | null {
    const token = this.#take();
    if (token === undefined) return null;
    const word = token.kind === 'word' ? token.text.toLowerCase() : null;
    const literal: Literal | null =
      token.kind === 'text' || token.kind === 'number'
        ? { kind: token.kind, text: token.text }
        : word === 'true' || word === 'false'
          ? { kind: 'boolean', text: word }
          : null;
    return literal !== null && isLiteral(literal) ? literal : null;
  }

  #take(): Token | undefined {
    return this.#tokens[this.#next++];
  }

  #takeWord(word: string): boolean {
    const token = this.#tokens[this.#next] as Token | undefined;
    if (token?.kind !== 'word' || token.text.toLowerCase() !== word) return false;
    this.#next++;
    return true;
  }

  #takeSymbol(symbol: string): boolean {
    const token = this.#tokens[this.#next] as Token | undefined;
    if (token?.kind !== 'symbol' || token.text !== symbol) return false;
    this.#next++;
    return true;
  }
}

const NUMBER_TYPES = new Set(['int32', 'int64', 'float64']);

/** The kind of the values that a field is compared with. Text suits all: one that is a number counts as one. */
export function literalKind(type: string | null): Literal['kind'] {
  if (type !== null && NUMBER_TYPES.has(type)) return 'number';
  return type === 'boolean' ? 'boolean' : 'text';
}

const ORDERED: readonly Operator[] = [
  ...(['=', '!=', '<', '<=', '>', '>='] as const),
  ...(['between', 'not between', 'in', 'not in'] as const),
];
const NULLS: readonly Operator[] = ['is null', 'is not null'];

/** The operators that make sense for a type. */
export function operatorsFor(type: string | null): readonly Operator[] {
  if (type === null || type === 'json') return OPERATORS;
  if (type === 'boolean') return ['=', '!=', ...NULLS];
  if (type === 'binary') return NULLS;
  if (type === 'string')
    return ['=', '!=', 'like', 'not like', 'ilike', 'not ilike', 'in', 'not in', ...NULLS];
  return [...ORDERED, ...NULLS];
}

export const OPERATOR_WORDS: Readonly<Record<Operator, string>> = {
  '=': 'is',
  '!=': 'is not',
  '<': 'is less than',
  '<=': 'is at most',
  '>': 'is more than',
  '>=': 'is at least',
  between: 'is between',
  'not between': 'is not between',
  in: 'is one of',
  'not in': 'is none of',
  like: 'is like (%, _)',
  'not like': 'is not like (%, _)',
  ilike: 'is like, any case',
  'not ilike': 'is not like, any case',
  'is null': 'has no value',
  'is not null': 'has a value',
};
