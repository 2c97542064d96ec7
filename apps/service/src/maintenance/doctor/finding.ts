/** Findings of the checks of a data directory. */

/**
 * ok: correct. note: information, nothing to do. warning: works, but should be examined. problem: the service does
 * not start, or jobs, outputs or secrets are lost or at risk.
 */
export const severities = ['ok', 'note', 'warning', 'problem'] as const;
export type Severity = (typeof severities)[number];

export interface DoctorFinding {
  readonly severity: Severity;
  /** The state, or the fault. */
  readonly message: string;
  /** What to do. Null: nothing. */
  readonly remedy: string | null;
}

export function finding(severity: Severity, message: string, remedy: string | null = null): DoctorFinding {
  return { severity, message, remedy };
}

const EXAMPLES = 3;

/** Counts things and keeps some of their names. */
export class Examples {
  count = 0;
  readonly #names: string[] = [];

  add(name: string): void {
    this.count += 1;
    if (this.#names.length < EXAMPLES) this.#names.push(name);
  }

  /** `a, b, c, ...` */
  get text(): string {
    return this.#names.join(', ') + (this.count > EXAMPLES ? ', ...' : '');
  }
}

/** `1 file`, `2 files` */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function megabytes(bytes: number): string {
  const mebibytes = bytes / 1024 ** 2;
  return mebibytes >= 1024 ? `${(mebibytes / 1024).toFixed(1)} GiB` : `${Math.floor(mebibytes)} MiB`;
}

/** The objects and parameters of a check. */
export interface Subject {
  /** The data directory. */
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether a service uses it: files and rows change during the check. */
  readonly isRunning: boolean;
  /** 'quick': indexes of the databases are not compared with their tables. */
  readonly depth: 'quick' | 'full';
}
