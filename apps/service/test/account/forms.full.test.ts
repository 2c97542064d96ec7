/** What forms of the account area refuse, and that what people type is text on a page, never part of it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { ADMIN, Browser, setUpAdmin, signIn, startTestArea } from '../../../../test/support/account-area.ts';
import { accountRoutes } from '../../src/pages/account/routes.ts';
import { Html, html } from '../../src/pages/html.ts';

const area = await startTestArea();
test.after(() => area[Symbol.asyncDispose]());
const admin = await setUpAdmin(area);
const user = await signedInUser();
const DATE = '2035-05-05';

test('every path of the area is for those whom it is for', async () => {
  const stranger = new Browser(area.url);
  for (const { method, path, access } of await accountRoutes()) {
    const at = path.replace(':id', 'gm_00000000');
    const ask = async (browser: Browser): Promise<number> => {
      if (method === 'GET') return (await browser.get(at, { follow: false })).status;
      return (await browser.post(at, { form_token: '' }, { follow: false })).status;
    };
    const [byStranger, byUser] = [await ask(stranger), await ask(user)];
    const what = `${method} ${path}`;
    // Without a token of ours no form gets as far as asking who sent it.
    if (method === 'POST') assert.deepEqual([byStranger, byUser], [403, 403], what);
    else if (access === 'anyone') assert.ok([200, 303, 410].includes(byStranger), `${what} ${byStranger}`);
    else assert.equal(byStranger, 303, what);
    if (method === 'GET' && access === 'admin') assert.equal(byUser, 404, what);
  }
});

test('an ordinary user cannot do what administrators do, with a form of their own either', async () => {
  await user.get('/account/settings');
  const id = (await area.accounts.audit.list({ event: 'user.created' })).events[0].subject;
  for (const path of ['/account/users/new', `/account/users/${id}`])
    assert.equal((await user.post(path, { action: 'admin', email: 'eve@example.org' })).status, 404);
  await user.get('/account/keys/new');
  const shown = await user.post('/account/keys/new', {
    name: 'x',
    scopes: ['jobs:read', 'admin'],
    expires: '',
  });
  assert.equal(shown.status, 400);
  assert.match(shown.text, /Select only listed permissions/);
});

test('a form is refused without our token, with that of another browser, and from another origin', async () => {
  const fields = { name: 'stolen', scopes: 'jobs:read', expires: DATE };
  const send = async (more: Record<string, string>, headers: Record<string, string> = {}) => {
    await admin.get('/account/keys/new');
    return (await admin.post('/account/keys/new', { ...fields, ...more }, { headers, follow: false })).status;
  };
  await user.get('/account/keys/new');
  const foreignToken = /name="form_token" value="([^"]+)"/.exec(user.page)?.[1] ?? '';
  assert.equal(await send({ form_token: '' }), 403);
  assert.equal(await send({ form_token: 'A'.repeat(43) }), 403);
  assert.equal(await send({ form_token: foreignToken }), 403);
  const foreign: readonly Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: area.url.replace('http:', 'https:') },
    { origin: `${area.url}0` },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: '', 'sec-fetch-site': '' },
  ];
  for (const headers of foreign) assert.equal(await send({}, headers), 403, JSON.stringify(headers));
  assert.ok(!(await area.accounts.credentials.list()).some(({ name }) => name === 'stolen'));
  assert.equal(await send({}), 303, 'and ours is taken');
});

test('a form that is no form, or far too large, is refused in plain words', async () => {
  const headers = { origin: area.url, 'content-type': 'application/json' };
  const json = await fetch(`${area.url}/account/sign-in`, { method: 'POST', headers, body: '{}' });
  assert.ok([403, 415].includes(json.status), String(json.status));
  await admin.get('/account/sign-out');
  const large = await admin.post('/account/sign-in', { email: 'x'.repeat(100_000), password: 'y' });
  assert.equal(large.status, 413);
  assert.match(large.headers.get('content-type') ?? '', /text\/html/);
});

test('what people type is shown as they typed it', async () => {
  const nasty = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>&amp;`;
  await admin.get('/account/keys/new');
  const shown = await admin.post('/account/keys/new', { name: nasty, scopes: 'jobs:read', expires: '' });
  assert.equal(shown.status, 200);
  await admin.get('/account/users/new');
  await admin.post('/account/users/new', { email: 'nasty@example.org', name: nasty });
  for (const path of [
    'keys',
    'all-keys',
    'users',
    'audit',
    'keys/new',
    'sign-in?error=<script>&next="><script>',
  ]) {
    const { text } = await admin.get(`/account/${path}`);
    assert.doesNotMatch(text, /<script|<img|onerror=alert\(2\)>/, path);
  }
  assert.match(
    (await admin.get('/account/keys')).text,
    /&lt;script&gt;alert\(1\)&lt;\/script&gt;&quot;&#39;&gt;/,
  );
  const bad = await admin
    .get('/account/keys/new')
    .then(() =>
      admin.post('/account/keys/new', { name: `${nasty}\u0007`, scopes: 'jobs:read', expires: '<script>' }),
    );
  assert.equal(bad.status, 400);
  assert.doesNotMatch(bad.text, /<script|<img/);
});

test('no text gets out of the place it was put', () => {
  const nasty = fc.string({ unit: fc.constantFrom(...`<>"'&;=/ \`\n\u0000ax`.split('')), maxLength: 30 });
  fc.assert(
    fc.property(nasty, nasty, (inText, inAttribute) => {
      const { text } = html`<p title="${inAttribute}">${inText}</p>`;
      const parts = /^<p title="([^"<>]*)">([^<>"']*)<\/p>$/.exec(text);
      assert.ok(parts !== null, text);
      assert.deepEqual(parts.slice(1).map(unescapeHtml), [inAttribute, inText]);
      assert.equal(html`${new Html(text)}`.text, text, 'what is HTML already is not escaped again');
    }),
  );
});

test('pages may load their style and nothing else, and are kept by nobody', async () => {
  for (const path of ['', '/keys', '/sign-in', '/nothing-here']) {
    const { headers, text } = await admin.get(`/account${path}`);
    assert.equal(
      headers.get('content-security-policy'),
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('referrer-policy'), 'same-origin');
    const loaded = [...text.matchAll(/(?:src|href)="(?!#)([^"]+)"/g)].map(([, target]) => target);
    assert.deepEqual(loaded.filter((target) => !/^(?:\/account(?:[/?]|$)|\/(?:docs|favicon\.ico)?$)/.test(target)), []); // biome-ignore format: one line
    assert.doesNotMatch(text, / style=|<style|<script/);
  }
});

test('below another path every link of a page leads there', async () => {
  await using below = await startTestArea({ baseUrl: 'https://example.org/mill' });
  const browser = new Browser(below.url);
  const { text } = await browser.get('/account/sign-in');
  const links = [...text.matchAll(/(?:action|href)="([^"#]+)"/g)].map(([, target]) => target);
  assert.ok(links.length >= 3);
  for (const link of links) assert.match(link, /^\/mill\/(?:account|favicon\.ico$|$)/);
  const { headers } = await browser.get('/account/keys', { follow: false });
  assert.equal(headers.get('location'), '/mill/account/sign-in?next=%2Faccount%2Fkeys');
});

test('messages and secrets are for one page, one time, one browser', async () => {
  await admin.get('/account/keys/new');
  const made = await admin.post(
    '/account/keys/new',
    { name: 'once', scopes: 'jobs:read', expires: '' },
    { follow: false },
  );
  const path = made.headers.get('location') ?? '';
  const flash = admin.cookies.get('geomill.flash') ?? '';
  assert.doesNotMatch(flash, /gm_/);
  user.cookies.set('geomill.flash', flash);
  assert.doesNotMatch((await user.get('/account')).text, /gm_\w{8}_/);
  assert.match((await admin.get(path)).text, /gm_\w{8}_\w{33}/);
  assert.doesNotMatch((await admin.get(path)).text, /gm_\w{8}_\w{33}/);
});

function unescapeHtml(text: string): string {
  const signs: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => signs[name]);
}

/** A user who is no administrator, made by the pages. */
async function signedInUser(): Promise<Browser> {
  await admin.get('/account/users/new');
  const shown = await admin.post('/account/users/new', { email: 'bob@example.org', name: 'Bob' });
  const link = /id="link">([^<]+)</.exec(shown.text)?.[1] ?? '';
  const browser = new Browser(area.url);
  await browser.get(link);
  const token = /name="token" value="([^"]+)"/.exec(browser.page)?.[1] ?? '';
  const { password } = ADMIN;
  await browser.post('/account/password', { token, password, repeated: password });
  assert.equal((await signIn(browser, 'bob@example.org', password)).path, '/account');
  return browser;
}
