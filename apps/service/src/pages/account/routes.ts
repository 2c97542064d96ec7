/** All routes of the account area. */
import { credentialRoutes } from './pages/credentials.ts';
import { jobRoutes } from './pages/job.ts';
import { linkRoutes } from './pages/links.ts';
import { oversightRoutes } from './pages/oversight.ts';
import { overviewRoutes } from './pages/overview.ts';
import { settingsRoutes } from './pages/settings.ts';
import { signInRoutes } from './pages/sign-in.ts';
import { userRoutes } from './pages/users.ts';
import type { AccountRoute } from './route.ts';

export const ACCOUNT_PATH = '/account';
/** The public style sheet, the only resource that pages load. */
export const STYLE_PATH = '/account/style.css';

/** HEAD of every GET and the style sheet are added by register.ts. */
export const accountRoutes: readonly AccountRoute[] = [
  ...signInRoutes,
  ...linkRoutes,
  ...overviewRoutes,
  ...jobRoutes,
  ...credentialRoutes,
  ...settingsRoutes,
  ...userRoutes,
  ...oversightRoutes,
];
