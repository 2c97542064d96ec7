/** Parses a query: a code, words, or both. */
import { type Vocabulary, wordsOf } from './words.ts';

/** No name or alias is longer; a longer query finds nothing. */
const MAX_QUERY_CHARACTERS = 500;
/** One bit each in a mask of words. */
const MAX_WORDS = 30;

/** "25832", "EPSG:25832", "epsg 25832", "urn:ogc:def:crs:EPSG::25832", "http://www.opengis.net/def/crs/EPSG/0/25832". */
const CODE = /^(?:\S*\bepsg[:/.\s]*(?:[\d.]*[:/])?)?(\d{1,9})$/i;

/** With fewer digits a number is a zone rather than the beginning of a code, unless EPSG precedes it. */
const LEAST_DIGITS = 3;

export interface CodeQuery {
  readonly code: number;
  /** Codes that begin with it match as well. */
  readonly isPrefix: boolean;
  /** The query states that it is a code, so it is not searched as words. */
  readonly isOnlyCode: boolean;
}

/** Null if the query is not a code. */
export function codeOf(query: string): CodeQuery | null {
  const text = query.normalize('NFKC').trim();
  const match = text.length > MAX_QUERY_CHARACTERS ? null : CODE.exec(text);
  if (match === null) return null;
  const isOnlyCode = match[1].length < text.length;
  return { code: Number(match[1]), isPrefix: isOnlyCode || match[1].length >= LEAST_DIGITS, isOnlyCode };
}

/** Names and areas have the country, people often its adjective. */
const COUNTRIES: Readonly<Record<string, string>> = {
  swiss: 'switzerland',
  dutch: 'netherlands',
  german: 'germany',
  french: 'france',
  italian: 'italy',
  spanish: 'spain',
  portuguese: 'portugal',
  austrian: 'austria',
  belgian: 'belgium',
  polish: 'poland',
  czech: 'czechia',
  danish: 'denmark',
  norwegian: 'norway',
  swedish: 'sweden',
  finnish: 'finland',
  hungarian: 'hungary',
  croatian: 'croatia',
  slovenian: 'slovenia',
  irish: 'ireland',
  turkish: 'turkey',
};

/** The query with countries in place of their adjectives; null if it has none. */
export function withCountry(query: string): string | null {
  if (query.length > MAX_QUERY_CHARACTERS) return null;
  const text = query.replace(/\p{L}+/gu, (word) => {
    const name = word.toLowerCase();
    return Object.hasOwn(COUNTRIES, name) ? COUNTRIES[name] : word;
  });
  return text === query ? null : text;
}

export interface QueryWord {
  readonly text: string;
  /** Numbers in the vocabulary of the words that begin with it: first, end (exclusive). */
  readonly first: number;
  readonly end: number;
  /** The code that the word may be; 0 if it cannot be one. */
  readonly code: number;
}

/** The words in order; null if a word is not in the database, so that nothing matches. */
export function wordsOfQuery(query: string, vocabulary: Vocabulary): QueryWord[] | null {
  if (query.length > MAX_QUERY_CHARACTERS) return null;
  const all = wordsOf(query);
  // In "EPSG:25832 ETRS89 / UTM zone 32N" the word EPSG adds nothing: all systems are from EPSG.
  const said = all[0] === 'epsg' ? all.slice(1) : all;
  const found: QueryWord[] = [];
  for (const word of said) {
    const known = resolve(word, vocabulary);
    if (known === null) return null;
    for (const text of known) {
      const [first, end] = vocabulary.range(text);
      found.push({ text, first, end, code: /^\d{4,6}$/.test(text) ? Number(text) : 0 });
    }
  }
  return found.length > MAX_WORDS ? null : found;
}

/** The word itself; else as Germans write it without umlauts ("krueger"); else as two ("gausskruger"); else null. */
function resolve(word: string, vocabulary: Vocabulary): string[] | null {
  const isKnown = (prefix: string): boolean => {
    const [first, end] = vocabulary.range(prefix);
    return first < end;
  };
  if (isKnown(word) || /^\d{4,6}$/.test(word)) return [word];
  const plain = word.replace(/([aou])e/g, '$1');
  if (plain !== word && isKnown(plain)) return [plain];
  for (const text of plain === word ? [word] : [word, plain])
    for (let at = text.length - 1; at > 1; at--)
      if (vocabulary.has(text.slice(0, at)) && isKnown(text.slice(at)))
        return [text.slice(0, at), text.slice(at)];
  return null;
}
