/** A JSON scanner over a part of a byte source. */
import { failure, type GeomillError, type Location } from '../../errors.ts';
import { type ByteSource, ReusedMemory } from '../../io/byte-source.ts';
import { ScannerWindow } from '../../io/scanner-window.ts';
import type { ScanFault } from './scan-fault.ts';
import { JsonScanner } from './scanner.ts';

/** The scanner needs a zero byte behind the window. */
const KIND = { terminator: new Uint8Array(1), memory: new ReusedMemory() };

export class SourceWindow extends ScannerWindow<JsonScanner> {
  constructor(source: ByteSource, sourceName: string) {
    super(new JsonScanner(), source, sourceName, KIND);
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
      return failure(fault.code, { source: this.sourceName, offset, encoding: 'UTF-8', advice }, located);
    }
    return failure(fault.code, { offset, reason: fault.message }, located);
  }
}
