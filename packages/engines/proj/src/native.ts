/** The C functions of PROJ that are used, as the WebAssembly module exports them. Not used outside of this directory. */

/** Address in the module's memory; 0 is null. The parameter's name says which kind of object. */
export type Pointer = number;

export interface NativeProj {
  malloc(byteLength: number): Pointer;
  free(pointer: Pointer): void;
  emscripten_stack_get_current(): Pointer;
  _emscripten_stack_restore(pointer: Pointer): void;
  __cxa_decrement_exception_refcount(exception: Pointer): void;

  proj_context_create(): Pointer;
  proj_context_destroy(context: Pointer): Pointer;
  proj_context_errno(context: Pointer): number;
  proj_context_errno_string(context: Pointer, errno: number): Pointer;
  proj_context_get_database_metadata(context: Pointer, key: Pointer): Pointer;
  proj_context_set_enable_network(context: Pointer, enable: number): number;

  proj_create(context: Pointer, definition: Pointer): Pointer;
  proj_clone(context: Pointer, object: Pointer): Pointer;
  proj_destroy(object: Pointer): Pointer;
  proj_get_type(object: Pointer): number;
  proj_is_crs(object: Pointer): number;
  proj_get_name(object: Pointer): Pointer;
  proj_get_id_auth_name(object: Pointer, index: number): Pointer;
  proj_get_id_code(object: Pointer, index: number): Pointer;
  proj_is_equivalent_to_with_ctx(context: Pointer, a: Pointer, b: Pointer, criterion: number): number;
  proj_as_proj_string(context: Pointer, object: Pointer, type: number, options: Pointer): Pointer;
  proj_as_wkt(context: Pointer, object: Pointer, type: number, options: Pointer): Pointer;
  proj_as_projjson(context: Pointer, object: Pointer, options: Pointer): Pointer;
  proj_get_area_of_use(
    context: Pointer,
    object: Pointer,
    west: Pointer,
    south: Pointer,
    east: Pointer,
    north: Pointer,
    name: Pointer,
  ): number;
  proj_identify(
    context: Pointer,
    object: Pointer,
    authority: Pointer,
    options: Pointer,
    confidences: Pointer,
  ): Pointer;
  proj_int_list_destroy(list: Pointer): void;
  proj_list_get_count(list: Pointer): number;
  proj_list_get(context: Pointer, list: Pointer, index: number): Pointer;
  proj_list_destroy(list: Pointer): void;

  proj_get_source_crs(context: Pointer, object: Pointer): Pointer;
  proj_crs_get_sub_crs(context: Pointer, crs: Pointer, index: number): Pointer;
  proj_crs_get_geodetic_crs(context: Pointer, crs: Pointer): Pointer;
  proj_crs_get_coordinate_system(context: Pointer, crs: Pointer): Pointer;
  proj_get_prime_meridian(context: Pointer, crs: Pointer): Pointer;
  proj_prime_meridian_get_parameters(
    context: Pointer,
    primeMeridian: Pointer,
    longitude: Pointer,
    unitFactor: Pointer,
    unitName: Pointer,
  ): number;
  proj_get_ellipsoid(context: Pointer, crs: Pointer): Pointer;
  proj_ellipsoid_get_parameters(
    context: Pointer,
    ellipsoid: Pointer,
    semiMajorMeters: Pointer,
    semiMinorMeters: Pointer,
    isSemiMinorComputed: Pointer,
    inverseFlattening: Pointer,
  ): number;
  proj_cs_get_axis_count(context: Pointer, cs: Pointer): number;
  proj_cs_get_axis_info(
    context: Pointer,
    cs: Pointer,
    index: number,
    name: Pointer,
    abbreviation: Pointer,
    direction: Pointer,
    unitFactor: Pointer,
    unitName: Pointer,
    unitAuthority: Pointer,
    unitCode: Pointer,
  ): number;

  proj_normalize_for_visualization(context: Pointer, object: Pointer): Pointer;
  proj_create_crs_to_crs_from_pj(
    context: Pointer,
    source: Pointer,
    target: Pointer,
    area: Pointer,
    options: Pointer,
  ): Pointer;
  proj_create_operation_factory_context(context: Pointer, authority: Pointer): Pointer;
  proj_operation_factory_context_destroy(factory: Pointer): void;
  proj_operation_factory_context_set_spatial_criterion(
    context: Pointer,
    factory: Pointer,
    value: number,
  ): void;
  proj_operation_factory_context_set_grid_availability_use(
    context: Pointer,
    factory: Pointer,
    value: number,
  ): void;
  proj_create_operations(context: Pointer, source: Pointer, target: Pointer, factory: Pointer): Pointer;
  /** `coordinate` points to four doubles: C passes the union by address. */
  proj_get_suggested_operation(
    context: Pointer,
    operations: Pointer,
    direction: number,
    coordinate: Pointer,
  ): number;
  proj_concatoperation_get_step_count(context: Pointer, operation: Pointer): number;
  proj_concatoperation_get_step(context: Pointer, operation: Pointer, index: number): Pointer;
  proj_coordoperation_is_instantiable(context: Pointer, operation: Pointer): number;
  proj_coordoperation_get_accuracy(context: Pointer, operation: Pointer): number;
  proj_coordoperation_has_ballpark_transformation(context: Pointer, operation: Pointer): number;
  proj_coordoperation_get_grid_used_count(context: Pointer, operation: Pointer): number;
  proj_coordoperation_get_grid_used(
    context: Pointer,
    operation: Pointer,
    index: number,
    shortName: Pointer,
    fullName: Pointer,
    packageName: Pointer,
    url: Pointer,
    directDownload: Pointer,
    openLicense: Pointer,
    available: Pointer,
  ): number;
  /** Strides are in bytes. Returns how many positions were visited; failed ones become Infinity. */
  proj_trans_generic(
    transformation: Pointer,
    direction: number,
    x: Pointer,
    xStride: number,
    xCount: number,
    y: Pointer,
    yStride: number,
    yCount: number,
    z: Pointer,
    zStride: number,
    zCount: number,
    t: Pointer,
    tStride: number,
    tCount: number,
  ): number;
}

/** PJ_TYPE, only the values that are distinguished here. */
export const PJ_TYPE = {
  geodeticCrs: 9,
  geocentricCrs: 10,
  geographic2dCrs: 12,
  geographic3dCrs: 13,
  verticalCrs: 14,
  projectedCrs: 15,
  compoundCrs: 16,
  temporalCrs: 17,
  boundCrs: 19,
  conversion: 21,
  concatenatedOperation: 23,
  derivedProjectedCrs: 29,
} as const;

/** PJ_WKT_TYPE. */
export const PJ_WKT = { wkt2_2019: 2, wkt1Gdal: 4, wkt1Esri: 5 } as const;

/** PJ_COMPARISON_CRITERION. */
export const PJ_COMP_EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS = 2;

/** PROJ_SPATIAL_CRITERION. */
export const PJ_SPATIAL_PARTIAL_INTERSECTION = 1;

/** PROJ_GRID_AVAILABILITY_USE. */
export const PJ_GRID_AVAILABILITY = { discardIfMissing: 1, knownAvailable: 3 } as const;

/** PJ_DIRECTION. */
export const PJ_FWD = 1;
export const PJ_INV = -1;

/** PJ_PROJ_STRING_TYPE: the syntax of PROJ 5 and later. */
export const PJ_PROJ_5 = 0;
