/** The state of a drawing's source layer: what `open` finds out and workers need. Plain data, structured-clonable. */
import type { Drawing } from './drawing.ts';

/** How tags are written: as lines of text, or in binary with group codes of one byte (R12 and before) or two. */
export type TagForm = 'ascii' | 'binary1' | 'binary2';

/** What it takes to read tags. */
export interface TagFacts {
  readonly fileName: string;
  readonly form: TagForm;
  /** Encoding of texts as bytes/text-encoding.ts names it. */
  readonly encoding: string;
  /** Encoding of texts that are not valid in `encoding` (UTF-8 then); null when there is only the one. */
  readonly fallbackEncoding: string | null;
}

/** A run of entities that stand in the drawing itself, not in a block. Partitions are cut from these. */
export interface EntityRange {
  readonly start: number; // bytes
  readonly end: number; // exclusive: the ENDSEC or ENDBLK behind them
  /** Every entity of the range is in paper space, whatever it says itself. */
  readonly isPaperSpace: boolean;
  /** Lines between the range before, or the beginning of the file, and this one; 0 in binary files. */
  readonly gapLines: number;
}

export interface DrawingState extends TagFacts, Drawing {
  readonly path: string;
  /** Ascending in the file. */
  readonly ranges: readonly EntityRange[];
  /** Greatest chord height of stroked curves in drawing units; null: only the step counts. */
  readonly toleranceUnits: number | null;
  /** Steps of one arc at most that the tolerance may ask for. */
  readonly maxStepCount: number;
  readonly layouts: 'model' | 'all';
  readonly blockMode: 'explode' | 'points';
  readonly closedAsPolygons: boolean;
  /** Features that carry attributes of their own get the fields of the drawing as well. */
  readonly withDrawingFields: boolean;
}
