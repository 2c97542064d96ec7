/**
 * Slows down guessing: failures are counted per subject (a source address or an account name), and after some of them each
 * doubles the wait. Kept in memory and lost at a restart; guessing is infeasible all the same. Processes with a PostgreSQL
 * database share what they count; see shared-limits.ts.
 */
import { Collected } from './collected.ts';

export interface AttemptRules {
  /** Failures without a wait, for typing errors. */
  readonly freeFailures: number;
  /** Wait after the first failure beyond these; each further failure doubles it. */
  readonly firstDelayMs: number;
  /** Also limits how long an attacker can lock out a user by failing on purpose. */
  readonly maxDelayMs: number;
  /** A subject without a failure for this long is forgotten. At least `maxDelayMs`. */
  readonly forgetAfterMs: number;
  /** Maximum number of subjects; beyond it the one with the oldest last failure is forgotten. */
  readonly maxSubjects: number;
}

/** For API keys and client secrets, by address. They have 160 bits and cannot be guessed; this limits load. */
export const SECRET_RULES: AttemptRules = {
  freeFailures: 50,
  firstDelayMs: 250,
  maxDelayMs: 10_000,
  forgetAfterMs: 10 * 60_000,
  maxSubjects: 50_000,
};

/** For passwords, by address and by account name. */
export const PASSWORD_RULES: AttemptRules = {
  freeFailures: 5,
  firstDelayMs: 1000,
  maxDelayMs: 15 * 60_000,
  forgetAfterMs: 3600_000,
  maxSubjects: 50_000,
};

/** More than a subject can have. */
const ALL_FAILURES = 1_000_000_000;

interface Count {
  failures: number;
  lastFailureAt: number;
}

/**
 * Call `waitMs` before checking a secret and `fail` if it was wrong. If the check is slow (a password hash), call `fail`
 * before it and `forgive` if the secret was right; otherwise concurrent guesses would not be limited.
 */
export class AttemptLimiter {
  readonly rules: AttemptRules;
  readonly #now: () => number;
  /** In the order of the last failure, oldest first. */
  readonly #counts = new Map<string, Count>();
  readonly #collected: Collected;

  constructor(rules: AttemptRules, now: () => number = Date.now) {
    this.rules = rules;
    this.#collected = new Collected(rules.maxSubjects);
    this.#now = now;
  }

  /** How long the next attempt must wait, as the maximum of all subjects; 0: no wait. */
  waitMs(...subjects: readonly string[]): number {
    return Math.max(0, ...subjects.map((subject) => this.#waitOf(subject)));
  }

  fail(...subjects: readonly string[]): void {
    for (const subject of subjects) {
      const failures = (this.#current(subject)?.failures ?? 0) + 1;
      // Deleted first, so that it is inserted last.
      this.#counts.delete(subject);
      this.#counts.set(subject, { failures, lastFailureAt: this.#now() });
      this.#collected.add(subject, 1);
    }
    this.#forgetOldest();
  }

  /** Reverts one failure that was counted before its check. */
  forgive(...subjects: readonly string[]): void {
    for (const subject of subjects) {
      const count = this.#counts.get(subject);
      if (count === undefined) continue;
      this.#collected.add(subject, -1);
      count.failures -= 1;
      if (count.failures <= 0) this.#counts.delete(subject);
    }
  }

  /**
   * Forgets all failures of a subject. For the account name of a user who has signed in, never for an address: an attacker
   * could sign in to an own account between guesses.
   */
  reset(subject: string): void {
    this.#counts.delete(subject);
    this.#collected.add(subject, -ALL_FAILURES);
  }

  /** From now on, what is counted here is kept for `drain`. */
  collect(): void {
    this.#collected.begin();
  }

  /** Failures by subject that were counted here since the last call; negative: forgiven. */
  drain(): ReadonlyMap<string, number> {
    return this.#collected.drain();
  }

  /** Takes back drained failures that did not get to the other processes. */
  restore(failures: ReadonlyMap<string, number>): void {
    this.#collected.restore(failures);
  }

  /** Failures of a subject in all processes, the last of them so long ago. Failures that were not drained yet are added. */
  learn(subject: string, failures: number, ageMs: number): void {
    const all = failures + this.#collected.of(subject);
    this.#counts.delete(subject);
    if (all > 0) this.#counts.set(subject, { failures: all, lastFailureAt: this.#now() - ageMs });
    this.#forgetOldest();
  }

  /** Subjects that are remembered. */
  get size(): number {
    return this.#counts.size;
  }

  #forgetOldest(): void {
    while (this.#counts.size > this.rules.maxSubjects) {
      const [oldest] = this.#counts.keys();
      this.#counts.delete(oldest);
    }
  }

  #waitOf(subject: string): number {
    const count = this.#current(subject);
    if (count === undefined) return 0;
    const { freeFailures, firstDelayMs, maxDelayMs } = this.rules;
    const costly = count.failures - freeFailures;
    if (costly <= 0) return 0;
    const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** (costly - 1));
    return Math.max(0, count.lastFailureAt + delayMs - this.#now());
  }

  #current(subject: string): Count | undefined {
    const count = this.#counts.get(subject);
    if (count === undefined) return undefined;
    const age = this.#now() - count.lastFailureAt;
    if (age < this.rules.forgetAfterMs) return count;
    this.#counts.delete(subject);
    return undefined;
  }
}

/**
 * The source that an address counts as: the IPv4 address, or the /64 network of an IPv6 address, because each customer has
 * 2^64 of those. An IPv4-mapped IPv6 address (::ffff:192.0.2.1) counts as the IPv4 address. Some proxies append the port
 * (192.0.2.1:5060, [2001:db8::1]:5060), which is removed.
 */
export function sourceOf(address: string): string {
  const [, host] = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address) ??
    /^\[(.*)\](?::\d+)?$/.exec(address) ?? ['', address];
  const [plain] = host.split('%', 1);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain);
  if (mapped !== null) return mapped[1];
  if (!plain.includes(':')) return plain;
  const [head, tail] = plain.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  const groups = [...left, ...(tail === undefined ? [] : zeros), ...right].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`;
}
