/**
 * Blocks of files in memory, of which those that were used least recently are moved to one file of the origin private file system (OPFS) when the
 * memory for them is used up. One file for all blocks, because a file there can only be opened asynchronously, and readers and writers
 * work at once. Calls of an OPFS handle take half a millisecond, so blocks are large.
 */

/** In bytes. */
export const BLOCK = 1 << 20;

/** What is used of a FileSystemSyncAccessHandle. */
export interface SwapFile {
  read(bytes: Uint8Array<ArrayBuffer>, options: { readonly at: number }): number;
  write(bytes: Uint8Array<ArrayBuffer>, options: { readonly at: number }): number;
  truncate(size: number): void;
}

/** A block of a file; `slot` is its place in the swap file. */
export interface Block {
  bytes: Uint8Array<ArrayBuffer> | null;
  slot: number | null;
  /** Whether the swap file, or the Blob that the block was read from, has other bytes than the memory. */
  isChanged: boolean;
  /** Reads the bytes again; null: they are in memory or in the swap file. */
  readonly source: (() => Uint8Array<ArrayBuffer>) | null;
}

export class BlockStore {
  readonly #swap: SwapFile | null;
  readonly #capacity: number;
  /** Blocks in memory, in the order of their last use. */
  readonly #resident = new Set<Block>();
  readonly #freeSlots: number[] = [];
  #slots = 0;

  /** `capacity`: number of blocks that stay in memory, at least 2. Without a swap file all changed blocks stay there. */
  constructor(swap: SwapFile | null, capacity: number) {
    this.#swap = swap;
    this.#capacity = capacity;
  }

  /** A block of zeros; with `source`, one that is read when it is needed, and not written. */
  create(source: Block['source'] = null): Block {
    const block: Block = { bytes: null, slot: null, isChanged: false, source };
    if (source === null) {
      block.bytes = new Uint8Array(BLOCK);
      block.isChanged = true;
      this.#use(block, true);
    }
    return block;
  }

  /** The bytes of a block, until the next call. */
  bytesOf(block: Block, willChange: boolean): Uint8Array<ArrayBuffer> {
    if (block.bytes === null) block.bytes = this.#load(block);
    this.#use(block, willChange);
    if (willChange) block.isChanged = true;
    return block.bytes;
  }

  free(block: Block): void {
    this.#resident.delete(block);
    block.bytes = null;
    if (block.slot === null) return;
    this.#freeSlots.push(block.slot);
    block.slot = null;
    if (this.#freeSlots.length < this.#slots) return;
    this.#slots = 0;
    this.#freeSlots.length = 0;
    this.#swap?.truncate(0);
  }

  /** Blocks in memory and in the swap file. */
  get count(): { readonly resident: number; readonly swapped: number } {
    return { resident: this.#resident.size, swapped: this.#slots - this.#freeSlots.length };
  }

  #load(block: Block): Uint8Array<ArrayBuffer> {
    if (block.slot === null) {
      if (block.source === null) throw new Error('a block that was freed');
      return block.source();
    }
    const bytes = new Uint8Array(BLOCK);
    const count = (this.#swap as SwapFile).read(bytes, { at: block.slot * BLOCK });
    if (count !== BLOCK) throw systemError('EIO', `the swap file gave ${count} of ${BLOCK} bytes`);
    return bytes;
  }

  /** Throws ENOSPC only if the block `willChange`: what is there can be read though the disk is full. */
  #use(block: Block, willChange: boolean): void {
    this.#resident.delete(block);
    this.#resident.add(block);
    if (this.#resident.size <= this.#capacity) return;
    for (const oldest of this.#resident) {
      if (oldest === block || !this.#evict(oldest, willChange)) continue;
      if (this.#resident.size <= this.#capacity) return;
    }
  }

  /** False: it cannot leave the memory. */
  #evict(block: Block, mayThrow: boolean): boolean {
    if (block.isChanged) {
      if (this.#swap === null) return false;
      const slot = block.slot ?? this.#freeSlots.pop() ?? this.#slots++;
      try {
        write(this.#swap, block.bytes as Uint8Array<ArrayBuffer>, slot * BLOCK);
      } catch (error) {
        if (block.slot === null) this.#freeSlots.push(slot);
        if (mayThrow) throw error;
        return false;
      }
      block.slot = slot;
      block.isChanged = false;
    }
    block.bytes = null;
    this.#resident.delete(block);
    return true;
  }
}

/** An error as Node.js makes it of an error of the system. */
export function systemError(code: string, message: string): Error & { readonly code: string } {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}

function write(swap: SwapFile, bytes: Uint8Array<ArrayBuffer>, at: number): void {
  let count: number;
  try {
    count = swap.write(bytes, { at });
  } catch (error) {
    if ((error as Error).name === 'QuotaExceededError') throw systemError('ENOSPC', (error as Error).message);
    throw error;
  }
  if (count !== bytes.length)
    throw systemError('ENOSPC', `the swap file took ${count} of ${bytes.length} bytes`);
}
