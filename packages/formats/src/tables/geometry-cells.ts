/** Reads a column of geometries. */
import { GeoJsonGeometryReader } from '@geomill/core/geometry/geojson-geometry.ts';
import { GEOMETRY_TYPE, type GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import { WkbReader } from '@geomill/core/geometry/wkb.ts';
import { WktReader } from '@geomill/core/geometry/wkt.ts';
import { GeomillError } from '@geomill/core/messages/errors.ts';
import { BACKSLASH, NINE, OPEN_BRACE, QUOTE, ZERO } from '@geomill/core/text/ascii.ts';
import { isMissing } from './missing.ts';
import type { GeometryProbe, RecordScanner } from './records.ts';
import type { RowGeometry } from './row-reader.ts';
import { CellBytes } from './sample.ts';

/** WKT, hexadecimal WKB or GeoJSON, each recognised by the first character of the cell. */
export class GeometryCells implements RowGeometry, GeometryProbe {
  srid = 0;
  notes = 0;
  /** Rows with a text for a missing value. Rows with an empty cell are not counted: writers make them. */
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

function isSyntaxError(error: unknown): error is GeomillError {
  return error instanceof GeomillError && (error.code === 'WKT_SYNTAX' || error.code === 'WKB_SYNTAX');
}
