/**
 * Cells with their polynomials, and positions, in one memory.
 *
 *     0          a record that no position is in
 *     512        a record that all positions are in, for the check of a fit
 *     SLOTS_AT   addresses of records, by the low bits of row and column of the smallest cell
 *     FIT_AT     the points of a fit
 *     BLOCK_AT   positions
 *     CELLS_AT   records of cells
 */
import { FIT_POINTS, TERMS } from './polynomial.ts';

/** Offsets of the doubles of a record, in bytes. u = (x - west - half) * scale. */
export const CELL = {
  southWest: 0,
  northEast: 16,
  origin: 32,
  half: 48,
  scale: 56,
  coefficients: 64,
} as const;
export const RECORD_BYTES = CELL.coefficients + TERMS * 16;
export const RECORD_OF_ALL = RECORD_BYTES;
export const SLOTS_AT = 2 * RECORD_BYTES;
export const SLOT_BITS = 6;
export const SLOTS = 1 << SLOT_BITS;
export const FIT_AT = SLOTS_AT + SLOTS * SLOTS * 4;
export const BLOCK_AT = FIT_AT + FIT_POINTS * 16;
/** Ordinates that are transformed at once: they fit the cache. */
export const BLOCK_ORDINATES = 1 << 13;
export const CELLS_AT = BLOCK_AT + BLOCK_ORDINATES * 8;

/**
 * Transforms positions from the address `at` on, `stride` bytes apart, up to `end` or to one that is not in the cell of the record or of its slot;
 * returns the address of that one. `slotsPerUnit`: smallest cells in a unit of the source.
 */
export type Run = (at: number, end: number, stride: number, slotsPerUnit: number, record: number) => number;
