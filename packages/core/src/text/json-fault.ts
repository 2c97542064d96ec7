/** Stops a scan of JSON: either the bytes are invalid, or the window ends before the value does. The caller decides which. */

/** syntax: the text is not JSON. structure: it is JSON, but not of the format. encoding: it is not UTF-8. */
export type JsonFaultKind = 'syntax' | 'structure' | 'encoding';

/** Offsets are relative to the start of the window, not of the file. */
export class JsonFault extends Error {
  readonly kind: JsonFaultKind;
  /** The byte that could not be accepted; at or after the window's limit it only means that the window is too small. */
  readonly at: number;
  /** The byte to name in a message: where the invalid element begins. */
  readonly reportAt: number;

  constructor(kind: JsonFaultKind, at: number, reason: string, reportAt = at) {
    super(reason);
    this.kind = kind;
    this.at = at;
    this.reportAt = reportAt;
  }
}
