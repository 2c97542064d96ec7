/**
 * The interface to GEOS for this thread: reads geometry columns. It exposes no pointers; every geometry
 * is owned by a Disposable object (`using`), and `liveCount` shows whether all of them were freed.
 *
 *     using polygon = geos.read(batch.geometry, row);
 *     using grown = polygon.buffer(10, style);
 *     grown.appendTo(builder);
 */
import type { GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';
import { GeosGeometry } from './geometry.ts';
import { GeosInstance } from './instance.ts';
import { type GeosModule, loadGeosModule } from './module.ts';
import { GEOS_TYPE, type Pointer } from './native.ts';
import { RowReader } from './read-row.ts';

/** Types of collections that can be made of parts. */
export type CollectionKind = 'multiPoint' | 'multiLineString' | 'multiPolygon' | 'geometryCollection';

let shared: Geos | null = null;

export class Geos {
  readonly #shared: GeosInstance;
  readonly #reader: RowReader;

  private constructor(module: GeosModule) {
    this.#shared = new GeosInstance(module);
    this.#reader = new RowReader(module);
  }

  /** The instance of this thread, loaded at the first call (about 50 ms) and again after a trap. */
  static async load(): Promise<Geos> {
    if (shared !== null && !shared.isBroken) return shared;
    const module = await loadGeosModule();
    if (shared === null || shared.#shared.module !== module) shared = new Geos(module);
    return shared;
  }

  /** Owned geometries that are not freed yet. */
  get liveCount(): number {
    return this.#shared.liveCount;
  }

  /** Size of the module's memory, which grows with the largest need and never shrinks. */
  get memoryBytes(): number {
    return this.#shared.module.memoryBytes;
  }

  /** A trap of WebAssembly ended this instance; `load` gives a new one. */
  get isBroken(): boolean {
    return this.#shared.module.isBroken;
  }

  /** The geometry of a row: Z kept, M left out, rings closed; a null row is an empty collection. */
  read(column: GeometryColumn, row: number): GeosGeometry {
    return this.#own(this.#reader.read(column, row));
  }

  /** The parts of many rows as one geometry collection, for `unaryUnion`. */
  readParts(column: GeometryColumn, rows: ArrayLike<number>): GeosGeometry {
    return this.#own(this.#reader.readParts(column, rows));
  }

  /** A polygon of XY positions; ring i, the first the shell, has the positions `[ringEnds[i - 1], ringEnds[i])`. */
  polygonFromRings(coordinates: Float64Array, ringEnds: ArrayLike<number>): GeosGeometry {
    return this.#own(this.#reader.polygon(coordinates, ringEnds));
  }

  /** A line through XY positions. */
  lineFrom(coordinates: Float64Array): GeosGeometry {
    return this.#own(this.#reader.line(coordinates));
  }

  rectangle(west: number, south: number, east: number, north: number): GeosGeometry {
    const { native, context } = this.#shared.module;
    return this.#own(native.GEOSGeom_createRectangle_r(context, west, south, east, north));
  }

  /** Takes ownership of the parts: they are freed with the collection and must not be used any more. */
  collection(parts: readonly GeosGeometry[], kind: CollectionKind = 'geometryCollection'): GeosGeometry {
    const { module } = this.#shared;
    const pointers = Uint32Array.from(parts, (part) => part.pointer);
    const members = module.scratch((parts.length + 1) >> 1);
    module.words.set(pointers, members / 4);
    for (const part of parts) part.release();
    const type = GEOS_TYPE[kind];
    const { native, context } = module;
    return this.#own(native.GEOSGeom_createCollection_r(context, type, members, parts.length));
  }

  #own(pointer: Pointer): GeosGeometry {
    return new GeosGeometry(this.#shared, pointer, 'reading a geometry');
  }
}
