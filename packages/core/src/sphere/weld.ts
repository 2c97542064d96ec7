/**
 * Joins parts that meet at a meridian, where a feature was cut: the reverse of a cut at the antimeridian.
 *
 *     +---*--+  +--*---+              +---*-----*---+
 *     |      |  |      |      ==>     |             |
 *     +---*--+  +--*---+              +---*-----*---+
 *
 * Rings are walked with the interior on their left. Where the edges of both sides run along the meridian, they cancel one another, and
 * a ring continues on the other side. Positions that only the cut had added are left out.
 */
import { locateInRing, signedArea } from '../geometry/rings.ts';
import type { FlatPolygon } from '../geometry/split-polygon.ts';

/** Positions that differ by no more are the same, in degrees: cuts by other programs are rounded. */
const SAME = 1e-9;

/** A polygon without edges along the meridian stays as it is. Null: the parts do not fit, as they overlap or touch in single positions. */
export function weldPolygons(
  polygons: readonly FlatPolygon[],
  meridian: number,
  stride: number,
): FlatPolygon[] | null {
  const seam = new Seam(meridian, stride);
  const others: FlatPolygon[] = [];
  for (const polygon of polygons) {
    const rings = polygon.map((ring, i) => oriented(onMeridian(ring, meridian, stride), i === 0, stride));
    if (rings.some((ring) => hasSeamEdge(ring, meridian, stride))) for (const ring of rings) seam.add(ring);
    else others.push(polygon);
  }
  const rings = seam.join();
  if (rings === null) return null;
  const shells: FlatPolygon[] = [];
  const holes: number[][] = [];
  for (const ring of rings) {
    const drawn = withoutCuts(ring, meridian, stride);
    const area = areaOf(drawn, stride);
    if (area === 0) return null;
    if (area > 0) shells.push([drawn]);
    else holes.push(drawn);
  }
  for (const hole of holes) {
    const owner = shells.filter(([shell]) => holds(shell, hole, stride));
    if (owner.length !== 1) return null;
    owner[0].push(hole);
  }
  return [...shells, ...others];
}

/** Lines that end at the meridian and those that begin there at the same latitude become one. */
export function weldLines(lines: readonly number[][], meridian: number, stride: number): number[][] {
  let joined = lines.map((line) => onMeridian(line, meridian, stride));
  for (let i = 0; i < joined.length; ) {
    const line = joined[i];
    const end = line.length - stride;
    const next = joined.findIndex(
      (other, j) =>
        j !== i &&
        line[end] === meridian &&
        other[0] === meridian &&
        Math.abs(other[1] - line[end + 1]) <= SAME,
    );
    if (next < 0) {
      i++;
      continue;
    }
    joined[i] = [...line, ...joined[next].slice(stride)];
    joined = joined.filter((_, j) => j !== next);
    if (next < i) i--;
  }
  return joined.map((line) => withoutCuts(line, meridian, stride, false));
}

/** Edges along the meridian, and the chains of edges between them. */
class Seam {
  readonly #meridian: number;
  readonly #stride: number;
  readonly #whole: number[][] = [];
  /** From a position at the meridian to another one, with edges elsewhere. */
  readonly #chains: number[][] = [];
  readonly #edges: number[][] = [];

  constructor(meridian: number, stride: number) {
    this.#meridian = meridian;
    this.#stride = stride;
  }

  /** A ring with its interior on the left. */
  add(ring: number[]): void {
    const stride = this.#stride;
    const count = ring.length / stride - 1;
    const position = (i: number): number[] => ring.slice((i % count) * stride, (i % count) * stride + stride);
    const isSeam = (i: number): boolean =>
      position(i)[0] === this.#meridian && position(i + 1)[0] === this.#meridian;
    let first = 0;
    while (first < count && !isSeam(first)) first++;
    if (first === count) {
      this.#whole.push(ring);
      return;
    }
    let chain: number[] | null = null;
    for (let step = 0; step < count; step++) {
      const i = first + step;
      if (isSeam(i)) {
        if (chain !== null) this.#chains.push(chain);
        chain = null;
        this.#edges.push([...position(i), ...position(i + 1)]);
      } else if (chain === null) chain = [...position(i), ...position(i + 1)];
      else for (const ordinate of position(i + 1)) chain.push(ordinate);
    }
    if (chain !== null) this.#chains.push(chain);
  }

  /** The rings of both sides together; null if they do not fit. */
  join(): number[][] | null {
    const left = this.#leftEdges();
    if (left === null) return null;
    const stride = this.#stride;
    const pieces = [...this.#chains, ...left];
    const used = new Uint8Array(pieces.length);
    const rings = [...this.#whole];
    for (let begin = 0; begin < pieces.length; begin++) {
      if (used[begin] === 1) continue;
      const ring = [...pieces[begin]];
      used[begin] = 1;
      while (Math.abs(ring[1] - ring[ring.length - stride + 1]) > SAME) {
        const end = ring[ring.length - stride + 1];
        const next = pieces.flatMap((piece, i) => (Math.abs(piece[1] - end) <= SAME ? [i] : []));
        if (next.length !== 1 || used[next[0]] === 1) return null;
        used[next[0]] = 1;
        for (let at = stride; at < pieces[next[0]].length; at++) ring.push(pieces[next[0]][at]);
      }
      for (let i = 0; i < stride; i++) ring[ring.length - stride + i] = ring[i];
      rings.push(ring);
    }
    return rings;
  }

  /** The parts of edges that the other side has no edge for; null if one side has more than one edge somewhere. */
  #leftEdges(): number[][] | null {
    const stride = this.#stride;
    const positions = this.#edges.flatMap((edge) => [edge.slice(0, stride), edge.slice(stride)]);
    positions.sort((a, b) => a[1] - b[1]);
    const places = positions.filter((one, i) => i === 0 || one[1] - positions[i - 1][1] > SAME);
    const up = new Int32Array(places.length);
    const down = new Int32Array(places.length);
    for (const edge of this.#edges) {
      const [from, to] = [edge[1], edge[stride + 1]];
      for (let i = 0; i + 1 < places.length; i++) {
        const middle = (places[i][1] + places[i + 1][1]) / 2;
        if (from < middle && to > middle) up[i]++;
        if (from > middle && to < middle) down[i]++;
      }
    }
    const left: number[][] = [];
    for (let i = 0; i + 1 < places.length; i++) {
      if (up[i] > 1 || down[i] > 1) return null;
      if (up[i] > down[i]) left.push([...places[i], ...places[i + 1]]);
      if (down[i] > up[i]) left.push([...places[i + 1], ...places[i]]);
    }
    return left;
  }
}

/** Longitudes that differ from the meridian by rounding become it. */
function onMeridian(ring: readonly number[], meridian: number, stride: number): number[] {
  const moved = [...ring];
  for (let at = 0; at < moved.length; at += stride)
    if (Math.abs(moved[at] - meridian) <= SAME) moved[at] = meridian;
  return moved;
}

function hasSeamEdge(ring: readonly number[], meridian: number, stride: number): boolean {
  for (let at = stride; at < ring.length; at += stride)
    if (ring[at] === meridian && ring[at - stride] === meridian) return true;
  return false;
}

function areaOf(ring: readonly number[], stride: number): number {
  return signedArea(Float64Array.from(ring), stride, 0, ring.length / stride);
}

function oriented(ring: number[], isShell: boolean, stride: number): number[] {
  if (areaOf(ring, stride) > 0 === isShell) return ring;
  const reversed: number[] = [];
  for (let at = ring.length - stride; at >= 0; at -= stride)
    for (let i = 0; i < stride; i++) reversed.push(ring[at + i]);
  return reversed;
}

/** Whether the first position of the hole that is not on the shell is inside it. */
function holds(shell: readonly number[], hole: readonly number[], stride: number): boolean {
  const coordinates = Float64Array.from(shell);
  for (let at = 0; at < hole.length; at += stride) {
    const place = locateInRing(hole[at], hole[at + 1], coordinates, stride, 0, shell.length / stride);
    if (place !== 0) return place > 0;
  }
  return false;
}

/** Leaves out the positions at the meridian that are on the straight edge between those before and after them. */
function withoutCuts(ring: readonly number[], meridian: number, stride: number, isClosed = true): number[] {
  const count = ring.length / stride - (isClosed ? 1 : 0);
  const kept: number[] = [];
  for (let i = 0; i < count; i++) {
    const at = i * stride;
    const isEnd = !isClosed && (i === 0 || i === count - 1);
    const before = ((i + count - 1) % count) * stride;
    const after = ((i + 1) % count) * stride;
    const isCut = !isEnd && ring[at] === meridian && (ring[before] - meridian) * (ring[after] - meridian) < 0;
    if (isCut) {
      const share = (meridian - ring[before]) / (ring[after] - ring[before]);
      const straight = ring[before + 1] + (ring[after + 1] - ring[before + 1]) * share;
      if (Math.abs(ring[at + 1] - straight) <= SAME) continue;
    }
    for (let k = 0; k < stride; k++) kept.push(ring[at + k]);
  }
  if (isClosed) for (let k = 0; k < stride; k++) kept.push(kept[k]);
  return kept;
}
