/**
 * Searches the coordinate reference systems of EPSG by name, area or code. Every hit can be used in a request. The HTTP process
 * uses it: it reads PROJ's database once and never loads PROJ.
 */
import { projDatabasePath } from '../engines/proj/database-path.ts';
import { buildIndex, type CrsIndex, NO_AREA } from './crs-index.ts';
import { matchWords, Ranking, TIER } from './match.ts';
import { type CodeQuery, codeOf, withCountry, wordsOfQuery } from './query.ts';
import { CRS_KINDS, type CrsKind, readCrsRecords } from './read-database.ts';

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

/** Degrees. */
export interface GeographicPoint {
  readonly longitude: number;
  readonly latitude: number;
}

/** A point as "LONGITUDE,LATITUDE" in degrees; null: not in that form, or out of range. */
export function parsePoint(text: string): GeographicPoint | null {
  const [, x, y] = /^\s*(-?\d+(?:\.\d*)?)\s*,\s*(-?\d+(?:\.\d*)?)\s*$/.exec(text) ?? [];
  const [longitude, latitude] = [Number(x), Number(y)];
  return Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90 ? { longitude, latitude } : null;
}

/** Square degrees, more than any area has. */
const WHOLE_GLOBE = 360 * 180 + 1;

export class CrsSearch {
  readonly #databasePath: string | undefined;
  #index: CrsIndex | undefined;

  /** Another database than PROJ's own is for tests. Nothing is read before the first search. */
  constructor(databasePath?: string) {
    this.#databasePath = databasePath;
  }

  /**
   * The best `limit` hits, best first, always in the same order: the exact code, codes that begin with it, the exact name or
   * alias, all words (or their beginnings) in a name or alias, then with the help of the area of use. Within these come
   * systems of widely used datums first; deprecated ones are last, except for the exact code. A query without words
   * finds nothing. With `near`, only systems whose area of use has that point. The first search takes 0.1 s.
   * Throws CRS_DATABASE.
   */
  search(query: string, limit: number, near: GeographicPoint | null = null): readonly CrsHit[] {
    const index = this.#loaded();
    const ranking = new Ranking(index);
    const code = codeOf(query);
    if (code === null || !code.isOnlyCode)
      for (const text of [query, withCountry(query)]) {
        const words = text === null ? null : wordsOfQuery(text, index.vocabulary);
        if (text !== null && words !== null) matchWords(index, text, words, ranking);
      }
    if (code !== null) matchCode(index, code, ranking);
    const wanted = Math.max(0, Math.trunc(limit) || 0);
    const records = ranking.best(near === null ? wanted : index.codes.length);
    return records
      .filter((record) => near === null || isInArea(index, record, near))
      .slice(0, wanted)
      .map((record) => hitOf(index, record));
  }

  /**
   * The best `limit` systems whose area of use has a point: projected systems first, then geographic ones and those with
   * heights; of each the smallest areas first, deprecated systems last. Throws CRS_DATABASE.
   */
  near(point: GeographicPoint, limit: number): readonly CrsHit[] {
    const index = this.#loaded();
    const rank = (record: number): number =>
      (index.isDeprecated[record] * CRS_KINDS.length + index.kinds[record]) * WHOLE_GLOBE +
      areaSize(index, record);
    return Array.from(index.codes.keys())
      .filter((record) => isInArea(index, record, point))
      .map((record) => ({ record, rank: rank(record) }))
      .sort((a, b) => a.rank - b.rank || a.record - b.record)
      .slice(0, Math.max(0, Math.trunc(limit) || 0))
      .map(({ record }) => hitOf(index, record));
  }

  /** The system of a code in any form that `search` accepts ("EPSG:25832", 25832); null if it does not exist. */
  get(code: string | number): CrsHit | null {
    const wanted = codeOf(String(code));
    if (wanted === null) return null;
    const index = this.#loaded();
    const record = recordOfCode(index, wanted.code);
    return record === null ? null : hitOf(index, record);
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

function isInArea({ areaNumbers, areas }: CrsIndex, record: number, point: GeographicPoint): boolean {
  const number = areaNumbers[record];
  if (number === NO_AREA) return false;
  const { west, south, east, north } = areas[number];
  const { longitude, latitude } = point;
  const isBetween =
    west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east;
  return isBetween && latitude >= south && latitude <= north;
}

function areaSize({ areaNumbers, areas }: CrsIndex, record: number): number {
  const { west, south, east, north } = areas[areaNumbers[record]];
  return (east - west + (west > east ? 360 : 0)) * (north - south);
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
