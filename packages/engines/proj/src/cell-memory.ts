/** Transforms positions by the polynomials of cells, in a memory (cell-layout.ts) where compiled code finds both. */
import {
  BLOCK_AT,
  CELL,
  CELLS_AT,
  FIT_AT,
  RECORD_BYTES,
  RECORD_OF_ALL,
  type Run,
  SLOTS,
  SLOTS_AT,
} from './cell-layout.ts';
import { evaluate, fitPoints } from './polynomial.ts';
import { compiledRun } from './polynomial-code.ts';

const PAGE_BYTES = 1 << 16;

/** A square of the source's coordinates. */
export interface Square {
  readonly west: number;
  readonly south: number;
  readonly size: number;
}

export class CellMemory {
  readonly #slotsPerUnit: number;
  readonly #memory = new WebAssembly.Memory({ initial: Math.ceil(CELLS_AT / PAGE_BYTES) });
  readonly #run: Run;
  #doubles = new Float64Array(this.#memory.buffer);
  #end = CELLS_AT;

  /** `smallestCell`: a power of two. */
  constructor(
    smallestCell: number,
    runIn: (memory: WebAssembly.Memory) => Run = (memory) => compiledRun(memory) ?? plainRun(memory),
  ) {
    this.#slotsPerUnit = 1 / smallestCell;
    this.#run = runIn(this.#memory);
    const { NEGATIVE_INFINITY: least, POSITIVE_INFINITY: most } = Number;
    this.#doubles.set([least, least, most, most, 0, 0, 0, 1], RECORD_OF_ALL / 8);
  }

  /** Of BLOCK_ORDINATES; until the next `add`. */
  get block(): Float64Array<ArrayBuffer> {
    return this.#doubles.subarray(BLOCK_AT / 8, CELLS_AT / 8);
  }

  /** Adds a cell; returns the address of its record. */
  add({ west, south, size }: Square, coefficients: Float64Array): number {
    const record = this.#end;
    this.#end += RECORD_BYTES;
    if (this.#end > this.#doubles.byteLength) {
      this.#memory.grow(Math.ceil(this.#doubles.byteLength / PAGE_BYTES));
      this.#doubles = new Float64Array(this.#memory.buffer);
    }
    const half = size / 2;
    this.#doubles.set([west, south, west + size, south + size, west, south, half, 1 / half], record / 8);
    this.#doubles.set(coefficients, (record + CELL.coefficients) / 8);
    return record;
  }

  /** `run` finds the cell for the smallest cell of this position from now on. */
  assign(x: number, y: number, record: number): void {
    const column = Math.floor(x * this.#slotsPerUnit) & (SLOTS - 1);
    const row = Math.floor(y * this.#slotsPerUnit) & (SLOTS - 1);
    new Uint32Array(this.#memory.buffer, SLOTS_AT, SLOTS * SLOTS)[row * SLOTS + column] = record;
  }

  /** Transforms positions of the block from the ordinate `at` on, up to `end` or the first that is in no cell that was assigned; returns its ordinate. */
  transform(at: number, end: number, stride: number): number {
    const stopped = this.#run(BLOCK_AT + at * 8, BLOCK_AT + end * 8, stride * 8, this.#slotsPerUnit, 0);
    return (stopped - BLOCK_AT) / 8;
  }

  /** The values of a polynomial at `fitPoints`. */
  valuesAtFitPoints(coefficients: Float64Array): Float64Array {
    this.#doubles.set(coefficients, (RECORD_OF_ALL + CELL.coefficients) / 8);
    this.#doubles.set(fitPoints(), FIT_AT / 8);
    this.#run(FIT_AT, BLOCK_AT, 16, this.#slotsPerUnit, RECORD_OF_ALL);
    return this.#doubles.slice(FIT_AT / 8, BLOCK_AT / 8);
  }

  /** Removes all cells. */
  clear(): void {
    this.#end = CELLS_AT;
    new Uint8Array(this.#memory.buffer).fill(0, SLOTS_AT, FIT_AT);
  }
}

/** `Run` in JavaScript. */
export function plainRun(memory: WebAssembly.Memory): Run {
  return (start, end, stride, slotsPerUnit, first) => {
    const doubles = new Float64Array(memory.buffer);
    const slots = new Uint32Array(memory.buffer, SLOTS_AT, SLOTS * SLOTS);
    let record = first / 8;
    for (let address = start; address < end; address += stride) {
      const at = address / 8;
      const x = doubles[at];
      const y = doubles[at + 1];
      if (!isInside(doubles, record, x, y)) {
        const column = Math.floor(x * slotsPerUnit) & (SLOTS - 1);
        const row = Math.floor(y * slotsPerUnit) & (SLOTS - 1);
        record = slots[row * SLOTS + column] / 8;
        if (!isInside(doubles, record, x, y)) return address;
      }
      const half = doubles[record + CELL.half / 8];
      const scale = doubles[record + CELL.scale / 8];
      const u = (x - doubles[record + CELL.origin / 8] - half) * scale;
      const v = (y - doubles[record + CELL.origin / 8 + 1] - half) * scale;
      const coefficients = record + CELL.coefficients / 8;
      doubles[at] = evaluate(doubles, coefficients, u, v);
      doubles[at + 1] = evaluate(doubles, coefficients + 1, u, v);
    }
    return end;
  };
}

function isInside(doubles: Float64Array, record: number, x: number, y: number): boolean {
  return (
    x >= doubles[record + CELL.southWest / 8] &&
    y >= doubles[record + CELL.southWest / 8 + 1] &&
    x < doubles[record + CELL.northEast / 8] &&
    y < doubles[record + CELL.northEast / 8 + 1]
  );
}
