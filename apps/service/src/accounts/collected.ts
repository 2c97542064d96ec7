/** What a process has counted by key and other processes do not know yet. */
export class Collected {
  readonly #max: number;
  #counts: Map<string, number> | null = null;

  /** `max`: number of keys; beyond it nothing more is collected until it is drained. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Nothing is collected before. */
  begin(): void {
    this.#counts ??= new Map();
  }

  add(key: string, count: number): void {
    if (this.#counts === null) return;
    const sum = (this.#counts.get(key) ?? 0) + count;
    if (sum === 0) this.#counts.delete(key);
    else if (this.#counts.has(key) || this.#counts.size < this.#max) this.#counts.set(key, sum);
  }

  of(key: string): number {
    return this.#counts?.get(key) ?? 0;
  }

  drain(): ReadonlyMap<string, number> {
    const drained = this.#counts ?? new Map<string, number>();
    if (this.#counts !== null) this.#counts = new Map();
    return drained;
  }

  restore(counts: ReadonlyMap<string, number>): void {
    for (const [key, count] of counts) this.add(key, count);
  }
}
