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
  /** A runner could not be started, given back or cleared away; that is tried again. */
  onTrouble(error: unknown): void;
}

const WATCH_INTERVAL_MS = 250;
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
  #watchTimer: NodeJS.Timeout | null = null;
  readonly #restartTimers = new Set<NodeJS.Timeout>();
  /** Those to be ended, until they have ended. */
  readonly #unusable = new Set<RunnerProcess>();
  /** Dead ones whose slots could not be removed yet. */
  readonly #unremoved = new Set<RunnerProcess>();
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
    this.#watchTimer = setInterval(() => this.#watch(), WATCH_INTERVAL_MS).unref();
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

  /** Takes back a runner that was reserved. One that cannot be used again is replaced. */
  giveBack(runner: RunnerProcess): void {
    try {
      runner.release();
    } catch (error) {
      this.#events.onTrouble(error);
      this.#unusable.add(runner);
    }
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
    if (this.#watchTimer !== null) clearInterval(this.#watchTimer);
    for (const timer of this.#restartTimers) clearTimeout(timer);
    for (const runner of this.#runners) this.#guard(() => runner.kill('stopped'));
  }

  /** Resolves when the last process has ended; after `stop`. */
  async ended(): Promise<void> {
    while (this.#runners.size > 0) await new Promise<void>((resolve) => this.#endWaiters.push(resolve));
    for (const dead of this.#unremoved) this.#removeSlot(dead);
  }

  /** One check that fails does not keep the others from theirs. */
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
      // Told once: it is tried four times a second.
      if (!this.#unremoved.has(dead)) this.#events.onTrouble(error);
      this.#unremoved.add(dead);
    }
  }

  #spawn(): void {
    try {
      const runner = new RunnerProcess(this.#options, {
        onIdle: () => {
          this.#failedStarts = 0;
          this.#events.onIdle();
        },
        onDeath: (dead, cause, detail) => this.#replace(dead, cause, detail),
      });
      this.#runners.add(runner);
    } catch (error) {
      // No slot could be made or no process started: the disk is full, or there are too many processes.
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
    this.#events.onDeath(cause, detail);
    if (dead.hasLoaded) this.#spawn();
    // It could not even load: starting it again at once would only burn the processor.
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
