/**
 * The key set of an outside issuer, by OpenID Connect Discovery 1.0: the issuer's metadata names where its keys are.
 *
 * Not jose's createRemoteJWKSet: that one knows nothing of discovery, and has no keys at all while the issuer is away.
 */
import {
  type CryptoKey,
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWTHeaderParameters,
  type LocalJWKSet,
} from 'jose';

export interface IssuerKeysOptions {
  /** As configured. `issuer` in its metadata has to be the same, character by character (Discovery, 4.3). */
  readonly issuer: string;
  /** After which the keys are fetched anew. Default 10 minutes. */
  readonly maxAgeMs?: number;
  /** While the issuer does not answer, keys up to this age serve on. Default 1 hour. */
  readonly staleMs?: number;
  /** Least time from one fetch to the next for key ids that are not in the set: made-up ones must not flood the issuer. Default 30 s. */
  readonly cooldownMs?: number;
  /** Least time from a fetch that failed to the next. Default 5 s. */
  readonly retryMs?: number;
  /** For one request. Default 5 s. */
  readonly timeoutMs?: number;
  readonly now?: () => number;
}

/** The issuer cannot be asked: nobody knows whether the token is good. `message` is for our own log. */
export class IssuerUnavailable extends Error {
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number, cause?: unknown) {
    super(message, { cause });
    this.name = 'IssuerUnavailable';
    this.retryAfterMs = retryAfterMs;
  }
}

interface Snapshot {
  readonly keySet: LocalJWKSet;
  readonly fetchedAt: number;
}

const MAX_BODY_BYTES = 512 * 1024;

export class IssuerKeys {
  readonly #options: Required<IssuerKeysOptions>;
  #snapshot: Snapshot | null = null;
  #failure: { readonly at: number; readonly error: Error } | null = null;
  #fetching: Promise<Snapshot> | null = null;

  constructor(options: IssuerKeysOptions) {
    this.#options = {
      issuer: options.issuer,
      maxAgeMs: options.maxAgeMs ?? 10 * 60_000,
      staleMs: options.staleMs ?? 3600_000,
      cooldownMs: options.cooldownMs ?? 30_000,
      retryMs: options.retryMs ?? 5000,
      timeoutMs: options.timeoutMs ?? 5000,
      now: options.now ?? Date.now,
    };
  }

  /** The key for the signature of a token, as jose asks for it. Throws IssuerUnavailable and jose's errors. */
  async keyFor(header: JWTHeaderParameters, token: FlattenedJWSInput): Promise<CryptoKey> {
    const known = await this.#usable();
    try {
      return await select(known, header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const newer = await this.#newerThan(known);
      if (newer === null) throw error;
      return select(newer, header, token);
    }
  }

  async #usable(): Promise<Snapshot> {
    const snapshot = this.#snapshot;
    const age = snapshot === null ? Number.POSITIVE_INFINITY : this.#options.now() - snapshot.fetchedAt;
    if (snapshot !== null && age < this.#options.maxAgeMs) return snapshot;
    try {
      return await this.#fetch();
    } catch (error) {
      if (snapshot !== null && age < this.#options.staleMs) return snapshot;
      throw error;
    }
  }

  /** For a key that is not in `known`; null where it is too early to ask again. */
  async #newerThan(known: Snapshot): Promise<Snapshot | null> {
    if (this.#snapshot !== null && this.#snapshot !== known) return this.#snapshot;
    const isEarly = this.#options.now() - known.fetchedAt < this.#options.cooldownMs;
    return isEarly && this.#fetching === null ? null : this.#fetch();
  }

  /** All who ask at the same time share one fetch. After a failure nobody is asked for a while. */
  #fetch(): Promise<Snapshot> {
    const { now, retryMs } = this.#options;
    const restMs = this.#failure === null ? 0 : this.#failure.at + retryMs - now();
    if (restMs > 0 && this.#fetching === null)
      return Promise.reject(
        new IssuerUnavailable(this.#failure!.error.message, restMs, this.#failure!.error),
      );
    this.#fetching ??= this.#fetchKeys()
      .then((keySet) => {
        this.#failure = null;
        this.#snapshot = { keySet, fetchedAt: now() };
        return this.#snapshot;
      })
      .catch((error: Error) => {
        this.#failure = { at: now(), error };
        throw new IssuerUnavailable(error.message, retryMs, error);
      })
      .finally(() => {
        this.#fetching = null;
      });
    return this.#fetching;
  }

  async #fetchKeys(): Promise<LocalJWKSet> {
    const { issuer } = this.#options;
    const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const metadata = await this.#fetchJson(address, issuer);
    if (metadata.issuer !== issuer)
      throw new Error(`${address} names another issuer, '${String(metadata.issuer)}'`);
    if (typeof metadata.jwks_uri !== 'string') throw new Error(`${address} has no jwks_uri`);
    const keys: unknown = await this.#fetchJson(metadata.jwks_uri, issuer);
    return createLocalJWKSet(keys as JSONWebKeySet);
  }

  async #fetchJson(address: string, issuer: string): Promise<Record<string, unknown>> {
    // Keys that come by plain http are anybody's, unless the issuer itself is on this machine.
    if (!isSafeAddress(address) || (isHttps(issuer) && !isHttps(address)))
      throw new Error(`${address} is not https`);
    const response = await fetch(address, {
      // Followed, it could lead to plain http or into the inner network.
      redirect: 'error',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(this.#options.timeoutMs),
    }).catch((error: Error) => {
      // fetch says no more than "fetch failed"; why stands in the cause.
      const reason = error.cause instanceof Error ? error.cause.message : error.message;
      throw new Error(`${address} cannot be fetched: ${reason}`, { cause: error });
    });
    try {
      if (response.status !== 200) throw new Error(`${address} answers ${response.status}`);
      return asObject(JSON.parse(await bodyText(response, address)), address);
    } finally {
      if (!response.bodyUsed) await response.body?.cancel();
    }
  }
}

async function select(
  { keySet }: Snapshot,
  header: JWTHeaderParameters,
  token: FlattenedJWSInput,
): Promise<CryptoKey> {
  try {
    return await keySet(header, token);
  } catch (error) {
    if (error instanceof errors.JOSEError) throw error;
    // What the platform says to a key of the issuer that is none.
    throw new errors.JWKSInvalid('a key of the issuer cannot be used', { cause: error });
  }
}

/** https, or http to this machine itself. */
export function isSafeAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback);
}

function isHttps(address: string): boolean {
  return new URL(address).protocol === 'https:';
}

async function bodyText(response: Response, address: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) throw new Error(`${address} answers more than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function asObject(value: unknown, address: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${address} answers no JSON object`);
  return value as Record<string, unknown>;
}
