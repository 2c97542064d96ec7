/** Identifies the principal of a request. Changes in the database take effect at the next request; see `accounts/verified.ts`. */
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import type { FastifyRequest } from 'fastify';
import type { Accounts } from '../../accounts/accounts.ts';
import { AttemptLimiter, SECRET_RULES, sourceOf } from '../../accounts/attempt-limiter.ts';
import { accountErrors } from '../../accounts/errors.ts';
import type { OidcIssuer, OidcOptions } from '../../accounts/oidc.ts';
import type { Principal, Refusal, Verification } from '../../accounts/principal.ts';
import type { SharedLimits } from '../../accounts/shared-limits.ts';
import { httpErrors } from '../errors.ts';
import type { LazyAccounts } from './lazy-accounts.ts';
import { presentedIn } from './presented.ts';

export class Authenticator {
  readonly #door: LazyAccounts;
  readonly #oidc: Promise<OidcIssuer> | null;
  readonly #limiter = new AttemptLimiter(SECRET_RULES);

  /** `oidc`: an external issuer whose tokens are also accepted. */
  constructor(door: LazyAccounts, oidc: OidcOptions | null) {
    this.#door = door;
    this.#oidc = oidc === null ? null : makeIssuer(oidc);
    // A failure is reported by `ready` or by the first request with a token.
    this.#oidc?.catch(() => {});
  }

  /** Throws SETTING_INVALID if the external issuer cannot be trusted. */
  async ready(): Promise<void> {
    await this.#oidc;
  }

  /**
   * The principal of the request's credential; null: it has none. Throws CREDENTIALS_AMBIGUOUS, CREDENTIALS_INVALID,
   * TOO_MANY_ATTEMPTS, IDENTITY_PROVIDER_UNAVAILABLE.
   */
  async identify(request: FastifyRequest): Promise<Principal | null> {
    const presented = presentedIn(request.raw.rawHeaders);
    if (presented.kind === 'none') return null;
    const accounts = this.#door.opened ?? (await this.#door.open());
    const verification =
      presented.kind === 'key'
        ? await accounts.credentials.verifyKey(presented.text)
        : await this.#checkToken(accounts, presented.text, request);
    if (verification.ok !== undefined) return verification.ok;
    throw await this.refuse(request, accounts, verification);
  }

  /** Counts failures together with the other processes of the service. */
  share(limits: SharedLimits | null): void {
    limits?.shareAttempts('secret', this.#limiter);
  }

  /**
   * Counts a failure and returns the error, which is the same for all reasons; the reason is written to the audit log
   * only.
   *
   * The limit is applied after the check, so that valid credentials are always accepted: many clients may share the
   * address of one that guesses, and 160 bits cannot be guessed. The limit protects the logs and slows down clients that
   * misbehave.
   */
  async refuse(
    request: FastifyRequest,
    accounts: Accounts,
    { refused = 'invalid', id }: { readonly refused?: Refusal; readonly id?: string },
  ): Promise<GeomillError> {
    const source = sourceOf(request.ip);
    this.#limiter.fail(source);
    const waitMs = this.#limiter.waitMs(source);
    if (waitMs > 0) return failure(accountErrors.TOO_MANY_ATTEMPTS, { seconds: Math.ceil(waitMs / 1000) });
    const route = request.routeOptions.url ?? 'unknown';
    await accounts.audit.note({
      actor: `address:${source}`,
      event: 'credential.refused',
      subject: id ?? 'unknown',
      detail: { reason: refused, route },
    });
    return failure(httpErrors.CREDENTIALS_INVALID, {});
  }

  async #checkToken(accounts: Accounts, token: string, request: FastifyRequest): Promise<Verification> {
    const oidc = await this.#oidc;
    if (oidc === null || !oidc.concerns(token)) return accounts.tokens.verify(token);
    const result = await oidc.verify(token);
    if (result.unavailable !== undefined) {
      request.log.warn({ reason: result.unavailable }, 'the issuer of tokens cannot be asked');
      const seconds = Math.max(1, Math.ceil(result.retryAfterMs / 1000));
      throw failure(httpErrors.IDENTITY_PROVIDER_UNAVAILABLE, { seconds });
    }
    if (result.ok === undefined) return result;
    const { owner } = result.ok;
    const { disabledAt } = await accounts.states.of(owner);
    return disabledAt === null ? result : { refused: 'disabled', id: owner };
  }
}

async function makeIssuer(options: OidcOptions): Promise<OidcIssuer> {
  const { OidcIssuer } = await import('../../accounts/oidc.ts');
  return new OidcIssuer(options);
}
