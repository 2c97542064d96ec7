/**
 * The drawing buffer of all shapes: loops of positions in the coordinates of the entity, transformed to the world at
 * the end.
 *
 * Curves are stroked before they are transformed, with a tolerance divided by the map's greatest scale. So one matrix
 * covers the object coordinate system and blocks, and what is closed in the entity is exactly closed in the world.
 */
import { ArcStroker, type Stroking } from '@geomill/core/geometry/arc.ts';
import { GEOMETRY_TYPE, GeometryBuilder, hasZ, PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import { GEOMETRY_NOTE } from '@geomill/core/geometry/geometry-notes.ts';
import { type AffineMap, EntityError } from '../contract.ts';
import { composed, greatestScale, isIdentity } from './affine-map.ts';

export class Pen {
  /** Positions of all loops in the coordinates of the entity; in world coordinates after `settle`. */
  readonly scratch = new GeometryBuilder('XYZ');
  loopCount = 0;
  /** Bits of GEOMETRY_NOTE for the last entity. */
  notes = 0;
  /** In the entity's coordinates. */
  arcs = new ArcStroker();
  /** Loop i has the positions `[starts[i], starts[i + 1])`. */
  starts = new Uint32Array(64);
  #map: AffineMap = new Float64Array(12);
  #matrix: AffineMap = new Float64Array(12);
  #isIdentity = true;
  #chord = new Float64Array(6);
  #zUsed = false;

  /** Starts an entity. `ocs` is its object coordinate system, null for the world's. */
  begin(map: AffineMap, ocs: AffineMap | null, stroking: Stroking): void {
    this.scratch.coordinateLength = 0;
    this.loopCount = 0;
    this.notes = 0;
    this.#isIdentity = ocs === null && isIdentity(map);
    this.#matrix = ocs === null ? map : composed(map, ocs, this.#map);
    const { maxStepRadians, toleranceUnits, maxStepCount } = stroking;
    const scale = this.#isIdentity || toleranceUnits === null ? 1 : greatestScale(this.#matrix);
    const tolerance = toleranceUnits === null ? null : toleranceUnits / scale;
    const own = this.arcs.stroking;
    if (
      own.maxStepRadians !== maxStepRadians ||
      own.toleranceUnits !== tolerance ||
      own.maxStepCount !== maxStepCount
    )
      this.arcs = new ArcStroker({ maxStepRadians, toleranceUnits: tolerance, maxStepCount });
  }

  position(x: number, y: number, z: number): void {
    this.scratch.position(x, y, z);
  }

  /** Draws from the last position to this one, with an arc unless `bulge` is 0. */
  bulgeTo(x: number, y: number, z: number, bulge: number): void {
    const { scratch } = this;
    if (bulge === 0) {
      scratch.position(x, y, z);
      return;
    }
    if (!Number.isFinite(bulge)) throw new EntityError('a bulge is not a number');
    this.notes |= GEOMETRY_NOTE.curve;
    const chord = this.#chord;
    const last = scratch.coordinateLength - 3;
    for (let i = 0; i < 3; i++) chord[i] = scratch.coordinates[last + i];
    chord[3] = x;
    chord[4] = y;
    chord[5] = z;
    this.arcs.byBulge(scratch, chord, 0, 3, bulge);
  }

  /** Index of the next position. */
  get count(): number {
    return this.scratch.coordinateLength / 3;
  }

  endLoop(): void {
    const end = ++this.loopCount;
    if (end === this.starts.length) {
      const grown = new Uint32Array(end * 2);
      grown.set(this.starts);
      this.starts = grown;
    }
    this.starts[end] = this.count;
  }

  /** Ends a closed loop of an area; discards it if it has too few positions to enclose anything. */
  endArea(firstPosition: number): void {
    if (this.count - firstPosition >= 4) this.endLoop();
    else this.scratch.coordinateLength = firstPosition * 3;
  }

  /** Discards all loops from `loopCount` on, which began at `position`. */
  rewind(loopCount: number, position: number): void {
    this.loopCount = loopCount;
    this.scratch.coordinateLength = position * 3;
  }

  /** Closes the current loop unless it already ends on its first position. */
  close(firstPosition: number): void {
    const { scratch } = this;
    const { coordinates } = scratch;
    const first = firstPosition * 3;
    const last = scratch.coordinateLength - 3;
    if (last <= first) return;
    for (let i = 0; i < 3; i++)
      if (coordinates[first + i] !== coordinates[last + i]) {
        scratch.position(coordinates[first], coordinates[first + 1], coordinates[first + 2]);
        return;
      }
  }

  /** Transforms all loops to the world. Throws if a position is not finite; widens the builder if a z is not 0. */
  settle(builder: GeometryBuilder): void {
    const { coordinates, coordinateLength } = this.scratch;
    const [xx, xy, xz, dx, yx, yy, yz, dy, zx, zy, zz, dz] = this.#matrix;
    const isIdentity = this.#isIdentity;
    let finite = 0;
    let zUsed = false;
    for (let i = 0; i < coordinateLength; i += 3) {
      let x = coordinates[i];
      let y = coordinates[i + 1];
      let z = coordinates[i + 2];
      if (!isIdentity) {
        const localX = x;
        const localY = y;
        x = xx * localX + xy * localY + xz * z + dx;
        y = yx * localX + yy * localY + yz * z + dy;
        z = zx * localX + zy * localY + zz * z + dz;
        coordinates[i] = x;
        coordinates[i + 1] = y;
        coordinates[i + 2] = z;
      }
      if (z !== 0) zUsed = true;
      finite += x * 0 + y * 0 + z * 0;
    }
    if (finite !== 0) throw new EntityError('a coordinate is not a finite number');
    this.#zUsed = zUsed;
    if (zUsed && !hasZ(builder.dimensions)) builder.widen('XYZ');
  }

  /** Copies positions `[from, to)`, already in world coordinates, to the builder. */
  copy(builder: GeometryBuilder, from: number, to: number): void {
    const { coordinates } = this.scratch;
    const { stride } = builder;
    builder.reserve((to - from) * stride);
    const target = builder.coordinates;
    const zUsed = this.#zUsed;
    let at = builder.coordinateLength;
    for (let i = from * 3; i < to * 3; i += 3) {
      target[at++] = coordinates[i];
      target[at++] = coordinates[i + 1];
      if (stride > 2) target[at++] = zUsed ? coordinates[i + 2] : Number.NaN;
      if (stride > 3) target[at++] = Number.NaN;
    }
    builder.coordinateLength = at;
  }

  /** Appends a loop in world coordinates as a ring. */
  ring(builder: GeometryBuilder, loop: number): void {
    this.copy(builder, this.starts[loop], this.starts[loop + 1]);
    builder.endRing();
  }

  /** Settles the only loop and appends it as a point, a line, or, if requested and possible, a polygon. */
  finishLine(builder: GeometryBuilder, asPolygon: boolean): number {
    this.settle(builder);
    const { count } = this;
    if (count === 0) throw new EntityError('it has no vertices');
    this.copy(builder, 0, count);
    builder.endRing();
    if (count === 1) {
      builder.endPart(PART_KIND.point);
      return GEOMETRY_TYPE.point;
    }
    const isPolygon = asPolygon && count >= 4;
    builder.endPart(isPolygon ? PART_KIND.polygon : PART_KIND.line);
    return isPolygon ? GEOMETRY_TYPE.polygon : GEOMETRY_TYPE.lineString;
  }

  /** Settles and appends all loops as parts of one kind. */
  finishParts(builder: GeometryBuilder, kind: number): number {
    this.settle(builder);
    const { loopCount } = this;
    if (loopCount === 0) throw new EntityError('it has no vertices');
    for (let loop = 0; loop < loopCount; loop++) {
      this.ring(builder, loop);
      builder.endPart(kind);
    }
    // The difference between a multi type and the single one is the same for all three kinds.
    return loopCount === 1 ? kind : kind + (GEOMETRY_TYPE.multiPoint - GEOMETRY_TYPE.point);
  }
}

/** One per thread is enough: shapes are drawn one after another. */
export const pen = new Pen();
