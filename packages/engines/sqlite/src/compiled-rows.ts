/**
 * The functions of wasm/, and the memory that they work on: records of SQLite to columns and back, in WebAssembly, which is fast from
 * the first call (docs/decisions/compiled-rows.md). Arguments are places in the memory.
 */
import { base64Bytes } from '@geomill/platform/bytes.ts';
import { unpacked } from '@geomill/platform/compression.ts';
import { CODE } from './compiled-rows-code.ts';

/** A place in the memory of a `CompiledRows`; 0: none. */
export type Place = number;

type ReadColumn = (
  serials: Place,
  places: Place,
  rows: number,
  bytes: Place,
  values: Place,
  bits: Place,
) => number;
type MeasureColumn = (
  values: Place,
  validity: Place,
  rows: number,
  serials: Place,
  headers: Place,
  sizes: Place,
) => void;
type WriteColumn = (
  values: Place,
  rows: number,
  serials: Place,
  bytes: Place,
  headerAt: Place,
  valueAt: Place,
) => void;

/** Described in wasm/read-rows.c and write-rows.c. */
export interface RowFunctions {
  read_leaf(
    bytes: Place,
    page: Place,
    pageBytes: number,
    row: number,
    room: number,
    starts: Place,
    lengths: Place,
    keys: Place,
    cellStarts: Place,
    cellEnds: Place,
  ): number;
  read_records(
    starts: Place,
    lengths: Place,
    rows: number,
    columns: number,
    leastColumns: number,
    serials: Place,
    places: Place,
    bytes: Place,
  ): number;
  readonly read_booleans: ReadColumn;
  readonly read_integers: ReadColumn;
  readonly read_longs: ReadColumn;
  readonly read_floats: ReadColumn;
  measure_texts(serials: Place, rows: number, textBit: number, offsets: Place, bits: Place): number;
  copy_texts(places: Place, rows: number, bytes: Place, offsets: Place, values: Place): void;
  read_geometries(
    serials: Place,
    places: Place,
    rows: number,
    bytes: Place,
    srsId: number,
    mostPositions: number,
    into: Place,
  ): number;
  readonly measure_booleans: MeasureColumn;
  readonly measure_integers: MeasureColumn;
  readonly measure_longs: MeasureColumn;
  readonly measure_floats: MeasureColumn;
  measure_strings(
    offsets: Place,
    validity: Place,
    rows: number,
    serials: Place,
    headers: Place,
    sizes: Place,
    textBit: number,
  ): void;
  readonly write_booleans: WriteColumn;
  readonly write_integers: WriteColumn;
  readonly write_longs: WriteColumn;
  readonly write_floats: WriteColumn;
  write_strings(
    offsets: Place,
    rows: number,
    serials: Place,
    bytes: Place,
    headerAt: Place,
    valueAt: Place,
    source: Place,
  ): void;
  write_geometries(
    of: Place,
    rows: number,
    srsId: number,
    headers: Place,
    sizes: Place,
    bytes: Place,
    headerAt: Place,
    valueAt: Place,
    offsets: Place,
    boxes: Place,
    bounds: Place,
  ): void;
}

const PAGE_BYTES = 65536;
/** The first page has the constants and the stack of the functions. */
const FIRST_FREE = PAGE_BYTES;
const ALIGNMENT = 16;
/** Memory grows by at least this. */
const STEP_PAGES = 32;
/** Memory of WebAssembly never shrinks: a larger one is not kept for the next rows. */
const KEPT_BYTES = 64 << 20;
/** The code has a third of them. */
const MOST_CODE_BYTES = 1 << 16;
/** Functions may read as many bytes after a place. */
const PADDING = 16;

/** V8 keeps one compiled copy for all threads, as they compile the same bytes. */
let compiled: WebAssembly.Module | null = null;
let kept: CompiledRows | null = null;

export class CompiledRows {
  readonly functions: RowFunctions;
  readonly #memory = new WebAssembly.Memory({ initial: 1 + STEP_PAGES });
  #end = FIRST_FREE;

  private constructor() {
    compiled ??= new WebAssembly.Module(unpacked('deflate', base64Bytes(CODE), MOST_CODE_BYTES));
    const instance = new WebAssembly.Instance(compiled, { env: { memory: this.#memory } });
    this.functions = instance.exports as unknown as RowFunctions;
  }

  /** The functions with free memory. Invalidates all places and views that were taken in this thread before. */
  static start(): CompiledRows {
    if (kept === null || kept.#memory.buffer.byteLength > KEPT_BYTES) kept = new CompiledRows();
    kept.#end = FIRST_FREE;
    return kept;
  }

  /** Memory with any content. Invalidates views, but not places. */
  take(byteCount: number): Place {
    const place = this.#end;
    const end = place + byteCount + PADDING;
    this.#end = Math.ceil(end / ALIGNMENT) * ALIGNMENT;
    const missing = this.#end - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.max(STEP_PAGES, Math.ceil(missing / PAGE_BYTES)));
    return place;
  }

  takeZeros(byteCount: number): Place {
    const place = this.take(byteCount);
    this.bytes(place, byteCount).fill(0);
    return place;
  }

  /** Copies an array into the memory. Invalidates views. */
  put(array: Uint8Array | Uint32Array | Int32Array | Float64Array | BigInt64Array): Place {
    const { buffer, byteOffset, byteLength } = array;
    const place = this.take(byteLength);
    this.bytes(place, byteLength).set(new Uint8Array(buffer, byteOffset, byteLength));
    return place;
  }

  /** Frees what was taken from `place` on. */
  free(place: Place): void {
    this.#end = place;
  }

  get #buffer(): ArrayBuffer {
    return this.#memory.buffer as ArrayBuffer;
  }

  /** Views, valid until more memory is taken. */
  bytes(place: Place, length: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#buffer, place, length);
  }

  int64(place: Place, length: number): BigInt64Array<ArrayBuffer> {
    return new BigInt64Array(this.#buffer, place, length);
  }

  uint32(place: Place, length: number): Uint32Array<ArrayBuffer> {
    return new Uint32Array(this.#buffer, place, length);
  }

  /** Copies of what is in the memory. */
  copyOfBytes(place: Place, length: number): Uint8Array<ArrayBuffer> {
    return this.bytes(place, length).slice();
  }

  copyOfUint32(place: Place, length: number): Uint32Array<ArrayBuffer> {
    return this.uint32(place, length).slice();
  }

  copyOfInt32(place: Place, length: number): Int32Array<ArrayBuffer> {
    return new Int32Array(this.#buffer, place, length).slice();
  }

  copyOfInt64(place: Place, length: number): BigInt64Array<ArrayBuffer> {
    return this.int64(place, length).slice();
  }

  copyOfFloat32(place: Place, length: number): Float32Array<ArrayBuffer> {
    return new Float32Array(this.#buffer, place, length).slice();
  }

  copyOfFloat64(place: Place, length: number): Float64Array<ArrayBuffer> {
    return new Float64Array(this.#buffer, place, length).slice();
  }
}
