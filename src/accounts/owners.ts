/** Whom a credential belongs to, as an operator names it. */
import { failure } from '../errors.ts';
import type { AccountsDatabase } from './database.ts';
import { checkOwner } from './new-credential.ts';

export interface Owner {
  /** Account id: what stands in credentials, tokens and jobs. */
  readonly id: string;
  /** A user who can sign in, or a name that stands for itself. */
  readonly kind: 'user' | 'service';
}

export class Owners {
  readonly #database: AccountsDatabase;

  constructor(database: AccountsDatabase) {
    this.#database = database;
  }

  /**
   * The owner that `text` names: a user by e-mail address or id, else a service account, which needs no more than its
   * name. Where there are users an address that is none of theirs is a mistake, not a service account.
   * Throws OWNER_UNKNOWN, CREDENTIAL_FIELD.
   */
  resolve(text: string): Owner {
    const name = checkOwner(text);
    if (!this.#hasUsers()) return { id: name, kind: 'service' };
    const user = this.#database.durable
      .prepare('SELECT id FROM "user" WHERE id = ?1 OR lower(email) = lower(?1) ORDER BY id = ?1 DESC')
      .get<{ id: string }>(name);
    if (user !== undefined) return { id: user.id, kind: 'user' };
    if (name.includes('@')) throw failure('OWNER_UNKNOWN', { owner: name });
    return { id: name, kind: 'service' };
  }

  /** The table of users is made by the library that keeps them, when the service first needs it. */
  #hasUsers(): boolean {
    const found = this.#database.durable
      .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'user'")
      .get();
    return found !== undefined;
  }
}
