/** Pages of one-time links: create the first administrator, set a password. */
import { type Html, type HtmlValue, html } from '../../html.ts';
import { LINK_PATHS, type OneTimeLink, OneTimeLinks } from '../one-time-links.ts';
import type { AccountRoute, Answer } from '../route.ts';
import type { User } from '../users.ts';
import type { Visit } from '../visit.ts';
import { layout } from './layout.ts';
import { field, postForm, username } from './parts.ts';
import { newPasswordFields, readNewPassword } from './settings.ts';

const { setup: SETUP_PATH, password: PASSWORD_PATH } = LINK_PATHS;

export const linkRoutes: readonly AccountRoute[] = [
  { method: 'GET', path: SETUP_PATH, access: 'anyone', handle: (visit) => setupPage(visit, tokenOf(visit)) },
  { method: 'POST', path: SETUP_PATH, access: 'anyone', handle: setUp },
  {
    method: 'GET',
    path: PASSWORD_PATH,
    access: 'anyone',
    handle: (visit) => passwordPage(visit, tokenOf(visit)),
  },
  { method: 'POST', path: PASSWORD_PATH, access: 'anyone', handle: setPassword },
];

async function setupPage(visit: Visit, token: string): Promise<Answer> {
  if ((await linkFor(visit, token, 'setup')) === null) return deadLink(visit);
  const body = html`<p>Create the first administrator of this service.</p>
${linkForm(
  visit,
  SETUP_PATH,
  token,
  html`${field(visit, { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username' })}
${field(visit, { name: 'name', label: 'Name', autocomplete: 'name', isOptional: true, maxLength: 100 })}
${newPasswordFields(visit)}
<button>Create the administrator</button>`,
)}`;
  return {
    page: layout(visit, { title: 'Welcome to geomill', body }),
    status: visit.form.isValid ? 200 : 400,
  };
}

async function setUp(visit: Visit): Promise<Answer> {
  const { form, area } = visit;
  const token = form.text('token');
  if ((await linkFor(visit, token, 'setup')) === null) return deadLink(visit);
  const { users } = await visit.directory();
  const { checkEmail, checkPassword } = await import('../users.ts');
  const password = readNewPassword(visit);
  const email = await form.attempt(() => checkEmail(form.text('email')));
  await form.attempt(() => checkPassword(password, email ?? ''));
  if (!form.isValid || email === undefined) return setupPage(visit, token);
  // The link is used up before the user is created, so that of two concurrent visitors only one becomes administrator.
  if ((await users.links.take(token)) === null) return deadLink(visit);
  const wanted = { email, name: form.text('name'), isAdmin: true };
  const user = await form.attempt(() => users.create(wanted, 'setup-link'));
  if (user === undefined) {
    // Errors that are found only now (an address in use, an invalid name) can be corrected with a new link.
    const next = await users.links.make({ purpose: 'setup', userId: null }, 'setup-link');
    return setupPage(visit, next);
  }
  await users.setPassword(user, password, user.id);
  area.byAccount.reset(`account ${email}`);
  return signedIn(visit, user, password);
}

async function passwordPage(visit: Visit, token: string): Promise<Answer> {
  const user = await userOf(visit, token);
  if (user === null) return deadLink(visit);
  const body = html`<p>Account: <strong>${user.email}</strong></p>
${linkForm(visit, PASSWORD_PATH, token, html`${username(user.email)}${newPasswordFields(visit)}<button>Set the password</button>`)}`;
  return {
    page: layout(visit, { title: 'Set your password', body }),
    status: visit.form.isValid ? 200 : 400,
  };
}

async function setPassword(visit: Visit): Promise<Answer> {
  const { form, area } = visit;
  const token = form.text('token');
  const user = await userOf(visit, token);
  if (user === null) return deadLink(visit);
  const { users } = await visit.directory();
  const { checkPassword } = await import('../users.ts');
  const password = readNewPassword(visit);
  await form.attempt(() => checkPassword(password, user.email));
  if (!form.isValid) return passwordPage(visit, token);
  if ((await users.links.take(token)) === null) return deadLink(visit);
  await users.setPassword(user, password, user.id);
  area.byAccount.reset(`account ${user.email}`);
  return signedIn(visit, user, password);
}

/** Signs in with the password that was just set. */
async function signedIn(visit: Visit, user: User, password: string): Promise<Answer> {
  const { library } = await visit.directory();
  if (visit.session !== null) await library.context.internalAdapter.deleteSession(visit.session.token);
  const { headers } = await library.auth.api.signInEmail({
    body: { email: user.email, password },
    headers: visit.headers(),
    returnHeaders: true,
  });
  const detail = { source: visit.source, method: 'link' };
  await visit.area.options.accounts.audit.note({
    actor: user.id,
    event: 'sign-in.succeeded',
    subject: user.id,
    detail,
  });
  visit.passCookies(headers);
  return { redirect: visit.href('/account') };
}

/** Null: the token is unknown, expired, used or for another purpose. */
async function linkFor(
  visit: Visit,
  token: string,
  purpose: OneTimeLink['purpose'],
): Promise<OneTimeLink | null> {
  const { accounts } = visit.area.options;
  const link = await new OneTimeLinks(accounts.database).look(token);
  if (link === null || link.purpose !== purpose) return null;
  // An old setup link must not create a second administrator.
  return purpose === 'setup' && (await accounts.states.activeAdmins()) > 0 ? null : link;
}

async function userOf(visit: Visit, token: string): Promise<User | null> {
  const userId = (await linkFor(visit, token, 'password'))?.userId ?? null;
  if (userId === null) return null;
  const { users } = await visit.directory();
  const user = await users.get(userId);
  return user === null || user.disabledAt !== null ? null : user;
}

function tokenOf({ request }: Visit): string {
  const { token } = request.query as { token?: unknown };
  return typeof token === 'string' ? token : '';
}

function linkForm(visit: Visit, path: string, token: string, fields: HtmlValue): Html {
  return postForm(visit, path, html`<input type="hidden" name="token" value="${token}">${fields}`);
}

function deadLink(visit: Visit): Answer {
  const body = html`<p>The link was already used, is older than 24 hours, or was replaced by a newer one. Ask an administrator for a new
link; on the server, <code>geomill users reset EMAIL</code> prints one.</p>
<p><a href="${visit.href('/account/sign-in')}">Sign in</a></p>`;
  visit.form.faults.clear();
  return { page: layout(visit, { title: 'This link is no longer valid', body }), status: 410 };
}
