/**
 * Jobs whose inputs are being received. Their files have no row yet, and the first file can be hours old while the
 * last arrives over a slow connection: the sweep of files without a job must not remove it.
 */
import type { Upload } from '../storage/store.ts';

interface Receipt {
  readonly owner: string;
  /** The uploads that were not discarded. */
  readonly uploads: Set<Upload>;
}

export class Receipts {
  readonly #receipts = new Map<string, Receipt>();
  readonly #bytes: ReceivedBytes;
  /** Files that a job may need, although the request for it failed. */
  readonly #needed = new WeakSet<Upload>();

  constructor(bytes = new ReceivedBytes()) {
    this.#bytes = bytes;
  }

  has(jobId: string): boolean {
    return this.#receipts.has(jobId);
  }

  /** Received bytes of the owner's future jobs that are on the disk and not yet in a row. */
  bytesOf(owner: string): number {
    return this.#bytes.of(owner);
  }

  /**
   * Wraps an upload and tracks it until it is discarded or its job is closed; bytes already received count. Without this, parallel uploads could together exceed the quota. `checkRoom` is called before
   * each write with all bytes that its owner is sending: else concurrent uploads could each use the
   * room for one of them. Its error is thrown to the writer.
   */
  async open(
    jobId: string,
    owner: string,
    upload: Upload,
    checkRoom: (receivedBytes: number) => Promise<void> = async () => {},
  ): Promise<Upload> {
    if (upload.byteLength > 0) await this.#count(owner, upload.byteLength, checkRoom);
    const receipt = this.#receipts.get(jobId) ?? { owner, uploads: new Set() };
    this.#receipts.set(jobId, receipt);
    receipt.uploads.add(upload);
    return {
      get byteLength() {
        return upload.byteLength;
      },
      write: async (bytes) => {
        await this.#count(owner, bytes.length, checkRoom);
        try {
          await upload.write(bytes);
        } catch (error) {
          this.#bytes.add(owner, -bytes.length);
          throw error;
        }
      },
      keep: () => upload.keep(),
      discard: async () => {
        if (this.#needed.has(upload)) return;
        const { byteLength } = upload;
        try {
          await upload.discard();
        } finally {
          // Also after a failed removal: the sweep then removes the file.
          if (receipt.uploads.delete(upload)) this.#bytes.add(owner, -byteLength);
          if (receipt.uploads.size === 0) this.#receipts.delete(jobId);
        }
      },
    };
  }

  /** Counts bytes before they are written: two writers must not both use the same room. */
  async #count(
    owner: string,
    byteLength: number,
    checkRoom: (receivedBytes: number) => Promise<void>,
  ): Promise<void> {
    this.#bytes.add(owner, byteLength);
    try {
      await checkRoom(this.bytesOf(owner));
    } catch (error) {
      this.#bytes.add(owner, -byteLength);
      throw error;
    }
  }

  /** Called when the job has its row. Files that it does not use can still be discarded. */
  close(jobId: string): void {
    const receipt = this.#receipts.get(jobId);
    if (receipt === undefined) return;
    this.#receipts.delete(jobId);
    for (const { byteLength } of receipt.uploads) this.#bytes.add(receipt.owner, -byteLength);
    receipt.uploads.clear();
  }

  /** Called when it is not known whether the job has its row: its files are not discarded from now on. */
  leave(jobId: string): void {
    for (const upload of this.#receipts.get(jobId)?.uploads ?? []) this.#needed.add(upload);
    this.close(jobId);
  }
}

/** Bytes of each owner that are on the disk and not yet in a row: the limit of storage includes them. */
export class ReceivedBytes {
  readonly #bytes = new Map<string, number>();

  of(owner: string): number {
    return this.#bytes.get(owner) ?? 0;
  }

  add(owner: string, bytes: number): void {
    const sum = this.of(owner) + bytes;
    if (sum > 0) this.#bytes.set(owner, sum);
    else this.#bytes.delete(owner);
  }
}
