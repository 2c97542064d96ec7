/**
 * A geometry of GEOS and its only owner. `using` frees it; every operation gives a new one that is owned as well.
 * Operations on invalid input may throw GEOS_FAILED: repair with `makeValid`, note GEOMETRY_REPAIRED, try again.
 */
import type { GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { appendGeometry, type OnlyDimension } from './append.ts';
import type { BufferStyle, GeosInstance } from './instance.ts';
import {
  type Binary,
  GEOS_TYPE,
  type MakeValidMethod,
  type Measure,
  type NativeGeos,
  type Pointer,
  type Predicate,
  type Unary,
  type WithNumber,
} from './native.ts';
import { GeosPrepared } from './prepared.ts';

export class GeosGeometry {
  readonly #shared: GeosInstance;
  #pointer: Pointer;

  /** For engines/geos alone: takes the geometry over; a null pointer throws what GEOS complains about. */
  constructor(shared: GeosInstance, pointer: Pointer, operation: string) {
    if (pointer === 0) throw shared.module.refusal(operation);
    this.#shared = shared;
    this.#pointer = pointer;
    shared.liveCount++;
  }

  [Symbol.dispose](): void {
    if (this.#pointer === 0) return;
    const { module } = this.#shared;
    // A trapped instance is left as it is: its memory goes with it.
    if (!module.isBroken) module.native.GEOSGeom_destroy_r(module.context, this.#pointer);
    this.#forget();
  }

  /** For engines/geos alone. */
  get pointer(): Pointer {
    if (this.#pointer === 0)
      throw failure(generalErrors.INTERNAL, { reason: 'a geometry of GEOS was used after it was freed' });
    return this.#pointer;
  }

  /** For engines/geos alone: gives the geometry to a new owner. */
  release(): Pointer {
    const { pointer } = this;
    this.#forget();
    return pointer;
  }

  #forget(): void {
    this.#pointer = 0;
    this.#shared.liveCount--;
  }

  /**
   * Writes the geometry as one feature and returns its GEOMETRY_TYPE. `only` keeps the parts of one dimension (0, 1, 2).
   * Where nothing is to be written (an empty geometry, no such part), appends nothing and returns GEOMETRY_TYPE.none.
   * The builder's dimensions decide which ordinates are written.
   */
  appendTo(builder: GeometryBuilder, only: OnlyDimension = null): number {
    const { module } = this.#shared;
    try {
      return appendGeometry(module, this.pointer, builder, only);
    } catch (thrown) {
      builder.rollback();
      throw module.trapped('writing a geometry', thrown);
    }
  }

  // --- facts --------------------------------------------------------------------------------------------------

  /** GEOS_TYPE. */
  get typeId(): number {
    return this.#ask('GEOSGeomTypeId_r');
  }

  get isEmpty(): boolean {
    return this.#ask('GEOSisEmpty_r') === 1;
  }

  get positionCount(): number {
    return this.#ask('GEOSGetNumCoordinates_r');
  }

  /** Members of a multi geometry or collection; 1 for others, 0 for empty ones. */
  get partCount(): number {
    return this.#ask('GEOSGetNumGeometries_r');
  }

  /** Neither empty rings nor crossing ones; false also where GEOS cannot tell. */
  get isValid(): boolean {
    return this.#ask('GEOSisValid_r') === 1;
  }

  /** "Self-intersection[1 1]"; "Valid Geometry" for a valid one. */
  get validityReason(): string {
    const { module } = this.#shared;
    return module.takeText(module.native.GEOSisValidReason_r(module.context, this.pointer));
  }

  /** In squares of the coordinates' unit; 0 for points and lines. */
  get area(): number {
    return this.#measure('area', this.#native.GEOSArea_r);
  }

  get length(): number {
    return this.#measure('length', this.#native.GEOSLength_r);
  }

  distance(other: GeosGeometry): number {
    const pointer = other.pointer;
    return this.#measure('distance', (context, geometry, result) =>
      this.#native.GEOSDistance_r(context, geometry, pointer, result),
    );
  }

  // --- new geometries -----------------------------------------------------------------------------------------

  clone(): GeosGeometry {
    return this.#unary('copying a geometry', this.#native.GEOSGeom_clone_r);
  }

  /** A copy of member `index`. */
  part(index: number): GeosGeometry {
    const { module } = this.#shared;
    const member = module.native.GEOSGetGeometryN_r(module.context, this.pointer, index);
    return this.#own('copying a geometry', module.native.GEOSGeom_clone_r(module.context, member));
  }

  /** `distance` in the coordinates' unit; negative ones shrink polygons and leave nothing of others. */
  buffer(distance: number, style: BufferStyle): GeosGeometry {
    const { module, bufferStyles } = this.#shared;
    const params = bufferStyles.pointerOf(style);
    return this.#run('buffer', () =>
      module.native.GEOSBufferWithParams_r(module.context, this.pointer, params, distance),
    );
  }

  intersection(other: GeosGeometry): GeosGeometry {
    return this.#binary('intersection', this.#native.GEOSIntersection_r, other);
  }

  difference(other: GeosGeometry): GeosGeometry {
    return this.#binary('difference', this.#native.GEOSDifference_r, other);
  }

  union(other: GeosGeometry): GeosGeometry {
    return this.#binary('union', this.#native.GEOSUnion_r, other);
  }

  symmetricDifference(other: GeosGeometry): GeosGeometry {
    return this.#binary('symmetric difference', this.#native.GEOSSymDifference_r, other);
  }

  /** Of all members of a collection; members of different dimensions stay apart. */
  unaryUnion(): GeosGeometry {
    return this.#unary('union', this.#native.GEOSUnaryUnion_r);
  }

  /** A collection of polygons simplified so that shared edges stay shared; `tolerance` is the square root of an area. */
  coverageSimplify(tolerance: number, keepBoundary: boolean): GeosGeometry {
    // GEOS ends in an exception that its C interface does not catch where it gets no collection.
    if (this.typeId < GEOS_TYPE.multiPoint) return this.clone();
    const { module } = this.#shared;
    return this.#run('coverage simplify', () =>
      module.native.GEOSCoverageSimplifyVW_r(module.context, this.pointer, tolerance, keepBoundary ? 1 : 0),
    );
  }

  /** By structure: the valid geometry that the rings mean; what collapses is left out, so it may be empty. */
  makeValid(method: MakeValidMethod = 'structure'): GeosGeometry {
    const { module } = this.#shared;
    const params = this.#shared.makeValidParams(method);
    return this.#run('repair', () =>
      module.native.GEOSMakeValidWithParams_r(module.context, this.pointer, params),
    );
  }

  /** Douglas-Peucker, ring by ring: may give invalid polygons. */
  simplify(tolerance: number): GeosGeometry {
    return this.#withNumber('simplify', this.#native.GEOSSimplify_r, tolerance);
  }

  topologyPreserveSimplify(tolerance: number): GeosGeometry {
    return this.#withNumber('simplify', this.#native.GEOSTopologyPreserveSimplify_r, tolerance);
  }

  centroid(): GeosGeometry {
    return this.#unary('centroid', this.#native.GEOSGetCentroid_r);
  }

  pointOnSurface(): GeosGeometry {
    return this.#unary('point on surface', this.#native.GEOSPointOnSurface_r);
  }

  convexHull(): GeosGeometry {
    return this.#unary('convex hull', this.#native.GEOSConvexHull_r);
  }

  lineMerge(): GeosGeometry {
    return this.#unary('line merge', this.#native.GEOSLineMerge_r);
  }

  /** The area that the lines of the geometry enclose an odd number of times; they must not cross. */
  buildArea(): GeosGeometry {
    return this.#unary('build area', this.#native.GEOSBuildArea_r);
  }

  /** The faces of a network of lines that meet only at their ends, and, in `left`, the edges that bound no face. */
  polygonize(): { readonly faces: GeosGeometry; readonly left: readonly GeosGeometry[] } {
    const { module } = this.#shared;
    const { native, context } = module;
    const others = module.allocate(12);
    try {
      const faces = this.#run('polygonize', () =>
        native.GEOSPolygonize_full_r(context, this.pointer, others, others + 4, others + 8),
      );
      const left = [...module.words.slice(others / 4, others / 4 + 3)];
      return { faces, left: left.map((pointer) => this.#own('polygonize', pointer)) };
    } finally {
      native.free(others);
    }
  }

  // --- predicates ---------------------------------------------------------------------------------------------

  intersects(other: GeosGeometry): boolean {
    return this.#predicate('intersects', this.#native.GEOSIntersects_r, other);
  }

  touches(other: GeosGeometry): boolean {
    return this.#predicate('touches', this.#native.GEOSTouches_r, other);
  }

  contains(other: GeosGeometry): boolean {
    return this.#predicate('contains', this.#native.GEOSContains_r, other);
  }

  covers(other: GeosGeometry): boolean {
    return this.#predicate('covers', this.#native.GEOSCovers_r, other);
  }

  /** The same positions in the plane, whatever their order. */
  equals(other: GeosGeometry): boolean {
    return this.#predicate('equals', this.#native.GEOSEquals_r, other);
  }

  /** The DE-9IM matrix, "212101212". */
  relate(other: GeosGeometry): string {
    const { module } = this.#shared;
    const text = module.native.GEOSRelate_r(module.context, this.pointer, other.pointer);
    if (text === 0) throw module.refusal('relate');
    return module.takeText(text);
  }

  /** For many predicates against this geometry, which must outlive what is given. */
  prepare(): GeosPrepared {
    return new GeosPrepared(this.#shared, this.pointer);
  }

  // --- the one way in -----------------------------------------------------------------------------------------

  get #native(): NativeGeos {
    return this.#shared.module.native;
  }

  #own(operation: string, pointer: Pointer): GeosGeometry {
    return new GeosGeometry(this.#shared, pointer, operation);
  }

  #run(operation: string, call: () => Pointer): GeosGeometry {
    let result: Pointer;
    try {
      result = call();
    } catch (thrown) {
      throw this.#shared.module.trapped(operation, thrown);
    }
    return this.#own(operation, result);
  }

  #unary(operation: string, call: Unary): GeosGeometry {
    return this.#run(operation, () => call(this.#shared.module.context, this.pointer));
  }

  #binary(operation: string, call: Binary, other: GeosGeometry): GeosGeometry {
    return this.#run(operation, () => call(this.#shared.module.context, this.pointer, other.pointer));
  }

  #withNumber(operation: string, call: WithNumber, value: number): GeosGeometry {
    return this.#run(operation, () => call(this.#shared.module.context, this.pointer, value));
  }

  #ask(
    name:
      | 'GEOSGeomTypeId_r'
      | 'GEOSisEmpty_r'
      | 'GEOSisValid_r'
      | 'GEOSGetNumCoordinates_r'
      | 'GEOSGetNumGeometries_r',
  ): number {
    const { module } = this.#shared;
    try {
      return module.native[name](module.context, this.pointer);
    } catch (thrown) {
      throw module.trapped('asking a geometry', thrown);
    }
  }

  #measure(operation: string, call: Measure): number {
    const { module } = this.#shared;
    const result = module.scratch(1);
    let isDone: number;
    try {
      isDone = call(module.context, this.pointer, result);
    } catch (thrown) {
      throw module.trapped(operation, thrown);
    }
    if (isDone === 0) throw module.refusal(operation);
    return module.doubles[result / 8];
  }

  #predicate(operation: string, call: Predicate, other: GeosGeometry): boolean {
    const { module } = this.#shared;
    let answer: number;
    try {
      answer = call(module.context, this.pointer, other.pointer);
    } catch (thrown) {
      throw module.trapped(operation, thrown);
    }
    if (answer === 2) throw module.refusal(operation);
    return answer === 1;
  }
}
