/**
 * Parses features directly into a geometry builder and one ValueColumn per property. The parser expects keys in the
 * order of the previous feature: then a comparison of bytes replaces a string and a map look-up.
 */

import type { AttributeColumn } from '../../batch/attribute-column.ts';
import { castColumn } from '../../batch/cast.ts';
import type { FeatureBatch } from '../../batch/feature-batch.ts';
import { GEOMETRY_TYPE, GeometryBuilder } from '../../batch/geometry-column.ts';
import { GEOMETRY_NOTE } from '../../batch/geometry-notes.ts';
import type { Field } from '../../batch/schema.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  COLON,
  COMMA,
  LOWER_F,
  LOWER_N,
  LOWER_T,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../../bytes/ascii.ts';
import { ByteWriter } from '../../bytes/byte-writer.ts';
import { writeCompactJson } from '../../bytes/json-text.ts';
import type { Findings } from '../../findings.ts';
import { type InputLimits, tooManyFields } from '../../io/limits.ts';
import { noteCrsMember } from './collection-members.ts';
import { GeometryParser } from './geometry-parser.ts';
import type { JsonScanner } from './scanner.ts';
import { ValueColumn } from './value-column.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const KEY_TYPE = encoder.encode('type');
const KEY_GEOMETRY = encoder.encode('geometry');
const KEY_PROPERTIES = encoder.encode('properties');
const KEY_ID = encoder.encode('id');
const KEY_BBOX = encoder.encode('bbox');
const KEY_CRS = encoder.encode('crs');
const FEATURE = encoder.encode('Feature');
const NO_KEY = new Uint8Array(0);

/** Number of foreign members whose names are reported separately for one partition. */
const MAX_FOREIGN_NAMES = 20;

const NOTE_FINDINGS = [
  [GEOMETRY_NOTE.ringClosed, 'RING_CLOSED'],
  [GEOMETRY_NOTE.degenerate, 'GEOMETRY_DEGENERATE'],
  [GEOMETRY_NOTE.flattened, 'COLLECTION_FLATTENED'],
  [GEOMETRY_NOTE.emptyMember, 'EMPTY_MEMBER_DROPPED'],
] as const;

export class FeatureParser {
  readonly #scanner: JsonScanner;
  readonly #findings: Findings;
  readonly #builder = new GeometryBuilder();
  readonly #geometry: GeometryParser;
  readonly #columns: ValueColumn[] = [];
  readonly #byName = new Map<string, ValueColumn>();
  readonly #ids = new ValueColumn('id', NO_KEY, -1);
  readonly #scratch = new ByteWriter(256);
  readonly #foreignNames = new Set<string>();
  readonly #layerName: string;
  readonly #fieldLimit: number;
  #firstColumn = 0;
  #hasIds = false;
  /** Findings of the current feature; kept only when the feature is complete. */
  #pending: (() => void)[] = [];

  constructor(
    scanner: JsonScanner,
    layerName: string,
    limits: InputLimits,
    findings: Findings,
    expectedBytes: number,
  ) {
    this.#scanner = scanner;
    this.#layerName = layerName;
    this.#fieldLimit = limits.fields;
    this.#findings = findings;
    this.#geometry = new GeometryParser(
      scanner,
      this.#builder,
      limits.coordinatesPerFeature,
      (start, end, at) => this.foreignMember(start, end, at),
    );
    // An ordinate takes about 12 bytes of text; reserved pages that stay unused cost nothing.
    this.#builder.reserve(Math.min(expectedBytes, 1 << 26) >> 3);
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
    if (bytes[at] !== OPEN_BRACE) throw this.#noFeature(at);
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
        if (hasProperties) this.#forgetValues();
        hasProperties = true;
        at = this.#properties(scanner.punctuation(at + 12, COLON), depth + 1);
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
    if (!hasType)
      throw scanner.fault(objectStart, "this object has no 'type': 'Feature'", 'GEOJSON_STRUCTURE');
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
    let columns: AttributeColumn[] = this.#columns.map((column) => column.finish(rowCount));
    let found: Field[] = this.#columns.map(({ name }, i) => ({ name, type: columns[i].type }));
    if (fields !== null) {
      columns = fields.map(({ name, type }) => {
        const column = this.#byName.get(name) ?? new ValueColumn(name, NO_KEY, 0);
        return castColumn(column.finish(rowCount), type, rowCount);
      });
      found = [...fields];
    }
    return {
      rowCount,
      geometry: this.#builder.finish(),
      fields: found,
      columns,
      ids: this.#hasIds ? this.#finishIds(rowCount) : null,
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
    let names = this.#keyText(keyStart, keyEnd);
    if (!this.#foreignNames.has(names)) {
      if (this.#foreignNames.size < MAX_FOREIGN_NAMES) this.#foreignNames.add(names);
      else names = '…';
    }
    const record = this.rowCount + 1;
    this.#pending.push(() => this.#findings.note('FOREIGN_MEMBERS_DROPPED', { names }, { record }));
  }

  /** Confirms the findings of members outside of features. */
  settle(): void {
    if (this.#pending.length === 0) return;
    for (const note of this.#pending) note();
    this.#pending = [];
  }

  #begin(): void {
    const geometry = this.#geometry;
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
    for (const [bit, code] of NOTE_FINDINGS) if ((notes & bit) !== 0) this.#findings.note(code, {}, location);
    if (extraOrdinates > 0) this.#findings.note('EXTRA_ORDINATES', {}, location, extraOrdinates);
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
    return scanner.skip(valueAt, depth);
  }

  #featureType(at: number, objectStart: number): number {
    const scanner = this.#scanner;
    if (scanner.bytes[at] !== QUOTE) throw scanner.fault(at, "'type' must be a string", 'GEOJSON_STRUCTURE');
    if (scanner.isString(at, FEATURE)) return at + FEATURE.length + 2;
    const end = scanner.string(at);
    const name = scanner.text(at + 1, Math.min(end, at + 41));
    const reason = `expected a Feature but this object's type is '${name}'`;
    throw scanner.fault(objectStart, reason, 'GEOJSON_STRUCTURE');
  }

  #noFeature(at: number): Error {
    const scanner = this.#scanner;
    if (at >= scanner.limit || scanner.endsWithComma(at)) return scanner.unexpected(at, 'a Feature');
    const reason = `expected a Feature but found ${scanner.byteName(at)}`;
    return scanner.fault(at, reason, 'GEOJSON_STRUCTURE');
  }

  #properties(at: number, depth: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    if (bytes[at] === LOWER_N) return scanner.literal(at);
    if (bytes[at] !== OPEN_BRACE) {
      if (at >= scanner.limit) throw scanner.unexpected(at, "'{'");
      throw scanner.fault(at, "'properties' must be an object or null", 'GEOJSON_STRUCTURE');
    }
    const row = this.rowCount;
    const columns = this.#columns;
    let expected = this.#firstColumn;
    let previous: ValueColumn | null = null;
    at = scanner.space(at + 1);
    if (bytes[at] === CLOSE_BRACE) return at + 1;
    for (;;) {
      if (bytes[at] !== QUOTE) throw scanner.unexpected(at, "a key in double quotes or '}'");
      let column: ValueColumn;
      if (
        expected < columns.length &&
        columns[expected].key.length > 0 &&
        scanner.isString(at, columns[expected].key)
      ) {
        column = columns[expected];
        at += column.key.length + 2;
      } else {
        const end = scanner.string(at);
        column = this.#column(at + 1, end, scanner.hasEscapes);
        if (previous === null) this.#firstColumn = column.index;
        else previous.following = column.index;
        at = end + 1;
      }
      at = this.#value(column, row, scanner.punctuation(at, COLON), depth + 1);
      previous = column;
      expected = column.following;
      if (bytes[at] === COMMA && bytes[at + 1] === QUOTE) at++;
      else {
        at = scanner.space(at);
        if (bytes[at] === CLOSE_BRACE) return at + 1;
        at = scanner.punctuation(at, COMMA);
      }
    }
  }

  /** The column of a key that was not the expected one. */
  #column(start: number, end: number, hasEscapes: boolean): ValueColumn {
    const name = this.#keyText(start, end);
    let column = this.#byName.get(name);
    if (column === undefined) {
      const limit = this.#fieldLimit;
      if (this.#columns.length >= limit) throw tooManyFields(this.#layerName, `more than ${limit}`, limit);
      const key = hasEscapes ? NO_KEY : this.#scanner.bytes.slice(start, end);
      column = new ValueColumn(name, key, this.#columns.length);
      this.#columns.push(column);
      this.#byName.set(name, column);
    }
    return column;
  }

  #keyText(start: number, end: number): string {
    const { bytes } = this.#scanner;
    let hasEscapes = false;
    for (let i = start; i < end; i++) if (bytes[i] === BACKSLASH) hasEscapes = true;
    if (!hasEscapes) return this.#scanner.text(start, end);
    const scratch = this.#scratch;
    scratch.reset();
    this.#scanner.unescape(start, end, scratch);
    return decoder.decode(scratch.written());
  }

  #value(column: ValueColumn, row: number, at: number, depth: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = scanner.string(at);
      if (scanner.hasEscapes) this.#escapedText(column, row, at + 1, end);
      else column.appendText(row, bytes, at + 1, end);
      return end + 1;
    }
    if (byte === LOWER_N || byte === LOWER_T || byte === LOWER_F) {
      const end = scanner.literal(at);
      if (byte === LOWER_N) column.appendNull(row);
      else column.appendBoolean(row, byte === LOWER_T);
      return end;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      const end = scanner.skip(at, depth);
      const scratch = this.#scratch;
      scratch.reset();
      writeCompactJson(scratch, bytes, at, end);
      column.appendJson(row, scratch.bytes, 0, scratch.length);
      return end;
    }
    const value = scanner.number(at);
    const end = scanner.numberEnd;
    if (end >= scanner.limit) throw scanner.unexpected(end, 'the rest of a number');
    if (scanner.isInteger) {
      if (value <= 9_007_199_254_740_991 && value >= -9_007_199_254_740_991)
        column.appendNumber(row, value, true);
      else column.appendLongInteger(row, bytes, at, end);
    } else if (value - value === 0) column.appendNumber(row, value, false);
    // Larger than any double: only its digits can be kept.
    else column.appendJson(row, bytes, at, end);
    return end;
  }

  #escapedText(column: ValueColumn, row: number, start: number, end: number): void {
    const scratch = this.#scratch;
    scratch.reset();
    const replaced = this.#scanner.unescape(start, end, scratch);
    if (replaced > 0) {
      const params = { field: column.name, encoding: 'Unicode (lone surrogates)' };
      this.#pending.push(() => this.#findings.note('TEXT_REPLACED', params, { record: row + 1 }));
    }
    column.appendText(row, scratch.bytes, 0, scratch.length);
  }

  /** Discards the values of a `properties` member when the same feature has a second one. */
  #forgetValues(): void {
    for (const column of this.#columns) column.appendNull(this.rowCount);
  }

  #id(at: number, depth: number): number {
    this.#hasIds ||= this.#scanner.bytes[at] !== LOWER_N;
    return this.#value(this.#ids, this.rowCount, at, depth);
  }

  #finishIds(rowCount: number): AttributeColumn {
    const ids = this.#ids.finish(rowCount);
    if (ids.type === 'int32') return castColumn(ids, 'int64', rowCount);
    if (ids.type === 'date' || ids.type === 'datetime') return { ...ids, type: 'string' };
    return ids.type === 'boolean' ? castColumn(ids, 'json', rowCount) : ids;
  }
}
