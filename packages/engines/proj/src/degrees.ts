/** Converts positions of a CRS to degrees from Greenwich, for areas of use: without a change of datum. */
import type { CrsText } from '@geomill/core/crs/crs.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { METERS_PER_DEGREE } from './area.ts';
import { BLOCK_DOUBLES, type ProjContext, ProjObject } from './context.ts';
import { areaOf, horizontalAxis, horizontalCrs, kindOf } from './crs.ts';
import { createCrs } from './definition.ts';
import { PJ_FWD, PJ_INV } from './native.ts';
import { createTransformation, transformBlock } from './transformation.ts';

const RADIANS_PER_DEGREE = Math.PI / 180;

export class DegreesView {
  /** Whether coordinates are angles: degrees = ordinate * degreesPerUnit, plus the prime meridian for x. */
  readonly isGeographic: boolean;
  readonly degreesPerUnit: number;
  readonly primeMeridianDegrees: number;
  /** Of an angle: on a great circle. 0: not known. */
  readonly metersPerUnit: number;
  readonly #context: ProjContext;
  /** From the CRS to its geographic base; null when it is geographic or has none. */
  readonly #toBase: ProjObject | null;

  constructor(context: ProjContext, crs: ProjObject) {
    this.#context = context;
    using horizontal = horizontalCrs(context, crs);
    this.isGeographic = kindOf(context, horizontal) === 'geographic';
    using base = this.isGeographic
      ? horizontalCrs(context, horizontal)
      : new ProjObject(
          context,
          context.native.proj_crs_get_geodetic_crs(context.pointer, horizontal.pointer),
        );
    const isUsable = base.pointer !== 0 && kindOf(context, base) === 'geographic';
    const axis = isUsable ? horizontalAxis(context, base, 0) : null;
    this.degreesPerUnit = axis === null ? Number.NaN : exactDegrees(axis.unitFactor);
    this.primeMeridianDegrees = isUsable ? primeMeridianDegrees(context, base) : 0;
    this.metersPerUnit = this.isGeographic
      ? this.degreesPerUnit * METERS_PER_DEGREE
      : (horizontalAxis(context, horizontal, 0)?.unitFactor ?? 0);
    this.#toBase = isUsable && !this.isGeographic ? createTransformation(context, horizontal, base) : null;
    context.clearMessages();
  }

  /** Whether positions can be converted to degrees; not for geocentric and engineering systems. */
  get isPossible(): boolean {
    return this.isGeographic || (this.#toBase !== null && this.#toBase.pointer !== 0);
  }

  /** Converts interleaved x, y of the CRS to longitude, latitude, in place; at most BLOCK_DOUBLES / 2 positions. */
  toDegrees(positions: Float64Array): void {
    if (!this.isGeographic) this.#throughBase(positions, PJ_FWD);
    for (let i = 0; i < positions.length; i += 2) {
      positions[i] = positions[i] * this.degreesPerUnit + this.primeMeridianDegrees;
      positions[i + 1] *= this.degreesPerUnit;
    }
  }

  /** The inverse. */
  fromDegrees(positions: Float64Array): void {
    for (let i = 0; i < positions.length; i += 2) {
      positions[i] = (positions[i] - this.primeMeridianDegrees) / this.degreesPerUnit;
      positions[i + 1] /= this.degreesPerUnit;
    }
    if (!this.isGeographic) this.#throughBase(positions, PJ_INV);
  }

  [Symbol.dispose](): void {
    this.#toBase?.[Symbol.dispose]();
  }

  #throughBase(positions: Float64Array, direction: number): void {
    const base = this.#context.block / 8;
    if (this.#toBase === null || positions.length > BLOCK_DOUBLES) throw new RangeError('too many positions');
    this.#context.doubles.set(positions, base);
    if (transformBlock(this.#context, this.#toBase, direction, positions.length / 2, 2, false))
      positions.set(this.#context.doubles.subarray(base, base + positions.length));
    else positions.fill(Number.NaN);
    this.#context.clearMessages();
  }
}

/** Positions along each side of an area of use. */
const SIDE_POSITIONS = 16;

/** Bounds of the area of use of a CRS in its coordinates, without a change of datum; null if it has none, or not one box. */
export function extentOfUse(context: ProjContext, definition: CrsText): Bounds | null {
  using crs = createCrs(context, definition, 'input CRS');
  const area = areaOf(context, crs.pointer);
  if (area === null || area.west > area.east) return null;
  using view = new DegreesView(context, crs);
  if (!view.isPossible) return null;
  const grid: number[] = [];
  for (let row = 0; row <= SIDE_POSITIONS; row++)
    for (let column = 0; column <= SIDE_POSITIONS; column++)
      grid.push(
        area.west + ((area.east - area.west) * column) / SIDE_POSITIONS,
        area.south + ((area.north - area.south) * row) / SIDE_POSITIONS,
      );
  const positions = Float64Array.from(grid);
  view.fromDegrees(positions);
  const bounds: Bounds = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i += 2) {
    const [x, y] = [positions[i], positions[i + 1]];
    if (!Number.isFinite(x) || !Number.isFinite(y)) return null;
    bounds[0] = Math.min(bounds[0], x);
    bounds[1] = Math.min(bounds[1], y);
    bounds[2] = Math.max(bounds[2], x);
    bounds[3] = Math.max(bounds[3], y);
  }
  return bounds;
}

/** Degrees per unit; exactly 1 for degrees, although radians are rounded in definitions. */
function exactDegrees(radiansPerUnit: number): number {
  const degrees = radiansPerUnit / RADIANS_PER_DEGREE;
  return Math.abs(degrees - 1) < 1e-12 ? 1 : degrees;
}

function primeMeridianDegrees(context: ProjContext, crs: ProjObject): number {
  const { native, pointer } = context;
  using meridian = new ProjObject(context, native.proj_get_prime_meridian(pointer, crs.pointer));
  if (meridian.pointer === 0) return 0;
  const [longitude, factor] = [context.slot(0), context.slot(1)];
  if (native.proj_prime_meridian_get_parameters(pointer, meridian.pointer, longitude, factor, 0) === 0)
    return 0;
  return context.doubleAt(longitude) * exactDegrees(context.doubleAt(factor));
}
