/** Original values of the rows that a file gives back differently: collected row by row, and put back. */
import {
  type AttributeColumn,
  ColumnBuilder,
  isValid,
  valueAt,
} from '@geomill/core/columns/attribute-column.ts';
import type { FieldType } from '@geomill/core/columns/schema.ts';
import { base64ToBytes, bytesToBase64, type KeptValues } from './document.ts';

/** Bytes of the document that original values of all fields of a file take at most. */
export const MAX_KEPT_BYTES = 32 << 20;
/** About what a run of rows takes in the document. */
const RUN_BYTES = 24;
const VALUE_BYTES = 60;

type Run = [start: number, count: number];

/** Room in the document that all fields of a file share. */
export class KeptRoom {
  bytes = MAX_KEPT_BYTES;
}

/** Of one field; rows come in ascending order. */
export class KeptRows {
  isFull = false;
  readonly #room: KeptRoom;
  readonly #byValue = new Map<string | boolean | null, Run[]>();
  #sequences: { readonly first: bigint; readonly run: Run }[] = [];
  #used = 0;

  constructor(room: KeptRoom) {
    this.#room = room;
  }

  /** `number`: of the row in the layer. */
  add(column: AttributeColumn, row: number, number: number): void {
    if (this.isFull) return;
    if (column.type === 'int64' && isValid(column.validity, row))
      this.#addInteger(column.values[row], number);
    else this.#addValue(documentValue(column, row), number);
    if (this.#room.bytes >= 0) return;
    this.isFull = true;
    this.#room.bytes += this.#used;
    this.#byValue.clear();
    this.#sequences = [];
  }

  get values(): readonly KeptValues[] {
    return [
      ...[...this.#byValue].map(([value, rows]) => ({ rows, value })),
      ...this.#sequences.map(({ first, run }) => ({ rows: [run], first: String(first) })),
    ];
  }

  #take(bytes: number): void {
    this.#used += bytes;
    this.#room.bytes -= bytes;
  }

  #addInteger(value: bigint, number: number): void {
    const last = this.#sequences.at(-1);
    if (last !== undefined) {
      const { first, run } = last;
      if (run[0] + run[1] === number && first + BigInt(run[1]) === value) {
        run[1]++;
        return;
      }
    }
    this.#sequences.push({ first: value, run: [number, 1] });
    this.#take(VALUE_BYTES);
  }

  #addValue(value: string | boolean | null, number: number): void {
    const runs = this.#byValue.get(value);
    const last = runs?.at(-1);
    if (last !== undefined && last[0] + last[1] === number) {
      last[1]++;
      return;
    }
    this.#take(RUN_BYTES);
    if (runs !== undefined) {
      runs.push([number, 1]);
      return;
    }
    this.#take(VALUE_BYTES + (typeof value === 'string' ? 2 * value.length : 0));
    this.#byValue.set(value, [[number, 1]]);
  }
}

function documentValue(column: AttributeColumn, row: number): string | boolean | null {
  const value = valueAt(column, row);
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (value instanceof Uint8Array) return bytesToBase64(value);
  return Object.is(value, -0) ? '-0' : String(value);
}

interface Patch {
  readonly start: number;
  readonly end: number;
  readonly kept: KeptValues;
}

/** Puts the values of one column back, batch by batch in the order of the rows. */
export class Patches {
  readonly #patches: readonly Patch[];
  #next = 0;

  constructor(kept: readonly KeptValues[]) {
    this.#patches = kept
      .flatMap((one) => one.rows.map(([start, count]) => ({ start, end: start + count, kept: one })))
      .sort((a, b) => a.start - b.start);
  }

  /** The column with the original values; `first`: the number of its first row in the layer. */
  apply(column: AttributeColumn, first: number, rowCount: number): AttributeColumn {
    while (this.#next < this.#patches.length && this.#patches[this.#next].end <= first) this.#next++;
    let at = this.#next;
    if (at === this.#patches.length || this.#patches[at].start >= first + rowCount) return column;
    const builder = new ColumnBuilder(column.type, rowCount);
    for (let row = 0; row < rowCount; row++) {
      const number = first + row;
      while (at < this.#patches.length && this.#patches[at].end <= number) at++;
      const patch = at < this.#patches.length && this.#patches[at].start <= number ? this.#patches[at] : null;
      if (patch === null) appendRow(builder, column, row);
      else appendKept(builder, column.type, patch.kept, number - patch.start);
    }
    return builder.finish();
  }
}

function appendRow(builder: ColumnBuilder, column: AttributeColumn, row: number): void {
  if (!isValid(column.validity, row)) builder.appendNull();
  else if ('offsets' in column)
    builder.appendBytes(column.bytes, column.offsets[row], column.offsets[row + 1]);
  else if (column.type === 'int64') builder.appendBigInt(column.values[row]);
  else builder.appendNumber(column.values[row]);
}

function appendKept(builder: ColumnBuilder, type: FieldType, kept: KeptValues, offset: number): void {
  if (kept.first !== undefined) {
    builder.appendBigInt(BigInt.asIntN(64, BigInt(kept.first) + BigInt(offset)));
    return;
  }
  const { value = null } = kept;
  if (value === null) builder.appendNull();
  else if (type === 'int64') builder.appendBigInt(BigInt.asIntN(64, BigInt(value)));
  else if (type === 'binary') {
    const bytes = base64ToBytes(String(value));
    builder.appendBytes(bytes, 0, bytes.length);
  } else if (type === 'boolean' || type === 'int32' || type === 'float64')
    builder.appendNumber(Number(value));
  else builder.appendText(String(value));
}
