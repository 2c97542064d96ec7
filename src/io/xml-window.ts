/** An XML scanner over a part of a byte source; the part moves on and grows. */
import { isUtf8 } from 'node:buffer';
import { invalidUtf8At, UTF8 } from '../bytes/utf8.ts';
import { type XmlFault, XmlScanner } from '../bytes/xml-scanner.ts';
import { failure, type GeomillError, type Location } from '../errors.ts';
import { type ByteSource, ReusedMemory } from './byte-source.ts';
import { positionInSource } from './text-position.ts';

const LEAST_GROWN_BYTES = 1 << 20;
/** The scanner's end of a window. */
const LESS = 0x3c;
/** Bytes after the end of a window, so that a look ahead of a few bytes sees no bytes of the window before it. */
const MARGIN_BYTES = 16;

const NOTHING = Uint8Array.of(LESS);
const memory = new ReusedMemory();

export class XmlWindow {
  readonly scanner = new XmlScanner();
  /** Offset in the source of the window's first byte. */
  base = 0;
  readonly #source: ByteSource;
  readonly #sourceName: string;

  /** `sourceName`: the file name for messages. */
  constructor(source: ByteSource, sourceName: string) {
    this.#source = source;
    this.#sourceName = sourceName;
  }

  /** The window reaches the end of the source. */
  get reachesEnd(): boolean {
    return this.base + this.scanner.limit >= this.#source.byteLength;
  }

  /** Loads `[start, end)` of the source. */
  load(start: number, end: number): void {
    const length = Math.max(0, Math.min(end, this.#source.byteLength) - start);
    // Releases the previous window, which may be as large, before allocating.
    this.scanner.bytes = NOTHING;
    const bytes = memory.take(length + MARGIN_BYTES);
    this.#source.readInto(bytes.subarray(0, length), start);
    bytes.fill(LESS, length, length + MARGIN_BYTES);
    this.scanner.bytes = bytes;
    this.scanner.limit = length;
    this.base = start;
  }

  /** Moves the start of the window to `from`, an offset in the window, and makes it longer than the rest. */
  grow(from: number): void {
    const start = this.base + from;
    this.load(start, start + Math.max(2 * (this.scanner.limit - from), LEAST_GROWN_BYTES));
  }

  /** Whether the fault only means that the window is too short. */
  needsMore(fault: XmlFault): boolean {
    return fault.at >= this.scanner.limit && !this.reachesEnd;
  }

  /** Throws TEXT_ENCODING_INVALID if bytes of the window before `end` are not UTF-8. */
  checkEncoding(end: number): void {
    const { bytes } = this.scanner;
    if (isUtf8(bytes.subarray(0, end))) return;
    const at = invalidUtf8At(bytes, 0, end);
    if (at < 0) return;
    const offset = this.base + at;
    const advice =
      'its XML declaration states no other encoding; convert the file, or state its encoding there';
    throw failure(
      'TEXT_ENCODING_INVALID',
      { source: this.#sourceName, offset, encoding: UTF8, advice },
      { offset },
    );
  }

  /** The error for a fault that more bytes cannot resolve: XML_SYNTAX with line and column. */
  failureOf(fault: XmlFault, location: Location = {}): GeomillError {
    const offset = this.base + Math.min(fault.reportAt, this.scanner.limit);
    const open = this.scanner.openName();
    const isTruncated = fault.at >= this.scanner.limit;
    const inside = open === '' ? '' : ` inside <${open}>`;
    const reason = isTruncated ? `the file ends${inside}; is it complete?` : fault.message;
    return this.syntaxError(offset, reason, location);
  }

  /** XML_SYNTAX for a byte of the source. */
  syntaxError(offset: number, reason: string, location: Location = {}): GeomillError {
    const { line, column } = positionInSource(this.#source, offset);
    return failure(
      'XML_SYNTAX',
      { source: this.#sourceName, line, column, reason },
      { ...location, line, column, offset },
    );
  }
}
