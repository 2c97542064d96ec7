/** Members of a FeatureCollection other than its features; they may be before them, after them or both. */
import { crsInMember } from '@geomill/core/crs/crs-member.ts';
import { misspelled } from '@geomill/core/messages/did-you-mean.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { QUOTE } from '@geomill/core/text/ascii.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import { formatFindings } from '../findings.ts';
import { EXTENDED_TYPES, ROOT_MEMBERS } from './json-fg/members.ts';
import { geojsonErrors, geojsonFindings } from './messages.ts';

export class CollectionMembers {
  /** The last `type`; null if there is none. */
  type: string | null = null;
  /** Offset of that type in the window. */
  typeAt = 0;
  name: string | null = null;
  /** Values of members of JSON-FG, as JSON text. */
  readonly jsonFg = new Map<string, string>();
  readonly #crsTexts: string[] = [];
  readonly #foreignNames = new Set<string>();

  /** Reads the member with this key and a value at `at`; returns the offset after the value. */
  take(scanner: JsonScanner, key: string, at: number): number {
    const end = scanner.skip(at, 1);
    const isString = scanner.bytes[at] === QUOTE;
    if (key === 'type') {
      if (!isString) throw scanner.fault(at, "'type' must be a string", 'structure');
      this.type = JSON.parse(scanner.text(at, end)) as string;
      this.typeAt = at;
    } else if (key === 'name' && isString) this.name = JSON.parse(scanner.text(at, end)) as string;
    else if (key === 'crs') this.#crsTexts.push(scanner.text(at, end));
    else if (key === 'features') throw scanner.fault(at, "the member 'features' came twice", 'structure');
    else if (key !== 'bbox') {
      this.#foreignNames.add(key);
      if (ROOT_MEMBERS.has(key)) this.jsonFg.set(key, scanner.text(at, end));
    }
    return end;
  }

  has(foreignName: string): boolean {
    return this.#foreignNames.has(foreignName);
  }

  /** `isJsonFg`: the members of JSON-FG are read. */
  note(findings: Findings, isJsonFg = false): void {
    for (const text of this.#crsTexts) noteCrsMember(text, findings);
    const foreign = [...this.#foreignNames].filter((name) => !isJsonFg || !ROOT_MEMBERS.has(name));
    const names = foreign.slice(0, 20).join(', ');
    if (names !== '')
      findings.note(geojsonFindings.FOREIGN_MEMBERS_DROPPED, { names }, undefined, foreign.length);
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
    throw failure(geojsonErrors.GEOJSON_STRUCTURE, { offset, reason }, { offset });
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
  return TYPES.includes(type) || EXTENDED_TYPES.has(type);
}

/** The reason for rejecting a type, with the one that is probably meant. */
export function typeReason(type: string, what: string): string {
  const right = misspelled(type, TYPES);
  const advice = right === null ? `the types are ${TYPES.join(', ')}` : `write '${right}'`;
  return `'${type.slice(0, 40)}' is not ${what}; ${advice}`;
}

/**
 * Notes CRS_MEMBER_IGNORED if the `crs` member of GeoJSON 2008 (removed in RFC 7946), given as JSON text, names another
 * CRS.
 */
export function noteCrsMember(json: string, findings: Findings): void {
  const crs = crsInMember(json);
  if (crs !== null) findings.note(formatFindings.CRS_MEMBER_IGNORED, { crs: crs.slice(0, 200) });
}
