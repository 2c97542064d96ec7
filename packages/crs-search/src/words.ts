/** Text as search sees it: words without case, accents and punctuation. The same for names and for queries. */

/** Letters that do not decompose into a base letter and an accent (Unicode NFKD). */
const UNDECOMPOSED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/**
 * Runs of letters and runs of digits, each a word: "WGS84" and "WGS 84", "zone32n" and "zone 32N", "Krüger" and
 * "kruger" are the same. Never an empty word.
 */
export function wordsOf(text: string): string[] {
  const folded = text
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => UNDECOMPOSED[letter]);
  return folded.match(/\p{L}+|\p{N}+/gu) ?? [];
}

/**
 * A name of the database, where "StatePlane" is two words, too. Not so "ftUS" and "zE": whoever types "ze" would find
 * New Zealand instead, as a query's capitals mean nothing.
 */
export function wordsOfName(name: string): string[] {
  return wordsOf(name.replace(/([a-z]{3})([A-Z][a-z]{2})/g, '$1 $2'));
}

/** The words of all texts in alphabetical order, so that the words with one beginning are a range of numbers. */
export class Vocabulary {
  readonly #words: readonly string[];

  /** `words` are sorted by code units, each once. */
  constructor(words: readonly string[]) {
    this.#words = words;
  }

  get size(): number {
    return this.#words.length;
  }

  /** Whether `number` is that of the very word. */
  isWord(number: number, word: string): boolean {
    return this.#words[number] === word;
  }

  /** Numbers of the words that begin with `prefix`: first, end (exclusive). */
  range(prefix: string): readonly [first: number, end: number] {
    return [this.#lowerBound(prefix), this.#lowerBound(`${prefix}\uffff`)];
  }

  has(word: string): boolean {
    return this.#words[this.#lowerBound(word)] === word;
  }

  #lowerBound(word: string): number {
    let low = 0;
    let high = this.#words.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#words[middle] < word) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
