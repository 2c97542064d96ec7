/** Keeps the configured number of runner processes running and warm, and provides idle ones. */
import { sweepSlots } from '../storage/workspace.ts';
import type { RunnerOptions } from './runner-command.ts';
import { type DeathCause, RunnerProcess } from './runner-process.ts';

export interface PoolOptions extends RunnerOptions {
  readonly size: number;
}

export interface PoolEvents {
  /** A runner is available. */
  onIdle(): void;
  /** A runner died and will be replaced. `detail` is for the log. */
  onDeath(cause: DeathCause, detail: string): void;
  /** A runner could not be started, returned or removed; this is retried. */
  onTrouble(error: unknown): void;
}

const WATCH_INTERVAL_MS = 250;
const FIRST_RESTART_DELAY_MS = 100;
const LONGEST_RESTART_DELAY_MS = 10_000;
/**
 * Delay after a runner was killed from outside while it loaded, which takes seconds on a slow machine: the runner is sound. It is
 * not restarted at once, because the system may have killed it for lack of memory.
 */
const LONGEST_DELAY_AFTER_KILL_MS = 1000;

export class RunnerPool {
  readonly #options: PoolOptions;
  readonly #events: PoolEvents;
  readonly #runners = new Set<RunnerProcess>();
  readonly #warmed = new WeakSet<RunnerProcess>();
  #watchTimer: NodeJS.Timeout | null = null;
  readonly #restartTimers = new Set<NodeJS.Timeout>();
  /** Runners that are being ended. */
  readonly #unusable = new Set<RunnerProcess>();
  /** Dead runners whose slots could not be removed yet. */
  readonly #unremoved = new Set<RunnerProcess>();
  readonly #endWaiters: (() => void)[] = [];
  #failedStarts = 0;
  #missingSince: number | null = null;
  #stopped = false;

  constructor(options: PoolOptions, events: PoolEvents) {
    this.#options = options;
    this.#events = events;
  }

  /** Returns how many slots of a former service were removed. */
  start(): number {
    this.#missingSince = Date.now();
    const removedSlots = sweepSlots(this.#options.slotsDirectory);
    for (let index = 0; index < this.#options.size; index++) this.#spawn();
    this.#watchTimer = setInterval(() => this.#watch(), WATCH_INTERVAL_MS).unref();
    return removedSlots;
  }

  /** Number of runner processes, for tests and metrics. */
  get runners(): ReadonlySet<RunnerProcess> {
    return this.#runners;
  }

  /** Since when (ms since 1970) no runner has its code loaded; null: one has. */
  get missingSince(): number | null {
    return this.#missingSince;
  }

  get hasFree(): boolean {
    return [...this.#runners].some(({ isFree }) => isFree);
  }

  /** Reserves an idle runner; null if there is none. */
  take(): RunnerProcess | null {
    for (const runner of this.#runners) if (runner.reserve()) return runner;
    return null;
  }

  /** Returns a reserved runner. A runner that cannot be used again is replaced. */
  giveBack(runner: RunnerProcess): void {
    try {
      runner.release();
    } catch (error) {
      this.#events.onTrouble(error);
      this.#unusable.add(runner);
    }
  }

  /** Warms up a runner that has done nothing yet. Called when there is no work. */
  warmIdle(): void {
    for (const runner of this.#runners) {
      if (runner.state !== 'idle' || this.#warmed.has(runner)) continue;
      this.#warmed.add(runner);
      runner.warm();
    }
  }

  /** Kills all runners and starts no new ones. */
  stop(): void {
    this.#stopped = true;
    if (this.#watchTimer !== null) clearInterval(this.#watchTimer);
    for (const timer of this.#restartTimers) clearTimeout(timer);
    for (const runner of this.#runners) this.#guard(() => runner.kill('stopped'));
  }

  /** Resolves when the last process has ended; after `stop`. */
  async ended(): Promise<void> {
    while (this.#runners.size > 0) await new Promise<void>((resolve) => this.#endWaiters.push(resolve));
    for (const dead of this.#unremoved) this.#removeSlot(dead);
  }

  /** A failed check of one runner does not prevent the checks of the others. */
  #watch(): void {
    for (const runner of this.#runners) this.#guard(() => runner.check());
    for (const runner of this.#unusable) this.#guard(() => runner.kill('retired'));
    for (const runner of this.#unremoved) this.#removeSlot(runner);
  }

  #guard(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#events.onTrouble(error);
    }
  }

  #removeSlot(dead: RunnerProcess): void {
    try {
      dead.slot.remove();
      this.#unremoved.delete(dead);
    } catch (error) {
      // Logged once: it is retried four times a second.
      if (!this.#unremoved.has(dead)) this.#events.onTrouble(error);
      this.#unremoved.add(dead);
    }
  }

  #spawn(): void {
    try {
      const runner = new RunnerProcess(this.#options, {
        onIdle: () => {
          this.#failedStarts = 0;
          this.#missingSince = null;
          this.#events.onIdle();
        },
        onDeath: (dead, cause, detail) => this.#replace(dead, cause, detail),
      });
      this.#runners.add(runner);
    } catch (error) {
      // The slot or the process could not be created: the disk is full, or there are too many processes.
      this.#events.onTrouble(error);
      this.#spawnLater(LONGEST_DELAY_AFTER_KILL_MS);
    }
  }

  #replace(dead: RunnerProcess, cause: DeathCause, detail: string): void {
    this.#runners.delete(dead);
    this.#unusable.delete(dead);
    this.#removeSlot(dead);
    for (const wake of this.#endWaiters.splice(0)) wake();
    if (this.#stopped) return;
    if (![...this.#runners].some(({ hasLoaded }) => hasLoaded)) this.#missingSince ??= Date.now();
    this.#events.onDeath(cause, detail);
    if (dead.hasLoaded) this.#spawn();
    // It failed while loading: starting it again at once would only waste CPU time.
    else this.#spawnLater(dead.wasKilled ? LONGEST_DELAY_AFTER_KILL_MS : LONGEST_RESTART_DELAY_MS);
  }

  #spawnLater(longestMs: number): void {
    const delayMs = Math.min(FIRST_RESTART_DELAY_MS * 2 ** this.#failedStarts, longestMs);
    this.#failedStarts += 1;
    const timer = setTimeout(() => {
      this.#restartTimers.delete(timer);
      this.#spawn();
    }, delayMs);
    this.#restartTimers.add(timer);
  }
}
