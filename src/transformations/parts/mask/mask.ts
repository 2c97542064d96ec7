/** A mask prepared for many features: its raster, and its geometry prepared for predicates. */
import { positionBounds } from '../../../batch/bounds.ts';
import type { GeosGeometry } from '../../../engines/geos/geometry.ts';
import type { GeosPrepared } from '../../../engines/geos/prepared.ts';
import { MaskGrid } from './mask-grid.ts';
import { columnOf } from './project-mask.ts';

/** clip keeps the inside of the mask, erase the outside. */
export type MaskOperation = 'clip' | 'erase';

export class Mask {
  readonly grid: MaskGrid;
  readonly geometry: GeosGeometry;
  readonly prepared: GeosPrepared;

  /** Takes ownership of the geometry: a valid polygon or multi polygon, or an empty one. */
  constructor(geometry: GeosGeometry) {
    this.geometry = geometry;
    this.prepared = geometry.prepare();
    const polygons = columnOf(geometry);
    this.grid = new MaskGrid(polygons, positionBounds(polygons));
  }

  [Symbol.dispose](): void {
    this.prepared[Symbol.dispose]();
    this.geometry[Symbol.dispose]();
  }
}
