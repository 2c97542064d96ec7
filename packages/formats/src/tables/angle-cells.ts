/** Reads positions whose degrees, minutes, seconds and letters are in columns of their own. */
import type { AngleColumns } from '@geomill/core/geometry/angle-names.ts';
import { GEOMETRY_TYPE, type GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import {
  hemisphereOf,
  type OrdinateNotation,
  OrdinateScanner,
  tooManyDegrees,
  wrongLetter,
} from '@geomill/core/text/ordinate-text.ts';
import { isMissing } from './missing.ts';
import type { CellTable, RecordScanner } from './records.ts';
import { endPoint, type RowGeometry } from './row-reader.ts';
import { CellBytes } from './sample.ts';

/** Where the parts are; columns are counted from 0. Plain data. */
export interface AnglesPlace {
  readonly kind: 'angles';
  readonly x: AngleColumns;
  readonly y: AngleColumns;
  /** -1: none. */
  readonly z: number;
  readonly notation: OrdinateNotation;
}

/** The columns that are there. */
export function columnsOf({ degrees, minutes, seconds, hemisphere }: AngleColumns): number[] {
  return [degrees, minutes, seconds, hemisphere].filter((column) => column >= 0);
}

export class AngleCells implements RowGeometry {
  readonly srid = 0;
  readonly notes = 0;
  readonly scanProbe = null;
  readonly lacksOrder = false;
  emptyCount = 0;
  zeroCount = 0;
  reason = '';
  column: number;
  /** Of the last row; NaN: missing. */
  x = Number.NaN;
  y = Number.NaN;
  readonly #place: AnglesPlace;
  readonly #builder: GeometryBuilder;
  readonly #ordinates: OrdinateScanner;
  readonly #cell = new CellBytes();

  constructor(place: AnglesPlace, builder: GeometryBuilder) {
    this.#place = place;
    this.#builder = builder;
    this.#ordinates = new OrdinateScanner(place.notation);
    this.column = place.x.degrees;
    if (place.z >= 0) builder.widen('XYZ');
  }

  read(scanner: RecordScanner): boolean {
    const builder = this.#builder;
    if (!this.readRow(scanner, scanner.rowCount)) return false;
    if (Number.isNaN(this.x)) {
      this.emptyCount++;
      builder.endFeature(GEOMETRY_TYPE.none);
      return true;
    }
    const { z } = this.#place;
    const height = z < 0 ? Number.NaN : this.#number(scanner, scanner.rowCount, z);
    if (height === null) return false;
    if (this.x === 0 && this.y === 0) this.zeroCount++;
    builder.position(this.x, this.y, height);
    endPoint(builder);
    return true;
  }

  /** Reads `x` and `y` of a row, both NaN if it has none. Returns false if they are invalid: see `reason` and `column`. */
  readRow(table: CellTable, row: number): boolean {
    const { x, y } = this.#place;
    const [longitude, latitude] = [this.#angle(table, row, x, 'x'), this.#angle(table, row, y, 'y')];
    if (longitude === null || latitude === null) return false;
    if (Number.isNaN(longitude) !== Number.isNaN(latitude))
      return this.#fail(
        Number.isNaN(longitude) ? x.degrees : y.degrees,
        'one coordinate is missing and the other is not',
      );
    this.x = longitude;
    this.y = latitude;
    return true;
  }

  /** NaN: all parts are missing. null: invalid. */
  #angle(table: CellTable, row: number, columns: AngleColumns, axis: 'x' | 'y'): number | null {
    const degrees = this.#number(table, row, columns.degrees);
    const ownLetter = this.#ordinates.hemisphere;
    const isSexagesimal = this.#ordinates.isSexagesimal;
    const minutes = this.#number(table, row, columns.minutes);
    const seconds = minutes === null ? null : this.#number(table, row, columns.seconds);
    if (degrees === null || minutes === null || seconds === null) return null;
    if (Number.isNaN(degrees)) {
      // A letter alone is what loggers write without reception.
      if (Number.isNaN(minutes) && Number.isNaN(seconds)) return Number.NaN;
      return this.#refuse(columns.degrees, 'the degrees of the minutes or seconds are missing');
    }
    if (Number.isNaN(minutes) && !Number.isNaN(seconds))
      return this.#refuse(columns.minutes, 'the minutes of the seconds are missing');
    const fraction = (minutes || 0) / 60 + (seconds || 0) / 3600;
    if (!(minutes >= 0 && minutes < 60) && !Number.isNaN(minutes))
      return this.#refuse(columns.minutes, 'minutes are numbers from 0 up to, but not including, 60');
    if (!(seconds >= 0 && seconds < 60) && !Number.isNaN(seconds))
      return this.#refuse(columns.seconds, 'seconds are numbers from 0 up to, but not including, 60');
    if (fraction > 0 && (!Number.isInteger(degrees) || isSexagesimal))
      return this.#refuse(columns.degrees, 'degrees with minutes in another column are whole numbers');
    if (minutes > 0 && seconds > 0 && !Number.isInteger(minutes))
      return this.#refuse(columns.minutes, 'minutes with seconds in another column are whole numbers');
    const size = Math.abs(degrees) + fraction;
    const isNegative = degrees < 0 || Object.is(degrees, -0);
    if (columns.hemisphere < 0) {
      const isLatitude = ownLetter === 'N' || ownLetter === 'S';
      if (ownLetter !== '' && isLatitude !== (axis === 'y'))
        return this.#refuse(columns.degrees, wrongLetter(ownLetter, axis));
      return isNegative ? -size : size;
    }
    return this.#signed(table, row, columns.hemisphere, axis, size, isNegative);
  }

  #signed(
    table: CellTable,
    row: number,
    column: number,
    axis: 'x' | 'y',
    size: number,
    isNegative: boolean,
  ): number | null {
    const cell = this.#cell;
    const hasText = cell.open(table, row * table.columnCount + column) && !isMissing(cell);
    let letter = hasText ? hemisphereOf(textOf(cell)) : '';
    if (letter === 'O') letter = this.#place.notation.letterO ?? 'O';
    const [positive, negative] = axis === 'x' ? ['E', 'W'] : ['N', 'S'];
    if (letter !== positive && letter !== negative)
      return this.#refuse(
        column,
        letter === 'O'
          ? 'the letter O is east in German and west in French or Spanish; write E or W'
          : `${positive} or ${negative} is expected`,
      );
    const limit = axis === 'x' ? 360 : 90;
    if (size > limit)
      return this.#refuse(
        this.#columnOf(axis),
        tooManyDegrees(letter, limit, this.#place[axis].minutes >= 0),
      );
    if (isNegative && letter === positive)
      return this.#refuse(column, 'a minus sign and the letter contradict each other');
    return letter === negative ? -size : size;
  }

  #columnOf(axis: 'x' | 'y'): number {
    return this.#place[axis].degrees;
  }

  /** NaN: there is no such column, or no value. null: invalid. */
  #number(table: CellTable, row: number, column: number): number | null {
    const cell = this.#cell;
    const ordinates = this.#ordinates;
    ordinates.hemisphere = '';
    ordinates.isSexagesimal = false;
    if (column < 0 || !cell.open(table, row * table.columnCount + column) || isMissing(cell))
      return Number.NaN;
    const value = ordinates.parse(cell.bytes, cell.start, cell.end);
    return Number.isNaN(value) ? this.#refuse(column, ordinates.reason) : value;
  }

  #refuse(column: number, reason: string): null {
    this.#fail(column, reason);
    return null;
  }

  #fail(column: number, reason: string): false {
    this.column = column;
    this.reason = reason;
    return false;
  }
}

const LONGEST_WORD = 20;
const UPPER_A = 0x41;
const decoder = new TextDecoder();

/** The text of a cell with a word; '' if it is longer than any or does not begin with a letter. */
export function textOf({ bytes, start, end }: CellBytes): string {
  // Numbers are recognised by their first byte: this is called for all columns beside coordinates.
  if (end - start > LONGEST_WORD || bytes[start] < UPPER_A) return '';
  return decoder.decode(bytes.subarray(start, end));
}
