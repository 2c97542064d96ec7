/**
 * The records as columns, their words as numbers, so that a search is one pass over 0.5 MB of integers:
 *
 *     texts        | name | alias | name | alias | alias | name |   the word numbers of all, one after the other
 *     textStarts   ^0     ^1      ^2     ^3      ^4      ^5         a text ends where the next begins
 *     firstTexts   ^record 0      ^record 1              ^record 2
 *
 * Areas have two texts each, name and description. Alternatives rejected: lists of records by word, which are larger and not
 * faster for queries like "3"; SQLite's full-text search, which does not find words by their numbers ("zone32n"); minisearch,
 * which needs 8 times the memory and query time and ranks worse.
 */
import { CRS_KINDS, type CrsArea, type CrsRecord } from './read-database.ts';
import { Vocabulary, wordsOf, wordsOfName } from './words.ts';

/** Texts as word numbers. */
export interface Texts {
  readonly words: Uint16Array;
  /** One more than texts. */
  readonly starts: Uint32Array;
}

export interface CrsIndex {
  readonly vocabulary: Vocabulary;
  /** By record, ascending. */
  readonly codes: Uint32Array;
  readonly names: readonly string[];
  /** Index into CRS_KINDS. */
  readonly kinds: Uint8Array;
  readonly isDeprecated: Uint8Array;
  readonly operationCounts: Uint16Array;
  readonly units: readonly string[];
  readonly texts: Texts;
  /** Number of the first text of a record, its name; one more than records. */
  readonly firstTexts: Uint32Array;
  /** Index into `areas`; NO_AREA if the record has no area. */
  readonly areaNumbers: Uint16Array;
  readonly areas: readonly Omit<CrsArea, 'description'>[];
  /** Text 2 i is the name of area i, text 2 i + 1 its description. */
  readonly areaTexts: Texts;
}

export const NO_AREA = 0xffff;
const MOST_OPERATIONS = 0xffff;
/** Limited by the bits of a rank (match.ts); EPSG has 7000 records. */
const MOST_RECORDS = 0xffff;

/** `records` are in the order of their codes. */
export function buildIndex(records: readonly CrsRecord[]): CrsIndex {
  if (records.length > MOST_RECORDS)
    throw new Error(`${records.length} systems are more than ${MOST_RECORDS}`);
  const numbering = new Map<string, number>();
  const texts = new TextCollector(numbering, wordsOfName);
  const areaTexts = new TextCollector(numbering, wordsOf);
  const areaNumbers = new Map<CrsArea, number>();
  const firstTexts = new Uint32Array(records.length + 1);
  const areaOf = new Uint16Array(records.length).fill(NO_AREA);
  records.forEach(({ name, aliases, area }, record) => {
    texts.add(name);
    if (aliases !== '') for (const alias of aliases.split('\n')) texts.add(alias);
    firstTexts[record + 1] = texts.count;
    if (area === null) return;
    let number = areaNumbers.get(area);
    if (number === undefined) {
      number = areaNumbers.size;
      areaNumbers.set(area, number);
      areaTexts.add(area.name);
      areaTexts.add(area.description);
    }
    areaOf[record] = number;
  });
  const { vocabulary, rank } = inAlphabeticalOrder(numbering);
  return {
    vocabulary,
    codes: Uint32Array.from(records, ({ code }) => code),
    names: records.map(({ name }) => name),
    kinds: Uint8Array.from(records, ({ kind }) => CRS_KINDS.indexOf(kind)),
    isDeprecated: Uint8Array.from(records, (record) => (record.isDeprecated ? 1 : 0)),
    operationCounts: Uint16Array.from(records, ({ operationCount }) =>
      Math.min(operationCount, MOST_OPERATIONS),
    ),
    units: records.map(({ unit }) => unit),
    texts: texts.finish(rank),
    firstTexts,
    areaNumbers: areaOf,
    areas: [...areaNumbers.keys()].map(({ description: _, ...area }) => area),
    areaTexts: areaTexts.finish(rank),
  };
}

class TextCollector {
  readonly #numbering: Map<string, number>;
  readonly #split: (text: string) => string[];
  /** Words by the text between spaces. Most of these texts repeat, so few have to be split. */
  readonly #pieces = new Map<string, readonly number[]>();
  #words = new Uint16Array(1 << 14);
  #wordCount = 0;
  readonly #starts: number[] = [0];

  constructor(numbering: Map<string, number>, split: (text: string) => string[]) {
    this.#numbering = numbering;
    this.#split = split;
  }

  get count(): number {
    return this.#starts.length - 1;
  }

  add(text: string): void {
    for (const piece of text.replaceAll('_', ' ').split(' ')) {
      let numbers = this.#pieces.get(piece);
      if (numbers === undefined) {
        numbers = this.#split(piece).map((word) => this.#numberOf(word));
        this.#pieces.set(piece, numbers);
      }
      if (this.#wordCount + numbers.length > this.#words.length) this.#grow(numbers.length);
      for (const number of numbers) this.#words[this.#wordCount++] = number;
    }
    this.#starts.push(this.#wordCount);
  }

  #numberOf(word: string): number {
    let number = this.#numbering.get(word);
    if (number === undefined) {
      number = this.#numbering.size;
      this.#numbering.set(word, number);
    }
    return number;
  }

  #grow(more: number): void {
    const larger = new Uint16Array(2 * (this.#words.length + more));
    larger.set(this.#words);
    this.#words = larger;
  }

  /** `rank` gives the final number of each word. */
  finish(rank: Uint16Array): Texts {
    const words = this.#words.slice(0, this.#wordCount);
    for (let i = 0; i < words.length; i++) words[i] = rank[words[i]];
    return { words, starts: new Uint32Array(this.#starts) };
  }
}

function inAlphabeticalOrder(numbering: ReadonlyMap<string, number>): {
  vocabulary: Vocabulary;
  rank: Uint16Array;
} {
  // PROJ's database has 5000 words; a number that does not fit would silently become another word.
  if (numbering.size > 0x10000) throw new Error(`${numbering.size} different words are more than 65536`);
  const words = [...numbering.keys()].sort();
  const rank = new Uint16Array(words.length);
  words.forEach((word, index) => {
    rank[numbering.get(word)!] = index;
  });
  return { vocabulary: new Vocabulary(words), rank };
}
