/** Keeps the wanted number of runner processes alive and warm, and hands out idle ones. */
import { sweepSlots } from '../storage/workspace.ts';
import { type DeathCause, type RunnerOptions, RunnerProcess } from './runner-process.ts';

export interface PoolOptions extends RunnerOptions {
  readonly size: number;
}

export interface PoolEvents {
  /** A runner can be taken. */
  onIdle(): void;
  /** A runner died and will be replaced. `detail` is for the log. */
  onDeath(cause: DeathCause, detail: string): void;
}

const MEMORY_CHECK_INTERVAL_MS = 250;
const FIRST_RESTART_DELAY_MS = 100;
const LONGEST_RESTART_DELAY_MS = 10_000;
/**
 * Where it was killed from outside while it loaded, on a slow machine a matter of seconds: nothing is wrong with it. Still
 * not at once, because it may be the system that kills for want of memory.
 */
const LONGEST_DELAY_AFTER_KILL_MS = 1000;

export class RunnerPool {
  readonly #options: PoolOptions;
  readonly #events: PoolEvents;
  readonly #runners = new Set<RunnerProcess>();
  readonly #warmed = new WeakSet<RunnerProcess>();
  #memoryTimer: NodeJS.Timeout | null = null;
  readonly #restartTimers = new Set<NodeJS.Timeout>();
  readonly #endWaiters: (() => void)[] = [];
  #failedStarts = 0;
  #stopped = false;

  constructor(options: PoolOptions, events: PoolEvents) {
    this.#options = options;
    this.#events = events;
  }

  /** Returns how many slots of a former service were removed. */
  start(): number {
    const removedSlots = sweepSlots(this.#options.slotsDirectory);
    for (let index = 0; index < this.#options.size; index++) this.#spawn();
    this.#memoryTimer = setInterval(() => {
      for (const runner of this.#runners) runner.checkMemory();
    }, MEMORY_CHECK_INTERVAL_MS).unref();
    return removedSlots;
  }

  /** Runner processes there are, for tests and metrics. */
  get runners(): ReadonlySet<RunnerProcess> {
    return this.#runners;
  }

  /** Reserves an idle runner; null when there is none. */
  take(): RunnerProcess | null {
    for (const runner of this.#runners) if (runner.reserve()) return runner;
    return null;
  }

  /** Uses a pause to warm up a runner that has done nothing yet. Called when there is no work for it. */
  warmIdle(): void {
    for (const runner of this.#runners) {
      if (runner.state !== 'idle' || this.#warmed.has(runner)) continue;
      this.#warmed.add(runner);
      runner.warm();
    }
  }

  /** Kills all runners; none comes back. */
  stop(): void {
    this.#stopped = true;
    if (this.#memoryTimer !== null) clearInterval(this.#memoryTimer);
    for (const timer of this.#restartTimers) clearTimeout(timer);
    for (const runner of this.#runners) runner.kill('stopped');
  }

  /** Resolves when the last process has ended; after `stop`. */
  async ended(): Promise<void> {
    while (this.#runners.size > 0) await new Promise<void>((resolve) => this.#endWaiters.push(resolve));
  }

  #spawn(): void {
    const runner = new RunnerProcess(this.#options, {
      onIdle: () => {
        this.#failedStarts = 0;
        this.#events.onIdle();
      },
      onDeath: (dead, cause, detail) => this.#replace(dead, cause, detail),
    });
    this.#runners.add(runner);
  }

  #replace(dead: RunnerProcess, cause: DeathCause, detail: string): void {
    this.#runners.delete(dead);
    for (const wake of this.#endWaiters.splice(0)) wake();
    if (this.#stopped) return;
    this.#events.onDeath(cause, detail);
    if (dead.hasLoaded) {
      this.#spawn();
      return;
    }
    // It could not even load: starting it again at once would only burn the processor.
    const longestMs = dead.wasKilled ? LONGEST_DELAY_AFTER_KILL_MS : LONGEST_RESTART_DELAY_MS;
    const delayMs = Math.min(FIRST_RESTART_DELAY_MS * 2 ** this.#failedStarts, longestMs);
    this.#failedStarts += 1;
    const timer = setTimeout(() => {
      this.#restartTimers.delete(timer);
      this.#spawn();
    }, delayMs);
    this.#restartTimers.add(timer);
  }
}
