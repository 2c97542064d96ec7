/** What the reader of a drawing's head hands to whoever reads its entities. Plain data: it crosses threads as it is. */
import type { Entity } from '../contract.ts';

export interface LayerRecord {
  readonly name: string;
  /** Code 62: AutoCAD Color Index; negative: the layer is off. */
  readonly colorIndex: number;
  /** Code 420: 0xRRGGBB, before which the index counts nothing; -1: none. */
  readonly trueColor: number;
  /** Code 6. */
  readonly linetype: string;
  /** Bit 1 of code 70. */
  readonly isFrozen: boolean;
}

export interface BlockRecord {
  readonly name: string;
  /** Byte range of the entities between BLOCK and ENDBLK. */
  readonly start: number;
  readonly end: number; // exclusive
  /** The point of the block that an INSERT puts at its insertion point. */
  readonly baseX: number;
  readonly baseY: number;
  readonly baseZ: number;
  /** Code 70: 1 anonymous, 2 has ATTDEFs, 4 external reference, 8 overlaid external reference. */
  readonly flags: number;
  /** Code 1: the file of an external reference; empty for others. */
  readonly path: string;
}

export interface Drawing {
  /** By `foldName` of the layer's name. */
  readonly layers: ReadonlyMap<string, LayerRecord>;
  /** By `foldName` of the block's name. */
  readonly blocks: ReadonlyMap<string, BlockRecord>;
  /** Handles of the extension dictionaries of INSERTs that are clipped; see clips.ts. */
  readonly clipDictionaries: ReadonlySet<string>;
}

/** Names in tables of a drawing differ by more than the case of their letters. */
export function foldName(name: string): string {
  return name.toUpperCase();
}

/**
 * Reads the entities in `[start, end)` of the file one by one. Each call has buffers of its own, so scans may nest; what
 * `visit` gets is valid until it returns.
 */
export type EntityScan = (start: number, end: number, visit: (entity: Entity) => void) => void;
