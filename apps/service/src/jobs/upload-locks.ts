/**
 * One writer for each upload. A writer whose client has sent nothing for a while is ended in favour of a new one: its
 * connection may be dead without the service knowing, and the client could not continue until it times out.
 *
 * The locks are those of one process; several processes with one store need locks in the database.
 */
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { PLATFORM_TIMERS, type Timers } from '@geomill/core/timers.ts';
import { jobErrors } from './errors.ts';

const STALL_MS = 3000;
const RETRY_SECONDS = 1;
/** Time without a byte after which a writer records what it has; shorter than a stall, so that the next writer continues there. */
const IDLE_MS = 1000;

export interface UploadWriter {
  /**
   * Resolves with the result of `next`; rejects first when the writer is ended. While it waits, `record` is called after a
   * second and by UploadLocks.record. Does not settle while `record` runs, and rejects if that does.
   */
  wait<Result>(next: Promise<Result>, record?: () => Promise<void>): Promise<Result>;
  /** Called when nothing is written any more. */
  release(): void;
}

interface Held {
  /** When it began to wait for its client; null: it writes. */
  waitingSince: number | null;
  /** Null: it does not wait, or records nothing on the way. */
  record: (() => Promise<void>) | null;
  readonly end: (reason: GeomillError) => void;
  readonly released: Promise<void>;
}

export class UploadLocks {
  readonly #held = new Map<string, Held>();
  readonly #stallMs: number;
  readonly #timers: Timers;

  constructor(stallMs = STALL_MS, timers: Timers = PLATFORM_TIMERS) {
    this.#stallMs = stallMs;
    this.#timers = timers;
  }

  has(id: string): boolean {
    return this.#held.has(id);
  }

  /** Makes a writer that waits for its client record what it has. A failure ends that writer. */
  async record(id: string): Promise<void> {
    await this.#held
      .get(id)
      ?.record?.()
      .catch(() => {});
  }

  /** Throws UPLOAD_LOCKED while another writer is active. */
  async lock(id: string): Promise<UploadWriter> {
    for (let held = this.#held.get(id); held !== undefined; held = this.#held.get(id)) {
      const { waitingSince } = held;
      if (waitingSince === null || this.#timers.now() - waitingSince < this.#stallMs) throw locked(id);
      held.end(locked(id));
      await held.released;
    }
    return this.#hold(id);
  }

  /** Ends the writer, if there is one, and keeps others out until `release`. */
  async seize(id: string, reason: GeomillError): Promise<UploadWriter> {
    for (let held = this.#held.get(id); held !== undefined; held = this.#held.get(id)) {
      held.end(reason);
      await held.released;
    }
    return this.#hold(id);
  }

  /** Ends all writers; resolves when nothing is written any more. */
  async endAll(reason: GeomillError): Promise<void> {
    const held = [...this.#held.values()];
    for (const { end } of held) end(reason);
    await Promise.all(held.map(({ released }) => released));
  }

  #hold(id: string): UploadWriter {
    const ended = Promise.withResolvers<never>();
    // Without a handler of its own it would be an unhandled rejection when nobody waits.
    ended.promise.catch(() => {});
    const released = Promise.withResolvers<void>();
    const held: Held = { waitingSince: null, record: null, end: ended.reject, released: released.promise };
    this.#held.set(id, held);
    const timers = this.#timers;
    return {
      async wait(next, record = async () => {}) {
        held.waitingSince = timers.now();
        let recording = Promise.resolve();
        const recordNext = (): Promise<void> => {
          recording = recording.then(record);
          return recording;
        };
        held.record = recordNext;
        const cancel = timers.after(IDLE_MS, () => void recordNext().catch(ended.reject));
        try {
          return await Promise.race([ended.promise, next]);
        } finally {
          cancel();
          held.waitingSince = null;
          held.record = null;
          await recording;
        }
      },
      release: () => {
        this.#held.delete(id);
        released.resolve();
      },
    };
  }
}

function locked(id: string): GeomillError {
  return failure(jobErrors.UPLOAD_LOCKED, { id, seconds: RETRY_SECONDS });
}
