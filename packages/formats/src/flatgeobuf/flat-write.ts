/**
 * Writes a flatbuffer, front to back, for a table with nested tables: the header. Features are written by feature-encode.ts.
 * Values are aligned to their size, counted from the size of the buffer, which precedes it.
 */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';

/** The value of a field; null: it is not set. */
export type FlatValue =
  | null
  | { readonly uint8: number }
  | { readonly uint16: number }
  | { readonly int32: number }
  | { readonly uint64: bigint }
  | { readonly text: string }
  | { readonly bytes: Uint8Array }
  | { readonly uint32s: readonly number[] }
  | { readonly doubles: readonly number[] }
  | { readonly table: FlatFields }
  | { readonly tables: readonly FlatFields[] };

/** By slot. */
export type FlatFields = readonly FlatValue[];

/** A buffer with the table as root, after its size (u32). Its length is a multiple of 8. */
export function writeFlatBuffer(root: FlatFields): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(1 << 12);
  out.fill(0, 8);
  patch(out, 4, writeTable(out, root) - 4);
  align(out, 8, 0);
  patch(out, 0, out.length - 4);
  return out.take();
}

/** Returns the position of the table. */
function writeTable(out: ByteWriter, fields: FlatFields): number {
  const set = fields.flatMap((value, slot) => (value === null ? [] : [{ value, slot, size: sizeOf(value) }]));
  // The largest first, so that all are aligned if the first is.
  const bySize = set.toSorted((a, b) => b.size - a.size);
  const offsets = new Map<number, number>();
  let tableBytes = 4;
  for (const { slot, size } of bySize) {
    offsets.set(slot, tableBytes);
    tableBytes += size;
  }
  const slots = (set.at(-1)?.slot ?? -1) + 1;
  const vtableBytes = 4 + 2 * slots;
  align(out, 8, 4 + vtableBytes);
  const vtable = out.length;
  out.uint16(vtableBytes, true);
  out.uint16(tableBytes, true);
  for (let slot = 0; slot < slots; slot++) out.uint16(offsets.get(slot) ?? 0, true);
  const table = out.length;
  out.int32(table - vtable, true);
  out.fill(0, tableBytes - 4);
  for (const { value, slot } of set) writeValue(out, table + (offsets.get(slot) ?? 0), value);
  return table;
}

function sizeOf(value: Exclude<FlatValue, null>): number {
  if ('uint8' in value) return 1;
  if ('uint16' in value) return 2;
  return 'uint64' in value ? 8 : 4;
}

/** Writes the value of the field at `at`; what does not fit there comes at the end. */
function writeValue(out: ByteWriter, at: number, value: Exclude<FlatValue, null>): void {
  const view = new DataView(out.bytes.buffer);
  if ('uint8' in value) view.setUint8(at, value.uint8);
  else if ('uint16' in value) view.setUint16(at, value.uint16, true);
  else if ('int32' in value) view.setInt32(at, value.int32, true);
  else if ('uint64' in value) view.setBigUint64(at, value.uint64, true);
  else if ('table' in value) patch(out, at, writeTable(out, value.table) - at);
  else if ('tables' in value) {
    const start = beginVector(out, at, value.tables.length, 4);
    out.fill(0, value.tables.length * 4);
    value.tables.forEach((fields, i) => {
      patch(out, start + 4 * i, writeTable(out, fields) - start - 4 * i);
    });
  } else if ('doubles' in value) {
    beginVector(out, at, value.doubles.length, 8);
    for (const number of value.doubles) out.float64(number, true);
  } else if ('uint32s' in value) {
    beginVector(out, at, value.uint32s.length, 4);
    for (const number of value.uint32s) out.uint32(number, true);
  } else {
    const bytes = 'text' in value ? encoder.encode(value.text) : value.bytes;
    beginVector(out, at, bytes.length, 4);
    out.copy(bytes);
    // Texts end with a zero byte, which does not count.
    if ('text' in value) out.uint8(0);
  }
}

const encoder = new TextEncoder();

/** Writes the length of a vector to which the field at `at` refers; returns the position of its first element. */
function beginVector(out: ByteWriter, at: number, count: number, elementBytes: number): number {
  align(out, elementBytes, 4);
  patch(out, at, out.length - at);
  out.uint32(count, true);
  return out.length;
}

/** Pads so that what comes `ahead` bytes later is aligned. */
function align(out: ByteWriter, size: number, ahead: number): void {
  out.fill(0, (size - ((out.length + ahead) % size)) % size);
}

function patch(out: ByteWriter, at: number, value: number): void {
  new DataView(out.bytes.buffer).setUint32(at, value, true);
}
