/** Coordinates of geometry columns in a file, for collecting steps over layers that do not fit in memory. */

import { type GeometryColumn, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import {
  closeFile,
  createFile,
  type OpenFile,
  readFileAt,
  removeFile,
  writeFileAt,
} from '@geomill/platform/files.ts';

export class GeometrySpool {
  readonly #path: string;
  readonly #memoryBytes: number;
  #keptBytes = 0;
  #file: OpenFile | null = null;
  #length = 0;
  /** The column whose coordinates were asked for last. */
  #last: StoredColumn | null = null;
  /** Its coordinates, and room for larger ones. */
  #block = new Float64Array(1 << 16);
  /** The bytes of the array that was read into last. */
  #target: Uint8Array = new Uint8Array(0);

  /** Up to `memoryBytes` stay in memory; the file is created for the first column beyond them. */
  constructor(path: string, memoryBytes: number) {
    this.#path = path;
    this.#memoryBytes = memoryBytes;
  }

  /** The same column, whose coordinates may be in the file. */
  keep(column: GeometryColumn): GeometryColumn {
    const { coordinates } = column;
    this.#keptBytes += coordinates.byteLength;
    if (this.#keptBytes <= this.#memoryBytes) return column;
    this.#file ??= createFile(this.#path);
    const start = this.#length;
    const bytes = new Uint8Array(coordinates.buffer, coordinates.byteOffset, coordinates.byteLength);
    writeFileAt(this.#file, bytes, start);
    this.#length += bytes.length;
    return new StoredColumn(this, column, start);
  }

  /** All of them, until those of another column are asked for: an array for each column would be garbage by the gigabyte. */
  coordinatesOf(column: StoredColumn): Float64Array<ArrayBuffer> {
    const { ordinateCount } = column;
    if (this.#last !== column) {
      if (this.#block.length < ordinateCount) this.#block = new Float64Array(ordinateCount);
      this.#read(column.start, this.#block, 0, ordinateCount);
      this.#last = column;
    }
    return this.#block.subarray(0, ordinateCount);
  }

  copy(column: StoredColumn, from: number, to: number, target: Float64Array, at: number): void {
    if (this.#last !== column) this.#read(column.start + from * 8, target, at, to - from);
    else for (let i = from; i < to; i++) target[at + i - from] = this.#block[i];
  }

  #read(start: number, target: Float64Array, at: number, count: number): void {
    // Parts are read by the hundred thousand, many of them into the same array.
    if (this.#target.buffer !== target.buffer) this.#target = new Uint8Array(target.buffer);
    const first = target.byteOffset + at * 8;
    if (readFileAt(this.#file!, this.#target, start, first, first + count * 8) < count * 8)
      throw new Error(`${this.#path} is shorter than what was written`);
  }

  /** Columns in the file must not be used any more. */
  discard(): void {
    this.#last = null;
    this.#target = new Uint8Array(0);
    this.#keptBytes = 0;
    this.#length = 0;
    if (this.#file === null) return;
    closeFile(this.#file);
    this.#file = null;
    removeFile(this.#path);
  }
}

class StoredColumn implements GeometryColumn {
  readonly dimensions: GeometryColumn['dimensions'];
  readonly types: GeometryColumn['types'];
  readonly partOffsets: GeometryColumn['partOffsets'];
  readonly partKinds: GeometryColumn['partKinds'];
  readonly ringOffsets: GeometryColumn['ringOffsets'];
  readonly coordOffsets: GeometryColumn['coordOffsets'];
  /** In the file, in bytes. */
  readonly start: number;
  readonly #spool: GeometrySpool;

  constructor(spool: GeometrySpool, column: GeometryColumn, start: number) {
    this.#spool = spool;
    this.start = start;
    this.dimensions = column.dimensions;
    this.types = column.types;
    this.partOffsets = column.partOffsets;
    this.partKinds = column.partKinds;
    this.ringOffsets = column.ringOffsets;
    this.coordOffsets = column.coordOffsets;
  }

  get ordinateCount(): number {
    return this.coordOffsets[this.coordOffsets.length - 1] * strideOf(this.dimensions);
  }

  get coordinates(): Float64Array<ArrayBuffer> {
    return this.#spool.coordinatesOf(this);
  }

  copyOrdinates(from: number, to: number, target: Float64Array, at: number): void {
    this.#spool.copy(this, from, to, target, at);
  }
}
