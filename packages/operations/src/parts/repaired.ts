/** Operations of GEOS on one row of a batch, repeated with the repaired geometry if GEOS rejects the original. */
import {
  GEOMETRY_TYPE,
  type GeometryBuilder,
  type GeometryColumn,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { GeomillError } from '@geomill/core/messages/errors.ts';
import type { GeosGeometry } from '@geomill/geos/geometry.ts';
import type { Geos } from '@geomill/geos/geos.ts';
import { MAPPED, type Mapped } from './map-geometries.ts';
import { withoutRepeatedEdges } from './repeated-edges.ts';

/**
 * Appends the result of `operation` for the row. A geometry with ordinates that are not finite, or one that GEOS rejects,
 * is repaired first; if GEOS still rejects it, GEOS_FAILED is thrown.
 */
export function appendResult(
  geos: Geos,
  column: GeometryColumn,
  row: number,
  builder: GeometryBuilder,
  operation: (geometry: GeosGeometry) => GeosGeometry,
): Mapped {
  using geometry = geos.read(column, row);
  if (isFinitePlane(column, row)) {
    try {
      using result = operation(geometry);
      return result.appendTo(builder) === GEOMETRY_TYPE.none ? MAPPED.dropped : MAPPED.changed;
    } catch (thrown) {
      if (!isRefusal(thrown, geos)) throw thrown;
    }
  }
  const shorter = withoutRepeatedEdges(column, row);
  using broken = shorter === null ? null : geos.read(shorter, 0);
  using valid = (broken ?? geometry).makeValid();
  using result = operation(valid);
  return result.appendTo(builder) === GEOMETRY_TYPE.none ? MAPPED.dropped : MAPPED.repaired;
}

/** Whether GEOS rejected the geometry, without lack of memory or a trap. */
export function isRefusal(thrown: unknown, geos: Geos): boolean {
  return thrown instanceof GeomillError && thrown.code === 'GEOS_FAILED' && !geos.isBroken;
}

/** Every x and y of the row is a finite number. */
export function isFinitePlane(column: GeometryColumn, row: number): boolean {
  const { partOffsets, ringOffsets, coordOffsets, coordinates, dimensions } = column;
  const stride = strideOf(dimensions);
  const end = coordOffsets[ringOffsets[partOffsets[row + 1]]] * stride;
  let sum = 0;
  for (let at = coordOffsets[ringOffsets[partOffsets[row]]] * stride; at < end; at += stride) {
    // Zero, or NaN from the first ordinate on that is not finite.
    sum += coordinates[at] * 0 + coordinates[at + 1] * 0;
  }
  return sum === 0;
}
