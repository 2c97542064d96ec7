/** Numbers of tiles: all of zoom 0, then all of zoom 1, ..., at each zoom along a Hilbert curve (PMTiles 3, 4.1). */

/** Larger zooms have tile numbers that are not exact in a double. */
export const MAX_ZOOM = 22;

/** The first tile of each zoom, and the number of tiles before one more. */
const FIRST = Float64Array.from({ length: MAX_ZOOM + 2 }, (_, zoom) => (4 ** zoom - 1) / 3);

export function tileId(zoom: number, x: number, y: number): number {
  let id = FIRST[zoom];
  for (let side = 2 ** (zoom - 1); side >= 1; side /= 2) {
    const isRight = (x & side) !== 0;
    const isLower = (y & side) !== 0;
    id += side * side * (isRight ? (isLower ? 2 : 3) : isLower ? 1 : 0);
    if (isLower) continue;
    if (isRight) {
      x = side - 1 - (x & (side - 1));
      y = side - 1 - (y & (side - 1));
    }
    const swap = x;
    x = y;
    y = swap;
  }
  return id;
}

export function zoomOf(id: number): number {
  let zoom = 0;
  while (id >= FIRST[zoom + 1]) zoom++;
  return zoom;
}
