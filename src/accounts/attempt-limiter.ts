/**
 * Slows down who guesses: failures are counted per subject (a source address, an account name), and after some each
 * doubles the wait. In memory: a restart forgives, several processes count each for themselves; guessing stays hopeless.
 */

export interface AttemptRules {
  /** Failures that cost nothing: people mistype. */
  readonly freeFailures: number;
  /** Wait after the first failure that is not free; each further one doubles it. */
  readonly firstDelayMs: number;
  /** Also bounds for how long a stranger can lock someone else out by failing in their name. */
  readonly maxDelayMs: number;
  /** A subject without a failure for this long starts anew. At least `maxDelayMs`. */
  readonly forgetAfterMs: number;
  /** Subjects remembered; beyond it the one whose last failure is longest ago is forgotten. */
  readonly maxSubjects: number;
}

/** For API keys and client secrets, by address. Nobody guesses 160 bits: this is about load, and a gentle hint. */
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

interface Count {
  failures: number;
  lastFailureAt: number;
}

/**
 * Ask `waitMs` before checking a secret and call `fail` when it was wrong. Where the check takes time (a password hash),
 * call `fail` before it and `forgive` when the secret was right: otherwise a thousand guesses at once all pass.
 */
export class AttemptLimiter {
  readonly #rules: AttemptRules;
  readonly #now: () => number;
  /** In the order of the last failure, oldest first. */
  readonly #counts = new Map<string, Count>();

  constructor(rules: AttemptRules, now: () => number = Date.now) {
    this.#rules = rules;
    this.#now = now;
  }

  /** How long the next attempt has to wait; 0: it may be made. The longest wait of all subjects counts. */
  waitMs(...subjects: readonly string[]): number {
    return Math.max(0, ...subjects.map((subject) => this.#waitOf(subject)));
  }

  fail(...subjects: readonly string[]): void {
    for (const subject of subjects) {
      const failures = (this.#current(subject)?.failures ?? 0) + 1;
      // Deleted first, so that it comes to stand last.
      this.#counts.delete(subject);
      this.#counts.set(subject, { failures, lastFailureAt: this.#now() });
    }
    while (this.#counts.size > this.#rules.maxSubjects) {
      const [oldest] = this.#counts.keys();
      this.#counts.delete(oldest);
    }
  }

  /** Takes one failure back that was counted before its check. */
  forgive(...subjects: readonly string[]): void {
    for (const subject of subjects) {
      const count = this.#counts.get(subject);
      if (count === undefined) continue;
      count.failures -= 1;
      if (count.failures <= 0) this.#counts.delete(subject);
    }
  }

  /**
   * Forgets all failures of a subject. For an account name whose owner has signed in, never for an address: who guesses
   * would sign in to an account of their own in between.
   */
  reset(subject: string): void {
    this.#counts.delete(subject);
  }

  /** Subjects that are remembered. */
  get size(): number {
    return this.#counts.size;
  }

  #waitOf(subject: string): number {
    const count = this.#current(subject);
    if (count === undefined) return 0;
    const { freeFailures, firstDelayMs, maxDelayMs } = this.#rules;
    const costly = count.failures - freeFailures;
    if (costly <= 0) return 0;
    const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** (costly - 1));
    return Math.max(0, count.lastFailureAt + delayMs - this.#now());
  }

  #current(subject: string): Count | undefined {
    const count = this.#counts.get(subject);
    if (count === undefined) return undefined;
    const age = this.#now() - count.lastFailureAt;
    if (age < this.#rules.forgetAfterMs) return count;
    this.#counts.delete(subject);
    return undefined;
  }
}

/**
 * What counts as one source: an IPv4 address, or the /64 of an IPv6 address, because every household has 2^64 of
 * those. An IPv4 address in the clothes of IPv6 (::ffff:192.0.2.1) is itself. Some proxies put the port behind it
 * (192.0.2.1:5060, [2001:db8::1]:5060), of which a client has as many as it likes.
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
