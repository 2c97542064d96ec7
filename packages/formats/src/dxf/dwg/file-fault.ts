/** Faults of a drawing's file, and numbers and texts of its tables. */

import { latin1Text } from '@geomill/platform/bytes.ts';

/** A fault of the file, with the part of it in which it is. */
export class FileFault extends Error {
  readonly part: string;
  /** The part ends there, after the end of the file; null: the file is whole, but the part is damaged. */
  readonly end: number | null;

  constructor(part: string, reason: string, end: number | null = null) {
    super(reason);
    this.part = part;
    this.end = end;
  }
}

/** Numbers of 64 bits beyond 2^53 are not exact, and too large for any use. */
export function longOf(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true));
}

export function textOf(bytes: Uint8Array, start: number, end: number): string {
  return latin1Text(bytes, start, end);
}

/** Throws FileFault if the bytes are not in the file. */
export function viewOf(bytes: Uint8Array, at: number, length: number, part: string): DataView {
  if (!(at >= 0 && at + length <= bytes.length)) throw new FileFault(part, 'it is cut off', at + length);
  return new DataView(bytes.buffer, bytes.byteOffset + at, length);
}
