/**
 * Access tokens for OAuth clients (RFC 6749, 4.4) and for pages with a session: signed JWTs in the profile of RFC 9068, which
 * others can verify with the key set. This service also looks up the client or session, so that tokens of a revoked client
 * or an ended session are rejected immediately.
 */
import { randomUUID } from 'node:crypto';
import { errors, type JWTPayload, type JWTVerifyResult, jwtVerify, SignJWT } from 'jose';
import type { AccountStates } from './account-states.ts';
import { isCompactToken } from './compact-token.ts';
import type { Credentials } from './credentials.ts';
import type { AccountsDatabase } from './database.ts';
import {
  formatScopes,
  hasScope,
  type Principal,
  parseScopes,
  sessionPrincipal,
  type Verification,
} from './principal.ts';
import type { PageSession, Sessions } from './sessions.ts';
import type { SigningKeys } from './signing-keys.ts';
import { Verified } from './verified.ts';

export interface AccessTokensOptions {
  /** `iss`: the public address of the service, or a name if it has none. */
  readonly issuer: string;
  /** `aud` of the tokens. */
  readonly audience: string;
  readonly lifetimeMs: number;
  readonly now?: () => number;
}

export interface IssuedToken {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  /** Granted scopes, separated by spaces. */
  readonly scope: string;
  readonly principal: Principal;
}

/** The error codes of RFC 6749, 5.2. `refusal` is for the log and the audit log. */
export type IssueResult =
  | { readonly ok: IssuedToken; readonly error?: undefined }
  | { readonly ok?: undefined; readonly error: 'invalid_client'; readonly refusal: Verification }
  | { readonly ok?: undefined; readonly error: 'invalid_scope'; readonly scope: string };

/** Maximum difference between the clocks of two machines. */
const CLOCK_TOLERANCE_SECONDS = 5;
const TYPE = 'at+jwt';
/** `client_id` of tokens for pages. Ids of OAuth clients begin with `gmc_`. */
const PAGE_CLIENT = 'page';
/** Pages can always get another one. */
const MAX_PAGE_LIFETIME_MS = 5 * 60_000;
/** Tokens of this service have about 600 characters. Longer ones are rejected unread. */
const MAX_TOKEN_LENGTH = 4096;

export class AccessTokens {
  readonly #keys: SigningKeys;
  readonly #credentials: Credentials;
  readonly #sessions: Sessions;
  readonly #states: AccountStates;
  readonly #options: AccessTokensOptions;
  readonly #verified: Verified<JWTPayload>;
  readonly #now: () => number;

  constructor(
    database: AccountsDatabase,
    keys: SigningKeys,
    credentials: Credentials,
    { sessions, states }: { readonly sessions: Sessions; readonly states: AccountStates },
    options: AccessTokensOptions,
  ) {
    this.#verified = new Verified(database);
    this.#keys = keys;
    this.#credentials = credentials;
    this.#sessions = sessions;
    this.#states = states;
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Issues a token for a client with the right secret. `scope`: requested scopes, separated by spaces; default: all scopes
   * of the client. A scope that the client does not have is an error.
   */
  async issue(clientId: string, clientSecret: string, scope?: string): Promise<IssueResult> {
    const refusal = await this.#credentials.verifyClient(clientId, clientSecret);
    if (refusal.ok === undefined) return { error: 'invalid_client', refusal };
    const client = refusal.ok;
    const wanted = parseScopes(scope ?? '');
    const tooMuch = [...wanted.unknown, ...wanted.scopes.filter((one) => !hasScope(client, one))];
    if (tooMuch.length > 0) return { error: 'invalid_scope', scope: tooMuch.join(' ') };
    const principal = wanted.scopes.length === 0 ? client : { ...client, scopes: wanted.scopes };
    const { id } = principal.credential;
    return { ok: await this.#sign(principal, { client_id: id }, id, this.#options.lifetimeMs) };
  }

  /** For pages of this service. `session`: as the account area has verified it. Never has the scope admin. */
  issueForSession({ id, owner }: PageSession): Promise<IssuedToken> {
    const lifetimeMs = Math.min(this.#options.lifetimeMs, MAX_PAGE_LIFETIME_MS);
    return this.#sign(sessionPrincipal(owner), { client_id: PAGE_CLIENT, sid: id }, owner, lifetimeMs);
  }

  /** Verifies a token and checks that its client or session is still active. Never throws because of the token. */
  async verify(token: string): Promise<Verification> {
    let payload = this.#verified.find(token, this.#now());
    if (payload === null) {
      if (!isCompactToken(token, MAX_TOKEN_LENGTH)) return { refused: 'malformed' };
      const version = this.#verified.version();
      try {
        ({ payload } = await this.#checkSignature(token));
      } catch (error) {
        if (error instanceof errors.JWTExpired) return { refused: 'expired' };
        if (error instanceof errors.JOSEError) return { refused: 'invalid' };
        throw error;
      }
      this.#verified.keep(token, payload, version, (payload.exp ?? 0) * 1000);
    }
    const { sub, owner, scope, sid, client_id: clientId } = payload;
    if (sub === undefined || typeof scope !== 'string') return { refused: 'invalid' };
    if (clientId === PAGE_CLIENT) return this.#judgeSession({ id: String(sid), owner: sub });
    const { ok: client, ...refusal } = await this.#credentials.checkClient(sub);
    if (client === undefined) return refusal as Verification;
    if (client.owner !== owner) return { refused: 'invalid', id: sub };
    // Scopes that the client has lost since the token was issued do not count.
    const scopes = parseScopes(scope).scopes.filter((one) => hasScope(client, one));
    return { ok: { ...client, scopes } };
  }

  async #judgeSession(session: PageSession): Promise<Verification> {
    const { owner } = session;
    if ((await this.#states.of(owner)).disabledAt !== null) return { refused: 'disabled', id: owner };
    if (!(await this.#sessions.isActive(session, this.#now()))) return { refused: 'revoked', id: owner };
    return { ok: sessionPrincipal(owner) };
  }

  async #sign(
    principal: Principal,
    claims: { readonly client_id: string; readonly sid?: string },
    subject: string,
    lifetimeMs: number,
  ): Promise<IssuedToken> {
    const { kid, algorithm, key } = await this.#keys.current();
    const { issuer, audience } = this.#options;
    const issuedAt = Math.floor(this.#now() / 1000);
    const expiresInSeconds = Math.floor(lifetimeMs / 1000);
    const scope = formatScopes(principal.scopes);
    const accessToken = await new SignJWT({ ...claims, owner: principal.owner, scope })
      .setProtectedHeader({ alg: algorithm, kid, typ: TYPE })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(subject)
      .setIssuedAt(issuedAt)
      .setNotBefore(issuedAt)
      .setExpirationTime(issuedAt + expiresInSeconds)
      .setJti(randomUUID())
      .sign(key);
    return { accessToken, expiresInSeconds, scope, principal };
  }

  #checkSignature(token: string): Promise<JWTVerifyResult> {
    const keyOf = async ({ kid, alg }: { kid?: string; alg?: string }): Promise<CryptoKey> => {
      const found = typeof kid === 'string' ? await this.#keys.toVerify(kid) : null;
      if (found === null) throw new errors.JWKSNoMatchingKey();
      // The algorithm is a property of the key. If tokens could choose it, forged ones would use HMAC with the public key.
      if (alg !== found.algorithm) throw new errors.JOSEAlgNotAllowed('not the algorithm of the key');
      return found.key;
    };
    return jwtVerify(token, keyOf, {
      algorithms: ['EdDSA'],
      typ: TYPE,
      issuer: this.#options.issuer,
      audience: this.#options.audience,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(this.#now()),
      requiredClaims: ['iss', 'aud', 'sub', 'client_id', 'owner', 'scope', 'iat', 'nbf', 'exp', 'jti'],
    });
  }
}
