/** The words of a condition in text form. */
import { ConditionSize, refuseCondition } from './condition.ts';

export interface Token {
  /** quoted: a name in double quotes. */
  readonly kind: 'word' | 'quoted' | 'text' | 'number' | 'symbol' | 'end';
  /** Without quotes. */
  readonly text: string;
  /** As it is written. */
  readonly source: string;
  /** Offset of its first character. */
  readonly start: number;
}

// Between two repeated groups stands a character that neither takes: else digits without end take quadratic time.
const TOKEN =
  /\s+|(?<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\p{L}\p{N}_]))|(?<word>[\p{L}_][\p{L}\p{N}_.:]*)|"(?<quoted>(?:[^"]|"")*)"|'(?<text>(?:[^']|'')*)'|(?<symbol><=|>=|<>|!=|==|[=<>(),])/uy;

/** Ends with a token of kind 'end'. Throws TRANSFORMATION_INVALID. */
export function tokenize(text: string, path: string): readonly Token[] {
  const tokens: Token[] = [];
  const size = new ConditionSize(path);
  size.addText(text);
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const start = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) throw refuseCondition(path, `${problemAt(text, start)} at character ${start + 1}`);
    const groups = match.groups ?? {};
    const source = match[0];
    if (source.trim() !== '') size.addToken();
    if (groups.number !== undefined) tokens.push({ kind: 'number', text: groups.number, source, start });
    else if (groups.word !== undefined) tokens.push({ kind: 'word', text: groups.word, source, start });
    else if (groups.quoted !== undefined)
      tokens.push({ kind: 'quoted', text: groups.quoted.replaceAll('""', '"'), source, start });
    else if (groups.text !== undefined)
      tokens.push({ kind: 'text', text: groups.text.replaceAll("''", "'"), source, start });
    else if (groups.symbol !== undefined) tokens.push({ kind: 'symbol', text: groups.symbol, source, start });
  }
  tokens.push({ kind: 'end', text: '', source: '', start: text.length });
  return tokens;
}

function problemAt(text: string, at: number): string {
  if (text[at] === "'") return 'has a text whose closing quote is missing';
  if (text[at] === '"') return 'has a name whose closing quote is missing';
  return `is not understood: '${String.fromCodePoint(text.codePointAt(at) as number)}'`;
}
