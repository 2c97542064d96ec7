/** The part of a byte source that a scanner reads; it moves on, and grows if a value is longer. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { ByteSource, ReusedMemory } from './byte-source.ts';

const LEAST_GROWN_BYTES = 1 << 20;
/** Most bytes of one feature, or of another element or value that is read whole. */
const MOST_BYTES = 1 << 30;

interface WindowScanner {
  bytes: Uint8Array;
  /** Length of the window. */
  limit: number;
}

/** What every window of a format has in common. */
export interface WindowKind {
  /** Bytes that the scanner needs behind the window. */
  readonly terminator: Uint8Array;
  readonly memory: ReusedMemory;
}

export class ScannerWindow<Scanner extends WindowScanner> {
  readonly scanner: Scanner;
  /** Offset in the source of the window's first byte. */
  base = 0;
  protected readonly source: ByteSource;
  /** The file name for messages. */
  protected readonly sourceName: string;
  readonly #kind: WindowKind;
  readonly #mostBytes: number;

  constructor(
    scanner: Scanner,
    source: ByteSource,
    sourceName: string,
    kind: WindowKind,
    mostBytes = MOST_BYTES,
  ) {
    this.scanner = scanner;
    this.source = source;
    this.sourceName = sourceName;
    this.#kind = kind;
    this.#mostBytes = mostBytes;
  }

  /** The window reaches the end of the source. */
  get reachesEnd(): boolean {
    return this.base + this.scanner.limit >= this.source.byteLength;
  }

  /** Loads `[start, end)` of the source. Throws LIMIT_EXCEEDED if that is too long. */
  load(start: number, end: number): void {
    const { terminator, memory } = this.#kind;
    const length = Math.max(0, Math.min(end, this.source.byteLength) - start);
    if (length > this.#mostBytes) throw this.#tooLong(start);
    // Releases the previous window, which may be as large, before allocating.
    this.scanner.bytes = terminator;
    const bytes = memory.take(length + terminator.length);
    this.source.readInto(bytes.subarray(0, length), start);
    bytes.set(terminator, length);
    this.scanner.bytes = bytes;
    this.scanner.limit = length;
    this.base = start;
  }

  /**
   * Moves the start of the window to `from`, an offset in the window, and doubles the length of the rest. Throws LIMIT_EXCEEDED if
   * what begins there is too long. `leastBytes`: least length of the window.
   */
  grow(from: number, leastBytes = LEAST_GROWN_BYTES): void {
    const start = this.base + from;
    const rest = this.scanner.limit - from;
    if (rest >= this.#mostBytes) throw this.#tooLong(start);
    this.load(start, start + Math.min(Math.max(2 * rest, leastBytes), this.#mostBytes));
  }

  /** Whether the fault only means that the window is too short. */
  needsMore(fault: { readonly at: number }): boolean {
    return fault.at >= this.scanner.limit && !this.reachesEnd;
  }

  #tooLong(offset: number): Error {
    return failure(
      generalErrors.LIMIT_EXCEEDED,
      {
        what: `the length in bytes of what begins at byte ${offset} of '${this.sourceName}'`,
        actual: `more than ${this.#mostBytes}`,
        limit: this.#mostBytes,
        setting: 'a fixed limit',
      },
      { offset },
    );
  }
}
