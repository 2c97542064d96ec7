/** A scanner over part of a byte source, which grows when a value turns out to be longer than the part. */
import { failure, type GeomillError, type Location } from '../../errors.ts';
import { type ByteSource, ReusedMemory } from '../../io/byte-source.ts';
import type { ScanFault } from './scan-fault.ts';
import { JsonScanner } from './scanner.ts';

const LEAST_GROWN_BYTES = 1 << 20;

const NOTHING = new Uint8Array(1);
const memory = new ReusedMemory();

export class SourceWindow {
  readonly scanner = new JsonScanner();
  /** Offset in the source of the window's first byte. */
  base = 0;
  readonly #source: ByteSource;
  readonly #sourceName: string;

  constructor(source: ByteSource, sourceName: string) {
    this.#source = source;
    this.#sourceName = sourceName;
  }

  /** No byte of the source lies behind the window. */
  get reachesEnd(): boolean {
    return this.base + this.scanner.limit >= this.#source.byteLength;
  }

  /** Makes `[start, end)` of the source the window, with the zero byte behind it that the scanner needs. */
  load(start: number, end: number): void {
    const { byteLength } = this.#source;
    const stop = Math.max(start, Math.min(end, byteLength));
    const length = stop - start;
    // Lets go of the window before, which may be as large, ahead of asking for memory.
    this.scanner.bytes = NOTHING;
    const bytes = memory.take(length + 1);
    this.#source.readInto(bytes.subarray(0, length), start);
    bytes[length] = 0;
    this.scanner.bytes = bytes;
    this.scanner.limit = length;
    this.base = start;
  }

  /** Lets the window begin at `from`, an offset in the window, and makes it twice as long as what is left of it. */
  grow(from: number): void {
    const start = this.base + from;
    this.load(start, start + Math.max(2 * (this.scanner.limit - from), LEAST_GROWN_BYTES));
  }

  /** The fault only means that the window ends too early. */
  needsMore(fault: ScanFault): boolean {
    return fault.at >= this.scanner.limit && !this.reachesEnd;
  }

  /** The error that a fault is when more bytes would not help. */
  failureOf(fault: ScanFault, location: Location): GeomillError {
    const offset = this.base + fault.reportAt;
    const located = { ...location, offset };
    if (fault.at >= this.scanner.limit) {
      const reason =
        fault.reportAt === fault.at
          ? 'the file ends in the middle of a value; is it complete?'
          : `${fault.message}; is the file complete?`;
      return failure('GEOJSON_SYNTAX', { offset, reason }, located);
    }
    if (fault.code === 'TEXT_ENCODING_INVALID')
      return failure(fault.code, { source: this.#sourceName, offset, encoding: 'UTF-8' }, located);
    return failure(fault.code, { offset, reason: fault.message }, located);
  }
}
