/** What crosses to the threads that read a layer. */

import type { PackedSet } from '../packed-set.ts';
import type { CodedField } from './coded-columns.ts';
import type { RowCut } from './partitions.ts';
import type { CoordinateGrid } from './table-header.ts';
import type { OpenTable } from './table-reader.ts';

export interface GdbState {
  readonly open: OpenTable;
  readonly packed: PackedSet | null;
  /** Null: a table without geometries. */
  readonly grid: CoordinateGrid | null;
  readonly cut: RowCut;
  /** The rows that the index has are those that the table states: none of them is marked as deleted. */
  readonly isCountExact: boolean;
  /** Fields with texts in place of codes, or beside them. */
  readonly coded: readonly CodedField[];
}
