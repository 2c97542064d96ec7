/**
 * Sends the states and the progress of a job to its watchers. One mechanism for event streams and for requests that
 * wait for an output. A change is read from the queue once for all watchers.
 */
import type { Progress } from '@geomill/pipeline/report.ts';
import { isFinal, type Job, type JobStep } from './job.ts';

export type JobNews =
  /** The current job; null: it was deleted. */
  | { readonly kind: 'state'; readonly job: Job | null }
  | { readonly kind: 'progress'; readonly progress: Progress }
  /** The service is stopping and sends nothing more. */
  | { readonly kind: 'closing' };

export interface JobWatch {
  /** Stops watching. Optional after the last news: a final state, a deletion or 'closing'. */
  stop(): void;
}

type Tell = (news: JobNews) => void;

interface Watcher {
  readonly tell: Tell;
  /** The state that was sent last; a state is not sent twice. */
  told: string | null;
}

/** Minimum time between two progress news of one stage. */
const PROGRESS_INTERVAL_MS = 200;

class Watched {
  readonly watchers = new Set<Watcher>();
  reading: Promise<void> | null = null;
  isStale = false;
  progressAt = Number.NEGATIVE_INFINITY;
  stage: Progress['stage'] | null = null;
}

export class JobFeed {
  readonly #load: (id: string) => Promise<Job | null>;
  readonly #onLoadError: (error: unknown) => void;
  readonly #jobs = new Map<string, Watched>();
  #isClosed = false;

  constructor(load: (id: string) => Promise<Job | null>, onLoadError: (error: unknown) => void) {
    this.#load = load;
    this.#onLoadError = onLoadError;
  }

  /** Number of watchers; for metrics and tests. */
  get size(): number {
    let count = 0;
    for (const { watchers } of this.#jobs.values()) count += watchers.size;
    return count;
  }

  /**
   * Sends the current state and then every change. The first news was sent when this resolves. Rejects when
   * the job cannot be read.
   */
  async watch(id: string, tell: Tell): Promise<JobWatch> {
    const watcher: Watcher = { tell, told: null };
    const watched = this.#jobs.get(id) ?? new Watched();
    this.#jobs.set(id, watched);
    // Before the read, so that no change during it is missed.
    watched.watchers.add(watcher);
    try {
      await this.#refresh(id, watched);
    } catch (error) {
      this.#remove(id, watched, watcher);
      throw error;
    }
    if (this.#isClosed && watched.watchers.has(watcher)) {
      this.#remove(id, watched, watcher);
      tell({ kind: 'closing' });
    }
    return { stop: () => this.#remove(id, watched, watcher) };
  }

  /** The job changed its state, was started again or was deleted. */
  changed(id: string): void {
    const watched = this.#jobs.get(id);
    if (watched !== undefined) this.#refresh(id, watched).catch(this.#onLoadError);
  }

  /** Ids of the jobs that have watchers. */
  watched(): readonly string[] {
    return [...this.#jobs.keys()];
  }

  /** As `changed`, if a watcher was told something else; null: the job was deleted. */
  changedTo(id: string, now: JobStep | null): void {
    const state = stepName(now);
    const watched = this.#jobs.get(id);
    if (watched !== undefined && [...watched.watchers].some(({ told }) => told !== state)) this.changed(id);
  }

  progressed(id: string, progress: Progress): void {
    const watched = this.#jobs.get(id);
    if (watched === undefined) return;
    const now = performance.now();
    // A new stage is always sent: there are few, and the next news may be minutes away.
    if (now - watched.progressAt < PROGRESS_INTERVAL_MS && progress.stage === watched.stage) return;
    watched.progressAt = now;
    watched.stage = progress.stage;
    for (const { tell, told } of watched.watchers) if (told !== null) tell({ kind: 'progress', progress });
  }

  /** Ends all watching; later watchers get the current state only. */
  close(): void {
    this.#isClosed = true;
    const all = [...this.#jobs.values()];
    this.#jobs.clear();
    for (const { watchers } of all) {
      const dismissed = [...watchers];
      watchers.clear();
      for (const { tell } of dismissed) tell({ kind: 'closing' });
    }
  }

  /** One read at a time, so that states are in order; changes during a read are read after it. */
  #refresh(id: string, watched: Watched): Promise<void> {
    watched.isStale = true;
    watched.reading ??= this.#read(id, watched).finally(() => {
      watched.reading = null;
    });
    return watched.reading;
  }

  async #read(id: string, watched: Watched): Promise<void> {
    while (watched.isStale) {
      watched.isStale = false;
      const job = await this.#load(id);
      for (const watcher of [...watched.watchers]) this.#tellState(id, watched, watcher, job);
    }
  }

  #tellState(id: string, watched: Watched, watcher: Watcher, job: Job | null): void {
    const state = stepName(job);
    if (watcher.told === state || !watched.watchers.has(watcher)) return;
    watcher.told = state;
    // Before it is sent: the watcher may stop in the call.
    if (job === null || isFinal(job.state)) this.#remove(id, watched, watcher);
    watcher.tell({ kind: 'state', job });
  }

  #remove(id: string, watched: Watched, watcher: Watcher): void {
    watched.watchers.delete(watcher);
    if (watched.watchers.size === 0 && this.#jobs.get(id) === watched) this.#jobs.delete(id);
  }
}

/** Key of a state that watchers are notified of once. */
function stepName(step: JobStep | null): string {
  return step === null ? 'deleted' : `${step.state} ${step.attempts}`;
}
