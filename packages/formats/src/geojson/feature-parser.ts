/** Parses features directly into a geometry builder and one ValueColumn per property. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { NO_KEY, PropertyParser } from '@geomill/core/columns/property-parser.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { finishIds, ValueColumn } from '@geomill/core/columns/value-column.ts';
import { GEOMETRY_TYPE, GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import { GEOMETRY_NOTE } from '@geomill/core/geometry/geometry-notes.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { CLOSE_BRACE, COLON, COMMA, LOWER_N, OPEN_BRACE, QUOTE } from '@geomill/core/text/ascii.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import { formatFindings } from '../findings.ts';
import { propertyRules } from '../property-rules.ts';
import type { Partition } from '../reader.ts';
import { noteCrsMember } from './collection-members.ts';
import { noFeature, noFeatureType, otherFeatureType } from './feature-faults.ts';
import { GeometryParser } from './geometry-parser.ts';
import { geojsonFindings } from './messages.ts';
import type { BatchParser } from './text-parser.ts';

const encoder = new TextEncoder();
const KEY_TYPE = encoder.encode('type');
const KEY_GEOMETRY = encoder.encode('geometry');
const KEY_PROPERTIES = encoder.encode('properties');
const KEY_ID = encoder.encode('id');
const KEY_BBOX = encoder.encode('bbox');
const KEY_CRS = encoder.encode('crs');
/** Member of JSON-FG for geometries in any CRS. */
const KEY_PLACE = encoder.encode('place');
const FEATURE = encoder.encode('Feature');

/** So much of the member 'place' shows whether it is a geometry. */
const PLACE_BYTES = 4096;
/** Geometries of GeoJSON, and the base of a prism. */
const GEOMETRY_MEMBER = /"(?:coordinates|geometries|base)"\s*:\s*[[{]/;

/** Number of foreign members whose names are reported separately for one partition. */
const MAX_FOREIGN_NAMES = 20;

const NOTE_FINDINGS = [
  [GEOMETRY_NOTE.ringClosed, generalFindings.RING_CLOSED],
  [GEOMETRY_NOTE.degenerate, generalFindings.GEOMETRY_DEGENERATE],
  [GEOMETRY_NOTE.flattened, generalFindings.COLLECTION_FLATTENED],
  [GEOMETRY_NOTE.emptyMember, generalFindings.EMPTY_MEMBER_DROPPED],
] as const;

export class FeatureParser implements BatchParser {
  readonly readsExtendedTypes = false;
  readonly #scanner: JsonScanner;
  readonly #findings: Findings;
  readonly #builder = new GeometryBuilder();
  readonly #geometry: GeometryParser;
  readonly #properties: PropertyParser;
  readonly #ids = new ValueColumn('id', NO_KEY, -1);
  readonly #foreignNames = new Set<string>();
  #hasIds = false;
  /** Where the current feature has an object as member 'place'; -1: it has none. */
  #placeAt = -1;
  /** Findings of the current feature; kept only when the feature is complete. */
  #pending: (() => void)[] = [];

  constructor(
    scanner: JsonScanner,
    layerName: string,
    limits: InputLimits,
    findings: Findings,
    partition: Partition,
  ) {
    this.#scanner = scanner;
    this.#findings = findings;
    this.#geometry = new GeometryParser(
      scanner,
      this.#builder,
      limits.coordinatesPerFeature,
      (start, end, at) => this.foreignMember(start, end, at),
    );
    const keep = (note: () => void): unknown => this.#pending.push(note);
    this.#properties = new PropertyParser(
      scanner,
      propertyRules('properties', layerName, limits, findings, keep),
    );
    // An ordinate takes about 12 bytes of text; reserved pages that stay unused cost nothing.
    this.#builder.reserve(Math.min(Math.max(0, partition.end - partition.start), 1 << 26) >> 3);
  }

  get rowCount(): number {
    return this.#builder.featureCount;
  }

  /** Discards a feature whose end was not in the window. The next feature overwrites its values. */
  rollback(): void {
    this.#builder.rollback();
    this.#pending = [];
  }

  /** Parses the Feature object at `at`; `depth` is the number of open arrays and objects around it. */
  feature(at: number, depth: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    const objectStart = at;
    if (bytes[at] !== OPEN_BRACE) throw noFeature(scanner, at);
    this.#begin();
    const firstPart = this.#builder.partCount;
    let geometryType: number = GEOMETRY_TYPE.none;
    let hasType = false;
    let hasProperties = false;
    at = scanner.space(at + 1);
    while (bytes[at] !== CLOSE_BRACE) {
      if (bytes[at] !== QUOTE) throw scanner.unexpected(at, "a key in double quotes or '}'");
      if (scanner.isString(at, KEY_TYPE)) {
        hasType = true;
        at = this.#featureType(scanner.punctuation(at + 6, COLON), objectStart);
      } else if (scanner.isString(at, KEY_PROPERTIES)) {
        if (hasProperties) this.#properties.forget(this.rowCount);
        hasProperties = true;
        at = this.#properties.object(scanner.punctuation(at + 12, COLON), this.rowCount, depth + 1);
      } else if (scanner.isString(at, KEY_GEOMETRY)) {
        this.#builder.rewind(firstPart);
        at = this.#geometryMember(scanner.punctuation(at + 10, COLON));
        geometryType = this.#geometry.type;
      } else if (scanner.isString(at, KEY_ID)) {
        at = this.#id(scanner.punctuation(at + 4, COLON), depth + 1);
      } else at = this.#otherMember(at, depth + 1);
      at = scanner.space(at);
      if (bytes[at] === COMMA) {
        at = scanner.space(at + 1);
        if (bytes[at] !== QUOTE) throw scanner.unexpected(at, 'a key in double quotes');
      } else if (bytes[at] !== CLOSE_BRACE) throw scanner.unexpected(at, "',' or '}'");
    }
    if (!hasType) throw noFeatureType(scanner, objectStart);
    if (this.#placeAt >= 0 && geometryType === GEOMETRY_TYPE.none) this.#refuseGeometryInPlace();
    this.#end(geometryType);
    return at + 1;
  }

  /** Parses a geometry outside of a feature as a feature without properties. */
  bareGeometry(at: number): number {
    this.#begin();
    at = this.#geometry.parse(at, 0);
    this.#end(this.#geometry.type);
    return at;
  }

  /** The rows so far as a batch, with their own fields or with the given ones. */
  finish(fields: readonly Field[] | null): FeatureBatch {
    const { rowCount } = this;
    const { fields: found, columns } = this.#properties.finish(rowCount, fields);
    return {
      rowCount,
      geometry: this.#builder.finish(),
      fields: found,
      columns,
      ids: this.#hasIds ? finishIds(this.#ids, rowCount) : null,
    };
  }

  /** Notes a member that is dropped; `crs` has its own finding. */
  foreignMember(keyStart: number, keyEnd: number, at: number): void {
    const scanner = this.#scanner;
    if (scanner.equals(keyStart, keyEnd, KEY_CRS)) {
      const end = scanner.skip(at, 1);
      const text = scanner.text(at, end);
      this.#pending.push(() => noteCrsMember(text, this.#findings));
      return;
    }
    let names = this.#properties.keyText(keyStart, keyEnd);
    if (!this.#foreignNames.has(names)) {
      if (this.#foreignNames.size < MAX_FOREIGN_NAMES) this.#foreignNames.add(names);
      else names = '…';
    }
    const record = this.rowCount + 1;
    this.#pending.push(() =>
      this.#findings.note(geojsonFindings.FOREIGN_MEMBERS_DROPPED, { names }, { record }),
    );
  }

  /** Confirms the findings of members outside of features. */
  settle(): void {
    if (this.#pending.length === 0) return;
    for (const note of this.#pending) note();
    this.#pending = [];
  }

  #begin(): void {
    const geometry = this.#geometry;
    this.#placeAt = -1;
    geometry.notes = 0;
    geometry.positions.extraOrdinates = 0;
    geometry.positions.featureStart = this.#builder.positionCount;
  }

  #end(geometryType: number): void {
    const geometry = this.#geometry;
    this.#builder.endFeature(geometryType);
    if (geometry.notes !== 0 || geometry.positions.extraOrdinates !== 0) this.#noteGeometry();
    if (this.#pending.length !== 0) this.settle();
  }

  #noteGeometry(): void {
    const { notes, positions } = this.#geometry;
    const { extraOrdinates } = positions;
    const location = { record: this.rowCount };
    for (const [bit, entry] of NOTE_FINDINGS)
      if ((notes & bit) !== 0) this.#findings.note(entry, {}, location);
    if (extraOrdinates > 0) this.#findings.note(formatFindings.EXTRA_ORDINATES, {}, location, extraOrdinates);
  }

  #geometryMember(at: number): number {
    if (this.#scanner.bytes[at] !== LOWER_N) return this.#geometry.parse(at, 0);
    this.#geometry.type = GEOMETRY_TYPE.none;
    return this.#scanner.literal(at);
  }

  /** Skips a member; its key is at `at`. */
  #otherMember(at: number, depth: number): number {
    const scanner = this.#scanner;
    const keyEnd = scanner.string(at);
    const isBbox = scanner.isString(at, KEY_BBOX);
    const valueAt = scanner.punctuation(keyEnd + 1, COLON);
    if (!isBbox) this.foreignMember(at + 1, keyEnd, valueAt);
    if (scanner.isString(at, KEY_PLACE) && scanner.bytes[valueAt] === OPEN_BRACE) this.#placeAt = valueAt;
    return scanner.skip(valueAt, depth);
  }

  #featureType(at: number, objectStart: number): number {
    const scanner = this.#scanner;
    if (scanner.isString(at, FEATURE)) return at + FEATURE.length + 2;
    throw otherFeatureType(scanner, at, objectStart);
  }

  /** Throws if 'place' is a geometry; objects that describe a place in another way are foreign members. */
  #refuseGeometryInPlace(): void {
    const scanner = this.#scanner;
    const at = this.#placeAt;
    const text = scanner.text(at, Math.min(scanner.skip(at, 1), at + PLACE_BYTES));
    if (!GEOMETRY_MEMBER.test(text)) return;
    const reason =
      "the geometry of this feature is in its member 'place' (JSON-FG), but the beginning of the file does not say that it is JSON-FG; add the member 'conformsTo' before 'features', as the standard requires: \"conformsTo\": [\"http://www.opengis.net/spec/json-fg-1/1.0/conf/core\"]";
    throw scanner.fault(at, reason, 'structure');
  }

  #id(at: number, depth: number): number {
    this.#hasIds ||= this.#scanner.bytes[at] !== LOWER_N;
    return this.#properties.value(this.#ids, this.rowCount, at, depth);
  }
}
