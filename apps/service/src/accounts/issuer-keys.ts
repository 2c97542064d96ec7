/**
 * The key set of an external issuer, found by OpenID Connect Discovery 1.0.
 *
 * Alternative rejected: jose's createRemoteJWKSet, which has no discovery, does not keep serving old keys while the issuer
 * is unreachable, retries without a pause after failures, and does not limit the size of responses.
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
  /** `issuer` in its metadata must be identical (Discovery, 4.3). */
  readonly issuer: string;
  /** Age at which the keys are fetched again. Default 10 minutes. */
  readonly maxAgeMs?: number;
  /** Maximum age of keys while the issuer is unreachable. Default 1 hour. */
  readonly staleMs?: number;
  /** Minimum time between fetches for unknown key ids, so that made-up ids do not flood the issuer. Default 30 s. */
  readonly cooldownMs?: number;
  /** Minimum time after a failed fetch. Default 5 s. */
  readonly retryMs?: number;
  /** Timeout of one request. Default 5 s. */
  readonly timeoutMs?: number;
  readonly now?: () => number;
}

/** The issuer is unreachable, so the token cannot be verified. `message` is for the log. */
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

  /** The key for the signature of a token, for jose. Throws IssuerUnavailable and jose's errors. */
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

  /** A newer key set, for a key that is not in `known`; null: too early to fetch again. */
  async #newerThan(known: Snapshot): Promise<Snapshot | null> {
    if (this.#snapshot !== null && this.#snapshot !== known) return this.#snapshot;
    const isEarly = this.#options.now() - known.fetchedAt < this.#options.cooldownMs;
    return isEarly && this.#fetching === null ? null : this.#fetch();
  }

  /** Concurrent callers share one fetch. After a failure there is a pause. */
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
    // Keys received over http cannot be trusted, unless the issuer is on this machine.
    if (!isSafeAddress(address) || (isHttps(issuer) && !isHttps(address)))
      throw new Error(`${address} is not https`);
    const response = await fetch(address, {
      // A redirect could lead to http or into the internal network.
      redirect: 'error',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(this.#options.timeoutMs),
    }).catch((error: Error) => {
      // The message of fetch is only "fetch failed"; the reason is in the cause.
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
    // Error of the platform for an invalid key of the issuer.
    throw new errors.JWKSInvalid('a key of the issuer cannot be used', { cause: error });
  }
}

/** https, or http to a loopback address. */
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
