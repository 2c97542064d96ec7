/** A JSON scanner over a part of a byte source. */
import type { ErrorEntry } from '@geomill/core/messages/catalogue-entries.ts';
import { failure, type GeomillError, type Location } from '@geomill/core/messages/errors.ts';
import type { JsonFault } from '@geomill/core/text/json-fault.ts';
import { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import { type ByteSource, ReusedMemory } from './byte-source.ts';
import { ioErrors } from './errors.ts';
import { ScannerWindow } from './scanner-window.ts';

/** The scanner needs a zero byte behind the window. */
const KIND = { terminator: new Uint8Array(1), memory: new ReusedMemory() };

/** A format of JSON, with its codes for texts that are not JSON and for JSON that is not of the format. */
export interface JsonDialect {
  readonly name: string;
  readonly syntax: OffsetEntry;
  readonly structure: OffsetEntry;
}

/** An error that states a byte and what is wrong there. */
type OffsetEntry = ErrorEntry & { readonly template: `${string}{offset}${string}{reason}${string}` };

export class JsonWindow extends ScannerWindow<JsonScanner> {
  readonly #dialect: JsonDialect;

  constructor(source: ByteSource, sourceName: string, dialect: JsonDialect) {
    super(new JsonScanner(), source, sourceName, KIND);
    this.#dialect = dialect;
  }

  /** The error to throw for a fault that more bytes cannot resolve. */
  failureOf(fault: JsonFault, location: Location): GeomillError {
    const { name, syntax, structure } = this.#dialect;
    const offset = this.base + fault.reportAt;
    const located = { ...location, offset };
    if (fault.at >= this.scanner.limit) {
      const reason =
        fault.reportAt === fault.at
          ? 'the file ends in the middle of a value; is it complete?'
          : `${fault.message}; is the file complete?`;
      return failure(syntax, { offset, reason }, located);
    }
    if (fault.kind === 'encoding') {
      const advice = `${name} is always UTF-8: convert the file`;
      const params = { source: this.sourceName, offset, encoding: 'UTF-8', advice };
      return failure(ioErrors.TEXT_ENCODING_INVALID, params, located);
    }
    return failure(fault.kind === 'syntax' ? syntax : structure, { offset, reason: fault.message }, located);
  }
}
