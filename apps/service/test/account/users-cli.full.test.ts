/** `geomill users` as it is called, beside an account area that runs. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'node:test';
import { ADMIN, Browser, signIn, startTestArea } from '../../../../test/support/account-area.ts';
import { ENTRANCE } from '../../../../test/support/program.ts';

const area = await startTestArea();
test.after(() => area[Symbol.asyncDispose]());

async function users(input: string, ...argv: string[]) {
  const child = spawn(process.execPath, [ENTRANCE, 'users', ...argv], {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: area.dataDirectory,
      BASE_URL: 'https://mill.example.org',
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  child.stdin.on('error', () => {}).end(input);
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, out, err };
}

async function openLink(out: string): Promise<Browser> {
  const link = new URL(out.trim());
  assert.equal(link.origin, 'https://mill.example.org');
  const browser = new Browser(area.url);
  await browser.get(link.pathname + link.search);
  const token = /name="token" value="([^"]+)"/.exec(browser.page)?.[1] ?? '';
  const { password } = ADMIN;
  await browser.post('/account/password', { token, password, repeated: password });
  return browser;
}

test('the first administrator comes from the command line, by a link that can be used once', async () => {
  const made = await users('', 'create', 'Ada@Example.org', '--admin', '--name', 'Ada');
  assert.equal(made.status, 0, made.err);
  assert.match(made.out, /^https:\/\/mill\.example\.org\/account\/password\?token=[\w-]{43}\n$/);
  assert.match(made.err, /^administrator ada@example\.org is created/);
  const browser = await openLink(made.out);
  assert.equal((await browser.get('/account/users')).status, 200);
  const link = new URL(made.out.trim());
  assert.equal((await new Browser(area.url).get(link.pathname + link.search)).status, 410);
});

test('a password comes on standard input, and is judged before the user is made', async () => {
  const weak = await users('short\n', 'create', 'bob@example.org', '--password-stdin');
  assert.deepEqual([weak.status, weak.out], [1, '']);
  assert.match(weak.err, /'--password-stdin' must have at least 12 characters/);
  const good = await users(`${ADMIN.password}\n`, 'create', 'bob@example.org', '--password-stdin');
  assert.deepEqual([good.status, good.out], [0, '']);
  assert.equal((await signIn(new Browser(area.url), 'bob@example.org', ADMIN.password)).path, '/account');
  assert.ok(![weak, good].some(({ err }) => err.includes(ADMIN.password)));
  const again = await users('', 'create', 'BOB@example.org');
  assert.match(again.err, /'EMAIL' is that of another user/);
});

test('disabling counts for who is signed in, and the last administrator stays', async () => {
  const browser = new Browser(area.url);
  await signIn(browser, 'bob@example.org', ADMIN.password);
  assert.equal((await users('', 'disable', 'bob@example.org')).status, 0);
  assert.match((await browser.get('/account')).path, /sign-in/);
  assert.equal((await users('', 'enable', 'bob@example.org')).status, 0);
  assert.equal((await signIn(browser, 'bob@example.org', ADMIN.password)).path, '/account');
  const last = await users('', 'disable', ADMIN.email);
  assert.deepEqual([last.status, /only administrator/.test(last.err)], [1, true]);
});

test('a reset hands out a link, and the old password is good until it is used', async () => {
  const reset = await users('', 'reset', 'bob@example.org');
  const browser = new Browser(area.url);
  assert.equal((await signIn(browser, 'bob@example.org', ADMIN.password)).path, '/account');
  await openLink(reset.out);
  assert.match((await browser.get('/account')).path, /sign-in/, 'a new password ends the sessions');
  assert.match((await users('', 'reset', 'nobody@example.org')).err, /no user 'nobody@example\.org'/);
});

test('users are listed for people and for programs', async () => {
  const { out } = await users('', 'list');
  assert.match(out, /^email +name +state +created +id\nada@example\.org +Ada +active,admin /);
  const listed = JSON.parse((await users('', 'list', '--json')).out) as Record<string, unknown>[];
  assert.deepEqual(listed.map(({ email, admin }) => [email, admin]), [['ada@example.org', true], ['bob@example.org', false]]); // biome-ignore format: one line
  assert.doesNotMatch(JSON.stringify(listed), /hash|token|scrypt/);
});

test('what is said wrongly is told, with the exit code for it', async () => {
  for (const argv of [[], ['make'], ['create'], ['list', 'x'], ['list', '--admin'], ['disable', 'a', 'b']])
    assert.equal((await users('', ...argv)).status, 2, argv.join(' '));
  assert.equal((await users('', '--help')).status, 0);
  assert.match((await users('', 'create', 'no address')).err, /'EMAIL' must be an e-mail address/);
});
