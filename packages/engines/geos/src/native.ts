/** The C functions of GEOS that are used, as the WebAssembly module exports them. Nothing outside this folder sees them. */

/** Address in the module's memory; 0 is null. The parameter's name says what kind of object it is. */
export type Pointer = number;

/** (context, geometry) -> new geometry. */
export type Unary = (context: Pointer, geometry: Pointer) => Pointer;
/** (context, a, b) -> new geometry. */
export type Binary = (context: Pointer, a: Pointer, b: Pointer) => Pointer;
/** (context, geometry, number) -> new geometry. */
export type WithNumber = (context: Pointer, geometry: Pointer, value: number) => Pointer;
/** (context, a, b) -> 1 true, 0 false, 2 failed. `a` may be a prepared geometry. */
export type Predicate = (context: Pointer, a: Pointer, b: Pointer) => number;
/** (context, geometry, address of a double) -> 1, 0 failed. */
export type Measure = (context: Pointer, geometry: Pointer, result: Pointer) => number;

export interface NativeGeos {
  readonly malloc: (byteLength: number) => Pointer;
  readonly free: (pointer: Pointer) => void;

  readonly GEOS_init_r: () => Pointer;
  readonly GEOSContext_setErrorMessageHandler_r: (
    context: Pointer,
    handler: Pointer,
    data: Pointer,
  ) => Pointer;
  readonly GEOSContext_setNoticeMessageHandler_r: (
    context: Pointer,
    handler: Pointer,
    data: Pointer,
  ) => Pointer;
  readonly GEOSFree_r: (context: Pointer, memory: Pointer) => void;

  readonly GEOSCoordSeq_copyFromBuffer_r: (
    context: Pointer,
    buffer: Pointer,
    positionCount: number,
    hasZ: number,
    hasM: number,
  ) => Pointer;
  readonly GEOSCoordSeq_copyToBuffer_r: (
    context: Pointer,
    sequence: Pointer,
    buffer: Pointer,
    hasZ: number,
    hasM: number,
  ) => number;
  readonly GEOSGeom_createPoint_r: Unary;
  readonly GEOSGeom_createLineString_r: Unary;
  readonly GEOSGeom_createLinearRing_r: Unary;
  readonly GEOSGeom_createPolygon_r: (
    context: Pointer,
    shell: Pointer,
    holes: Pointer,
    holeCount: number,
  ) => Pointer;
  readonly GEOSGeom_createRectangle_r: (
    context: Pointer,
    west: number,
    south: number,
    east: number,
    north: number,
  ) => Pointer;
  readonly GEOSGeom_createCollection_r: (
    context: Pointer,
    type: number,
    members: Pointer,
    memberCount: number,
  ) => Pointer;
  readonly GEOSGeom_createEmptyPoint_r: (context: Pointer) => Pointer;
  readonly GEOSGeom_createEmptyLineString_r: (context: Pointer) => Pointer;
  readonly GEOSGeom_createEmptyPolygon_r: (context: Pointer) => Pointer;
  readonly GEOSGeom_createEmptyCollection_r: (context: Pointer, type: number) => Pointer;
  readonly GEOSGeom_clone_r: Unary;
  readonly GEOSGeom_destroy_r: (context: Pointer, geometry: Pointer) => void;

  readonly GEOSGeomTypeId_r: (context: Pointer, geometry: Pointer) => number;
  readonly GEOSisEmpty_r: (context: Pointer, geometry: Pointer) => number;
  readonly GEOSGetNumCoordinates_r: (context: Pointer, geometry: Pointer) => number;
  readonly GEOSGetNumGeometries_r: (context: Pointer, geometry: Pointer) => number;
  /** Owned by its parent, like every ring and sequence that is asked of a geometry. */
  readonly GEOSGetGeometryN_r: WithNumber;
  readonly GEOSGetNumInteriorRings_r: (context: Pointer, geometry: Pointer) => number;
  readonly GEOSGetInteriorRingN_r: WithNumber;
  readonly GEOSGetExteriorRing_r: Unary;
  readonly GEOSGeom_getCoordSeq_r: Unary;
  readonly GEOSisValid_r: (context: Pointer, geometry: Pointer) => number;
  /** The text is freed by GEOSFree_r. */
  readonly GEOSisValidReason_r: Unary;

  readonly GEOSBufferParams_create_r: (context: Pointer) => Pointer;
  readonly GEOSBufferParams_setEndCapStyle_r: (context: Pointer, style: Pointer, value: number) => number;
  readonly GEOSBufferParams_setJoinStyle_r: (context: Pointer, style: Pointer, value: number) => number;
  readonly GEOSBufferParams_setMitreLimit_r: (context: Pointer, style: Pointer, value: number) => number;
  readonly GEOSBufferParams_setQuadrantSegments_r: (
    context: Pointer,
    style: Pointer,
    value: number,
  ) => number;
  readonly GEOSBufferWithParams_r: (
    context: Pointer,
    geometry: Pointer,
    style: Pointer,
    distance: number,
  ) => Pointer;
  readonly GEOSMakeValidParams_create_r: (context: Pointer) => Pointer;
  readonly GEOSMakeValidParams_setMethod_r: (context: Pointer, params: Pointer, method: number) => number;
  readonly GEOSMakeValidParams_setKeepCollapsed_r: (
    context: Pointer,
    params: Pointer,
    keep: number,
  ) => number;
  readonly GEOSMakeValidWithParams_r: (context: Pointer, geometry: Pointer, params: Pointer) => Pointer;

  readonly GEOSIntersection_r: Binary;
  readonly GEOSDifference_r: Binary;
  readonly GEOSUnion_r: Binary;
  readonly GEOSSymDifference_r: Binary;
  readonly GEOSUnaryUnion_r: Unary;
  readonly GEOSCoverageSimplifyVW_r: (
    context: Pointer,
    geometry: Pointer,
    tolerance: number,
    preserveBoundary: number,
  ) => Pointer;
  readonly GEOSSimplify_r: WithNumber;
  readonly GEOSTopologyPreserveSimplify_r: WithNumber;
  readonly GEOSGetCentroid_r: Unary;
  readonly GEOSPointOnSurface_r: Unary;
  readonly GEOSConvexHull_r: Unary;
  readonly GEOSLineMerge_r: Unary;
  readonly GEOSBuildArea_r: Unary;
  /** (context, lines, addresses of three new geometries: cut edges, dangles, invalid rings) -> new geometry. */
  readonly GEOSPolygonize_full_r: (
    context: Pointer,
    lines: Pointer,
    cuts: Pointer,
    dangles: Pointer,
    invalid: Pointer,
  ) => Pointer;
  readonly GEOSArea_r: Measure;
  readonly GEOSLength_r: Measure;
  readonly GEOSDistance_r: (context: Pointer, a: Pointer, b: Pointer, result: Pointer) => number;

  readonly GEOSIntersects_r: Predicate;
  readonly GEOSTouches_r: Predicate;
  readonly GEOSContains_r: Predicate;
  readonly GEOSCovers_r: Predicate;
  readonly GEOSEquals_r: Predicate;
  /** The matrix as text, freed by GEOSFree_r. */
  readonly GEOSRelate_r: Binary;
  readonly GEOSPrepare_r: Unary;
  readonly GEOSPreparedGeom_destroy_r: (context: Pointer, prepared: Pointer) => void;
  readonly GEOSPreparedIntersects_r: Predicate;
  readonly GEOSPreparedContains_r: Predicate;
  readonly GEOSPreparedCovers_r: Predicate;
  readonly GEOSPreparedTouches_r: Predicate;
  readonly GEOSPreparedWithin_r: Predicate;
  readonly GEOSPreparedCrosses_r: Predicate;
  readonly GEOSPreparedOverlaps_r: Predicate;
  readonly GEOSPreparedIntersectsXY_r: (context: Pointer, prepared: Pointer, x: number, y: number) => number;
}

/** The names above, for binding. */
const NAMES = [
  'malloc free GEOS_init_r GEOSContext_setErrorMessageHandler_r GEOSContext_setNoticeMessageHandler_r GEOSFree_r',
  'GEOSCoordSeq_copyFromBuffer_r GEOSCoordSeq_copyToBuffer_r GEOSGeom_createPoint_r GEOSGeom_createLineString_r',
  'GEOSGeom_createLinearRing_r GEOSGeom_createPolygon_r GEOSGeom_createRectangle_r GEOSGeom_createCollection_r',
  'GEOSGeom_createEmptyPoint_r GEOSGeom_createEmptyLineString_r GEOSGeom_createEmptyPolygon_r',
  'GEOSGeom_createEmptyCollection_r GEOSGeom_clone_r GEOSGeom_destroy_r GEOSGeomTypeId_r GEOSisEmpty_r',
  'GEOSGetNumCoordinates_r GEOSGetNumGeometries_r GEOSGetGeometryN_r GEOSGetNumInteriorRings_r',
  'GEOSGetInteriorRingN_r GEOSGetExteriorRing_r GEOSGeom_getCoordSeq_r GEOSisValid_r GEOSisValidReason_r',
  'GEOSBufferParams_create_r GEOSBufferParams_setEndCapStyle_r GEOSBufferParams_setJoinStyle_r',
  'GEOSBufferParams_setMitreLimit_r GEOSBufferParams_setQuadrantSegments_r GEOSBufferWithParams_r',
  'GEOSMakeValidParams_create_r GEOSMakeValidParams_setMethod_r GEOSMakeValidParams_setKeepCollapsed_r',
  'GEOSMakeValidWithParams_r GEOSIntersection_r GEOSDifference_r GEOSUnion_r GEOSSymDifference_r GEOSUnaryUnion_r',
  'GEOSCoverageSimplifyVW_r GEOSSimplify_r GEOSTopologyPreserveSimplify_r GEOSGetCentroid_r',
  'GEOSPointOnSurface_r GEOSConvexHull_r GEOSLineMerge_r GEOSArea_r GEOSLength_r GEOSDistance_r GEOSIntersects_r',
  'GEOSTouches_r GEOSContains_r GEOSCovers_r GEOSEquals_r GEOSRelate_r GEOSPrepare_r GEOSPreparedGeom_destroy_r',
  'GEOSPreparedIntersects_r GEOSPreparedContains_r GEOSPreparedCovers_r GEOSPreparedTouches_r',
  'GEOSBuildArea_r GEOSPolygonize_full_r',
  'GEOSPreparedIntersectsXY_r GEOSPreparedWithin_r GEOSPreparedCrosses_r GEOSPreparedOverlaps_r',
]
  .join(' ')
  .split(' ');

type Exported = (...values: number[]) => number;

/**
 * The functions by name. The package's module exports each as a stub that puts the real function in its own place at
 * the first call; binding does the same here, so that later calls go to WebAssembly directly.
 */
export function bindNative(module: object): NativeGeos {
  const exported = module as Record<string, Exported | undefined>;
  const native: Record<string, Exported> = {};
  for (const name of NAMES) {
    if (exported[`_${name}`] === undefined) throw new Error(`the GEOS module does not export ${name}`);
    native[name] = (...values) => {
      const result = exported[`_${name}`]!(...values);
      native[name] = exported[`_${name}`]!;
      return result;
    };
  }
  return native as unknown as NativeGeos;
}

/** GEOSGeomTypes, as the C interface numbers them. */
export const GEOS_TYPE = {
  point: 0,
  lineString: 1,
  linearRing: 2,
  polygon: 3,
  multiPoint: 4,
  multiLineString: 5,
  multiPolygon: 6,
  geometryCollection: 7,
} as const;

/**
 * GEOSMakeValidMethods: 'structure' keeps what shells and holes mean and leaves out what collapses; 'linework' makes
 * polygons of all areas that the lines enclose an odd number of times, and lines of what collapses.
 */
export const MAKE_VALID_METHODS = { linework: 0, structure: 1 } as const;

export type MakeValidMethod = keyof typeof MAKE_VALID_METHODS;
