/** Creates, lists and disables users and makes links to set their passwords; for pages and the command line. */
import { randomUUID } from 'node:crypto';
import { failure } from '@geomill/core/messages/errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { COUNT_ADMINS } from '../../accounts/account-states.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import { rows, type Work } from '../../accounts/database.ts';
import { accountAreaErrors } from './errors.ts';
import type { Library } from './library.ts';
import { OneTimeLinks } from './one-time-links.ts';
import { passwordFault } from './password-rules.ts';

/** Times are milliseconds since 1970. */
export interface User {
  /** Account id, which owns keys and jobs. */
  readonly id: string;
  readonly email: string;
  /** False: reported by an identity provider that has not verified it. */
  readonly isEmailVerified: boolean;
  readonly name: string;
  readonly createdAt: number;
  readonly isAdmin: boolean;
  readonly disabledAt: number | null;
  readonly hasPassword: boolean;
}

export interface NewUser {
  readonly email: string;
  readonly name: string;
  readonly isAdmin: boolean;
}

interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly email_verified: number | boolean;
  readonly name: string;
  readonly created_at: string | Date;
  readonly is_admin: number | null;
  readonly disabled_at: number | null;
  readonly has_password: number;
}

const SELECT = `SELECT u.id, u.email, u."emailVerified" AS email_verified, u.name, u."createdAt" AS created_at,
    s.is_admin, s.disabled_at, (SELECT count(*) FROM account AS a WHERE a."userId" = u.id
      AND a."providerId" = 'credential' AND a.password IS NOT NULL) AS has_password
  FROM "user" AS u LEFT JOIN account_states AS s ON s.owner = u.id`;

const SOURCE = { method: 'admin' } as const;
const MAX_EMAIL_LENGTH = 200;
const MAX_NAME_LENGTH = 100;

export class Users {
  readonly #accounts: Accounts;
  readonly #library: Library;
  readonly links: OneTimeLinks;

  constructor(accounts: Accounts, library: Library) {
    this.#accounts = accounts;
    this.#library = library;
    this.links = new OneTimeLinks(accounts.database);
  }

  /** Sorted by e-mail address. */
  async list(): Promise<User[]> {
    const rows = await this.#accounts.database.rows<UserRow>(`${SELECT} ORDER BY u.email`);
    return rows.map(toUser);
  }

  get(id: string): Promise<User | null> {
    return this.#one('u.id = ?', id);
  }

  byEmail(email: string): Promise<User | null> {
    return this.#one('u.email = ?', email.trim().toLowerCase());
  }

  /** Throws USER_UNKNOWN. */
  async named(email: string): Promise<User> {
    const user = await this.byEmail(email);
    if (user === null) throw failure(accountAreaErrors.USER_UNKNOWN, { user: email });
    return user;
  }

  /** Creates a user without a password, who needs a link to set one. Throws ACCOUNT_FIELD. */
  async create(wanted: NewUser, actor: string): Promise<User> {
    const email = checkEmail(wanted.email);
    const name = checkPersonName(wanted.name === '' ? email.split('@', 1)[0] : wanted.name);
    if ((await this.byEmail(email)) !== null) throw refuse('email', 'is that of another user');
    const id = randomUUID();
    // Administrators know the address, so an issuer that verified the same address means the same person.
    await this.#library.context.internalAdapter.createUser({ id, email, name, emailVerified: true }, SOURCE);
    await this.#accounts.audit.append({ actor, event: 'user.created', subject: id, detail: { email } });
    if (wanted.isAdmin) await this.#accounts.states.change(id, { isAdmin: true }, actor);
    return (await this.get(id))!;
  }

  /** Sets the password of a user and ends all sessions. Throws ACCOUNT_FIELD. */
  async setPassword({ id, email }: User, password: string, actor: string): Promise<void> {
    checkPassword(password, email);
    const { internalAdapter, password: hasher } = this.#library.context;
    const hash = await hasher.hash(password);
    const account = await internalAdapter.findCredentialAccount(id);
    if (account === null || account === undefined)
      await internalAdapter.linkAccount({
        userId: id,
        providerId: 'credential',
        accountId: id,
        password: hash,
      });
    else await internalAdapter.updateAccount(account.id, { password: hash });
    await internalAdapter.deleteUserSessions(id);
    await this.links.withdraw(id);
    await this.#noteChange(id, actor, { password: 'set' });
  }

  /** The token of a link to set a password. An existing password stays valid until then. */
  async makeLink(user: User, actor: string): Promise<string> {
    const token = await this.links.make({ purpose: 'password', userId: user.id }, actor);
    await this.#noteChange(user.id, actor, { link: 'made' });
    return token;
  }

  /** Rejects sessions, links, keys, clients and their tokens immediately. Throws LAST_ADMIN. */
  async disable(user: User, actor: string): Promise<void> {
    await this.#accounts.database.transaction(() => this.#disable(user, actor));
    await this.links.withdraw(user.id);
    await this.#library.context.internalAdapter.deleteUserSessions(user.id);
  }

  /** Keys that were not revoked become valid again. */
  enable(user: User, actor: string): Promise<void> {
    return this.#accounts.states.change(user.id, { isDisabled: false }, actor);
  }

  /** Removing the role revokes keys and clients with the scope admin. Throws LAST_ADMIN. */
  setAdmin(user: User, isAdmin: boolean, actor: string): Promise<void> {
    return this.#accounts.database.transaction(() => this.#setAdmin(user, isAdmin, actor));
  }

  async endSessions(user: Pick<User, 'id'>, actor: string): Promise<void> {
    await this.#library.context.internalAdapter.deleteUserSessions(user.id);
    await this.#noteChange(user.id, actor, { sessions: 'ended' });
  }

  *#disable(user: User, actor: string): Work<void> {
    yield* this.#accounts.states.changing(user.id, { isDisabled: true }, actor);
    yield* checkAdminLeft(user);
  }

  *#setAdmin(user: User, isAdmin: boolean, actor: string): Work<void> {
    const { credentials, states } = this.#accounts;
    if (!isAdmin) yield* credentials.revoking(user.id, ({ scopes }) => scopes.includes('admin'), actor);
    yield* states.changing(user.id, { isAdmin }, actor);
    if (!isAdmin) yield* checkAdminLeft(user);
  }

  #noteChange(subject: string, actor: string, detail: Readonly<Record<string, string>>): Promise<void> {
    return this.#accounts.audit.append({ actor, event: 'user.changed', subject, detail });
  }

  async #one(condition: string, value: string): Promise<User | null> {
    const [row] = await this.#accounts.database.rows<UserRow>(`${SELECT} WHERE ${condition}`, value);
    return row === undefined ? null : toUser(row);
  }
}

/** Throws LAST_ADMIN, which rolls back a change that left no administrator. */
function* checkAdminLeft({ isAdmin, disabledAt, email }: User): Work<void> {
  if (!isAdmin || disabledAt !== null) return;
  const [{ count }] = yield* rows<{ count: number }>(COUNT_ADMINS);
  if (count === 0) throw failure(accountAreaErrors.LAST_ADMIN, { user: email });
}

/** Lower case. Throws ACCOUNT_FIELD. */
export function checkEmail(given: string): string {
  const email = given.trim().toLowerCase();
  // The same check as in the library; whether the mailbox exists is unknown.
  const isPlausible = /^[a-z0-9_+'&-]+(?:\.[a-z0-9_+'&-]+)*@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/;
  if (email.length > MAX_EMAIL_LENGTH || !isPlausible.test(email))
    throw refuse('email', 'must be an e-mail address like ada@example.org');
  return email;
}

/** Throws ACCOUNT_FIELD. */
export function checkPassword(password: string, email: string): void {
  const fault = passwordFault(password, email);
  if (fault !== null) throw refuse('password', fault);
}

function checkPersonName(given: string): string {
  const name = given.trim().normalize('NFC');
  if (name.length > MAX_NAME_LENGTH)
    throw refuse('name', `must not be longer than ${MAX_NAME_LENGTH} characters`);
  // Control and format characters could forge log lines or page texts.
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name))
    throw refuse('name', 'must not contain control characters');
  return name;
}

function refuse(path: string, reason: string): Error {
  return failure(accountAreaErrors.ACCOUNT_FIELD, { path: field(path), reason });
}

function toUser(row: UserRow): User {
  return {
    id: row.id,
    email: row.email,
    isEmailVerified: Boolean(row.email_verified),
    name: row.name,
    createdAt: new Date(row.created_at).getTime(),
    isAdmin: row.is_admin === 1,
    disabledAt: row.disabled_at,
    hasPassword: row.has_password > 0,
  };
}
