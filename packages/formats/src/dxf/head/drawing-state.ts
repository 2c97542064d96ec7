/** The state of a drawing's source layer: results of `open` that workers need. Plain data, structured-clonable. */
import type { Drawing } from './drawing.ts';

/** How tags are written: as lines of text, or in binary with group codes of one byte (R12 and before) or two. */
export type TagForm = 'ascii' | 'binary1' | 'binary2';

/** Facts needed to read tags. */
export interface TagFacts {
  readonly fileName: string;
  readonly form: TagForm;
  /** Encoding of texts, a name from bytes/text-encoding.ts. */
  readonly encoding: string;
  /**
   * If `encoding` is UTF-8, the encoding of texts that are not valid UTF-8; UTF-8 if texts that are valid UTF-8 are read so although
   * the drawing states `encoding`; null if there is only one encoding.
   */
  readonly fallbackEncoding: string | null;
}

/** A range of entities of the drawing itself, not of a block. Partitions are cut from these. */
export interface EntityRange {
  readonly start: number; // bytes
  readonly end: number; // exclusive: the ENDSEC or ENDBLK after them
  /** Every entity of the range is in paper space, whatever its own code says. */
  readonly isPaperSpace: boolean;
  /** Lines between the end of the previous range (or the start of the file) and this range; 0 in binary files. */
  readonly gapLines: number;
}

export interface DrawingState extends TagFacts, Drawing {
  readonly path: string;
  /** In file order. */
  readonly ranges: readonly EntityRange[];
  /** Greatest distance of stroked curves from their chords in drawing units; null: only the step limits it. */
  readonly toleranceUnits: number | null;
  /** Greatest number of steps of one arc for the tolerance. */
  readonly maxStepCount: number;
  readonly layouts: 'model' | 'all';
  readonly blockMode: 'explode' | 'points';
  readonly closedAsPolygons: boolean;
  /** Features with attributes of our own writer get the fields of the drawing as well. */
  readonly withDrawingFields: boolean;
  /** The tags were made from a file of another form: offsets in them are no places in the file. Default: they are those of the file. */
  readonly isTranslated?: true;
}
