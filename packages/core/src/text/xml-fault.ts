/** What stops a scan of XML. */

/** Stops a scan: either the bytes are wrong, or the window ends. Offsets are those in the window. */
export class XmlFault extends Error {
  /** The byte that is wrong; at or after the window's limit it only means that the window is too small. */
  readonly at: number;
  /** The byte to name in a message. */
  readonly reportAt: number;

  constructor(at: number, reason: string, reportAt = at) {
    super(reason);
    this.at = at;
    this.reportAt = reportAt;
  }
}

/** The window ends at `limit`, and what begins before it does not end. */
export function ended(at: number, limit: number, reportAt = at): XmlFault {
  return new XmlFault(Math.max(at, limit), 'the file ends here', reportAt);
}

export function unexpected(at: number, limit: number, wanted: string): XmlFault {
  return at >= limit ? ended(at, limit) : new XmlFault(at, `expected ${wanted}`);
}
