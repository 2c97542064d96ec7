/** Reading well-known binary number by number: counts that can be true, and errors that say where. */
import { failure, type GeomillError } from '../errors.ts';

/** Blobs up to this size are copied: a DataView of their own takes longer to make. */
const SMALL_BYTES = 1024;

/** A base of WkbReader and not a part of it: its hot loops work on these fields, one object away. */
export class WkbScanner {
  protected bytes = new Uint8Array(0) as Uint8Array;
  protected view = new DataView(new ArrayBuffer(0)) as DataView;
  protected at = 0;
  protected endAt = 0; // exclusive
  /** Of the header at hand. */
  protected littleEndian = true;
  #start = 0;
  readonly #small = new Uint8Array(SMALL_BYTES);
  readonly #smallView = new DataView(this.#small.buffer);

  protected open(bytes: Uint8Array, start: number, end: number): void {
    if (bytes.length <= SMALL_BYTES) {
      this.#small.set(bytes);
      this.bytes = this.#small;
      this.view = this.#smallView;
    } else if (this.bytes !== bytes) {
      this.bytes = bytes;
      this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    this.#start = start;
    this.at = start;
    this.endAt = Math.min(end, bytes.length);
  }

  /** Reads a count of things that take at least `leastBytes` each, and refuses one that cannot be true. */
  protected count(leastBytes: number, things: string): number {
    const at = this.at;
    this.need(4, `a count of ${things}`);
    const count = this.uint32();
    const left = this.endAt - this.at;
    if (count * leastBytes > left)
      throw this.fail(at, `${count} ${things} do not fit into the ${left} bytes left`);
    return count;
  }

  protected uint32(): number {
    const value = this.view.getUint32(this.at, this.littleEndian);
    this.at += 4;
    return value;
  }

  protected need(count: number, what: string): void {
    if (this.at + count > this.endAt) throw this.fail(this.at, `the bytes end where ${what} is expected`);
  }

  protected fail(at: number, reason: string): GeomillError {
    return failure('WKB_SYNTAX', { offset: at - this.#start, reason });
  }
}
