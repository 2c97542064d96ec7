/** The current document, with the ones before and after it. */
import { computed, type ReadonlySignal, signal } from '@preact/signals';

/** Older states are forgotten. */
const MAX_STATES = 200;
/** Edits of the same control that follow each other within this time are one state, as when a number is typed. */
const SAME_EDIT_MS = 1000;

interface Timeline<State> {
  readonly before: readonly State[];
  readonly now: State;
  readonly after: readonly State[];
}

export class History<State> {
  readonly #timeline;
  #lastEdit: { readonly control: string; readonly at: number } | null = null;
  readonly current: ReadonlySignal<State>;
  readonly canUndo: ReadonlySignal<boolean>;
  readonly canRedo: ReadonlySignal<boolean>;

  constructor(first: State) {
    const timeline = signal<Timeline<State>>({ before: [], now: first, after: [] });
    this.#timeline = timeline;
    this.current = computed(() => timeline.value.now);
    this.canUndo = computed(() => timeline.value.before.length > 0);
    this.canRedo = computed(() => timeline.value.after.length > 0);
  }

  /** `control`: where the edit comes from, if edits that follow each other there are one; null: each is its own. */
  edit(change: (state: State) => State, control: string | null = null): void {
    const { before, now } = this.#timeline.value;
    const next = change(now);
    if (next === now) return;
    const at = performance.now();
    const last = this.#lastEdit;
    const isSame = control !== null && last?.control === control && at - last.at < SAME_EDIT_MS;
    this.#lastEdit = control === null ? null : { control, at };
    this.#timeline.value = {
      before: isSame && before.length > 0 ? before : [...before, now].slice(-MAX_STATES),
      now: next,
      after: [],
    };
  }

  /** Completes the current state with what follows from it; undo does not stop there. */
  amend(change: (state: State) => State): void {
    const { before, now, after } = this.#timeline.value;
    this.#timeline.value = { before, now: change(now), after };
  }

  undo(): void {
    const { before, now, after } = this.#timeline.value;
    const previous = before.at(-1);
    if (previous === undefined) return;
    this.#lastEdit = null;
    this.#timeline.value = { before: before.slice(0, -1), now: previous, after: [now, ...after] };
  }

  redo(): void {
    const { before, now, after } = this.#timeline.value;
    const [next, ...rest] = after;
    if (next === undefined) return;
    this.#lastEdit = null;
    this.#timeline.value = { before: [...before, now], now: next, after: rest };
  }
}
