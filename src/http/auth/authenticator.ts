/** Finds out who asks. Every credential counts as the database has it at this request, see `accounts/verified.ts`. */
import type { FastifyRequest } from 'fastify';
import type { Accounts } from '../../accounts/accounts.ts';
import { AttemptLimiter, SECRET_RULES, sourceOf } from '../../accounts/attempt-limiter.ts';
import type { OidcIssuer, OidcOptions } from '../../accounts/oidc.ts';
import type { Principal, Refusal, Verification } from '../../accounts/principal.ts';
import { failure, type GeomillError } from '../../errors.ts';
import type { AccountsDoor } from './accounts-door.ts';
import { presentedIn } from './presented.ts';

export class Authenticator {
  readonly #door: AccountsDoor;
  readonly #oidc: Promise<OidcIssuer> | null;
  readonly #limiter = new AttemptLimiter(SECRET_RULES);

  /** `oidc`: an outside issuer whose tokens count too. */
  constructor(door: AccountsDoor, oidc: OidcOptions | null) {
    this.#door = door;
    this.#oidc = oidc === null ? null : makeIssuer(oidc);
    // Told by `ready`, or by whoever shows a token.
    this.#oidc?.catch(() => {});
  }

  /** Throws SETTING_INVALID where the outside issuer cannot be trusted. */
  async ready(): Promise<void> {
    await this.#oidc;
  }

  /**
   * Whose credential the request shows; null: it shows none. Throws CREDENTIALS_AMBIGUOUS, CREDENTIALS_INVALID,
   * TOO_MANY_ATTEMPTS, IDENTITY_PROVIDER_UNAVAILABLE.
   */
  async identify(request: FastifyRequest): Promise<Principal | null> {
    const presented = presentedIn(request.raw.rawHeaders);
    if (presented.kind === 'none') return null;
    const accounts = this.#door.opened ?? (await this.#door.open());
    const verification =
      presented.kind === 'key'
        ? accounts.credentials.verifyKey(presented.text)
        : await this.#checkToken(accounts, presented.text, request);
    if (verification.ok !== undefined) return verification.ok;
    throw this.refuse(request, accounts, verification);
  }

  /**
   * Counts a failure and gives the error to answer with. It is one and the same whatever was wrong; what it was goes
   * into the audit log alone.
   *
   * The limit is applied here, after the check, so that a right credential always gets in: many share an address with
   * somebody who guesses, and nobody guesses 160 bits. It spares the log and the audit log, and tells a client that went
   * wild to slow down.
   */
  refuse(
    request: FastifyRequest,
    accounts: Accounts,
    { refused = 'invalid', id }: { readonly refused?: Refusal; readonly id?: string },
  ): GeomillError {
    const source = sourceOf(request.ip);
    this.#limiter.fail(source);
    const waitMs = this.#limiter.waitMs(source);
    if (waitMs > 0) return failure('TOO_MANY_ATTEMPTS', { seconds: Math.ceil(waitMs / 1000) });
    const route = request.routeOptions.url ?? 'unknown';
    accounts.audit.note({
      actor: `address:${source}`,
      event: 'credential.refused',
      subject: id ?? 'unknown',
      detail: { reason: refused, route },
    });
    return failure('CREDENTIALS_INVALID', {});
  }

  async #checkToken(accounts: Accounts, token: string, request: FastifyRequest): Promise<Verification> {
    const oidc = await this.#oidc;
    if (oidc === null || !oidc.concerns(token)) return accounts.tokens.verify(token);
    const result = await oidc.verify(token);
    if (result.unavailable !== undefined) {
      request.log.warn({ reason: result.unavailable }, 'the issuer of tokens cannot be asked');
      const seconds = Math.max(1, Math.ceil(result.retryAfterMs / 1000));
      throw failure('IDENTITY_PROVIDER_UNAVAILABLE', { seconds });
    }
    if (result.ok === undefined) return result;
    const { owner } = result.ok;
    return accounts.states.of(owner).disabledAt === null ? result : { refused: 'disabled', id: owner };
  }
}

async function makeIssuer(options: OidcOptions): Promise<OidcIssuer> {
  const { OidcIssuer } = await import('../../accounts/oidc.ts');
  return new OidcIssuer(options);
}
