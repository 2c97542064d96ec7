/** Finds the owner of a credential by the name that an operator gives. */
import { failure } from '@geomill/core/messages/errors.ts';
import type { AccountsDatabase } from './database.ts';
import { accountErrors } from './errors.ts';
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
  async resolve(text: string): Promise<Owner> {
    const name = checkOwner(text);
    // The user library creates its table when the service first needs it.
    if (!(await this.#database.hasTable('user'))) return { id: name, kind: 'service' };
    const [user] = await this.#database.rows<{ id: string }>(
      `SELECT id FROM "user" WHERE id = ? OR lower(email) = lower(?) ORDER BY CASE WHEN id = ? THEN 0 ELSE 1 END`,
      name,
      name,
      name,
    );
    if (user !== undefined) return { id: user.id, kind: 'user' };
    if (name.includes('@')) throw failure(accountErrors.OWNER_UNKNOWN, { owner: name });
    return { id: name, kind: 'service' };
  }
}
