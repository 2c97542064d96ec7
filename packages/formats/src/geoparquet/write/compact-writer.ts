/** Writes Thrift's compact protocol; see bytes/compact-reader.ts. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { T } from '../bytes/compact-reader.ts';

const encoder = new TextEncoder();

/** Fields of a struct are written in ascending order of their numbers. */
export class CompactWriter {
  readonly #out: ByteWriter;
  /** Number of the last field of each open struct. */
  readonly #ids: number[] = [0];

  constructor(initialCapacity = 1 << 12) {
    this.#out = new ByteWriter(initialCapacity);
  }

  int(id: number, value: number | bigint, type: number = T.i32): void {
    this.#head(id, type);
    this.zigzag(value);
  }

  byte(id: number, value: number): void {
    this.#head(id, T.byte);
    this.#out.uint8(value & 255);
  }

  long(id: number, value: number | bigint): void {
    this.int(id, value, T.i64);
  }

  boolean(id: number, value: boolean): void {
    this.#head(id, value ? T.true : T.false);
  }

  double(id: number, value: number): void {
    this.#head(id, T.double);
    this.#out.float64(value, true);
  }

  binary(id: number, bytes: Uint8Array): void {
    this.#head(id, T.binary);
    this.bytes(bytes);
  }

  text(id: number, text: string): void {
    this.binary(id, encoder.encode(text));
  }

  /** `element` writes each element, without a number. */
  list<Item>(id: number, type: number, items: readonly Item[], element: (item: Item) => void): void {
    this.#head(id, T.list);
    const count = items.length;
    this.#out.uint8((Math.min(count, 15) << 4) | type);
    if (count >= 15) this.#varint(count);
    for (const item of items) element(item);
  }

  /** A struct in a field. */
  struct(id: number, fields: () => void): void {
    this.#head(id, T.struct);
    this.element(fields);
  }

  /** A struct as the element of a list, or as the whole. */
  element(fields: () => void): void {
    this.#ids.push(0);
    fields();
    this.#ids.pop();
    this.#out.uint8(T.stop);
  }

  /** An element of a list. */
  bytes(bytes: Uint8Array): void {
    this.#varint(bytes.length);
    this.#out.copy(bytes);
  }

  /** An element of a list. */
  zigzag(value: number | bigint): void {
    if (typeof value === 'bigint') {
      let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
      for (; rest > 127n; rest >>= 7n) this.#out.uint8(Number(rest & 127n) | 128);
      this.#out.uint8(Number(rest));
    } else this.#varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  written(): Uint8Array<ArrayBuffer> {
    return this.#out.written();
  }

  #head(id: number, type: number): void {
    const last = this.#ids.length - 1;
    const delta = id - this.#ids[last];
    this.#ids[last] = id;
    if (delta > 0 && delta < 16) this.#out.uint8((delta << 4) | type);
    else {
      this.#out.uint8(type);
      this.zigzag(id);
    }
  }

  #varint(value: number): void {
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#out.uint8((rest % 128) | 128);
    this.#out.uint8(rest);
  }
}
