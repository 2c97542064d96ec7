/** Pages to sign in and out, with a password or through an identity provider. */
import { html } from '../../html.ts';
import { LIBRARY_PATH, OIDC_PROVIDER } from '../library-names.ts';
import type { AccountRoute, Answer } from '../route.ts';
import type { Visit } from '../visit.ts';
import { layout } from './layout.ts';
import { field, postForm } from './parts.ts';

const SIGN_IN = '/account/sign-in';

export const signInRoutes: readonly AccountRoute[] = [
  { method: 'GET', path: SIGN_IN, access: 'anyone', handle: showSignIn },
  { method: 'POST', path: SIGN_IN, access: 'anyone', handle: signIn },
  { method: 'POST', path: '/account/sign-out', access: 'anyone', handle: signOut },
  { method: 'GET', path: '/account/sign-in/oidc', access: 'anyone', handle: beginOidc },
  { method: 'GET', path: `${LIBRARY_PATH}/callback/${OIDC_PROVIDER}`, access: 'anyone', handle: endOidc },
];

async function showSignIn(visit: Visit): Promise<Answer> {
  const { error, next } = visit.request.query as { error?: unknown; next?: unknown };
  if (visit.session !== null) return { redirect: visit.href(safeNext(next)) };
  if (typeof error === 'string') visit.form.refuse('', oidcFault(error));
  return signInPage(visit, safeNext(next), visit.form.isValid ? 200 : 400);
}

async function signInPage(visit: Visit, next: string, status: number, waitSeconds?: number): Promise<Answer> {
  const { accounts, oidc } = visit.area.options;
  const form = postForm(
    visit,
    SIGN_IN,
    html`<input type="hidden" name="next" value="${next}">
${field(visit, { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username' })}
${field(visit, { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}
<button>Sign in</button>`,
  );
  const other =
    oidc === null
      ? null
      : html`<p class="or">or</p>
<p><a class="button" href="${visit.href('/account/sign-in/oidc')}?next=${encodeURIComponent(next)}">Sign in with ${new URL(oidc.issuer).host}</a></p>`;
  const empty =
    (await accounts.states.activeAdmins()) > 0
      ? null
      : html`<p class="hint">There is no administrator yet. On the server,
<code>geomill users create --admin EMAIL</code> prints a link to create one.</p>`;
  const page = layout(visit, { title: 'Sign in', body: html`${form}${other}${empty}` });
  return { page, status, headers: waitSeconds === undefined ? {} : { 'retry-after': String(waitSeconds) } };
}

/** The response is the same for an unknown address, a wrong password, and a disabled or password-less account. */
async function signIn(visit: Visit): Promise<Answer> {
  const { area, form, source } = visit;
  const next = safeNext(form.text('next'));
  const email = form.text('email').trim().toLowerCase().slice(0, 200);
  const account = `account ${email}`;
  const waitMs = Math.max(area.byAccount.waitMs(account), area.byAddress.waitMs(source));
  if (waitMs > 0) {
    const seconds = Math.ceil(waitMs / 1000);
    form.refuse('', `Too many attempts. Try again in ${seconds} s.`);
    return signInPage(visit, next, 429, seconds);
  }
  // Counted before the password is hashed; otherwise concurrent guesses would not be limited.
  area.byAccount.fail(account);
  area.byAddress.fail(source);
  const { library } = await visit.directory();
  const answer = await passwordAnswer(visit, email, form.text('password'));
  const { audit } = area.options.accounts;
  if (answer === null) {
    // Logged only if it looks like an address: it may be a password typed into the wrong field, or crafted to forge log lines.
    const subject = /^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/.test(email) ? email : 'unknown';
    await audit.note({ actor: 'stranger', event: 'sign-in.failed', subject, detail: { source } });
    form.refuse('', 'Wrong e-mail address or password.');
    return signInPage(visit, next, 401);
  }
  area.byAccount.reset(account);
  area.byAddress.forgive(source);
  // The previous session of this browser ends.
  if (visit.session !== null) await library.context.internalAdapter.deleteSession(visit.session.token);
  visit.passCookies(answer.headers);
  const { id } = answer.response.user;
  await audit.note({
    actor: id,
    event: 'sign-in.succeeded',
    subject: id,
    detail: { source, method: 'password' },
  });
  return { redirect: visit.href(next) };
}

async function passwordAnswer(visit: Visit, email: string, password: string) {
  const { library } = await visit.directory();
  try {
    return await library.auth.api.signInEmail({
      body: { email, password },
      headers: visit.headers(),
      returnHeaders: true,
    });
  } catch (error) {
    const status = (error as { statusCode?: unknown }).statusCode;
    if (typeof status === 'number' && status >= 400 && status < 500) return null;
    throw error;
  }
}

async function signOut(visit: Visit): Promise<Answer> {
  if (visit.session !== null) {
    const { library } = await visit.directory();
    const { headers } = await library.auth.api.signOut({ headers: visit.headers(), returnHeaders: true });
    visit.passCookies(headers);
  }
  return { redirect: visit.href(SIGN_IN) };
}

/** A link, not a form: the content security policy of forms would have to name the provider. */
async function beginOidc(visit: Visit): Promise<Answer> {
  const { oidc } = visit.area.options;
  if (oidc === null) return { redirect: visit.href(SIGN_IN) };
  const { auth } = await visit.area.oidc(oidc);
  const { headers, response } = await auth.api.signInSocial({
    body: {
      provider: OIDC_PROVIDER,
      callbackURL: visit.href(safeNext((visit.request.query as { next?: unknown }).next)),
      errorCallbackURL: visit.href(SIGN_IN),
    },
    headers: visit.headers(),
    returnHeaders: true,
  });
  if (!('url' in response) || response.url === undefined) throw new Error('the library gave no address');
  visit.passCookies(headers);
  return { redirect: response.url };
}

async function endOidc(visit: Visit): Promise<Answer> {
  const { oidc, accounts } = visit.area.options;
  if (oidc === null) return { redirect: visit.href(SIGN_IN) };
  const { callback } = await visit.area.oidc(oidc);
  const address = new URL(visit.request.url, visit.baseUrl);
  address.pathname = visit.href(address.pathname);
  const answer = await callback(new Request(address, { headers: visit.headers() }));
  visit.passCookies(answer.headers);
  const target = new URL(answer.headers.get('location') ?? SIGN_IN, visit.baseUrl);
  const { library } = await visit.directory();
  const cookie = answer.headers.getSetCookie().map((one) => one.split(';', 1)[0]);
  const session = await library.auth.api.getSession({ headers: new Headers({ cookie: cookie.join('; ') }) });
  if (session !== null) {
    const { id } = session.user;
    const detail = { source: visit.source, method: 'oidc' };
    await accounts.audit.note({ actor: id, event: 'sign-in.succeeded', subject: id, detail });
    if (visit.session !== null) await library.context.internalAdapter.deleteSession(visit.session.token);
  }
  // The library checked the target before storing it in the state; here it is reduced to a path of this service.
  const isOurs = target.origin === new URL(visit.baseUrl).origin;
  return { redirect: isOurs ? target.pathname + target.search : visit.href(SIGN_IN) };
}

/** Only paths of this area, so that a sign-in link cannot redirect to another site. */
function safeNext(next: unknown): string {
  return typeof next === 'string' && /^\/(?:(?:account|jobs)(?:\/[\w\-/]*)?)?$/.test(next)
    ? next
    : '/account';
}

/** Messages for codes of the library and of the provider (OpenID Connect Core, 3.1.2.6). */
function oidcFault(code: string): string {
  switch (code) {
    case 'access_denied':
      return 'The sign-in was cancelled.';
    case 'account_not_linked':
      return 'A user with this e-mail address exists, but the provider has not verified the address. Sign in with your password.';
    case 'email_not_found':
      return 'The provider sent no e-mail address, which is required.';
    case 'unable_to_create_session':
      return 'This account cannot sign in. Ask the administrator of this service.';
    default:
      return 'The sign-in was not completed. Try again.';
  }
}
