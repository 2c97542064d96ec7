/** A mask prepared for many features: its raster, and its geometry prepared for predicates. */
import { positionBounds } from '../../../batch/bounds.ts';
import type { CrsDescription } from '../../../crs/crs.ts';
import type { GeosGeometry } from '../../../engines/geos/geometry.ts';
import type { GeosPrepared } from '../../../engines/geos/prepared.ts';
import { lengthInCrs } from '../lengths.ts';
import { MaskGrid } from './mask-grid.ts';
import { columnOf } from './project-mask.ts';

/** clip keeps the inside of the mask, erase the outside. */
export type MaskOperation = 'clip' | 'erase';

/** Pieces along the border of a mask below this width are slivers: this share of its extent, but no less than the metres. */
const SLIVER_SHARE = 1e-9;
const SLIVER_METERS = 1e-6;

export class Mask {
  readonly grid: MaskGrid;
  readonly geometry: GeosGeometry;
  readonly prepared: GeosPrepared;
  /** Width of slivers in the unit of the coordinates. */
  readonly tolerance: number;
  /** With the unit, for messages. */
  readonly toleranceText: string;

  /** Takes ownership of the geometry: a valid polygon or multi polygon, or an empty one, in coordinates of `crs`. */
  constructor(geometry: GeosGeometry, crs: CrsDescription) {
    this.geometry = geometry;
    this.prepared = geometry.prepare();
    const polygons = columnOf(geometry);
    const bounds = positionBounds(polygons);
    this.grid = new MaskGrid(polygons, bounds);
    const extent = Math.max(0, bounds[2] - bounds[0], bounds[3] - bounds[1]);
    this.tolerance = Math.max(SLIVER_SHARE * extent, lengthInCrs(SLIVER_METERS, crs));
    this.toleranceText = `${Number(this.tolerance.toPrecision(2))} ${crs.unitName}`;
  }

  [Symbol.dispose](): void {
    this.prepared[Symbol.dispose]();
    this.geometry[Symbol.dispose]();
  }
}
