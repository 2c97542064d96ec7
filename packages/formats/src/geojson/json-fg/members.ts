/** Members of JSON-FG in a feature or a geometry: where their values are, found before anything is parsed. */
import { GEOMETRY_TYPE_NAMES } from '@geomill/core/geometry/geometry-column.ts';
import { CLOSE_BRACE, COLON, COMMA, LOWER_N, OPEN_BRACE, QUOTE } from '@geomill/core/text/ascii.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';

const encoder = new TextEncoder();

/** Members that say something of the document, or of all features; what they say is used or needs no place in an output. */
export const ROOT_MEMBERS: ReadonlySet<string> = new Set([
  'conformsTo',
  'coordRefSys',
  'featureType',
  'geometryDimension',
  'measures',
]);

/** Members whose values are read, in any order. */
const KEYS = [
  'geometry',
  'place',
  'coordRefSys',
  'featureType',
  'measures',
  'time',
  'properties',
  'id',
  'type',
  'coordinates',
  'base',
  'conformsTo',
] as const;
export type MemberKey = (typeof KEYS)[number];
const KEY_BYTES = KEYS.map((key) => encoder.encode(key));

/** Types of geometry that GeoJSON does not have. */
export const EXTENDED_TYPES: ReadonlySet<string> = new Set([
  'CircularString',
  'CompoundCurve',
  'CurvePolygon',
  'MultiCurve',
  'MultiSurface',
  'Polyhedron',
  'MultiPolyhedron',
  'Prism',
  'MultiPrism',
]);
/** Those that it has: all but "None". */
const PLAIN_TYPES: ReadonlySet<string> = new Set(GEOMETRY_TYPE_NAMES.slice(1));

/** Calls `member` with each member of the object at `at`; its key is `[keyStart, keyEnd)`. Returns the offset after the object. */
export function eachMember(
  scanner: JsonScanner,
  at: number,
  depth: number,
  member: (keyStart: number, keyEnd: number, valueAt: number) => void,
): number {
  const { bytes } = scanner;
  at = scanner.space(at + 1);
  while (bytes[at] !== CLOSE_BRACE) {
    if (bytes[at] !== QUOTE) throw scanner.unexpected(at, "a key in double quotes or '}'");
    const keyEnd = scanner.string(at);
    const valueAt = scanner.punctuation(keyEnd + 1, COLON);
    member(at + 1, keyEnd, valueAt);
    at = scanner.space(scanner.skip(valueAt, depth + 1));
    if (bytes[at] === COMMA) {
      at = scanner.space(at + 1);
      if (bytes[at] !== QUOTE) throw scanner.unexpected(at, 'a key in double quotes');
    } else if (bytes[at] !== CLOSE_BRACE) throw scanner.unexpected(at, "',' or '}'");
  }
  return at + 1;
}

/** The members of one object; reuse one instance. */
export class ObjectMembers {
  /** Offsets of values by `KEYS`; -1: the object has no such member. */
  readonly #values = new Int32Array(KEYS.length);
  /** Keys and values of other members. */
  readonly others: { readonly keyStart: number; readonly keyEnd: number; readonly valueAt: number }[] = [];
  readonly #scanner: JsonScanner;

  constructor(scanner: JsonScanner) {
    this.#scanner = scanner;
  }

  /** Finds those of the object at `at`; returns the offset after it. */
  scan(at: number, depth: number): number {
    this.#values.fill(-1);
    this.others.length = 0;
    return eachMember(this.#scanner, at, depth, (keyStart, keyEnd, valueAt) => {
      const known = KEY_BYTES.findIndex((key) => this.#scanner.equals(keyStart, keyEnd, key));
      if (known >= 0) this.#values[known] = valueAt;
      else this.others.push({ keyStart, keyEnd, valueAt });
    });
  }

  /** Offset of a value; -1: there is none, or it is null. */
  at(key: MemberKey): number {
    const at = this.#values[KEYS.indexOf(key)];
    return at < 0 || this.#scanner.bytes[at] === LOWER_N ? -1 : at;
  }

  /** Offset of a value, also of null; -1: there is none. */
  anyAt(key: MemberKey): number {
    return this.#values[KEYS.indexOf(key)];
  }

  /** The JSON text of a value; null: there is none, or it is null. */
  text(key: MemberKey): string | null {
    const at = this.at(key);
    return at < 0 ? null : textAt(this.#scanner, at);
  }
}

export function textAt(scanner: JsonScanner, at: number): string {
  return scanner.text(at, scanner.skip(at, 1));
}

/** What an object is as a geometry. other: its type is unknown, but it has coordinates; none: it describes something else. */
export type GeometryForm = 'plain' | 'extended' | 'other' | 'none';

/** `members`: those of the object at `at`, which this method finds. */
export function geometryForm(scanner: JsonScanner, at: number, members: ObjectMembers): GeometryForm {
  if (at < 0 || scanner.bytes[at] !== OPEN_BRACE) return 'none';
  members.scan(at, 1);
  const typeAt = members.at('type');
  if (typeAt < 0 || scanner.bytes[typeAt] !== QUOTE) return 'none';
  const type = scanner.text(typeAt + 1, scanner.string(typeAt));
  if (EXTENDED_TYPES.has(type)) return 'extended';
  if (PLAIN_TYPES.has(type)) return 'plain';
  return members.at('coordinates') >= 0 || members.at('base') >= 0 ? 'other' : 'none';
}

/** Name of the layer of a value of `featureType`: types of a list are joined. Null: it names none. */
export function featureTypeName(json: string | null): string | null {
  if (json === null) return null;
  const value = JSON.parse(json) as unknown;
  const names = (Array.isArray(value) ? value : [value]).filter(
    (name): name is string => typeof name === 'string' && name !== '',
  );
  return names.length === 0 ? null : names.join('_');
}

/** Whether the coordinates have measures; null: the value does not say. */
export function measuresEnabled(json: string | null): boolean | null {
  if (json === null) return null;
  const value = JSON.parse(json) as unknown;
  if (typeof value === 'boolean') return value;
  const enabled = (value as { readonly enabled?: unknown } | null)?.enabled;
  return typeof enabled === 'boolean' ? enabled : null;
}

/** Whether a value of `conformsTo`, as JSON text, names a class of JSON-FG: as a URI, or as drafts did. */
export function declaresJsonFg(conformsTo: string | null): boolean {
  return conformsTo?.includes('json-fg') === true;
}
