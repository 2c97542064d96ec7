/** Reads the facts about a CRS that other modules need from a PROJ object. */
import type { CrsDescription, CrsText } from '@geomill/core/crs/crs.ts';
import type { Area } from './area.ts';
import { type ProjContext, ProjObject } from './context.ts';
import { createCrs, isAuthorityCode, unknownCode } from './definition.ts';
import { PJ_COMP_EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS, PJ_TYPE, PJ_WKT, type Pointer } from './native.ts';

export type Authority = NonNullable<CrsDescription['authority']>;

/** Confidence (percent) from which PROJ has found equal parameters; below it, only names are similar. */
const EQUIVALENT = 70;

/** Throws CRS_UNKNOWN; `path`: where the definition was given. */
export function describeCrs(context: ProjContext, definition: CrsText, path: string): CrsDescription {
  using crs = createCrs(context, definition, path);
  using horizontal = horizontalCrs(context, crs);
  const authority = isAuthorityCode(definition)
    ? authorityOf(context, crs.pointer)
    : identify(context, horizontal);
  const axis = horizontalAxis(context, horizontal, 0);
  const unknown = unknownCode(context, definition);
  return {
    definition,
    ...(unknown === null ? {} : { unknownCode: unknown }),
    name: context.text(context.native.proj_get_name(crs.pointer)) ?? 'unnamed',
    authority,
    kind: kindOf(context, horizontal),
    unitName: axis?.unitName ?? 'unknown',
    unitFactor: axis?.unitFactor ?? 1,
    ellipsoid: ellipsoidOf(context, horizontal),
    areaOfUse: areaOfUse(context, crs, authority),
    wktEsri: toWkt(context, crs, horizontal, PJ_WKT.wkt1Esri),
    wkt2: toWkt(context, crs, horizontal, PJ_WKT.wkt2_2019),
    projjson: toProjjson(context, crs),
    wkt1: toWkt(context, crs, horizontal, PJ_WKT.wkt1Gdal),
  };
}

/** The part of a CRS that x and y belong to: the base of a bound CRS, the first member of a compound one. */
export function horizontalCrs(context: ProjContext, crs: ProjObject): ProjObject {
  const { native, pointer } = context;
  switch (native.proj_get_type(crs.pointer)) {
    case PJ_TYPE.boundCrs: {
      using base = new ProjObject(context, native.proj_get_source_crs(pointer, crs.pointer));
      return horizontalCrs(context, base);
    }
    case PJ_TYPE.compoundCrs: {
      using first = new ProjObject(context, native.proj_crs_get_sub_crs(pointer, crs.pointer, 0));
      return horizontalCrs(context, first);
    }
    default:
      return new ProjObject(context, native.proj_clone(pointer, crs.pointer));
  }
}

export function kindOf(context: ProjContext, horizontal: ProjObject): CrsDescription['kind'] {
  switch (context.native.proj_get_type(horizontal.pointer)) {
    case PJ_TYPE.geographic2dCrs:
    case PJ_TYPE.geographic3dCrs:
      return 'geographic';
    case PJ_TYPE.projectedCrs:
    case PJ_TYPE.derivedProjectedCrs:
      return 'projected';
    default:
      return 'other';
  }
}

function ellipsoidOf(context: ProjContext, horizontal: ProjObject): CrsDescription['ellipsoid'] {
  const { native, pointer } = context;
  using ellipsoid = new ProjObject(context, native.proj_get_ellipsoid(pointer, horizontal.pointer));
  context.clearMessages();
  if (ellipsoid.pointer === 0) return null;
  const [semiMajor, inverseFlattening] = [context.slot(0), context.slot(1)];
  if (
    native.proj_ellipsoid_get_parameters(pointer, ellipsoid.pointer, semiMajor, 0, 0, inverseFlattening) === 0
  )
    return null;
  return {
    semiMajorMeters: context.doubleAt(semiMajor),
    inverseFlattening: context.doubleAt(inverseFlattening),
  };
}

export interface Axis {
  readonly name: string;
  /** Lower case: "north", "east", "south", "west", ... */
  readonly direction: string;
  readonly unitName: string;
  /** Metres or radians per unit. */
  readonly unitFactor: number;
}

export function horizontalAxis(context: ProjContext, horizontal: ProjObject, index: number): Axis | null {
  const { native, pointer } = context;
  using system = new ProjObject(context, native.proj_crs_get_coordinate_system(pointer, horizontal.pointer));
  if (system.pointer === 0) return null;
  const [name, direction, factor, unit] = [0, 1, 2, 3].map((slot) => context.slot(slot));
  if (
    native.proj_cs_get_axis_info(pointer, system.pointer, index, name, 0, direction, factor, unit, 0, 0) === 0
  )
    return null;
  return {
    name: context.textAt(name) ?? '',
    direction: (context.textAt(direction) ?? '').toLowerCase(),
    unitName: context.textAt(unit) ?? 'unknown',
    unitFactor: context.doubleAt(factor),
  };
}

/** Whether the same coordinates are the same position in both systems, with x as east and y as north. */
export function isSameInXyOrder(context: ProjContext, a: ProjObject, b: ProjObject): boolean {
  const { native, pointer } = context;
  using normalizedA = new ProjObject(context, native.proj_normalize_for_visualization(pointer, a.pointer));
  using normalizedB = new ProjObject(context, native.proj_normalize_for_visualization(pointer, b.pointer));
  if (normalizedA.pointer === 0 || normalizedB.pointer === 0) return false;
  return (
    native.proj_is_equivalent_to_with_ctx(
      pointer,
      normalizedA.pointer,
      normalizedB.pointer,
      PJ_COMP_EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS,
    ) !== 0
  );
}

/** Degrees; null if the database does not have it. */
export function areaOfUse(context: ProjContext, crs: ProjObject, authority: Authority | null): Area | null {
  const own = areaOf(context, crs.pointer);
  if (own !== null || authority === null) return own;
  // WKT of a .prj has no area of use, but the database entry that it was identified with has.
  using entry = fromDatabase(context, authority);
  return entry.pointer === 0 ? null : areaOf(context, entry.pointer);
}

/** Area of use of a CRS or an operation, from the object itself. */
export function areaOf(context: ProjContext, crs: Pointer): Area | null {
  const [west, south, east, north] = [0, 1, 2, 3].map((slot) => context.slot(slot));
  if (context.native.proj_get_area_of_use(context.pointer, crs, west, south, east, north, 0) === 0)
    return null;
  const area = {
    west: context.doubleAt(west),
    south: context.doubleAt(south),
    east: context.doubleAt(east),
    north: context.doubleAt(north),
  };
  return area.west < -180 || area.south < -90 ? null : area; // -1000: not known
}

function authorityOf(context: ProjContext, object: Pointer): Authority | null {
  const name = context.text(context.native.proj_get_id_auth_name(object, 0));
  const code = context.text(context.native.proj_get_id_code(object, 0));
  return name === null || code === null ? null : { name, code };
}

function fromDatabase(context: ProjContext, { name, code }: Authority): ProjObject {
  const pointer = context.withString(`${name}:${code}`, (text) =>
    context.native.proj_create(context.pointer, text),
  );
  context.clearMessages();
  return new ProjObject(context, pointer);
}

/**
 * The database entry of a CRS that is defined in full text, if it is certain: PROJ must find the same parameters
 * (EQUIVALENT), and the same coordinates must be the same positions. A code in the text itself is used
 * only if the rest of the text agrees with it, except for axis order, which WKT1 often leaves out.
 */
export function identify(context: ProjContext, crs: ProjObject): Authority | null {
  const stated = authorityOf(context, crs.pointer);
  if (stated !== null) {
    using entry = fromDatabase(context, stated);
    if (entry.pointer !== 0 && isSameInXyOrder(context, crs, entry)) return stated;
  }
  const { native, pointer } = context;
  const confidences = context.slot(0);
  const list = native.proj_identify(pointer, crs.pointer, 0, 0, confidences);
  if (list === 0) return null;
  const confidenceList = context.int32At(confidences);
  let found: Authority | null = null;
  const count = native.proj_list_get_count(list);
  for (let i = 0; i < count && context.int32At(confidenceList + i * 4) >= EQUIVALENT; i++) {
    using candidate = new ProjObject(context, native.proj_list_get(pointer, list, i));
    const authority = authorityOf(context, candidate.pointer);
    // A system may be listed twice, e.g. as EPSG:4267 and OGC:CRS27: the EPSG code is preferred.
    const isPreferred = found === null || (found.name !== 'EPSG' && authority?.name === 'EPSG');
    if (isPreferred && isSameInXyOrder(context, crs, candidate)) found = authority;
  }
  if (confidenceList !== 0) native.proj_int_list_destroy(confidenceList);
  native.proj_list_destroy(list);
  context.clearMessages();
  return found;
}

function toWkt(
  context: ProjContext,
  crs: ProjObject,
  horizontal: ProjObject,
  type: (typeof PJ_WKT)[keyof typeof PJ_WKT],
): string | null {
  const isBound = context.native.proj_get_type(crs.pointer) === PJ_TYPE.boundCrs;
  // ESRI's WKT cannot express the Helmert parameters of a bound CRS, only its base.
  const object = isBound && type === PJ_WKT.wkt1Esri ? horizontal.pointer : crs.pointer;
  const text = writeWkt(context, object, type);
  context.clearMessages();
  return text ?? (type === PJ_WKT.wkt2_2019 ? wkt2WithoutCode(context, crs) : null);
}

function writeWkt(context: ProjContext, object: Pointer, type: number): string | null {
  return context.withOptions(['MULTILINE=NO'], (options) =>
    context.text(context.native.proj_as_wkt(context.pointer, object, type, options)),
  );
}

function toProjjson(context: ProjContext, crs: ProjObject): string | null {
  const text = writeProjjson(context, crs.pointer);
  context.clearMessages();
  if (text !== null) return text;
  using copy = withoutCode(context, crs);
  return copy === null ? null : writeProjjson(context, copy.pointer);
}

function writeProjjson(context: ProjContext, object: Pointer): string | null {
  return context.withOptions(['MULTILINE=NO'], (options) =>
    context.text(context.native.proj_as_projjson(context.pointer, object, options)),
  );
}

/**
 * WKT2 of a CRS whose code is not a number (OGC:CRS84, IGNF:LAMB93). PROJ writes such a code with the help of an exception
 * that this module cannot catch (guard.ts); so the text is made from WKT1 without the codes.
 */
function wkt2WithoutCode(context: ProjContext, crs: ProjObject): string | null {
  using copy = withoutCode(context, crs);
  const text = copy === null ? null : writeWkt(context, copy.pointer, PJ_WKT.wkt2_2019);
  context.clearMessages();
  return text;
}

function withoutCode(context: ProjContext, crs: ProjObject): ProjObject | null {
  const wkt1 = writeWkt(context, crs.pointer, PJ_WKT.wkt1Gdal);
  if (wkt1 === null) return null;
  const text = wkt1.replace(/,AUTHORITY\["[^"]*","[^"]*\D[^"]*"\]/g, '');
  const pointer = context.withString(text, (string) => context.native.proj_create(context.pointer, string));
  return pointer === 0 ? null : new ProjObject(context, pointer);
}
