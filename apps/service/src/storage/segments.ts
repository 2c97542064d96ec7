/**
 * Uploads in stores where several processes write: each durable step is a file of its own with a random name (a segment), and the
 * upload is what its record lists. So a writer that was paused and replaced meanwhile cannot change bytes that count: its segments
 * are in no record.
 *
 * Segments end at multiples of BLOCK_BYTES, and a complete block is one segment. Within a block each segment is at least twice as
 * long as the next one: a new one that is too long for that is merged with those before it. So a block has at most 25 segments,
 * whatever steps a client takes, and a byte is rewritten only into a segment 1.5 times as long (at most 41 times, usually once or never).
 */
import { randomBytes } from 'node:crypto';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { PartBuffer } from './part-buffer.ts';
import type { GrowingFile } from './store.ts';

export const BLOCK_BYTES = 16 * 1024 ** 2;

export interface Segment {
  readonly start: number;
  readonly byteLength: number;
  readonly suffix: string;
}

/** The files of one upload. Names are not used twice. */
export interface SegmentFiles {
  /** Durable when this resolves. */
  write(name: string, chunks: readonly Uint8Array[]): Promise<void>;
  /** Null: there is no such file. */
  read(name: string): Promise<Uint8Array | null>;
  remove(name: string): Promise<void>;
}

export function segmentName({ start, suffix }: Segment): string {
  return `${start}.${suffix}`;
}

/** Segments as text: those of complete blocks as their suffix, others as suffix and length. */
export function formatPlace(segments: readonly Segment[]): string {
  return segments
    .map(({ byteLength, suffix }) => (byteLength === BLOCK_BYTES ? suffix : `${suffix}:${byteLength}`))
    .join(' ');
}

/** The segments in a text of `formatPlace`; null: none. Throws INTERNAL if they are not `byteLength` bytes. */
export function parsePlace(place: string | null, byteLength: number): readonly Segment[] {
  let start = 0;
  const segments = (place ?? '')
    .split(' ')
    .filter((text) => text !== '')
    .map((text) => {
      const match = /^([0-9a-f]{12})(?::(\d{1,8}))?$/.exec(text);
      if (match === null)
        throw failure(generalErrors.INTERNAL, { reason: 'the record of an upload has malformed segments' });
      const segment = { start, byteLength: Number(match[2] ?? BLOCK_BYTES), suffix: match[1] };
      start += segment.byteLength;
      return segment;
    });
  if (start !== byteLength)
    throw failure(generalErrors.INTERNAL, {
      reason: `an upload has segments of ${start} bytes, not the recorded ${byteLength}`,
    });
  return segments;
}

export class SegmentedFile implements GrowingFile {
  readonly #files: SegmentFiles;
  #segments: readonly Segment[];
  /** The end of the segments. */
  #end: number;
  /** Bytes after them, of one block. */
  readonly #pending = new PartBuffer(BLOCK_BYTES);
  /** Merged into others; the record may still list them. */
  #merged: Segment[] = [];

  /** As FileStore.continueUpload. */
  constructor(files: SegmentFiles, offset: number, place: string | null) {
    this.#files = files;
    this.#segments = parsePlace(place, offset);
    this.#end = offset;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (bytes.length > BLOCK_BYTES)
      throw failure(generalErrors.INTERNAL, { reason: 'a piece is longer than a block' });
    const before = this.#pending.length;
    const rest = BLOCK_BYTES - (this.#end % BLOCK_BYTES) - before;
    this.#pending.append(bytes.subarray(0, rest));
    if (bytes.length <= rest) return;
    try {
      await this.#store();
    } catch (error) {
      this.#pending.truncate(before);
      throw error;
    }
    this.#pending.append(bytes.subarray(rest));
  }

  async sync(): Promise<string> {
    if (this.#pending.length > 0) await this.#store();
    return formatPlace(this.#segments);
  }

  recorded(): void {
    const merged = this.#merged.splice(0);
    // Files that stay are removed with the upload.
    for (const segment of merged) this.#files.remove(segmentName(segment)).catch(() => {});
  }

  async cut(byteLength: number, place: string | null): Promise<void> {
    // Segments that are not recorded stay until the upload is removed: a commit whose result is unknown may still list them.
    this.#segments = parsePlace(place, byteLength);
    this.#merged = [];
    this.#end = byteLength;
    this.#pending.truncate(0);
  }

  close(): void {
    this.#pending.truncate(0);
  }

  async #store(): Promise<void> {
    const end = this.#end + this.#pending.length;
    const isWholeBlock = end % BLOCK_BYTES === 0;
    const blockStart = end - 1 - ((end - 1) % BLOCK_BYTES);
    let start = this.#end;
    let first = this.#segments.length;
    for (; first > 0; first--) {
      const before = this.#segments[first - 1];
      if (before.start < blockStart || (!isWholeBlock && before.byteLength >= 2 * (end - start))) break;
      start = before.start;
    }
    const older: Uint8Array[] = [];
    for (const segment of this.#segments.slice(first)) {
      const bytes = await this.#files.read(segmentName(segment));
      if (bytes !== null) older.push(bytes);
    }
    if (older.length < this.#segments.length - first) {
      // Another writer has merged them: what this one stores will not be recorded.
      older.length = 0;
      first = this.#segments.length;
      start = this.#end;
    }
    const merged = this.#segments.slice(first);
    const segment = { start, byteLength: end - start, suffix: randomBytes(6).toString('hex') };
    await this.#files.write(segmentName(segment), [...older, this.#pending.content]);
    this.#segments = [...this.#segments.slice(0, first), segment];
    this.#merged.push(...merged);
    this.#end = end;
    this.#pending.truncate(0);
  }
}
