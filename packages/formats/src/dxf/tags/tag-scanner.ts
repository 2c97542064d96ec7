/** The interface of the scanners for the two forms of DXF: records of tags, one after another, in a window. */
import type { TagList } from './tag-list.ts';

/** The window ends before the record does. */
export const NEEDS_MORE = -1;
/** The tags are invalid from `faultAt` on. */
export const IS_BROKEN = -2;

export interface TagScanner {
  readonly list: TagList;
  /** The value of the last tag with code 0. */
  type: string;
  /** Offset in the window and reason of the last IS_BROKEN. */
  faultAt: number;
  faultReason: string;
  /**
   * Sets `bytes[0, limit)` as the window, followed by two more bytes, which the scanner overwrites. `reachesEnd`: the
   * file ends at `limit`.
   */
  attach(bytes: Uint8Array, limit: number, reachesEnd: boolean): void;
  /** Reads the tag with code 0 at `at` into `type`. Returns the offset after it, NEEDS_MORE or IS_BROKEN. */
  head(at: number): number;
  /**
   * Appends the tags from `at` on to the list; returns the offset of the next one with code 0, NEEDS_MORE or IS_BROKEN.
   */
  tags(at: number): number;
}
