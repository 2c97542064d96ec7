/**
 * A growable byte buffer for encoders. `bytes` and `length` are public so that hot loops can write in place:
 * call `reserve(n)` once, then write at `bytes[length++]` up to n times.
 */
import { base64Text } from '@geomill/platform/bytes.ts';

const encoder = new TextEncoder();
/** From here on, a buffer grows by a quarter: `transfer` writes zeros to what is added, so that unused memory is in use, too. */
const LARGE = 1 << 26;

export class ByteWriter {
  bytes: Uint8Array<ArrayBuffer>;
  length = 0;
  #view: DataView<ArrayBuffer>;

  constructor(initialCapacity = 1 << 16) {
    this.bytes = new Uint8Array(initialCapacity);
    this.#view = new DataView(this.bytes.buffer);
  }

  /** Reserves memory for `count` more bytes. Detaches earlier references to `bytes`, so that their memory is free at once. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const { length } = this.bytes;
    const grown = length < LARGE ? length * 2 : Math.ceil(length * 1.25);
    this.bytes = new Uint8Array(this.bytes.buffer.transfer(Math.max(needed, grown)));
    this.#view = new DataView(this.bytes.buffer);
  }

  uint8(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }

  uint16(value: number, littleEndian: boolean): void {
    this.reserve(2);
    this.#view.setUint16(this.length, value, littleEndian);
    this.length += 2;
  }

  int32(value: number, littleEndian: boolean): void {
    this.reserve(4);
    this.#view.setInt32(this.length, value, littleEndian);
    this.length += 4;
  }

  uint32(value: number, littleEndian: boolean): void {
    this.reserve(4);
    this.#view.setUint32(this.length, value, littleEndian);
    this.length += 4;
  }

  float64(value: number, littleEndian: boolean): void {
    this.reserve(8);
    this.#view.setFloat64(this.length, value, littleEndian);
    this.length += 8;
  }

  /** Appends `source[start, end)`. Short ranges are copied in a loop: `set` with a subarray allocates an object. */
  copy(source: Uint8Array, start = 0, end = source.length): void {
    const count = end - start;
    this.reserve(count);
    if (count < 48) {
      const bytes = this.bytes;
      let at = this.length;
      for (let i = start; i < end; i++) bytes[at++] = source[i];
      this.length = at;
      return;
    }
    this.bytes.set(start === 0 && end === source.length ? source : source.subarray(start, end), this.length);
    this.length += count;
  }

  /** Appends text that has only characters below U+0080. */
  ascii(text: string): void {
    this.reserve(text.length);
    const bytes = this.bytes;
    let at = this.length;
    for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i);
    this.length = at;
  }

  /** Appends `source[start, end)` as base64 (RFC 4648 section 4, with padding). */
  base64(source: Uint8Array, start: number, end: number): void {
    this.ascii(base64Text(source, start, end));
  }

  utf8(text: string): void {
    this.reserve(text.length * 3);
    this.length += encoder.encodeInto(text, this.bytes.subarray(this.length)).written;
  }

  fill(value: number, count: number): void {
    this.reserve(count);
    this.bytes.fill(value, this.length, this.length + count);
    this.length += count;
  }

  /** The bytes written, as a view that is valid until the next write. */
  written(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.length);
  }

  /** The bytes written, as an exact copy with a buffer of its own (transferable). */
  take(): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(0, this.length);
  }

  reset(): void {
    this.length = 0;
  }
}
