import type { Progress } from './report.ts';

/** Counts finished partitions and tells the fraction, which never falls and is 1 only at the end. */
export class ProgressMeter {
  readonly #total: number;
  readonly #tell: (progress: Progress) => void;
  #done = 0;
  #stage: Progress['stage'] = 'opening';

  constructor(totalSteps: number, tell: (progress: Progress) => void) {
    this.#total = Math.max(1, totalSteps);
    this.#tell = tell;
  }

  stage(stage: Progress['stage']): void {
    this.#stage = stage;
    this.#report();
  }

  step(): void {
    this.#done++;
    this.#report();
  }

  #report(): void {
    this.#tell({ fraction: Math.min(0.99, this.#done / this.#total), stage: this.#stage });
  }
}
