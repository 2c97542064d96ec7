/** Parses features into a geometry builder and columns. */
import { type AttributeColumn, nullColumn } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { MisfitList } from '@geomill/core/columns/misfits.ts';
import { PropertyParser } from '@geomill/core/columns/property-parser.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { GEOMETRY_TYPE, GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import { GEOMETRY_NOTE_FINDINGS } from '@geomill/core/geometry/geometry-notes.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { CLOSE_BRACE, COLON, COMMA, LOWER_N, OPEN_BRACE, QUOTE } from '@geomill/core/text/ascii.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import { formatFindings } from '../findings.ts';
import { propertyRules } from '../property-rules.ts';
import { type ColumnContext, declaredColumn, isEmpty, namedColumn } from './columns.ts';
import { GeometryParser } from './geometry-parser.ts';
import { esrijsonFindings } from './messages.ts';
import { crsOf } from './spatial-reference.ts';
import type { LayerState } from './state.ts';

const encoder = new TextEncoder();
const KEY_ATTRIBUTES = encoder.encode('attributes');
const KEY_GEOMETRY = encoder.encode('geometry');

/** Longest spatial reference of a geometry that is looked at. */
const MAX_REFERENCE_BYTES = 1 << 17;
/** Names of members that are reported separately for one partition. */
const MAX_MEMBER_NAMES = 20;

export class FeatureParser {
  readonly #scanner: JsonScanner;
  readonly #state: LayerState;
  readonly #findings: Findings;
  readonly #builder = new GeometryBuilder();
  readonly #geometry: GeometryParser;
  readonly #attributes: PropertyParser;
  readonly #notes = GEOMETRY_NOTE_FINDINGS.map(([bit, entry]) => ({ bit, entry, rows: new RowTally() }));
  readonly #extraOrdinates = new RowTally();
  readonly #reordered = new RowTally();
  readonly #unknown = new RowTally();
  readonly #memberNames = new Set<string>();
  /** Bytes of the last spatial reference of a geometry that was right. */
  #reference = new Uint8Array(0);
  /** The current feature has a geometry that is not null. */
  #hasGeometry = false;
  /** Findings of the current feature; kept only when the feature is complete. */
  #pending: (() => void)[] = [];

  constructor(
    scanner: JsonScanner,
    layerName: string,
    state: LayerState,
    limits: InputLimits,
    findings: Findings,
    expectedBytes: number,
  ) {
    this.#scanner = scanner;
    this.#state = state;
    this.#findings = findings;
    this.#geometry = new GeometryParser(
      scanner,
      this.#builder,
      limits.coordinatesPerFeature,
      state,
      (at, end) => this.#checkReference(at, end),
    );
    const keep = (note: () => void): unknown => this.#pending.push(note);
    this.#attributes = new PropertyParser(
      scanner,
      propertyRules('attributes', layerName, limits, findings, keep),
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

  /** Parses the element at `at`; returns the offset after it. */
  element(at: number): number {
    const { content, depth } = this.#state;
    const geometry = this.#geometry;
    geometry.notes = 0;
    geometry.areRingsReordered = false;
    geometry.positions.extraOrdinates = 0;
    geometry.positions.featureStart = this.#builder.positionCount;
    const isGeometry = content === 'geometry' || content === 'geometries';
    at = isGeometry ? this.#geometryMember(at, depth) : this.#feature(at, depth);
    this.#endFeature();
    return at;
  }

  #feature(at: number, depth: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    if (bytes[at] !== OPEN_BRACE) throw this.#noObject(at, 'a feature');
    const firstPart = this.#builder.partCount;
    let hasAttributes = false;
    this.#hasGeometry = false;
    at = scanner.space(at + 1);
    while (bytes[at] !== CLOSE_BRACE) {
      if (bytes[at] !== QUOTE) throw scanner.unexpected(at, "a key in double quotes or '}'");
      if (scanner.isString(at, KEY_ATTRIBUTES)) {
        if (hasAttributes) this.#attributes.forget(this.rowCount);
        hasAttributes = true;
        at = this.#attributes.object(scanner.punctuation(at + 12, COLON), this.rowCount, depth + 1);
      } else if (scanner.isString(at, KEY_GEOMETRY)) {
        this.#builder.rewind(firstPart);
        at = this.#geometryMember(scanner.punctuation(at + 10, COLON), depth + 1);
      } else at = this.#otherMember(at, depth + 1);
      at = scanner.space(at);
      if (bytes[at] === COMMA) {
        at = scanner.space(at + 1);
        if (bytes[at] !== QUOTE) throw scanner.unexpected(at, 'a key in double quotes');
      } else if (bytes[at] !== CLOSE_BRACE) throw scanner.unexpected(at, "',' or '}'");
    }
    return at + 1;
  }

  #geometryMember(at: number, depth: number): number {
    const scanner = this.#scanner;
    const byte = scanner.bytes[at];
    this.#hasGeometry = byte !== LOWER_N;
    if (byte === LOWER_N) return scanner.literal(at);
    if (byte !== OPEN_BRACE) throw this.#noObject(at, 'a geometry');
    return this.#geometry.parse(at, depth);
  }

  #noObject(at: number, what: string): Error {
    const scanner = this.#scanner;
    if (at >= scanner.limit || scanner.endsWithComma(at)) return scanner.unexpected(at, what);
    return scanner.fault(at, `expected ${what} but found ${scanner.byteName(at)}`, 'structure');
  }

  /** Skips a member, such as the symbol of a graphic; its key is at `at`. */
  #otherMember(at: number, depth: number): number {
    const scanner = this.#scanner;
    const keyEnd = scanner.string(at);
    let names = this.#attributes.keyText(at + 1, keyEnd);
    const end = scanner.skip(scanner.punctuation(keyEnd + 1, COLON), depth);
    if (!this.#memberNames.has(names)) {
      if (this.#memberNames.size < MAX_MEMBER_NAMES) this.#memberNames.add(names);
      else names = '…';
    }
    const record = this.rowCount + 1;
    this.#pending.push(() =>
      this.#findings.note(esrijsonFindings.ESRIJSON_MEMBERS_IGNORED, { names }, { record }),
    );
    return end;
  }

  #endFeature(): void {
    const geometry = this.#geometry;
    const row = this.rowCount;
    const hasGeometry = this.#hasGeometry;
    this.#builder.endFeature(hasGeometry ? geometry.type : GEOMETRY_TYPE.none);
    if (hasGeometry) {
      if (geometry.isUnknown) this.#unknown.add(row);
      if (geometry.areRingsReordered) this.#reordered.add(row);
      if (geometry.notes !== 0)
        for (const { bit, rows } of this.#notes) if ((geometry.notes & bit) !== 0) rows.add(row);
      if (geometry.positions.extraOrdinates > 0) this.#extraOrdinates.add(row);
    }
    if (this.#pending.length === 0) return;
    for (const note of this.#pending) note();
    this.#pending = [];
  }

  /** Throws unless the spatial reference at `[at, end)` is that of the layer. */
  #checkReference(at: number, end: number): void {
    const scanner = this.#scanner;
    if (scanner.equals(at, end, this.#reference)) return;
    if (end - at > MAX_REFERENCE_BYTES)
      throw scanner.fault(at, 'this spatial reference is too long to be one', 'structure');
    const own = crsOf(JSON.parse(scanner.text(at, end)));
    if (own !== null && own !== this.#state.crs) {
      const expected = this.#state.crs ?? 'none';
      const reason = `the geometry has the spatial reference ${own.slice(0, 60)}, but its layer ${expected.slice(0, 60)}; a layer has one: split the file`;
      throw scanner.fault(at, reason, 'structure');
    }
    this.#reference = scanner.bytes.slice(at, end);
  }

  /** The rows so far as a batch; no field if `fields` is empty. */
  finish(fields: readonly Field[] | null, misfits: MisfitList): FeatureBatch {
    const { rowCount } = this;
    const findings = this.#findings;
    for (const { entry, rows } of this.#notes) findings.noteTally(entry, {}, rows);
    findings.noteTally(formatFindings.EXTRA_ORDINATES, {}, this.#extraOrdinates);
    findings.noteTally(formatFindings.RINGS_REORDERED, {}, this.#reordered);
    findings.noteTally(esrijsonFindings.ESRIJSON_GEOMETRY_UNKNOWN, {}, this.#unknown);
    const geometry = this.#builder.finish();
    const own =
      fields?.length === 0 ? { fields: [], columns: [] } : this.#finishAttributes(rowCount, misfits);
    return { rowCount, geometry, ...own, ids: null };
  }

  #finishAttributes(rowCount: number, misfits: MisfitList): { fields: Field[]; columns: AttributeColumn[] } {
    const found = this.#attributes.finish(rowCount, null);
    const declared = this.#state.fields;
    if (declared === null) return found;
    const context: ColumnContext = { rowCount, misfits, isZoneUnknown: this.#state.isZoneUnknown };
    const empty = nullColumn('string', rowCount);
    const byName = new Map(found.fields.map(({ name }, i) => [name, found.columns[i]]));
    const columns = declared.map((field) => {
      const column = byName.get(field.name) ?? empty;
      byName.delete(field.name);
      if (field.names === null) return declaredColumn(column, field, context);
      const unknown = new RowTally();
      const named = namedColumn(column, field.names, rowCount, unknown);
      this.#findings.noteTally(esrijsonFindings.ESRIJSON_CODE_UNKNOWN, { field: field.name }, unknown);
      return named;
    });
    const fields = declared.map(({ name }, i) => ({ name, type: columns[i].type }));
    for (const [name, column] of byName) this.#undeclared(name, column, context);
    return { fields, columns };
  }

  /** A field that features have but the layer does not declare is declared once its values are known. */
  #undeclared(name: string, column: AttributeColumn, { misfits }: ColumnContext): void {
    if (!isEmpty(column)) misfits.note(name, 'nothing', {});
  }
}
