/** The account area as a part of the whole service. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import test from 'node:test';
import { ADMIN, Browser, signIn } from '../../../../test/support/account-area.ts';
import {
  GEOJSON_TO_GEOJSON,
  startTestService,
  submitJob,
  type TestService,
} from '../../../../test/support/service.ts';
import { accountsPath } from '../../src/jobs/data-directory.ts';

/** A browser in which the administrator has signed in by the link that the service gave at its start. */
async function setUp(service: TestService): Promise<Browser> {
  const browser = new Browser(service.url);
  const link = new URL(service.setupLink ?? '');
  await browser.get(link.pathname + link.search);
  const token = /name="token" value="([^"]+)"/.exec(browser.page)?.[1] ?? '';
  const { email, password } = ADMIN;
  await browser.post('/account/setup', { token, email, password, repeated: password });
  return browser;
}

async function makeKey(browser: Browser): Promise<string> {
  await browser.get('/account/keys/new');
  const fields = { name: 'k', scopes: ['jobs:read', 'jobs:write'], expires: '' };
  const { text } = await browser.post('/account/keys/new', fields);
  return /id="secret">([^<]+)</.exec(text)?.[1] ?? '';
}

async function convert(service: TestService, apiKey: string): Promise<void> {
  const form = new FormData();
  form.append('config', JSON.stringify(GEOJSON_TO_GEOJSON));
  form.append('input_file', new Blob(['some input']), 'harbour <b>.geojson');
  const headers = { apiKey, prefer: 'wait=20' };
  const response = await fetch(`${service.url}/transform`, { method: 'POST', body: form, headers });
  assert.equal(response.status, 200);
  await response.bytes();
}

test('an open service on this machine gives no link and makes no accounts', async () => {
  await using service = await startTestService();
  assert.equal(service.setupLink, null);
  assert.equal(existsSync(accountsPath(service.config.dataDirectory)), false);
  assert.match((await new Browser(service.url).get('/account')).text, /geomill users create --admin/);
});

test('jobs and usage are those of the account, and outputs can be fetched with the session', async () => {
  await using service = await startTestService({ settings: { AUTH: 'required' } });
  const browser = await setUp(service);
  await convert(service, await makeKey(browser));
  const overview = await browser.get('/account');
  assert.match(overview.text, /<dt>Jobs<\/dt><dd>1<\/dd>/);
  assert.match(overview.text, /<dt>Input<\/dt><dd>10 bytes<\/dd>/);
  assert.match((await browser.get('/account/jobs')).text, /harbour &lt;b&gt;\.geojson/);
  const output = /href="(\/account\/jobs\/[^"]+\/output)"/.exec(browser.page)?.[1] ?? '';
  const fetched = await browser.get(output);
  assert.equal(fetched.status, 200);
  assert.match(fetched.headers.get('content-disposition') ?? '', /^attachment/);
  assert.equal((await new Browser(service.url).get(output, { follow: false })).status, 303);

  await browser.get('/account/users/new');
  const made = await browser.post('/account/users/new', { email: 'bob@example.org', name: '' });
  const bob = new Browser(service.url);
  await bob.get(/id="link">([^<]+)</.exec(made.text)?.[1] ?? '');
  const token = /name="token" value="([^"]+)"/.exec(bob.page)?.[1] ?? '';
  await bob.post('/account/password', { token, password: ADMIN.password, repeated: ADMIN.password });
  assert.equal((await bob.get(output)).status, 404, "another account's job is not there");
  assert.doesNotMatch((await bob.get('/account/jobs')).text, /harbour/);
});

test('the page of a job shows its report, escaped, and cancels and deletes it', async () => {
  await using service = await startTestService({ settings: { AUTH: 'required' }, runner: null });
  const browser = await setUp(service);
  const key = await makeKey(browser);
  const nasty = '<script>alert(1)</script>';
  const features = [1, 2, 3].map((pop) => ({
    type: 'Feature',
    properties: { pop, [nasty]: 'x' },
    geometry: { type: 'Point', coordinates: [8, 53, 1, 2] },
  }));
  const config = {
    input: { format: 'geojson' },
    transformations: [{ type: 'filter', where: 'pop > 1' }],
    output: { format: 'shp', name: nasty },
  };
  const id = await submitJob(service, {
    config,
    file: JSON.stringify({ type: 'FeatureCollection', features }),
    fileName: `a${nasty}.geojson`,
    headers: { apiKey: key },
  });
  await service.ended(id);
  assert.match((await browser.get('/account/jobs')).text, new RegExp(`href="/account/jobs/${id}"`));
  const { text } = await browser.get(`/account/jobs/${id}`);
  assert.doesNotMatch(text, /<script/);
  assert.match(text, /3 features read from .*, 2 written as shp/);
  assert.match(text, /<h3>Lost: .*EXTRA_ORDINATES.*<h3>Changed: .*FIELD_RENAMED/s);
  assert.match(text, /1\. filter<\/th>.*<span>3<\/span>.*<span>2<\/span>.*1 dropped: FILTERED/s);
  assert.match(text, /<span class="badge lost">1 lost<\/span>/);
  assert.match(text, /&quot;where&quot;: &quot;pop &gt; 1&quot;/);
  const report = await browser.get(`/account/jobs/${id}/report`);
  assert.match(
    report.headers.get('content-disposition') ?? '',
    /^attachment; filename="report-[\w-]+\.json"$/,
  );
  assert.equal((JSON.parse(report.text) as { features: { dropped: number } }).features.dropped, 1);

  await browser.get(`/account/jobs/${id}`);
  assert.match((await browser.post(`/account/jobs/${id}/cancel`, {})).text, /had ended before/);
  assert.match((await browser.get(`/account/jobs/${id}/delete`)).text, /This cannot be undone/);
  assert.match((await browser.post(`/account/jobs/${id}/delete`, {})).text, /The job was deleted/);
  assert.equal((await browser.get(`/account/jobs/${id}`)).status, 404);
});

test('a job that waits is cancelled on its page, and its state is shown', async () => {
  // The first job keeps the only runner busy.
  await using service = await startTestService({ settings: { AUTH: 'required', RUNNERS: '1' } });
  const browser = await setUp(service);
  const key = await makeKey(browser);
  await submitJob(service, { file: 'wait 600000', headers: { apiKey: key } });
  const id = await submitJob(service, { file: 'wait 600000', headers: { apiKey: key } });
  const { text } = await browser.get(`/account/jobs/${id}`);
  assert.match(text, /QUEUED|RUNNING/);
  assert.match((await browser.post(`/account/jobs/${id}/cancel`, {})).text, /The job was cancelled/);
  assert.match(browser.page, /FAILED/);
  assert.match(browser.page, /role="alert">[^<]*cancel/i);
});

test('the list of jobs leads on to older ones', async () => {
  await using service = await startTestService({ settings: { AUTH: 'required', RATE_LIMIT: '0' } });
  const browser = await setUp(service);
  const key = await makeKey(browser);
  for (let i = 0; i < 52; i += 13) await Promise.all(Array.from({ length: 13 }, () => convert(service, key)));
  const ids = (page: string): string[] =>
    [...page.matchAll(/<code>([\w-]{36})<\/code>/g)].map(([, id]) => id);
  const first = ids((await browser.get('/account/jobs')).text);
  const next = /rel="next" href="([^"]+)"/.exec(browser.page)?.[1] ?? '';
  const rest = ids((await browser.get(next)).text);
  assert.deepEqual([first.length, rest.length, new Set([...first, ...rest]).size], [50, 2, 52]);
  assert.equal((await browser.get('/account/jobs?cursor=nonsense')).status, 200);
});

test('a session is no credential of the API, and signing in leaves no trace of secrets in the audit log', async () => {
  await using service = await startTestService({ settings: { AUTH: 'required' } });
  const browser = await setUp(service);
  await signIn(browser, ADMIN.email, ADMIN.password);
  assert.equal((await browser.get('/v1/jobs')).status, 401);
  const key = await makeKey(browser);
  const { text } = await browser.get('/account/audit');
  for (const secret of [ADMIN.password, key.slice(12), ...browser.cookies.values()])
    assert.ok(!text.includes(secret));
});

test('a link is given at every start until there is an administrator', async () => {
  await using service = await startTestService({ settings: { AUTH: 'required' } });
  assert.match(service.setupLink ?? '', /\/account\/setup\?token=/);
  await setUp(service);
  await service.stop();
  const dataDirectory = service.config.dataDirectory;
  await using again = await startTestService({ settings: { AUTH: 'required' }, dataDirectory });
  assert.equal(again.setupLink, null);
  assert.equal((await signIn(new Browser(again.url), ADMIN.email, ADMIN.password)).path, '/account');
});
