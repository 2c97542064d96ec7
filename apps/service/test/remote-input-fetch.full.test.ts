/** What a host answers, and what becomes of it: whole files, or errors that say what to do. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { GeomillError } from '../../../packages/core/src/messages/errors.ts';
import { makeCertificate } from '../../../test/support/certificate.ts';
import { type Handler, startFileHost, startRawHost } from '../../../test/support/file-host.ts';
import { ManualTimers } from '../../../test/support/manual-timers.ts';
import { until } from '../../../test/support/until.ts';
import { type Outside, REAL_OUTSIDE } from '../src/remote-input/connect.ts';
import { fetchFile } from '../src/remote-input/fetch-file.ts';
import type { FetchedFile, FetchLimits } from '../src/remote-input/fetch-messages.ts';
import { parseUrlPolicy } from '../src/remote-input/policy.ts';

const LIMITS: FetchLimits = { maxBytes: 100_000, totalMs: 20_000, headersMs: 10_000, stallMs: 10_000 };

interface Wanted {
  readonly hosts?: string;
  readonly networks?: string | null;
  readonly limits?: Partial<FetchLimits>;
  readonly outside?: Outside;
}

interface Fetched extends FetchedFile {
  readonly text: string;
}

let count = 0;
const directory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
test.after(() => rmSync(directory, { recursive: true }));

/** Fetches with any port of this machine allowed, unless told otherwise. */
async function fetchFrom(url: string, wanted: Wanted = {}): Promise<Fetched> {
  const { port, hostname } = new URL(url);
  const { hosts = `${hostname}:${port}`, networks = '127.0.0.0/8', limits, outside = REAL_OUTSIDE } = wanted;
  const path = join(directory, String(count++));
  const task = {
    url,
    urlPath: 'input.url',
    path,
    policy: parseUrlPolicy(hosts, networks),
    limits: { ...LIMITS, ...limits },
    userAgent: 'geomill/test',
  };
  const file = await fetchFile(task, outside);
  assert.equal(statSync(path).size, file.byteLength);
  return { ...file, text: readFileSync(path, 'utf8') };
}

async function failureOf(fetching: Promise<unknown>): Promise<GeomillError> {
  try {
    await fetching;
  } catch (error) {
    return error as GeomillError;
  }
  throw new Error('it did not fail');
}

const sendText =
  (text: string, headers: Record<string, string> = {}): Handler =>
  (_request, response) =>
    void response.writeHead(200, headers).end(text);
const redirect =
  (location: string | undefined, status = 302): Handler =>
  (_request, response) =>
    void response.writeHead(status, location === undefined ? {} : { location }).end('moved: a secret');

test('a file comes whole, asked for plainly and without anything of ours', async () => {
  await using host = await startFileHost({ '/roads.geojson': sendText('{"type": "x"}') });
  const file = await fetchFrom(`${host.url}/roads.geojson?token=1#part`);
  assert.equal(file.text, '{"type": "x"}');
  assert.equal(file.name, 'roads.geojson');
  assert.equal(file.host, `127.0.0.1:${host.port}`);
  assert.equal(file.end, 'stated');
  const [{ method, url, headers }] = host.requests;
  assert.deepEqual([method, url], ['GET', '/roads.geojson?token=1']);
  assert.deepEqual(headers, {
    host: `127.0.0.1:${host.port}`,
    'user-agent': 'geomill/test',
    accept: '*/*',
    'accept-encoding': 'identity',
    connection: 'close',
  });
});

test('the name is what the host calls it, else the end of the path', async () => {
  const named = (value: string): Handler => sendText('x', { 'content-disposition': value });
  await using host = await startFileHost({
    '/a': named('attachment; filename="a b.zip"'),
    '/b': named("attachment; filename=plain.csv; filename*=UTF-8''stra%C3%9Fe.csv"),
    '/c': named('attachment; filename="../../etc/pass\\"wd"'),
    '/d': named('attachment; filename="r\u00c3\u00b6ad.csv"'),
    '/e.csv': named('inline'),
    '/dir/f%20g.csv': sendText('x'),
    '/%ff.csv': sendText('x'),
    '/': sendText('x'),
    '/latest.zip': redirect('/storage/0123456789'),
    '/storage/0123456789': sendText('x'),
  });
  const nameOf = async (path: string): Promise<string | null> => (await fetchFrom(host.url + path)).name;
  assert.equal(await nameOf('/a'), 'a b.zip');
  assert.equal(await nameOf('/b'), 'straße.csv');
  assert.equal(await nameOf('/c'), '../../etc/pass"wd');
  assert.equal(await nameOf('/d'), 'röad.csv');
  assert.equal(await nameOf('/e.csv'), 'e.csv');
  assert.equal(await nameOf('/dir/f%20g.csv'), 'f g.csv');
  assert.equal(await nameOf('/%ff.csv'), '%ff.csv');
  assert.equal(await nameOf('/'), null);
  assert.equal(await nameOf('/latest.zip'), 'latest.zip');
});

test('any answer but 200 is an error with its status, and nothing of its body', async () => {
  const routes: Record<string, Handler> = {};
  for (const status of [201, 204, 206, 300, 304, 400, 401, 403, 404, 410, 418, 500, 503])
    routes[`/${status}`] = (_request, response) =>
      void response.writeHead(status).end('a secret of the host');
  await using host = await startFileHost(routes);
  for (const path of Object.keys(routes)) {
    const error = await failureOf(fetchFrom(host.url + path));
    assert.equal(error.code, 'URL_STATUS');
    assert.equal(error.params.status, Number(path.slice(1)));
    assert.doesNotMatch(error.message, /secret/);
  }
});

test('redirects are followed, five of them, each with the headers of the first', async () => {
  await using other = await startFileHost({ '/end.csv': sendText('arrived') });
  const routes: Record<string, Handler> = { '/5': redirect(`${other.url}/end.csv`, 308) };
  for (const [i, status] of [301, 302, 303, 307, 308].entries())
    routes[`/${i}`] = redirect(`${i + 1}?x`, status);
  await using host = await startFileHost(routes);
  const hosts = `127.0.0.1:${host.port}, 127.0.0.1:${other.port}`;
  const file = await fetchFrom(`${host.url}/1`, { hosts });
  assert.deepEqual([file.text, file.name, file.host], ['arrived', 'end.csv', `127.0.0.1:${other.port}`]);
  assert.deepEqual(Object.keys(other.requests[0].headers), [
    'user-agent', 'accept', 'accept-encoding', 'host', 'connection',
  ]); // biome-ignore format: one line
  const error = await failureOf(fetchFrom(`${host.url}/0`, { hosts }));
  assert.deepEqual([error.code, error.params.how], ['URL_REDIRECT', 'more than 5 times']);
  assert.equal(other.requests.length, 1);
});

test('a redirect loop ends', async () => {
  await using host = await startFileHost({ '/a': redirect('/b'), '/b': redirect('/a') });
  assert.equal((await failureOf(fetchFrom(`${host.url}/a`))).code, 'URL_REDIRECT');
  assert.equal(host.requests.length, 6);
});

test('no status of redirection leads to what may not be fetched, and none says where it would have led', async () => {
  await using inside = await startFileHost({ '/': sendText('inside') }, { address: '127.0.0.2' });
  const targets = [
    inside.url,
    `//127.0.0.2:${inside.port}/`,
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:7f00:2]/',
    'http://2130706434/',
    'http://internal.example/',
    'file:///etc/passwd',
    'ftp://127.0.0.1/',
    'gopher://127.0.0.1/',
    'data:text/csv,a',
    'http://user:secret@127.0.0.1/',
    '\\\\127.0.0.2/',
    'http:\\\\127.0.0.2/',
    '/x\\y',
    '/x y',
    'http://',
    undefined,
  ];
  const routes = Object.fromEntries(
    targets.map((target, i) => [`/${i}`, redirect(target, [301, 302, 303, 307, 308][i % 5])]),
  );
  await using host = await startFileHost(routes);
  for (const path of Object.keys(routes)) {
    const error = await failureOf(fetchFrom(host.url + path));
    assert.equal(error.code, 'URL_REDIRECT', path);
    assert.doesNotMatch(error.message, /secret|internal|127\.0\.0\.2|169\.254|passwd/);
  }
  assert.equal(inside.requests.length, 0);
});

test('a name that leads inside is refused like one that is not allowed, with one address or among several', async () => {
  await using inside = await startFileHost({ '/': sendText('inside') });
  const url = `http://files.example:${inside.port}/`;
  const inner = { address: '127.0.0.1', family: 4 };
  const outer = { address: '93.184.216.34', family: 4 };
  const messages = new Set<string>();
  for (const answer of [
    [inner],
    [outer, inner],
    [inner, outer],
    [{ address: '::ffff:127.0.0.1', family: 6 }],
    [],
  ]) {
    const outside: Outside = { resolve: async () => answer };
    const error = await failureOf(fetchFrom(url, { networks: null, outside }));
    assert.equal(error.code, 'URL_REFUSED');
    messages.add(error.message);
  }
  messages.add((await failureOf(fetchFrom(url, { hosts: 'other.example' }))).message);
  assert.equal(messages.size, 1, 'the message does not tell which');
  const local = await failureOf(fetchFrom(`http://localhost:${inside.port}/`, { networks: null }));
  assert.equal(local.code, 'URL_REFUSED');
  assert.equal(inside.requests.length, 0);
});

test('a name is looked up once per connection, and the connection goes to the address that was checked', async () => {
  await using first = await startFileHost(
    { '/a': sendText('checked'), '/b': redirect('/a') },
    { address: '127.0.0.2' },
  );
  await using second = await startFileHost({ '/a': sendText('rebound') });
  let lookups = 0;
  // The first answer is allowed, every later one leads elsewhere.
  const outside: Outside = {
    resolve: async () => [{ address: lookups++ === 0 ? '127.0.0.2' : '127.0.0.1', family: 4 }],
  };
  const wanted = { networks: '127.0.0.2/32', outside };
  const file = await fetchFrom(`http://files.example:${first.port}/a`, wanted);
  assert.equal(file.text, 'checked');
  assert.equal(lookups, 1);
  assert.equal(first.requests[0].headers.host, `files.example:${first.port}`);
  lookups = 0;
  const error = await failureOf(fetchFrom(`http://files.example:${first.port}/b`, wanted));
  assert.equal(error.code, 'URL_REDIRECT');
  assert.deepEqual([lookups, second.requests.length], [2, 0]);
});

test('a file that is too large is refused by its declared length, and else while it comes', async () => {
  let sent = 0;
  await using host = await startFileHost({
    '/declared': (_request, response) =>
      void response.writeHead(200, { 'content-length': '100001' }).flushHeaders(),
    '/undeclared': async (_request, response) => {
      const closed = once(response, 'close');
      for (; !response.closed && sent < 50_000_000; sent += 10_000)
        if (!response.write('x'.repeat(10_000))) await Promise.race([once(response, 'drain'), closed]);
    },
    '/exact': sendText('x'.repeat(100_000)),
  });
  const declared = await failureOf(fetchFrom(`${host.url}/declared`));
  assert.deepEqual([declared.code, declared.params.actual], ['LIMIT_EXCEEDED', 'declared as 100001 bytes']);
  assert.equal(declared.params.setting, 'MAX_UPLOAD');
  const undeclared = await failureOf(fetchFrom(`${host.url}/undeclared`));
  assert.deepEqual([undeclared.code, undeclared.params.actual], ['LIMIT_EXCEEDED', 'more than that']);
  assert.equal((await fetchFrom(`${host.url}/exact`)).byteLength, 100_000);
});

interface Waiting {
  readonly timers: ManualTimers;
  /** Responses of the host that `act` has not seen yet. */
  readonly asked: ServerResponse[];
}

/** What is said of a fetch that is too slow. `act` is called until it has ended, and lets time pass when the fetch has begun to wait. */
async function overdue(
  limits: Pick<FetchLimits, 'totalMs' | 'headersMs' | 'stallMs'>,
  act: (waiting: Waiting) => void,
): Promise<unknown[]> {
  const timers = new ManualTimers();
  const asked: ServerResponse[] = [];
  await using host = await startFileHost({ '/': (_request, response) => void asked.push(response) });
  let isOver = false;
  const outside = { ...REAL_OUTSIDE, timers };
  const failing = failureOf(fetchFrom(`${host.url}/`, { limits, outside })).finally(() => {
    isOver = true;
  });
  await until('the fetch has ended', () => {
    if (!isOver) act({ timers, asked });
    return isOver;
  });
  const { code, params } = await failing;
  assert.deepEqual(timers.pending, [], 'no timer is left');
  return [code, params.what, params.seconds, params.setting];
}

test('a host that does not answer, stalls or dawdles runs into its time limit', async () => {
  const limits = { totalMs: 20_000, headersMs: 1000, stallMs: 3000 };
  const silent = await overdue(limits, ({ timers, asked }) => {
    if (asked.splice(0).length > 0) timers.pass(1000);
  });
  assert.deepEqual(silent, ['URL_TIMEOUT', 'answer', 1, 'a fixed limit']);
  const stalled = await overdue(limits, ({ timers, asked }) => {
    for (const response of asked.splice(0)) response.write('a');
    if (timers.pending.includes(3000)) timers.pass(3000);
  });
  assert.deepEqual(stalled, ['URL_TIMEOUT', 'send any more', 3, 'a fixed limit']);
  const total = ['URL_TIMEOUT', 'send the whole file', 20, 'INPUT_URL_TIMEOUT'];
  let sending: ServerResponse | undefined;
  const slow = await overdue(limits, ({ timers, asked }) => {
    for (const response of asked.splice(0)) {
      sending = response;
      response.write('a');
    }
    // A byte has arrived: the next one comes just in time.
    if (!timers.pending.includes(3000)) return;
    timers.pass(2999);
    sending?.write('a');
  });
  assert.deepEqual(slow, total);
  const around = await overdue({ ...limits, headersMs: 6000 }, ({ timers, asked }) => {
    for (const response of asked.splice(0)) {
      timers.pass(5999);
      if (!response.destroyed) response.writeHead(302, { location: '/' }).end();
    }
  });
  assert.deepEqual(around, total);
});

test('a slow host that goes on sending is waited for', async () => {
  const timers = new ManualTimers();
  let response: ServerResponse | undefined;
  await using host = await startFileHost({
    '/': (_request, answer) => {
      response = answer;
    },
  });
  const limits = { stallMs: 600, headersMs: 600, totalMs: 60_000 };
  const fetching = fetchFrom(host.url, { limits, outside: { ...REAL_OUTSIDE, timers } });
  const sending = await until('the host is asked', () => response);
  for (let sent = 0; sent < 40; sent++) {
    // All of the time but a millisecond, before the headers and before each byte, and then the byte.
    timers.pass(599);
    sending.write('a');
    await until('the byte has arrived', () => timers.pending[0] === 600);
  }
  sending.end();
  assert.equal((await fetching).byteLength, 40);
});

test('a literal IPv6 address is fetched from where it is listed and its network is open', async (context) => {
  if (!Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1')))
    return context.skip('this machine has no IPv6');
  await using host = await startFileHost({ '/a.csv': sendText('six') }, { address: '::1' });
  const url = `http://[::1]:${host.port}/a.csv`;
  assert.equal((await fetchFrom(url, { networks: '::1' })).text, 'six');
  assert.equal((await failureOf(fetchFrom(url))).code, 'URL_REFUSED');
  assert.equal((await failureOf(fetchFrom(url, { hosts: '*', networks: '::1' }))).code, 'URL_REFUSED');
});

test('a lookup that does not end runs into the time limit, too', async () => {
  const timers = new ManualTimers();
  const outside: Outside = { resolve: () => new Promise(() => {}), timers };
  const failing = failureOf(fetchFrom('http://slow.example:1/', { outside, limits: { headersMs: 30 } }));
  await until('the lookup has begun', () => timers.pending.includes(30));
  timers.pass(30);
  assert.equal((await failing).code, 'URL_TIMEOUT');
});

test('bodies that end early, are empty or say too little are told apart', async () => {
  const answer = (head: string, body: string): Promise<AsyncDisposable & { url: string }> =>
    startRawHost(`HTTP/1.1 200 OK\r\n${head}\r\n${body}`);
  const cases: [string, string, string][] = [
    ['Content-Length: 10\r\n', 'short', 'URL_INCOMPLETE'],
    ['Transfer-Encoding: chunked\r\n', '5\r\nabcde\r\n', 'URL_INCOMPLETE'],
    ['Transfer-Encoding: chunked\r\n', 'zz\r\nabcde\r\n', 'URL_INCOMPLETE'],
    ['Content-Length: 0\r\n', '', 'INPUT_EMPTY'],
    ['Transfer-Encoding: chunked\r\n', '0\r\n\r\n', 'INPUT_EMPTY'],
    ['Content-Length: -5\r\n', 'abcde', 'URL_UNREACHABLE'],
    ['Content-Length: 5\r\nContent-Length: 6\r\n', 'abcdef', 'URL_UNREACHABLE'],
    ['Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '5\r\nabcde\r\n0\r\n\r\n', 'URL_UNREACHABLE'],
    [`X: ${'y'.repeat(40_000)}\r\n`, 'abcde', 'URL_UNREACHABLE'],
    ['Content-Encoding: gzip\r\nContent-Length: 5\r\n', 'abcde', 'URL_ENCODING'],
    ['Content-Encoding: br\r\n', 'abcde', 'URL_ENCODING'],
  ];
  for (const [head, body, code] of cases) {
    await using host = await answer(head, body);
    const error = await failureOf(fetchFrom(`${host.url}/a`));
    assert.equal(error.code, code, head.slice(0, 80));
    assert.equal(error.fault, 'user');
  }
  await using chunked = await answer('Transfer-Encoding: chunked\r\n', '5\r\nabcde\r\n0\r\n\r\n');
  const whole = await fetchFrom(`${chunked.url}/a`);
  assert.deepEqual([whole.text, whole.end], ['abcde', 'stated']);
  await using closing = await answer('', 'abcde');
  const unknown = await fetchFrom(`${closing.url}/a`);
  assert.deepEqual([unknown.text, unknown.end], ['abcde', 'unknown']);
  await using longer = await answer('Content-Length: 5\r\n', 'abcdefgh');
  assert.equal((await failureOf(fetchFrom(`${longer.url}/a`))).code, 'URL_LENGTH_WRONG');
});

test('what cannot be reached is told in words without addresses', async () => {
  const { url } = await startFileHost({}).then(async (host) => {
    await host[Symbol.asyncDispose]();
    return host;
  });
  const closed = await failureOf(
    fetchFrom(url.replace('127.0.0.1', 'localhost'), { networks: '127.0.0.0/8,::1' }),
  );
  assert.deepEqual([closed.code, closed.params.reason], ['URL_UNREACHABLE', 'it refuses connections']);
  assert.doesNotMatch(closed.message, /127\.0|::1/);
  const missing = Object.assign(new Error('x'), { code: 'ENOTFOUND' });
  const outside: Outside = { resolve: () => Promise.reject(missing) };
  const unknown = await failureOf(fetchFrom('https://nowhere.example:1/', { outside }));
  assert.deepEqual([unknown.code, unknown.params.reason], ['URL_UNREACHABLE', 'its name does not resolve']);
  const inside: Outside = { resolve: async () => [{ address: '10.0.0.1', family: 4 }] };
  for (const hosts of ['*:1', '*.example:1']) {
    const answers = [outside, inside].map((one) =>
      fetchFrom('https://nowhere.example:1/', { outside: one, hosts }),
    );
    const [missingName, privateName] = await Promise.all(answers.map(failureOf));
    assert.equal(missingName.code, 'URL_REFUSED');
    assert.equal(missingName.message, privateName.message, 'a pattern does not tell which names exist');
  }
  await using smtp = await startRawHost('220 mail ESMTP secret\r\n');
  const foreign = await failureOf(fetchFrom(`${smtp.url}/a`));
  assert.equal(foreign.params.reason, 'it does not answer in valid HTTP');
  assert.doesNotMatch(foreign.message, /secret/);
});

test('TLS is verified against the name, and never left for http', async (context) => {
  const pair = makeCertificate(context, directory, 'DNS:files.example');
  if (pair === null) return;
  await using plain = await startFileHost({ '/a.csv': sendText('plain') });
  await using host = await startFileHost(
    { '/a.csv': sendText('sealed'), '/down': redirect(`http://files.example:${plain.port}/a.csv`) },
    { tls: pair },
  );
  const here = async () => [{ address: '127.0.0.1', family: 4 }];
  const trusted: Outside = { resolve: here, ca: pair.cert };
  const hosts = `files.example:${host.port}, other.example:${host.port}, files.example:${plain.port}`;
  const url = `https://files.example:${host.port}`;
  assert.equal((await fetchFrom(`${url}/a.csv`, { hosts, outside: trusted })).text, 'sealed');
  const untrusted = await failureOf(fetchFrom(`${url}/a.csv`, { hosts, outside: { resolve: here } }));
  assert.match(String(untrusted.params.reason), /certificate is not to be trusted/);
  const misnamed = await failureOf(
    fetchFrom(`https://other.example:${host.port}/a.csv`, { hosts, outside: trusted }),
  );
  assert.match(String(misnamed.params.reason), /certificate is not to be trusted/);
  const down = await failureOf(fetchFrom(`${url}/down`, { hosts, outside: trusted }));
  assert.deepEqual([down.code, down.params.how], ['URL_REDIRECT', 'from https to http']);
  assert.equal(plain.requests.length, 0);
});
