/**
 * Searches the coordinate reference systems of EPSG by name, area or code. Every hit can be used in a request. The HTTP process
 * uses it: it reads PROJ's database once and never loads PROJ.
 */
import { projDatabasePath } from '@geomill/platform/proj-files.ts';
import { buildIndex, type CrsIndex, NO_AREA } from './crs-index.ts';
import { type CrsFilter, hasBox, hasPoint, unitPattern, widthOf } from './filter.ts';
import { matchWords, Ranking, TIER } from './match.ts';
import type { DegreeBox, Extent } from './placement.ts';
import { type CodeQuery, codeOf, withCountry, wordsOfQuery } from './query.ts';
import { CRS_KINDS, type CrsKind, readCrsCodes, readCrsRecords } from './read-database.ts';
import { mayBeLocal, suggestSystems } from './suggest.ts';
import { useOf } from './widely-used.ts';

export interface CrsHit {
  /** As requests name it: "EPSG:25832". */
  readonly code: string;
  readonly name: string;
  readonly kind: CrsKind;
  /** EPSG deprecated it, usually because it was wrong; it still works. */
  readonly deprecated: boolean;
  /** Area of use in degrees; west > east across the antimeridian; null if EPSG states none. */
  readonly area: {
    readonly name: string;
    readonly west: number;
    readonly south: number;
    readonly east: number;
    readonly north: number;
  } | null;
  /** Of the horizontal coordinates: "metre", "degree", "US survey foot", ... */
  readonly unit: string;
}

/** A system that puts an extent in unknown coordinates into its area of use. */
export interface SuggestedCrs extends CrsHit {
  /** Where the extent would be, in degrees; west > east across the antimeridian. Exact to about 1 km. */
  readonly extent: DegreeBox;
  /** It would be there only with x and y exchanged. */
  readonly isSwapped: boolean;
}

export interface CrsSuggestions {
  readonly crs: readonly SuggestedCrs[];
  /** The coordinates are so small that they can be those of a plan whose position on the Earth is not known. */
  readonly mayBeLocal: boolean;
}

/** The hit of a query at this place is half as likely to be meant as the first. */
const HALF_AS_GOOD = 20;
/** Square degrees, more than any area has. */
const WHOLE_GLOBE = 360 * 180 + 1;

export class CrsSearch {
  readonly #databasePath: string | undefined;
  #index: CrsIndex | undefined;
  #codes: ReadonlySet<number> | undefined;

  /** Another database than PROJ's own is for tests. Nothing is read before the first search. */
  constructor(databasePath?: string) {
    this.#databasePath = databasePath;
  }

  /**
   * The best `limit` hits, best first, always in the same order: the exact code, codes that begin with it, the exact name or
   * alias, all words (or their beginnings) in a name or alias, then with the help of the area of use. Within these come
   * systems of widely used datums first; deprecated ones are last, except for the exact code. A query without words
   * finds nothing. With a filter, only systems that match it. The first search takes 0.1 s.
   * Throws CRS_DATABASE.
   */
  search(query: string, limit: number, filter: CrsFilter = {}): readonly CrsHit[] {
    const index = this.#loaded();
    return this.#ranked(query)
      .filter(filterOf(index, filter))
      .slice(0, count(limit))
      .map((record) => hitOf(index, record));
  }

  /**
   * The best `limit` systems that match a filter: projected systems first, then geographic ones and those with heights; of each
   * the smallest areas of use first, of the same area the most used; deprecated systems last. Throws CRS_DATABASE.
   */
  list(filter: CrsFilter, limit: number): readonly CrsHit[] {
    const index = this.#loaded();
    const rank = (record: number): number =>
      (index.isDeprecated[record] * CRS_KINDS.length + index.kinds[record]) * WHOLE_GLOBE +
      areaSize(index, record);
    const use = (record: number): number =>
      (useOf(index.codes[record])?.millions ?? 0) + index.operationCounts[record] / 1e6;
    return Array.from(index.codes.keys())
      .filter(filterOf(index, filter))
      .map((record) => ({ record, rank: rank(record), use: use(record) }))
      .sort((a, b) => a.rank - b.rank || b.use - a.use || a.record - b.record)
      .slice(0, count(limit))
      .map(({ record }) => hitOf(index, record));
  }

  /**
   * The best `limit` projected and geographic systems in whose area of use an extent in unknown coordinates can be, as
   * `suggestSystems` ranks them; with a query, only systems that it finds, the better hits first. `near`, `bbox`: where the extent should be. Takes some 30 ms, the
   * first time 0.2 s. Throws CRS_DATABASE.
   */
  suggest(
    extent: Extent,
    limit: number,
    { near, bbox, unit, query }: CrsFilter & { readonly query?: string | null } = {},
  ): CrsSuggestions {
    const index = this.#loaded();
    const hasUnit = filterOf(index, { unit });
    const found = query === undefined || query === null ? null : this.#ranked(query);
    const places = found === null ? null : new Map(found.map((record, place) => [record, place]));
    const weightOf = (code: number): number => {
      const record = recordOfCode(index, code);
      if (record === null || !hasUnit(record)) return 0;
      const place = places === null ? 0 : places.get(record);
      return place === undefined ? 0 : 1 / (1 + place / HALF_AS_GOOD);
    };
    const suggested = suggestSystems(extent, { limit: count(limit), near, bbox, weightOf });
    const crs = suggested.flatMap(({ code, box, isSwapped }) => {
      const hit = this.get(code);
      return hit === null ? [] : [{ ...hit, extent: box, isSwapped }];
    });
    return { crs, mayBeLocal: mayBeLocal(extent) };
  }

  /** Names of all units that systems have. Throws CRS_DATABASE. */
  units(): readonly string[] {
    return [...new Set(this.#loaded().units)].sort();
  }

  /** The system of a code in any form that `search` accepts ("EPSG:25832", 25832); null if it does not exist. */
  get(code: string | number): CrsHit | null {
    const wanted = codeOf(String(code));
    if (wanted === null) return null;
    const index = this.#loaded();
    const record = recordOfCode(index, wanted.code);
    return record === null ? null : hitOf(index, record);
  }

  /** Whether EPSG or ESRI has a system of any kind with this code. The first question takes some 20 ms. Throws CRS_DATABASE. */
  hasCode(code: number): boolean {
    this.#codes ??= readCrsCodes(this.#databasePath ?? projDatabasePath());
    return this.#codes.has(code);
  }

  /** All records that the query finds, best first. */
  #ranked(query: string): readonly number[] {
    const index = this.#loaded();
    const ranking = new Ranking(index);
    const code = codeOf(query);
    if (code === null || !code.isOnlyCode)
      for (const text of [query, withCountry(query)]) {
        const words = text === null ? null : wordsOfQuery(text, index.vocabulary);
        if (text !== null && words !== null) matchWords(index, text, words, ranking);
      }
    if (code !== null) matchCode(index, code, ranking);
    return ranking.best(index.codes.length);
  }

  #loaded(): CrsIndex {
    this.#index ??= buildIndex(readCrsRecords(this.#databasePath ?? projDatabasePath()));
    return this.#index;
  }
}

/** Notes the records whose code is the wanted one or begins with it. */
function matchCode(index: CrsIndex, { code, isPrefix }: CodeQuery, ranking: Ranking): void {
  const exact = recordOfCode(index, code);
  if (exact !== null) ranking.noteCode(exact, TIER.exactCode);
  if (!isPrefix || code === 0) return;
  // Codes have up to 6 digits: 258 stands for 2580-2589, 25800-25899 and so on.
  for (let tens = 10; tens <= 100_000; tens *= 10) {
    const end = firstFrom(index.codes, (code + 1) * tens);
    for (let record = firstFrom(index.codes, code * tens); record < end; record++)
      ranking.noteCode(record, TIER.codePrefix);
  }
}

function recordOfCode({ codes }: CrsIndex, code: number): number | null {
  const record = firstFrom(codes, code);
  return codes[record] === code ? record : null;
}

/** The first record whose code is not below `code`; the number of records if there is none. */
function firstFrom(codes: Uint32Array, code: number): number {
  let low = 0;
  let high = codes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (codes[middle] < code) low = middle + 1;
    else high = middle;
  }
  return low;
}

function filterOf(index: CrsIndex, { near, bbox, unit }: CrsFilter): (record: number) => boolean {
  const pattern = unit === null || unit === undefined ? null : unitPattern(unit);
  return (record) => {
    if (pattern !== null && !pattern.test(index.units[record])) return false;
    if ((near ?? null) === null && (bbox ?? null) === null) return true;
    const number = index.areaNumbers[record];
    if (number === NO_AREA) return false;
    const area = index.areas[number];
    if (near && !hasPoint(area, near.longitude, near.latitude)) return false;
    return !bbox || hasBox(area, bbox);
  };
}

function count(limit: number): number {
  return Math.max(0, Math.trunc(limit) || 0);
}

function areaSize({ areaNumbers, areas }: CrsIndex, record: number): number {
  const number = areaNumbers[record];
  if (number === NO_AREA) return WHOLE_GLOBE - 1;
  const area = areas[number];
  return widthOf(area) * (area.north - area.south);
}

function hitOf(index: CrsIndex, record: number): CrsHit {
  const area = index.areaNumbers[record];
  return {
    code: `EPSG:${index.codes[record]}`,
    name: index.names[record],
    kind: CRS_KINDS[index.kinds[record]],
    deprecated: index.isDeprecated[record] === 1,
    area: area === NO_AREA ? null : index.areas[area],
    unit: index.units[record],
  };
}
