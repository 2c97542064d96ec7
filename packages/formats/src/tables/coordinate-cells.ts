/** Reads a pair of columns of coordinates, or a column with both. */
import { GEOMETRY_TYPE, type GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import { DOT } from '@geomill/core/text/ascii.ts';
import { NumberScanner } from '@geomill/core/text/number-scanner.ts';
import { type OrdinateNotation, OrdinateScanner, wrongLetter } from '@geomill/core/text/ordinate-text.ts';
import { PositionScanner } from '@geomill/core/text/position-text.ts';
import type { GeometryPlace } from './geometry-place.ts';
import { isMissing } from './missing.ts';
import type { RecordScanner } from './records.ts';
import { endPoint, type RowGeometry } from './row-reader.ts';
import { CellBytes } from './sample.ts';

/** Reads numbers and angles; the plain number, which nearly all are, is tried first. */
class OrdinateCells {
  reason = '';
  value = 0;
  readonly #notation: OrdinateNotation;
  readonly #numbers = new NumberScanner();
  readonly #ordinates: OrdinateScanner;
  readonly #areAngles: boolean;

  constructor(notation: OrdinateNotation, areAngles: boolean) {
    this.#notation = notation;
    this.#areAngles = areAngles;
    this.#ordinates = new OrdinateScanner(notation);
  }

  /** Reads `bytes[start, end)` into `value`. Returns false if it is no ordinate of the axis: see `reason`. */
  read(bytes: Uint8Array, start: number, end: number, axis: 'x' | 'y' | 'z'): boolean {
    if (this.#notation.decimalMark === DOT && !this.#areAngles) {
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
    if (this.#areAngles && axis !== 'z' && !ordinates.isAngle) {
      this.reason = 'an angle such as 47°22\'15"N is expected, as in the first rows,';
      return false;
    }
    const { hemisphere } = ordinates;
    if (hemisphere === '') return true;
    const isLatitude = hemisphere === 'N' || hemisphere === 'S';
    if (axis === 'z' || isLatitude !== (axis === 'y')) {
      this.reason = wrongLetter(hemisphere, axis);
      return false;
    }
    return true;
  }
}

export class PairCells implements RowGeometry {
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
    this.#ordinates = new OrdinateCells(place.notation, place.areAngles === true);
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

export class PointCells implements RowGeometry {
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
