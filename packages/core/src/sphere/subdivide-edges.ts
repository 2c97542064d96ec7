/**
 * Adds positions to edges that are straight in one CRS and bent in another, so that they stay where they are.
 *
 * Each edge is transformed at its ends and at three positions between them. If one of these is too far from the straight edge, the
 * edge is divided, and its pieces are looked at again.
 */
import type { Dimensions, GeometryColumn } from '../geometry/geometry-column.ts';

/** Transforms positions in place; those that cannot be transformed become NaN, or it throws. */
export type MovePositions = (coordinates: Float64Array, dimensions: Dimensions) => void;

export interface EdgeRule {
  /** How far an edge may deviate, in the unit of the target. */
  readonly tolerance: number;
  /** Edges up to this long in x and in y stay as they are. Default: all edges are followed. */
  readonly long?: {
    readonly in: 'source' | 'target';
    readonly length: number;
    /** Longitudes in the source: edges along one of these meridians are followed whatever their length. */
    readonly meridians?: readonly number[];
  };
  /** The target has longitudes: a whole turn. Edges are then followed over the antimeridian and over poles. */
  readonly turn?: number;
  /** If more positions than this would be added to all edges, the tolerance is increased. */
  readonly maxAdded: number;
  /** A ring to which more positions than this would be added fails: it is torn, or goes to infinity. Default: no limit. */
  readonly maxAddedToRing?: number;
}

export interface SubdividedEdges {
  readonly coordinates: Float64Array<ArrayBuffer>;
  readonly coordOffsets: Uint32Array<ArrayBuffer>;
  /** With a turn: by how much the longitude changes from each position to the next, by the way of the edge. */
  readonly advances: Float64Array;
  /** Rings, by their number, whose edges could not be followed: an edge is torn, or cannot be transformed. */
  readonly failedRings: ReadonlySet<number>;
  /** Positions between the ends of an edge could not be transformed. */
  readonly hasGaps: boolean;
}

/** Pieces of an edge in one round; more are added in the next round. */
const MAX_PIECES = 64;
const MAX_ROUNDS = 6;
/** Pieces of an edge whose longitude turns faster than a quarter of a turn, and rounds for them: edges that pass a pole closely. */
const PIECES_AT_POLE = 4;
const MAX_ROUNDS_AT_POLE = 24;
const FASTEST_STEP = 0.27;
/** Share of a turn, a centimetre: positions so close to a pole are the pole. Maps such as Mollweide give rounding in y as much as that there. */
export const AT_POLE = 3e-10;
/** Ordinates of the samples of an edge: five positions. */
const SAMPLE = 10;

const SETTLED = 0;
const NEW = 1;
/** A piece of an edge that is divided already: it is followed, however short it is. */
const DIVIDED = 2;

interface Edges {
  coordinates: Float64Array<ArrayBuffer>;
  offsets: Uint32Array<ArrayBuffer>;
  /** Of the edge from each position to the next. */
  states: Uint8Array;
  advances: Float64Array;
}

export function subdivideEdges(
  { coordinates, coordOffsets }: Pick<GeometryColumn, 'coordinates' | 'coordOffsets'>,
  stride: number,
  transform: MovePositions,
  rule: EdgeRule,
): SubdividedEdges {
  const count = coordinates.length / stride;
  let edges: Edges = {
    coordinates,
    offsets: coordOffsets,
    states: new Uint8Array(count).fill(NEW),
    advances: new Float64Array(count),
  };
  // There is no edge from the end of a ring to the next ring.
  for (let ring = 1; ring < coordOffsets.length; ring++)
    if (coordOffsets[ring] > 0) edges.states[coordOffsets[ring] - 1] = SETTLED;
  let allowed = rule.tolerance;
  let hasGaps = false;
  const failedRings = new Set<number>();
  const rounds = rule.turn === undefined ? MAX_ROUNDS : MAX_ROUNDS_AT_POLE;
  for (let round = 0; round < rounds; round++) {
    const open = openEdges(edges, stride, rule);
    if (open.length === 0) break;
    const { deviations, isForced } = measure(edges, open, stride, transform, rule);
    hasGaps ||= !deviations.every(Number.isFinite);
    if (round === 0) {
      // The deviation of a smooth curve from its chord is proportional to the square of the length.
      const wanted = deviations.reduce(
        (sum, deviation) => sum + (Number.isFinite(deviation) ? Math.sqrt(deviation / allowed) : 0),
        0,
      );
      if (wanted > rule.maxAdded) allowed *= (wanted / rule.maxAdded) ** 2;
    }
    const pieces = new Uint32Array(edges.states.length).fill(1);
    for (const [i, edge] of open.entries()) {
      if (isForced[i] === 1) pieces[edge] = PIECES_AT_POLE;
      else if (deviations[i] > allowed && round < MAX_ROUNDS)
        pieces[edge] = Math.min(MAX_PIECES, Math.ceil(Math.sqrt(deviations[i] / allowed)));
      // Edges that cannot be transformed stay open.
      else if (deviations[i] <= allowed) edges.states[edge] = SETTLED;
    }
    stopFailing(edges, pieces, coordOffsets, rule, failedRings);
    if (pieces.every((number) => number === 1)) break;
    edges = divided(edges, pieces, isForced, open, stride);
  }
  return {
    coordinates: edges.coordinates,
    coordOffsets: edges.offsets,
    advances: edges.advances,
    failedRings: ringsWithOpenEdges(edges, failedRings),
    hasGaps,
  };
}

/** Settles the edges of rings to which too many positions would be added. */
function stopFailing(
  { offsets, states }: Edges,
  pieces: Uint32Array,
  before: Uint32Array,
  { maxAddedToRing = Number.POSITIVE_INFINITY }: EdgeRule,
  failed: Set<number>,
): void {
  for (let ring = 0; ring + 1 < offsets.length; ring++) {
    let total = 0;
    for (let i = offsets[ring]; i < offsets[ring + 1]; i++) total += pieces[i];
    if (total - (before[ring + 1] - before[ring]) <= maxAddedToRing) continue;
    failed.add(ring);
    pieces.fill(1, offsets[ring], offsets[ring + 1]);
    states.fill(SETTLED, offsets[ring], offsets[ring + 1]);
  }
}

function ringsWithOpenEdges({ offsets, states }: Edges, failed: Set<number>): Set<number> {
  for (let ring = 0; ring + 1 < offsets.length; ring++)
    for (let i = offsets[ring]; i < offsets[ring + 1]; i++) if (states[i] !== SETTLED) failed.add(ring);
  return failed;
}

/** The edges to be looked at; those that are too short in the source are settled. */
function openEdges({ coordinates, states }: Edges, stride: number, { long }: EdgeRule): number[] {
  const open: number[] = [];
  for (let i = 0; i < states.length; i++) {
    if (states[i] === NEW && long?.in === 'source') {
      const x = coordinates[i * stride];
      const dx = coordinates[(i + 1) * stride] - x;
      const dy = coordinates[(i + 1) * stride + 1] - coordinates[i * stride + 1];
      const isAlong = dx === 0 && long.meridians?.includes(x) === true;
      if (!isAlong && !isLong(dx, dy, long.length)) states[i] = SETTLED;
    }
    if (states[i] !== SETTLED) open.push(i);
  }
  return open;
}

function isLong(dx: number, dy: number, length: number): boolean {
  return Math.abs(dx) > length || Math.abs(dy) > length;
}

/** How far edges deviate; of edges that turn too fast it is not known. */
function measure(
  { coordinates, states, advances }: Edges,
  open: readonly number[],
  stride: number,
  transform: MovePositions,
  { long, turn }: EdgeRule,
): { readonly deviations: Float64Array; readonly isForced: Uint8Array } {
  const samples = new Float64Array(open.length * SAMPLE);
  for (const [i, edge] of open.entries())
    for (let quarter = 0; quarter <= 4; quarter++)
      for (let axis = 0; axis < 2; axis++) {
        const from = coordinates[edge * stride + axis];
        const to = coordinates[(edge + 1) * stride + axis];
        samples[i * SAMPLE + quarter * 2 + axis] = quarter === 4 ? to : from + ((to - from) * quarter) / 4;
      }
  transform(samples, 'XY');
  const deviations = new Float64Array(open.length);
  const isForced = new Uint8Array(open.length);
  for (const [i, edge] of open.entries()) {
    const at = i * SAMPLE;
    if (turn !== undefined && !unwrapSamples(samples, at, turn)) isForced[i] = 1;
    const dx = samples[at + 8] - samples[at];
    const dy = samples[at + 9] - samples[at + 1];
    advances[edge] = dx;
    const isShort = states[edge] === NEW && long?.in === 'target' && !isLong(dx, dy, long.length);
    deviations[i] = isShort ? 0 : deviationOf(samples, at);
  }
  return { deviations, isForced };
}

/** Lets the longitudes of the samples of an edge go on without jumps; false: they turn so fast that their way is not known. */
function unwrapSamples(samples: Float64Array, at: number, turn: number): boolean {
  const isPole = (i: number): boolean => Math.abs(samples[at + 2 * i + 1]) >= turn / 4 - turn * AT_POLE;
  // An edge along a pole is one point of the Earth.
  if ([0, 1, 2, 3, 4].every(isPole)) return true;
  if (isPole(1) || isPole(2) || isPole(3)) return false;
  // Any longitude is that of a pole: it is that of the edge that leads there.
  if (isPole(0)) samples[at] = samples[at + 2];
  for (let i = 1; i <= 4; i++) {
    if (i === 4 && isPole(4)) samples[at + 8] = samples[at + 6];
    const before = samples[at + 2 * i - 2];
    samples[at + 2 * i] += turn * Math.round((before - samples[at + 2 * i]) / turn);
    if (Math.abs(samples[at + 2 * i] - before) > FASTEST_STEP * turn) return false;
  }
  return true;
}

/** The greatest distance of three positions on an edge from the chord between its ends, not from the line beyond them. */
function deviationOf(samples: Float64Array, at: number): number {
  const x = samples[at];
  const y = samples[at + 1];
  const dx = samples[at + 8] - x;
  const dy = samples[at + 9] - y;
  const squared = dx * dx + dy * dy;
  let worst = 0;
  for (let i = at + 2; i < at + 8; i += 2) {
    const px = samples[i] - x;
    const py = samples[i + 1] - y;
    const along = squared === 0 ? 0 : Math.min(1, Math.max(0, (px * dx + py * dy) / squared));
    const distance = Math.hypot(px - along * dx, py - along * dy);
    if (!(distance <= worst)) worst = distance;
  }
  return worst;
}

/** Divides each edge into a number of pieces of equal length. */
function divided(
  { coordinates, offsets, states, advances }: Edges,
  pieces: Uint32Array,
  isForced: Uint8Array,
  open: readonly number[],
  stride: number,
): Edges {
  const forced = new Set(open.filter((_, i) => isForced[i] === 1));
  const total = pieces.reduce((sum, count) => sum + count, 0);
  const result: Edges = {
    coordinates: new Float64Array(total * stride),
    offsets: new Uint32Array(offsets.length),
    states: new Uint8Array(total),
    advances: new Float64Array(total),
  };
  let to = 0;
  for (let ring = 0; ring + 1 < offsets.length; ring++) {
    for (let i = offsets[ring]; i < offsets[ring + 1]; i++) {
      const isDivided = pieces[i] > 1 && !forced.has(i);
      for (let piece = 0; piece < pieces[i]; piece++, to++) {
        const share = piece / pieces[i];
        for (let axis = 0; axis < stride; axis++) {
          const from = coordinates[i * stride + axis];
          result.coordinates[to * stride + axis] =
            piece === 0 ? from : from + (coordinates[(i + 1) * stride + axis] - from) * share;
        }
        result.states[to] = isDivided ? DIVIDED : states[i];
        result.advances[to] = advances[i];
      }
    }
    result.offsets[ring + 1] = to;
  }
  return result;
}
