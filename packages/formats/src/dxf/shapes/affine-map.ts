/**
 * Affine maps of space: row-major 3 x 4 (see AffineMap), so that a chain of block insertions and an object coordinate
 * system is one product that costs one multiplication per position.
 */
import type { AffineMap } from '../contract.ts';

export const IDENTITY: AffineMap = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0);

export function isIdentity(map: AffineMap): boolean {
  if (map === IDENTITY) return true;
  for (let i = 0; i < 12; i++) if (map[i] !== IDENTITY[i]) return false;
  return true;
}

/** Applies `inner`, then `outer`. `result` must not be either of them. */
export function composed(
  outer: AffineMap,
  inner: AffineMap,
  result: AffineMap = new Float64Array(12),
): AffineMap {
  for (let row = 0; row < 12; row += 4) {
    const a = outer[row];
    const b = outer[row + 1];
    const c = outer[row + 2];
    for (let column = 0; column < 4; column++)
      result[row + column] = a * inner[column] + b * inner[4 + column] + c * inner[8 + column];
    result[row + 3] += outer[row + 3];
  }
  return result;
}

export function translation(x: number, y: number, z: number): AffineMap {
  return Float64Array.of(1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z);
}

/** Counter-clockwise around z. Quarter turns are exact: their sines are 0 and 1, not 6e-17. */
export function rotation(degrees: number): AffineMap {
  const cosine = cosineOfDegrees(degrees);
  const sine = cosineOfDegrees(degrees - 90);
  return Float64Array.of(cosine, -sine, 0, 0, sine, cosine, 0, 0, 0, 0, 1, 0);
}

/** Exact at quarter turns. The sine is that of 90 degrees less. */
export function cosineOfDegrees(degrees: number): number {
  const turned = Math.abs(degrees % 360);
  if (turned === 90 || turned === 270) return 0;
  if (turned === 180) return -1;
  return Math.cos((turned * Math.PI) / 180);
}

export function mappedX(map: AffineMap, x: number, y: number, z: number): number {
  return map[0] * x + map[1] * y + map[2] * z + map[3];
}

export function mappedY(map: AffineMap, x: number, y: number, z: number): number {
  return map[4] * x + map[5] * y + map[6] * z + map[7];
}

export function mappedZ(map: AffineMap, x: number, y: number, z: number): number {
  return map[8] * x + map[9] * y + map[10] * z + map[11];
}

/**
 * The greatest factor by which the map lengthens: exact for maps that keep the xy plane (the case in plans), else an
 * upper bound, which makes strokes finer than requested and never coarser.
 */
export function greatestScale(map: AffineMap): number {
  const [xx, xy, xz, , yx, yy, yz, , zx, zy, zz] = map;
  if (xz === 0 && yz === 0 && zx === 0 && zy === 0) {
    const a = xx * xx + yx * yx;
    const b = xy * xy + yy * yy;
    const c = xx * xy + yx * yy;
    return Math.max(Math.sqrt((a + b) / 2 + Math.hypot((a - b) / 2, c)), Math.abs(zz));
  }
  return Math.sqrt(xx * xx + xy * xy + xz * xz + yx * yx + yy * yy + yz * yz + zx * zx + zy * zy + zz * zz);
}
