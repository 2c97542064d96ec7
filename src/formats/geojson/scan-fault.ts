/** Stops a scan: either the bytes are invalid, or the window ends before the value does. The caller decides which. */
import type { ErrorCode } from '../../errors.ts';

export type ScanFaultCode = Extract<
  ErrorCode,
  'GEOJSON_SYNTAX' | 'GEOJSON_STRUCTURE' | 'TEXT_ENCODING_INVALID'
>;

/** Offsets are relative to the start of the window, not of the file. */
export class ScanFault extends Error {
  readonly code: ScanFaultCode;
  /** The byte that could not be accepted; at or after the window's limit it only means that the window is too small. */
  readonly at: number;
  /** The byte to name in a message: where the invalid element begins. */
  readonly reportAt: number;

  constructor(code: ScanFaultCode, at: number, reason: string, reportAt = at) {
    super(reason);
    this.code = code;
    this.at = at;
    this.reportAt = reportAt;
  }
}
