/** Who gets into the account area, and who does not. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { ADMIN, Browser, setUpAdmin, signIn, startTestArea } from '../../../../test/support/account-area.ts';

const area = await startTestArea();
test.after(() => area[Symbol.asyncDispose]());
const admin = await setUpAdmin(area);

const tokenIn = (page: string): string => /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '';

test('a setup link creates the administrator once, and none when there is one', async () => {
  await using fresh = await startTestArea();
  const path = await fresh.link({ purpose: 'setup', userId: null });
  const [one, other] = [new Browser(fresh.url), new Browser(fresh.url)];
  // Looking does not use it up: mail programs do so.
  for (const browser of [one, other]) assert.equal((await browser.get(path)).status, 200);
  const fields = { token: tokenIn(one.page), name: '', password: ADMIN.password, repeated: ADMIN.password };
  const made = await one.post('/account/setup', { ...fields, email: ADMIN.email });
  assert.deepEqual([made.status, made.path], [200, '/account']);
  const late = await other.post('/account/setup', { ...fields, email: 'eve@example.org' });
  assert.equal(late.status, 410);
  assert.equal((await other.get(path)).status, 410);
  const second = await other.get(await fresh.link({ purpose: 'setup', userId: null }));
  assert.equal(second.status, 410, 'a later link is no way round the first administrator');
});

test('a wrong token, an old one and one for something else open nothing', async () => {
  const browser = new Browser(area.url);
  for (const token of ['', 'x', 'A'.repeat(43)])
    for (const path of ['setup', 'password'])
      assert.equal((await browser.get(`/account/${path}?token=${token}`)).status, 410);
});

test('the password gets in, and the session ends with signing out', async () => {
  const browser = new Browser(area.url);
  const shown = await signIn(browser, ADMIN.email.toUpperCase(), ADMIN.password);
  assert.deepEqual([shown.status, shown.path], [200, '/account']);
  assert.match(shown.text, /ada@example\.org/);
  const kept = new Map(browser.cookies);
  assert.equal((await browser.post('/account/sign-out', {})).path, '/account/sign-in');
  for (const [name, value] of kept) browser.cookies.set(name, value);
  assert.match(
    (await browser.get('/account')).path,
    /^\/account\/sign-in/,
    'the old cookie is worth nothing',
  );
});

test('nothing of the area is shown without a session, and signing in leads back', async () => {
  const browser = new Browser(area.url);
  const pages = ['', '/keys', '/keys/new', '/clients', '/jobs', '/settings', '/users', '/all-keys', '/audit'];
  for (const page of pages) {
    const shown = await browser.get(`/account${page}`, { follow: false });
    assert.equal(shown.status, 303, page);
    assert.match(shown.headers.get('location') ?? '', /^\/account\/sign-in\?next=%2Faccount/);
  }
  await browser.get('/account/sign-in?next=/account/keys');
  const next = /name="next" value="([^"]*)"/.exec(browser.page)?.[1] ?? '';
  const { email, password } = ADMIN;
  assert.equal((await browser.post('/account/sign-in', { email, password, next })).path, '/account/keys');
});

test('signing in leads to no other service', async () => {
  const bad = [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/account/../x',
    '/account//evil.example/%2e',
  ];
  for (const next of bad) {
    const browser = new Browser(area.url);
    await browser.get(`/account/sign-in?next=${encodeURIComponent(next)}`);
    assert.doesNotMatch(browser.page, /evil/);
    const { email, password } = ADMIN;
    const shown = await browser.post('/account/sign-in', { email, password, next }, { follow: false });
    const to = new URL(shown.headers.get('location') ?? '', area.url);
    assert.equal(to.origin, area.url);
    assert.match(to.pathname, /^\/account/);
  }
});

test('unknown, wrong and disabled are one answer', async () => {
  const { library, users } = await directory();
  const user = await users.create({ email: 'off@example.org', name: '', isAdmin: false }, 'test');
  await users.setPassword(user, ADMIN.password, 'test');
  await users.disable(user, 'test');
  await users.create({ email: 'none@example.org', name: '', isAdmin: false }, 'test');
  library.close();
  const cases = [
    ['nobody@example.org', ADMIN.password],
    [ADMIN.email, 'wrong wrong wrong'],
    ['off@example.org', ADMIN.password],
    ['none@example.org', ADMIN.password],
  ];
  const answers = new Set<string>();
  for (const [email, password] of cases) {
    const shown = await signIn(new Browser(area.url), email, password);
    assert.equal(shown.status, 401);
    answers.add(shown.text.replaceAll(email, 'X').replace(/name="form_token" value="[^"]+"/, ''));
  }
  assert.equal(answers.size, 1);
});

test('who guesses an account has to wait, and the right password waits too', async () => {
  // Guesses take as long as the machine needs for them, during which nothing is forgiven.
  const at = Date.now();
  await using fresh = await startTestArea({ now: () => at });
  await setUpAdmin(fresh);
  const statuses: number[] = [];
  for (let i = 0; i < 7; i++)
    statuses.push((await signIn(new Browser(fresh.url), ADMIN.email, `guess number ${i}`)).status);
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 401, 429]);
  const shown = await signIn(new Browser(fresh.url), ADMIN.email, ADMIN.password);
  assert.equal(shown.status, 429);
  assert.ok(Number(shown.headers.get('retry-after')) >= 1);
  assert.match(shown.text, /Try again in \d+ s/);
  const failed = (await fresh.accounts.audit.list({ event: 'sign-in.failed' })).events;
  assert.deepEqual([failed.length, failed[0].subject], [6, ADMIN.email]);
  assert.doesNotMatch(JSON.stringify(failed), /guess number/);
});

test('what strangers type as an address cannot rearrange a line of the audit log', async () => {
  await using fresh = await startTestArea();
  await setUpAdmin(fresh);
  for (const email of ['\u202emoc.elpmaxe@nimda', 'a\u001b[2J@example.com', 'p@ss@word'])
    assert.equal((await signIn(new Browser(fresh.url), email, 'guess number 1')).status, 401);
  const failed = (await fresh.accounts.audit.list({ event: 'sign-in.failed' })).events;
  assert.deepEqual(
    failed.map(({ subject }) => subject),
    ['unknown', 'unknown', 'unknown'],
  );
});

test('a thousand guesses at once are not free', async () => {
  await using fresh = await startTestArea();
  await setUpAdmin(fresh);
  const browser = new Browser(fresh.url);
  await browser.get('/account/sign-in');
  const guesses = Array.from({ length: 40 }, (_, i) =>
    browser.post('/account/sign-in', { email: ADMIN.email, password: `guess number ${i}` }),
  );
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  assert.ok(statuses.filter((status) => status === 401).length <= 6, statuses.join(' '));
});

test('each sign-in is a new session, and the one before in the same browser ends', async () => {
  const browser = new Browser(area.url);
  // A session id that somebody planted is not taken on.
  browser.cookies.set('geomill.session_token', 'planted.signature');
  await signIn(browser, ADMIN.email, ADMIN.password);
  const first = browser.cookies.get('geomill.session_token') ?? '';
  assert.notEqual(first, 'planted.signature');
  await browser.get('/account/settings');
  await browser.post('/account/sign-in', { email: ADMIN.email, password: ADMIN.password });
  const second = browser.cookies.get('geomill.session_token');
  assert.notEqual(second, first);
  browser.cookies.set('geomill.session_token', first);
  assert.match((await browser.get('/account')).path, /sign-in/);
});

test('cookies are for the server alone, and over https bound to this host', async () => {
  const [session] = [await cookiesOf(null)];
  assert.match(session, /^geomill\.session_token=[^;]+;.*HttpOnly.*SameSite=Lax/i);
  assert.doesNotMatch(session, /Secure|Domain/i);
  const secure = await cookiesOf('https://mill.example.org');
  assert.match(secure, /^__Host-geomill\.session_token=[^;]+;.*HttpOnly/i);
  assert.match(secure, /; Secure/i);
  assert.match(secure, /; Path=\/(?:;|$)/i);
  assert.match(secure, /; SameSite=Lax/i);
  assert.doesNotMatch(secure, /Domain/i);
});

test('a new password ends the other sessions and needs the current one', async () => {
  await using fresh = await startTestArea();
  const [here, there] = [await setUpAdmin(fresh), new Browser(fresh.url)];
  await signIn(there, ADMIN.email, ADMIN.password);
  await here.get('/account/settings');
  const password = 'nine purple kites fall';
  const wrong = { current: 'not the password', password, repeated: password };
  assert.match((await here.post('/account/settings/password', wrong)).text, /current password is wrong/);
  const changed = await here.post('/account/settings/password', { ...wrong, current: ADMIN.password });
  assert.match(changed.text, /Password changed/);
  assert.match((await there.get('/account')).path, /sign-in/);
  assert.equal((await signIn(there, ADMIN.email, ADMIN.password)).status, 401);
  assert.equal((await signIn(there, ADMIN.email, password)).path, '/account');
  await here.get('/account/settings');
  await here.post('/account/settings/sessions', {});
  for (const browser of [here, there]) assert.match((await browser.get('/account')).path, /sign-in/);
});

test('weak passwords are told what is wrong with them beside the field', async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['short', /at least 12 characters/],
    ['aaaaaaaaaaaaaaaa', /different characters/],
    ['ada@example.org', /little more than the e-mail/],
    ['x'.repeat(129), /at most 128/],
  ];
  await admin.get('/account/settings');
  for (const [password, reason] of cases) {
    const shown = await admin.post('/account/settings/password', {
      current: ADMIN.password,
      password,
      repeated: password,
    });
    assert.equal(shown.status, 400);
    assert.match(shown.text, reason);
    assert.match(
      shown.text,
      /id="password"[^>]*aria-describedby="password-hint password-fault" aria-invalid="true"/,
    );
    assert.doesNotMatch(shown.text, /value="(?:short|aaaa)/);
  }
});

async function directory() {
  const { openDirectory } = await import('../../src/pages/account/area.ts');
  return openDirectory({ accounts: area.accounts, baseUrl: 'http://localhost', warn: () => {} });
}

/** The Set-Cookie of a session under this public address. */
async function cookiesOf(baseUrl: string | null): Promise<string> {
  await using fresh = await startTestArea({ baseUrl });
  const headers = { origin: baseUrl ?? fresh.url };
  const browser = new Browser(fresh.url);
  await browser.get(await fresh.link({ purpose: 'setup', userId: null }));
  const { email, password } = ADMIN;
  const shown = await browser.post(
    '/account/setup',
    { token: tokenIn(browser.page), email, password, repeated: password },
    { headers, follow: false },
  );
  return shown.headers.getSetCookie().find((one) => one.includes('session_token')) ?? '';
}
