/**
 * Runs tasks a few ahead of the caller, who takes their outcomes in the order of the tasks, one at a time. An error is an outcome, too: a caller
 * that guessed where a task begins discards the result, or the error, of a wrong guess and runs the right task instead.
 *
 * A task is started only while the caller waits for an outcome, so a caller that takes none stops the work.
 */

export type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };

export interface OrderedTasksSetting<Task, Result> {
  /** Asked for a task just before it is started. */
  readonly tasks: Iterable<Task> | AsyncIterable<Task>;
  readonly run: (task: Task) => Promise<Result>;
  /** Maximum number of tasks under way, at least 1. */
  readonly width: number;
  /** Limits the tasks under way by their costs, too: a task that exceeds `room` runs alone. Default: only `width` limits them. */
  readonly costs?: { readonly of: (task: Task) => number; readonly room: number };
  /** Frees what a result holds that is not used. Default: a result holds only memory of the heap. */
  readonly release?: (result: Result) => void;
}

interface UnderWay<Task, Result> {
  readonly task: Task;
  readonly cost: number;
  readonly outcome: Promise<Outcome<Result>>;
}

export class OrderedTasks<Task, Result> {
  readonly #setting: OrderedTasksSetting<Task, Result>;
  readonly #waiting: Iterator<Task> | AsyncIterator<Task>;
  readonly #underWay: UnderWay<Task, Result>[] = [];
  /** The next task, for whose cost there is no room yet. */
  #held: { readonly task: Task } | null = null;
  #cost = 0;
  #isEnded = false;
  /** What `tasks` threw; it concerns the task after those under way. */
  #failure: { readonly error: unknown } | null = null;

  constructor(setting: OrderedTasksSetting<Task, Result>) {
    const { tasks } = setting;
    this.#setting = setting;
    this.#waiting = Symbol.asyncIterator in tasks ? tasks[Symbol.asyncIterator]() : tasks[Symbol.iterator]();
  }

  /** The outcome of the next task; null after the last one. Rejects only with what `tasks` throws, in its turn. */
  async next(): Promise<{ readonly task: Task; readonly outcome: Outcome<Result> } | null> {
    await this.#startSome();
    const first = this.#underWay.shift();
    if (first === undefined) {
      if (this.#failure !== null) throw this.#failure.error;
      return null;
    }
    const outcome = await first.outcome;
    this.#cost -= first.cost;
    return { task: first.task, outcome };
  }

  /** Runs a task at once, beside those of the list: the right one after a wrong guess. */
  async runNow(task: Task): Promise<Outcome<Result>> {
    try {
      return { result: await this.#setting.run(task) };
    } catch (error) {
      return { error };
    }
  }

  /** Releases the result of an outcome that the caller does not use. */
  discard(outcome: Outcome<Result>): void {
    if ('result' in outcome) this.#setting.release?.(outcome.result);
  }

  /** Starts no more tasks and discards the outcomes of those under way; resolves when there are none. */
  async close(): Promise<void> {
    this.#isEnded = true;
    const left = this.#underWay.splice(0);
    await Promise.all(left.map(async ({ outcome }) => this.discard(await outcome)));
    await this.#waiting.return?.();
  }

  async #startSome(): Promise<void> {
    const { width, costs } = this.#setting;
    while (this.#underWay.length < width) {
      this.#held ??= await this.#nextTask();
      if (this.#held === null || this.#isEnded) return;
      const { task } = this.#held;
      const cost = costs?.of(task) ?? 0;
      if (costs !== undefined && this.#underWay.length > 0 && this.#cost + cost > costs.room) return;
      this.#held = null;
      this.#cost += cost;
      this.#underWay.push({ task, cost, outcome: this.runNow(task) });
    }
  }

  async #nextTask(): Promise<{ readonly task: Task } | null> {
    if (this.#isEnded) return null;
    try {
      const next = await this.#waiting.next();
      if (next.done !== true) return { task: next.value };
    } catch (error) {
      this.#failure = { error };
    }
    this.#isEnded = true;
    return null;
  }
}
