/** Distances on the ellipsoid to lines that are straight in longitude and latitude, by Karney's geodesics. */
import geographiclib from 'geographiclib-geodesic';

const judge = geographiclib.Geodesic.WGS84;
const DEGREE = Math.PI / 180;

export type Position = readonly [longitude: number, latitude: number];

export function metersBetween([lon1, lat1]: Position, [lon2, lat2]: Position): number {
  return judge.Inverse(lat1, lon1, lat2, lon2, geographiclib.Geodesic.DISTANCE).s12 as number;
}

function onSphere([lon, lat]: Position): [number, number, number] {
  const cosine = Math.cos(lat * DEGREE);
  return [cosine * Math.cos(lon * DEGREE), cosine * Math.sin(lon * DEGREE), Math.sin(lat * DEGREE)];
}

export class LineJudge {
  readonly #edges: readonly (readonly [Position, Position])[];
  /** Per edge, positions on the unit sphere. */
  readonly #samples: readonly (readonly (readonly number[])[])[];
  readonly #perEdge: number;

  /** Lines or rings; `perEdge` samples find the nearest stretch of an edge, in which the nearest point is searched. */
  constructor(lines: readonly (readonly Position[])[], perEdge = 200) {
    this.#edges = lines.flatMap((line) => line.slice(1).map((to, i) => [line[i], to] as const));
    this.#perEdge = perEdge;
    this.#samples = this.#edges.map((_, edge) =>
      Array.from({ length: perEdge + 1 }, (_, i) => onSphere(this.#at(edge, i / perEdge))),
    );
  }

  #at(edge: number, t: number): Position {
    const [a, b] = this.#edges[edge];
    return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t];
  }

  /** Metres from the position to the nearest point of the lines. */
  distance(position: Position): number {
    const [x, y, z] = onSphere(position);
    let least = Number.POSITIVE_INFINITY;
    for (let edge = 0; edge < this.#samples.length; edge++) {
      let nearest = 0;
      let own = Number.POSITIVE_INFINITY;
      this.#samples[edge].forEach((sample, i) => {
        const chord = Math.hypot(sample[0] - x, sample[1] - y, sample[2] - z);
        if (chord >= own) return;
        own = chord;
        nearest = i;
      });
      const steps = this.#samples[edge];
      const step = Math.hypot(
        ...[0, 1, 2].map((k) => steps[nearest][k] - steps[nearest === 0 ? 1 : nearest - 1][k]),
      );
      // Edges that cannot come nearer are not searched.
      if ((own - step) * 6.3e6 < least) least = Math.min(least, this.#search(edge, nearest, position));
    }
    return least;
  }

  #search(edge: number, nearest: number, position: Position): number {
    let low = Math.max(0, (nearest - 1.5) / this.#perEdge);
    let high = Math.min(1, (nearest + 1.5) / this.#perEdge);
    for (let i = 0; i < 50; i++) {
      const a = low + (high - low) * 0.382;
      const b = low + (high - low) * 0.618;
      if (metersBetween(this.#at(edge, a), position) < metersBetween(this.#at(edge, b), position)) high = b;
      else low = a;
    }
    return metersBetween(this.#at(edge, (low + high) / 2), position);
  }
}
