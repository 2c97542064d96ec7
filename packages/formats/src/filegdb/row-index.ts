/**
 * The row index, a .gdbtablx: the offset of each row in the .gdbtable by its row number, in blocks of 1024 rows. Blocks without rows can be left out;
 * a map then says which ones are there. A slot is a place in the stored blocks.
 *
 *     version 3:  u32 3, u32 blocks, u32 rows, u32 bytes of an offset, offsets,
 *                 u32 words of the map, u32, u32, u32, the map: a bit for each block
 *     version 4:  u32 4, u64 blocks, u32 bytes of an offset, offsets, u64 rows, u32 bytes of the map, the map: groups of pages
 */
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { Cursor } from './cursor.ts';
import { filegdbErrors } from './messages.ts';

/** Plain data: it is sent to worker threads. */
export interface RowIndex {
  readonly offsetBytes: number;
  /** Number of stored slots that can have rows. */
  readonly slotCount: number;
  /** Number of each stored block; null: the blocks are stored one after another from 0. */
  readonly blockNumbers: Float64Array<ArrayBuffer> | null;
}

const HEAD_BYTES = 16;
export const BLOCK_ROWS = 1024;
/** Slots that are read at a time. */
const SLOTS_AT_ONCE = 1 << 20;

/** Throws FILEGDB_FILE. */
export function readRowIndex(source: ByteSource, file: string): RowIndex {
  const refuse = (reason: string, offset: number): GeomillError =>
    failure(filegdbErrors.FILEGDB_FILE, { file, reason: `${reason}; use an undamaged copy` }, { offset });
  const head = source.slice(0, HEAD_BYTES);
  if (head.length < HEAD_BYTES) throw refuse(`it has ${head.length} bytes, and a row index at least 16`, 0);
  const view = new DataView(head.buffer);
  const version = view.getUint32(0, true);
  if (version !== 3 && version !== 4) throw refuse(`it begins with ${version} instead of 3 or 4`, 0);
  const blocks = view.getUint32(4, true) + (version === 4 ? view.getUint32(8, true) * 2 ** 32 : 0);
  const offsetBytes = view.getUint32(12, true);
  if (offsetBytes < 4 || offsetBytes > 6) throw refuse(`it states offsets of ${offsetBytes} bytes`, 12);
  const end = HEAD_BYTES + blocks * BLOCK_ROWS * offsetBytes;
  if (end > source.byteLength)
    throw refuse(`it states ${blocks} blocks of rows, which end at byte ${end} of ${source.byteLength}`, 4);
  const slots = blocks * BLOCK_ROWS;
  if (blocks === 0) return { offsetBytes, slotCount: 0, blockNumbers: null };
  const tail = source.slice(end, source.byteLength);
  const cursor = new Cursor(tail, 0, tail.length, (at, reason) => {
    throw refuse(`at byte ${end + at}: ${reason}`, end + at);
  });
  const rowCount = version === 3 ? view.getUint32(8, true) : cursor.uint64('the number of rows');
  const blockNumbers = version === 3 ? readMap(cursor, blocks) : readPagedMap(cursor, blocks);
  const last = blockNumbers === null ? blocks - 1 : blockNumbers[blocks - 1];
  const lastRows = Math.max(0, Math.min(BLOCK_ROWS, rowCount - last * BLOCK_ROWS));
  const slotCount = blockNumbers === null ? Math.min(slots, rowCount) : slots - BLOCK_ROWS + lastRows;
  return { offsetBytes, slotCount, blockNumbers };
}

/** The numbers of the stored blocks; null: all are stored. */
function readMap(cursor: Cursor, blocks: number): Float64Array<ArrayBuffer> | null {
  // Some writers leave out an empty map.
  if (cursor.left < 16) return null;
  const words = cursor.uint32('the length of the map of blocks');
  const bits = cursor.uint32('the number of bits of the map of blocks');
  cursor.take(8, 'the map of blocks');
  if (words === 0) return null;
  const at = cursor.take(Math.ceil(bits / 8), 'the map of blocks');
  const numbers = new Float64Array(blocks);
  let found = 0;
  for (let bit = 0; bit < bits; bit++)
    if ((cursor.bytes[at + (bit >> 3)] & (1 << (bit & 7))) !== 0) {
      if (found === blocks) cursor.refuse(`the map of blocks has more than the ${blocks} blocks`);
      numbers[found++] = bit;
    }
  if (found < blocks) cursor.refuse(`the map of blocks has ${found} of ${blocks} blocks`);
  return numbers;
}

const GROUP_BYTES = 16 + 32_768;
const PAGE_BYTES = 1024;
const PAGE_BITS = PAGE_BYTES * 8;

/** As `readMap`, for row numbers of 64 bits. */
function readPagedMap(cursor: Cursor, blocks: number): Float64Array<ArrayBuffer> | null {
  const length = cursor.uint32('the length of the map of blocks');
  if (length === 0) return null;
  const start = cursor.at;
  cursor.take(2, 'the map of blocks');
  const groups = cursor.uint32('the number of groups of the map of blocks');
  if (groups !== 1) cursor.refuse(`the map of blocks has ${groups} groups, and only 1 is known`);
  const slots = cursor.take(GROUP_BYTES, 'the map of blocks') + 16;
  const pageCount = cursor.uint32('the number of pages of the map of blocks');
  if (length !== 6 + GROUP_BYTES + 4 + 32 * pageCount + 16)
    cursor.refuse(`the map of blocks with ${pageCount} pages has ${length} bytes`, start);
  const pages = Array.from({ length: pageCount }, () => {
    const page = cursor.uint64('a page of the map of blocks');
    cursor.take(16, 'a page of the map of blocks');
    return { page, slot: cursor.uint64('a page of the map of blocks') };
  }).sort((a, b) => a.page - b.page);
  const numbers = new Float64Array(blocks);
  let found = 0;
  for (const { page, slot } of pages) {
    if (slot >= 32 || page * PAGE_BITS > Number.MAX_SAFE_INTEGER / BLOCK_ROWS)
      cursor.refuse(`the map of blocks has a page ${page} at ${slot}`, start);
    const at = slots + slot * PAGE_BYTES;
    for (let bit = 0; bit < PAGE_BITS; bit++)
      if ((cursor.bytes[at + (bit >> 3)] & (1 << (bit & 7))) !== 0) {
        if (found === blocks) cursor.refuse(`the map of blocks has more than the ${blocks} blocks`, start);
        numbers[found++] = page * PAGE_BITS + bit;
      }
  }
  if (found < blocks) cursor.refuse(`the map of blocks has ${found} of ${blocks} blocks`, start);
  return numbers;
}

/** The number of the row in a slot, from 1. */
export function rowNumberOf({ blockNumbers }: RowIndex, slot: number): number {
  const block = Math.floor(slot / BLOCK_ROWS);
  const number = blockNumbers === null ? block : blockNumbers[block];
  return number * BLOCK_ROWS + (slot % BLOCK_ROWS) + 1;
}

/** The slot of a row; -1: its block is not stored. */
export function slotOf({ blockNumbers, slotCount }: RowIndex, row: number): number {
  const block = Math.floor((row - 1) / BLOCK_ROWS);
  const stored = blockNumbers === null ? block : indexOf(blockNumbers, block);
  const slot = stored * BLOCK_ROWS + ((row - 1) % BLOCK_ROWS);
  return stored < 0 || slot >= slotCount ? -1 : slot;
}

function indexOf(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === value ? low : -1;
}

/** The offsets of the rows in slots `[start, end)`; 0: the slot has no row. */
export function readOffsets(
  source: ByteSource,
  { offsetBytes }: RowIndex,
  start: number,
  end: number,
): Float64Array<ArrayBuffer> {
  const offsets = new Float64Array(end - start);
  const bytes = source.slice(HEAD_BYTES + start * offsetBytes, HEAD_BYTES + end * offsetBytes);
  for (let i = 0, at = 0; i < offsets.length; i++, at += offsetBytes) {
    let value = (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16)) + bytes[at + 3] * 2 ** 24;
    if (offsetBytes > 4) value += bytes[at + 4] * 2 ** 32;
    if (offsetBytes > 5) value += bytes[at + 5] * 2 ** 40;
    offsets[i] = value;
  }
  return offsets;
}

/** Calls `use` with the slot and the offset of each row, in order. */
export function eachRow(
  source: ByteSource,
  index: RowIndex,
  use: (slot: number, offset: number) => void,
): void {
  for (let start = 0; start < index.slotCount; start += SLOTS_AT_ONCE) {
    const offsets = readOffsets(source, index, start, Math.min(index.slotCount, start + SLOTS_AT_ONCE));
    for (let i = 0; i < offsets.length; i++) if (offsets[i] !== 0) use(start + i, offsets[i]);
  }
}
