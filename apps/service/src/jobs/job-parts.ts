/**
 * The parts of a job that runs here: offers them to all workers, gives the results of others to the job's runner, and lets that one run
 * parts, too. Part results that come late, from a run that was replaced, are files of another name that nobody asks for.
 */
import { join } from 'node:path';
import { failure, type PlainError, plainError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { Offer } from '@geomill/pipeline/division/division.ts';
import type { Progress } from '@geomill/pipeline/report.ts';
import { remoteInputErrors } from '../remote-input/errors.ts';
import type { PartFiles, StoredAttempt } from '../storage/store.ts';
import type { JobLog } from './observer.ts';
import type { PartQueue, PartState, PartTask } from './parts.ts';
import type { DivisionMessage, RunnerProcess } from './runner-process.ts';

export interface JobPartsOptions {
  readonly attempt: StoredAttempt;
  readonly queue: PartQueue;
  readonly files: PartFiles;
  readonly runner: RunnerProcess;
  /** The input of the job is in the store, so that parts need not get a copy of it. */
  readonly hasStoredInput: boolean;
  /** Runs a change of the database until it succeeds. */
  readonly keep: <Result>(write: () => Promise<Result>) => Promise<Result>;
  readonly onProgress: (progress: Progress) => void;
  readonly log: JobLog;
}

/** How often the parts are looked at, if no news come. */
const LOOK_MS = 1000;
const INPUT_PATH = 'in/0';

/** Name of the results of a run of a part. */
export function resultName({ number, run }: { readonly number: number; readonly run: number }): string {
  return `result-${number}-${run}`;
}

export class JobParts {
  readonly #options: JobPartsOptions;
  /** Resolves with the error of the first part that fails; rejects where parts cannot be offered. */
  readonly failed: Promise<PlainError>;
  readonly #failing = Promise.withResolvers<PlainError>();
  /** Of the offer that is under way; null: none is. */
  #offer: Offer | null = null;
  #states: readonly PartState[] = [];
  #own: Progress = { fraction: 0, stage: 'opening' };
  readonly #told = new Set<number>();
  /** Names of files that were stored, by path. */
  readonly #stored = new Map<string, string>();
  #timer: NodeJS.Timeout | null = null;
  #isFree = false;
  #isClosed = false;
  #hasFiles = false;
  /** Messages and looks are handled one after another. */
  #work: Promise<void> = Promise.resolve();
  #isLooking = false;

  constructor(options: JobPartsOptions) {
    this.#options = options;
    this.failed = this.#failing.promise;
    // Nobody waits for it when the runner has ended before.
    this.failed.catch(() => {});
  }

  receive(message: DivisionMessage): void {
    this.#do(async () => {
      if (message.type === 'offer') await this.#add(message.offer);
      else if (message.type === 'withdraw') await this.#withdraw();
      else {
        this.#isFree = true;
        await this.#giveOwn();
      }
    });
  }

  /** Something may have changed: looks at the parts now. */
  look(): void {
    if (this.#offer === null || this.#isLooking) return;
    this.#isLooking = true;
    this.#do(async () => {
      this.#isLooking = false;
      if (this.#offer !== null) await this.#look(this.#offer);
    });
  }

  /** The runner of the job has told its progress. */
  progressed(own: Progress): void {
    this.#own = own;
    this.#options.onProgress(this.#progress());
  }

  /** The progress that the runner has reported, or that of the parts. */
  #progress(): Progress {
    if (this.#offer === null) return this.#own;
    const { first, progress, parts } = this.#offer;
    let total = 0;
    for (const { count } of parts) total += count;
    let done = 0;
    for (const { number, state, progress: share } of this.#states)
      done += (state === 'DONE' ? 1 : share) * (parts[number - first]?.count ?? 0);
    const fraction = progress[0] + (progress[1] - progress[0]) * Math.min(1, done / total);
    return { ...this.#own, fraction: Math.max(this.#own.fraction, fraction) };
  }

  /** The attempt is over: its parts are withdrawn, and their files removed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#work;
    if (!this.#hasFiles) return;
    const { queue, files, attempt, log } = this.#options;
    try {
      // Before the files: until the end of the attempt is recorded, which can take long, others would claim parts without files.
      await queue.withdraw(attempt);
      await files.remove(attempt);
    } catch (error) {
      log.warn(
        { jobId: attempt.id, fence: attempt.fence, err: error },
        'files of parts could not be removed; they are swept',
      );
    }
  }

  #do(act: () => Promise<void>): void {
    this.#work = this.#work.then(async () => {
      if (this.#isClosed) return;
      try {
        await act();
      } catch (error) {
        this.#failing.reject(error);
      }
    });
  }

  async #add(offer: Offer): Promise<void> {
    const { attempt, queue, keep, hasStoredInput } = this.#options;
    this.#hasFiles = true;
    const paths = [...offer.files, ...(offer.readsInput && !hasStoredInput ? [INPUT_PATH] : [])];
    const files: { name: string; path: string }[] = [];
    for (const path of paths) files.push({ path, name: await this.#put(path) });
    const session = await this.#put(offer.session);
    const tasks: PartTask[] = [];
    for (const part of offer.parts) {
      const own = await this.#put(part.tasks);
      const readsStored = offer.readsInput && hasStoredInput;
      tasks.push({ session, tasks: own, files, ...(readsStored ? { range: part.range } : {}) });
    }
    const isAdded = await keep(() => queue.add(attempt, offer.first, tasks));
    // The attempt was replaced: its runner is about to be ended.
    if (!isAdded) return;
    this.#offer = offer;
    this.#states = [];
    this.#timer ??= setInterval(() => this.look(), LOOK_MS).unref();
    await this.#giveOwn();
  }

  async #withdraw(): Promise<void> {
    if (this.#offer === null) return;
    this.#offer = null;
    await this.#options.keep(() => this.#options.queue.withdraw(this.#options.attempt));
  }

  /** Stores a file of the runner's slot; its name among the part files. */
  async #put(path: string): Promise<string> {
    const known = this.#stored.get(path);
    if (known !== undefined) return known;
    const { files, attempt, runner } = this.#options;
    if (path !== INPUT_PATH && !/^scratch(?:\/(?!\.\.?(?:\/|$))[^/\0]+)+$/.test(path))
      throw failure(remoteInputErrors.RUNNER_MESSAGE_INVALID, {
        reason: 'it offered a file that is not in its scratch directory',
      });
    const name = `file-${this.#stored.size}`;
    await files.put(attempt, name, join(runner.slot.directory, path));
    this.#stored.set(path, name);
    return name;
  }

  async #look(offer: Offer): Promise<void> {
    const { attempt, queue, log } = this.#options;
    try {
      this.#states = await queue.of(attempt);
    } catch (error) {
      // It is asked again; the lease ends if the database stays away.
      log.warn(
        { jobId: attempt.id, fence: attempt.fence, err: error },
        'the parts of a job could not be looked at',
      );
      return;
    }
    for (const part of this.#states) {
      if (part.number < offer.first || this.#told.has(part.number)) continue;
      if (part.state === 'FAILED')
        this.#failing.resolve(part.error ?? plainError(generalErrors.INTERNAL, { reason: 'a part failed' }));
      if (part.state === 'DONE') await this.#tellResult(part);
    }
    await this.#giveOwn();
    this.#options.onProgress(this.#progress());
  }

  async #tellResult(part: PartState): Promise<void> {
    const { attempt, files, runner } = this.#options;
    const path = `in/part-${part.number}`;
    const local = join(runner.slot.directory, path);
    await files.get(attempt, resultName(part), local);
    runner.slot.giveInput(local);
    this.#told.add(part.number);
    runner.tellOfPart({ type: 'result', number: part.number, path });
    await files.remove(attempt, resultName(part));
  }

  async #giveOwn(): Promise<void> {
    if (!this.#isFree || this.#offer === null) return;
    const number = await this.#options.keep(() => this.#options.queue.takeOwn(this.#options.attempt));
    if (number === null) return;
    this.#isFree = false;
    this.#told.add(number);
    this.#options.runner.tellOfPart({ type: 'own', number });
  }
}
