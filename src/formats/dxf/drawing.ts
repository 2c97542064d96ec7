/**
 * What `open` finds out about a drawing and every worker needs to know: the state of its one source layer. Plain data,
 * structured-clonable. Names are compared as AutoCAD does, ignoring case: the keys of the maps are `nameKey`s.
 */

/** How tags are written: lines of text, or binary with group codes of one byte (R12 and before) or two. */
export type TagForm = 'ascii' | 'binary1' | 'binary2';

export interface DrawingLayer {
  readonly name: string;
  /** AutoCAD colour index, 1 to 255. */
  readonly color: number;
  /** 0xRRGGBB; null when the index counts. */
  readonly trueColor: number | null;
  readonly linetype: string;
  readonly isOff: boolean;
  readonly isFrozen: boolean;
}

export interface DrawingBlock {
  readonly name: string;
  readonly layer: string;
  /** Bytes of the file that hold the block's entities: from the one behind BLOCK to before ENDBLK. */
  readonly start: number;
  readonly end: number; // exclusive
  readonly baseX: number;
  readonly baseY: number;
  readonly baseZ: number;
  /** An external reference or overlay: its entities stand in another file, of this path. */
  readonly externalPath: string | null;
  /** *Model_Space, *Paper_Space, *Paper_Space0, ...: the entities of a layout, not a block to be inserted. */
  readonly isLayout: boolean;
}

/** A run of entities that stand in the drawing itself, not in a block. Partitions are cut from these. */
export interface EntityRange {
  readonly start: number; // bytes
  readonly end: number; // exclusive: the ENDSEC or ENDBLK behind them
  /** Every entity of the range is in paper space, whatever it says itself. */
  readonly isPaperSpace: boolean;
  /** Lines of the file before the range; 0 in binary files. */
  readonly linesBefore: number;
}

export interface DrawingOptions {
  readonly layouts: 'model' | 'all';
  readonly blocks: 'explode' | 'points';
  readonly closedAsPolygons: boolean;
  /** Features that carry their own attributes have the fields of the drawing as well. */
  readonly drawingFields: boolean;
}

export interface Drawing {
  readonly path: string;
  readonly fileName: string;
  readonly form: TagForm;
  /** $ACADVER, such as AC1032; empty when the file does not state it. */
  readonly version: string;
  /** Encoding of texts as bytes/text-encoding.ts names it. */
  readonly encoding: string;
  /** Encoding of texts that are not valid in `encoding` (UTF-8 then); null when there is only the one. */
  readonly fallbackEncoding: string | null;
  readonly layers: ReadonlyMap<string, DrawingLayer>;
  readonly blocks: ReadonlyMap<string, DrawingBlock>;
  /** Ascending in the file. */
  readonly ranges: readonly EntityRange[];
  /** Greatest chord height of stroked curves in drawing units; null: only the step counts. */
  readonly toleranceUnits: number | null;
  readonly options: DrawingOptions;
}

/** The key of a layer, linetype or block in the drawing's maps. */
export function nameKey(name: string): string {
  return name.trim().toUpperCase();
}
