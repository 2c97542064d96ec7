/** The part of a byte source that a scanner reads; it moves on, and grows if a value is longer. */
import type { ByteSource, ReusedMemory } from './byte-source.ts';

const LEAST_GROWN_BYTES = 1 << 20;

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

  constructor(scanner: Scanner, source: ByteSource, sourceName: string, kind: WindowKind) {
    this.scanner = scanner;
    this.source = source;
    this.sourceName = sourceName;
    this.#kind = kind;
  }

  /** The window reaches the end of the source. */
  get reachesEnd(): boolean {
    return this.base + this.scanner.limit >= this.source.byteLength;
  }

  /** Loads `[start, end)` of the source. */
  load(start: number, end: number): void {
    const { terminator, memory } = this.#kind;
    const length = Math.max(0, Math.min(end, this.source.byteLength) - start);
    // Releases the previous window, which may be as large, before allocating.
    this.scanner.bytes = terminator;
    const bytes = memory.take(length + terminator.length);
    this.source.readInto(bytes.subarray(0, length), start);
    bytes.set(terminator, length);
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
  needsMore(fault: { readonly at: number }): boolean {
    return fault.at >= this.scanner.limit && !this.reachesEnd;
  }
}
