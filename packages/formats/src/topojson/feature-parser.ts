/** Parses the geometry objects of a layer as features: their members are in any order. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { NO_KEY, PropertyParser } from '@geomill/core/columns/property-parser.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { finishIds, ValueColumn } from '@geomill/core/columns/value-column.ts';
import {
  GEOMETRY_TYPE,
  GEOMETRY_TYPE_NAMES,
  GeometryBuilder,
} from '@geomill/core/geometry/geometry-column.ts';
import { GEOMETRY_NOTE, GEOMETRY_NOTE_FINDINGS } from '@geomill/core/geometry/geometry-notes.ts';
import { PositionParser } from '@geomill/core/geometry/json-positions.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  LOWER_N,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '@geomill/core/text/ascii.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import { formatFindings } from '../findings.ts';
import { propertyRules } from '../property-rules.ts';
import { GeometryParser } from './geometry-parser.ts';
import { topojsonErrors, topojsonFindings } from './messages.ts';
import type { TopologyState } from './state.ts';

/** A collection whose members come before its type is scanned once more per level. */
const MAX_COLLECTION_DEPTH = 32;
/** Depth of a feature in the array in the object in `objects` in the root. */
const FEATURE_DEPTH = 4;
/** 256 MiB of coordinates. */
const MAX_BATCH_POSITIONS = 1 << 24;
const MAX_FOREIGN_NAMES = 20;

const encoder = new TextEncoder();
const KEY_TYPE = encoder.encode('type');
const KEY_ARCS = encoder.encode('arcs');
const KEY_COORDINATES = encoder.encode('coordinates');
const KEY_GEOMETRIES = encoder.encode('geometries');
const KEY_PROPERTIES = encoder.encode('properties');
const KEY_ID = encoder.encode('id');
const KEY_BBOX = encoder.encode('bbox');
const TYPE_NAMES = GEOMETRY_TYPE_NAMES.map((name) => encoder.encode(name));

/** Where the members of one geometry object are; -1: it has none. */
interface Found {
  type: number;
  hasType: boolean;
  arcs: number;
  coordinates: number;
  geometries: number;
  /** Offset of the content that was parsed when its key came; -1: none. */
  parsed: number;
}

export class FeatureParser {
  readonly #scanner: JsonScanner;
  readonly #findings: Findings;
  readonly #layerName: string;
  readonly #fileName: string;
  readonly #builder: GeometryBuilder;
  readonly #positions: PositionParser;
  readonly #geometry: GeometryParser;
  readonly #properties: PropertyParser;
  readonly #ids = new ValueColumn('id', NO_KEY, -1);
  readonly #foreignNames = new Set<string>();
  #hasIds = false;
  #hasInnerMembers = false;
  /** The last row that has properties. */
  #propertiesRow = -1;

  constructor(
    scanner: JsonScanner,
    layerName: string,
    { arcs, transform, fileName }: TopologyState,
    limits: InputLimits,
    findings: Findings,
  ) {
    this.#scanner = scanner;
    this.#findings = findings;
    this.#layerName = layerName;
    this.#fileName = fileName;
    this.#builder = new GeometryBuilder(arcs.stride === 3 ? 'XYZ' : 'XY');
    this.#positions = new PositionParser(scanner, this.#builder, limits.coordinatesPerFeature);
    this.#geometry = new GeometryParser(scanner, this.#builder, this.#positions, arcs, transform);
    this.#properties = new PropertyParser(scanner, propertyRules('properties', layerName, limits, findings));
  }

  get rowCount(): number {
    return this.#builder.featureCount;
  }

  /** Parses the feature at `at`; returns the offset after it. Throws JsonFault, LIMIT_EXCEEDED, TOPOJSON_REUSE_TOO_LARGE. */
  feature(at: number): number {
    const builder = this.#builder;
    this.#geometry.notes = 0;
    this.#geometry.hasGaps = false;
    this.#geometry.isFilled = false;
    this.#hasInnerMembers = false;
    this.#positions.extraOrdinates = 0;
    this.#positions.featureStart = builder.positionCount;
    const found = noneFound();
    at = this.#object(at, found, 0);
    builder.endFeature(found.type);
    this.#note();
    if (builder.positionCount > MAX_BATCH_POSITIONS)
      throw failure(topojsonErrors.TOPOJSON_REUSE_TOO_LARGE, {
        layer: this.#layerName,
        source: this.#fileName,
        limit: MAX_BATCH_POSITIONS,
      });
    return at;
  }

  /** The rows so far as a batch, with their own fields or with the given ones. */
  finish(fields: readonly Field[] | null): FeatureBatch {
    const { rowCount } = this;
    const geometry = this.#builder.finish();
    const { fields: found, columns } = this.#properties.finish(rowCount, fields);
    const ids = this.#hasIds ? finishIds(this.#ids, rowCount) : null;
    return { rowCount, geometry, fields: found, columns, ids };
  }

  /** Parses a geometry object; `depth` is the number of collections around it. */
  #object(at: number, found: Found, depth: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    const start = at;
    const firstPart = this.#builder.partCount;
    if (bytes[at] !== OPEN_BRACE)
      throw scanner.fault(at, `expected a geometry object but found ${scanner.byteName(at)}`, 'structure');
    at = scanner.space(at + 1);
    while (bytes[at] !== CLOSE_BRACE) {
      at = scanner.space(this.#member(at, found, depth));
      if (bytes[at] === COMMA) at = scanner.space(at + 1);
      else if (bytes[at] !== CLOSE_BRACE) throw scanner.unexpected(at, "',' or '}'");
    }
    if (!found.hasType) throw scanner.fault(start, "this geometry has no 'type'", 'structure');
    if (found.type === GEOMETRY_TYPE.none) {
      this.#builder.rewind(firstPart);
      return at + 1;
    }
    const contentAt = this.#contentAt(found);
    if (contentAt < 0) throw this.#contentMissing(start, found.type);
    if (contentAt !== found.parsed) {
      this.#builder.rewind(firstPart);
      this.#content(contentAt, found.type, depth);
    }
    return at + 1;
  }

  #contentAt({ type, arcs, coordinates, geometries }: Found): number {
    if (type === GEOMETRY_TYPE.geometryCollection) return geometries;
    return type === GEOMETRY_TYPE.point || type === GEOMETRY_TYPE.multiPoint ? coordinates : arcs;
  }

  /** Parses the member whose key is at `at`; returns the offset after its value. */
  #member(at: number, found: Found, depth: number): number {
    const scanner = this.#scanner;
    if (scanner.bytes[at] !== QUOTE) throw scanner.unexpected(at, "a key in double quotes or '}'");
    const keyEnd = scanner.string(at);
    const keyStart = at + 1;
    const valueAt = scanner.punctuation(keyEnd + 1, COLON);
    const is = (key: Uint8Array): boolean => scanner.equals(keyStart, keyEnd, key);
    if (is(KEY_TYPE)) return this.#type(valueAt, found);
    if (is(KEY_ARCS)) found.arcs = valueAt;
    else if (is(KEY_COORDINATES)) found.coordinates = valueAt;
    else if (is(KEY_GEOMETRIES)) found.geometries = valueAt;
    else return this.#attribute(keyStart, keyEnd, valueAt, depth);
    if (found.parsed < 0 && found.hasType && this.#contentAt(found) === valueAt) {
      found.parsed = valueAt;
      return this.#content(valueAt, found.type, depth);
    }
    return scanner.skip(valueAt, FEATURE_DEPTH + depth);
  }

  #attribute(keyStart: number, keyEnd: number, valueAt: number, depth: number): number {
    const scanner = this.#scanner;
    const isProperties = scanner.equals(keyStart, keyEnd, KEY_PROPERTIES);
    const isId = scanner.equals(keyStart, keyEnd, KEY_ID);
    const row = this.rowCount;
    if (depth > 0) {
      if (isProperties || isId) this.#hasInnerMembers ||= scanner.bytes[valueAt] !== LOWER_N;
      else this.#noteForeign(keyStart, keyEnd);
    } else if (isProperties) {
      // Of a member that is repeated, the last one counts.
      if (this.#propertiesRow === row) this.#properties.forget(row);
      this.#propertiesRow = row;
      return this.#properties.object(valueAt, row, FEATURE_DEPTH);
    } else if (isId) {
      this.#hasIds ||= scanner.bytes[valueAt] !== LOWER_N;
      return this.#properties.value(this.#ids, row, valueAt, FEATURE_DEPTH);
    } else this.#noteForeign(keyStart, keyEnd);
    return scanner.skip(valueAt, FEATURE_DEPTH + depth);
  }

  /** The value of `type` at `at`, which may be null. */
  #type(at: number, found: Found): number {
    const scanner = this.#scanner;
    found.hasType = true;
    found.type = GEOMETRY_TYPE.none;
    if (scanner.bytes[at] === LOWER_N) return scanner.literal(at);
    if (scanner.bytes[at] !== QUOTE) throw scanner.fault(at, "'type' must be a string or null", 'structure');
    const end = scanner.string(at);
    for (let type = 1; type <= 7; type++)
      if (scanner.equals(at + 1, end, TYPE_NAMES[type])) found.type = type;
    if (found.type === GEOMETRY_TYPE.none) {
      const known = GEOMETRY_TYPE_NAMES.slice(1).join(', ');
      const name = scanner.text(at + 1, Math.min(end, at + 41));
      throw scanner.fault(at, `'${name}' is not a geometry type; known are ${known}`, 'structure');
    }
    return end + 1;
  }

  #content(at: number, type: number, depth: number): number {
    if (type !== GEOMETRY_TYPE.geometryCollection) return this.#geometry.content(at, type, depth > 0);
    const scanner = this.#scanner;
    const { bytes } = scanner;
    if (bytes[at] !== OPEN_BRACKET) throw scanner.fault(at, "'geometries' must be an array", 'structure');
    if (depth >= MAX_COLLECTION_DEPTH) {
      const reason = `geometry collections are nested deeper than ${MAX_COLLECTION_DEPTH} levels`;
      throw scanner.fault(at, reason, 'structure');
    }
    if (depth > 0) this.#geometry.notes |= GEOMETRY_NOTE.flattened;
    at = scanner.space(at + 1);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    for (;;) {
      const member = noneFound();
      at = scanner.space(this.#object(at, member, depth + 1));
      if (member.type === GEOMETRY_TYPE.none) this.#geometry.notes |= GEOMETRY_NOTE.emptyMember;
      if (bytes[at] === CLOSE_BRACKET) return at + 1;
      at = scanner.punctuation(at, COMMA);
    }
  }

  #contentMissing(at: number, type: number): Error {
    const member =
      type === GEOMETRY_TYPE.geometryCollection
        ? 'geometries'
        : type === GEOMETRY_TYPE.point || type === GEOMETRY_TYPE.multiPoint
          ? 'coordinates'
          : 'arcs';
    return this.#scanner.fault(at, `this ${GEOMETRY_TYPE_NAMES[type]} has no '${member}'`, 'structure');
  }

  #noteForeign(keyStart: number, keyEnd: number): void {
    if (this.#scanner.equals(keyStart, keyEnd, KEY_BBOX)) return;
    let names = this.#properties.keyText(keyStart, keyEnd);
    if (!this.#foreignNames.has(names)) {
      if (this.#foreignNames.size < MAX_FOREIGN_NAMES) this.#foreignNames.add(names);
      else names = '…';
    }
    this.#findings.note(topojsonFindings.TOPOJSON_MEMBERS_DROPPED, { names }, { record: this.rowCount + 1 });
  }

  /** Notes what was tolerated in the feature that was just ended. */
  #note(): void {
    const { notes, hasGaps, isFilled } = this.#geometry;
    const { extraOrdinates } = this.#positions;
    const location = { record: this.rowCount };
    if (notes !== 0)
      for (const [bit, entry] of GEOMETRY_NOTE_FINDINGS)
        if ((notes & bit) !== 0) this.#findings.note(entry, {}, location);
    if (hasGaps) this.#findings.note(topojsonFindings.TOPOJSON_ARCS_APART, {}, location);
    if (isFilled) this.#findings.note(topojsonFindings.TOPOJSON_FILLED_UP, {}, location);
    if (this.#hasInnerMembers)
      this.#findings.note(topojsonFindings.TOPOJSON_INNER_MEMBERS_DROPPED, {}, location);
    if (extraOrdinates > 0) this.#findings.note(formatFindings.EXTRA_ORDINATES, {}, location, extraOrdinates);
  }
}

function noneFound(): Found {
  return { type: GEOMETRY_TYPE.none, hasType: false, arcs: -1, coordinates: -1, geometries: -1, parsed: -1 };
}
