/**
 * Reads Thrift's compact protocol, in which Parquet has its metadata (thrift-compact-protocol.md): fields with numbers,
 * varints, and lengths that are checked against the bytes left before anything is allocated.
 */
import { damaged } from '../fault.ts';

/** Types of fields and of elements. */
export const T = {
  stop: 0,
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
  uuid: 13,
} as const;

/** Deeper than any metadata of Parquet; the reader recurses. */
const MAX_DEPTH = 32;
const MAX_VARINT_BYTES = 10;

const decoder = new TextDecoder();

/** Thrown where the bytes end, for readers that can get more. */
export class CompactEnd extends Error {}

export class CompactReader {
  at: number;
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #depth = 0;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.at = at;
    this.#end = end;
  }

  /**
   * Reads a struct: calls `field` for each field, which reads the value with the method of its type, or returns false to
   * skip it.
   */
  struct(field: (id: number, type: number) => boolean): void {
    if (++this.#depth > MAX_DEPTH) throw damaged('its metadata is nested too deeply');
    let id = 0;
    for (;;) {
      const head = this.#byte();
      const type = head & 15;
      if (type === T.stop) break;
      id = head >> 4 === 0 ? this.int() : id + (head >> 4);
      if (!field(id, type)) this.skip(type);
    }
    this.#depth--;
  }

  /** Calls `element` for each element of a list, with its index. */
  list(type: number, element: (index: number) => void): void {
    this.#expect(type, T.list);
    const [count] = this.#listHead();
    for (let i = 0; i < count; i++) element(i);
  }

  integers(type: number): number[] {
    const values: number[] = [];
    this.list(type, () => values.push(this.int()));
    return values;
  }

  /** A boolean field: the type is the value. */
  boolean(type: number): boolean {
    if (type !== T.true && type !== T.false) throw damaged('a field of its metadata is not a boolean');
    return type === T.true;
  }

  /** An i8, i16, i32 or i64; exact up to 2^53. */
  int(): number {
    let result = 0;
    let scale = 1;
    for (let i = 0; i < MAX_VARINT_BYTES; i++) {
      const byte = this.#byte();
      result += (byte & 127) * scale;
      if (byte < 128) {
        // Zigzag: even numbers are positive, odd ones negative.
        return result % 2 === 0 ? result / 2 : -(result + 1) / 2;
      }
      scale *= 128;
    }
    throw damaged('a number in its metadata has too many bytes');
  }

  byte(): number {
    return (this.#byte() << 24) >> 24;
  }

  double(): number {
    this.#need(8);
    const view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.at, 8);
    this.at += 8;
    return view.getFloat64(0, true);
  }

  /** A view of the bytes. */
  binary(type: number = T.binary): Uint8Array {
    this.#expect(type, T.binary);
    const length = this.#length();
    this.#need(length);
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }

  text(type: number = T.binary): string {
    return decoder.decode(this.binary(type));
  }

  /** The end of an element that was not read. */
  skip(type: number): void {
    switch (type) {
      case T.true:
      case T.false:
        return;
      case T.byte:
        this.#byte();
        return;
      case T.i16:
      case T.i32:
      case T.i64:
        this.int();
        return;
      case T.double:
        this.#need(8);
        this.at += 8;
        return;
      case T.binary:
        this.binary();
        return;
      case T.list:
      case T.set:
        this.#skipList();
        return;
      case T.map:
        this.#skipMap();
        return;
      case T.struct:
        this.struct(() => false);
        return;
      case T.uuid:
        this.#need(16);
        this.at += 16;
        return;
      default:
        throw damaged(`its metadata has a field of the unknown type ${type}`);
    }
  }

  #skipList(): void {
    const [count, type] = this.#listHead();
    if (++this.#depth > MAX_DEPTH) throw damaged('its metadata is nested too deeply');
    for (let i = 0; i < count; i++) this.#skipElement(type);
    this.#depth--;
  }

  #skipMap(): void {
    const count = this.#length();
    if (count === 0) return;
    const types = this.#byte();
    for (let i = 0; i < count; i++) {
      this.#skipElement(types >> 4);
      this.#skipElement(types & 15);
    }
  }

  /** In lists a boolean has a byte of its own. */
  #skipElement(type: number): void {
    if (type === T.true || type === T.false) this.#byte();
    else this.skip(type);
  }

  /** Number of elements and their type. Every element has at least one byte. */
  #listHead(): [count: number, type: number] {
    const head = this.#byte();
    const count = head >> 4 === 15 ? this.#length() : head >> 4;
    this.#need(count);
    return [count, head & 15];
  }

  /** An unsigned varint that counts bytes or elements. */
  #length(): number {
    let result = 0;
    let scale = 1;
    for (let i = 0; i < 5; i++) {
      const byte = this.#byte();
      result += (byte & 127) * scale;
      if (byte < 128) return result;
      scale *= 128;
    }
    throw damaged('a length in its metadata has too many bytes');
  }

  #expect(type: number, wanted: number): void {
    const isList = wanted === T.list && type === T.set;
    if (type !== wanted && !isList) throw damaged('a field of its metadata has a wrong type');
  }

  #byte(): number {
    this.#need(1);
    return this.#bytes[this.at++];
  }

  #need(count: number): void {
    if (this.at + count > this.#end) throw new CompactEnd('its metadata ends too early');
  }
}
