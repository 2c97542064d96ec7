/** Pieces of a file for an upload that can be continued: of a blob anywhere, of a stream from the last piece on. */

export interface PieceSource {
  /** Null: not known. */
  readonly byteLength: number | null;
  /** At most `maxBytes` from `offset` on. Rejects for a stream that is past this offset. */
  read(
    offset: number,
    maxBytes: number,
  ): Promise<{
    readonly bytes: Blob | Uint8Array<ArrayBuffer>;
    /** Nothing follows. */
    readonly isLast: boolean;
  }>;
  /** Closes a stream that was not read to its end. */
  close(): Promise<void>;
}

export function pieceSource(content: Blob | (() => ReadableStream<Uint8Array>)): PieceSource {
  if (!(content instanceof Blob)) return new StreamSource(content());
  return {
    byteLength: content.size,
    read: async (offset, maxBytes) => ({
      bytes: content.slice(offset, offset + maxBytes),
      isLast: offset + maxBytes >= content.size,
    }),
    close: async () => {},
  };
}

/** Holds a piece until the next one is asked for, as it may have to be sent again. */
class StreamSource implements PieceSource {
  readonly byteLength = null;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  /** What follows `#start` in the stream, in order. */
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #start = 0;
  #isDone = false;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  async read(offset: number, maxBytes: number): Promise<{ bytes: Uint8Array<ArrayBuffer>; isLast: boolean }> {
    if (offset < this.#start) throw new Error(`the stream cannot be read again from byte ${offset}`);
    await this.#skipTo(offset);
    // One byte more shows whether something follows.
    while (this.#heldBytes <= maxBytes && (await this.#more()));
    const isLast = this.#isDone && this.#heldBytes <= maxBytes;
    const bytes = new Uint8Array(Math.min(maxBytes, this.#heldBytes));
    let at = 0;
    for (const chunk of this.#held) {
      if (at === bytes.length) break;
      const part = chunk.subarray(0, bytes.length - at);
      bytes.set(part, at);
      at += part.length;
    }
    return { bytes, isLast };
  }

  async close(): Promise<void> {
    if (!this.#isDone) await this.#reader.cancel().catch(() => {});
  }

  async #skipTo(offset: number): Promise<void> {
    while (this.#start < offset) {
      const first = this.#held.shift();
      if (first === undefined) {
        if (!(await this.#more()))
          throw new Error(`the stream ends before byte ${offset}, where the upload goes on`);
        continue;
      }
      const dropped = Math.min(first.length, offset - this.#start);
      if (dropped < first.length) this.#held.unshift(first.subarray(dropped));
      this.#start += dropped;
      this.#heldBytes -= dropped;
    }
  }

  /** False: the stream has ended. */
  async #more(): Promise<boolean> {
    if (this.#isDone) return false;
    const { done, value } = await this.#reader.read();
    this.#isDone = done;
    if (value === undefined) return !done;
    this.#held.push(value);
    this.#heldBytes += value.length;
    return true;
  }
}
