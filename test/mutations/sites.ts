/** Finds places where limits, guards, sums and fences are written, and what each becomes as a mutant. */

export interface Site {
  readonly kind: 'limit' | 'guard' | 'sum' | 'fence';
  /** Offsets in the source text. */
  readonly start: number;
  readonly end: number;
  /** What stands there in the mutant. */
  readonly text: string;
}

/** Names of what is limited or counted. */
const QUANTITY =
  /limit|max|most|least|budget|bytes|length|count|size|total|depth|entries|width|room|attempt|expire|until|interval/i;
const COUNTER = /bytes|count|total|sum|used|waiting|entries|failures|attempts|length|size|positions/i;

/** Each comparison as one that differs at its limit. */
const AT_THE_LIMIT: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

/** All sites of a TypeScript source, in their order. */
export function sitesOf(source: string): Site[] {
  const code = withoutComments(source);
  const sites = [...comparisons(code), ...guards(code), ...sums(code), ...fences(code)];
  return sites.sort((a, b) => a.start - b.start);
}

export function mutate(source: string, { start, end, text }: Site): string {
  return source.slice(0, start) + text + source.slice(end);
}

/** Comments as blanks, so that offsets stay. */
function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ' '));
}

function lineAround(code: string, at: number): string {
  const end = code.indexOf('\n', at);
  return code.slice(code.lastIndexOf('\n', at) + 1, end < 0 ? code.length : end);
}

/** `if (x > most) most = x`: at the limit it assigns the value that is there, so the mutant is the same program. */
const EXTREME =
  /^\s*(?:else )?if \((?<value>[\w.#[\]]+) [<>] (?<kept>[\w.#[\]]+)\) (?:\k<kept> = \k<value>);$/;

/** Not of loops, whose mutants mostly read beyond an array. */
function* comparisons(code: string): Generator<Site> {
  for (const match of code.matchAll(/(?<= )(?:<=|>=|<|>)(?= )/g)) {
    const line = lineAround(code, match.index);
    if (!QUANTITY.test(line) || /\b(?:for|while) \(/.test(line) || /^\s*(?:type|interface|export type)\b/.test(line)) continue; // biome-ignore format: one line
    if (EXTREME.test(line)) continue;
    yield {
      kind: 'limit',
      start: match.index,
      end: match.index + match[0].length,
      text: AT_THE_LIMIT[match[0]],
    };
  }
}

/** `if (condition) throw ...` that never throws. Plain errors are of mistakes in the program, which no input reaches. */
function* guards(code: string): Generator<Site> {
  for (const match of code.matchAll(/\bif \(/g)) {
    const start = match.index + match[0].length;
    const end = closing(code, start);
    if (!/^\)\s*(?:\{\s*)?throw (?!new Error\b)/.test(code.slice(end, end + 60))) continue;
    yield { kind: 'guard', start, end, text: `false && (${code.slice(start, end)})` };
  }
}

/** Offset of the parenthesis that closes the one before `start`. */
function closing(code: string, start: number): number {
  let depth = 1;
  for (let at = start; at < code.length; at++) {
    if (code[at] === '(') depth++;
    else if (code[at] === ')' && --depth === 0) return at;
  }
  return code.length;
}

/** `total += part` that keeps the last part alone, or counts nothing. */
function* sums(code: string): Generator<Site> {
  for (const match of code.matchAll(/([\w.#[\]]+)( [+-]= |\+\+|--)(?=[^)]*;)/g)) {
    const [whole, name, operator] = match;
    if (!COUNTER.test(name)) continue;
    const start = match.index + name.length;
    const end = match.index + whole.length;
    if (operator === ' += ') yield { kind: 'sum', start, end, text: ' = ' };
    else if (operator === ' -= ') yield { kind: 'sum', start, end, text: ' += ' };
    else yield { kind: 'sum', start, end, text: '' };
  }
}

/** Conditions of statements and of code that an attempt is the current one. */
function* fences(code: string): Generator<Site> {
  for (const match of code.matchAll(/\bfence = (\$\d+|\?\d*)/g))
    yield { kind: 'fence', start: match.index, end: match.index + match[0].length, text: `fence = coalesce(fence, ${match[1]})` }; // biome-ignore format: one line
  for (const match of code.matchAll(/\bfence === /g))
    yield { kind: 'fence', start: match.index, end: match.index + match[0].length, text: 'fence !== ' };
}
