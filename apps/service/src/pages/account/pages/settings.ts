/** Settings of the user's own account: password and sessions. */
import { failure } from '@geomill/core/messages/errors.ts';
import { accountErrors } from '../../../accounts/errors.ts';
import { type Html, html } from '../../html.ts';
import { MIN_PASSWORD_LENGTH } from '../password-rules.ts';
import type { AccountRoute, Answer } from '../route.ts';
import type { Visit } from '../visit.ts';
import { layout } from './layout.ts';
import { field, postForm, table, time, username } from './parts.ts';

const PATH = '/account/settings';

export const settingsRoutes: readonly AccountRoute[] = [
  { method: 'GET', path: PATH, access: 'user', handle: settingsPage },
  { method: 'POST', path: `${PATH}/password`, access: 'user', handle: changePassword },
  { method: 'POST', path: `${PATH}/sessions`, access: 'user', handle: signOutEverywhere },
];

const PASSWORD_HINT = `At least ${MIN_PASSWORD_LENGTH} characters. A few unrelated words work best.`;

async function settingsPage(visit: Visit): Promise<Answer> {
  const { user } = visit;
  const body = html`<dl>
<div><dt>E-mail address</dt><dd>${user.email}</dd></div>
<div><dt>Name</dt><dd>${user.name}</dd></div>
<div><dt>Account id</dt><dd><code>${user.id}</code></dd></div>
</dl>
<h2>Password</h2>
${user.hasPassword ? passwordForm(visit) : html`<p>This account has no password: you sign in with ${providerName(visit)}.</p>`}
<h2>Sessions</h2>
${await sessionTable(visit)}
${postForm(
  visit,
  `${PATH}/sessions`,
  html`<p>You will have to sign in again on every device, including this one.</p><button>Sign out everywhere</button>`,
)}`;
  return { page: layout(visit, { title: 'Settings', body }), status: visit.form.isValid ? 200 : 400 };
}

function passwordForm(visit: Visit): Html {
  return postForm(
    visit,
    `${PATH}/password`,
    html`${username(visit.user.email)}
${field(visit, {
  name: 'current',
  label: 'Current password',
  type: 'password',
  autocomplete: 'current-password',
})}
${newPasswordFields(visit)}
<p class="hint">All other sessions are signed out.</p>
<button>Change the password</button>`,
  );
}

export function newPasswordFields(visit: Visit): Html {
  const common = { type: 'password', autocomplete: 'new-password' } as const;
  return html`${field(visit, { name: 'password', label: 'New password', hint: PASSWORD_HINT, ...common })}
${field(visit, { name: 'repeated', label: 'Repeat the new password', ...common })}`;
}

/** The new password of a form. */
export function readNewPassword({ form }: Visit): string {
  const password = form.text('password');
  if (form.text('repeated') !== password) form.refuse('repeated', 'The passwords do not match.');
  return password;
}

async function changePassword(visit: Visit): Promise<Answer> {
  const { form, user, area } = visit;
  const { library, users } = await visit.directory();
  const { checkPassword } = await import('../users.ts');
  const password = readNewPassword(visit);
  await form.attempt(() => checkPassword(password, user.email));
  if (!form.isValid) return settingsPage(visit);
  // Limits guessing the password in a session that was left open.
  const account = `account ${user.email}`;
  const waitMs = area.byAccount.waitMs(account);
  if (waitMs > 0) throw failure(accountErrors.TOO_MANY_ATTEMPTS, { seconds: Math.ceil(waitMs / 1000) });
  area.byAccount.fail(account);
  const stored = await library.context.internalAdapter.findCredentialAccount(user.id);
  const hash = stored?.password ?? null;
  const isRight =
    hash !== null && (await library.context.password.verify({ hash, password: form.text('current') }));
  if (!isRight) {
    form.refuse('current', 'The current password is wrong.');
    return settingsPage(visit);
  }
  area.byAccount.reset(account);
  await users.setPassword(user, password, user.id);
  // All sessions have ended, including this one, so a stolen cookie is worthless; a new session is created here.
  const { headers } = await library.auth.api.signInEmail({
    body: { email: user.email, password },
    headers: visit.headers(),
    returnHeaders: true,
  });
  visit.passCookies(headers);
  await visit.continueWith(headers);
  await visit.leave({ notice: 'Password changed. All other sessions were signed out.' });
  return { redirect: visit.href(PATH) };
}

async function sessionTable(visit: Visit): Promise<Html> {
  const { library } = await visit.directory();
  const sessions = await library.context.internalAdapter.listSessions(visit.user.id, {
    onlyActiveSessions: true,
  });
  const rows = sessions.map((one) => [
    html`${time(one.createdAt.getTime())}${one.id === visit.session?.id ? html` <strong>this session</strong>` : null}`,
    time(one.updatedAt.getTime()),
    one.ipAddress ?? '',
    html`<span class="reason">${one.userAgent ?? ''}</span>`,
  ]);
  return table('Your sessions; times in UTC', ['Signed in', 'Last renewed', 'Address', 'Browser'], rows);
}

async function signOutEverywhere(visit: Visit): Promise<Answer> {
  const { users } = await visit.directory();
  await users.endSessions(visit.user, visit.user.id);
  return { redirect: visit.href('/account/sign-in') };
}

function providerName({ area }: Visit): string {
  const { oidc } = area.options;
  return oidc === null ? 'an identity provider' : new URL(oidc.issuer).host;
}
