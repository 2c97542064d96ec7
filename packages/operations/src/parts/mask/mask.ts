/** A mask prepared for many features: its raster, and its geometry prepared for predicates. */

import type { CrsDescription } from '@geomill/core/crs/crs.ts';
import { type Bounds, positionBounds } from '@geomill/core/geometry/bounds.ts';
import type { GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';
import type { GeosGeometry } from '@geomill/geos/geometry.ts';
import type { Geos } from '@geomill/geos/geos.ts';
import type { GeosPrepared } from '@geomill/geos/prepared.ts';
import { BoxIndex } from '../box-index.ts';
import { sliverTolerance } from '../sliver-tolerance.ts';
import { MaskGrid } from './mask-grid.ts';
import { columnOf } from './project-mask.ts';

/** clip keeps the inside of the mask, erase the outside. */
export type MaskOperation = 'clip' | 'erase';

/** A feature that meets more parts is cut by the whole mask, whose index makes up for its size. */
const MOST_PARTS = 200;
/** A part of a mask, or all of it, that decides and cuts a feature. */
export interface MaskPiece {
  readonly geometry: GeosGeometry;
  readonly predicates: Pick<GeosPrepared, 'intersects' | 'covers' | 'touches'>;
}

export class Mask {
  readonly grid: MaskGrid;
  readonly prepared: GeosPrepared;
  /** Width of slivers in the unit of the coordinates. */
  readonly tolerance: number;
  /** With the unit, for messages. */
  readonly toleranceText: string;
  readonly geometry: GeosGeometry;
  readonly #geos: Geos;
  readonly #owned = new DisposableStack();
  /** Of a mask of many parts. */
  readonly #index: BoxIndex | null;
  /** Parts that features met. */
  readonly #parts = new Map<number, MaskPiece>();

  /** Takes ownership of the geometry: a valid polygon or multi polygon, or an empty one, in coordinates of `crs`. */
  constructor(geos: Geos, geometry: GeosGeometry, crs: CrsDescription) {
    this.#geos = geos;
    this.geometry = this.#owned.use(geometry);
    this.prepared = this.#owned.use(geometry.prepare());
    const polygons = columnOf(geometry);
    const bounds = positionBounds(polygons);
    this.grid = new MaskGrid(polygons, bounds);
    this.#index = polygons.partKinds.length > 1 ? indexParts(polygons) : null;
    const { tolerance, text } = sliverTolerance(bounds, crs);
    this.tolerance = tolerance;
    this.toleranceText = text;
  }

  /** The parts that a feature with these bounds can meet; null: none. What is made for it goes to `owned`. */
  around(bounds: Bounds, owned: DisposableStack): MaskPiece | null {
    if (this.#index === null) return { geometry: this.geometry, predicates: this.prepared };
    const met = this.#index.meeting(bounds);
    if (met.length === 0) return null;
    if (met.length === 1) return this.#part(met[0]);
    if (met.length > MOST_PARTS) return { geometry: this.geometry, predicates: this.prepared };
    const parts = met.map((part) => owned.use(this.geometry.part(part)));
    const geometry = owned.use(this.#geos.collection(parts, 'multiPolygon'));
    return { geometry, predicates: geometry };
  }

  #part(index: number): MaskPiece {
    let part = this.#parts.get(index);
    if (part === undefined) {
      const geometry = this.#owned.use(this.geometry.part(index));
      part = { geometry, predicates: this.#owned.use(geometry.prepare()) };
      this.#parts.set(index, part);
    }
    return part;
  }

  [Symbol.dispose](): void {
    this.#owned.dispose();
  }
}

/** Of the parts of an XY column. */
export function indexParts(column: GeometryColumn): BoxIndex {
  return new BoxIndex(boxesOfParts(column, column.partKinds.length));
}

function boxesOfParts(
  { ringOffsets, coordOffsets, coordinates }: GeometryColumn,
  count: number,
): Float64Array {
  const boxes = new Float64Array(count * 4);
  for (let part = 0; part < count; part++) {
    const at = part * 4;
    boxes.set([Infinity, Infinity, -Infinity, -Infinity], at);
    const end = coordOffsets[ringOffsets[part + 1]] * 2;
    for (let i = coordOffsets[ringOffsets[part]] * 2; i < end; i += 2) {
      boxes[at] = Math.min(boxes[at], coordinates[i]);
      boxes[at + 1] = Math.min(boxes[at + 1], coordinates[i + 1]);
      boxes[at + 2] = Math.max(boxes[at + 2], coordinates[i]);
      boxes[at + 3] = Math.max(boxes[at + 3], coordinates[i + 1]);
    }
  }
  return boxes;
}
