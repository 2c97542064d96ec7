/** Reads well-known binary number by number, with plausibility checks of counts and errors with offsets. */
import { failure, type GeomillError } from '../messages/errors.ts';
import { generalErrors } from '../messages/general-errors.ts';

/** Blobs up to this size are copied: creating a DataView for them takes longer. */
const SMALL_BYTES = 1024;

/** A base class of WkbReader, not a member of it: this saves its hot loops one indirection. */
export class WkbScanner {
  protected bytes = new Uint8Array(0) as Uint8Array;
  protected view = new DataView(new ArrayBuffer(0)) as DataView;
  protected at = 0;
  protected endAt = 0; // exclusive
  /** Byte order of the current header. */
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

  /** Reads the count of items that take at least `leastBytes` each; throws if the remaining bytes cannot hold them. */
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
    return failure(generalErrors.WKB_SYNTAX, { offset: at - this.#start, reason });
  }
}
