/**
 * Creates, checks, lists and revokes API keys and OAuth clients, which differ only in how they are sent.
 *
 * Secrets are stored as SHA-256. Slow hashes (argon2, scrypt) protect passwords, which can be guessed; 160 random bits
 * cannot, and a slow hash would cost every request milliseconds.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { failure } from '@geomill/core/messages/errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import type { AuditDetail, AuditLog } from './audit.ts';
import { type AccountsDatabase, rows, run, type SqlValue, type Work } from './database.ts';
import { accountErrors } from './errors.ts';
import { LastUse } from './last-use.ts';
import { checkExpiry, checkName, checkOwner, checkScopes } from './new-credential.ts';
import { formatScopes, parseScopes, type Scope, type Verification } from './principal.ts';
import { idOfSecret, makeId, makeSecret } from './secret-text.ts';
import { Verified } from './verified.ts';

export type CredentialKind = 'key' | 'client';

export interface NewCredential {
  readonly kind: CredentialKind;
  /** Account id. */
  readonly owner: string;
  /** Display name; not unique. */
  readonly name: string;
  /** At least one. */
  readonly scopes: readonly Scope[];
  /** Milliseconds since 1970; null: does not expire. */
  readonly expiresAt: number | null;
}

/** All times in milliseconds since 1970. */
export interface Credential extends NewCredential {
  /** `gm_...` of a key, `gmc_...` of a client; public. */
  readonly id: string;
  readonly createdAt: number;
  readonly createdBy: string;
  /** Accurate to a minute; null: never used. */
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

export interface CredentialFilter {
  readonly owner?: string;
  readonly kind?: CredentialKind;
}

export type CredentialChange = Partial<Pick<NewCredential, 'name' | 'expiresAt'>>;

export type CredentialState = 'active' | 'expired' | 'revoked';

export interface CreatedCredential {
  readonly credential: Credential;
  /** The API key or client secret, which is not stored and cannot be shown again. */
  readonly secret: string;
}

interface CredentialRow {
  readonly id: string;
  readonly kind: CredentialKind;
  readonly owner: string;
  readonly name: string;
  readonly scopes: string;
  readonly secret_hash: Uint8Array;
  readonly created_at: number;
  readonly created_by: string;
  readonly expires_at: number | null;
  readonly last_used_at: number | null;
  readonly revoked_at: number | null;
}

type CheckedRow = Pick<
  CredentialRow,
  'owner' | 'scopes' | 'secret_hash' | 'expires_at' | 'last_used_at' | 'revoked_at'
> & { /** Of its owner's account. */ readonly disabled_at: number | null };
type FoundRow = CheckedRow | { readonly [Column in keyof CheckedRow]: null };

/** A key that was verified. */
interface KnownKey {
  readonly id: string;
  readonly verification: Verification;
  /** As stored. */
  readonly lastUsedAt: number | null;
}

const PREFIXES = { key: { id: 'gm_', secret: 'gm' }, client: { id: 'gmc_', secret: 'gms' } } as const;

/** Hash for unknown ids, so that they take as long as wrong secrets. No text hashes to it. */
const NO_HASH = randomBytes(32);

/** Returns a row for unknown ids too, so that timing does not reveal which ids exist. */
const FIND = `SELECT owner, scopes, secret_hash, expires_at, last_used_at, revoked_at,
    (SELECT disabled_at FROM account_states AS s WHERE s.owner = credentials.owner) AS disabled_at
  FROM (SELECT CAST(? AS text) AS wanted) AS given LEFT JOIN credentials ON id = wanted`;
const GET = 'SELECT * FROM credentials WHERE id = ?';
const INSERT = `INSERT INTO credentials
    (id, kind, owner, name, scopes, secret_hash, created_at, created_by, expires_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`;

export class Credentials {
  readonly #database: AccountsDatabase;
  readonly #audit: AuditLog;
  readonly #lastUse: LastUse;
  readonly #verified: Verified<KnownKey>;
  readonly #now: () => number;

  constructor(database: AccountsDatabase, audit: AuditLog, now: () => number = Date.now) {
    this.#database = database;
    this.#audit = audit;
    this.#lastUse = new LastUse(database);
    this.#verified = new Verified(database);
    this.#now = now;
  }

  /** `actor`: for the audit log. Throws CREDENTIAL_FIELD. */
  async create(wanted: NewCredential, actor: string): Promise<CreatedCredential> {
    const now = this.#now();
    const owner = checkOwner(wanted.owner);
    const name = checkName(wanted.name);
    const scopes = checkScopes(wanted.scopes);
    const expiresAt = checkExpiry(wanted.expiresAt, now);
    const checked = { ...wanted, owner, name, scopes, expiresAt };
    return this.#database.transaction(() => this.#add(checked, now, actor));
  }

  *#add(
    { kind, owner, name, expiresAt, ...wanted }: NewCredential,
    now: number,
    actor: string,
  ): Work<CreatedCredential> {
    const scopes = formatScopes(wanted.scopes);
    // Repeated if the random id exists already, with a probability of keys / 10^14.
    for (;;) {
      const publicId = makeId();
      const id = PREFIXES[kind].id + publicId;
      const secret = makeSecret(PREFIXES[kind].secret, publicId);
      const values = [id, kind, owner, name, scopes, hashOf(secret), now, actor, expiresAt];
      if ((yield* run(INSERT, ...values)) === 0) continue;
      const detail = { owner, name, scopes, expiresAt };
      yield* this.#audit.adding({ actor, event: `${kind}.created`, subject: id, detail });
      return { credential: (yield* this.#get(id))!, secret };
    }
  }

  /** Checks an API key against the current database. Takes about 7 µs, or 3 if the database has not changed. */
  async verifyKey(text: string): Promise<Verification> {
    const now = this.#now();
    const known = this.#verified.find(text, now);
    if (known !== null) {
      this.#lastUse.note(known.id, known.lastUsedAt, now);
      return known.verification;
    }
    const publicId = idOfSecret('gm', text);
    // Faster than the other checks, which reveals nothing: the format of keys is public.
    return publicId === null ? { refused: 'malformed' } : this.#verify('key', publicId, text);
  }

  /** Checks the secret of an OAuth client for the token endpoint. */
  async verifyClient(clientId: string, secret: string): Promise<Verification> {
    const publicId = idOfSecret('gms', secret);
    if (publicId === null) return { refused: 'malformed' };
    // The secret belongs to another client. Both ids are public.
    if (PREFIXES.client.id + publicId !== clientId) return { refused: 'unknown' };
    return this.#verify('client', publicId, secret);
  }

  /** Checks whether the client of a valid token is still active. */
  async checkClient(clientId: string): Promise<Verification> {
    if (!clientId.startsWith(PREFIXES.client.id)) return { refused: 'unknown' };
    const [row] = await this.#database.rows<FoundRow>(FIND, clientId);
    return row.owner === null ? { refused: 'unknown' } : this.#judge('client', clientId, row);
  }

  async get(id: string): Promise<Credential | null> {
    const [row] = await this.#database.rows<CredentialRow>(GET, id);
    return row === undefined ? null : toCredential(row);
  }

  *#get(id: string): Work<Credential | null> {
    const [row] = yield* rows<CredentialRow>(GET, id);
    return row === undefined ? null : toCredential(row);
  }

  /** All credentials, or those of an owner, newest first, including revoked and expired ones. */
  async list(filter: CredentialFilter = {}): Promise<Credential[]> {
    const { sql, values } = listing(filter);
    return (await this.#database.rows<CredentialRow>(sql, ...values)).map(toCredential);
  }

  stateOf({ revokedAt, expiresAt }: Pick<Credential, 'revokedAt' | 'expiresAt'>): CredentialState {
    if (revokedAt !== null) return 'revoked';
    return expiresAt !== null && expiresAt <= this.#now() ? 'expired' : 'active';
  }

  /** Changes name or expiry. Null: unknown id. Throws CREDENTIAL_FIELD, also for revoked credentials. */
  change(id: string, wanted: CredentialChange, actor: string): Promise<Credential | null> {
    return this.#database.transaction(() => this.#change(id, wanted, actor));
  }

  /**
   * When it resolves, all processes reject the credential and its tokens. Null: unknown id. Revoking again is not an error.
   */
  revoke(id: string, actor: string): Promise<Credential | null> {
    return this.#database.transaction(() => this.#revoke(id, actor));
  }

  /** Revokes all credentials of an owner. Returns the number of those that were not revoked before. */
  revokeAllOf(owner: string, actor: string): Promise<number> {
    return this.#database.transaction(() => this.revoking(owner, () => true, actor));
  }

  /** Revokes the credentials of an owner that are `wanted`, as a part of a transaction. Returns their number. */
  *revoking(owner: string, wanted: (credential: Credential) => boolean, actor: string): Work<number> {
    const { sql, values } = listing({ owner });
    const found = (yield* rows<CredentialRow>(sql, ...values)).map(toCredential);
    const active = found.filter((one) => one.revokedAt === null && wanted(one));
    for (const { id } of active) yield* this.#revoke(id, actor);
    return active.length;
  }

  /** Writes pending times of last use. */
  flush(): Promise<void> {
    return this.#lastUse.flush();
  }

  *#change(id: string, wanted: CredentialChange, actor: string): Work<Credential | null> {
    const found = yield* this.#get(id);
    if (found === null) return null;
    const name = wanted.name === undefined ? found.name : checkName(wanted.name);
    const expiresAt =
      wanted.expiresAt === undefined ? found.expiresAt : checkExpiry(wanted.expiresAt, this.#now());
    if (found.revokedAt !== null)
      throw failure(accountErrors.CREDENTIAL_FIELD, {
        path: field('id'),
        reason: `is '${id}', which is revoked`,
      });
    yield* run('UPDATE credentials SET name = ?, expires_at = ? WHERE id = ?', name, expiresAt, id);
    const detail: AuditDetail = { owner: found.owner, name, expiresAt };
    yield* this.#audit.adding({ actor, event: `${found.kind}.changed`, subject: id, detail });
    return { ...found, name, expiresAt };
  }

  *#revoke(id: string, actor: string): Work<Credential | null> {
    const found = yield* this.#get(id);
    if (found === null || found.revokedAt !== null) return found;
    const revokedAt = this.#now();
    yield* run('UPDATE credentials SET revoked_at = ? WHERE id = ?', revokedAt, id);
    const detail = { owner: found.owner, name: found.name };
    yield* this.#audit.adding({ actor, event: `${found.kind}.revoked`, subject: id, detail });
    return { ...found, revokedAt };
  }

  async #verify(kind: CredentialKind, publicId: string, secret: string): Promise<Verification> {
    const id = PREFIXES[kind].id + publicId;
    const version = this.#verified.version();
    const [row] = await this.#database.rows<FoundRow>(FIND, id);
    const isRight = timingSafeEqual(hashOf(secret), row.secret_hash ?? NO_HASH);
    // Expiry and revocation are revealed only to those who have the secret.
    if (!isRight || row.owner === null) return { refused: 'unknown' };
    const verification = this.#judge(kind, id, row);
    // Not for clients, whose secrets are checked rarely, and not for failures, which anyone can cause in any number.
    if (kind === 'key' && verification.ok !== undefined)
      this.#verified.keep(
        secret,
        { id, verification, lastUsedAt: row.last_used_at },
        version,
        row.expires_at,
      );
    return verification;
  }

  #judge(kind: CredentialKind, id: string, row: CheckedRow): Verification {
    const now = this.#now();
    if (row.revoked_at !== null) return { refused: 'revoked', id };
    if (row.expires_at !== null && row.expires_at <= now) return { refused: 'expired', id };
    if (row.disabled_at !== null) return { refused: 'disabled', id };
    this.#lastUse.note(id, row.last_used_at, now);
    return { ok: { owner: row.owner, scopes: parseScopes(row.scopes).scopes, credential: { kind, id } } };
  }
}

function hashOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

function listing(filter: CredentialFilter): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
  const where = wanted.map(([column]) => `${column} = ?`).join(' AND ');
  const sql = `SELECT * FROM credentials ${where === '' ? '' : `WHERE ${where}`} ORDER BY created_at DESC, id`;
  return { sql, values: wanted.map(([, value]) => value) };
}

function toCredential(row: CredentialRow): Credential {
  return {
    id: row.id,
    kind: row.kind,
    owner: row.owner,
    name: row.name,
    scopes: parseScopes(row.scopes).scopes,
    createdAt: row.created_at,
    createdBy: row.created_by,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}
