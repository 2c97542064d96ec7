/**
 * The signing keys of access tokens, stored in the database for all processes of the service.
 *
 *     key 1  |--published--|======signs======|--verifies--|
 *     key 2                         |--published--|======signs======...
 *
 * A key is published in the key set before it signs, so that caches have it in time, and stays until the last token it
 * signed has expired. There is no timer: due changes are made when a key is needed.
 */
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { AuditLog } from './audit.ts';
import { type AccountsDatabase, rows, run, type Work } from './database.ts';

/** Ed25519 (RFC 8037): short keys, and no parameter to choose wrongly. Stored with each key, never taken from a token. */
const ALGORITHM = 'EdDSA';
const DAY_MS = 24 * 3600 * 1000;

export interface SigningKeysOptions {
  /** How long a key signs. Default 30 days. */
  readonly rotationMs?: number;
  /** How long a key is published before it signs. Default 1 hour. */
  readonly leadMs?: number;
  /** Lifetime of the signed tokens. */
  readonly tokenLifetimeMs: number;
  readonly now?: () => number;
}

export interface SigningKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly key: CryptoKey;
}

/** State of a key: published before it signs, signing, only verifying, or expired. */
export type SigningKeyState = 'next' | 'signs' | 'verifies' | 'expired';

/** Public information about a key. Times are milliseconds since 1970. */
export interface SigningKeyFacts {
  readonly kid: string;
  readonly algorithm: string;
  readonly state: SigningKeyState;
  readonly signsFrom: number;
  /** When the last token it signed has expired. Null: no later key limits it. */
  readonly verifiesUntil: number | null;
}

interface KeyRow {
  readonly kid: string;
  readonly algorithm: string;
  readonly public_jwk: string;
  readonly private_jwk: string;
  readonly signs_from: number;
}

const ALL = 'SELECT * FROM signing_keys ORDER BY signs_from, kid';

export class SigningKeys {
  readonly #database: AccountsDatabase;
  readonly #audit: AuditLog;
  readonly #rotationMs: number;
  readonly #leadMs: number;
  readonly #verifiesMs: number;
  readonly #now: () => number;
  /** Imported keys. The database is read each time to check whether a key is still valid. */
  readonly #imported = new Map<string, Promise<CryptoKey>>();

  constructor(database: AccountsDatabase, audit: AuditLog, options: SigningKeysOptions) {
    this.#database = database;
    this.#audit = audit;
    this.#rotationMs = options.rotationMs ?? 30 * DAY_MS;
    this.#leadMs = options.leadMs ?? 3600 * 1000;
    // A minute more than the lifetime, because clocks of several machines differ.
    this.#verifiesMs = options.tokenLifetimeMs + 60_000;
    this.#now = options.now ?? Date.now;
  }

  /** The key that signs now. Creates the first key and the next one when due. */
  async current(): Promise<SigningKey> {
    const row = this.#signing(await this.#upToDate());
    return {
      kid: row.kid,
      algorithm: row.algorithm,
      key: await this.#import(`${row.kid} private`, row.private_jwk, row.algorithm),
    };
  }

  /** The key to verify a signature; null: unknown, or no valid token can be signed with it any more. */
  async toVerify(kid: string): Promise<SigningKey | null> {
    const row = this.#alive(await this.#rows()).find((one) => one.kid === kid);
    if (row === undefined) return null;
    const key = await this.#import(row.kid, row.public_jwk, row.algorithm);
    return { kid, algorithm: row.algorithm, key };
  }

  /** The key set to publish (RFC 7517): public halves only. */
  async keySet(): Promise<{ keys: JWK[] }> {
    const alive = this.#alive(await this.#upToDate());
    const keys = alive.map(
      ({ public_jwk, kid, algorithm }) =>
        ({ ...JSON.parse(public_jwk), kid, alg: algorithm, use: 'sig' }) as JWK,
    );
    return { keys };
  }

  /**
   * Creates the next key now, before it is due. `atOnce`: a private key has leaked; the new key signs from now on, and
   * tokens of all other keys are rejected.
   */
  async rotate({ atOnce = false, actor }: { atOnce?: boolean; actor: string }): Promise<SigningKeyFacts> {
    const row = await makeRow(this.#now() + (atOnce ? 0 : this.#leadMs));
    await this.#database.transaction(() => this.#add(row, atOnce, actor));
    return (await this.list()).find(({ kid }) => kid === row.kid)!;
  }

  *#add(row: KeyRow, atOnce: boolean, actor: string): Work<void> {
    if (atOnce) for (const { kid } of yield* rows<KeyRow>(ALL)) yield* this.#remove(kid, actor);
    yield* this.#insert(row, actor);
  }

  /** Every key in the database, the oldest first. Changes nothing. */
  async list(): Promise<readonly SigningKeyFacts[]> {
    const all = await this.#rows();
    const now = this.#now();
    const signing = all.length === 0 ? null : this.#signing(all);
    const alive = this.#alive(all);
    const stateOf = (row: KeyRow): SigningKeyState => {
      if (row === signing) return 'signs';
      if (row.signs_from > now) return 'next';
      return alive.includes(row) ? 'verifies' : 'expired';
    };
    return all.map((row, i) => ({
      kid: row.kid,
      algorithm: row.algorithm,
      state: stateOf(row),
      signsFrom: row.signs_from,
      verifiesUntil: i === all.length - 1 ? null : all[i + 1].signs_from + this.#verifiesMs,
    }));
  }

  /** All rows, after due changes. */
  async #upToDate(): Promise<readonly KeyRow[]> {
    const found = await this.#rows();
    const isOver = this.#alive(found).length < found.length;
    const dueAt = this.#nextFrom(found);
    if (!isOver && dueAt === null) return found;
    const next = dueAt === null ? null : await makeRow(dueAt);
    return this.#database.transaction(() => this.#bringUpToDate(next));
  }

  *#bringUpToDate(next: KeyRow | null): Work<readonly KeyRow[]> {
    const found = yield* rows<KeyRow>(ALL);
    const alive = this.#alive(found);
    for (const row of found) if (!alive.includes(row)) yield* this.#remove(row.kid, 'geomill');
    // Another process may have created the next key meanwhile.
    if (next !== null && this.#nextFrom(alive) !== null) yield* this.#insert(next, 'geomill');
    return yield* rows<KeyRow>(ALL);
  }

  /** The time from which a key created now would sign; null: none is due. */
  #nextFrom(all: readonly KeyRow[]): number | null {
    const now = this.#now();
    const last = all.at(-1);
    if (last === undefined) return now;
    if (now < last.signs_from + this.#rotationMs - this.#leadMs) return null;
    return Math.max(now + this.#leadMs, last.signs_from + this.#rotationMs);
  }

  #signing(all: readonly KeyRow[]): KeyRow {
    const now = this.#now();
    // If the clock was set back, all keys may be in the future: use the first.
    return all.findLast(({ signs_from }) => signs_from <= now) ?? all[0];
  }

  /** Without keys whose last token has expired. */
  #alive(all: readonly KeyRow[]): KeyRow[] {
    const now = this.#now();
    return all.filter((_, i) => i === all.length - 1 || now < all[i + 1].signs_from + this.#verifiesMs);
  }

  #rows(): Promise<readonly KeyRow[]> {
    return this.#database.rows<KeyRow>(ALL);
  }

  *#insert(row: KeyRow, actor: string): Work<void> {
    const { kid, algorithm, public_jwk, private_jwk, signs_from } = row;
    const values = [kid, algorithm, public_jwk, private_jwk, signs_from];
    yield* run('INSERT INTO signing_keys VALUES (?, ?, ?, ?, ?)', ...values);
    const detail = { signsFrom: signs_from };
    yield* this.#audit.adding({ actor, event: 'signing-key.created', subject: kid, detail });
  }

  *#remove(kid: string, actor: string): Work<void> {
    yield* run('DELETE FROM signing_keys WHERE kid = ?', kid);
    yield* this.#audit.adding({ actor, event: 'signing-key.removed', subject: kid });
  }

  #import(name: string, jwk: string, algorithm: string): Promise<CryptoKey> {
    const found = this.#imported.get(name);
    if (found !== undefined) return found;
    // Keys come once a month: all of years fit, and a database that is replaced under us does not grow it for ever.
    if (this.#imported.size >= 100) this.#imported.clear();
    const key = importJWK(JSON.parse(jwk) as JWK, algorithm) as Promise<CryptoKey>;
    this.#imported.set(name, key);
    return key;
  }
}

async function makeRow(signsFrom: number): Promise<KeyRow> {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
  const publicJwk = await exportJWK(publicKey);
  return {
    kid: await calculateJwkThumbprint(publicJwk),
    algorithm: ALGORITHM,
    public_jwk: JSON.stringify(publicJwk),
    private_jwk: JSON.stringify(await exportJWK(privateKey)),
    signs_from: signsFrom,
  };
}
