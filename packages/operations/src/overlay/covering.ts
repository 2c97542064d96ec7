/**
 * Which features cover which polygons of the source, kept until all features were seen. The polygons are divided by their rows into parts,
 * so that threads can subtract for one part each, and each part has the features that cover its polygons, on disk.
 */
import { copyRows } from '@geomill/core/columns/copy-rows.ts';
import { GeometryBuilder, type GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';
import type { BatchStore, StoredData } from '../transformation.ts';

/** Number of parts of the source: many times the number of threads, since some take longer than others. */
const PART_COUNT = 64;
/** Positions of the features that are united and subtracted at a time: about 20 MB in GEOS. */
const CHUNK_POSITIONS = 200_000;
/** Positions in memory for all parts together: 16 MB. */
const MEMORY_POSITIONS = 1_000_000;

/** Polygons that cover parts of the source. Plain data. */
export interface Covering {
  readonly geometry: GeometryColumn;
  /** By row: 1 if GEOS needs it repaired. */
  readonly isBroken: Uint8Array<ArrayBuffer>;
  /** Pairs of a row of `geometry`, ascending, and a row of the source. */
  readonly rows: Uint32Array<ArrayBuffer>;
  readonly others: Uint32Array<ArrayBuffer>;
}

/** Small: there is one for each part of the source. */
const newGeometry = (): GeometryBuilder => new GeometryBuilder('XY', 64, 512);

export class CoveringBuilder {
  #geometry = newGeometry();
  #isBroken: number[] = [];
  #rows: number[] = [];
  #others: number[] = [];

  get positionCount(): number {
    return this.#geometry.positionCount;
  }

  add(column: GeometryColumn, row: number, isBroken: boolean, others: ArrayLike<number>): void {
    for (let i = 0; i < others.length; i++) {
      this.#rows.push(this.#isBroken.length);
      this.#others.push(others[i]);
    }
    copyRows(this.#geometry, column, row, row + 1);
    this.#isBroken.push(isBroken ? 1 : 0);
  }

  /** Afterwards the builder is empty. */
  finish(): Covering {
    const covering = {
      geometry: this.#geometry.finish(),
      isBroken: Uint8Array.from(this.#isBroken),
      rows: Uint32Array.from(this.#rows),
      others: Uint32Array.from(this.#others),
    };
    this.#geometry = newGeometry();
    this.#isBroken = [];
    this.#rows = [];
    this.#others = [];
    return covering;
  }
}

/** Rows `[first, end)` of the source, and what covers them, in the order of the features. */
interface SourcePart {
  readonly first: number;
  readonly end: number;
  readonly builder: CoveringBuilder;
  readonly stored: StoredData[];
}

export class CoveringStore {
  readonly #store: BatchStore;
  readonly #limits: { readonly chunk: number; readonly memory: number };
  readonly #rowsPerPart: number;
  readonly #parts: readonly SourcePart[];
  #positions = 0;

  /** `rowCount` of the source. `limits`: positions of one chunk, and of all in memory. */
  constructor(
    rowCount: number,
    store: BatchStore,
    limits = { chunk: CHUNK_POSITIONS, memory: MEMORY_POSITIONS },
  ) {
    this.#store = store;
    this.#limits = limits;
    this.#rowsPerPart = Math.max(1, Math.ceil(rowCount / PART_COUNT));
    this.#parts = Array.from({ length: Math.ceil(rowCount / this.#rowsPerPart) }, (_, part) => ({
      first: part * this.#rowsPerPart,
      end: Math.min(rowCount, (part + 1) * this.#rowsPerPart),
      builder: new CoveringBuilder(),
      stored: [],
    }));
  }

  get partCount(): number {
    return this.#parts.length;
  }

  /** Adds feature by feature: chunks do not depend on how the features were divided into batches. */
  add({ geometry, isBroken, rows, others }: Covering): void {
    for (let start = 0; start < rows.length; ) {
      const row = rows[start];
      let end = start + 1;
      while (end < rows.length && rows[end] === row) end++;
      this.#addFeature(geometry, row, isBroken[row] === 1, others.subarray(start, end));
      start = end;
    }
  }

  /** The rows of a part, and the features that cover them, chunk by chunk. */
  part(index: number): { readonly first: number; readonly end: number; readonly chunks: Iterable<Covering> } {
    const part = this.#parts[index];
    this.#moveToStore(part);
    const store = this.#store;
    function* chunks(): Generator<Covering> {
      for (const stored of part.stored) yield store.loadData(stored) as Covering;
    }
    return { first: part.first, end: part.end, chunks: chunks() };
  }

  /** `others` ascend. */
  #addFeature(geometry: GeometryColumn, row: number, isBroken: boolean, others: Uint32Array): void {
    for (let start = 0; start < others.length; ) {
      const part = this.#parts[Math.floor(others[start] / this.#rowsPerPart)];
      let end = start + 1;
      while (end < others.length && others[end] < part.end) end++;
      const before = part.builder.positionCount;
      part.builder.add(geometry, row, isBroken, others.subarray(start, end));
      this.#positions += part.builder.positionCount - before;
      if (part.builder.positionCount >= this.#limits.chunk) this.#moveToStore(part);
      start = end;
    }
    if (this.#positions >= this.#limits.memory) this.#moveToStore(this.#largest);
  }

  get #largest(): SourcePart {
    return this.#parts.reduce((largest, part) =>
      part.builder.positionCount > largest.builder.positionCount ? part : largest,
    );
  }

  #moveToStore({ builder, stored }: SourcePart): void {
    if (builder.positionCount === 0) return;
    this.#positions -= builder.positionCount;
    stored.push(this.#store.storeData(builder.finish()));
  }
}
