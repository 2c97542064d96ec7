/**
 * Polygons on the grid whose rings cross or touch, because the grid moved a narrow part onto another one, become valid: their edges are cut
 * at one another, and what is inside is bounded anew. All is decided in whole numbers. Nearly all polygons are found valid in one pass.
 */
import { cleanRing, doubleArea, isInside, type Line, type Polygon, splitAtTouches } from './rings.ts';

/** Products of twice the differences of positions are exact; larger polygons are cut into tiles first. */
const MOST_EXTENT = 2 ** 20;
/** The check of larger polygons would take longer than the rest of their tiles. */
const MOST_EDGES = 1 << 16;
/** Of the pieces into which edges are cut: each is compared with all others. A polygon that the grid has damaged has tens of them. */
const MOST_PIECES = 1 << 11;
/** Pairs of edges that are compared in one pass. */
const MOST_PAIRS = 1 << 22;
/** Positions that are rounded can make new crossings, in fewer and fewer rounds. */
const MOST_ROUNDS = 32;

/**
 * The same area as valid polygons; of shells that overlap, their union. Polygons that have too many edges, or edges that cross too often, are
 * returned as they are.
 */
export function validPolygons(polygons: Polygon[]): Polygon[] {
  if (polygons.length === 0 || (polygons.length === 1 && polygons[0].length === 1 && isStar(polygons[0][0])))
    return polygons;
  const edges = edgesOf(polygons);
  if (edges === null || isValid(edges)) return polygons;
  const noded = cutAtOneAnother(edges);
  return noded === null ? polygons : polygonsOf(boundaryOf(noded), edges);
}

/** Whether every position of the ring is seen from the mean of them, in turn: no edge then crosses another. */
function isStar(ring: Line): boolean {
  const end = ring.length;
  let x = 0;
  let y = 0;
  for (let i = 0; i < end; i += 2) {
    x += ring[i];
    y += ring[i + 1];
  }
  x /= end / 2;
  y /= end / 2;
  let turns = 0;
  for (let i = 0, j = end - 2; i < end; j = i, i += 2) {
    const [ax, ay, bx, by] = [ring[j] - x, ring[j + 1] - y, ring[i] - x, ring[i + 1] - y];
    if (!(ax * by - ay * bx > 0)) return false;
    if (ay <= 0 !== by <= 0) turns++;
  }
  return turns === 2;
}

/** Edges from (ax, ay) to (bx, by), with the inside on one side, and the number of their ring. */
interface Edges {
  readonly ax: number[];
  readonly ay: number[];
  readonly bx: number[];
  readonly by: number[];
  readonly ring: number[];
  /** What was subtracted from positions. */
  readonly origin: readonly [x: number, y: number];
}

/** Null: too many, or too far from each other. */
function edgesOf(polygons: readonly Polygon[]): Edges | null {
  const [firstX, firstY] = polygons[0][0];
  const edges: Edges = { ax: [], ay: [], bx: [], by: [], ring: [], origin: [firstX, firstY] };
  let number = 0;
  for (const polygon of polygons)
    for (const ring of polygon) {
      for (let i = 0, j = ring.length - 2; i < ring.length; j = i, i += 2) {
        const [bx, by] = [ring[i] - firstX, ring[i + 1] - firstY];
        if (Math.max(Math.abs(bx), Math.abs(by)) >= MOST_EXTENT / 2) return null;
        add(edges, ring[j] - firstX, ring[j + 1] - firstY, bx, by, number);
      }
      number++;
    }
  return edges.ax.length > MOST_EDGES ? null : edges;
}

function add(
  { ax, ay, bx, by, ring }: Edges,
  fromX: number,
  fromY: number,
  toX: number,
  toY: number,
  of: number,
): void {
  ax.push(fromX);
  ay.push(fromY);
  bx.push(toX);
  by.push(toY);
  ring.push(of);
}

/** Calls `visit` for pairs of edges whose boxes meet, until it returns false. False: there were too many pairs to visit all. */
function eachPair({ ax, ay, bx, by }: Edges, visit: (e: number, f: number) => boolean): boolean {
  const order = Uint32Array.from(ax.keys());
  const left = (e: number): number => Math.min(ax[e], bx[e]);
  if (order.length > 2) order.sort((e, f) => left(e) - left(f));
  const active: number[] = [];
  let compared = 0;
  for (const e of order) {
    compared += active.length;
    if (compared > MOST_PAIRS) return false;
    const x = left(e);
    const top = Math.min(ay[e], by[e]);
    const bottom = Math.max(ay[e], by[e]);
    let kept = 0;
    for (const f of active) {
      if (Math.max(ax[f], bx[f]) < x) continue;
      active[kept++] = f;
      if (Math.min(ay[f], by[f]) > bottom || Math.max(ay[f], by[f]) < top) continue;
      if (!visit(e, f)) return true;
    }
    active.length = kept;
    active.push(e);
  }
  return true;
}

/** Positive: c is to the left of a to b, where y is up. */
function turn(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number {
  return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
}

/** False: edges meet otherwise than in common positions, or rings in so many that the inside is not connected. True also if there are too many pairs to tell. */
function isValid(edges: Edges): boolean {
  const { ax, ay, bx, by, ring } = edges;
  const touches = new Map<string, readonly [ring: number, other: number]>();
  let isSound = true;
  eachPair(edges, (e, f) => {
    const isStart = (ax[e] === ax[f] && ay[e] === ay[f]) || (ax[e] === bx[f] && ay[e] === by[f]);
    const isEnd = (bx[e] === ax[f] && by[e] === ay[f]) || (bx[e] === bx[f] && by[e] === by[f]);
    const c = turn(ax[e], ay[e], bx[e], by[e], ax[f], ay[f]);
    const d = turn(ax[e], ay[e], bx[e], by[e], bx[f], by[f]);
    if (isStart || isEnd) {
      // On one line they overlap unless one goes on where the other ends.
      const isOpposite = (ax[e] === bx[f] && ay[e] === by[f]) || (bx[e] === ax[f] && by[e] === ay[f]);
      const along = (bx[e] - ax[e]) * (bx[f] - ax[f]) + (by[e] - ay[e]) * (by[f] - ay[f]);
      if (c === 0 && d === 0 && along > 0 !== isOpposite) isSound = false;
      if (isStart && isEnd) isSound = false;
      if (ring[e] !== ring[f]) {
        const [low, high] = ring[e] < ring[f] ? [ring[e], ring[f]] : [ring[f], ring[e]];
        touches.set(`${isStart ? ax[e] : bx[e]},${isStart ? ay[e] : by[e]},${low},${high}`, [low, high]);
      }
    } else if (
      Math.sign(c) * Math.sign(d) <= 0 &&
      Math.sign(turn(ax[f], ay[f], bx[f], by[f], ax[e], ay[e])) *
        Math.sign(turn(ax[f], ay[f], bx[f], by[f], bx[e], by[e])) <=
        0
    )
      isSound = false;
    return isSound;
  });
  return isSound && !hasCycle([...touches.values()]);
}

/** Whether rings are connected to each other in two ways. */
function hasCycle(links: readonly (readonly [number, number])[]): boolean {
  const parents = new Map<number, number>();
  const root = (ring: number): number => {
    let at = ring;
    for (let next = parents.get(at); next !== undefined; next = parents.get(at)) at = next;
    return at;
  };
  for (const [a, b] of links) {
    const [rootA, rootB] = [root(a), root(b)];
    if (rootA === rootB) return true;
    parents.set(rootA, rootB);
  }
  return false;
}

/** Edges that meet in their ends only. Null: they cross too often, or rounding makes new crossings again and again. */
function cutAtOneAnother(start: Edges): Edges | null {
  let edges = start;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const cuts = new Map<number, Line>();
    let pieces = edges.ax.length;
    const isWhole = eachPair(edges, (e, f) => {
      pieces += collectCuts(edges, e, f, cuts);
      return pieces <= MOST_PIECES;
    });
    if (!isWhole || pieces > MOST_PIECES) return null;
    if (cuts.size === 0) return edges;
    edges = cutEdges(edges, cuts);
  }
  return null;
}

/** Returns the number of cuts of both edges. */
function collectCuts({ ax, ay, bx, by }: Edges, e: number, f: number, cuts: Map<number, Line>): number {
  let count = 0;
  const cut = (edge: number, x: number, y: number): void => {
    const isEnd = (x === ax[edge] && y === ay[edge]) || (x === bx[edge] && y === by[edge]);
    if (isEnd) return;
    count++;
    const own = cuts.get(edge);
    if (own === undefined) cuts.set(edge, [x, y]);
    else own.push(x, y);
  };
  const c = turn(ax[e], ay[e], bx[e], by[e], ax[f], ay[f]);
  const d = turn(ax[e], ay[e], bx[e], by[e], bx[f], by[f]);
  const a = turn(ax[f], ay[f], bx[f], by[f], ax[e], ay[e]);
  const b = turn(ax[f], ay[f], bx[f], by[f], bx[e], by[e]);
  if (c !== 0 && d !== 0 && a !== 0 && b !== 0) {
    if (c > 0 === d > 0 || a > 0 === b > 0) return 0;
    const t = a / (a - b);
    const x = Math.round(ax[e] + (bx[e] - ax[e]) * t);
    const y = Math.round(ay[e] + (by[e] - ay[e]) * t);
    cut(e, x, y);
    cut(f, x, y);
    return count;
  }
  if (c === 0 && isBeside(edgeBox(ax[e], ay[e], bx[e], by[e]), ax[f], ay[f])) cut(e, ax[f], ay[f]);
  if (d === 0 && isBeside(edgeBox(ax[e], ay[e], bx[e], by[e]), bx[f], by[f])) cut(e, bx[f], by[f]);
  if (a === 0 && isBeside(edgeBox(ax[f], ay[f], bx[f], by[f]), ax[e], ay[e])) cut(f, ax[e], ay[e]);
  if (b === 0 && isBeside(edgeBox(ax[f], ay[f], bx[f], by[f]), bx[e], by[e])) cut(f, bx[e], by[e]);
  return count;
}

type EdgeBox = readonly [minX: number, minY: number, maxX: number, maxY: number];

const edgeBox = (ax: number, ay: number, bx: number, by: number): EdgeBox => [
  Math.min(ax, bx),
  Math.min(ay, by),
  Math.max(ax, bx),
  Math.max(ay, by),
];

const isBeside = ([minX, minY, maxX, maxY]: EdgeBox, x: number, y: number): boolean =>
  x >= minX && x <= maxX && y >= minY && y <= maxY;

function cutEdges(edges: Edges, cuts: ReadonlyMap<number, Line>): Edges {
  const { ax, ay, bx, by, ring, origin } = edges;
  const out: Edges = { ax: [], ay: [], bx: [], by: [], ring: [], origin };
  for (let e = 0; e < ax.length; e++) {
    const [dx, dy] = [bx[e] - ax[e], by[e] - ay[e]];
    const points: [along: number, x: number, y: number][] = [];
    const own = cuts.get(e) ?? [];
    for (let i = 0; i < own.length; i += 2)
      points.push([(own[i] - ax[e]) * dx + (own[i + 1] - ay[e]) * dy, own[i], own[i + 1]]);
    points.sort((p, q) => p[0] - q[0] || p[1] - q[1] || p[2] - q[2]);
    let [x, y] = [ax[e], ay[e]];
    for (const [, toX, toY] of [...points, [0, bx[e], by[e]]]) {
      if (toX === x && toY === y) continue;
      add(out, x, y, toX, toY, ring[e]);
      [x, y] = [toX, toY];
    }
  }
  return out;
}

/** An edge that is there `count` times more often in its direction than in the other; a is above b, or left of it at the same height. */
interface Segment {
  readonly ax: number;
  readonly ay: number;
  readonly bx: number;
  readonly by: number;
  count: number;
}

/** The edges between inside and outside, the inside on the left where y is up. */
function boundaryOf({ ax, ay, bx, by, origin }: Edges): Edges {
  const byEnds = new Map<string, Segment>();
  for (let e = 0; e < ax.length; e++) {
    const isForward = ay[e] < by[e] || (ay[e] === by[e] && ax[e] < bx[e]);
    const ends = isForward ? [ax[e], ay[e], bx[e], by[e]] : [bx[e], by[e], ax[e], ay[e]];
    const key = ends.join();
    const known = byEnds.get(key);
    if (known !== undefined) known.count += isForward ? 1 : -1;
    else byEnds.set(key, { ax: ends[0], ay: ends[1], bx: ends[2], by: ends[3], count: isForward ? 1 : -1 });
  }
  const segments = [...byEnds.values()].filter(({ count }) => count !== 0);
  const out: Edges = { ax: [], ay: [], bx: [], by: [], ring: [], origin };
  for (const segment of segments) {
    const [left, right] = coverBeside(segment, segments);
    // Also what a ring goes around in the other direction: half of a ring like an 8, and what was turned over by the grid.
    if ((left !== 0) === (right !== 0)) continue;
    if (left !== 0) add(out, segment.ax, segment.ay, segment.bx, segment.by, 0);
    else add(out, segment.bx, segment.by, segment.ax, segment.ay, 0);
  }
  return out;
}

/** How often the rings go around what is to the left of the middle of a segment, and to the right of it. */
function coverBeside(own: Segment, segments: readonly Segment[]): [left: number, right: number] {
  const [x, y] = [own.ax + own.bx, own.ay + own.by];
  let cover = 0;
  if (own.ay === own.by) {
    // Along a ray in the direction of larger y.
    for (const { ax, ay, bx, by, count } of segments) {
      const isAcross = 2 * ax <= x !== 2 * bx <= x;
      if (!isAcross || (ay === own.ay && by === own.ay)) continue;
      const side = turn(2 * ax, 2 * ay, 2 * bx, 2 * by, x, y);
      if (side < 0 === ax < bx) cover += ax < bx ? -count : count;
    }
    return [cover, cover - own.count];
  }
  // Along a ray in the direction of larger x: a segment that goes up is crossed from its left.
  for (const segment of segments) {
    const { ax, ay, bx, by, count } = segment;
    if (segment === own || 2 * ay <= y === 2 * by <= y) continue;
    if (turn(2 * ax, 2 * ay, 2 * bx, 2 * by, x, y) > 0) cover += count;
  }
  return [cover + own.count, cover];
}

/** Joins edges to rings, each around one connected area, and these to polygons. */
function polygonsOf({ ax, ay, bx, by }: Edges, { origin }: Edges): Polygon[] {
  const leaving = new Map<string, number[]>();
  for (let e = 0; e < ax.length; e++) {
    const key = `${ax[e]},${ay[e]}`;
    const own = leaving.get(key);
    if (own === undefined) leaving.set(key, [e]);
    else own.push(e);
  }
  const isUsed = new Uint8Array(ax.length);
  const shells: Polygon[] = [];
  const holes: Line[] = [];
  for (let first = 0; first < ax.length; first++) {
    if (isUsed[first] === 1) continue;
    const ring: Line = [];
    for (let e = first; isUsed[e] === 0; ) {
      isUsed[e] = 1;
      ring.push(ax[e] + origin[0], ay[e] + origin[1]);
      const back = Math.atan2(ay[e] - by[e], ax[e] - bx[e]);
      let least = Number.POSITIVE_INFINITY;
      for (const next of leaving.get(`${bx[e]},${by[e]}`) ?? []) {
        const angle = back - Math.atan2(by[next] - ay[next], bx[next] - ax[next]);
        const clockwise = angle <= 0 ? angle + 2 * Math.PI : angle;
        if (clockwise >= least) continue;
        least = clockwise;
        e = next;
      }
    }
    // Positions on straight edges are removed only where nothing touches them.
    for (const loop of splitAtTouches(ring)) {
      const clean = cleanRing(loop);
      if (clean === null) continue;
      if (doubleArea(clean) > 0) shells.push([clean]);
      else holes.push(clean);
    }
  }
  // The inner one of shells that contain each other comes first.
  shells.sort(([a], [b]) => doubleArea(a) - doubleArea(b));
  for (const hole of holes) shells.find(([shell]) => isInside(hole, shell))?.push(hole);
  return shells;
}
