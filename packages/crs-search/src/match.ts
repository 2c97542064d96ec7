/** How well the words of a query fit the records, in one pass over the index. */
import { type CrsIndex, NO_AREA, type Texts } from './crs-index.ts';
import type { QueryWord } from './query.ts';
import { type Use, useOf } from './widely-used.ts';

/** Quality of a match, best first. */
export const TIER = {
  exactCode: 0,
  codePrefix: 1,
  /** The name letter by letter: "CH1903" and "CH1903+" are the same words. */
  sameName: 2,
  /** The words are the whole name. */
  exactName: 3,
  exactAlias: 4,
  /** As `oneText` or `areaName`, of a widely used system: "switzerland" means its grids, not the county of this name in Indiana. */
  widelyUsed: 5,
  /** All words are in one name or alias. */
  oneText: 6,
  severalTexts: 7,
  areaName: 8,
  areaDescription: 9,
} as const;

interface Fit {
  readonly tier: number;
  /** Words that are only the beginning of the word found. */
  readonly partialWords: number;
  /** The text has the words in their order, close together. */
  readonly isPhrase: boolean;
  readonly isAlias: boolean;
  /** Words of the text that the query does not have; of the name where it took several texts. */
  readonly extraWords: number;
}

/** The values of each field of a rank are below these. All together are 36 bits, with the record 52 of a double's 53. */
const BELOW = {
  tier: 16,
  partialWords: 32,
  phrase: 2,
  rarity: 32,
  kind: 4,
  operations: 2048,
  alias: 2,
  extraWords: 64,
};
/** Words of the text between those of a phrase, in all: "UTM zone 32N" is a phrase for "utm 32". */
const MOST_GAPS = 2;
const RECORD_BITS = 16;
/** By index into CRS_KINDS: projected and geographic systems first, then systems with heights. */
const KIND_ORDER = [0, 0, 1, 2];
const WHOLE: Omit<Fit, 'tier'> = { partialWords: 0, isPhrase: true, isAlias: false, extraWords: 0 };

/** The hits of a query and how good they are. */
export class Ranking {
  readonly #index: CrsIndex;
  /** By record: smaller is better; infinite if the record was not found. */
  readonly #ranks: Float64Array;

  constructor(index: CrsIndex) {
    this.#index = index;
    this.#ranks = new Float64Array(index.codes.length).fill(Number.POSITIVE_INFINITY);
  }

  /** Keeps the better of this match and an earlier one. */
  note(record: number, { tier, partialWords, isPhrase, isAlias, extraWords }: Fit): void {
    const { codes, isDeprecated, kinds, operationCounts } = this.#index;
    const use = useOf(codes[record]);
    const isPreferred = use !== null && (tier === TIER.oneText || tier === TIER.areaName);
    // An exact code is meant, even if it is deprecated.
    let rank = tier === TIER.exactCode ? 0 : isDeprecated[record];
    rank = rank * BELOW.tier + (isPreferred ? TIER.widelyUsed : tier);
    rank = rank * BELOW.partialWords + partialWords;
    rank = rank * BELOW.phrase + (isPhrase ? 0 : 1);
    rank = rank * BELOW.rarity + (use !== null && tier === TIER.areaName ? rarityOf(use) : 0);
    rank = rank * BELOW.kind + KIND_ORDER[kinds[record]];
    rank = rank * BELOW.operations + Math.max(0, BELOW.operations - 1 - operationCounts[record]);
    rank = rank * BELOW.alias + (isAlias ? 1 : 0);
    rank = rank * BELOW.extraWords + Math.min(extraWords, BELOW.extraWords - 1);
    if (rank < this.#ranks[record]) this.#ranks[record] = rank;
  }

  noteCode(record: number, tier: number): void {
    this.note(record, { ...WHOLE, tier });
  }

  /** Records, best first; equal ones in the order of their codes. */
  best(limit: number): number[] {
    // Rank and record in one number: typed arrays sort numbers many times faster than with a comparison function.
    const keys = new Float64Array(this.#ranks.length);
    let count = 0;
    for (let record = 0; record < this.#ranks.length; record++)
      if (this.#ranks[record] !== Number.POSITIVE_INFINITY)
        keys[count++] = this.#ranks[record] * 2 ** RECORD_BITS + record;
    const sorted = keys.subarray(0, count).sort();
    return Array.from(sorted.subarray(0, limit), (key) => key % 2 ** RECORD_BITS);
  }
}

/** Of widely used systems that are found by their area: less for more people. Systems found by their names come first. */
function rarityOf({ millions }: Use): number {
  return Math.max(1, Math.min(BELOW.rarity - 1, 24 - Math.floor(1.5 * Math.log2(millions))));
}

/** Masks of the query's words: bit i stands for word i. */
interface Masks {
  /** By word of the vocabulary: which words of the query it begins with. */
  readonly begun: Int32Array;
  /** Which words of the query it is. */
  readonly whole: Int32Array;
}

/** Records every match of all words of the query. A query without words matches nothing. */
export function matchWords(
  index: CrsIndex,
  query: string,
  words: readonly QueryWord[],
  ranking: Ranking,
): void {
  if (words.length === 0) return;
  const masks = masksOf(index, words);
  const all = 2 ** words.length - 1;
  const areas = maskTexts(index.areaTexts, masks);
  const ofTexts = maskTexts(index.texts, masks);
  const { firstTexts, codes, names } = index;
  const asked = query.trim().toLowerCase();
  for (let record = 0; record < codes.length; record++) {
    const name = firstTexts[record];
    const end = firstTexts[record + 1];
    let begun = 0;
    let whole = 0;
    let isInOneText = false;
    for (let text = name; text < end; text++) {
      begun |= ofTexts.begun[text];
      whole |= ofTexts.whole[text];
      if (ofTexts.begun[text] !== all) continue;
      isInOneText = true;
      const fit = fitOfText(index, text, text > name, words, masks, ofTexts.whole[text]);
      const isSame = fit.tier === TIER.exactName && names[record].toLowerCase() === asked;
      ranking.note(record, isSame ? { ...fit, tier: TIER.sameName } : fit);
    }
    if (isInOneText) continue;
    const code = codeMask(words, codes[record]);
    const fit = fitOfAll(begun | code, whole | code, areas, index.areaNumbers[record], all);
    const extraWords = index.texts.starts[name + 1] - index.texts.starts[name];
    if (fit !== null) ranking.note(record, { ...fit, extraWords });
  }
}

/** Which words are the code of a record. */
function codeMask(words: readonly QueryWord[], code: number): number {
  let mask = 0;
  for (let i = 0; i < words.length; i++) if (words[i].code === code) mask |= 1 << i;
  return mask;
}

function masksOf(index: CrsIndex, words: readonly QueryWord[]): Masks {
  const begun = new Int32Array(index.vocabulary.size);
  const whole = new Int32Array(index.vocabulary.size);
  words.forEach(({ first, end, text }, i) => {
    for (let word = first; word < end; word++) begun[word] |= 1 << i;
    // The word itself is the first of those that begin with it.
    if (first < end && index.vocabulary.isWord(first, text)) whole[first] |= 1 << i;
  });
  return { begun, whole };
}

/** Which words of the query each text has. */
function maskTexts({ words, starts }: Texts, masks: Masks): Masks {
  const count = starts.length - 1;
  const found = { begun: new Int32Array(count), whole: new Int32Array(count) };
  for (let text = 0; text < count; text++) {
    let begun = 0;
    let whole = 0;
    for (let at = starts[text]; at < starts[text + 1]; at++) {
      begun |= masks.begun[words[at]];
      whole |= masks.whole[words[at]];
    }
    found.begun[text] = begun;
    found.whole[text] = whole;
  }
  return found;
}

/** Quality of a text that has all words; `whole`: the words that match whole words. */
function fitOfText(
  { texts }: CrsIndex,
  text: number,
  isAlias: boolean,
  words: readonly QueryWord[],
  masks: Masks,
  whole: number,
): Fit {
  const start = texts.starts[text];
  const end = texts.starts[text + 1];
  let inOrder = 0;
  let gaps = 0;
  let areSame = end - start === words.length;
  for (let at = start; at < end; at++) {
    const word = texts.words[at];
    areSame &&= (masks.whole[word] & (1 << (at - start))) !== 0;
    if (inOrder === words.length) continue;
    // In "3-degree Gauss-Kruger CM 30E" the first 3 counts, because it is a whole word.
    const meant = (whole & (1 << inOrder)) !== 0 ? masks.whole : masks.begun;
    if ((meant[word] & (1 << inOrder)) !== 0) inOrder++;
    else if (inOrder > 0) gaps++;
  }
  const exact = isAlias ? TIER.exactAlias : TIER.exactName;
  return {
    tier: areSame ? exact : TIER.oneText,
    partialWords: words.length - bitCount(whole),
    isPhrase: inOrder === words.length && gaps <= MOST_GAPS,
    isAlias,
    extraWords: Math.max(0, end - start - words.length),
  };
}

/** Words found in the texts of a record together, in the name of its area, in its description; null: not all are. */
function fitOfAll(begun: number, whole: number, areas: Masks, area: number, all: number): Fit | null {
  let tier: number = TIER.severalTexts;
  let found = begun;
  let wholly = whole;
  for (let part = 0; part < 2 && found !== all && area !== NO_AREA; part++) {
    tier++;
    found |= areas.begun[2 * area + part];
    wholly |= areas.whole[2 * area + part];
  }
  if (found !== all) return null;
  return { ...WHOLE, tier, partialWords: bitCount(all) - bitCount(wholly) };
}

function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}
