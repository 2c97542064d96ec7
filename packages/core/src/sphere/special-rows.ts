/** The few rows of a column that are taken apart, and the column with what became of them. */
import {
  GEOMETRY_TYPE,
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '../geometry/geometry-column.ts';
import type { FlatPolygon } from '../geometry/split-polygon.ts';
import { RowWriter } from './row-writer.ts';

/** A line or a polygon. */
export interface SpecialPart {
  /** Position in the column. */
  readonly part: number;
  readonly isLine: boolean;
  /** All ordinates of each ring. */
  rings: number[][];
  /** What the part became; null: it stays as it is. */
  pieces: FlatPolygon[] | null;
  /** The pieces differ from the rings in more than their coordinates. */
  isChanged: boolean;
}

export interface SpecialRow {
  readonly row: number;
  readonly isCollection: boolean;
  readonly parts: SpecialPart[];
  isCut: boolean;
  isClosed: boolean;
  isUncut: boolean;
  /** Edges got positions. */
  isFollowed: boolean;
  /** An area around a pole is closed before the pole. */
  isCutOff: boolean;
  /** Long edges could not be followed. */
  isTorn: boolean;
}

/** The lines and polygons of rows, which are ascending. */
export function specialRows(column: GeometryColumn, rows: readonly number[]): SpecialRow[] {
  const { types, partOffsets, partKinds, ringOffsets, coordOffsets, coordinates } = column;
  const stride = strideOf(column.dimensions);
  return rows.map((row) => {
    const parts: SpecialPart[] = [];
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
      const kind = partKinds[part] & PART_KIND_MASK;
      if (kind === PART_KIND.point || ringOffsets[part] === ringOffsets[part + 1]) continue;
      const rings: number[][] = [];
      for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++)
        rings.push(
          Array.from(coordinates.subarray(coordOffsets[ring] * stride, coordOffsets[ring + 1] * stride)),
        );
      parts.push({ part, isLine: kind === PART_KIND.line, rings, pieces: null, isChanged: false });
    }
    const nothing = { isCut: false, isClosed: false, isUncut: false, isFollowed: false };
    return {
      row,
      isCollection: types[row] === GEOMETRY_TYPE.geometryCollection,
      parts,
      ...nothing,
      isCutOff: false,
      isTorn: false,
    };
  });
}

/** The column with the pieces in place of the parts. The same column if there are none. */
export function withPieces(column: GeometryColumn, rows: readonly SpecialRow[]): GeometryColumn {
  const changed = new Map(
    rows.filter(({ parts }) => parts.some(({ pieces }) => pieces !== null)).map((one) => [one.row, one]),
  );
  if (changed.size === 0) return column;
  const writer = new RowWriter(column);
  const { types, partOffsets, partKinds } = column;
  for (let row = 0; row < types.length; row++) {
    const own = changed.get(row);
    if (own === undefined) {
      writer.copyRow(row);
      continue;
    }
    const pieces = new Map(own.parts.map((one) => [one.part, one.pieces]));
    writer.beginRow(types[row] === GEOMETRY_TYPE.geometryCollection);
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
      const replaced = pieces.get(part) ?? null;
      if (replaced === null) writer.copyPart(part);
      else writer.appendPieces(replaced, partKinds[part]);
    }
    writer.endRow(types[row]);
  }
  return writer.finish();
}

/** Rings end to end, as in a column. */
export function flattened(
  rings: readonly (readonly number[])[],
  stride: number,
): { readonly coordinates: Float64Array<ArrayBuffer>; readonly coordOffsets: Uint32Array<ArrayBuffer> } {
  const coordOffsets = new Uint32Array(rings.length + 1);
  rings.forEach((ring, i) => {
    coordOffsets[i + 1] = coordOffsets[i] + ring.length / stride;
  });
  const coordinates = new Float64Array(coordOffsets[rings.length] * stride);
  rings.forEach((ring, i) => {
    coordinates.set(ring, coordOffsets[i] * stride);
  });
  return { coordinates, coordOffsets };
}

/** A ring of such coordinates. */
export function ringAt(
  coordinates: Float64Array,
  coordOffsets: Uint32Array,
  ring: number,
  stride: number,
): number[] {
  return Array.from(coordinates.subarray(coordOffsets[ring] * stride, coordOffsets[ring + 1] * stride));
}
