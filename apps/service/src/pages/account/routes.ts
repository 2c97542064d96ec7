/** All routes of the account area. Their pages are loaded when one of them is opened: an open service may never need them. */
import type { AccountRoute } from './route.ts';

export const ACCOUNT_PATH = '/account';
/** The public style sheet, the only resource that pages load. */
export const STYLE_PATH = '/account/style.css';

export interface AccountPages {
  readonly load: () => Promise<readonly AccountRoute[]>;
  /** Method and path of each of them. */
  readonly routes: readonly `${'GET' | 'POST'} /${string}`[];
}

/** HEAD of every GET and the style sheet are added by register.ts. */
export const accountPages: readonly AccountPages[] = [
  {
    load: async () => (await import('./pages/sign-in.ts')).signInRoutes,
    routes: [
      'GET /account/sign-in',
      'POST /account/sign-in',
      'POST /account/sign-out',
      'GET /account/sign-in/oidc',
      'GET /account/auth/callback/oidc',
    ],
  },
  {
    load: async () => (await import('./pages/links.ts')).linkRoutes,
    routes: ['GET /account/setup', 'POST /account/setup', 'GET /account/password', 'POST /account/password'],
  },
  {
    load: async () => (await import('./pages/overview.ts')).overviewRoutes,
    routes: ['GET /account', 'GET /account/jobs'],
  },
  {
    load: async () => (await import('./pages/job.ts')).jobRoutes,
    routes: [
      'GET /account/jobs/:id',
      'GET /account/jobs/:id/output',
      'GET /account/jobs/:id/findings',
      'GET /account/jobs/:id/report',
      'POST /account/jobs/:id/cancel',
      'GET /account/jobs/:id/delete',
      'POST /account/jobs/:id/delete',
    ],
  },
  {
    load: async () => (await import('./pages/credentials.ts')).credentialRoutes,
    routes: (['/account/keys', '/account/clients'] as const).flatMap((path) => [
      `GET ${path}` as const,
      `GET ${path}/new` as const,
      `POST ${path}/new` as const,
      `GET ${path}/:id` as const,
      `POST ${path}/:id` as const,
      `GET ${path}/:id/revoke` as const,
      `POST ${path}/:id/revoke` as const,
    ]),
  },
  {
    load: async () => (await import('./pages/settings.ts')).settingsRoutes,
    routes: ['GET /account/settings', 'POST /account/settings/password', 'POST /account/settings/sessions'],
  },
  {
    load: async () => (await import('./pages/users.ts')).userRoutes,
    routes: [
      'GET /account/users',
      'GET /account/users/new',
      'POST /account/users/new',
      'GET /account/users/:id',
      'POST /account/users/:id',
    ],
  },
  {
    load: async () => (await import('./pages/oversight.ts')).oversightRoutes,
    routes: ['GET /account/all-keys', 'GET /account/audit'],
  },
];

/** The records of all routes; loads all pages. */
export async function accountRoutes(): Promise<readonly AccountRoute[]> {
  const lists = await Promise.all(accountPages.map(({ load }) => load()));
  return lists.flat();
}
