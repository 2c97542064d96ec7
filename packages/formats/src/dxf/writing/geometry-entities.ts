/**
 * Writes parts of geometries as entities. Tags are in AutoCAD's order; an LWPOLYLINE needs its count first, or readers
 * ignore its flags.
 */
import { type EntityWriter, entityHead } from './entity-writer.ts';

const encoder = new TextEncoder();
/** 40 % opaque: an opaque fill in the same colour would hide the outline. */
const HATCH_CLASS = '440\n33554534\n100\nAcDbHatch\n10\n0.0\n20\n0.0\n';
const SPACE_POLYLINE_CLASS = '100\nAcDb3dPolyline\n66\n1\n10\n0.0\n20\n0.0\n30\n0.0\n';
const HATCH_PATTERN = encoder.encode('210\n0.0\n220\n0.0\n230\n1.0\n2\nSOLID\n70\n1\n71\n0\n');
/** External polyline and outermost polyline, for readers of either flag, so that holes stay open. */
const SHELL_PATH = encoder.encode('92\n3\n72\n0\n73\n1\n');
const HOLE_PATH = encoder.encode('92\n18\n72\n0\n73\n1\n');
const PATH_END = encoder.encode('97\n0\n');
/** Style 0: areas inside an odd number of paths are filled. */
const HATCH_END = encoder.encode('75\n0\n76\n1\n98\n0\n');

/** A ring or line: positions `coordinates[start, end)`, in ordinates; rings without the closing position. */
export interface Run {
  start: number;
  end: number;
  /** Offset of its vertices in the output, as tags 10 and 20; empty until they are written. */
  textStart: number;
  textEnd: number;
}

export class GeometryEntities {
  readonly #point = entityHead('POINT', '100\nAcDbPoint\n');
  readonly #flatPolyline = entityHead('LWPOLYLINE', '100\nAcDbPolyline\n');
  readonly #spacePolyline = entityHead('POLYLINE', SPACE_POLYLINE_CLASS);
  readonly #face = entityHead('3DFACE', '100\nAcDbFace\n');
  readonly #hatch = entityHead('HATCH', HATCH_CLASS);
  readonly #entities: EntityWriter;
  readonly #coordinates: Float64Array;
  readonly #stride: number;

  constructor(entities: EntityWriter, coordinates: Float64Array, stride: number) {
    this.#entities = entities;
    this.#coordinates = coordinates;
    this.#stride = stride;
  }

  point(at: number, z: number): void {
    const entities = this.#entities;
    entities.begin(this.#point);
    entities.point(10, this.#coordinates[at], this.#coordinates[at + 1], z);
  }

  /** Writes a line or outline whose positions all have the height `elevation`; NaN: none has a height. */
  flatPolyline(run: Run, isClosed: boolean, elevation: number): void {
    const entities = this.#entities;
    const stride = this.#stride;
    const count = (run.end - run.start) / stride;
    // AutoCAD deletes polylines with a single vertex; two equal vertices are drawn the same.
    const isSingle = count === 1;
    entities.begin(this.#flatPolyline);
    entities.integer(90, isSingle ? 2 : count);
    entities.integer(70, isClosed ? 1 : 0);
    entities.real(43, 0);
    if (!Number.isNaN(elevation)) entities.real(38, elevation);
    if (run.textEnd > run.textStart) entities.repeat(run.textStart, run.textEnd);
    else entities.vertices(this.#coordinates, run.start, run.end, stride);
    if (isSingle) entities.vertices(this.#coordinates, run.start, run.end, stride);
  }

  /** Begins a line or outline of varying height; its XDATA and then its `vertices` follow. */
  spacePolyline(isClosed: boolean): void {
    this.#entities.begin(this.#spacePolyline);
    this.#entities.integer(70, isClosed ? 9 : 8);
  }

  spaceVertices(run: Run): void {
    this.#entities.vertexEntities(this.#coordinates, run.start, run.end, this.#stride);
  }

  /** Three or four corners; a triangle repeats its third corner. */
  face(run: Run): void {
    const entities = this.#entities;
    const coordinates = this.#coordinates;
    entities.begin(this.#face);
    let at = run.start;
    for (let corner = 0; corner < 4; corner++) {
      entities.point(10 + corner, coordinates[at], coordinates[at + 1], coordinates[at + 2]);
      if (at + this.#stride < run.end) at += this.#stride;
    }
    entities.integer(70, 0);
  }

  /** Writes a solid fill of `runs[0, count)`, a shell and its holes; records the offsets of their vertices. */
  fill(runs: readonly Run[], count: number, elevation: number): void {
    const entities = this.#entities;
    const { out } = entities;
    entities.begin(this.#hatch);
    entities.real(30, elevation);
    out.copy(HATCH_PATTERN);
    let paths = 0;
    for (let i = 0; i < count; i++) if (this.isArea(runs[i])) paths++;
    entities.integer(91, paths);
    for (let i = 0; i < count; i++) {
      const run = runs[i];
      if (!this.isArea(run)) continue;
      out.copy(i === 0 ? SHELL_PATH : HOLE_PATH);
      const end = this.#areaEnd(run);
      entities.integer(93, (end - run.start) / this.#stride);
      const textStart = out.length;
      entities.vertices(this.#coordinates, run.start, end, this.#stride);
      if (end === run.end) {
        run.textStart = textStart;
        run.textEnd = out.length;
      }
      out.copy(PATH_END);
    }
    out.copy(HATCH_END);
  }

  /** Whether a ring has enough corners for a boundary. */
  isArea(run: Run): boolean {
    return this.#areaEnd(run) - run.start >= 3 * this.#stride;
  }

  /** End of a ring in the plane: a ring that closes at another height repeats its first vertex there. */
  #areaEnd({ start, end }: Run): number {
    const coordinates = this.#coordinates;
    const last = end - this.#stride;
    const isRepeated =
      last > start &&
      coordinates[last] === coordinates[start] &&
      coordinates[last + 1] === coordinates[start + 1];
    return isRepeated ? last : end;
  }
}
