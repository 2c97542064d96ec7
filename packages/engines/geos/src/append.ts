/** Writes a geometry of GEOS as a feature to a geometry builder, without an object per part or vertex. */
import {
  GEOMETRY_TYPE,
  type GeometryBuilder,
  hasM,
  hasZ,
  PART_KIND,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
} from '@geomill/core/geometry/geometry-column.ts';
import type { GeosModule } from './module.ts';
import { GEOS_TYPE, type Pointer } from './native.ts';

/** Which parts are written: null for all, or those of one dimension (0 points, 1 lines, 2 polygons). */
export type OnlyDimension = 0 | 1 | 2 | null;

/** GEOMETRY_TYPE by GEOS_TYPE. */
const TYPE_OF_GEOS = [1, 2, 2, 3, 4, 5, 6, 7] as const;

/**
 * Ends one feature and returns its GEOMETRY_TYPE. An empty geometry, or one without a part of the requested dimension,
 * appends nothing and returns none. Ordinates that the builder has and the geometry lacks are NaN.
 */
export function appendGeometry(
  module: GeosModule,
  geometry: Pointer,
  builder: GeometryBuilder,
  only: OnlyDimension,
): number {
  const before = builder.partCount;
  const type = TYPE_OF_GEOS[module.native.GEOSGeomTypeId_r(module.context, geometry)];
  if (type !== GEOMETRY_TYPE.geometryCollection) appendParts(module, geometry, builder, only, 0);
  else if (only === null) appendMembers(module, geometry, builder, type);
  else appendParts(module, geometry, builder, only, 0);
  const partCount = builder.partCount - before;
  if (partCount === 0) return GEOMETRY_TYPE.none;
  let written: number = type;
  if (only !== null && type === GEOMETRY_TYPE.geometryCollection)
    written = partCount === 1 ? only + 1 : only + 4;
  builder.endFeature(written);
  return written;
}

/** Appends the parts of a geometry, however nested; `mark` is the PART_MULTI mark of the first of them. */
function appendParts(
  module: GeosModule,
  geometry: Pointer,
  builder: GeometryBuilder,
  only: OnlyDimension,
  mark: number,
): void {
  const { native, context } = module;
  const type = native.GEOSGeomTypeId_r(context, geometry);
  if (type >= GEOS_TYPE.multiPoint) {
    const count = native.GEOSGetNumGeometries_r(context, geometry);
    const before = builder.partCount;
    for (let i = 0; i < count; i++) {
      const next = mark === 0 ? 0 : builder.partCount === before ? mark : PART_MULTI_NEXT;
      appendParts(module, native.GEOSGetGeometryN_r(context, geometry, i), builder, only, next);
    }
    return;
  }
  const kind =
    type === GEOS_TYPE.point
      ? PART_KIND.point
      : type === GEOS_TYPE.polygon
        ? PART_KIND.polygon
        : PART_KIND.line;
  if (only !== null && kind !== only + 1) return;
  if (native.GEOSGetNumCoordinates_r(context, geometry) === 0) return;
  if (kind === PART_KIND.polygon) {
    appendPositions(module, native.GEOSGetExteriorRing_r(context, geometry), builder);
    const holes = native.GEOSGetNumInteriorRings_r(context, geometry);
    for (let i = 0; i < holes; i++)
      appendPositions(module, native.GEOSGetInteriorRingN_r(context, geometry, i), builder);
  } else appendPositions(module, geometry, builder);
  builder.endPart(kind | mark);
}

/** The members of a collection; those that are multi geometries are marked, collections within are flattened. */
function appendMembers(
  module: GeosModule,
  collection: Pointer,
  builder: GeometryBuilder,
  type: number,
): void {
  const { native, context } = module;
  const count = native.GEOSGetNumGeometries_r(context, collection);
  for (let i = 0; i < count; i++) {
    const member = native.GEOSGetGeometryN_r(context, collection, i);
    const memberType = native.GEOSGeomTypeId_r(context, member);
    if (memberType === GEOS_TYPE.geometryCollection) appendMembers(module, member, builder, type);
    else
      appendParts(module, member, builder, null, memberType >= GEOS_TYPE.multiPoint ? PART_MULTI_FIRST : 0);
  }
}

/** One ring of the builder from a point, line or ring. */
function appendPositions(module: GeosModule, geometry: Pointer, builder: GeometryBuilder): void {
  const { native, context } = module;
  const ordinateCount = native.GEOSGetNumCoordinates_r(context, geometry) * builder.stride;
  const sequence = native.GEOSGeom_getCoordSeq_r(context, geometry);
  const scratch = module.scratch(ordinateCount);
  const z = hasZ(builder.dimensions) ? 1 : 0;
  const m = hasM(builder.dimensions) ? 1 : 0;
  if (native.GEOSCoordSeq_copyToBuffer_r(context, sequence, scratch, z, m) === 0)
    throw module.refusal('writing a geometry');
  builder.reserve(ordinateCount);
  const { coordinates } = builder;
  const source = module.doubles;
  let to = builder.coordinateLength;
  for (let from = scratch / 8, end = from + ordinateCount; from < end; from++)
    coordinates[to++] = source[from];
  builder.coordinateLength = to;
  builder.endRing();
}
