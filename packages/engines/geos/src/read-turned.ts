/** Geometries in degrees as they are seen from another longitude: whole turns away, or as several copies. */
import { copyRows } from '@geomill/core/columns/copy-rows.ts';
import { GeometryBuilder, type GeometryColumn, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import type { GeosGeometry } from './geometry.ts';
import type { Geos } from './geos.ts';

const HALF_TURN = 180;
/** Beyond all latitudes. */
const SOUTH = -100;
const NORTH = 100;

/** A row moved by so many degrees. The caller owns it. */
export function readShifted(geos: Geos, column: GeometryColumn, row: number, by: number): GeosGeometry {
  if (by === 0) return geos.read(column, row);
  const builder = new GeometryBuilder(column.dimensions, 1, 64);
  copyRows(builder, column, row, row + 1);
  const moved = builder.finish();
  const stride = strideOf(moved.dimensions);
  for (let at = 0; at < moved.coordinates.length; at += stride) moved.coordinates[at] += by;
  return geos.read(moved, 0);
}

/**
 * A row as it is seen within half a turn of a longitude: a copy for each of the shifts, without what is farther away. With
 * one shift it is whole. The caller owns it.
 */
export function readAround(
  geos: Geos,
  column: GeometryColumn,
  row: number,
  shifts: readonly number[],
  longitude: number,
): GeosGeometry {
  if (shifts.length === 1) return readShifted(geos, column, row, shifts[0]);
  using owned = new DisposableStack();
  const copies = shifts.map((by) => {
    const copy = owned.use(readShifted(geos, column, row, by));
    return copy.isValid ? copy : owned.use(copy.makeValid());
  });
  const all = owned.use(owned.use(geos.collection(copies)).unaryUnion());
  const near = owned.use(geos.rectangle(longitude - HALF_TURN, SOUTH, longitude + HALF_TURN, NORTH));
  return all.intersection(near);
}
