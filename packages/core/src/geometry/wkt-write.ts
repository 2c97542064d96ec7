/** Writes geometry as well-known text (ISO 19125-1 with the Z, M and ZM of OGC 06-103r4). */
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { CLOSE_PAREN, COMMA, OPEN_PAREN, SPACE } from '../text/ascii.ts';
import {
  ALL_DIGITS,
  type CoordinateDigits,
  type Digits,
  MAX_NUMBER_LENGTH,
  writeDigits,
} from '../text/number-text.ts';
import {
  GEOMETRY_TYPE,
  GEOMETRY_TYPE_NAMES,
  type GeometryColumn,
  hasM,
  hasZ,
  PART_KIND,
  PART_KIND_MASK,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
  strideOf,
} from './geometry-column.ts';
import { rowDimensions } from './row-dimensions.ts';

/** Four numbers with a separator each. The functions that write numbers reserve more if they need it. */
const POSITION_ROOM = 4 * (MAX_NUMBER_LENGTH + 1);

const SINGLE_NAMES = ['', 'POINT', 'LINESTRING', 'POLYGON'] as const;
const MULTI_NAMES = ['', 'MULTIPOINT', 'MULTILINESTRING', 'MULTIPOLYGON'] as const;

/** Settings for all parts of the current geometry. */
interface Style {
  /** Written after the name: "", " Z", " M" or " ZM". */
  readonly letters: string;
  /** Offset of Z and M in a position, or 0 if this geometry has none. */
  readonly zAt: number;
  readonly mAt: number;
  readonly digits: CoordinateDigits;
}

/**
 * Appends the geometry of a row: "POLYGON Z ((30 10 1,40 40 2,...))", or nothing for a null geometry. A Z or M
 * missing at some positions of the geometry is written as NaN.
 */
export function writeWkt(
  writer: ByteWriter,
  column: GeometryColumn,
  row: number,
  digits: CoordinateDigits = ALL_DIGITS,
): void {
  const type = column.types[row];
  if (type === GEOMETRY_TYPE.none) return;
  const dimensions = rowDimensions(column, row);
  const style: Style = {
    letters: dimensions === 'XY' ? '' : ` ${dimensions.slice(2)}`,
    zAt: hasZ(dimensions) ? 2 : 0,
    mAt: hasM(dimensions) ? strideOf(column.dimensions) - 1 : 0,
    digits,
  };
  const first = column.partOffsets[row];
  const end = column.partOffsets[row + 1];
  if (type === GEOMETRY_TYPE.geometryCollection) writeCollection(writer, column, first, end, style);
  else {
    writer.ascii(GEOMETRY_TYPE_NAMES[type].toUpperCase());
    writer.ascii(style.letters);
    writer.uint8(SPACE);
    if (type <= GEOMETRY_TYPE.polygon) writePart(writer, column, first, first < end, style);
    else writeMulti(writer, column, first, end, style);
  }
}

function writeCollection(
  writer: ByteWriter,
  column: GeometryColumn,
  first: number,
  end: number,
  style: Style,
): void {
  writer.ascii('GEOMETRYCOLLECTION');
  writer.ascii(style.letters);
  writer.uint8(SPACE);
  if (first === end) {
    writer.ascii('EMPTY');
    return;
  }
  const { partKinds, ringOffsets } = column;
  writer.uint8(OPEN_PAREN);
  for (let part = first; part < end; ) {
    const marks = partKinds[part];
    const kind = marks & PART_KIND_MASK;
    let next = part + 1;
    if ((marks & PART_MULTI_FIRST) !== 0)
      while (next < end && (partKinds[next] & PART_MULTI_NEXT) !== 0) next++;
    const isMulti = (marks & PART_MULTI_FIRST) !== 0;
    if (part > first) writer.uint8(COMMA);
    writer.ascii(isMulti ? MULTI_NAMES[kind] : SINGLE_NAMES[kind]);
    writer.ascii(style.letters);
    writer.uint8(SPACE);
    if (ringOffsets[part] === ringOffsets[part + 1]) writer.ascii('EMPTY');
    else if (isMulti) writeMulti(writer, column, part, next, style);
    else writePart(writer, column, part, true, style);
    part = next;
  }
  writer.uint8(CLOSE_PAREN);
}

function writeMulti(
  writer: ByteWriter,
  column: GeometryColumn,
  first: number,
  end: number,
  style: Style,
): void {
  if (first === end) {
    writer.ascii('EMPTY');
    return;
  }
  writer.uint8(OPEN_PAREN);
  for (let part = first; part < end; part++) {
    if (part > first) writer.uint8(COMMA);
    writePart(writer, column, part, true, style);
  }
  writer.uint8(CLOSE_PAREN);
}

function writePart(
  writer: ByteWriter,
  column: GeometryColumn,
  part: number,
  exists: boolean,
  style: Style,
): void {
  const { ringOffsets, partKinds } = column;
  const firstRing = ringOffsets[part];
  const endRing = ringOffsets[part + 1];
  if (!exists || firstRing === endRing) {
    writer.ascii('EMPTY');
    return;
  }
  if ((partKinds[part] & PART_KIND_MASK) !== PART_KIND.polygon) {
    writePositions(writer, column, firstRing, style);
    return;
  }
  writer.uint8(OPEN_PAREN);
  for (let ring = firstRing; ring < endRing; ring++) {
    if (ring > firstRing) writer.uint8(COMMA);
    writePositions(writer, column, ring, style);
  }
  writer.uint8(CLOSE_PAREN);
}

function writePositions(writer: ByteWriter, column: GeometryColumn, ring: number, style: Style): void {
  const { coordinates, coordOffsets } = column;
  const stride = strideOf(column.dimensions);
  const { zAt, mAt } = style;
  const { xy, zm } = style.digits;
  const end = coordOffsets[ring + 1] * stride;
  writer.uint8(OPEN_PAREN);
  for (let i = coordOffsets[ring] * stride; i < end; i += stride) {
    if (writer.length + POSITION_ROOM > writer.bytes.length) writer.reserve(POSITION_ROOM);
    writeOrdinate(writer, coordinates[i], xy);
    writer.bytes[writer.length++] = SPACE;
    writeOrdinate(writer, coordinates[i + 1], xy);
    if (zAt !== 0) {
      writer.bytes[writer.length++] = SPACE;
      writeOrdinate(writer, coordinates[i + zAt], zm);
    }
    if (mAt !== 0) {
      writer.bytes[writer.length++] = SPACE;
      writeOrdinate(writer, coordinates[i + mAt], zm);
    }
    writer.bytes[writer.length++] = COMMA;
  }
  if (end === coordOffsets[ring] * stride) writer.uint8(CLOSE_PAREN);
  else writer.bytes[writer.length - 1] = CLOSE_PAREN;
}

function writeOrdinate(writer: ByteWriter, value: number, digits: Digits): void {
  if (Number.isNaN(value)) writer.ascii('NaN');
  else writeDigits(writer, value, digits);
}
