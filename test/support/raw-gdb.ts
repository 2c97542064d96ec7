/** Writes file geodatabases byte by byte, so that tests can have what no free program writes: curves, subtypes, damage, any names. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { storedZip } from './zip-members.ts';

export interface RawField {
  readonly name: string;
  readonly alias?: string;
  /** Code of its type. */
  readonly type: number;
  readonly isNullable?: boolean;
  /** Of a text. */
  readonly width?: number;
  /** Of a geometry field. */
  readonly wkt?: string;
  readonly scale?: number;
}

export type RawValue = number | bigint | string | Uint8Array | null;

export interface RawTable {
  readonly name: string;
  readonly fields: readonly RawField[];
  /** Without the object id. Null: a row that was deleted. */
  readonly rows: readonly (readonly RawValue[] | null)[];
  readonly geometryType?: number;
  readonly hasZ?: boolean;
  readonly hasM?: boolean;
  /** Texts are in UTF-16. */
  readonly isUtf16?: boolean;
  /** XML of its item in the catalogue. */
  readonly definition?: string;
  readonly path?: string;
}

export const OBJECT_ID: RawField = { name: 'OBJECTID', type: 6 };
const encoder = new TextEncoder();

export class Bytes {
  readonly #parts: number[] = [];

  get length(): number {
    return this.#parts.length;
  }

  add(bytes: Iterable<number>): this {
    for (const byte of bytes) this.#parts.push(byte);
    return this;
  }

  uint(value: number | bigint, count: number): this {
    let rest = BigInt.asUintN(64, BigInt(value));
    for (let i = 0; i < count; i++, rest >>= 8n) this.#parts.push(Number(rest & 255n));
    return this;
  }

  double(...values: readonly number[]): this {
    for (const value of values) this.add(new Uint8Array(Float64Array.of(value).buffer));
    return this;
  }

  /** Seven bits in each byte. */
  varuint(...values: readonly (number | bigint)[]): this {
    for (const value of values) {
      let rest = BigInt(value);
      for (; rest > 127n; rest >>= 7n) this.#parts.push(Number(rest & 127n) | 128);
      this.#parts.push(Number(rest));
    }
    return this;
  }

  /** The same with a sign in the first byte. */
  varint(...values: readonly (number | bigint)[]): this {
    for (const value of values) {
      const size = BigInt(value) < 0n ? -BigInt(value) : BigInt(value);
      const sign = BigInt(value) < 0n ? 64 : 0;
      this.#parts.push(Number(size & 63n) | sign | (size > 63n ? 128 : 0));
      if (size > 63n) this.varuint(size >> 6n);
    }
    return this;
  }

  text16(text: string, lengthBytes: number, unit = 1): this {
    const bytes = Buffer.from(text, 'utf16le');
    return this.uint((bytes.length / 2) * unit, lengthBytes).add(bytes);
  }

  take(): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(this.#parts);
  }
}

function fieldBytes(field: RawField, table: RawTable, out: Bytes): void {
  const {
    name,
    alias = '',
    type,
    isNullable = true,
    width = 0,
    wkt = '{B286C06B-0879-11D2-AACA-00C04FA33C20}',
  } = field;
  out.text16(name, 1).text16(alias, 1).uint(type, 1);
  const flags = isNullable ? 1 : 0;
  if (type === 6) out.uint(4, 1).uint(2, 1);
  else if (type === 4) out.uint(width, 4).uint(flags, 1).varuint(0);
  else if ([8, 10, 11, 12].includes(type)) out.uint(38, 1).uint(flags, 1);
  else if (type === 7) {
    const { scale = 1000 } = field;
    out.uint(0, 1).uint(flags, 1).text16(wkt, 2, 2).uint(7, 1).double(0, 0, scale, 0, scale, 0, scale);
    out.double(0.001, 0.001, 0.001).double(0, 0, 10, 10);
    if (table.hasZ) out.double(0, 1);
    if (table.hasM) out.double(0, 1);
    out.uint(0, 1).uint(1, 4).double(0);
  } else out.uint(8, 1).uint(flags, 1).uint(0, 1);
}

const FIXED: Readonly<Record<number, number>> = {
  0: 2,
  1: 4,
  2: 4,
  3: 8,
  5: 8,
  10: 16,
  11: 16,
  13: 8,
  14: 8,
  15: 8,
  16: 10,
};

function valueBytes({ type }: RawField, value: Exclude<RawValue, null>, isUtf16: boolean, out: Bytes): void {
  const fixed = FIXED[type];
  if (typeof value === 'object') {
    if (fixed === undefined) out.varuint(value.length);
    out.add(value);
  } else if (typeof value === 'string') {
    const bytes = isUtf16 && type === 4 ? Buffer.from(value, 'utf16le') : encoder.encode(value);
    out.varuint(bytes.length).add(bytes);
  } else if (type === 2) out.add(new Uint8Array(Float32Array.of(Number(value)).buffer));
  else if ([3, 5, 14, 15, 16].includes(type)) out.double(Number(value));
  else out.uint(value, fixed ?? 4);
}

export function rowBytes(table: RawTable, values: readonly RawValue[]): Uint8Array {
  const fields = table.fields.filter(({ type }) => type !== 6);
  const nullable = fields.flatMap(({ isNullable = true }, i) => (isNullable ? [i] : []));
  const bitmap = new Uint8Array(Math.ceil(nullable.length / 8));
  for (const [bit, i] of nullable.entries()) if (values[i] === null) bitmap[bit >> 3] |= 1 << (bit & 7);
  const out = new Bytes().add(bitmap);
  for (const [i, field] of fields.entries()) {
    const value = values[i];
    if (value !== null && value !== undefined) valueBytes(field, value, table.isUtf16 === true, out);
  }
  return out.take();
}

/** The .gdbtable and the .gdbtablx of a table. */
export function tableFiles(table: RawTable): readonly [table: Uint8Array, index: Uint8Array] {
  const { fields, rows, geometryType = 0, hasZ = false, hasM = false, isUtf16 = false } = table;
  const section = new Bytes().uint(4, 4);
  const flags = geometryType + (isUtf16 ? 0 : 0x100) + (hasM ? 2 ** 30 : 0) + (hasZ ? 2 ** 31 : 0);
  section.uint(flags, 4).uint(fields.length, 2);
  for (const field of fields) fieldBytes(field, table, section);
  const body = new Bytes().uint(section.length, 4).add(section.take());
  const offsets: number[] = [];
  for (const row of rows) {
    if (row === null) {
      offsets.push(0);
      continue;
    }
    const bytes = rowBytes(table, row);
    offsets.push(40 + body.length);
    body.uint(bytes.length, 4).add(bytes);
  }
  const count = rows.filter((row) => row !== null).length;
  const head = new Bytes().uint(3, 4).uint(count, 4).uint(0, 4).uint(5, 4).uint(0, 8);
  head.uint(40 + body.length, 8).uint(40, 8);
  const blocks = Math.ceil(rows.length / 1024);
  const index = new Bytes().uint(3, 4).uint(blocks, 4).uint(rows.length, 4).uint(5, 4);
  for (let i = 0; i < blocks * 1024; i++) index.uint(offsets[i] ?? 0, 5);
  if (blocks > 0) index.uint(0, 4).uint(blocks, 4).uint(blocks, 4).uint(0, 4);
  return [head.add(body.take()).take(), index.take()];
}

const text = (name: string): RawField => ({ name, type: 4, width: 160 });

/** The files of a geodatabase by name. `items`: XML of further items of the catalogue, by name. */
export function rawGdb(
  tables: readonly RawTable[],
  items: Readonly<Record<string, string>> = {},
): Map<string, Uint8Array> {
  const catalogue: RawTable = {
    name: 'GDB_SystemCatalog',
    fields: [{ name: 'ID', type: 6 }, text('Name'), { name: 'FileFormat', type: 1, isNullable: false }],
    rows: ['GDB_SystemCatalog', 'GDB_Items', ...tables.map(({ name }) => name)].map((name) => [name, 0]),
  };
  const described = tables.flatMap(({ name, path = `\\${name}`, definition }) =>
    definition === undefined ? [] : [[name, path, definition]],
  );
  const list: RawTable = {
    name: 'GDB_Items',
    fields: [OBJECT_ID, text('Name'), text('Path'), { name: 'Definition', type: 12 }],
    rows: [...described, ...Object.entries(items).map(([name, xml]) => [name, `\\${name}`, xml])],
  };
  const files = new Map<string, Uint8Array>();
  for (const [i, table] of [catalogue, list, ...tables].entries()) {
    const base = `a${(i + 1).toString(16).padStart(8, '0')}`;
    const [rows, index] = tableFiles(table);
    files.set(`${base}.gdbtable`, rows).set(`${base}.gdbtablx`, index);
  }
  return files;
}

/** Writes them to a folder that exists, or packs them as a zip archive without compression. */
export function writeRawGdb(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
}

export function rawGdbZip(files: ReadonlyMap<string, Uint8Array>, folder = 'raw.gdb'): Uint8Array {
  return storedZip([...files].map(([name, bytes]) => ({ name: `${folder}/${name}`, bytes })));
}
