/** Reads placemarks and ground overlays into a geometry builder and columns. */
import { DocumentColumns } from '../../batch/document-columns.ts';
import type { FeatureBatch } from '../../batch/feature-batch.ts';
import { GEOMETRY_TYPE, GeometryBuilder } from '../../batch/geometry-column.ts';
import { GEOMETRY_NOTE_FINDINGS } from '../../batch/geometry-notes.ts';
import type { Field } from '../../batch/schema.ts';
import { TextColumn, type TextHint } from '../../batch/text-columns.ts';
import { ByteWriter } from '../../bytes/byte-writer.ts';
import { elementJson, elementText, tagName } from '../../bytes/xml-elements.ts';
import { XmlFault, type XmlScanner } from '../../bytes/xml-scanner.ts';
import type { Findings } from '../../findings.ts';
import { checkFieldCount, type InputLimits } from '../../io/limits.ts';
import { GeometryParser, type GeometrySink } from './geometry.ts';
import { type FeatureName, type KmlName, kmlName } from './names.ts';
import { STANDARD_FIELDS, STANDARD_HINTS } from './standard-fields.ts';
import type { LayerState } from './state.ts';
import { colorOf, fragmentOf, readStyle, type Style } from './styles.ts';

const encoder = new TextEncoder();
const ID = encoder.encode('id');
const NAME = encoder.encode('name');
const AMPERSAND = 0x26;
/** Number of ignored elements whose names are reported separately for one partition. */
const MAX_IGNORED_NAMES = 20;
const SIDES = ['north', 'south', 'east', 'west'] as const;

export class PlacemarkReader implements GeometrySink {
  readonly #scanner: XmlScanner;
  readonly #state: LayerState;
  readonly #rootPrefix: Uint8Array;
  readonly #findings: Findings;
  readonly #builder = new GeometryBuilder();
  readonly #geometry: GeometryParser;
  readonly #columns: DocumentColumns;
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
    this.#geometry = new GeometryParser(
      scanner,
      this.#builder,
      this.#rootPrefix,
      this,
      limits.coordinatesPerFeature,
    );
    const { types } = state;
    const hintOf = (name: string): TextHint => types.get(name) ?? STANDARD_HINTS[name] ?? null;
    this.#columns = new DocumentColumns(hintOf, findings, (count) =>
      checkFieldCount(layerName, count, limits),
    );
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
          at = child === 'LatLonBox' ? this.#box(at) : this.#quad(at);
          type = this.#geometry.type;
        } else at = this.#child(child, at);
      }
    this.#end(name, type);
    return at;
  }

  #begin(): number {
    const row = this.rowCount;
    this.#columns.row = row;
    this.#geometry.notes = 0;
    this.#geometry.hasExtraPositions = false;
    this.#geometry.isModel = false;
    this.#geometry.featureStart = this.#builder.positionCount;
    this.#style = {};
    this.#url = '';
    if (this.#times.length > 0) this.#times = [];
    if (this.#areModesDifferent.size > 0) this.#areModesDifferent = new Set();
    return row;
  }

  #hasPositions(): boolean {
    return this.#builder.positionCount > this.#geometry.featureStart;
  }

  #end(name: FeatureName, type: number): void {
    const geometry = this.#geometry;
    geometry.checkCount(this.#builder.positionCount - geometry.featureStart);
    const isReduced = this.#style.hasMore === true;
    if (this.#url !== '' || this.#style.url !== undefined) this.#applyShared();
    this.#applyStyle(type);
    if (this.#times.length > 0 && this.#times.some((times) => times.length > 0))
      this.#columns.setJson('times', this.#times.length === 1 ? this.#times[0] : this.#times);
    this.#builder.endFeature(type);
    if (isReduced || name !== 'Placemark' || geometry.hasNotes) this.#note(name, isReduced);
    for (const mode of this.#areModesDifferent)
      this.#findings.note('KML_MODES_DIFFER', { name: mode }, { record: this.rowCount });
  }

  #note(name: FeatureName, isReduced: boolean): void {
    const geometry = this.#geometry;
    const location = { record: this.rowCount };
    if (isReduced) this.#findings.note('KML_STYLES_REDUCED', {}, location);
    if (name === 'GroundOverlay') this.#findings.note('KML_OVERLAY_AS_POLYGON', {}, location);
    if (geometry.isModel) this.#findings.note('KML_MODEL_AS_POINT', {}, location);
    if (geometry.hasExtraPositions) this.#findings.note('KML_POSITIONS_IGNORED', {}, location);
    if (geometry.notes !== 0)
      for (const [bit, code] of GEOMETRY_NOTE_FINDINGS)
        if ((geometry.notes & bit) !== 0) this.#findings.note(code, {}, location);
  }

  /** A child of a feature that is no geometry. */
  #child(child: KmlName | null, at: number): number {
    const scanner = this.#scanner;
    if (this.#hasFieldElements) {
      const field = tagName(scanner);
      if (this.#state.types.has(field)) return this.#value(this.#columns.column(field), at);
    }
    switch (child) {
      case 'name':
      case 'description':
      case 'visibility':
      case 'altitudeMode':
      case 'drawOrder':
        return this.#value(this.#standard[child], at);
      case 'Snippet':
      case 'snippet':
        return this.#value(this.#columns.column('snippet', 'string'), at);
      case 'address':
      case 'phoneNumber':
        return this.#value(this.#columns.column(child, 'string'), at);
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
        return this.extendedData(at);
      case 'Icon':
        return this.#icon(at);
      case 'color':
        return this.#overlayColor(at);
      case 'altitude':
        return this.#value(this.#columns.column('altitude'), at);
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

  #value(column: TextColumn, at: number): number {
    return this.#scanner.isEmpty ? at : this.#text(column, at);
  }

  #text(column: TextColumn, at: number): number {
    const scanner = this.#scanner;
    const end = scanner.plainText(at);
    if (end >= 0) {
      const next = scanner.tag(end);
      this.#columns.set(column, scanner.bytes, at, end);
      return next;
    }
    const scratch = this.#scratch;
    scratch.reset();
    at = scanner.text(at, scratch);
    this.#columns.set(column, scratch.bytes, 0, scratch.length);
    return at;
  }

  #time(at: number): number {
    const scanner = this.#scanner;
    if (scanner.isEmpty) return at;
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) return at;
      const child = kmlName(scanner, this.#rootPrefix);
      if (child === 'when') at = this.#value(this.#standard.timestamp, at);
      else if (child === 'begin' || child === 'end') at = this.#value(this.#standard[child], at);
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
      if (kmlName(scanner, this.#rootPrefix) === 'href') at = this.#value(this.#standard.icon, at);
      else at = scanner.skip(at);
    }
  }

  #overlayColor(at: number): number {
    const read = elementText(this.#scanner, at, this.#scratch);
    const color = colorOf(read.text.trim());
    if (color !== null) this.#style.polygon = color;
    return read.at;
  }

  /** ExtendedData or Metadata, whose start tag was read last. */
  extendedData(at: number): number {
    const scanner = this.#scanner;
    if (scanner.isEmpty) return at;
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) return at;
      const child = kmlName(scanner, this.#rootPrefix);
      if (child === 'SchemaData') at = this.#schemaData(at);
      else if (child === 'Data') at = this.#data(at);
      else at = this.#foreign(at);
    }
  }

  #schemaData(at: number): number {
    const scanner = this.#scanner;
    if (scanner.isEmpty) return at;
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) return at;
      const child = kmlName(scanner, this.#rootPrefix);
      if (child === 'SimpleData') {
        const column = this.#namedColumn();
        if (column === null) {
          at = this.#nameless(at);
          continue;
        }
        // An empty tag is an empty text.
        at = this.#text(column, at);
      } else if (child === 'SimpleArrayData') at = this.#array(at);
      else {
        this.ignored(tagName(scanner));
        at = scanner.skip(at);
      }
    }
  }

  /** The column that the attribute `name` of the last tag names; null: it has none. */
  #namedColumn(): TextColumn | null {
    const { repeated: tag } = this.#scanner;
    const repeated = tag?.isWhole === true ? tag : null;
    if (repeated !== null && repeated.column >= 0) return this.#columns.at(repeated.column);
    const column = this.#findColumn();
    if (repeated !== null && column !== null) repeated.column = column.index;
    return column;
  }

  #findColumn(): TextColumn | null {
    const scanner = this.#scanner;
    if (!scanner.attribute(NAME)) return null;
    const { bytes, valueStart, valueEnd } = scanner;
    for (let i = valueStart; i < valueEnd; i++)
      if (bytes[i] === AMPERSAND || bytes[i] < 0x20)
        return this.#columns.column(scanner.attributeText(NAME, this.#scratch) ?? '');
    return this.#columns.columnOf(bytes, valueStart, valueEnd);
  }

  /** Data without a name, which no field can hold. */
  #nameless(at: number): number {
    this.ignored(`${tagName(this.#scanner)} without name`);
    return this.#scanner.skip(at);
  }

  #array(at: number): number {
    const scanner = this.#scanner;
    const name = scanner.attributeText(NAME, this.#scratch) ?? 'values';
    if (scanner.isEmpty) return at;
    const values: string[] = [];
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) break;
      const read = elementText(scanner, at, this.#scratch);
      at = read.at;
      values.push(read.text);
    }
    const type = this.#state.types.get(name) ?? null;
    const isNumber = type === 'int32' || type === 'int64' || type === 'float64';
    this.#columns.setJson(
      name,
      values.map((text) =>
        isNumber && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text,
      ),
    );
    return at;
  }

  #data(at: number): number {
    const scanner = this.#scanner;
    const column = this.#namedColumn();
    if (column === null) return this.#nameless(at);
    if (scanner.isEmpty) return at;
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) return at;
      const child = kmlName(scanner, this.#rootPrefix);
      if (child === 'value') at = this.#value(column, at);
      else {
        if (child !== 'displayName') this.ignored(tagName(scanner));
        at = scanner.skip(at);
      }
    }
  }

  /** An element of another namespace: a text, or JSON if it has attributes or elements. */
  #foreign(at: number): number {
    const name = tagName(this.#scanner).replace(/^[^:]*:/, '');
    const read = elementJson(this.#scanner, at, this.#scratch);
    if (typeof read.value === 'string') this.#columns.setText(name, read.value);
    else if (read.value !== null) this.#columns.setJson(name, read.value);
    return read.at;
  }

  #box(at: number): number {
    const scanner = this.#scanner;
    const sides: Record<string, number> = {};
    const start = scanner.tagStart;
    if (!scanner.isEmpty)
      for (;;) {
        at = scanner.tag(at);
        if (scanner.isEnd) break;
        const child = kmlName(scanner, this.#rootPrefix);
        if (child === 'rotation') at = this.#value(this.#columns.column('rotation', 'float64'), at);
        else if (child !== null && (SIDES as readonly string[]).includes(child)) {
          const read = elementText(scanner, at, this.#scratch);
          at = read.at;
          sides[child] = read.text.trim() === '' ? Number.NaN : Number(read.text);
        } else at = scanner.skip(at);
      }
    const { north, south, east, west } = sides;
    if (Object.keys(sides).length === 0) {
      this.ignored('LatLonBox without sides');
      this.#geometry.type = GEOMETRY_TYPE.none;
      return at;
    }
    if (![north, south, east, west].every(Number.isFinite))
      throw new XmlFault(start, 'a LatLonBox needs numbers for north, south, east and west');
    const corners = [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
    ];
    this.#geometry.ring(corners, Number.NaN);
    return at;
  }

  #quad(at: number): number {
    const scanner = this.#scanner;
    const start = scanner.tagStart;
    let text = '';
    if (!scanner.isEmpty)
      for (;;) {
        at = scanner.tag(at);
        if (scanner.isEnd) break;
        const read = elementText(scanner, at, this.#scratch);
        at = read.at;
        text = read.text;
      }
    if (text.trim() === '') {
      this.ignored('LatLonQuad without positions');
      this.#geometry.type = GEOMETRY_TYPE.none;
      return at;
    }
    const corners = text
      .trim()
      .split(/\s+/)
      .map((position) => position.split(',').map(Number));
    if (corners.length !== 4 || !corners.every(([x, y]) => Number.isFinite(x) && Number.isFinite(y)))
      throw new XmlFault(start, 'a gx:LatLonQuad needs four positions');
    this.#geometry.ring(corners, Number.NaN);
    return at;
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
        'KML_STYLE_MISSING',
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

  mode(name: 'altitudeMode' | 'tessellate' | 'extrude', text: Uint8Array, length: number): void {
    const column = this.#standard[name];
    if (!column.hasValue(this.#columns.row)) this.#columns.set(column, text, 0, length);
    else if (!column.isValue(this.#columns.row, text, 0, length)) this.#areModesDifferent.add(name);
  }

  times(times: readonly string[]): void {
    this.#times.push(times);
  }

  ignored(name: string): void {
    if (!this.#ignoredNames.has(name)) {
      if (this.#ignoredNames.size < MAX_IGNORED_NAMES) this.#ignoredNames.add(name);
      else name = '…';
    }
    this.#findings.note('KML_ELEMENTS_IGNORED', { name }, { record: this.rowCount + 1 });
  }
}
