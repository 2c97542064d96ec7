/** Reads placemarks and ground overlays into a geometry builder and columns. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { DocumentColumns } from '@geomill/core/columns/document-columns.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { TextColumn, type TextHint } from '@geomill/core/columns/text-columns.ts';
import { GEOMETRY_TYPE, GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import { GEOMETRY_NOTE_FINDINGS } from '@geomill/core/geometry/geometry-notes.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { elementText, tagName } from '@geomill/core/text/xml-elements.ts';
import type { XmlScanner } from '@geomill/core/text/xml-scanner.ts';
import { checkFieldCount, type InputLimits } from '@geomill/io/limits.ts';
import { FieldReader } from './field-reader.ts';
import { GeometryParser, type GeometrySink } from './geometry.ts';
import { kmlFindings } from './messages.ts';
import { type FeatureName, type KmlName, kmlName } from './names.ts';
import { latLonBox, latLonQuad } from './overlay-corners.ts';
import { PositionReader } from './positions.ts';
import { STANDARD_FIELDS, STANDARD_HINTS } from './standard-fields.ts';
import type { LayerState } from './state.ts';
import { colorOf, fragmentOf, readStyle, type Style } from './styles.ts';

const ID = new TextEncoder().encode('id');
/** Number of ignored elements whose names are reported separately for one partition. */
const MAX_IGNORED_NAMES = 20;

export class PlacemarkReader implements GeometrySink {
  readonly #scanner: XmlScanner;
  readonly #state: LayerState;
  readonly #rootPrefix: Uint8Array;
  readonly #findings: Findings;
  readonly #builder = new GeometryBuilder();
  readonly #geometry: GeometryParser;
  readonly #positions: PositionReader;
  readonly #columns: DocumentColumns;
  readonly #fields: FieldReader;
  readonly #ids = new TextColumn('id', 'string', 0);
  readonly #scratch = new ByteWriter(1024);
  readonly #ignoredNames = new Set<string>();
  readonly #standard: Readonly<Record<string, TextColumn>>;
  // Of the current feature:
  #style: Style = {};
  #url = '';
  #hasFieldElements = false;
  #times: (readonly string[])[] = [];
  #areModesDifferent = new Set<string>();

  constructor(
    scanner: XmlScanner,
    state: LayerState,
    layerName: string,
    limits: InputLimits,
    findings: Findings,
  ) {
    this.#scanner = scanner;
    this.#state = state;
    this.#rootPrefix = state.document.rootPrefix;
    this.#findings = findings;
    this.#positions = new PositionReader(scanner, this.#builder, limits.coordinatesPerFeature);
    this.#geometry = new GeometryParser(scanner, this.#builder, this.#rootPrefix, this, this.#positions);
    const { types } = state;
    const hintOf = (name: string): TextHint => types.get(name) ?? STANDARD_HINTS[name] ?? null;
    this.#columns = new DocumentColumns(hintOf, findings, (count) =>
      checkFieldCount(layerName, count, limits),
    );
    this.#fields = new FieldReader(scanner, state, this.#columns, (name) => this.ignored(name));
    this.#standard = Object.fromEntries(STANDARD_FIELDS.map((name) => [name, this.#columns.column(name)]));
    for (const name of state.declared) this.#columns.column(name);
  }

  get rowCount(): number {
    return this.#builder.featureCount;
  }

  finish(fields: readonly Field[] | null): FeatureBatch {
    const { rowCount } = this;
    const kept = new Set(this.#state.declared);
    if (this.#state.document.hasStandardFields) for (const name of STANDARD_FIELDS) kept.add(name);
    return {
      rowCount,
      geometry: this.#builder.finish(),
      ...this.#columns.finish(rowCount, fields, (name) => kept.has(name)),
      ids: this.#ids.hasValues ? this.#ids.finish(rowCount, 'string') : null,
    };
  }

  /** Reads the feature whose start tag was read last; returns the offset after its end tag. */
  read(name: FeatureName, at: number): number {
    this.#hasFieldElements = false;
    return this.#read(name, at);
  }

  /** As read, for an element of Structure.placemarkNames, whose fields are elements. */
  readOfSchema(at: number): number {
    this.#hasFieldElements = true;
    return this.#read('Placemark', at);
  }

  #read(name: FeatureName, at: number): number {
    const scanner = this.#scanner;
    const row = this.#begin();
    if (scanner.attribute(ID)) {
      this.#scratch.reset();
      scanner.appendValue(this.#scratch);
      this.#ids.append(row, this.#scratch.bytes, 0, this.#scratch.length);
    }
    let type: number = GEOMETRY_TYPE.none;
    if (!scanner.isEmpty)
      for (;;) {
        at = scanner.tag(at);
        if (scanner.isEnd) break;
        const child = kmlName(scanner, this.#rootPrefix);
        if (child !== null && GeometryParser.isGeometry(child) && !this.#hasPositions()) {
          at = this.#geometry.read(child, at);
          // Location histories have an empty point before each track.
          if (type === GEOMETRY_TYPE.none || this.#hasPositions()) type = this.#geometry.type;
        } else if (name === 'GroundOverlay' && (child === 'LatLonBox' || child === 'LatLonQuad')) {
          at = this.#overlay(child, at);
          type = this.#geometry.type;
        } else at = this.#child(child, at);
      }
    this.#end(name, type);
    return at;
  }

  #overlay(name: 'LatLonBox' | 'LatLonQuad', at: number): number {
    const { corners, end } =
      name === 'LatLonBox'
        ? latLonBox(this.#scanner, at, this.#rootPrefix, this.#scratch, (rotationAt) =>
            this.#fields.value(this.#columns.column('rotation', 'float64'), rotationAt),
          )
        : latLonQuad(this.#scanner, at, this.#scratch);
    if (corners !== null) this.#geometry.ring(corners, Number.NaN);
    else {
      this.ignored(`${name} without ${name === 'LatLonBox' ? 'sides' : 'positions'}`);
      this.#geometry.type = GEOMETRY_TYPE.none;
    }
    return end;
  }

  #begin(): number {
    const row = this.rowCount;
    this.#columns.row = row;
    this.#geometry.notes = 0;
    this.#geometry.hasExtraPositions = false;
    this.#geometry.isModel = false;
    this.#positions.featureStart = this.#builder.positionCount;
    this.#style = {};
    this.#url = '';
    if (this.#times.length > 0) this.#times = [];
    this.#fields.begin();
    if (this.#areModesDifferent.size > 0) this.#areModesDifferent = new Set();
    return row;
  }

  #hasPositions(): boolean {
    return this.#builder.positionCount > this.#positions.featureStart;
  }

  #end(name: FeatureName, type: number): void {
    const geometry = this.#geometry;
    this.#positions.checkFeature();
    const isReduced = this.#style.hasMore === true;
    if (this.#url !== '' || this.#style.url !== undefined) this.#applyShared();
    this.#applyStyle(type);
    this.#fields.end();
    if (this.#times.length > 0 && this.#times.some((times) => times.length > 0))
      this.#columns.setJson('times', this.#times.length === 1 ? this.#times[0] : this.#times);
    this.#builder.endFeature(type);
    if (isReduced || name !== 'Placemark' || geometry.hasNotes) this.#note(name, isReduced);
    for (const mode of this.#areModesDifferent)
      this.#findings.note(kmlFindings.KML_MODES_DIFFER, { name: mode }, { record: this.rowCount });
  }

  #note(name: FeatureName, isReduced: boolean): void {
    const geometry = this.#geometry;
    const location = { record: this.rowCount };
    if (isReduced) this.#findings.note(kmlFindings.KML_STYLES_REDUCED, {}, location);
    if (name === 'GroundOverlay') this.#findings.note(kmlFindings.KML_OVERLAY_AS_POLYGON, {}, location);
    if (geometry.isModel) this.#findings.note(kmlFindings.KML_MODEL_AS_POINT, {}, location);
    if (geometry.hasExtraPositions) this.#findings.note(kmlFindings.KML_POSITIONS_IGNORED, {}, location);
    if (geometry.notes !== 0)
      for (const [bit, entry] of GEOMETRY_NOTE_FINDINGS)
        if ((geometry.notes & bit) !== 0) this.#findings.note(entry, {}, location);
  }

  /** A child of a feature that is no geometry. */
  #child(child: KmlName | null, at: number): number {
    const scanner = this.#scanner;
    if (this.#hasFieldElements) {
      const field = tagName(scanner);
      if (this.#state.types.has(field)) return this.#fields.value(this.#columns.column(field), at);
    }
    switch (child) {
      case 'name':
      case 'description':
      case 'visibility':
      case 'altitudeMode':
      case 'drawOrder':
        return this.#fields.value(this.#standard[child], at);
      case 'Snippet':
      case 'snippet':
        return this.#fields.value(this.#columns.column('snippet', 'string'), at);
      case 'address':
      case 'phoneNumber':
        return this.#fields.value(this.#columns.column(child, 'string'), at);
      case 'styleUrl': {
        const read = elementText(scanner, at, this.#scratch);
        this.#url = read.text.trim();
        return read.at;
      }
      case 'Style':
      case 'StyleMap':
        return readStyle(scanner, at, this.#scratch, this.#rootPrefix, this.#style);
      case 'TimeStamp':
      case 'TimeSpan':
        return this.#time(at);
      case 'ExtendedData':
      case 'Metadata':
        return this.#fields.extendedData(at);
      case 'Icon':
        return this.#icon(at);
      case 'color':
        return this.#overlayColor(at);
      case 'altitude':
        return this.#fields.value(this.#columns.column('altitude'), at);
      // How the feature is shown at first: documented as not read.
      case 'open':
      case 'LookAt':
      case 'Camera':
      case 'Region':
      case 'balloonVisibility':
        return scanner.skip(at);
      default:
        this.ignored(tagName(scanner));
        return scanner.skip(at);
    }
  }

  #time(at: number): number {
    const scanner = this.#scanner;
    if (scanner.isEmpty) return at;
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) return at;
      const child = kmlName(scanner, this.#rootPrefix);
      if (child === 'when') at = this.#fields.value(this.#standard.timestamp, at);
      else if (child === 'begin' || child === 'end') at = this.#fields.value(this.#standard[child], at);
      else {
        this.ignored(tagName(scanner));
        at = scanner.skip(at);
      }
    }
  }

  #icon(at: number): number {
    const scanner = this.#scanner;
    if (scanner.isEmpty) return at;
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) return at;
      if (kmlName(scanner, this.#rootPrefix) === 'href') at = this.#fields.value(this.#standard.icon, at);
      else at = scanner.skip(at);
    }
  }

  #overlayColor(at: number): number {
    const read = elementText(this.#scanner, at, this.#scratch);
    const color = colorOf(read.text.trim());
    if (color !== null) this.#style.polygon = color;
    return read.at;
  }

  #applyShared(): void {
    const { url: inner, ...own } = this.#style;
    for (const url of [inner, this.#url]) {
      if (url === undefined || url === '') continue;
      const id = fragmentOf(url);
      const shared = id === null ? undefined : this.#state.document.styles.get(id);
      if (shared !== undefined) {
        this.#style = { ...shared, ...own };
        return;
      }
      const { fileName: file } = this.#state.document;
      this.#findings.note(
        kmlFindings.KML_STYLE_MISSING,
        { file, url: url.slice(0, 200) },
        { record: this.rowCount + 1 },
      );
    }
    this.#style = own;
  }

  #applyStyle(type: number): void {
    const { point, line, polygon, icon } = this.#style;
    const kind = type > GEOMETRY_TYPE.polygon && type < GEOMETRY_TYPE.geometryCollection ? type - 3 : type;
    const color =
      kind === GEOMETRY_TYPE.point
        ? point
        : kind === GEOMETRY_TYPE.lineString
          ? line
          : kind === GEOMETRY_TYPE.polygon
            ? polygon || line
            : polygon || line || point;
    if (color !== undefined && color !== '') this.#columns.setText('color', color);
    const showsIcon = kind !== GEOMETRY_TYPE.lineString && kind !== GEOMETRY_TYPE.polygon;
    if (icon !== undefined && showsIcon && !this.#standard.icon.hasValue(this.rowCount))
      this.#columns.setText('icon', icon);
  }

  extendedData(at: number): number {
    return this.#fields.extendedData(at);
  }

  mode(name: 'altitudeMode' | 'tessellate' | 'extrude', text: Uint8Array, length: number): void {
    const column = this.#standard[name];
    if (!column.hasValue(this.#columns.row)) this.#columns.set(column, text, 0, length);
    else if (!column.isValue(this.#columns.row, text, 0, length)) this.#areModesDifferent.add(name);
  }

  beginTrack(): void {
    this.#fields.beginTrack();
  }

  /** Times and values belong to positions by their order, so a position that is missing takes its time and values along. */
  endTrack(times: readonly string[], count: number, gaps: readonly number[]): void {
    this.#fields.endTrack(count, gaps);
    const record = this.rowCount + 1;
    if (gaps.length > 0) this.#findings.note(kmlFindings.KML_TRACK_GAPS, {}, { record }, gaps.length);
    if (times.length > count)
      this.#findings.note(kmlFindings.KML_TRACK_TIMES_DROPPED, {}, { record }, times.length - count);
    if (times.length > 0 && times.length < count)
      this.#findings.note(kmlFindings.KML_TRACK_TIMES_MISSING, {}, { record }, count - times.length);
    // A track without positions has no part in the geometry.
    if (count === gaps.length) return;
    const missing = new Set(gaps);
    const matched = times.length === 0 ? [] : Array.from({ length: count }, (_, i) => times[i] ?? '');
    this.#times.push(matched.filter((_, i) => !missing.has(i)));
  }

  ignored(name: string): void {
    if (!this.#ignoredNames.has(name)) {
      if (this.#ignoredNames.size < MAX_IGNORED_NAMES) this.#ignoredNames.add(name);
      else name = '…';
    }
    this.#findings.note(kmlFindings.KML_ELEMENTS_IGNORED, { name }, { record: this.rowCount + 1 });
  }
}
