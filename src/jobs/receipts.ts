/**
 * Jobs whose inputs are being received. Their files have no row yet, and the first of several can lie for hours while the
 * last comes in over a slow line: the sweep of files without a job must not take it for litter.
 */
import type { Upload } from '../storage/store.ts';

interface Receipt {
  readonly owner: string;
  /** Those that were not discarded. */
  readonly uploads: Set<Upload>;
}

export class Receipts {
  readonly #receipts = new Map<string, Receipt>();
  readonly #bytes = new Map<string, number>();

  has(jobId: string): boolean {
    return this.#receipts.has(jobId);
  }

  /** Bytes that have come in for the jobs to be of the owner, now on the disk and not yet in a row. */
  bytesOf(owner: string): number {
    return this.#bytes.get(owner) ?? 0;
  }

  /**
   * Notes an upload until it is discarded or its job is closed; to be used in its place. `checkRoom` is asked before
   * anything is written, with all that its owner would then be sending: else many uploads at once would each find the
   * room that is there for one of them. What it throws is thrown to the writer.
   */
  open(
    jobId: string,
    owner: string,
    upload: Upload,
    checkRoom: (receivedBytes: number) => void = () => {},
  ): Upload {
    const receipt = this.#receipts.get(jobId) ?? { owner, uploads: new Set() };
    this.#receipts.set(jobId, receipt);
    receipt.uploads.add(upload);
    return {
      get byteLength() {
        return upload.byteLength;
      },
      write: async (bytes) => {
        checkRoom(this.bytesOf(owner) + bytes.length);
        // Counted before they are written: two writers must not both rely on the same room.
        this.#count(owner, bytes.length);
        try {
          await upload.write(bytes);
        } catch (error) {
          this.#count(owner, -bytes.length);
          throw error;
        }
      },
      keep: () => upload.keep(),
      discard: async () => {
        const { byteLength } = upload;
        try {
          await upload.discard();
        } finally {
          // Also what could not be removed, for then it is litter, and the sweep is to find it.
          if (receipt.uploads.delete(upload)) this.#count(owner, -byteLength);
          if (receipt.uploads.size === 0) this.#receipts.delete(jobId);
        }
      },
    };
  }

  /** The job has its row. */
  close(jobId: string): void {
    const receipt = this.#receipts.get(jobId);
    if (receipt === undefined) return;
    this.#receipts.delete(jobId);
    for (const { byteLength } of receipt.uploads) this.#count(receipt.owner, -byteLength);
    receipt.uploads.clear();
  }

  #count(owner: string, bytes: number): void {
    const sum = this.bytesOf(owner) + bytes;
    if (sum > 0) this.#bytes.set(owner, sum);
    else this.#bytes.delete(owner);
  }
}
