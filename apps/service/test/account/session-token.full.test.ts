/** POST /account/access-token: pages of the service get a token for the session of the browser, and nobody else gets one. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeJwt } from 'jose';
import { GeomillClient, GeomillProblem, sessionToken } from '../../../../packages/client/src/client.ts';
import { ADMIN, Browser, setUpAdmin, signIn } from '../../../../test/support/account-area.ts';
import { TestCredentials } from '../../../../test/support/credentials.ts';
import { checkResponse } from '../../../../test/support/response-check.ts';
import { startTestService, type TestService } from '../../../../test/support/service.ts';
import { OneTimeLinks } from '../../src/pages/account/one-time-links.ts';

const PATH = '/account/access-token';
const OTHER_SITE = 'https://evil.example.org';

interface Signed extends AsyncDisposable {
  readonly service: TestService;
  readonly credentials: TestCredentials;
  readonly browser: Browser;
}

async function signedIn(settings: Readonly<Record<string, string>> = {}): Promise<Signed> {
  const service = await startTestService({ settings: { AUTH: 'required', ...settings } });
  const credentials = new TestCredentials(service.config.dataDirectory);
  const { accounts } = credentials;
  const browser = await setUpAdmin({
    url: service.url,
    link: async (link) =>
      `/account/${link.purpose}?token=${await new OneTimeLinks(accounts.database).make(link, 'test')}`,
  });
  return {
    service,
    credentials,
    browser,
    async [Symbol.asyncDispose]() {
      await credentials[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** A fetch with the cookies of a browser, as a script of a page of `origin` does it. Null: a header that is not sent. */
async function exchange(
  { service, browser }: Pick<Signed, 'service' | 'browser'>,
  headers: Readonly<Record<string, string | null>> = {},
  method = 'POST',
): Promise<Response> {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const all = {
    origin: service.url,
    'sec-fetch-site': 'same-origin',
    'x-geomill-page': '1',
    cookie,
    ...headers,
  };
  const sent = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== null);
  const response = await fetch(service.url + PATH, { method, headers: sent });
  await checkResponse(method, service.url + PATH, response);
  assert.deepEqual(
    [...response.headers.keys()].filter((name) => name.startsWith('access-control')),
    [],
  );
  return response;
}

async function jobsStatus({ service }: Signed, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${service.url}/v1/jobs`, { headers })).status;
}

async function tokenOf(signed: Signed): Promise<string> {
  const response = await exchange(signed);
  assert.equal(response.status, 200);
  return ((await response.json()) as { access_token: string }).access_token;
}

test('a page of the service gets a token of five minutes with the scopes of a user, never admin', async () => {
  await using signed = await signedIn({ TOKEN_LIFETIME: '3600' });
  const response = await exchange(signed);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  const { access_token: token, ...rest } = (await response.json()) as { access_token: string };
  const scope = 'jobs:read jobs:write';
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 300, scope, email: ADMIN.email });
  const claims = decodeJwt(token);
  assert.deepEqual([claims.client_id, claims.scope, claims.exp! - claims.iat!], ['page', scope, 300]);
  assert.equal(await jobsStatus(signed, token), 200);
  const metrics = await fetch(`${signed.service.url}/metrics`, {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(metrics.status, 403);
});

test('other pages and programs get no token, whatever CORS allows', async () => {
  for (const CORS_ORIGINS of ['', '*', OTHER_SITE]) {
    await using signed = await signedIn({ CORS_ORIGINS });
    const refused: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
      'another origin': { origin: OTHER_SITE, 'sec-fetch-site': 'cross-site' },
      'another origin, from a browser without Sec-Fetch-Site': { origin: OTHER_SITE, 'sec-fetch-site': null },
      'another port of this machine': { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' },
      'https for http': { origin: signed.service.url.replace('http:', 'https:') },
      'a page that hides its origin': { origin: 'null', 'sec-fetch-site': 'cross-site' },
      'a sandboxed frame': { origin: 'null' },
      'no origin': { origin: null },
      'a foreign site with our origin': { 'sec-fetch-site': 'cross-site' },
      'an address that was typed': { 'sec-fetch-site': 'none' },
      'a form, which cannot send the header': { 'x-geomill-page': null },
      'another value of the header': { 'x-geomill-page': 'true' },
      'another name of the host': { host: 'evil.example.org', origin: 'http://evil.example.org' },
    };
    for (const [name, headers] of Object.entries(refused)) {
      const response = await exchange(signed, headers);
      assert.equal(response.status, 403, name);
      assert.doesNotMatch(await response.text(), /access_token/, name);
    }
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const response = await exchange(signed, {}, method);
      assert.equal(response.status, 405, method);
      assert.equal(response.headers.get('allow'), 'POST');
    }
    for (const path of [PATH, '/account/access%2Dtoken', '/%61ccount/access-token']) {
      const preflight = await fetch(signed.service.url + path, {
        method: 'OPTIONS',
        headers: {
          origin: OTHER_SITE,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-geomill-page',
        },
      });
      const allowed = preflight.headers.get('access-control-allow-headers') ?? '';
      assert.doesNotMatch(allowed, /x-geomill-page/i, path);
      if (path === PATH) assert.equal(preflight.headers.get('access-control-allow-origin'), null);
    }
  }
});

test('with BASE_URL only pages of its origin are asked for their session', async () => {
  await using service = await startTestService({
    settings: { AUTH: 'required', BASE_URL: 'https://mill.example.org/geo' },
  });
  const nobody = { service, browser: new Browser(service.url) };
  assert.equal((await exchange(nobody)).status, 403);
  assert.equal((await exchange(nobody, { origin: 'https://mill.example.org' })).status, 401);
});

test('nobody gets a token without a session, and a token ends with its session or user', async () => {
  await using signed = await signedIn();
  const { service, browser, credentials } = signed;
  assert.equal((await exchange(signed, { cookie: null })).status, 401);
  assert.equal((await exchange(signed, { cookie: 'geomill.session_token=nonsense.nonsense' })).status, 401);
  const key = (await credentials.key('alice')).secret;
  assert.equal((await exchange(signed, { cookie: null, apiKey: key })).status, 401);

  const first = await tokenOf(signed);
  const cookies = new Map(browser.cookies);
  await browser.get('/account');
  await browser.post('/account/sign-out', {});
  assert.equal(await jobsStatus(signed, first), 401, 'signed out');
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  assert.equal((await exchange(signed)).status, 401, 'the old cookie');

  await signIn(browser, ADMIN.email, ADMIN.password);
  const second = await tokenOf(signed);
  const { owner } = decodeJwt(second);
  await credentials.accounts.states.change(String(owner), { isDisabled: true }, 'test');
  assert.equal(await jobsStatus(signed, second), 401, 'disabled');
  assert.equal((await exchange(signed)).status, 401, 'disabled');
  await credentials.accounts.states.change(String(owner), { isDisabled: false }, 'test');
  assert.equal(await jobsStatus(signed, second), 200);

  await credentials.accounts.database.run(`UPDATE "session" SET "expiresAt" = '2020-01-01T00:00:00.000Z'`);
  assert.equal(await jobsStatus(signed, second), 401, 'expired');
  assert.equal((await exchange(signed)).status, 401, 'expired');
  const other = new Browser(service.url);
  assert.equal((await exchange({ ...signed, browser: other })).status, 401, 'another browser');
});

test('exchanges count towards the request rate of the account', async () => {
  await using signed = await signedIn({ RATE_LIMIT: '1', RATE_BURST: '3' });
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) statuses.push((await exchange(signed)).status);
  assert.ok(statuses.includes(200) && statuses.includes(429), String(statuses));
});

test('the client of a page works with the session, renews its token, and says when it has ended', async () => {
  await using signed = await signedIn();
  const { service, browser } = signed;
  const sessions: unknown[] = [];
  const asPage: typeof fetch = (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set('cookie', [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    headers.set('origin', service.url);
    return fetch(url, { ...init, headers });
  };
  const token = sessionToken(service.url, { fetch: asPage, onSession: (session) => sessions.push(session) });
  const client = new GeomillClient({ baseUrl: service.url, token });
  const input = { name: 'a.geojson', data: '{"type":"Point","coordinates":[8,53]}' };
  const job = await client.submit({
    input,
    config: { input: { format: 'geojson' }, output: { format: 'csv' } },
  });
  await job.wait();
  await browser.get('/account');
  await browser.post('/account/sign-out', {});
  await signIn(browser, ADMIN.email, ADMIN.password);
  // The first token ended with its session; the request is repeated with that of the new one.
  assert.equal((await client.jobs().next()).done, false);
  await browser.post('/account/sign-out', {});
  await assert.rejects(client.jobs().next(), (error) => {
    assert.ok(error instanceof GeomillProblem);
    assert.deepEqual([error.status, error.code], [401, 'SESSION_MISSING']);
    return true;
  });
  assert.deepEqual(sessions, [{ email: ADMIN.email }, { email: ADMIN.email }, null]);
});
