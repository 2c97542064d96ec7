/**
 * What archives unpack to, set by set. A set is there while it is held; afterwards it stays as long as there is room, and is
 * unpacked again when it is held again. So an archive of any number of sets takes the room of a few.
 */
import { mkdirSync, rmSync } from 'node:fs';

/** Files that are read together, such as those of one shapefile. */
export interface UnpackedSet {
  /** Holds files of the set and nothing else. */
  readonly directory: string;
  /** Of the files in the directory. */
  readonly byteLength: number;
  /** Fills the directory, which exists and is empty. */
  unpack(): Promise<void>;
}

interface Slot {
  readonly set: UnpackedSet;
  users: number;
  isListed: boolean;
  readonly ready: Promise<void>;
}

/** Bytes that sets nobody holds may take: most archives are unpacked once. */
const ROOM_BYTES = 1 << 30;

export class ScratchSpace {
  /** Declared sizes of all entries of all archives: see UnpackBudget. */
  readonly unpacked = { bytes: 0 };
  readonly #roomBytes: number;
  readonly #slots = new Map<string, Slot>();
  /** Sets that nobody holds, the newest last, and some that are held again. */
  readonly #free: Slot[] = [];
  #bytes = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(roomBytes = ROOM_BYTES) {
    this.#roomBytes = roomBytes;
  }

  /** Resolves when the files of the set are there. They stay until `release`. One set is unpacked at a time. */
  async hold(set: UnpackedSet): Promise<void> {
    let slot = this.#slots.get(set.directory);
    if (slot === undefined) {
      const ready = this.#last.then(() => this.#unpack(set));
      this.#last = ready.catch(() => {});
      slot = { set, users: 0, isListed: false, ready };
      this.#slots.set(set.directory, slot);
    }
    slot.users++;
    await slot.ready;
  }

  release(set: UnpackedSet): void {
    const slot = this.#slots.get(set.directory);
    if (slot === undefined || --slot.users > 0 || slot.isListed) return;
    slot.isListed = true;
    this.#free.push(slot);
  }

  async #unpack(set: UnpackedSet): Promise<void> {
    this.#makeRoom(set.byteLength);
    this.#bytes += set.byteLength;
    mkdirSync(set.directory, { recursive: true });
    await set.unpack();
  }

  /** The newest go first: passes read the sets in their order, so that the oldest are needed next. */
  #makeRoom(byteLength: number): void {
    while (this.#bytes + byteLength > this.#roomBytes) {
      const slot = this.#free.pop();
      if (slot === undefined) return;
      slot.isListed = false;
      if (slot.users > 0) continue;
      rmSync(slot.set.directory, { recursive: true, force: true });
      this.#slots.delete(slot.set.directory);
      this.#bytes -= slot.set.byteLength;
    }
  }
}
