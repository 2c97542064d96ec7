/**
 * better-auth, which stores users, passwords (scrypt) and sessions. Its own routes are not served: pages call it as a
 * library, after the checks of the account area.
 *
 * It needs about 20 MB of memory and a third of a second, so it is loaded at the first sign-in, not at the start.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type BetterAuthOptions, betterAuth } from 'better-auth';
import { hashPassword, verifyPassword } from 'better-auth/crypto';
import { getMigrations } from 'better-auth/db/migration';
import { genericOAuth } from 'better-auth/plugins/generic-oauth';
import type { Accounts } from '../../accounts/accounts.ts';
import type { LibraryDatabase } from '../../accounts/database.ts';
import { oidcOwner } from '../../accounts/oidc.ts';
import { areaSecret } from './area-secret.ts';
import { HashQueue } from './hash-queue.ts';
import { ADDRESS_HEADER, LIBRARY_PATH, OIDC_PROVIDER } from './library-names.ts';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './password-rules.ts';

export interface LibraryOptions {
  readonly accounts: Accounts;
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string;
  /** Called with warnings of the library, without data sent by clients. */
  readonly warn: (message: string) => void;
}

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const DAY_SECONDS = 24 * 3600;
const SESSION_SECONDS = 7 * DAY_SECONDS;

const hashes = new HashQueue();

/** The subject at the issuer of the user whose account is created in this call. */
const subjectOfCall = new AsyncLocalStorage<{ subject: string | null }>();

export type Library = Awaited<ReturnType<typeof openLibrary>>;
export type OidcLibrary = Awaited<ReturnType<typeof openOidcLibrary>>;

/** Migrates its tables and opens it. Call `close` at the end. */
export async function openLibrary(options: LibraryOptions) {
  const database = await options.accounts.database.openLibrary();
  try {
    const settings = { ...(await librarySettings(options)), database: database.handle };
    await bringTablesUpToDate(settings, database);
    const auth = betterAuth(settings);
    return { auth, context: await auth.$context, close: () => database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * The same with the identity provider, an instance of its own: the library asks the provider for its addresses as it
 * starts, and a sign-in by password should not wait for that, or fail with it.
 * Throws an Error where the provider cannot be asked, or is another than it should be.
 */
export async function openOidcLibrary(options: LibraryOptions, oidc: OidcSettings) {
  const database = await options.accounts.database.openLibrary();
  try {
    const settings = await librarySettings(options);
    const auth = betterAuth({
      ...settings,
      database: database.handle,
      databaseHooks: { ...settings.databaseHooks, ...oidcHooks(options.accounts, oidc) },
      plugins: [oidcPlugin(oidc)],
    });
    const context = await auth.$context;
    const provider = context.socialProviders.find(({ id }) => id === OIDC_PROVIDER);
    if (provider === undefined) throw new Error('its discovery document cannot be read');
    if (withoutSlash(String(provider.issuer)) !== withoutSlash(oidc.issuer))
      throw new Error(`its discovery document says to be of '${provider.issuer}'`);
    return {
      auth,
      callback: (request: Request): Promise<Response> =>
        subjectOfCall.run({ subject: null }, () => auth.handler(request)),
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

async function librarySettings({ accounts, baseUrl, warn }: LibraryOptions) {
  const { origin, pathname, protocol } = new URL(baseUrl);
  const isSecure = protocol === 'https:';
  return {
    appName: 'geomill',
    baseURL: origin,
    basePath: pathname.replace(/\/$/, '') + LIBRARY_PATH,
    // As a list: an environment variable would override a single value.
    secrets: [{ version: 1, value: await areaSecret(accounts.database) }],
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: MIN_PASSWORD_LENGTH,
      maxPasswordLength: MAX_PASSWORD_LENGTH,
      password: {
        hash: (password: string) => hashes.run(() => hashPassword(password)),
        verify: (data: { hash: string; password: string }) => hashes.run(() => verifyPassword(data)),
      },
    },
    session: { expiresIn: SESSION_SECONDS, updateAge: DAY_SECONDS, cookieCache: { enabled: false } },
    account: {
      storeStateStrategy: 'cookie',
      updateAccountOnSignIn: false,
      // Addresses entered by administrators count as verified; an issuer must have verified its addresses.
      accountLinking: { enabled: true, trustedProviders: [] },
    },
    databaseHooks: {
      // Every session is created here, by password or issuer, so disabled accounts are rejected here.
      session: {
        create: {
          before: async ({ userId }: { userId: string }) =>
            (await accounts.states.of(userId)).disabledAt === null,
        },
      },
    },
    onAPIError: { errorURL: `${baseUrl}/account/sign-in` },
    // The account area has its own limiter, which also counts by account and before the password is hashed.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: {
      disableColors: true,
      level: 'error',
      // The messages are fixed texts; further arguments may contain data sent by a client or issuer.
      log: (_level: string, message: string) => warn(message),
    },
    advanced: {
      // Browsers accept the prefix __Host- only from this host over https.
      useSecureCookies: false,
      cookiePrefix: isSecure ? '__Host-geomill' : 'geomill',
      defaultCookieAttributes: { secure: isSecure, httpOnly: true, sameSite: 'lax', path: '/' },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: { validateSchema: false },
      disableOriginCheck: false,
    },
  } as const satisfies BetterAuthOptions;
}

function oidcPlugin({ issuer, clientId, clientSecret }: OidcSettings) {
  return genericOAuth({
    config: [
      {
        providerId: OIDC_PROVIDER,
        discoveryUrl: `${withoutSlash(issuer)}/.well-known/openid-configuration`,
        clientId,
        clientSecret,
        scopes: ['openid', 'email', 'profile'],
        pkce: true,
        requireIdTokenVerification: true,
        accountSubject: ({ profile }) => String(profile.sub ?? ''),
        mapProfileToUser: (profile) => {
          const store = subjectOfCall.getStore();
          if (store !== undefined && typeof profile.sub === 'string') store.subject = profile.sub;
          const email = typeof profile.email === 'string' ? plainAddress(profile.email) : undefined;
          const name = typeof profile.name === 'string' ? plainName(profile.name) : (email ?? '');
          // Only the value true counts as verified, not the text 'true' of some issuers.
          return { email, name, image: undefined, emailVerified: profile.email_verified === true };
        },
      },
    ],
  });
}

/** Removes control characters: users of many issuers choose their names, which are shown in operators' terminals. */
function plainName(given: string): string {
  return given
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, 100);
}

/** Anything that cannot be an address is rejected: every user needs one. */
function plainAddress(given: string): string | undefined {
  return /^[^\s@\p{Cc}\p{Cf}\p{Cs}]{1,100}@[^\s@\p{Cc}\p{Cf}\p{Cs}]{1,100}$/u.test(given) ? given : undefined;
}

function oidcHooks(accounts: Accounts, { issuer }: OidcSettings) {
  return {
    user: {
      create: {
        // The same account as for access tokens of the subject, so that its jobs are shown.
        before: async (user: { email: string }) => {
          const subject = subjectOfCall.getStore()?.subject ?? null;
          if (subject === null) return false;
          return { data: { ...user, id: oidcOwner(issuer, subject) } };
        },
        after: async (user: { id: string; email: string }) => {
          const detail = { email: user.email, issuer };
          await accounts.audit.append({ actor: user.id, event: 'user.created', subject: user.id, detail });
        },
      },
    },
    account: {
      create: {
        // Tokens of the issuer are not stored.
        before: async (account: object) => ({
          data: { ...account, accessToken: null, refreshToken: null, idToken: null },
        }),
      },
    },
  };
}

/**
 * In one transaction that does not span a wait: other connections of this same process write to SQLite too, and would wait
 * for a lock that only ends when they let go. Another process may do the same at the same time; then there is nothing left.
 */
async function bringTablesUpToDate(settings: BetterAuthOptions, database: LibraryDatabase): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const migrations = await getMigrations(settings);
    const { toBeCreated, toBeAdded, toBeAddedIndexes } = migrations;
    if (toBeCreated.length + toBeAdded.length + toBeAddedIndexes.length === 0) return;
    const sql = await migrations.compileMigrations();
    try {
      await database.migrate(sql);
      return;
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '');
}
