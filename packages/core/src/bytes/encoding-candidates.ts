/** The encodings in which texts of unknown encoding can be, the most plausible first. The user decides by eye. */
import { isAsciiCompatible, textDecoder, WINDOWS_1252 } from './text-encoding.ts';
import { UTF8 } from './utf8.ts';

export interface EncodingCandidate {
  /** A name that `encodingByName` returns. */
  readonly encoding: string;
  /** The texts as they are read in it. */
  readonly samples: readonly string[];
}

/** In the order of their use; of two that read the same, the first is kept. */
const ENCODINGS = [
  UTF8, WINDOWS_1252, 'windows-1250', 'windows-1251', 'windows-1253', 'windows-1254', 'windows-1255', 'windows-1256',
  'windows-1257', 'windows-1258', 'ISO-8859-2', 'ISO-8859-15', 'KOI8-R', 'CP850', 'CP437', 'CP852', 'CP866', 'macintosh',
  'Shift_JIS', 'GB18030', 'Big5', 'EUC-KR', 'EUC-JP', 'windows-874',
]; // biome-ignore format: a table
const MAX_CANDIDATES = 8;
const MAX_SHOWN = 100;

/**
 * `current`: the encoding in which the file is read; it is always a candidate, also if the texts are not valid in it. Empty
 * without samples, or if `current` is not one of bytes like ASCII.
 */
export function encodingCandidates(samples: readonly Uint8Array[], current: string): EncodingCandidate[] {
  if (samples.length === 0 || !isAsciiCompatible(current)) return [];
  const candidates: { readonly candidate: EncodingCandidate; readonly score: number }[] = [];
  const met = new Set<string>();
  for (const encoding of new Set([current, ...ENCODINGS])) {
    const decode = textDecoder(encoding);
    const texts = samples.map((bytes) => decode(bytes, 0, bytes.length));
    const score = scoreOf(texts) + (encoding === UTF8 ? VALID_UTF8 : 0);
    const key = texts.join('\n');
    if (encoding !== current && (score === IMPOSSIBLE || met.has(key))) continue;
    met.add(key);
    const shown = texts.map((text) => [...text].slice(0, MAX_SHOWN).join(''));
    candidates.push({ candidate: { encoding, samples: shown }, score });
  }
  // Stable, so that equal ones stay in the order of their use.
  candidates.sort((a, b) => b.score - a.score);
  const [{ score: highest }] = candidates;
  const best = candidates
    .filter(({ score }) => score > IMPLAUSIBLE || highest <= IMPLAUSIBLE)
    .slice(0, MAX_CANDIDATES);
  const own = candidates.find(({ candidate }) => candidate.encoding === current);
  if (own !== undefined && !best.includes(own)) best.splice(MAX_CANDIDATES - 1, 1, own);
  return best.map(({ candidate }) => candidate);
}

const IMPOSSIBLE = -Infinity;
/** Not a candidate beside better ones: words of several scripts, symbols within words. */
const IMPLAUSIBLE = -0.25;
/** Text in another encoding is hardly ever valid UTF-8. */
const VALID_UTF8 = 10;
/** Characters that real text does not have: replacement, control, private-use and unassigned ones. */
const NEVER = /[\ufffd\p{Co}\p{Cn}]|(?![\t\n\r])\p{Cc}/u;
const SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Thai}/u,
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  /\p{Script=Hangul}/u,
];

/** Mean of the points of the characters beyond ASCII: letters of one script within a word are plausible, symbols are not. */
function scoreOf(texts: readonly string[]): number {
  let [sum, count] = [0, 0];
  for (const text of texts) {
    if (NEVER.test(text)) return IMPOSSIBLE;
    for (const [character] of text.matchAll(/[^\0-\x7f]/gu)) {
      sum += /[\p{L}\p{M}]/u.test(character) ? 1 : /[\p{P}\p{Z}\p{N}\p{Sc}°]/u.test(character) ? 0 : -1;
      count++;
    }
    for (const [word] of text.matchAll(/[\p{L}\p{M}]+/gu)) {
      if (SCRIPTS.filter((script) => script.test(word)).length > 1) sum -= 2;
      // A capital after a small letter: "GrГ¶Гџe", "KÃ¶ln".
      if (/\p{Ll}\p{Lu}/u.test(word)) sum -= 1;
    }
    // A letter before and after a symbol: "Gr÷áe".
    sum -= [...text.matchAll(/\p{L}[^\0-\x7f\p{L}\p{M}\p{P}\p{Z}]\p{L}/gu)].length;
  }
  return count === 0 ? 0 : sum / count;
}

/** Whether all characters beyond ASCII are letters that form plausible words in one script other than Latin. */
export function hasWordsOfOtherScript(text: string): boolean {
  const beyond = text.match(/[^\0-\x7f]/gu) ?? [];
  return (
    beyond.length > 0 && !beyond.some((letter) => /\p{Script=Latin}/u.test(letter)) && scoreOf([text]) === 1
  );
}
