import type { Progress } from './report.ts';

/** Adds up weighted work and reports the fraction, which never falls and is 1 only at the end. */
export class ProgressMeter {
  readonly #total: number;
  readonly #tell: (progress: Progress) => void;
  #done = 0;
  #stage: Progress['stage'] = 'opening';

  /** `totalWeight`: sum of the weights that `advance` will get. */
  constructor(totalWeight: number, tell: (progress: Progress) => void) {
    this.#total = Math.max(Number.MIN_VALUE, totalWeight);
    this.#tell = tell;
  }

  /** The fraction after so much more. */
  after(weight: number): number {
    return Math.min(0.99, (this.#done + weight) / this.#total);
  }

  stage(stage: Progress['stage']): void {
    if (stage === this.#stage) return;
    this.#stage = stage;
    this.#report();
  }

  advance(weight: number): void {
    this.#done += weight;
    this.#report();
  }

  #report(): void {
    this.#tell({ fraction: this.after(0), stage: this.#stage });
  }
}
