/** Keys and clients that are made on the pages are those that requests are checked against. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  ADMIN,
  Browser,
  type Shown,
  setUpAdmin,
  signIn,
  startTestArea,
} from '../../../../test/support/account-area.ts';

const area = await startTestArea();
test.after(() => area[Symbol.asyncDispose]());
const { credentials, audit } = area.accounts;
const admin = await setUpAdmin(area);

const secretIn = ({ text }: Shown): string => /id="secret">([^<]+)</.exec(text)?.[1] ?? '';

async function create(browser: Browser, kind: 'keys' | 'clients', fields: Record<string, string | string[]>) {
  await browser.get(`/account/${kind}/new`);
  return browser.post(`/account/${kind}/new`, { name: 'robot', scopes: 'jobs:read', expires: '', ...fields });
}

test('a key from the page works until it is revoked there', async () => {
  const shown = await create(admin, 'keys', { scopes: ['jobs:read', 'jobs:write'], expires: '2035-01-31' });
  const key = secretIn(shown);
  const { ok } = await credentials.verifyKey(key);
  assert.deepEqual(ok?.scopes, ['jobs:read', 'jobs:write']);
  const id = ok?.credential.id ?? '';
  assert.equal((await credentials.get(id))?.expiresAt, Date.parse('2035-01-31T00:00:00Z'));
  assert.match(shown.text, new RegExp(`curl -H &#39;apiKey: ${key}&#39; ${area.url}/v1/jobs`));
  await admin.get(`/account/keys/${id}/revoke`);
  assert.notEqual((await credentials.verifyKey(key)).ok, undefined, 'to ask is not to revoke');
  const list = await admin.post(`/account/keys/${id}/revoke`, {});
  assert.deepEqual([list.path, (await credentials.verifyKey(key)).refused], ['/account/keys', 'revoked']);
  assert.match(list.text, /“robot” was revoked/);
  const events = (await audit.list({ subject: id })).events.map(({ event }) => event);
  assert.deepEqual(events, ['key.revoked', 'key.created']);
});

test('a client from the page gets tokens, and is no key', async () => {
  const shown = await create(admin, 'clients', {});
  const secret = secretIn(shown);
  const id = /curl -u &#39;(gmc_\w{8}):/.exec(shown.text)?.[1] ?? '';
  assert.notEqual((await area.accounts.tokens.issue(id, secret)).ok, undefined);
  assert.match(shown.text, /grant_type=client_credentials http:.*\/accounts\/oauth\/token/);
  assert.equal((await admin.get(`/account/keys/${id}`)).status, 404);
});

test('a key can be renamed, and be given another expiry or none', async () => {
  const shown = await create(admin, 'keys', { expires: '2035-01-31' });
  const id = (await credentials.verifyKey(secretIn(shown))).ok?.credential.id ?? '';
  const save = (fields: Record<string, string>) => admin.post(`/account/keys/${id}`, fields);
  assert.match((await save({ name: 'renamed', expires: '2035-01-31' })).text, /“renamed”/);
  await save({ name: 'renamed', expires: '' });
  assert.deepEqual(
    [(await credentials.get(id))?.name, (await credentials.get(id))?.expiresAt],
    ['renamed', null],
  );
  for (const expires of ['2001-01-01', '2035-02-30', 'soon']) {
    const refused = await save({ name: 'renamed', expires });
    assert.equal(refused.status, 400, expires);
    assert.match(refused.text, /id="expires-fault"/);
  }
  assert.equal((await save({ name: ' ', expires: '' })).status, 400);
  assert.equal((await credentials.get(id))?.name, 'renamed');
});

test('what is missing is told beside the field, and what was typed stays', async () => {
  const shown = await create(admin, 'keys', { name: '', scopes: [], expires: '2035-01-31' });
  assert.equal(shown.status, 400);
  assert.match(shown.text, /<title>Error: New API key/);
  assert.match(shown.text, /id="name-fault">It must not be empty\./);
  assert.match(shown.text, /id="scopes-fault">Select at least one\./);
  assert.match(shown.text, /value="2035-01-31"/);
});

test('keys of others are not there, except for administrators', async () => {
  const bob = await newUser('bob@example.org');
  const key = secretIn(await create(bob, 'keys', {}));
  const id = (await credentials.verifyKey(key)).ok?.credential.id ?? '';
  const eve = await newUser('eve@example.org');
  for (const path of [`/account/keys/${id}`, `/account/keys/${id}/revoke`])
    assert.equal((await eve.get(path)).status, 404);
  await eve.get('/account/keys');
  assert.equal((await eve.post(`/account/keys/${id}/revoke`, {})).status, 404);
  assert.notEqual((await credentials.verifyKey(key)).ok, undefined);
  assert.match((await admin.get('/account/all-keys')).text, /bob@example\.org/);
  await admin.get(`/account/keys/${id}/revoke`);
  assert.equal((await admin.post(`/account/keys/${id}/revoke`, {})).path, '/account/all-keys');
  assert.equal((await credentials.verifyKey(key)).refused, 'revoked');
});

test('a disabled user is out at once, with all keys, and back with those that were not revoked', async () => {
  const browser = await newUser('carl@example.org');
  const key = secretIn(await create(browser, 'keys', {}));
  const { owner } = (await credentials.verifyKey(key)).ok ?? { owner: '' };
  await admin.get(`/account/users/${owner}`);
  await admin.post(`/account/users/${owner}`, { action: 'disable' });
  assert.equal((await credentials.verifyKey(key)).refused, 'disabled');
  assert.match((await browser.get('/account')).path, /sign-in/);
  assert.equal((await signIn(browser, 'carl@example.org', ADMIN.password)).status, 401);
  await admin.get(`/account/users/${owner}`);
  await admin.post(`/account/users/${owner}`, { action: 'enable' });
  assert.notEqual((await credentials.verifyKey(key)).ok, undefined);
  assert.equal((await signIn(browser, 'carl@example.org', ADMIN.password)).path, '/account');
});

test('who is no administrator any more loses the keys that are', async () => {
  const browser = await newUser('dora@example.org', true);
  const keys = [
    secretIn(await create(browser, 'keys', { scopes: 'admin' })),
    secretIn(await create(browser, 'keys', {})),
  ];
  const { owner } = (await credentials.verifyKey(keys[0])).ok ?? { owner: '' };
  await admin.get(`/account/users/${owner}`);
  await admin.post(`/account/users/${owner}`, { action: 'not-admin' });
  const verified = await Promise.all(keys.map((key) => credentials.verifyKey(key)));
  assert.deepEqual(verified.map(({ refused }) => refused), ['revoked', undefined]); // biome-ignore format: one line
  assert.equal((await browser.get('/account/users')).status, 404);
});

test('administrators cannot lock themselves out', async () => {
  const own =
    (await credentials.list()).find(({ name, scopes }) => name === 'renamed' && scopes.length > 0)?.owner ??
    '';
  await admin.get(`/account/users/${own}`);
  for (const action of ['disable', 'not-admin'])
    assert.equal((await admin.post(`/account/users/${own}`, { action })).status, 403);
  assert.equal((await admin.get('/account/users')).status, 200);
});

async function newUser(email: string, isAdmin = false): Promise<Browser> {
  await admin.get('/account/users/new');
  const shown = await admin.post('/account/users/new', {
    email,
    name: '',
    ...(isAdmin ? { admin: 'yes' } : {}),
  });
  const browser = new Browser(area.url);
  await browser.get(/id="link">([^<]+)</.exec(shown.text)?.[1] ?? '');
  const token = /name="token" value="([^"]+)"/.exec(browser.page)?.[1] ?? '';
  const { password } = ADMIN;
  await browser.post('/account/password', { token, password, repeated: password });
  return browser;
}
