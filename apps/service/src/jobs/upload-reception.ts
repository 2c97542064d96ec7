/** Receives the pieces of uploads: writes them to their files, and records how far they are durable. */
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import type { Timers } from '@geomill/core/timers.ts';
import type { GrowingFile } from '../storage/store.ts';
import { jobErrors } from './errors.ts';
import type { ReceivedBytes } from './receipts.ts';
import type { UploadRecord, UploadRecords } from './upload.ts';
import type { UploadWriter } from './upload-locks.ts';

/** A piece of an upload that a client sends. */
export interface UploadPiece {
  /** Where the client continues. */
  readonly offset: number;
  readonly body: AsyncIterable<Uint8Array>;
  /** The length of the upload, from a client that did not know it before; 'end': it ends with this piece. */
  readonly byteLength?: number | 'end';
  /** Checks the whole piece, of which nothing is kept if `check` throws. */
  readonly checksum?: PieceChecksum;
}

export interface PieceChecksum {
  update(bytes: Uint8Array): void;
  check(): void;
}

/**
 * The offset is recorded while a piece is received when it passes a multiple of these bytes, at which stores begin a new segment, and
 * after this time: so much a dead service loses of it.
 */
const RECORD_BYTES = 16 * 1024 ** 2;
const RECORD_MS = 2000;
export interface ReceptionOptions {
  readonly records: UploadRecords;
  readonly received: ReceivedBytes;
  /** Runs an operation of storage, and reports its failures. */
  readonly watched: <Result>(act: () => Promise<Result>) => Promise<Result>;
  readonly onStored: (bytes: number) => void;
  /** Time for which an upload is kept after its last stored byte. */
  readonly retentionMs: number;
  /** Throws LIMIT_EXCEEDED for an upload of so many bytes. */
  readonly checkLength: (byteLength: number) => void;
  readonly now: () => number;
  readonly timers: Timers;
}

export class UploadReception {
  readonly #options: ReceptionOptions;

  constructor(options: ReceptionOptions) {
    this.#options = options;
  }

  /** Checks a piece of a complete upload without opening its file, which is read-only once a job uses it. */
  async receiveNothing(
    record: UploadRecord,
    { body, checksum }: UploadPiece,
    writer: UploadWriter,
  ): Promise<UploadRecord> {
    const chunks = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await writer.wait(chunks.next());
        if (done) break;
        await this.#checkRoom(record, record.offset, value.length);
      }
      checksum?.check();
      return record;
    } catch (error) {
      void chunks.return?.().catch(() => {});
      throw error;
    }
  }

  /** Stores a piece: see `Uploads.append`. */
  async receive(
    record: UploadRecord,
    { body, checksum, byteLength: given }: UploadPiece,
    file: GrowingFile,
    writer: UploadWriter,
  ): Promise<UploadRecord> {
    const { watched, received, retentionMs, records, onStored } = this.#options;
    const { id, owner, byteLength } = record;
    let current = record;
    let at = record.offset;
    let recordedAt = this.#options.timers.now();
    const keep = (length: number | null): Promise<void> =>
      watched(async () => {
        const place = await file.sync();
        const expiresAt = this.#options.now() + retentionMs;
        const step = { id, from: current.offset, to: at, place, byteLength: length, expiresAt };
        if (!(await records.advance(step))) throw await this.#overtaken(id, step.from);
        file.recorded();
        received.add(owner, current.offset - at);
        onStored(at - current.offset);
        current = { ...current, offset: at, place, byteLength: length, expiresAt };
        recordedAt = this.#options.timers.now();
      });
    const chunks = body[Symbol.asyncIterator]();
    const keepReceived = async (): Promise<void> => {
      // A checksum is about the whole piece.
      if (checksum === undefined && at > current.offset) await keep(byteLength);
    };
    try {
      for (;;) {
        const { done, value } = await writer.wait(chunks.next(), keepReceived);
        if (done) break;
        // Counted before the write: two writers must not both use the same room.
        received.add(owner, value.length);
        try {
          await this.#checkRoom(current, at, value.length);
          await watched(() => file.write(value));
        } catch (error) {
          received.add(owner, -value.length);
          throw error;
        }
        at += value.length;
        checksum?.update(value);
        const isNextBlock = Math.floor(at / RECORD_BYTES) > Math.floor(current.offset / RECORD_BYTES);
        if (isNextBlock || this.#options.timers.now() - recordedAt >= RECORD_MS) await keepReceived();
      }
      checksum?.check();
      await keep(given === 'end' ? at : byteLength);
      return current;
    } catch (error) {
      void chunks.return?.().catch(() => {});
      await keepReceived().catch(() => {});
      await this.#discardRest(id, file).catch(() => {});
      throw error;
    } finally {
      received.add(owner, current.offset - at);
    }
  }

  /** The error of a writer whose step was not recorded: the upload was removed, or another process continued it meanwhile. */
  async #overtaken(id: string, given: number): Promise<GeomillError> {
    const record = await this.#options.records.get(id);
    if (!record?.isKept) return failure(jobErrors.UPLOAD_UNKNOWN, { id });
    return failure(jobErrors.UPLOAD_OFFSET_WRONG, { id, offset: record.offset, given });
  }

  /**
   * Frees the space of bytes that are not recorded. Reads the offset again: a commit whose sync failed stands, and its bytes
   * must stay. Bytes that cannot be discarded now are discarded when the upload is continued.
   */
  async #discardRest(id: string, file: GrowingFile): Promise<void> {
    const recorded = await this.#options.records.get(id);
    if (recorded !== null) await file.cut(recorded.offset, recorded.place);
  }

  /** For `more` bytes, which are counted as received, of an upload that has `at` bytes. */
  async #checkRoom({ id, owner, byteLength, offset }: UploadRecord, at: number, more: number): Promise<void> {
    const { records, received } = this.#options;
    if (byteLength !== null && at + more > byteLength)
      throw failure(jobErrors.UPLOAD_TOO_LONG, { id, length: byteLength, offset });
    this.#options.checkLength(at + more);
    await records.checkStorage(owner, received.of(owner));
  }
}
