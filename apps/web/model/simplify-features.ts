/** Simplifies what the map shows with the code of the step, on a plane in metres that touches the Earth at the middle of the view. Pure. */
import type { FeatureCollection } from '@geomill/client/client.ts';
import { RingSimplifier } from '@geomill/operations/simplify/simplify-rings.ts';

const METRES_PER_DEGREE = 111_320;
const LEAST_OF_LINE = 2;
const LEAST_OF_RING = 4;

type Position = readonly number[];
type Path = readonly Position[];

interface Geometry {
  readonly type: string;
  readonly coordinates?: unknown;
  readonly geometries?: readonly (Geometry | null)[];
}

export interface Simplified {
  readonly features: FeatureCollection;
  /** Positions of lines and polygons. */
  readonly before: number;
  readonly after: number;
}

export interface SimplifyOptions {
  readonly toleranceMetres: number;
  /** False: parts that are smaller than the tolerance disappear. */
  readonly keepsTopology: boolean;
  /** Of the middle of the view, in degrees. */
  readonly latitude: number;
}

export function simplifyFeatures({ features }: FeatureCollection, options: SimplifyOptions): Simplified {
  const simplifier = new ViewSimplifier(options);
  const made = features.flatMap((feature) => {
    const geometry = simplifier.geometry(feature.geometry as Geometry | null);
    return geometry === null ? [] : [{ ...feature, geometry }];
  });
  const { before, after } = simplifier;
  return { features: { type: 'FeatureCollection', features: made as never }, before, after };
}

class ViewSimplifier {
  before = 0;
  after = 0;
  readonly #rings: RingSimplifier;
  readonly #scaleX: number;
  #plane = new Float64Array(256);

  constructor({ toleranceMetres, keepsTopology, latitude }: SimplifyOptions) {
    this.#rings = new RingSimplifier(toleranceMetres, keepsTopology);
    this.#scaleX = METRES_PER_DEGREE * Math.cos((latitude * Math.PI) / 180);
  }

  /** Null: nothing is left of it. */
  geometry(geometry: Geometry | null): Geometry | null {
    if (geometry === null) return null;
    const { type, coordinates, geometries } = geometry;
    switch (type) {
      case 'LineString':
        return this.#lines(type, [coordinates as Path], ([line]) => line);
      case 'MultiLineString':
        return this.#lines(type, coordinates as Path[], (lines) => lines);
      case 'Polygon':
        return this.#polygons(type, [coordinates as Path[]], ([polygon]) => polygon);
      case 'MultiPolygon':
        return this.#polygons(type, coordinates as Path[][], (polygons) => polygons);
      case 'GeometryCollection': {
        const members = (geometries ?? [])
          .map((member) => this.geometry(member))
          .filter((one) => one !== null);
        return members.length === 0 ? null : { type, geometries: members };
      }
      default:
        return geometry;
    }
  }

  #lines(
    type: string,
    lines: readonly Path[],
    coordinatesOf: (lines: readonly Path[]) => unknown,
  ): Geometry | null {
    const kept = this.#paths(lines, false).filter((line) => line.length >= LEAST_OF_LINE);
    return this.#made(type, kept, kept.flat().length, coordinatesOf);
  }

  /** Rings of all polygons are simplified together, so that they do not cross. */
  #polygons(
    type: string,
    polygons: readonly (readonly Path[])[],
    coordinatesOf: (polygons: readonly (readonly Path[])[]) => unknown,
  ): Geometry | null {
    const all = this.#paths(polygons.flat(), true);
    let at = 0;
    const kept = polygons
      .map(({ length }) => {
        at += length;
        return all.slice(at - length, at);
      })
      .filter(([shell]) => shell !== undefined && shell.length >= LEAST_OF_RING)
      .map((rings) => rings.filter((ring) => ring.length >= LEAST_OF_RING));
    return this.#made(type, kept, kept.flat(2).length, coordinatesOf);
  }

  #made<Part>(
    type: string,
    parts: readonly Part[],
    count: number,
    coordinatesOf: (parts: readonly Part[]) => unknown,
  ): Geometry | null {
    if (parts.length === 0) return null;
    this.after += count;
    return { type, coordinates: coordinatesOf(parts) };
  }

  /** The positions that are kept of each path. Paths that are too short are returned as they are. */
  #paths(paths: readonly Path[], areRings: boolean): Path[] {
    const rings = this.#rings;
    const least = areRings ? LEAST_OF_RING : LEAST_OF_LINE;
    for (const { length } of paths) this.before += length;
    if (paths.some(({ length }) => length < least)) return [...paths];
    rings.clear();
    for (const path of paths) rings.add(this.#planeOf(path), 2, 0, 2 * path.length, areRings);
    rings.simplify();
    let at = 0;
    let first = 0;
    return paths.map((path, i) => {
      const kept: Position[] = [];
      for (const end = rings.keptEnds[i]; at < end; at++) kept.push(path[rings.kept[at] - first]);
      first += path.length;
      return kept;
    });
  }

  #planeOf(path: Path): Float64Array {
    if (this.#plane.length < 2 * path.length) this.#plane = new Float64Array(4 * path.length);
    for (const [i, [x, y]] of path.entries()) {
      this.#plane[2 * i] = x * this.#scaleX;
      this.#plane[2 * i + 1] = y * METRES_PER_DEGREE;
    }
    return this.#plane;
  }
}
