/** The services of the account area. The user library is loaded when it is first needed. */
import { failure } from '@geomill/core/messages/errors.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import { AttemptLimiter, type AttemptRules, PASSWORD_RULES } from '../../accounts/attempt-limiter.ts';
import { areaSecret } from './area-secret.ts';
import { accountAreaErrors } from './errors.ts';
import type { Library, LibraryOptions, OidcLibrary, OidcSettings } from './library.ts';
import type { UsageSource } from './own-jobs.ts';
import type { Users } from './users.ts';

export interface AreaOptions {
  readonly accounts: Accounts;
  /** BASE_URL; null: the Host header of the request. */
  readonly baseUrl: string | null;
  /** Null: sign-in by password only. Needs `baseUrl`. */
  readonly oidc: OidcSettings | null;
  readonly usage: UsageSource;
  /** The service has the page for converting files at `/`. */
  readonly web: boolean;
  readonly warn: (message: string) => void;
  /** Milliseconds since 1970, for limits of guesses. Default: the clock of the machine. */
  readonly now?: () => number;
}

/** More failures are allowed per address than per account, because users behind a router or proxy share one address. */
const ADDRESS_RULES: AttemptRules = { ...PASSWORD_RULES, freeFailures: 30, maxDelayMs: 60_000 };
/** Pause after a failed request to the issuer, and timeout of the request. */
const OIDC_RETRY_MS = 10_000;

export interface Directory {
  readonly library: Library;
  readonly users: Users;
}

export class Area {
  readonly options: AreaOptions;
  readonly secret: string;
  readonly byAccount: AttemptLimiter;
  readonly byAddress: AttemptLimiter;
  #directory: Promise<Directory> | undefined;
  #oidc: Promise<OidcLibrary> | undefined;
  #oidcFailedAt = Number.NEGATIVE_INFINITY;

  private constructor(options: AreaOptions, secret: string) {
    this.options = options;
    this.secret = secret;
    this.byAccount = new AttemptLimiter(PASSWORD_RULES, options.now);
    this.byAddress = new AttemptLimiter(ADDRESS_RULES, options.now);
  }

  /** Throws errors of the database. */
  static async open(options: AreaOptions): Promise<Area> {
    const { database } = options.accounts;
    const area = new Area(options, await areaSecret(database));
    database.limits?.shareAttempts('account', area.byAccount);
    database.limits?.shareAttempts('address', area.byAddress);
    return area;
  }

  /** Users and sessions. */
  directory(): Promise<Directory> {
    this.#directory ??= openDirectory(this.#libraryOptions()).catch((error: unknown) => {
      this.#directory = undefined;
      throw error;
    });
    return this.#directory;
  }

  /** Sign-in through the identity provider. Throws SIGN_IN_UNAVAILABLE. */
  async oidc(settings: OidcSettings): Promise<OidcLibrary> {
    const unavailable = (cause?: unknown): Error =>
      failure(accountAreaErrors.SIGN_IN_UNAVAILABLE, { seconds: OIDC_RETRY_MS / 1000 }, undefined, cause);
    if (this.#oidc === undefined && Date.now() < this.#oidcFailedAt + OIDC_RETRY_MS) throw unavailable();
    // Its tables are those of the directory, which brings them up to date.
    await this.directory();
    this.#oidc ??= openOidc(this.#libraryOptions(), settings);
    const opening = this.#oidc;
    try {
      return await opening;
    } catch (error) {
      if (this.#oidc === opening) this.#oidc = undefined;
      this.#oidcFailedAt = Date.now();
      this.options.warn(`sign-in by ${settings.issuer} is not possible: ${(error as Error).message}`);
      throw unavailable(error);
    }
  }

  async close(): Promise<void> {
    // Failures to open were already reported.
    const opened = await Promise.allSettled([this.#directory, this.#oidc]);
    const [directory, oidc] = opened;
    if (directory.status === 'fulfilled') directory.value?.library.close();
    if (oidc.status === 'fulfilled') oidc.value?.close();
  }

  #libraryOptions(): LibraryOptions {
    const { accounts, warn } = this.options;
    // Only the identity provider needs the public address, and requires it.
    return { accounts, baseUrl: this.options.baseUrl ?? 'http://localhost', warn };
  }
}

export async function openDirectory(options: LibraryOptions): Promise<Directory> {
  const [{ openLibrary }, { Users }] = await Promise.all([import('./library.ts'), import('./users.ts')]);
  const library = await openLibrary(options);
  return { library, users: new Users(options.accounts, library) };
}

async function openOidc(options: LibraryOptions, settings: OidcSettings): Promise<OidcLibrary> {
  const { openOidcLibrary } = await import('./library.ts');
  const opening = openOidcLibrary(options, settings);
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('it does not answer')), OIDC_RETRY_MS);
  try {
    return await Promise.race([opening, promise]);
  } catch (error) {
    // If it still opens, close it.
    opening.then((late) => late.close()).catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
