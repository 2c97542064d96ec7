/** The process that fetches: what it may do, and that it ends. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { LAYER_PATH, startArcgis } from '../../../test/support/arcgis-server.ts';
import { startFileHost } from '../../../test/support/file-host.ts';
import { fetchInput } from '../src/jobs/fetch-input.ts';
import type { FetchTask } from '../src/remote-input/fetch-messages.ts';
import { runFetcher } from '../src/remote-input/fetch-process.ts';
import { parseUrlPolicy } from '../src/remote-input/policy.ts';
import type { Slot } from '../src/storage/workspace.ts';

const FAKE = {
  entry: join(import.meta.dirname, '../../../test/support/fake-fetcher.ts'),
  readPaths: [join(import.meta.dirname, '../../../test/support')],
};
const OF_OURS = join(import.meta.dirname, '../../../test/run.ts');
const LIMITS = { maxBytes: 1000, totalMs: 20_000, headersMs: 10_000, stallMs: 10_000 };
const NEVER = new AbortController().signal;

const slot = mkdtempSync(join(tmpdir(), 'geomill-test-'));
test.after(() => rmSync(slot, { recursive: true }));
let count = 0;

function taskFor(url: string, totalMs = 20_000): FetchTask {
  const directory = join(slot, `in${count++}`);
  mkdirSync(directory);
  return {
    url,
    urlPath: 'input.url',
    path: join(directory, '0'),
    policy: parseUrlPolicy(
      `*, *:${new URL(url).port || 80}, 127.0.0.1:${new URL(url).port || 80}`,
      '127.0.0.0/8',
    ),
    limits: { ...LIMITS, totalMs },
    userAgent: 'geomill/test',
  };
}

test('a runner keeps nothing of the fetches that are over', async () => {
  await using host = await startFileHost({ '/a.csv': (_request, response) => void response.end('whole') });
  const listeners = new Set<() => void>();
  const runner = {
    death: null,
    slot: { reclaimInputs() {}, giveInput() {} } as unknown as Slot,
    onDeath(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  for (let i = 0; i < 2; i++) {
    const { path, url, ...settings } = taskFor(`${host.url}/a.csv`);
    const input = { name: 'a.csv', byteLength: null, fileIndex: 0, url };
    const fetched = fetchInput(input, path, runner, settings);
    assert.equal(listeners.size, 1);
    assert.equal((await fetched).kind, 'provided');
    assert.equal(listeners.size, 0);
  }
});

test('a file is fetched through a process of its own', async () => {
  await using host = await startFileHost({ '/a.csv': (_request, response) => void response.end('whole') });
  const task = taskFor(`${host.url}/a.csv`);
  const outcome = await runFetcher(task, NEVER);
  assert.deepEqual(outcome, {
    kind: 'fetched',
    file: { host: `127.0.0.1:${host.port}`, byteLength: 5, name: 'a.csv', end: 'stated' },
  });
  assert.equal(readFileSync(task.path, 'utf8'), 'whole');
  await host.deserted();
});

test('a layer is fetched through a process of its own', async () => {
  await using host = await startArcgis();
  const outcome = await runFetcher(
    { ...taskFor(`${host.url}${LAYER_PATH}`), limits: { ...LIMITS, maxBytes: 100_000 }, service: 'arcgis' },
    NEVER,
  );
  assert.deepEqual(outcome.kind === 'fetched' && outcome.file.layer, {
    name: 'Main roads',
    features: 7,
    requests: 7,
    ignoredParameters: '',
  });
  await host.deserted();
});

test('a failure crosses the process boundary with its code', async () => {
  await using host = await startFileHost({});
  const outcome = await runFetcher(taskFor(`${host.url}/a.csv`), NEVER);
  assert.equal(outcome.kind === 'failed' && outcome.error.code, 'URL_STATUS');
});

test('the process has no environment, reads nothing of ours and writes one directory', async () => {
  for (const path of ['/etc/passwd', '/proc/self/environ', join(slot, 'other'), OF_OURS]) {
    const task = taskFor(`http://files.example/peek${path}`);
    const outcome = await runFetcher(task, NEVER, FAKE);
    const denied = 'ERR_ACCESS_DENIED';
    assert.equal(
      outcome.kind === 'failed' && outcome.error.params.detail,
      `read ${denied}, list ${denied}, write ${denied}, beside ${denied}, within done, spawn ${denied}, ` +
        `thread ${denied}, signal done, environment EMPTY`,
    );
    assert.deepEqual(readdirSync(join(task.path, '..')), ['within']);
  }
});

test('what crashes or lies is no file', async () => {
  for (const path of ['crash', 'lie', 'link']) {
    const outcome = await runFetcher(taskFor(`http://files.example/${path}`), NEVER, FAKE);
    assert.equal(outcome.kind, 'died', path);
  }
});

test('a process that sends no message but endless bytes is stopped', async () => {
  const outcome = await runFetcher(taskFor('http://files.example/babble'), NEVER, FAKE);
  assert.equal(outcome.kind === 'failed' && outcome.error.code, 'RUNNER_MESSAGE_INVALID');
});

test('a process that does not end is ended: when it is told to, and some time after its limit', async () => {
  const controller = new AbortController();
  const hanging = runFetcher(taskFor('http://files.example/hang'), controller.signal, FAKE);
  controller.abort();
  assert.equal((await hanging).kind, 'died');
  assert.equal((await runFetcher(taskFor('http://files.example/a'), controller.signal)).kind, 'died');
  const overdue = await runFetcher(taskFor('http://files.example/hang', -4500), NEVER, FAKE);
  assert.equal(overdue.kind === 'failed' && overdue.error.code, 'URL_TIMEOUT');
});

test('a download that is cancelled leaves its host at once', async () => {
  await using host = await startFileHost({ '/slow': (_request, response) => void response.write('a') });
  const controller = new AbortController();
  const fetching = runFetcher(taskFor(`${host.url}/slow`), controller.signal);
  await host.requested('/slow');
  controller.abort();
  assert.equal((await fetching).kind, 'died');
  await host.deserted();
});
