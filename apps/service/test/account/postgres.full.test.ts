/** The account area of two processes with their accounts in one PostgreSQL database. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  ADMIN,
  Browser,
  setUpAdmin,
  signIn,
  startTestArea,
  type TestArea,
} from '../../../../test/support/account-area.ts';
import { postgresPlace } from '../../../../test/support/accounts.ts';
import { noPostgres, startPostgres } from '../../../../test/support/postgres.ts';
import { openAccountsAt } from '../../src/accounts/accounts.ts';
import { AttemptLimiter, PASSWORD_RULES } from '../../src/accounts/attempt-limiter.ts';

const skip = noPostgres;
const EVE = { email: 'eve@example.org', password: 'nine yellow kites fly' };

let areas: Promise<readonly TestArea[]> | null = null;
test.after(async () => {
  for (const area of (await areas) ?? []) await area[Symbol.asyncDispose]();
});

/** Started at the same time, so that both create the tables. */
async function twoAreas(): Promise<readonly TestArea[]> {
  areas ??= postgresPlace().then((place) =>
    Promise.all([startTestArea({ place }), startTestArea({ place })]),
  );
  return areas;
}

/** The same cookies at the other process, as behind a load balancer. */
function at(area: TestArea, browser: Browser): Browser {
  const other = new Browser(area.url);
  for (const [name, value] of browser.cookies) other.cookies.set(name, value);
  return other;
}

test('processes that start together make the tables of users once', { skip }, async () => {
  const browsers = (await twoAreas()).map(({ url }) => new Browser(url));
  const shown = await Promise.all(
    browsers.map((browser) => signIn(browser, 'nobody@example.org', 'wrong one')),
  );
  assert.deepEqual(shown.map(({ status }) => status), [401, 401]); // biome-ignore format: one line
});

test('a user of one process is one of the other, and loses access in both at once', { skip }, async () => {
  const [first, second] = await twoAreas();
  const link = await first.link({ purpose: 'setup', userId: null });
  const admin = await setUpAdmin({ url: second.url, link: async () => link });
  assert.equal(
    (await new Browser(first.url).get(link)).status,
    410,
    'a link that was used in the other process',
  );

  const creating = at(first, admin);
  await creating.get('/account/users/new');
  const created = await creating.post('/account/users/new', { email: EVE.email, name: 'Eve' });
  const href = /id="link">([^<]+)</.exec(created.text)?.[1] ?? '';
  const eve = new Browser(second.url);
  await eve.get(new URL(href).pathname + new URL(href).search);
  const token = /name="token" value="([^"]+)"/.exec(eve.page)?.[1] ?? '';
  const { password } = EVE;
  const signed = await eve.post('/account/password', { token, password, repeated: password });
  assert.equal(signed.path, '/account');
  await eve.get('/account/keys/new');
  const made = await eve.post('/account/keys/new', { name: 'k', scopes: 'jobs:read' });
  const key = /gm_[0-9A-Za-z]{8}_[0-9A-Za-z]{33}/.exec(made.text)?.[0] ?? '';
  for (const { accounts } of [first, second]) assert.ok((await accounts.credentials.verifyKey(key)).ok);
  assert.equal((await at(first, eve).get('/account')).path, '/account');

  const path = created.path;
  const disabling = at(first, admin);
  await disabling.get(path);
  assert.match((await disabling.post(path, { action: 'disable' })).text, /was disabled/);
  for (const area of [first, second]) {
    assert.equal((await area.accounts.credentials.verifyKey(key)).refused, 'disabled');
    assert.equal((await at(area, eve).get('/account')).path, '/account/sign-in?next=%2Faccount');
    assert.equal((await signIn(new Browser(area.url), EVE.email, EVE.password)).status, 401);
  }
  const log = await admin.get('/account/audit');
  for (const event of ['user.created', 'key.created', 'user.changed', 'sign-in.failed'])
    assert.match(log.text, new RegExp(event));
  assert.equal((await signIn(new Browser(first.url), ADMIN.email, ADMIN.password)).path, '/account');
});

test('the last administrator stays, whichever process is asked', { skip }, async () => {
  const [{ accounts }] = await twoAreas();
  const { openDirectory } = await import('../../src/pages/account/area.ts');
  const { users } = await openDirectory({ accounts, baseUrl: 'http://localhost', warn: () => {} });
  const admin = await users.named(ADMIN.email);
  await assert.rejects(() => users.disable(admin, 'test'), { code: 'LAST_ADMIN' });
  await assert.rejects(() => users.setAdmin(admin, false, 'test'), { code: 'LAST_ADMIN' });
  assert.deepEqual(await accounts.states.of(admin.id), { isAdmin: true, disabledAt: null });
  assert.equal(await users.get('no\0body'), null);
});

test('accounts work again after a crash of the database, with empty limits', { skip }, async () => {
  await using server = await startPostgres();
  const place = { postgres: { url: server.url, schema: 'crash', maxConnections: 3 } };
  const accounts = await openAccountsAt(place);
  try {
    const limiter = new AttemptLimiter(PASSWORD_RULES);
    accounts.database.limits?.shareAttempts('account', limiter);
    const wanted = { kind: 'key', owner: 'ci', name: 'k', scopes: ['jobs:read'], expiresAt: null } as const;
    const { secret } = await accounts.credentials.create(wanted, 'test');
    limiter.fail('ann');
    await accounts.database.limits?.exchange();
    await server.crash();
    // A connection may be found dead by the first statement that uses it.
    const verified = await accounts.credentials
      .verifyKey(secret)
      .catch(() => accounts.credentials.verifyKey(secret));
    assert.ok(verified.ok);
    assert.equal(await accounts.audit.note({ actor: 'a', event: 'sign-in.failed', subject: 's' }), true);
    limiter.fail('ann');
    await accounts.database.limits?.exchange();
    const [{ failures }] = await accounts.database.rows<{ failures: number }>(
      'SELECT failures FROM attempts',
    );
    assert.equal(failures, 1);
  } finally {
    await accounts.close();
  }
});
