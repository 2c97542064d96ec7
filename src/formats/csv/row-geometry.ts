/** Reads the geometry of one row: from a column of geometries, from a pair of columns, or from a column of positions. */
import { GeoJsonGeometryReader } from '../../batch/geojson-geometry.ts';
import { GEOMETRY_TYPE, type GeometryBuilder, PART_KIND } from '../../batch/geometry-column.ts';
import { WkbReader } from '../../batch/wkb.ts';
import { WktReader } from '../../batch/wkt.ts';
import { DOT, NINE, OPEN_BRACE, QUOTE, ZERO } from '../../bytes/ascii.ts';
import { NumberScanner } from '../../bytes/number-text.ts';
import { type OrdinateNotation, OrdinateScanner } from '../../bytes/ordinate-text.ts';
import { PositionScanner } from '../../bytes/position-text.ts';
import { GeomillError } from '../../errors.ts';
import { isMissing } from './missing.ts';
import type { GeometryProbe, RecordScanner } from './records.ts';
import { CellBytes } from './sample.ts';

/** Where the geometry of a row is; columns are counted from 0. Plain data. */
export type GeometryPlace =
  | { readonly kind: 'column'; readonly index: number }
  | {
      readonly kind: 'pair';
      readonly x: number;
      readonly y: number;
      /** -1: none. */
      readonly z: number;
      readonly notation: OrdinateNotation;
    }
  | {
      readonly kind: 'point';
      readonly index: number;
      /** null: each value has to state it. */
      readonly order: 'lat_lon' | 'lon_lat' | null;
      readonly notation: OrdinateNotation;
    };

/** The columns that the geometry is read from. */
export function geometryColumns(place: GeometryPlace): number[] {
  if (place.kind !== 'pair') return [place.index];
  return place.z < 0 ? [place.x, place.y] : [place.x, place.y, place.z];
}

/** Appends the geometry of the scanner's current record to the builder, as one feature. */
export interface RowGeometry {
  /** Of the last geometry: SRID (0: none) and bits of GEOMETRY_NOTE. */
  readonly srid: number;
  readonly notes: number;
  /** Rows without coordinates. */
  readonly emptyCount: number;
  /** Points at 0, 0. */
  readonly zeroCount: number;
  /** The last position is read, but does not state its order. */
  readonly lacksOrder: boolean;
  /** Why the last geometry is invalid, and its column. */
  readonly reason: string;
  readonly column: number;
  /** Reads geometries during the scan; null: not possible. */
  readonly scanProbe: GeometryProbe | null;
  /** Returns false if the geometry is invalid; then nothing is appended. */
  read(scanner: RecordScanner): boolean;
}

export function rowGeometry(place: GeometryPlace, builder: GeometryBuilder): RowGeometry {
  switch (place.kind) {
    case 'column':
      return new GeometryCells(place.index, builder);
    case 'pair':
      return new PairCells(place, builder);
    case 'point':
      return new PointCells(place, builder);
  }
}

/** WKT, hexadecimal WKB or GeoJSON, each recognised by the first character of the cell. */
export class GeometryCells implements RowGeometry, GeometryProbe {
  srid = 0;
  notes = 0;
  /** Rows with a text for a missing value. Those with an empty cell are not counted: writers make them. */
  emptyCount = 0;
  readonly zeroCount = 0;
  readonly lacksOrder = false;
  reason = '';
  readonly column: number;
  readonly scanProbe = this;
  readonly #builder: GeometryBuilder;
  readonly #cell = new CellBytes();
  readonly #wkt = new WktReader();
  #wkb: HexWkbReader | null = null;
  #json: GeoJsonGeometryReader | null = null;
  #probedType = 0;

  constructor(column: number, builder: GeometryBuilder) {
    this.column = column;
    this.#builder = builder;
  }

  probe(bytes: Uint8Array, start: number): number {
    const wkt = this.#wkt;
    try {
      this.#probedType = wkt.readParts(bytes, start, bytes.length, this.#builder);
      const at = wkt.end;
      if (bytes[at] === QUOTE && at + 1 < bytes.length && bytes[at + 1] !== QUOTE && !wkt.hasLineEnds)
        return at;
    } catch (error) {
      if (!isSyntaxError(error)) throw error;
    }
    this.#builder.rollback();
    return -1;
  }

  read(scanner: RecordScanner): boolean {
    const builder = this.#builder;
    if (scanner.isProbed) {
      this.srid = this.#wkt.srid;
      this.notes = this.#wkt.notes;
      builder.endFeature(this.#probedType);
      return true;
    }
    this.srid = 0;
    this.notes = 0;
    const cell = this.#cell;
    let type: number = GEOMETRY_TYPE.none;
    if (cell.open(scanner, scanner.rowCount * scanner.columnCount + this.column)) {
      if (isMissing(cell)) this.emptyCount++;
      else type = this.readCell(cell);
      if (type < 0) return false;
    }
    builder.endFeature(type);
    return true;
  }

  /** Appends the parts of the geometry in a cell; returns its GEOMETRY_TYPE. -1: it is invalid, see `reason`. */
  readCell(cell: CellBytes): number {
    try {
      return this.#readParts(cell);
    } catch (error) {
      if (!isSyntaxError(error)) throw error;
      this.#builder.rollback();
      const { reason, offset } = error.params;
      const isText = error.code === 'WKT_SYNTAX' && cell.bytes[cell.start] !== OPEN_BRACE;
      this.reason = isText ? `${reason}, at character ${Number(offset) + 1}` : String(reason);
      return -1;
    }
  }

  #readParts({ bytes, start, end }: CellBytes): number {
    const builder = this.#builder;
    const first = bytes[start];
    let reader: { readonly srid: number; readonly notes: number };
    let type: number;
    if (first === OPEN_BRACE) {
      reader = this.#json ??= new GeoJsonGeometryReader();
      type = (this.#json as GeoJsonGeometryReader).readParts(
        decoder.decode(bytes.subarray(start, end)),
        builder,
      );
    } else if (isHex(first)) {
      reader = this.#wkb ??= new HexWkbReader();
      type = (this.#wkb as HexWkbReader).readHex(bytes, start, end, builder);
    } else {
      reader = this.#wkt;
      type = this.#wkt.readWhole(bytes, start, end, builder);
    }
    this.srid = reader.srid;
    this.notes = reader.notes;
    return type;
  }
}

const decoder = new TextDecoder();
const BACKSLASH = 0x5c;
const LOWER_X = 0x78;
const NOT_HEX = 255;
const HEX_VALUES = Uint8Array.from({ length: 256 }, (_, byte) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(byte).toLowerCase());
  return digit < 0 ? NOT_HEX : digit;
});

/** Whether a geometry that begins with this byte is WKB in hexadecimal digits. */
export function isHex(first: number): boolean {
  return (first >= ZERO && first <= NINE) || first === BACKSLASH;
}

/** WKB and EWKB in hexadecimal digits, also after `\x` (PostgreSQL) or `0x` (SQL Server). */
class HexWkbReader extends WkbReader {
  #decoded = new Uint8Array(256);

  /** As `readParts`, for the digits `text[start, end)` and nothing after the geometry. */
  readHex(text: Uint8Array, start: number, end: number, builder: GeometryBuilder): number {
    if ((text[start + 1] | 0x20) === LOWER_X && (text[start] === BACKSLASH || text[start] === ZERO))
      start += 2;
    const length = (end - start) >> 1;
    if (this.#decoded.length < length) this.#decoded = new Uint8Array(length * 2);
    const bytes = this.#decoded;
    let all = ((end - start) & 1) << 4;
    for (let i = 0, at = start; i < length; i++, at += 2) {
      const high = HEX_VALUES[text[at]];
      const low = HEX_VALUES[text[at + 1]];
      all |= (high | low) & 0xf0;
      bytes[i] = (high << 4) | low;
    }
    this.open(bytes, 0, length);
    if (all !== 0)
      throw this.fail(0, "a geometry is expected: WKT such as 'POINT (1 2)', hexadecimal WKB or GeoJSON");
    const type = this.readParts(bytes, 0, length, builder);
    if (this.at !== length) throw this.fail(this.at, `${length - this.at} bytes follow the WKB`);
    return type;
  }
}

/** Reads numbers and angles; the plain number, which nearly all are, is tried first. */
class OrdinateCells {
  reason = '';
  value = 0;
  readonly #notation: OrdinateNotation;
  readonly #numbers = new NumberScanner();
  readonly #ordinates: OrdinateScanner;

  constructor(notation: OrdinateNotation) {
    this.#notation = notation;
    this.#ordinates = new OrdinateScanner(notation);
  }

  /** Reads `bytes[start, end)` into `value`. Returns false if it is no ordinate of the axis: see `reason`. */
  read(bytes: Uint8Array, start: number, end: number, axis: 'x' | 'y' | 'z'): boolean {
    if (this.#notation.decimalMark === DOT) {
      const value = this.#numbers.scan(bytes, start, end);
      if (this.#numbers.end === end && Number.isFinite(value)) {
        this.value = value;
        return true;
      }
    }
    const ordinates = this.#ordinates;
    this.value = ordinates.parse(bytes, start, end);
    this.reason = ordinates.reason;
    if (Number.isNaN(this.value)) return false;
    const { hemisphere } = ordinates;
    if (hemisphere === '') return true;
    const isLatitude = hemisphere === 'N' || hemisphere === 'S';
    if (axis === 'z' || isLatitude !== (axis === 'y')) {
      this.reason = `the letter ${hemisphere} states a ${isLatitude ? 'latitude' : 'longitude'}, but the column is read as ${axis}`;
      return false;
    }
    return true;
  }
}

function endPoint(builder: GeometryBuilder): void {
  builder.endRing();
  builder.endPart(PART_KIND.point);
  builder.endFeature(GEOMETRY_TYPE.point);
}

class PairCells implements RowGeometry {
  zeroCount = 0;
  readonly lacksOrder = false;
  readonly srid = 0;
  readonly notes = 0;
  readonly scanProbe = null;
  emptyCount = 0;
  reason = '';
  column: number;
  readonly #builder: GeometryBuilder;
  readonly #x: number;
  readonly #y: number;
  readonly #z: number;
  readonly #cell = new CellBytes();
  readonly #ordinates: OrdinateCells;

  constructor(place: GeometryPlace & { readonly kind: 'pair' }, builder: GeometryBuilder) {
    this.#builder = builder;
    this.#x = place.x;
    this.#y = place.y;
    this.#z = place.z;
    this.column = place.x;
    this.#ordinates = new OrdinateCells(place.notation);
    if (place.z >= 0) builder.widen('XYZ');
  }

  read(scanner: RecordScanner): boolean {
    const builder = this.#builder;
    const x = this.#ordinate(scanner, this.#x, 'x');
    if (x === null) return false;
    const y = this.#ordinate(scanner, this.#y, 'y');
    if (y === null) return false;
    if (Number.isNaN(x) || Number.isNaN(y)) {
      if (Number.isNaN(x) && Number.isNaN(y)) {
        this.emptyCount++;
        builder.endFeature(GEOMETRY_TYPE.none);
        return true;
      }
      this.column = Number.isNaN(x) ? this.#x : this.#y;
      this.reason = `one coordinate is missing and the other is not`;
      return false;
    }
    const z = this.#z < 0 ? Number.NaN : this.#ordinate(scanner, this.#z, 'z');
    if (z === null) return false;
    if (x === 0 && y === 0) this.zeroCount++;
    builder.position(x, y, z);
    endPoint(builder);
    return true;
  }

  /** NaN: the cell is empty. null: invalid. */
  #ordinate(scanner: RecordScanner, column: number, axis: 'x' | 'y' | 'z'): number | null {
    const cell = this.#cell;
    if (!cell.open(scanner, scanner.rowCount * scanner.columnCount + column)) return Number.NaN;
    const ordinates = this.#ordinates;
    if (ordinates.read(cell.bytes, cell.start, cell.end, axis)) return ordinates.value;
    if (isMissing(cell)) return Number.NaN;
    this.column = column;
    this.reason = ordinates.reason;
    return null;
  }
}

class PointCells implements RowGeometry {
  readonly srid = 0;
  readonly notes = 0;
  readonly scanProbe = null;
  emptyCount = 0;
  reason = '';
  zeroCount = 0;
  lacksOrder = false;
  readonly column: number;
  readonly #builder: GeometryBuilder;
  readonly #cell = new CellBytes();
  readonly #positions: PositionScanner;
  readonly #order: 'lat_lon' | 'lon_lat' | null;

  constructor(place: GeometryPlace & { readonly kind: 'point' }, builder: GeometryBuilder) {
    this.#builder = builder;
    this.column = place.index;
    this.#order = place.order;
    this.#positions = new PositionScanner(place.notation);
  }

  read(scanner: RecordScanner): boolean {
    const builder = this.#builder;
    const cell = this.#cell;
    if (!cell.open(scanner, scanner.rowCount * scanner.columnCount + this.column) || isMissing(cell)) {
      this.emptyCount++;
      builder.endFeature(GEOMETRY_TYPE.none);
      return true;
    }
    const position = this.#positions;
    if (!position.parse(cell.bytes, cell.start, cell.end)) {
      this.reason = position.reason;
      return false;
    }
    const { first, second, z } = position;
    const order = position.order ?? this.#order;
    this.lacksOrder = order === null;
    if (order === null) return false;
    if (first === 0 && second === 0) this.zeroCount++;
    if (!Number.isNaN(z)) builder.widen('XYZ');
    if (order === 'lat_lon') builder.position(second, first, z);
    else builder.position(first, second, z);
    endPoint(builder);
    return true;
  }
}

function isSyntaxError(error: unknown): error is GeomillError {
  return error instanceof GeomillError && (error.code === 'WKT_SYNTAX' || error.code === 'WKB_SYNTAX');
}
