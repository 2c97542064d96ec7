/** Signing in to the account area by an identity provider: who it may speak for, and who not. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import test from 'node:test';
import {
  ADMIN,
  Browser,
  type Shown,
  setUpAdmin,
  startTestArea,
  type TestArea,
} from '../../../../test/support/account-area.ts';
import { type Claims, type FakeIssuer, startFakeIssuer } from '../../../../test/support/fake-issuer.ts';
import { oidcOwner } from '../../src/accounts/oidc.ts';
import { openDirectory } from '../../src/pages/account/area.ts';

const issuer = await startFakeIssuer();
const area = await startWith(issuer);
test.after(async () => {
  await area[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});
await setUpAdmin(area);

/** The address that is registered with the issuer has to be known before the area listens. */
async function startWith({ url, clientId, clientSecret }: FakeIssuer): Promise<TestArea> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return startTestArea({
    port,
    baseUrl: `http://127.0.0.1:${port}`,
    oidc: { issuer: url, clientId, clientSecret },
  });
}

/** From the button to where the browser ends up. */
async function signInWith(browser: Browser, claims: Claims, from = area, query = ''): Promise<Shown> {
  issuer.claims = claims;
  const start = await browser.get(`/account/sign-in/oidc${query}`, { follow: false });
  const asked = await fetch(start.headers.get('location') ?? '', { redirect: 'manual' });
  const back = new URL(asked.headers.get('location') ?? '');
  assert.equal(back.origin, from.url);
  return browser.get(back.pathname + back.search);
}

test('a new subject becomes a user whose account is that of its access tokens', async () => {
  const browser = new Browser(area.url);
  const shown = await signInWith(browser, {
    sub: 's1',
    email: 'Grace@example.com',
    email_verified: true,
    name: 'Grace',
  });
  assert.deepEqual([shown.status, shown.path], [200, '/account']);
  assert.match(shown.text, /grace@example\.com/);
  const user = await area.accounts.owners.resolve('grace@example.com');
  assert.equal(user.id, oidcOwner(issuer.url, 's1'));
  assert.equal((await area.accounts.states.of(user.id)).isAdmin, false);
  const [asked] = issuer.requests.slice(-1);
  assert.equal(asked.get('code_challenge_method'), 'S256');
  assert.ok((asked.get('state') ?? '').length >= 32 && asked.get('nonce') !== null);
  assert.equal(asked.get('redirect_uri'), `${area.url}/account/auth/callback/oidc`);
  // The second time it is the same user; what it is called meanwhile does not matter.
  await signInWith(new Browser(area.url), { sub: 's1', email: 'other@example.com', email_verified: true });
  await assert.rejects(() => area.accounts.owners.resolve('other@example.com'), { code: 'OWNER_UNKNOWN' });
});

test('the provider may speak for a user by an address that it has verified, and only then', async () => {
  const { library, users } = await openDirectory({
    accounts: area.accounts,
    baseUrl: area.url,
    warn: () => {},
  });
  try {
    const user = await users.create({ email: 'henry@example.org', name: '', isAdmin: false }, 'test');
    for (const email_verified of [false, undefined, 'true']) {
      const shown = await signInWith(new Browser(area.url), {
        sub: 'h',
        email: 'henry@example.org',
        email_verified,
      });
      assert.match(shown.text, /provider has not verified the address/, String(email_verified));
      const unverified = { sub: 'a', email: ADMIN.email, email_verified };
      assert.match((await signInWith(new Browser(area.url), unverified)).path, /^\/account\/sign-in\?error/);
    }
    const linked = await signInWith(new Browser(area.url), {
      sub: 'h',
      email: 'henry@example.org',
      email_verified: true,
    });
    assert.equal(linked.path, '/account');
    assert.equal((await users.list()).filter(({ email }) => email === 'henry@example.org').length, 1);
    await users.disable(user, 'test');
    const disabled = await signInWith(new Browser(area.url), { sub: 'h', email: 'henry@example.org' });
    assert.match(disabled.path, /^\/account\/sign-in\?error/);
    assert.match(disabled.text, /cannot sign in|not completed/);
  } finally {
    library.close();
  }
});

test('what people call themselves at the provider writes nothing to a terminal, and an address is one', async () => {
  const claims = { sub: 'escape', email: 'eve@example.com', email_verified: true };
  await signInWith(new Browser(area.url), { ...claims, name: '\u001b]0;owned\u0007Eve\u202e \n' });
  const [found] = await area.accounts.database.rows<{ name: string }>(
    'SELECT name FROM "user" WHERE email = ?',
    claims.email,
  );
  assert.equal(found?.name, ']0;ownedEve');
  for (const email of ['m\u001b[2J@example.com', 'two words@example.com', 'nobody', 'a@b@example.com']) {
    const shown = await signInWith(new Browser(area.url), { ...claims, sub: 'other', email });
    assert.match(shown.path, /^\/account\/sign-in\?error/, email);
  }
});

test('a token that is not for this sign-in is refused', async () => {
  const good = { email: 'ivy@example.com', email_verified: true };
  const bad: readonly Claims[] = [
    { ...good, nonce: 'another' },
    { ...good, nonce: undefined },
    { ...good, aud: 'another client' },
    { ...good, iss: 'https://other.example' },
    { ...good, exp: 1 },
    { ...good, email: undefined },
  ];
  for (const claims of bad) {
    const shown = await signInWith(new Browser(area.url), { sub: 'ivy', ...claims });
    assert.match(shown.path, /^\/account\/sign-in\?error/, JSON.stringify(claims));
  }
  issuer.isForger = true;
  const forged = await signInWith(new Browser(area.url), { sub: 'ivy', ...good });
  issuer.isForger = false;
  assert.match(forged.path, /^\/account\/sign-in\?error/);
  await assert.rejects(() => area.accounts.owners.resolve('ivy@example.com'), { code: 'OWNER_UNKNOWN' });
});

test('a sign-in leads back to the page that asked for it, and never to another site', async () => {
  const claims = { sub: 'n', email: 'nora@example.com', email_verified: true };
  for (const [next, path] of [
    ['/account/jobs', '/account/jobs'],
    ['/', '/'],
    ['https://evil.example.org/', '/account'],
    ['//evil.example.org', '/account'],
  ]) {
    const browser = new Browser(area.url);
    const page = await browser.get(`/account/sign-in?next=${encodeURIComponent(next)}`);
    const href = /href="(\/account\/sign-in\/oidc[^"]*)"/.exec(page.text)?.[1] ?? '';
    const query = href.slice(href.indexOf('?'));
    assert.equal((await signInWith(browser, claims, area, query)).path, path, next);
  }
});

test('an answer counts in the browser that asked, once', async () => {
  issuer.claims = { sub: 'j', email: 'jack@example.com', email_verified: true };
  const [victim, attacker] = [new Browser(area.url), new Browser(area.url)];
  const start = await attacker.get('/account/sign-in/oidc', { follow: false });
  const asked = await fetch(start.headers.get('location') ?? '', { redirect: 'manual' });
  const back = new URL(asked.headers.get('location') ?? '');
  const planted = await victim.get(back.pathname + back.search);
  assert.match(planted.path, /^\/account\/sign-in\?error/);
  assert.ok(!victim.cookies.has('geomill.session_token'));
  const path = back.pathname + back.search;
  assert.equal((await attacker.get(path)).path, '/account');
  attacker.cookies.delete('geomill.session_token');
  await attacker.get(path);
  assert.ok(!attacker.cookies.has('geomill.session_token'));
});

test('no token of the provider is kept, and none is warned of', async () => {
  const rows = await area.accounts.database.rows<Record<string, string | null>>(
    `SELECT "accessToken", "refreshToken", "idToken" FROM account WHERE "providerId" = 'oidc'`,
  );
  assert.ok(rows.length >= 2);
  assert.deepEqual(new Set(rows.flatMap((row) => Object.values(row))), new Set([null]));
  assert.doesNotMatch(area.warnings.join('\n'), /opaque-access-token|eyJ|a secret of/);
});

test('a provider that is down, or another one, stops nobody from signing in by password', async () => {
  const other = await startFakeIssuer();
  await using fresh = await startWith(other);
  other.claimsToBe = 'https://other.example';
  const browser = await setUpAdmin(fresh);
  const shown = await browser.get('/account/sign-in/oidc');
  assert.equal(shown.status, 503);
  assert.equal(shown.headers.get('retry-after'), '10');
  assert.match(fresh.warnings.join(), /says to be of 'https:\/\/other\.example'/);
  await other[Symbol.asyncDispose]();
  assert.equal((await browser.get('/account/sign-in/oidc')).status, 503);
  assert.equal((await browser.get('/account')).status, 200);
});
