/**
 * Plain text of TEXT and MTEXT values: control codes are resolved or removed (DXF reference, "Control codes in text";
 * formatting codes of the MTEXT editor). \U+XXXX and \M+nXXXX are already resolved.
 */

/** The character for %% and one letter; u, o and k switch underlines, overlines and strike-through. */
const PERCENT_CODES: Readonly<Record<string, string>> = {
  d: '°',
  c: 'Ø',
  p: '±',
  u: '',
  o: '',
  k: '',
  '%': '%',
};
const PERCENT_CODE = /%%(?:([dcpuok%])|(\d{3}))/gi;
const CARET_CODE = /\^([ -_a-z])/g;

function percentCode(whole: string, letter: string | undefined, code: string | undefined): string {
  if (letter !== undefined) return PERCENT_CODES[letter.toLowerCase()];
  const value = Number(code);
  return value > 0 && value < 256 ? String.fromCharCode(value) : whole;
}

/** ^I is a tab, ^J a new line, "^ " the caret itself; ^M comes with ^J and is dropped. */
function caretCode(whole: string, letter: string): string {
  if (letter === ' ') return '^';
  if (letter === 'I') return '\t';
  if (letter === 'J') return '\n';
  return letter === 'M' ? '' : whole;
}

/** The value of a TEXT, ATTRIB or ATTDEF. */
export function plainText(value: string): string {
  let text = value;
  if (text.includes('%%')) text = text.replace(PERCENT_CODE, percentCode);
  return text.includes('^') ? text.replace(CARET_CODE, caretCode) : text;
}

const SPECIAL = /[\\{}]/g;
/** Codes with a value up to a semicolon: alignment, heights, widths, colours, fonts, paragraphs. */
const VALUE_CODES = 'AHWQTCcFfp';
/** Codes without a value: lines over, under and through. */
const SWITCH_CODES = 'LlOoKk';

/** The value of an MTEXT, its chunks joined. \P and \N become new lines, fractions "1/2". */
export function plainMtext(value: string): string {
  const text = plainText(value);
  SPECIAL.lastIndex = 0;
  if (!SPECIAL.test(text)) return text;
  const pieces: string[] = [];
  // No semicolon follows this one: computed once, not for each code that needs one.
  const lastSemicolon = text.lastIndexOf(';');
  let at = 0;
  while (at < text.length) {
    SPECIAL.lastIndex = at;
    const found = SPECIAL.exec(text);
    const special = found === null ? text.length : found.index;
    if (special > at) pieces.push(text.slice(at, special));
    at = special + 1;
    if (text[special] !== '\\') continue;
    if (at === text.length) {
      pieces.push('\\');
      break;
    }
    const code = text[at++];
    if (code === 'P' || code === 'N' || code === 'X') pieces.push('\n');
    else if (code === '~') pieces.push('\u00a0');
    else if (code === '\\' || code === '{' || code === '}') pieces.push(code);
    else if (code === 'S') {
      const end = stackEnd(text, at);
      pieces.push(stacked(text.slice(at, end)));
      at = end + 1;
    } else if (VALUE_CODES.includes(code)) {
      if (at <= lastSemicolon) at = text.indexOf(';', at) + 1;
    } else if (!SWITCH_CODES.includes(code)) pieces.push(`\\${code}`);
  }
  return pieces.join('');
}

/** Index of the semicolon that ends a stack; a semicolon after a backslash does not. */
function stackEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === ';') return at;
  }
  return text.length;
}

/** 1/2 and 1#2 are fractions; in 1^2, upper and lower limits, the two are separated by a space. */
function stacked(stack: string): string {
  const divider = dividerAt(stack);
  if (divider < 0) return unescaped(stack);
  const upper = unescaped(stack.slice(0, divider)).trim();
  const lower = unescaped(stack.slice(divider + 1)).trim();
  if (upper === '' || lower === '') return upper + lower;
  return stack[divider] === '^' ? `${upper} ${lower}` : `${upper}/${lower}`;
}

/**
 * Index of the separator of a stack's two texts; -1 without one. (A regular expression with alternatives overflows on
 * long texts.)
 */
function dividerAt(stack: string): number {
  for (let at = 0; at < stack.length; at++) {
    const char = stack[at];
    if (char === '\\') at++;
    else if (char === '/' || char === '#' || char === '^') return at;
  }
  return -1;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}
