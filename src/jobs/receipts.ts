/**
 * Jobs whose inputs are being received. Their files have no row yet, and the first of several can lie for hours while the
 * last comes in over a slow line: the sweep of files without a job must not take it for litter.
 */
import type { Upload } from '../storage/store.ts';

export class Receipts {
  /** Uploads of each job that were not discarded. */
  readonly #uploads = new Map<string, Set<Upload>>();

  has(jobId: string): boolean {
    return this.#uploads.has(jobId);
  }

  /** Notes an upload until it is discarded or its job is closed; to be used in its place. */
  open(jobId: string, upload: Upload): Upload {
    const uploads = this.#uploads.get(jobId) ?? new Set();
    this.#uploads.set(jobId, uploads.add(upload));
    return {
      get byteLength() {
        return upload.byteLength;
      },
      write: (bytes) => upload.write(bytes),
      keep: () => upload.keep(),
      discard: async () => {
        await upload.discard();
        uploads.delete(upload);
        if (uploads.size === 0) this.#uploads.delete(jobId);
      },
    };
  }

  /** The job has its row. */
  close(jobId: string): void {
    this.#uploads.delete(jobId);
  }
}
