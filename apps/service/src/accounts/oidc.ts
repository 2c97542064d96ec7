/** Verifies access tokens of an external OpenID Connect issuer with its published keys and maps subjects to owners. */
import { createHash } from 'node:crypto';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import {
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose';
import { isCompactToken } from './compact-token.ts';
import { IssuerKeys, type IssuerKeysOptions, IssuerUnavailable, isSafeAddress } from './issuer-keys.ts';
import { DEFAULT_SCOPES, isScope, parseScopes, type Scope, type Verification } from './principal.ts';

export interface OidcOptions extends IssuerKeysOptions {
  /** Required `aud`. Not the client id of a web page, whose id tokens would be accepted as access tokens. */
  readonly audience: string;
  /**
   * The claim with the scopes, as a text separated by spaces or as a list. If set, a token without this claim has no
   * scopes. Default: the known scopes in `scope` except admin, or jobs:read and jobs:write if there are none.
   */
  readonly scopeClaim?: string;
}

export type OidcVerification =
  | (Verification & { readonly unavailable?: undefined })
  | {
      readonly ok?: undefined;
      readonly refused?: undefined;
      /** Why the issuer is unreachable; for the log. */
      readonly unavailable: string;
      readonly retryAfterMs: number;
    };

/** Asymmetric algorithms only: with HMAC, the published key would be the secret. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const CLOCK_TOLERANCE_SECONDS = 30;
/** Tokens may contain groups and roles; the headers of a request are limited to 16 KiB anyway. */
const MAX_TOKEN_LENGTH = 16 * 1024;
/** Accepted values of `typ`. Logout tokens and security events are signed with the same keys. */
const TYPES = new Set(['jwt', 'at+jwt']);

export class OidcIssuer {
  readonly #options: OidcOptions;
  readonly #keys: IssuerKeys;
  readonly #now: () => number;

  /** Throws SETTING_INVALID unless the issuer's address is https, or http on a loopback address. */
  constructor(options: OidcOptions) {
    if (!isSafeAddress(options.issuer)) {
      const reason = 'give an https address; http is possible only on this machine itself';
      throw failure(generalErrors.SETTING_INVALID, { name: 'OIDC_ISSUER', value: options.issuer, reason });
    }
    this.#options = options;
    this.#keys = new IssuerKeys(options);
    this.#now = options.now ?? Date.now;
  }

  /** Whether the token claims to be from this issuer and must be verified here. */
  concerns(token: string): boolean {
    return claimedIssuer(token) === this.#options.issuer;
  }

  /** Verifies a token. Never throws because of the token or the issuer. */
  async verify(token: string): Promise<OidcVerification> {
    // Checked before the keys, so that tokens of others cause no request to the issuer.
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
      // The token does not name its key: try all that fit.
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
    // `admin` may be the scope of another service, so it counts only if the operator sets the claim.
    const named = scopesOf(payload.scope).filter((scope) => scope !== 'admin');
    return named.length > 0 ? named : DEFAULT_SCOPES;
  }
}

/** The account id of an external subject: a hash of issuer and subject, distinct from the ids of local users. */
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
