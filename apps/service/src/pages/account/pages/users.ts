/** Pages for administrators: users and their access. */
import { failure } from '@geomill/core/messages/errors.ts';
import { type Html, html } from '../../html.ts';
import { accountAreaErrors } from '../errors.ts';
import { linkAddress } from '../one-time-links.ts';
import type { AccountRoute, Answer } from '../route.ts';
import type { User } from '../users.ts';
import type { Visit } from '../visit.ts';
import { layout } from './layout.ts';
import { badge, checkboxes, field, postForm, table, time } from './parts.ts';

const PATH = '/account/users';

export const userRoutes: readonly AccountRoute[] = [
  { method: 'GET', path: PATH, access: 'admin', handle: listPage },
  { method: 'GET', path: `${PATH}/new`, access: 'admin', handle: newPage },
  { method: 'POST', path: `${PATH}/new`, access: 'admin', handle: create },
  { method: 'GET', path: `${PATH}/:id`, access: 'admin', handle: onePage },
  { method: 'POST', path: `${PATH}/:id`, access: 'admin', handle: act },
];

async function listPage(visit: Visit): Promise<Answer> {
  const { users } = await visit.directory();
  const rows = (await users.list()).map((user) => [
    html`<a href="${visit.href(`${PATH}/${encodeURIComponent(user.id)}`)}">${user.email}</a>${
      user.isEmailVerified ? null : html` <span class="soft">(not verified)</span>`
    }`,
    user.name,
    stateBadges(user),
    time(user.createdAt),
  ]);
  const body = html`<p><a class="button" href="${visit.href(`${PATH}/new`)}">Create a user</a></p>
${table('Users; times in UTC', ['E-mail address', 'Name', 'State', 'Created'], rows)}`;
  return { page: layout(visit, { title: 'Users', body }) };
}

function stateBadges(user: User): Html {
  const state =
    user.disabledAt !== null
      ? badge('bad', 'disabled')
      : user.hasPassword || user.id.startsWith('oidc:')
        ? badge('good', 'active')
        : badge('plain', 'no password yet');
  return html`${state}${user.isAdmin ? html` ${badge('plain', 'administrator')}` : null}`;
}

function newPage(visit: Visit): Answer {
  const isAdmin = visit.form.texts('admin').length > 0;
  const body = html`<p>You get a link to send to the new user, who sets a password with it.</p>
${postForm(
  visit,
  `${PATH}/new`,
  html`${field(visit, { name: 'email', label: 'E-mail address', type: 'email' })}
${field(visit, { name: 'name', label: 'Name', isOptional: true, maxLength: 100 })}
${checkboxes(visit, 'admin', 'Role', [{ value: 'yes', label: 'Administrator: full access, including user management', isChecked: isAdmin }])}
<button>Create the user</button> <a class="cancel" href="${visit.href(PATH)}">Cancel</a>`,
)}`;
  return { page: layout(visit, { title: 'New user', body }), status: visit.form.isValid ? 200 : 400 };
}

async function create(visit: Visit): Promise<Answer> {
  const { form } = visit;
  const { users } = await visit.directory();
  const wanted = {
    email: form.text('email'),
    name: form.text('name'),
    isAdmin: form.texts('admin').includes('yes'),
  };
  const user = await form.attempt(() => users.create(wanted, visit.user.id));
  if (user === undefined) return newPage(visit);
  await visit.leave({ link: linkOf(visit, await users.makeLink(user, visit.user.id)) });
  return { redirect: visit.href(`${PATH}/${encodeURIComponent(user.id)}`) };
}

async function onePage(visit: Visit, params: Readonly<Record<string, string>>): Promise<Answer> {
  const user = await find(visit, params.id);
  const path = `${PATH}/${encodeURIComponent(user.id)}`;
  const { link } = visit.flash;
  const isOneself = user.id === visit.user.id;
  const action = (name: string, text: string, explanation: string, isDangerous = false): Html =>
    postForm(
      visit,
      path,
      html`<p>${explanation}</p><button name="action" value="${name}"${isDangerous ? html` class="danger"` : null}>${text}</button>`,
    );
  const body = html`${link === undefined ? null : linkPanel(user, link)}
<dl>
<div><dt>Name</dt><dd>${user.name}</dd></div>
<div><dt>State</dt><dd>${stateBadges(user)}</dd></div>
<div><dt>Created</dt><dd>${time(user.createdAt)}</dd></div>
<div><dt>Account id</dt><dd><code>${user.id}</code></dd></div>
</dl>
<h2>Password</h2>
${action('link', 'Create a password link', 'Creates a link to set a new password. It can be used once within 24 hours.')}
${isOneself ? null : html`<h2>Role</h2>`}
${
  isOneself
    ? html`<p class="soft">Only another administrator can disable you or change your role.</p>`
    : user.isAdmin
      ? action(
          'not-admin',
          'Make ordinary user',
          'Revokes API keys and OAuth clients of this user that have the scope admin.',
        )
      : action('admin', 'Make administrator', 'Administrators have full access, including user management.')
}
${isOneself ? null : html`<h2>Access</h2>`}
${
  isOneself
    ? null
    : user.disabledAt === null
      ? action(
          'disable',
          'Disable',
          'Signs the user out and rejects their API keys and OAuth clients immediately.',
          true,
        )
      : action(
          'enable',
          'Enable',
          'The user can sign in again, and API keys that were not revoked work again.',
        )
}`;
  return { page: layout(visit, { title: user.email, body }) };
}

function linkPanel(user: User, link: string): Html {
  return html`<section class="secret" aria-labelledby="link-title">
<h2 id="link-title">Send this link to ${user.email}</h2>
<p>This link is shown only once and expires after 24 hours. Anyone who has it can set the password. Click to select it.</p>
<p><code class="whole" id="link">${link}</code></p>
</section>`;
}

async function act(visit: Visit, params: Readonly<Record<string, string>>): Promise<Answer> {
  const user = await find(visit, params.id);
  const { users } = await visit.directory();
  const actor = visit.user.id;
  const action = visit.form.text('action');
  if (action === 'link') await visit.leave({ link: linkOf(visit, await users.makeLink(user, actor)) });
  // Administrators cannot change themselves, so that one is always left.
  else if (user.id === actor) throw failure(accountAreaErrors.FORM_REFUSED, {});
  else await visit.leave({ notice: await carryOut(visit, user, action) });
  return { redirect: visit.href(`${PATH}/${encodeURIComponent(user.id)}`) };
}

async function carryOut(visit: Visit, user: User, action: string): Promise<string> {
  const { users } = await visit.directory();
  const actor = visit.user.id;
  switch (action) {
    case 'disable':
      await users.disable(user, actor);
      return `${user.email} was disabled.`;
    case 'enable':
      await users.enable(user, actor);
      return `${user.email} can sign in again.`;
    case 'admin':
      await users.setAdmin(user, true, actor);
      return `${user.email} is now an administrator.`;
    case 'not-admin':
      await users.setAdmin(user, false, actor);
      return `${user.email} is now an ordinary user.`;
    default:
      throw failure(accountAreaErrors.FORM_REFUSED, {});
  }
}

async function find(visit: Visit, id: string): Promise<User> {
  const { users } = await visit.directory();
  const user = await users.get(id);
  if (user === null) throw failure(accountAreaErrors.USER_UNKNOWN, { user: id.slice(0, 60) });
  return user;
}

function linkOf({ baseUrl }: Visit, token: string): string {
  return linkAddress(baseUrl, 'password', token);
}
