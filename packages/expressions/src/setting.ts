/** Where an expression is evaluated. */
import type { CrsDescription } from '@geomill/core/crs/crs.ts';
import type { Dimensions } from '@geomill/core/geometry/geometry-column.ts';
import type { Geos } from '@geomill/geos/geos.ts';
import type { aroundTheEarth } from './around-the-earth.ts';

/** Positions to another CRS, in place; x is east. Throws COORDINATE_OUTSIDE_DOMAIN. */
export type MovePositions = (coordinates: Float64Array, dimensions: Dimensions) => void;

export interface ExpressionSetting {
  /** Of the geometries. */
  readonly crs: CrsDescription;
  readonly layerName: string;
  readonly fromWgs84: MovePositions;
  readonly toWgs84: MovePositions;
  /** Null: no function of the expression needs it. */
  readonly geos: Geos | null;
  readonly around: typeof aroundTheEarth;
}
