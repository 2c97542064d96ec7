/**
 * Rings and lines on the integer grid of a zoom. A position becomes the nearest point of the grid, whatever is before and after
 * it, and positions are removed only where the line stays where it is: borders that neighbours share stay the same for both.
 */

/** x, y, x, y, ...; the first position of a ring is not repeated. */
export type Line = number[];
/** The shell, then holes. */
export type Polygon = Line[];

/** Above, positions that repeat are looked up in a map. */
const FEW_POSITIONS = 12;

/** The cuts of two neighbours may differ in the last digit: values near a half are all rounded up. */
const TIE = 0.5 + 1e-6;
export const gridPoint = (value: number): number => Math.floor(value + TIE);

/** The nearest positions of a grid with `step` units between its lines, in units; the world has `size` units. */
export function snapped(line: Line, size: number, step: number): Line {
  const scale = size / step;
  const out: Line = [];
  for (let i = 0; i < line.length; i++) out.push(Math.floor(line[i] * scale + TIE) * step);
  return out;
}

/** Removes repeated positions, spikes and positions on a straight line between their neighbours; null without area. */
export function cleanRing(ring: Line): Line | null {
  const out: Line = [];
  for (let i = 0; i < ring.length; i += 2) appendToRing(out, ring[i], ring[i + 1]);
  let start = 0;
  // The end of the ring, as what came before its start.
  for (let isChanged = true; isChanged && out.length - start >= 6; ) {
    isChanged = false;
    const end = out.length;
    const [x0, y0, x1, y1] = [out[start], out[start + 1], out[start + 2], out[start + 3]];
    const [xn, yn, xm, ym] = [out[end - 2], out[end - 1], out[end - 4], out[end - 3]];
    if (isStraight(xm, ym, xn, yn, x0, y0)) {
      out.length = end - 2;
      isChanged = true;
    } else if (isStraight(xn, yn, x0, y0, x1, y1)) {
      start += 2;
      isChanged = true;
    }
  }
  if (out.length - start < 6) return null;
  return start === 0 ? out : out.slice(start);
}

function appendToRing(out: Line, x: number, y: number): void {
  for (;;) {
    const end = out.length;
    if (end >= 2 && out[end - 2] === x && out[end - 1] === y) return;
    if (end < 4 || !isStraight(out[end - 4], out[end - 3], out[end - 2], out[end - 1], x, y)) break;
    out.length = end - 2;
  }
  out.push(x, y);
}

/** Whether three positions are on a line, also if it turns back; also if two of them are equal. */
function isStraight(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): boolean {
  return (bx - ax) * (cy - by) === (by - ay) * (cx - bx);
}

/** Removes repeated positions of a line, and those on a straight line between their neighbours; null for a single position. */
export function cleanLine(line: Line): Line | null {
  const out: Line = [];
  for (let i = 0; i < line.length; i += 2) {
    const x = line[i];
    const y = line[i + 1];
    const end = out.length;
    if (end >= 2 && out[end - 2] === x && out[end - 1] === y) continue;
    if (end >= 4 && continues(out, x, y)) out.length = end - 2;
    out.push(x, y);
  }
  return out.length < 4 ? null : out;
}

/** Whether the last position of the line is between the one before it and this one. */
function continues(line: Line, x: number, y: number): boolean {
  const end = line.length;
  const [ax, ay, bx, by] = [line[end - 4], line[end - 3], line[end - 2], line[end - 1]];
  return isStraight(ax, ay, bx, by, x, y) && (bx - ax) * (x - bx) + (by - ay) * (y - by) > 0;
}

/** Twice the area; positive if the ring is clockwise where y is down, as that of a shell in a tile. */
export function doubleArea(ring: Line): number {
  const end = ring.length;
  const ox = ring[0];
  const oy = ring[1];
  let sum = 0;
  for (let i = 2; i + 3 < end; i += 2)
    sum += (ring[i] - ox) * (ring[i + 3] - oy) - (ring[i + 2] - ox) * (ring[i + 1] - oy);
  return sum;
}

/**
 * The polygons of a polygon whose rings were moved to the grid: rings that touch themselves are split there, shells are clockwise
 * (y down) and holes are not. What is turned inside out by the move is left out.
 */
export function cleanPolygon(polygon: Polygon): Polygon[] {
  const shells: Polygon[] = [];
  const inverted: Line[] = [];
  for (let i = 0; i < polygon.length; i++) {
    const clean = cleanRing(polygon[i]);
    if (clean === null) {
      if (i === 0) return [];
      continue;
    }
    const area = doubleArea(clean);
    const isPositive = area > 0;
    // As most are: a ring that does not touch itself.
    if (polygon.length === 1 && !hasTouches(clean))
      return area === 0 ? [] : [[isPositive ? clean : reversed(clean)]];
    for (const loop of splitAtTouches(clean)) {
      const isOwn = doubleArea(loop) > 0 === isPositive;
      if (i === 0 && isOwn) shells.push([isPositive ? loop : reversed(loop)]);
      else if (i > 0 && isOwn) inverted.push(isPositive ? reversed(loop) : loop);
      // A loop of a shell in the other direction is a hole that touches it.
      else if (i === 0) inverted.push(isPositive ? loop : reversed(loop));
    }
  }
  if (shells.length === 0) return [];
  for (const hole of inverted) {
    const owner = shells.find(([shell]) => isInside(hole, shell));
    if (owner !== undefined) owner.push(hole);
  }
  return shells.filter((rings) => rings.reduce((sum, ring) => sum + doubleArea(ring), 0) > 0);
}

function reversed(ring: Line): Line {
  const out: Line = [];
  for (let i = ring.length - 2; i >= 0; i -= 2) out.push(ring[i], ring[i + 1]);
  return out;
}

/** The loops of a ring that has positions twice; each has a position once. */
export function splitAtTouches(ring: Line): Line[] {
  if (!hasTouches(ring)) return [ring];
  const loops: Line[] = [];
  const open: Line = [];
  const places = new Map<string, number>();
  for (let i = 0; i < ring.length; i += 2) {
    const key = `${ring[i]},${ring[i + 1]}`;
    const place = places.get(key);
    if (place !== undefined) {
      for (let j = place + 2; j < open.length; j += 2) places.delete(`${open[j]},${open[j + 1]}`);
      const loop = cleanRing(open.slice(place));
      if (loop !== null) loops.push(loop);
      open.length = place;
    }
    places.set(key, open.length);
    open.push(ring[i], ring[i + 1]);
  }
  const last = cleanRing(open);
  if (last !== null) loops.push(last);
  return loops;
}

function hasTouches(ring: Line): boolean {
  const end = ring.length;
  if (end <= FEW_POSITIONS * 2) {
    for (let i = 0; i < end; i += 2)
      for (let j = i + 2; j < end; j += 2)
        if (ring[i] === ring[j] && ring[i + 1] === ring[j + 1]) return true;
    return false;
  }
  const found = new Set<number>();
  for (let i = 0; i < end; i += 2) found.add(ring[i] * 2 ** 20 + (ring[i + 1] % 2 ** 20));
  // Few positions of different rows of tiles have the same key; those are compared one by one.
  return found.size * 2 < end;
}

/** Whether the first position of a ring that is not on the shell is inside of it. */
export function isInside(ring: Line, shell: Line): boolean {
  for (let i = 0; i < ring.length; i += 2) {
    const side = sideOf(ring[i], ring[i + 1], shell);
    if (side !== 0) return side > 0;
  }
  return false;
}

/** 1: inside, 0: on the ring, -1: outside. */
function sideOf(x: number, y: number, ring: Line): number {
  let isIn = false;
  for (let i = 0, j = ring.length - 2; i < ring.length; j = i, i += 2) {
    const [ax, ay, bx, by] = [ring[j], ring[j + 1], ring[i], ring[i + 1]];
    const cross = (bx - ax) * (y - ay) - (by - ay) * (x - ax);
    if (cross === 0 && isBetween(x, ax, bx) && isBetween(y, ay, by)) return 0;
    if (ay > y !== by > y && cross > 0 === by > ay) isIn = !isIn;
  }
  return isIn ? 1 : -1;
}

const isBetween = (value: number, a: number, b: number): boolean =>
  value >= Math.min(a, b) && value <= Math.max(a, b);
