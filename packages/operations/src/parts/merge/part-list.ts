/**
 * Parts of geometry columns, each with the row that it represents. Columns are those of the layer's batches and, after them,
 * from the workers' results; no coordinates are copied until a part is gathered for a worker or for the output.
 */
import {
  type GeometryBuilder,
  type GeometryColumn,
  hasZ,
  PART_KIND_MASK,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';

export class PartList {
  readonly columns: readonly GeometryColumn[];
  length = 0;
  column: Uint32Array;
  part: Uint32Array;
  row: Uint32Array;
  /** A number that its maker gives it: which part of an earlier list it stems from. */
  seed: Uint32Array;
  /** minX, minY, maxX, maxY of each part; inverted infinities where no position is finite. */
  bounds: Float64Array;

  /** `columns` may grow while the list lives. */
  constructor(columns: readonly GeometryColumn[], expected = 1024) {
    this.columns = columns;
    this.column = new Uint32Array(expected);
    this.part = new Uint32Array(expected);
    this.row = new Uint32Array(expected);
    this.seed = new Uint32Array(expected);
    this.bounds = new Float64Array(expected * 4);
  }

  push(column: number, part: number, row: number, seed = 0): void {
    const at = this.#room();
    this.column[at] = column;
    this.part[at] = part;
    this.row[at] = row;
    this.seed[at] = seed;
    partBounds(this.columns[column], part, this.bounds, at * 4);
  }

  /** A part of another list over the same columns. */
  pushFrom(list: PartList, index: number): void {
    const at = this.#room();
    this.column[at] = list.column[index];
    this.part[at] = list.part[index];
    this.row[at] = list.row[index];
    this.seed[at] = list.seed[index];
    for (let i = 0; i < 4; i++) this.bounds[at * 4 + i] = list.bounds[index * 4 + i];
  }

  positionCount(index: number): number {
    const { ringOffsets, coordOffsets } = this.columns[this.column[index]];
    const part = this.part[index];
    return coordOffsets[ringOffsets[part + 1]] - coordOffsets[ringOffsets[part]];
  }

  hasBounds(index: number): boolean {
    return this.bounds[index * 4] <= this.bounds[index * 4 + 2];
  }

  /** Appends the positions and rings of the part, not its end. M is left out: NaN where the builder has it. */
  appendRings(index: number, builder: GeometryBuilder): void {
    copyRings(this.columns[this.column[index]], this.part[index], builder);
  }

  /** The part at `index` is another one now. */
  replace(index: number, column: number, part: number): void {
    this.column[index] = column;
    this.part[index] = part;
  }

  /** Appends the whole part, without a MULTI mark. */
  appendPart(index: number, builder: GeometryBuilder): void {
    const column = this.column[index];
    this.appendRings(index, builder);
    builder.endPart(this.columns[column].partKinds[this.part[index]] & PART_KIND_MASK);
  }

  /** PART_KIND. */
  kind(index: number): number {
    return this.columns[this.column[index]].partKinds[this.part[index]] & PART_KIND_MASK;
  }

  #room(): number {
    const at = this.length++;
    if (at < this.part.length) return at;
    const size = this.part.length * 2;
    this.column = grown32(this.column, size);
    this.part = grown32(this.part, size);
    this.row = grown32(this.row, size);
    this.seed = grown32(this.seed, size);
    const bounds = new Float64Array(size * 4);
    bounds.set(this.bounds);
    this.bounds = bounds;
    return at;
  }
}

function grown32(array: Uint32Array, size: number): Uint32Array {
  const grown = new Uint32Array(size);
  grown.set(array);
  return grown;
}

function partBounds(column: GeometryColumn, part: number, target: Float64Array, at: number): void {
  const { ringOffsets } = column;
  // Holes too: of an invalid polygon they may reach beyond the shell.
  ringBounds(column, ringOffsets[part], ringOffsets[part + 1], target, at);
}

/** Bounds of the rings `[ringStart, ringEnd)` into `target[at .. at + 3]`. */
export function ringBounds(
  column: GeometryColumn,
  ringStart: number,
  ringEnd: number,
  target: Float64Array,
  at: number,
): void {
  const { coordOffsets, coordinates, dimensions } = column;
  const stride = strideOf(dimensions);
  let minX = Number.POSITIVE_INFINITY;
  let minY = Number.POSITIVE_INFINITY;
  let maxX = Number.NEGATIVE_INFINITY;
  let maxY = Number.NEGATIVE_INFINITY;
  const end = coordOffsets[ringEnd] * stride;
  for (let i = coordOffsets[ringStart] * stride; i < end; i += stride) {
    const x = coordinates[i];
    const y = coordinates[i + 1];
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
  }
  target[at] = minX;
  target[at + 1] = minY;
  target[at + 2] = maxX;
  target[at + 3] = maxY;
}

/** Appends the rings of a part to the builder; Z is kept if both have it. */
export function copyRings(column: GeometryColumn, part: number, builder: GeometryBuilder): void {
  const { ringOffsets } = column;
  for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) copyRing(column, ring, builder);
}

/** One ring, as copyRings. */
export function copyRing(column: GeometryColumn, ring: number, builder: GeometryBuilder): void {
  const { coordOffsets, dimensions } = column;
  const from = strideOf(dimensions);
  const to = builder.stride;
  const zFrom = hasZ(dimensions);
  const zTo = hasZ(builder.dimensions);
  const isPlain = (dimensions === 'XY' || dimensions === 'XYZ') && dimensions === builder.dimensions;
  const start = coordOffsets[ring];
  const end = coordOffsets[ring + 1];
  builder.reserve((end - start) * to);
  const target = builder.coordinates;
  let at = builder.coordinateLength;
  if (isPlain && column.copyOrdinates !== undefined) {
    column.copyOrdinates(start * from, end * from, target, at);
    at += (end - start) * from;
  } else if (isPlain) {
    const { coordinates } = column;
    for (let i = start * from; i < end * from; i++) target[at++] = coordinates[i];
  } else {
    const [coordinates, first] = ordinatesOf(column, start * from, end * from);
    const last = first + (end - start) * from;
    for (let i = first; i < last; i += from) {
      target[at] = coordinates[i];
      target[at + 1] = coordinates[i + 1];
      for (let k = 2; k < to; k++) target[at + k] = Number.NaN;
      if (zFrom && zTo) target[at + 2] = coordinates[i + 2];
      at += to;
    }
  }
  builder.coordinateLength = at;
  builder.endRing();
}

/** An array with ordinates `[from, to)` of a column, and where they begin in it. */
function ordinatesOf(
  column: GeometryColumn,
  from: number,
  to: number,
): readonly [ordinates: Float64Array, first: number] {
  if (column.copyOrdinates === undefined) return [column.coordinates, from];
  const ordinates = new Float64Array(to - from);
  column.copyOrdinates(from, to, ordinates, 0);
  return [ordinates, 0];
}
