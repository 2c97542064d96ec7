/**
 * Caches the results of credential checks until the database changes: a check then costs reading a counter instead of a
 * query or a signature, and a revocation still takes effect at the next request. Keeps nothing for a database that cannot say
 * whether it has changed.
 */
import { hash } from 'node:crypto';
import type { AccountsDatabase } from './database.ts';

const MAX_ENTRIES = 10_000;

interface Entry<Found> {
  readonly found: Found;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export class Verified<Found> {
  readonly #database: AccountsDatabase;
  /** By SHA-256 of the credential, so that no secret is kept and the timing of lookups reveals nothing. */
  readonly #entries = new Map<string, Entry<Found>>();
  #version = Number.NaN;

  constructor(database: AccountsDatabase) {
    this.#database = database;
  }

  /** Null: not cached. */
  find(text: string, now: number): Found | null {
    const version = this.version();
    // Also true for NaN.
    if (version !== this.#version) {
      this.#entries.clear();
      this.#version = version;
      return null;
    }
    const entry = this.#entries.get(keyOf(text));
    return entry !== undefined && now < entry.expiresAt ? entry.found : null;
  }

  /** The version of the database; read it before a check and pass it to `keep` after the check. */
  version(): number {
    return this.#database.version();
  }

  /** Keeps what a check found, unless the database has changed since it began. `expiresAt` null: it does not expire. */
  keep(text: string, found: Found, version: number, expiresAt: number | null): void {
    if (version !== this.#version) return;
    if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear();
    this.#entries.set(keyOf(text), { found, expiresAt: expiresAt ?? Number.POSITIVE_INFINITY });
  }
}

function keyOf(text: string): string {
  return hash('sha256', text, 'base64');
}
