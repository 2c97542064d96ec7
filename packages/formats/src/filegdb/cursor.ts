/** Reads numbers and texts one after another. Every read is checked against the end, so a damaged length is an error and allocates nothing. */

const utf16 = new TextDecoder('utf-16le');

export class Cursor {
  readonly bytes: Uint8Array<ArrayBuffer>;
  at: number;
  readonly end: number;
  readonly #view: DataView;
  readonly #refuse: (at: number, reason: string) => never;

  /** `refuse` throws the error for what is wrong at an offset in `bytes`. */
  constructor(
    bytes: Uint8Array<ArrayBuffer>,
    at: number,
    end: number,
    refuse: (at: number, reason: string) => never,
  ) {
    this.bytes = bytes;
    this.at = at;
    this.end = Math.min(end, bytes.length);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#refuse = refuse;
  }

  get left(): number {
    return this.end - this.at;
  }

  refuse(reason: string, at = this.at): never {
    return this.#refuse(at, reason);
  }

  /** Moves over so many bytes; returns the offset of the first. */
  take(count: number, what: string): number {
    if (count > this.end - this.at)
      this.refuse(`${what} needs ${count} bytes, and only ${Math.max(0, this.end - this.at)} are left`);
    const at = this.at;
    this.at += count;
    return at;
  }

  uint8(what: string): number {
    return this.bytes[this.take(1, what)];
  }

  uint16(what: string): number {
    return this.#view.getUint16(this.take(2, what), true);
  }

  uint32(what: string): number {
    return this.#view.getUint32(this.take(4, what), true);
  }

  int32(what: string): number {
    return this.#view.getInt32(this.take(4, what), true);
  }

  /** As a double: offsets and counts beyond 2^53 are refused where they are used. */
  uint64(what: string): number {
    const at = this.take(8, what);
    return this.#view.getUint32(at, true) + this.#view.getUint32(at + 4, true) * 2 ** 32;
  }

  float64(what: string): number {
    return this.#view.getFloat64(this.take(8, what), true);
  }

  /** Seven bits in each byte, the lowest first. */
  varuint(what: string): number {
    let value = 0;
    for (let factor = 1; factor < 2 ** 70; factor *= 128) {
      const byte = this.uint8(what);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    return this.refuse(`${what} has more than ten bytes`);
  }

  /** `units` code units of UTF-16. */
  text16(units: number, what: string): string {
    const at = this.take(units * 2, what);
    return utf16.decode(this.bytes.subarray(at, this.at));
  }
}
