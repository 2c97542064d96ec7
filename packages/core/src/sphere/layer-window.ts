/**
 * One plane for all features of a layer, in which those that are neighbours on the Earth are neighbours: it begins at a longitude
 * where no feature is. If the features go all around the Earth, they are cut at 180 degrees.
 */
import { copyRows } from '../columns/copy-rows.ts';
import {
  type Dimensions,
  GeometryBuilder,
  type GeometryColumn,
  strideOf,
} from '../geometry/geometry-column.ts';
import { cutAtAntimeridian } from './cut.ts';
import { LongitudeIntervals, shiftTo } from './longitude-gap.ts';
import { appendParts, partsOfRow, shiftRings, widthOf } from './row-parts.ts';
import { type Unwrapped, unwrapped } from './unwrap.ts';

export class LayerWindow {
  readonly #intervals = new LongitudeIntervals();
  #west = Number.POSITIVE_INFINITY;
  #east = Number.NEGATIVE_INFINITY;
  #seam: ReturnType<LongitudeIntervals['cleanSeam']> | undefined;

  addBounds(coordinates: Float64Array, dimensions: Dimensions): void {
    const [west, east] = widthOf([coordinates], strideOf(dimensions));
    this.#west = Math.min(this.#west, west);
    this.#east = Math.max(this.#east, east);
  }

  /** Features may be on both sides of the antimeridian. False: their longitudes are those of a plane already. */
  get isWide(): boolean {
    return this.#east - this.#west > 180;
  }

  /** The features to place later. */
  add(geometry: GeometryColumn): Unwrapped {
    const own = unwrapped(geometry, 'edges');
    const { partOffsets, ringOffsets, coordOffsets, coordinates, dimensions } = own.geometry;
    const stride = strideOf(dimensions);
    for (let part = 0; part < partOffsets[partOffsets.length - 1]; part++) {
      let west = Number.POSITIVE_INFINITY;
      let east = Number.NEGATIVE_INFINITY;
      const end = coordOffsets[ringOffsets[part + 1]] * stride;
      for (let at = coordOffsets[ringOffsets[part]] * stride; at < end; at += stride) {
        if (coordinates[at] < west) west = coordinates[at];
        if (coordinates[at] > east) east = coordinates[at];
      }
      this.#intervals.add(west, east);
    }
    return own;
  }

  /** The features go all around the Earth: they are cut at 180 degrees. To be asked after all of them were added. */
  get isAround(): boolean {
    if (this.#seam === undefined) this.#seam = this.#intervals.cleanSeam();
    return this.#seam === null;
  }

  /** The same column if nothing has to be moved. */
  place(geometry: GeometryColumn): GeometryColumn {
    if (this.#seam === undefined) this.#seam = this.#intervals.cleanSeam();
    const own = unwrapped(geometry, 'edges').geometry;
    if (this.#seam === null) return cutAtAntimeridian(own).geometry;
    return movedTo(this.#seam, own);
  }
}

/** Each part moved by whole turns, to begin at the seam or up to a turn east of it. */
function movedTo(seam: number, geometry: GeometryColumn): GeometryColumn {
  const stride = strideOf(geometry.dimensions);
  const rowCount = geometry.types.length;
  const builder = new GeometryBuilder(geometry.dimensions, rowCount, geometry.coordinates.length / stride);
  let isMoved = false;
  for (let row = 0; row < rowCount; row++) {
    const parts = partsOfRow(geometry, row);
    let isOwn = false;
    for (const { rings } of parts) {
      const [west] = widthOf(rings, stride);
      const shift = Number.isFinite(west) ? shiftTo(seam, west) : 0;
      shiftRings(rings, shift, stride);
      if (shift !== 0) isOwn = true;
    }
    if (isOwn) appendParts(builder, parts, geometry.types[row]);
    else copyRows(builder, geometry, row, row + 1);
    isMoved ||= isOwn;
  }
  return isMoved ? builder.finish() : geometry;
}

/** Rows, from 0, with a position at 180 or -180 degrees. */
export function rowsAtSeam({
  types,
  partOffsets,
  ringOffsets,
  coordOffsets,
  coordinates,
  dimensions,
}: GeometryColumn): number[] {
  const stride = strideOf(dimensions);
  const rows: number[] = [];
  for (let row = 0; row < types.length; row++) {
    const end = coordOffsets[ringOffsets[partOffsets[row + 1]]] * stride;
    let at = coordOffsets[ringOffsets[partOffsets[row]]] * stride;
    while (at < end && Math.abs(coordinates[at]) !== 180) at += stride;
    if (at < end) rows.push(row);
  }
  return rows;
}
