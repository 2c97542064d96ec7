/**
 * Every helper of test/support that opens connections, servers or processes settles when its connection fails at once, and leaves nothing
 * open: a timer or a socket that stays keeps the run of all tests waiting. The helpers are found in the directory, so that none is forgotten.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Browser, setUpAdmin, signIn, startTestArea } from '../support/account-area.ts';
import { startArcgis } from '../support/arcgis-server.ts';
import { makeWorkspace } from '../support/convert.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { allEventsOf, eventsOf } from '../support/event-stream.ts';
import { startFakeIssuer } from '../support/fake-issuer.ts';
import { FaultService } from '../support/fault-service.ts';
import { startFileHost, startRawHost } from '../support/file-host.ts';
import { noPostgres, startPostgres } from '../support/postgres.ts';
import { startPrefixProxy } from '../support/prefix-proxy.ts';
import { expectProblem } from '../support/problem.ts';
import { exchange, trickle } from '../support/raw-http.ts';
import { checkedFetch } from '../support/response-check.ts';
import { runCli } from '../support/run-cli.ts';
import { S3TestServer } from '../support/s3-server.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { startServerProcess } from '../support/server-process.ts';
import { postForm, postJson, startTestService, submit, submitJob } from '../support/service.ts';
import { startSite } from '../support/site-server.ts';
import { startCollector } from '../support/trace-collector.ts';
import { appendTo, beginPatch, createUpload, newUpload, offsetOf, uploadForm } from '../support/tus.ts';
import { until, waitFor } from '../support/until.ts';
import { send, WORST_REQUESTS } from '../support/worst-requests.ts';

const SUPPORT = join(import.meta.dirname, '..', 'support');

/** Given the address of a host whose connections fail. */
type Asking = (url: string) => Promise<unknown>;

const at = (url: string) => ({ url }) as never;
const database = (url: string) => ({
  DATABASE_URL: url.replace('http:', 'postgres:'),
  STORE_URL: 'file:///nowhere',
});

/** By file and name. */
const CLIENTS: Readonly<Record<string, Readonly<Record<string, Asking>>>> = {
  'account-area.ts': {
    Browser: (url) => new Browser(url).get('/account'),
    setUpAdmin: (url) => setUpAdmin({ url, link: async () => '/account/setup?token=a' }),
    signIn: (url) => signIn(new Browser(url), 'a@example.org', 'a'),
  },
  'event-stream.ts': {
    eventsOf: async (url) => eventsOf(await fetch(url)).next(),
    allEventsOf: async (url) => allEventsOf(await fetch(url)),
  },
  'problem.ts': { expectProblem: async (url) => expectProblem(await fetch(url), 503, /./) },
  'raw-http.ts': {
    exchange: (url) => exchange(url, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n', /never/),
    trickle: (url) => trickle(url, 'GET / HTTP/1.1\r\n', () => setImmediate()),
  },
  'response-check.ts': { checkedFetch: (url) => checkedFetch(`${url}/v1/formats`) },
  'run-cli.ts': { runCli: (url) => runCli(['serve'], { ...database(url), AUTH: 'open', PORT: '0' }) },
  'server-process.ts': { startServerProcess: (url) => startServerProcess(database(url)) },
  'service.ts': {
    startTestService: (url) => startTestService({ settings: database(url) }),
    submit: (url) => submit(at(url)),
    submitJob: (url) => submitJob(at(url)),
    postForm: (url) => postForm(at(url), '/v1/transform/csv', { parts: [] }),
    postJson: (url) => postJson(at(url), '/v1/transform/csv', {}),
  },
  'tus.ts': {
    createUpload: (url) => createUpload({ url }, {}),
    newUpload: (url) => newUpload({ url }, 1),
    appendTo: (url) => appendTo(`${url}/v1/uploads/a`, 0, 'a'),
    beginPatch: (url) => beginPatch(`${url}/v1/uploads/a`, 0, 9, 'a').then(({ socket }) => socket.destroy()),
    offsetOf: (url) => offsetOf(`${url}/v1/uploads/a`),
    uploadForm: (url) => uploadForm({ url }, 'a'),
  },
  'until.ts': {
    until: (url) => until('the host answers', async () => (await fetch(url)).ok),
    waitFor: (url) => waitFor('the host answers', fetch(url)),
  },
  'worst-requests.ts': { send: (url) => send(url, WORST_REQUESTS[0]) },
};

interface Started extends AsyncDisposable {
  readonly url: string;
}

/** Given a context and the address of a host whose connections fail. Null: it cannot be started here. */
type Starting = (context: TestContext, url: string) => Promise<Started | null>;

const SERVERS: Readonly<Record<string, Readonly<Record<string, Starting>>>> = {
  'account-area.ts': { startTestArea: () => startTestArea() },
  'arcgis-server.ts': { startArcgis: () => startArcgis() },
  'cutting-proxy.ts': { startCuttingProxy: (_context, url) => startCuttingProxy(url, 1) },
  'fake-issuer.ts': { startFakeIssuer: () => startFakeIssuer() },
  'fault-service.ts': {
    async FaultService() {
      const service = await FaultService.start();
      return { url: 'http://127.0.0.1:9', [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
    },
  },
  'file-host.ts': {
    startFileHost: () => startFileHost({ '/': () => {} }),
    startRawHost: () => startRawHost('HTTP/1.1 200 OK\r\n\r\n'),
  },
  'postgres-server.ts': {
    startPostgres: async () => {
      if (noPostgres !== false) return null;
      const server = await startPostgres();
      return { url: 'http://127.0.0.1:9', [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
    },
  },
  'prefix-proxy.ts': {
    async startPrefixProxy(_context, url) {
      const proxy = await startPrefixProxy('/mill');
      proxy.forwardTo(url);
      return { url: proxy.baseUrl, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() };
    },
  },
  's3-server.ts': {
    async S3TestServer(context) {
      const workspace = makeWorkspace();
      context.after(() => workspace[Symbol.dispose]());
      return S3TestServer.start(join(workspace.path, 's3'));
    },
  },
  'scripted-server.ts': { startScriptedServer: () => startScriptedServer(() => {}) },
  'server-process.ts': { startServerProcess: () => startServerProcess() },
  'service.ts': { startTestService: () => startTestService() },
  'site-server.ts': { startSite: () => startSite('/') },
  'trace-collector.ts': { startCollector: () => startCollector() },
};

/** Files and names that are not tried, with the reason. */
const NOT_TRIED: Readonly<Record<string, string>> = {
  'accounts.ts': 'databases of sharedPostgres',
  'bounds.ts': 'it watches the process of the tests itself',
  'browser.ts': 'its only browser is closed after the last test of a process',
  'workspace-page.ts': 'pages of that browser',
  'faults.ts': 'the pauses of a fault are awaited by the method that has it',
  'map-colours.ts': 'pages of that browser',
  'copied-sources.ts': 'the command has ended when it returns',
  'escape-attempts.ts': 'the program of a process',
  'fake-fetcher.ts': 'the program of a process',
  'fake-runner.ts': 'the program of a process',
  'postgres.ts sharedPostgres': 'its only server is stopped after the last test of a process',
  'response-check.ts checkResponse': 'given a response',
  'runner-work.ts': 'it only waits with until',
  'server-process.ts sharedServer': 'its only server is stopped after the last test of a process',
  'server-process.ts serverForTests': 'as startServerProcess; stopped after the last test of a file',
};

const OPENS =
  /from 'node:(?:net|http|https|tls|dgram)'|\bspawn\(|\bfork\(|\bnew Worker\(|\bfetch\(|\bcheckedFetch\(|from 'playwright|from '\.\.\/\.\.\/src\/service\.ts'|setTimeout/;

/** Exported classes and functions with promises of files that open something, also by another file of the directory. */
function helpers(): string[] {
  const names = readdirSync(SUPPORT).filter((name) => name.endsWith('.ts'));
  const texts = new Map(names.map((name) => [name, readFileSync(join(SUPPORT, name), 'utf8')]));
  const opening = new Set(names.filter((name) => OPENS.test(texts.get(name) ?? '')));
  for (let before = -1; before < opening.size; ) {
    before = opening.size;
    for (const [name, text] of texts)
      for (const [, imported] of text.matchAll(/^(?:import|export) (?!type)[^;]* from '\.\/([\w-]+\.ts)';/gm))
        if (opening.has(imported)) opening.add(name);
  }
  return [...opening].flatMap((file) =>
    [...(texts.get(file) ?? '').matchAll(/^export (async |)(function\*?|class) (\w+)([\s\S]*?)\{\n/gm)]
      .filter(
        ([, async, kind, , head]) => async !== '' || kind === 'class' || /Promise<|Generator</.test(head),
      )
      .map(([, , , name]) => `${file} ${name}`),
  );
}

test('every helper that opens something is tried here', () => {
  const tried = [CLIENTS, SERVERS].flatMap((table) =>
    Object.entries(table).flatMap(([file, names]) => Object.keys(names).map((name) => `${file} ${name}`)),
  );
  const isExcused = (helper: string): boolean => helper in NOT_TRIED || helper.split(' ')[0] in NOT_TRIED;
  assert.deepEqual(
    helpers().filter((helper) => !tried.includes(helper) && !isExcused(helper)),
    [],
  );
});

interface FailingHost extends AsyncDisposable {
  readonly url: string;
}

/** How connections fail: refused, reset before anything is read, closed in the middle of a response. */
const FAILURES: Readonly<Record<string, () => Promise<FailingHost>>> = {
  'refuses connections': async () => {
    const host = await failingHost(() => {});
    await host[Symbol.asyncDispose]();
    return { url: host.url, async [Symbol.asyncDispose]() {} };
  },
  'resets connections': () => failingHost((socket) => socket.resetAndDestroy()),
  'closes connections in a response': () =>
    failingHost((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'));
    }),
};

async function failingHost(fail: (socket: Socket) => void): Promise<FailingHost> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    fail(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Waits until nothing is open that was not open before. */
async function nothingLeft(before: readonly string[]): Promise<void> {
  let more: string[] = [];
  await until(
    () => `these are closed: ${more}`,
    () => {
      const left = [...before];
      more = process.getActiveResourcesInfo().filter((type) => {
        const i = left.indexOf(type);
        if (i >= 0) left.splice(i, 1);
        return i < 0;
      });
      return more.length === 0;
    },
  );
}

/** Both outcomes are right. */
async function settled(work: Promise<unknown>): Promise<void> {
  await work.catch(() => {});
}

for (const [how, start] of Object.entries(FAILURES))
  for (const [file, asked] of Object.entries(CLIENTS))
    for (const [name, ask] of Object.entries(asked))
      test(`${name} of ${file} settles when its host ${how}, and leaves nothing open`, async () => {
        const before = process.getActiveResourcesInfo();
        {
          await using host = await start();
          await settled(waitFor(`${name} settles`, ask(host.url)));
        }
        await nothingLeft(before);
      });

/** Connects, sends half of a request and resets the connection. */
async function breakOff(url: string): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve) => {
    socket.on('error', () => {}).on('close', () => resolve());
    socket.on('connect', () => {
      socket.write(`POST ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf`, () =>
        socket.resetAndDestroy(),
      );
    });
  });
}

for (const [file, started] of Object.entries(SERVERS))
  for (const [name, start] of Object.entries(started))
    test(`${name} of ${file} leaves nothing open when its clients break off`, async (context) => {
      const before = process.getActiveResourcesInfo();
      {
        await using host = await FAILURES['resets connections']();
        await using server = await start(context, host.url);
        if (server === null) return context.skip('it cannot be started here');
        for (let i = 0; i < 3; i++) await breakOff(server.url);
      }
      await nothingLeft(before);
    });
