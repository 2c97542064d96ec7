/**
 * Plain text of TEXT and MTEXT values: control codes resolved or taken out (DXF reference, "Control codes in text";
 * formatting codes of the MTEXT editor). \U+XXXX and \M+nXXXX were resolved when the text was decoded.
 */

/** What %% and one letter stand for; u, o and k switch underlines, overlines and strike-through. */
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

/** ^I is a tab, ^J a new line, "^ " the caret itself; ^M comes with ^J and says nothing more. */
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

/** Codes with a value up to a semicolon: alignment, heights, widths, colours, fonts, paragraphs. */
const VALUE_CODES = 'AHWQTCcFfp';
/** Codes without a value: lines over, under and through. */
const SWITCH_CODES = 'LlOoKk';

/** The value of an MTEXT, its chunks joined. \P and \N become new lines, fractions "1/2". */
export function plainMtext(value: string): string {
  const text = plainText(value);
  if (!/[\\{}]/.test(text)) return text;
  let plain = '';
  let at = 0;
  while (at < text.length) {
    const char = text[at++];
    if (char === '{' || char === '}') continue;
    if (char !== '\\' || at === text.length) {
      plain += char;
      continue;
    }
    const code = text[at++];
    if (code === 'P' || code === 'N' || code === 'X') plain += '\n';
    else if (code === '~') plain += '\u00a0';
    else if (code === '\\' || code === '{' || code === '}') plain += code;
    else if (code === 'S') {
      const end = stackEnd(text, at);
      plain += stacked(text.slice(at, end));
      at = end + 1;
    } else if (VALUE_CODES.includes(code)) {
      const end = text.indexOf(';', at);
      if (end >= 0) at = end + 1;
    } else if (!SWITCH_CODES.includes(code)) plain += `\\${code}`;
  }
  return plain;
}

/** Index of the semicolon that ends a stack; one after a backslash does not. */
function stackEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === ';') return at;
  }
  return text.length;
}

/** 1/2 and 1#2 are fractions, 1^2 is one above the other: apart by a space, as upper and lower limits are read. */
function stacked(stack: string): string {
  const match = /^((?:\\.|[^\\/#^])*)([/#^])(.*)$/s.exec(stack);
  if (match === null) return unescaped(stack);
  const [, above, divider, below] = match;
  const upper = unescaped(above).trim();
  const lower = unescaped(below).trim();
  if (upper === '' || lower === '') return upper + lower;
  return divider === '^' ? `${upper} ${lower}` : `${upper}/${lower}`;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}
