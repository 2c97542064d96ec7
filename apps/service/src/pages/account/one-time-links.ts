/** Links to set a password once: for the first administrator, new users and forgotten passwords. */
import { hash, randomBytes } from 'node:crypto';
import type { Accounts } from '../../accounts/accounts.ts';
import { type AccountsDatabase, rows, run, type Work } from '../../accounts/database.ts';

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

const FIND =
  'SELECT purpose, user_id AS "userId" FROM one_time_links WHERE token_hash = ? AND expires_at > ?';

export class OneTimeLinks {
  readonly #database: AccountsDatabase;
  readonly #now: () => number;

  constructor(database: AccountsDatabase, now: () => number = Date.now) {
    this.#database = database;
    this.#now = now;
  }

  /** Creates a link and returns its token. Earlier links for the same purpose become invalid. */
  async make(link: OneTimeLink, actor: string): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    await this.#database.transaction(() => this.#add(link, token, actor));
    return token;
  }

  *#add({ purpose, userId }: OneTimeLink, token: string, actor: string): Work<void> {
    const now = this.#now();
    yield* run(
      'DELETE FROM one_time_links WHERE (purpose = ? AND user_id IS NOT DISTINCT FROM ?) OR expires_at <= ?',
      ...[purpose, userId, now],
    );
    yield* run(
      'INSERT INTO one_time_links VALUES (?, ?, ?, ?, ?, ?)',
      ...[hashOf(token), purpose, userId, now, actor, now + LINK_LIFETIME_MS],
    );
  }

  /**
   * The link of a token, without using it up, because mail scanners open links, too. Null: unknown, used or expired.
   */
  async look(token: string): Promise<OneTimeLink | null> {
    const [found] = await this.#database.rows<OneTimeLink>(FIND, hashOf(token), this.#now());
    return found ?? null;
  }

  /** Uses up a link. Of two concurrent calls, one gets the link and the other null. */
  take(token: string): Promise<OneTimeLink | null> {
    return this.#database.transaction(() => this.#take(token));
  }

  *#take(token: string): Work<OneTimeLink | null> {
    const [found] = yield* rows<OneTimeLink>(FIND, hashOf(token), this.#now());
    if (found === undefined) return null;
    yield* run('DELETE FROM one_time_links WHERE token_hash = ?', hashOf(token));
    return found;
  }

  /** Invalidates all links of a user. */
  async withdraw(userId: string): Promise<void> {
    await this.#database.run('DELETE FROM one_time_links WHERE user_id = ?', userId);
  }
}

/** A fast hash without salt is sufficient for 256 random bits. */
function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** The address of a new link to create the first administrator; null: one exists. Earlier links become invalid. */
export async function setupLink(accounts: Accounts, baseUrl: string): Promise<string | null> {
  if ((await accounts.states.activeAdmins()) > 0) return null;
  const token = await new OneTimeLinks(accounts.database).make({ purpose: 'setup', userId: null }, 'geomill');
  return linkAddress(baseUrl, 'setup', token);
}
