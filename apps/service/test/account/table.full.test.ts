/**
 * Every route of the account area, as the router of a whole service has it, for nobody, for an API key of an
 * administrator, for a user and for an administrator. One that is not in the table fails.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { ADMIN, Browser, setUpAdmin } from '../../../../test/support/account-area.ts';
import { TestCredentials } from '../../../../test/support/credentials.ts';
import { startTestService } from '../../../../test/support/service.ts';
import type { RouteName } from '../../src/http/build-app.ts';
import { OneTimeLinks } from '../../src/pages/account/one-time-links.ts';

type Access = 'anyone' | 'user' | 'admin';

const TABLE: Readonly<Record<string, Access>> = {
  'GET /account/style.css': 'anyone',
  'GET /account/sign-in': 'anyone',
  'POST /account/sign-in': 'anyone',
  'POST /account/sign-out': 'anyone',
  'GET /account/sign-in/oidc': 'anyone',
  'GET /account/auth/callback/oidc': 'anyone',
  'GET /account/setup': 'anyone',
  'POST /account/setup': 'anyone',
  'GET /account/password': 'anyone',
  'POST /account/password': 'anyone',
  'GET /account': 'user',
  'GET /account/jobs': 'user',
  'GET /account/jobs/:id': 'user',
  'GET /account/jobs/:id/output': 'user',
  'GET /account/jobs/:id/findings': 'user',
  'GET /account/jobs/:id/report': 'user',
  'POST /account/jobs/:id/cancel': 'user',
  'GET /account/jobs/:id/delete': 'user',
  'POST /account/jobs/:id/delete': 'user',
  'GET /account/keys': 'user',
  'GET /account/keys/new': 'user',
  'POST /account/keys/new': 'user',
  'GET /account/keys/:id': 'user',
  'POST /account/keys/:id': 'user',
  'GET /account/keys/:id/revoke': 'user',
  'POST /account/keys/:id/revoke': 'user',
  'GET /account/clients': 'user',
  'GET /account/clients/new': 'user',
  'POST /account/clients/new': 'user',
  'GET /account/clients/:id': 'user',
  'POST /account/clients/:id': 'user',
  'GET /account/clients/:id/revoke': 'user',
  'POST /account/clients/:id/revoke': 'user',
  'GET /account/settings': 'user',
  'POST /account/settings/password': 'user',
  'POST /account/settings/sessions': 'user',
  'GET /account/users': 'admin',
  'GET /account/users/new': 'admin',
  'POST /account/users/new': 'admin',
  'GET /account/users/:id': 'admin',
  'POST /account/users/:id': 'admin',
  'GET /account/all-keys': 'admin',
  'GET /account/audit': 'admin',
};

const routes: RouteName[] = [];
const service = await startTestService({
  settings: { AUTH: 'required' },
  start: { onRoute: (route) => routes.push(route) },
});
const credentials = new TestCredentials(service.config.dataDirectory);
const { accounts } = credentials;
const admin = await setUpAdmin({
  url: service.url,
  link: async (link) =>
    `/account/${link.purpose}?token=${await new OneTimeLinks(accounts.database).make(link, 'test')}`,
});
const user = await newUser('bob@example.org');
test.after(async () => {
  await credentials[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

async function newUser(email: string): Promise<Browser> {
  await admin.get('/account/users/new');
  const shown = await admin.post('/account/users/new', { email, name: '' });
  const browser = new Browser(service.url);
  await browser.get(/id="link">([^<]+)</.exec(shown.text)?.[1] ?? '');
  const token = /name="token" value="([^"]+)"/.exec(browser.page)?.[1] ?? '';
  await browser.post('/account/password', { token, password: ADMIN.password, repeated: ADMIN.password });
  return browser;
}

/** The other is an operation of the API (session-token.full.test.ts). */
const ours = ({ url }: RouteName): boolean =>
  /^\/account(?:\/|$)/.test(url) && url !== '/account/access-token';

test('the table has every route of the account area, and no other', () => {
  const known = Object.keys(TABLE).flatMap((name) => {
    const url = name.slice(name.indexOf(' ') + 1);
    return name.startsWith('GET') ? [name, `HEAD ${url}`] : [name];
  });
  const there = routes.filter(ours).map(({ method, url }) => `${method} ${url}`);
  assert.deepEqual(there.toSorted(), known.toSorted());
});

test('pages for users send everybody else to sign in, whatever API key they show', async () => {
  const root = (await credentials.key('root', ['admin', 'jobs:read', 'jobs:write'])).secret;
  const token = await credentials.token('root', ['admin']);
  const shown = [
    {},
    { apiKey: root },
    { authorization: `Bearer ${root}` },
    { authorization: `Bearer ${token}` },
  ];
  for (const [name, access] of Object.entries(TABLE)) {
    const [method, url] = name.split(' ');
    if (method !== 'GET') continue;
    for (const headers of shown) {
      const response = await fetch(service.url + url.replace(':id', 'x'), { headers, redirect: 'manual' });
      const goesTo = response.headers.get('location') ?? '';
      await response.body?.cancel();
      if (access === 'anyone') assert.ok(!goesTo.includes('next='), name);
      else assert.deepEqual([response.status, /^\/account\/sign-in\?next=/.test(goesTo)], [303, true], name);
    }
  }
});

test('forms are refused that do not come from a page of the service, also with the cookies of a user', async () => {
  const cookie = [...user.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  for (const name of Object.keys(TABLE).filter((one) => one.startsWith('POST'))) {
    const url = name.slice('POST '.length).replace(':id', 'x');
    for (const headers of [
      {},
      { cookie },
      { cookie, origin: 'https://evil.example.org', 'sec-fetch-site': 'cross-site' },
      { cookie, origin: service.url, 'sec-fetch-site': 'same-site' },
    ]) {
      const response = await fetch(service.url + url, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ email: ADMIN.email }),
        redirect: 'manual',
      });
      await response.body?.cancel();
      assert.equal(response.status, 403, name);
    }
  }
});

test('pages for administrators are not there for users', async () => {
  for (const [name, access] of Object.entries(TABLE)) {
    const [method, url] = name.split(' ');
    if (method !== 'GET' || access === 'anyone' || url.includes(':id')) continue;
    assert.equal((await user.get(url)).status, access === 'admin' ? 404 : 200, `${name} for a user`);
    assert.equal((await admin.get(url)).status, 200, `${name} for an administrator`);
  }
});

test("another owner's keys, clients and outputs are not there for a user", async () => {
  const { credential: key } = await credentials.key('alice');
  const { credential: client } = await credentials.client('alice');
  const paths = [
    `keys/${key.id}`,
    `keys/${key.id}/revoke`,
    `clients/${client.id}`,
    `clients/${client.id}/revoke`,
    'jobs/00000000-0000-4000-8000-000000000000/output',
    'jobs/00000000-0000-4000-8000-000000000000/findings',
    'jobs/00000000-0000-4000-8000-000000000000/report',
    'jobs/00000000-0000-4000-8000-000000000000/delete',
    'jobs/00000000-0000-4000-8000-000000000000',
  ];
  for (const path of paths) assert.equal((await user.get(`/account/${path}`)).status, 404, path);
  await user.get('/account/keys');
  for (const path of paths.slice(0, 4)) {
    assert.equal((await user.post(`/account/${path}`, { name: 'mine', expires: '' })).status, 404, path);
  }
  assert.equal((await accounts.credentials.get(key.id))?.revokedAt, null);
  assert.equal((await accounts.credentials.get(client.id))?.name, 'test');
});
