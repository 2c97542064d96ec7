/** Tokens of an expression in text form. */
import { type ExpressionSize, refuseExpression } from './expression.ts';

export interface Token {
  /** quoted: a name in double quotes. */
  readonly kind: 'word' | 'quoted' | 'text' | 'number' | 'symbol' | 'end';
  /** Without quotes. */
  readonly text: string;
  /** Of a word: in lower case; else empty. */
  readonly word: string;
  /** As it is written. */
  readonly source: string;
  /** Offset of its first character. */
  readonly start: number;
}

// Two repeated groups are separated by a character that neither matches: else long runs of digits take quadratic time. Groups
// have numbers, because named groups allocate an object per token, and a request can have 100,000.
const TOKEN =
  /((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\p{L}\p{N}_]))|([\p{L}_:][\p{L}\p{M}\p{N}_.:]*)|"((?:[^"]|"")*)"|'((?:[^']|'')*)'|(<=|>=|<>|!=|==|\|\||[=<>(),+\-*/%^])/uy;
/** A date without quotes would be a subtraction or a division. */
const BARE_DATE = /\d{4}([-/])\d\d\1\d\d(?!\d)/y;
const SPACE = /\s+/uy;

/** The last token has kind 'end'. Throws TRANSFORMATION_INVALID. */
export function tokenize(text: string, path: string, size: ExpressionSize): readonly Token[] {
  const tokens: Token[] = [];
  size.addText(text);
  for (let start = skipSpace(text, 0); start < text.length; start = skipSpace(text, TOKEN.lastIndex)) {
    TOKEN.lastIndex = start;
    const match = TOKEN.exec(text);
    BARE_DATE.lastIndex = start;
    if (match === null || (match[1] !== undefined && BARE_DATE.test(text)))
      throw refuseExpression(
        path,
        `${problemAt(text, start)} at character ${start + 1}${dateAdvice(text, start)}`,
      );
    size.addToken();
    const [source, number, word, quoted, literal] = match;
    if (number !== undefined) tokens.push({ kind: 'number', text: number, word: '', source, start });
    else if (word !== undefined)
      tokens.push({ kind: 'word', text: word, word: word.toLowerCase(), source, start });
    else if (quoted !== undefined)
      tokens.push({ kind: 'quoted', text: quoted.replaceAll('""', '"'), word: '', source, start });
    else if (literal !== undefined)
      tokens.push({ kind: 'text', text: literal.replaceAll("''", "'"), word: '', source, start });
    else tokens.push({ kind: 'symbol', text: source, word: '', source, start });
  }
  tokens.push({ kind: 'end', text: '', word: '', source: '', start: text.length });
  return tokens;
}

function skipSpace(text: string, at: number): number {
  const code = text.charCodeAt(at);
  // Nearly always none or one blank.
  if (code === 0x20 && text.charCodeAt(at + 1) > 0x20 && text.charCodeAt(at + 1) < 0x7f) return at + 1;
  if (code > 0x20 && code < 0x7f) return at;
  SPACE.lastIndex = at;
  return SPACE.test(text) ? SPACE.lastIndex : at;
}

/** An instruction where a date without quotes is around a character; else nothing. */
export function dateAdvice(text: string, at: number): string {
  const start = Math.max(0, at - 10);
  for (const match of text.slice(start, at + 20).matchAll(/\d{1,4}([-/.])\d{1,2}\1\d{1,4}/g))
    if (start + match.index <= at && at <= start + match.index + match[0].length)
      return "; write a date in single quotes, as '2020-01-31'";
  return '';
}

function problemAt(text: string, at: number): string {
  if (text[at] === "'") return 'has a text whose closing quote is missing';
  if (text[at] === '"') return 'has a name whose closing quote is missing';
  if (text.startsWith('&&', at)) return "is not understood: write 'and' in place of '&&'";
  return `is not understood: '${String.fromCodePoint(text.codePointAt(at) as number)}'`;
}
