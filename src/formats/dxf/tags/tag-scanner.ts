/** What the scanners of the two forms of DXF have in common: records of tags, one after the other, in a window. */
import type { TagList } from './tag-list.ts';

/** The window ends before the record does. */
export const NEEDS_MORE = -1;
/** The tags make no sense from `faultAt` on. */
export const IS_BROKEN = -2;

export interface TagScanner {
  readonly list: TagList;
  /** The value of the last tag with code 0. */
  type: string;
  /** Where and why the last scan came to IS_BROKEN: an offset in the window. */
  faultAt: number;
  faultReason: string;
  /**
   * Makes `bytes[0, limit)` the window. There must be two more bytes behind the limit, which the scanner sets.
   * `reachesEnd`: the file ends there as well.
   */
  attach(bytes: Uint8Array, limit: number, reachesEnd: boolean): void;
  /** Reads the tag with code 0 at `at` into `type`. Returns the offset behind it, NEEDS_MORE or IS_BROKEN. */
  head(at: number): number;
  /** Appends the tags from `at` on to the list; returns the offset of the next one with code 0, or as `head` does. */
  tags(at: number): number;
}
