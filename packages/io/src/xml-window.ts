/** An XML scanner over a part of a byte source. */
import { invalidUtf8At, UTF8 } from '@geomill/core/bytes/utf8.ts';
import { failure, type GeomillError, type Location } from '@geomill/core/messages/errors.ts';
import type { XmlFault } from '@geomill/core/text/xml-fault.ts';
import { XmlScanner } from '@geomill/core/text/xml-scanner.ts';
import { areUtf8 } from '@geomill/platform/bytes.ts';
import { type ByteSource, ReusedMemory } from './byte-source.ts';
import { ioErrors } from './errors.ts';
import { ScannerWindow } from './scanner-window.ts';
import { positionInSource } from './text-position.ts';

/** The scanner's end of a window. */
const LESS = 0x3c;
/** A look ahead of a few bytes sees no bytes of the window before it. */
const KIND = { terminator: new Uint8Array(16).fill(LESS), memory: new ReusedMemory() };

export class XmlWindow extends ScannerWindow<XmlScanner> {
  /** `mostBytes`: length of the longest window. Default: 1 GiB, for whole features. */
  constructor(source: ByteSource, sourceName: string, mostBytes?: number) {
    super(new XmlScanner(), source, sourceName, KIND, mostBytes);
  }

  /** Throws TEXT_ENCODING_INVALID if bytes of the window before `end` are not UTF-8. */
  checkEncoding(end: number): void {
    const { bytes } = this.scanner;
    if (areUtf8(bytes.subarray(0, end))) return;
    const at = invalidUtf8At(bytes, 0, end);
    if (at < 0) return;
    const offset = this.base + at;
    const advice =
      'its XML declaration states no other encoding; convert the file, or state its encoding there';
    throw failure(
      ioErrors.TEXT_ENCODING_INVALID,
      { source: this.sourceName, offset, encoding: UTF8, advice },
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
    const { line, column } = positionInSource(this.source, offset);
    return failure(
      ioErrors.XML_SYNTAX,
      { source: this.sourceName, line, column, reason },
      { ...location, line, column, offset },
    );
  }
}
