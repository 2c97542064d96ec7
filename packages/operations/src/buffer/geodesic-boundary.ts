/**
 * Which edges of a polygon in longitude and latitude are borders on the globe: not those along a pole, and not those on
 * one side of the antimeridian that meet others on the other side.
 */

/** Degrees by which both sides of a cut may differ: programs that cut polygons round each side. */
const ROUNDING = 1e-7;

/** Latitudes `[low, high]` of edges on one side. */
type Spans = [number, number][];

export class PolygonBorder {
  readonly #west: Spans = [];
  readonly #east: Spans = [];

  /** From the rings' positions `[start, end)` of all polygons of a feature; call once per ring. */
  addRing(coordinates: Float64Array, stride: number, start: number, end: number): void {
    for (let i = start + 1; i < end; i++) {
      const x = coordinates[i * stride];
      if (Math.abs(x) !== 180 || x !== coordinates[(i - 1) * stride]) continue;
      const y1 = coordinates[(i - 1) * stride + 1];
      const y2 = coordinates[i * stride + 1];
      (x < 0 ? this.#west : this.#east).push([Math.min(y1, y2), Math.max(y1, y2)]);
    }
  }

  readonly isBoundary = (x1: number, y1: number, x2: number, y2: number): boolean => {
    if (Math.abs(y1) >= 90 && y1 === y2) return false;
    if (x1 !== x2 || Math.abs(x1) !== 180) return true;
    return !isCovered(Math.min(y1, y2), Math.max(y1, y2), x1 < 0 ? this.#east : this.#west);
  };
}

function isCovered(low: number, high: number, spans: Spans): boolean {
  let reached = low;
  for (const [from, to] of [...spans].sort((a, b) => a[0] - b[0]))
    if (from <= reached + ROUNDING && to > reached) reached = to;
  return reached >= high - ROUNDING;
}
