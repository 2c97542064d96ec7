/** Bytes that are collected until they are stored together. The memory is used again for the next ones. */
export class PartBuffer {
  readonly #limit: number;
  #bytes = Buffer.alloc(0);
  #length = 0;

  /** Holds at most `limit` bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#length;
  }

  get room(): number {
    return this.#limit - this.#length;
  }

  /** The collected bytes; valid until the next change. */
  get content(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Copies bytes, for which there must be room. */
  append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(
        Math.min(this.#limit, Math.max(64 * 1024, length, 2 * this.#length)),
      );
      larger.set(this.content);
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = length;
  }

  /** Keeps the first `length` bytes. */
  truncate(length: number): void {
    this.#length = length;
  }
}
