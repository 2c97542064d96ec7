/**
 * Bounds the files that jobs write while they run: temporary files by a limit for each job, these and the unfinished output by what their
 * owner may store. They are measured from outside, so the limits hold for every format, and for a runner that was taken over.
 */
import type { PlainError } from '@geomill/core/messages/errors.ts';
import { plainError } from '@geomill/core/messages/errors.ts';
import type { SlotSizes } from '../storage/workspace.ts';
import { jobErrors } from './errors.ts';
import type { JobQueue } from './queue.ts';
import type { RunnerProcess } from './runner-process.ts';

export interface ScratchLimits {
  /** Temporary files of one job, in bytes. */
  readonly jobBytes: number;
  /** As OwnerLimits.storedBytes. */
  readonly ownerBytes: number | null;
}

const INTERVAL_MS = 500;
const NOTHING: SlotSizes = { scratchBytes: 0, outputBytes: 0 };

/** A runner, as far as it is needed here. */
type Watched = Pick<RunnerProcess, 'kill'> & { readonly slot: { measure(): Promise<SlotSizes> } };

interface Watch {
  readonly owner: string;
  readonly runner: Watched;
  sizes: SlotSizes;
  /** Why the runner was ended. */
  error: PlainError | null;
}

export class ScratchWatch {
  readonly #limits: ScratchLimits;
  readonly #queue: Pick<JobQueue, 'holding'>;
  readonly #onTrouble: (error: unknown) => void;
  readonly #watches = new Map<Watched, Watch>();

  constructor(limits: ScratchLimits, queue: Pick<JobQueue, 'holding'>, onTrouble: (error: unknown) => void) {
    this.#limits = limits;
    this.#queue = queue;
    this.#onTrouble = onTrouble;
  }

  /** Measures the runner several times a second until the returned function is called. */
  begin(owner: string, runner: Watched): () => void {
    this.add(owner, runner);
    let isOver = false;
    let timer: NodeJS.Timeout;
    const next = (): void => {
      timer = setTimeout(() => {
        // A directory that cannot be measured now is measured next time.
        this.measure(runner)
          .catch(this.#onTrouble)
          .finally(() => isOver || next());
      }, INTERVAL_MS).unref();
    };
    next();
    return () => {
      isOver = true;
      clearTimeout(timer);
      this.#watches.delete(runner);
    };
  }

  /** As `begin`, for callers that call `measure` themselves. */
  add(owner: string, runner: Watched): void {
    this.#watches.set(runner, { owner, runner, sizes: NOTHING, error: null });
  }

  /** The error of a job whose runner was ended here. */
  errorOf(runner: Watched): PlainError | null {
    return this.#watches.get(runner)?.error ?? null;
  }

  /** Ends the runner if its job, or those of its owner in this process, are above a limit. */
  async measure(runner: Watched): Promise<void> {
    const watch = this.#watches.get(runner);
    if (watch === undefined || watch.error !== null) return;
    watch.sizes = await runner.slot.measure();
    watch.error = this.#jobError(watch) ?? (await this.#ownerError(watch));
    // The attempt may have ended meanwhile, and the runner have the next job.
    if (watch.error !== null && this.#watches.get(runner) === watch) runner.kill('scratch');
  }

  #jobError({ sizes: { scratchBytes } }: Watch): PlainError | null {
    const { jobBytes: limit } = this.#limits;
    if (scratchBytes <= limit) return null;
    return plainError(jobErrors.JOB_SCRATCH_EXCEEDED, { bytes: scratchBytes, limit, setting: 'MAX_SCRATCH' });
  }

  async #ownerError({ owner, sizes }: Watch): Promise<PlainError | null> {
    const { ownerBytes: limit } = this.#limits;
    if (limit === null || total(sizes) === 0) return null;
    const { storedBytes: stored } = await this.#queue.holding(owner);
    let bytes = 0;
    for (const one of this.#watches.values()) if (one.owner === owner) bytes += total(one.sizes);
    return stored + bytes > limit
      ? plainError(jobErrors.OWNER_SCRATCH_EXCEEDED, { bytes, stored, limit })
      : null;
  }
}

const total = ({ scratchBytes, outputBytes }: SlotSizes): number => scratchBytes + outputBytes;
