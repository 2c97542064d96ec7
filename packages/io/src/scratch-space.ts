/**
 * Unpacks archives set by set. A set is available while it is held. After its release it is kept as long as there is
 * space, and unpacked again when it is held again. So an archive with any number of sets takes the space of a few.
 */
import { makeDirectory, removeDirectory } from '@geomill/platform/files.ts';

/** Files that are read together, such as those of one shapefile. */
export interface UnpackedSet {
  /** Contains only the files of the set. */
  readonly directory: string;
  /** Total size of the files in the directory. */
  readonly byteLength: number;
  /** Unpacks the files into the directory, which exists and is empty. */
  unpack(): Promise<void>;
}

interface Slot {
  readonly set: UnpackedSet;
  users: number;
  isListed: boolean;
  readonly ready: Promise<void>;
}

/** Bytes kept for sets that are not held: most archives are unpacked only once. */
const ROOM_BYTES = 1 << 30;

export class ScratchSpace {
  /** Declared sizes of all entries of all archives: see UnpackBudget. */
  readonly unpacked = { bytes: 0 };
  readonly #roomBytes: number;
  readonly #slots = new Map<string, Slot>();
  /** Sets that are not held, the newest last, and some that are held again. */
  readonly #free: Slot[] = [];
  #bytes = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(roomBytes = ROOM_BYTES) {
    this.#roomBytes = roomBytes;
  }

  /** Resolves when the files of the set exist. They stay until `release`. Sets are unpacked one at a time. */
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
    makeDirectory(set.directory);
    await set.unpack();
  }

  /** The newest sets are deleted first: passes read the sets in order, so the oldest are needed next. */
  #makeRoom(byteLength: number): void {
    while (this.#bytes + byteLength > this.#roomBytes) {
      const slot = this.#free.pop();
      if (slot === undefined) return;
      slot.isListed = false;
      if (slot.users > 0) continue;
      removeDirectory(slot.set.directory);
      this.#slots.delete(slot.set.directory);
      this.#bytes -= slot.set.byteLength;
    }
  }
}
