/** Finds the owner of a credential by the name that an operator gives. */
import { failure } from '../errors.ts';
import type { AccountsDatabase } from './database.ts';
import { checkOwner } from './new-credential.ts';

export interface Owner {
  /** Account id, as used in credentials, tokens and jobs. */
  readonly id: string;
  /** A user who can sign in, or a service account. */
  readonly kind: 'user' | 'service';
}

export class Owners {
  readonly #database: AccountsDatabase;

  constructor(database: AccountsDatabase) {
    this.#database = database;
  }

  /**
   * The owner that `text` names: a user by e-mail address or id, otherwise a service account, which needs only a name.
   * If there are users, an unknown e-mail address is an error, not a service account.
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

  /** The user library creates its table when the service first needs it. */
  #hasUsers(): boolean {
    const found = this.#database.durable
      .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'user'")
      .get();
    return found !== undefined;
  }
}
