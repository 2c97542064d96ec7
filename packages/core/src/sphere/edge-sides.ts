/**
 * Polygons from a map that ends at a meridian, where they were cut. The two sides of a cut are far apart on the map and at the same place of
 * the Earth, but the transformation from the map gives them by rounding apart: they are brought together, so that the cut can be opened.
 */
import { type GeometryColumn, PART_KIND, PART_KIND_MASK, strideOf } from '../geometry/geometry-column.ts';
import { mix, type Seam } from './crossing.ts';

/** Degrees: 2 mm. Files state positions in millimetres. */
const SAME = 2e-8;
/** Share of a turn: longitudes that differ by more are not the same, however close meridians are together near a pole. */
const WIDEST = 1e-3;
/** Metres on the map: positions that are farther apart are not the same. */
const APART = 1;

/** Whole turns from the seam to a longitude on it; null: the position is not on the seam. */
function turnsOnSeam(x: number, y: number, { at, turn }: Seam): number | null {
  const turns = Math.round((x - at) / turn);
  const beside = Math.abs(x - at - turns * turn);
  if (beside > WIDEST * turn) return null;
  const narrowness = Math.cos((y / turn) * 2 * Math.PI);
  return beside * narrowness <= (SAME * turn) / 360 ? turns : null;
}

/** Of each position of a ring. A position at a pole, which has the longitude of the one before or after it, is on the seam as that one is. */
function turnsOf(ring: readonly number[], stride: number, seam: Seam): (number | null)[] {
  const turns: (number | null)[] = [];
  for (let at = 0; at < ring.length; at += stride) {
    const isPole = Math.abs(ring[at + 1]) >= seam.turn / 4;
    const own = isPole ? [at - stride, at + stride].find((other) => ring[other] === ring[at]) : at;
    turns.push(own === undefined ? null : turnsOnSeam(ring[at], ring[own + 1], seam));
  }
  return turns;
}

export function isOnSeam(longitude: number, latitude: number, seam: Seam): boolean {
  return turnsOnSeam(longitude, latitude, seam) !== null;
}

/** Rows with polygons that have the same position of the seam on both sides of the map. `placed`: the rows in longitudes and latitudes. */
export function rowsOnBothSides(
  { coordinates, ...source }: GeometryColumn,
  placed: Float64Array,
  seam: Seam,
  metersPerUnit: number,
): number[] {
  const { types, partOffsets, partKinds, ringOffsets, coordOffsets } = source;
  const stride = strideOf(source.dimensions);
  const rows: number[] = [];
  for (let row = 0; row < types.length; row++) {
    const found: { readonly latitude: number; readonly at: number }[] = [];
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
      if ((partKinds[part] & PART_KIND_MASK) !== PART_KIND.polygon) continue;
      const end = coordOffsets[ringOffsets[part + 1]] * stride;
      for (let at = coordOffsets[ringOffsets[part]] * stride; at < end; at += stride)
        if (isOnSeam(placed[at], placed[at + 1], seam)) found.push({ latitude: placed[at + 1], at });
    }
    found.sort((a, b) => a.latitude - b.latitude);
    const isApart = found.some(({ latitude, at }, i) => {
      if (i === 0 || latitude - found[i - 1].latitude > (SAME * seam.turn) / 360) return false;
      const other = found[i - 1].at;
      const [dx, dy] = [coordinates[at] - coordinates[other], coordinates[at + 1] - coordinates[other + 1]];
      return Math.hypot(dx, dy) * metersPerUnit > APART;
    });
    if (isApart) rows.push(row);
  }
  return rows;
}

/**
 * The rings, which have continuous longitudes, with positions on the seam moved to it, and to the same latitudes on both sides. Edges along the
 * seam have a position wherever there is one on the other side. The same rings if nothing changed.
 */
export function withSameSides(rings: readonly number[][], stride: number, seam: Seam): readonly number[][] {
  const turns = rings.map((ring) => turnsOf(ring, stride, seam));
  const latitudes = rings.flatMap((ring, i) =>
    turns[i].flatMap((own, position) => (own === null ? [] : [ring[position * stride + 1]])),
  );
  if (latitudes.length === 0) return rings;
  const common = new CommonLatitudes(latitudes, seam.turn);
  const moved = rings.map((ring, i) => alongSeam(ring, turns[i], stride, seam, common));
  return moved.some((ring, i) => ring !== rings[i]) ? moved : rings;
}

function alongSeam(
  ring: number[],
  allTurns: readonly (number | null)[],
  stride: number,
  seam: Seam,
  common: CommonLatitudes,
): number[] {
  const result: number[] = [];
  let isChanged = false;
  let before: number | null = null;
  for (let at = 0; at < ring.length; at += stride) {
    const position = ring.slice(at, at + stride);
    const turns = allTurns[at / stride];
    if (turns !== null) {
      position[0] = seam.at + turns * seam.turn;
      position[1] = common.nearest(position[1]);
      if (position[0] !== ring[at] || position[1] !== ring[at + 1]) isChanged = true;
      if (before === turns)
        for (const between of common.between(result[result.length - stride + 1], position[1])) {
          const last = result.slice(-stride);
          const share = (between - last[1]) / (position[1] - last[1]);
          const added = position.map((ordinate, i) => mix(last[i], ordinate, share));
          added[0] = position[0];
          added[1] = between;
          for (const ordinate of added) result.push(ordinate);
          isChanged = true;
        }
    }
    before = turns;
    for (const ordinate of position) result.push(ordinate);
  }
  return isChanged ? result : ring;
}

/** The latitudes at which rings are on the seam; those that differ by rounding are one. */
class CommonLatitudes {
  /** Ascending. */
  readonly #latitudes: number[] = [];

  constructor(all: number[], turn: number) {
    const near = (SAME * turn) / 360;
    const pole = turn / 4;
    for (const own of all.sort((a, b) => a - b)) {
      const last = this.#latitudes.at(-1);
      const snapped = Math.abs(own) >= pole - near ? Math.sign(own) * pole : own;
      if (last === undefined || snapped - last > near) this.#latitudes.push(snapped);
    }
  }

  nearest(latitude: number): number {
    const next = this.#from(latitude);
    const [low, high] = [this.#latitudes[next - 1], this.#latitudes[next]];
    if (low === undefined) return high;
    return high === undefined || latitude - low <= high - latitude ? low : high;
  }

  /** Strictly between two of them, in the order from the first to the second. */
  between(from: number, to: number): number[] {
    const first = this.#from(Math.min(from, to));
    const last = this.#from(Math.max(from, to));
    const found = this.#latitudes.slice(first + 1, last);
    return from <= to ? found : found.reverse();
  }

  /** The index of the first that is not less. */
  #from(latitude: number): number {
    let low = 0;
    let high = this.#latitudes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#latitudes[middle] < latitude) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
