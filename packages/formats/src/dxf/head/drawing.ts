/**
 * The result of reading a drawing's head, for the readers of its entities. Plain data: it can be sent between threads.
 */
import type { Entity } from '../contract.ts';

export interface LayerRecord {
  readonly name: string;
  /** Code 62: AutoCAD Color Index; negative: the layer is off. */
  readonly colorIndex: number;
  /** Code 420: 0xRRGGBB, which overrides the index; -1: none. */
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
  /** The point of the block that is placed at the insertion point of an INSERT. */
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

/** Normalizes a name for comparison: names in tables of a drawing ignore letter case. */
export function foldName(name: string): string {
  return name.toUpperCase();
}

/**
 * Reads the entities in `[start, end)` of the file one by one. Each call has its own buffers, so scans may be nested;
 * the entity is valid until `visit` returns.
 */
export type EntityScan = (start: number, end: number, visit: (entity: Entity) => void) => void;
