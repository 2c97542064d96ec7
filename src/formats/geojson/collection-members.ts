/** Members of a FeatureCollection beside its features; they may stand before them, behind them or both. */
import { QUOTE } from '../../bytes/ascii.ts';
import { failure } from '../../errors.ts';
import type { Findings } from '../../findings.ts';
import { noteCrsMember } from './crs-member.ts';
import type { JsonScanner } from './scanner.ts';

export class CollectionMembers {
  /** The last `type`; null when there was none. */
  type: string | null = null;
  /** Offset of that type in the window. */
  typeAt = 0;
  name: string | null = null;
  readonly #crsTexts: string[] = [];
  readonly #foreignNames = new Set<string>();

  /** Takes the member with this key whose value begins at `at`; returns the offset behind the value. */
  take(scanner: JsonScanner, key: string, at: number): number {
    const end = scanner.skip(at, 1);
    const isString = scanner.bytes[at] === QUOTE;
    if (key === 'type') {
      if (!isString) throw scanner.fault(at, "'type' must be a string", 'GEOJSON_STRUCTURE');
      this.type = JSON.parse(scanner.text(at, end)) as string;
      this.typeAt = at;
    } else if (key === 'name' && isString) this.name = JSON.parse(scanner.text(at, end)) as string;
    else if (key === 'crs') this.#crsTexts.push(scanner.text(at, end));
    else if (key === 'features')
      throw scanner.fault(at, "the member 'features' came twice", 'GEOJSON_STRUCTURE');
    else if (key !== 'bbox') this.#foreignNames.add(key);
    return end;
  }

  has(foreignName: string): boolean {
    return this.#foreignNames.has(foreignName);
  }

  note(findings: Findings): void {
    for (const text of this.#crsTexts) noteCrsMember(text, findings);
    const names = [...this.#foreignNames].slice(0, 20).join(', ');
    if (names !== '') findings.note('FOREIGN_MEMBERS_DROPPED', { names }, undefined, this.#foreignNames.size);
  }

  /**
   * Throws unless the type is FeatureCollection. `headType` is the type before these members, `base` the offset of the
   * window and `objectOffset` that of the collection.
   */
  checkType(headType: string | null, base: number, objectOffset: number): void {
    const type = this.type ?? headType;
    if (type === 'FeatureCollection') return;
    const reason =
      type === null
        ? "the object with 'features' has no 'type': 'FeatureCollection'"
        : typeReason(type, 'the type of an object with features');
    const offset = this.type === null ? objectOffset : base + this.typeAt;
    throw failure('GEOJSON_STRUCTURE', { offset, reason }, { offset });
  }
}

const TYPES = [
  'FeatureCollection',
  'Feature',
  'Point',
  'LineString',
  'Polygon',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
  'GeometryCollection',
];

export function isGeoJsonType(type: string): boolean {
  return TYPES.includes(type);
}

/** Why a type is not one, and what to write when only the letter case is wrong. */
export function typeReason(type: string, what: string): string {
  const right = TYPES.find((known) => known.toLowerCase() === type.toLowerCase());
  const advice = right === undefined || right === type ? 'it must be FeatureCollection' : `write '${right}'`;
  return `'${type.slice(0, 40)}' is not ${what}; ${advice}`;
}
