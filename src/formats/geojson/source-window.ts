/** A scanner over a part of a byte source; the part grows if a value is longer. */
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

  /** The window reaches the end of the source. */
  get reachesEnd(): boolean {
    return this.base + this.scanner.limit >= this.#source.byteLength;
  }

  /** Loads `[start, end)` of the source into the window, followed by the zero byte that the scanner needs. */
  load(start: number, end: number): void {
    const { byteLength } = this.#source;
    const stop = Math.max(start, Math.min(end, byteLength));
    const length = stop - start;
    // Releases the previous window, which may be as large, before allocating.
    this.scanner.bytes = NOTHING;
    const bytes = memory.take(length + 1);
    this.#source.readInto(bytes.subarray(0, length), start);
    bytes[length] = 0;
    this.scanner.bytes = bytes;
    this.scanner.limit = length;
    this.base = start;
  }

  /** Moves the start of the window to `from`, an offset in the window, and doubles the length of the rest. */
  grow(from: number): void {
    const start = this.base + from;
    this.load(start, start + Math.max(2 * (this.scanner.limit - from), LEAST_GROWN_BYTES));
  }

  /** Whether the fault only means that the window is too short. */
  needsMore(fault: ScanFault): boolean {
    return fault.at >= this.scanner.limit && !this.reachesEnd;
  }

  /** The error to throw for a fault that more bytes cannot resolve. */
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
    if (fault.code === 'TEXT_ENCODING_INVALID') {
      const advice = 'GeoJSON is always UTF-8: convert the file';
      return failure(fault.code, { source: this.#sourceName, offset, encoding: 'UTF-8', advice }, located);
    }
    return failure(fault.code, { offset, reason: fault.message }, located);
  }
}
