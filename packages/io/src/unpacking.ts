/** A member of an archive that is being unpacked in the background, for readers that begin before all of it is there. */
import type { FileSegment } from './file-segment.ts';

export class Unpacking {
  /** What there is once all of it is unpacked. */
  readonly segment: FileSegment;
  /** Resolves when the member is complete and verified; rejects with ZIP_INVALID. */
  readonly done: Promise<void>;
  #available = 0;
  #wanted = 0;
  #reached: PromiseWithResolvers<void> | null = null;

  /** `unpack` calls its argument with the number of bytes that can be read. */
  constructor(segment: FileSegment, unpack: (advance: (byteLength: number) => void) => Promise<unknown>) {
    this.segment = segment;
    this.done = unpack((byteLength) => this.#advance(byteLength)).then(() =>
      this.#advance(segment.byteLength),
    );
    // Reported to callers that await `done` or `reach`.
    this.done.catch((error: unknown) => this.#reached?.reject(error));
  }

  /**
   * Resolves when so many bytes, or all, can be read; they are verified only when `done` resolves. One call at a time. Throws
   * ZIP_INVALID.
   */
  async reach(byteLength: number): Promise<void> {
    this.#wanted = Math.min(byteLength, this.segment.byteLength);
    if (this.#available >= this.#wanted) return;
    this.#reached = Promise.withResolvers();
    await Promise.race([this.#reached.promise, this.done]);
  }

  #advance(byteLength: number): void {
    this.#available = byteLength;
    if (byteLength >= this.#wanted) this.#reached?.resolve();
  }
}
