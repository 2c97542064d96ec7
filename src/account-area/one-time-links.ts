/** Links to set a password once: for the first administrator, new users and forgotten passwords. */
import { hash, randomBytes } from 'node:crypto';
import type { Accounts } from '../accounts/accounts.ts';
import type { AccountsDatabase } from '../accounts/database.ts';

export interface OneTimeLink {
  /** 'setup': creates the administrator of a new installation; 'password': sets the password of a user. */
  readonly purpose: 'setup' | 'password';
  /** Null with 'setup'. */
  readonly userId: string | null;
}

/** One day: enough to send the link, and short in case others get access to the mailbox later. */
const LINK_LIFETIME_MS = 24 * 3600 * 1000;
const TOKEN_BYTES = 32;

export const LINK_PATHS = { setup: '/account/setup', password: '/account/password' } as const;

/** The address of a link. `baseUrl`: without a trailing slash. */
export function linkAddress(baseUrl: string, purpose: OneTimeLink['purpose'], token: string): string {
  return `${baseUrl}${LINK_PATHS[purpose]}?token=${token}`;
}

export class OneTimeLinks {
  readonly #database: AccountsDatabase;
  readonly #now: () => number;

  constructor(database: AccountsDatabase, now: () => number = Date.now) {
    this.#database = database;
    this.#now = now;
  }

  /** Creates a link and returns its token. Earlier links for the same purpose become invalid. */
  make({ purpose, userId }: OneTimeLink, actor: string): string {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const now = this.#now();
    const { durable } = this.#database;
    durable.transaction(() => {
      durable
        .prepare('DELETE FROM one_time_links WHERE (purpose = ? AND user_id IS ?) OR expires_at <= ?')
        .run(purpose, userId, now);
      durable
        .prepare('INSERT INTO one_time_links VALUES (?, ?, ?, ?, ?, ?)')
        .run(hashOf(token), purpose, userId, now, actor, now + LINK_LIFETIME_MS);
    });
    return token;
  }

  /**
   * The link of a token, without using it up, because mail scanners open links, too. Null: unknown, used or expired.
   */
  look(token: string): OneTimeLink | null {
    return (
      this.#database.durable
        .prepare(
          'SELECT purpose, user_id AS userId FROM one_time_links WHERE token_hash = ? AND expires_at > ?',
        )
        .get<OneTimeLink>(hashOf(token), this.#now()) ?? null
    );
  }

  /** Uses up a link. Of two concurrent calls, one gets the link and the other null. */
  take(token: string): OneTimeLink | null {
    const { durable } = this.#database;
    return durable.transaction(() => {
      const found = this.look(token);
      if (found !== null)
        durable.prepare('DELETE FROM one_time_links WHERE token_hash = ?').run(hashOf(token));
      return found;
    });
  }

  /** Invalidates all links of a user. */
  withdraw(userId: string): void {
    this.#database.durable.prepare('DELETE FROM one_time_links WHERE user_id = ?').run(userId);
  }
}

/** A fast hash without salt is sufficient for 256 random bits. */
function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** The address of a new link to create the first administrator; null: one exists. Earlier links become invalid. */
export function setupLink(accounts: Accounts, baseUrl: string): string | null {
  if (accounts.states.activeAdmins() > 0) return null;
  const token = new OneTimeLinks(accounts.database).make({ purpose: 'setup', userId: null }, 'geomill');
  return linkAddress(baseUrl, 'setup', token);
}
