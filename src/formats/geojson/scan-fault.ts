/** What stops a scan: the bytes are wrong, or they end before the value does. The driver tells which. */
import type { ErrorCode } from '../../errors.ts';

export type ScanFaultCode = Extract<
  ErrorCode,
  'GEOJSON_SYNTAX' | 'GEOJSON_STRUCTURE' | 'TEXT_ENCODING_INVALID'
>;

/** Offsets count from the start of the window, not of the file. */
export class ScanFault extends Error {
  readonly code: ScanFaultCode;
  /** The byte that could not be accepted; at or behind the window's limit it says only that the window is too small. */
  readonly at: number;
  /** The byte to name in a message: where the thing that is wrong begins. */
  readonly reportAt: number;

  constructor(code: ScanFaultCode, at: number, reason: string, reportAt = at) {
    super(reason);
    this.code = code;
    this.at = at;
    this.reportAt = reportAt;
  }
}
