/** Access tokens of an outside OpenID Connect issuer: checked by its published keys, mapped to owners of our own. */
import { createHash } from 'node:crypto';
import {
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose';
import { failure } from '../errors.ts';
import { isCompactToken } from './compact-token.ts';
import { IssuerKeys, type IssuerKeysOptions, IssuerUnavailable, isSafeAddress } from './issuer-keys.ts';
import { DEFAULT_SCOPES, isScope, parseScopes, type Scope, type Verification } from './principal.ts';

export interface OidcOptions extends IssuerKeysOptions {
  /** `aud` that tokens for this service have. Not the client id of a web page: its id tokens would pass for access tokens. */
  readonly audience: string;
  /**
   * The claim that holds scopes, as a text separated by spaces or as a list. Named, it alone counts: a token without it
   * may do nothing. Default: what `scope` names of ours, except admin, else jobs:read and jobs:write.
   */
  readonly scopeClaim?: string;
}

export type OidcVerification =
  | (Verification & { readonly unavailable?: undefined })
  | {
      readonly ok?: undefined;
      readonly refused?: undefined;
      /** Why the issuer cannot be asked; for our own log. */
      readonly unavailable: string;
      readonly retryAfterMs: number;
    };

/** Asymmetric ones only: with HMAC the published keys would be the secret. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const CLOCK_TOLERANCE_SECONDS = 30;
/** Issuers put groups and roles into tokens; a request's headers end at 16 KiB anyway. */
const MAX_TOKEN_LENGTH = 16 * 1024;
/** An access token says so, or says nothing. Logout tokens, security events and the like are signed by the same keys. */
const TYPES = new Set(['jwt', 'at+jwt']);

export class OidcIssuer {
  readonly #options: OidcOptions;
  readonly #keys: IssuerKeys;
  readonly #now: () => number;

  /** Throws SETTING_INVALID where the issuer's address is not https; http goes for loopback addresses. */
  constructor(options: OidcOptions) {
    if (!isSafeAddress(options.issuer)) {
      const reason = 'give an https address; http is possible only on this machine itself';
      throw failure('SETTING_INVALID', { name: 'OIDC_ISSUER', value: options.issuer, reason });
    }
    this.#options = options;
    this.#keys = new IssuerKeys(options);
    this.#now = options.now ?? Date.now;
  }

  /** Whether a token says to be of this issuer: then this one judges it, and nobody else. */
  concerns(token: string): boolean {
    return claimedIssuer(token) === this.#options.issuer;
  }

  /** Checks a token. Never throws for what is in the token, or for the issuer. */
  async verify(token: string): Promise<OidcVerification> {
    // Before any key is looked for: a token of somebody else must not make us ask the issuer.
    const issuer = claimedIssuer(token);
    if (issuer === null) return { refused: 'malformed' };
    if (issuer !== this.#options.issuer) return { refused: 'invalid' };
    try {
      const { payload, protectedHeader } = await this.#checkSignature(token);
      const { typ = 'JWT' } = protectedHeader;
      if (!TYPES.has(typ.toLowerCase().replace(/^application\//, ''))) return { refused: 'invalid' };
      if (typeof payload.sub !== 'string' || payload.sub === '') return { refused: 'invalid' };
      const owner = oidcOwner(issuer, payload.sub);
      return { ok: { owner, scopes: this.#scopesIn(payload), credential: { kind: 'oidc', id: owner } } };
    } catch (error) {
      if (error instanceof IssuerUnavailable)
        return { unavailable: error.message, retryAfterMs: error.retryAfterMs };
      if (error instanceof errors.JWTExpired) return { refused: 'expired' };
      if (error instanceof errors.JWKSNoMatchingKey) return { refused: 'unknown' };
      if (error instanceof errors.JOSEError) return { refused: 'invalid' };
      throw error;
    }
  }

  async #checkSignature(token: string): Promise<JWTVerifyResult> {
    const options = {
      algorithms: ALGORITHMS,
      issuer: this.#options.issuer,
      audience: this.#options.audience,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(this.#now()),
      requiredClaims: ['iss', 'aud', 'sub', 'exp'],
    };
    const keyFor: JWTVerifyGetKey = (header, jws) => this.#keys.keyFor(header, jws);
    try {
      return await jwtVerify(token, keyFor, options);
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      // A token need not name its key. Then it is one of several that fit.
      for await (const key of error) {
        try {
          return await jwtVerify(token, key, options);
        } catch (inner) {
          if (!(inner instanceof errors.JWSSignatureVerificationFailed)) throw inner;
        }
      }
      throw new errors.JWSSignatureVerificationFailed();
    }
  }

  #scopesIn(payload: JWTPayload): readonly Scope[] {
    const { scopeClaim } = this.#options;
    if (scopeClaim !== undefined) return scopesOf(payload[scopeClaim]);
    // `admin` is a common word: another service's admin is not ours, unless the operator names the claim.
    const named = scopesOf(payload.scope).filter((scope) => scope !== 'admin');
    return named.length > 0 ? named : DEFAULT_SCOPES;
  }
}

/** The account id of an outside subject. Hashed together with its issuer it can be no other's, and no user's of ours. */
export function oidcOwner(issuer: string, subject: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('base64url');
  return `oidc:${digest.slice(0, 32)}`;
}

function claimedIssuer(token: string): string | null {
  if (!isCompactToken(token, MAX_TOKEN_LENGTH)) return null;
  try {
    return decodeJwt(token).iss ?? null;
  } catch {
    return null;
  }
}

function scopesOf(claim: unknown): Scope[] {
  if (typeof claim === 'string') return parseScopes(claim).scopes;
  return Array.isArray(claim) ? claim.filter((one) => typeof one === 'string' && isScope(one)) : [];
}
