/** A service that cannot start says which setting to change. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { ENTRANCE } from '../../../test/support/program.ts';

async function serveOnce(
  settings: Record<string, string>,
  flags: readonly string[] = [],
): Promise<{ status: number | null; text: string }> {
  const service = spawn(process.execPath, [ENTRANCE, 'serve', ...flags], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  service.stderr.on('data', (bytes) => {
    text += bytes;
  });
  const [status] = (await once(service, 'close')) as [number | null];
  return { status, text };
}

test('a port that is taken is named, with the setting to change', async () => {
  using workspace = makeWorkspace();
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  try {
    const { status, text } = await serveOnce({ PORT: String(port), DATA_DIR: join(workspace.path, 'data') });
    assert.equal(status, 2);
    assert.match(text, new RegExp(`invalid setting PORT='${port}': another program listens there already`));
    assert.doesNotMatch(text, /\n\s+at /);
  } finally {
    other.close();
  }
});

test('a service whose start failed ends, whatever still keeps its process alive', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'file');
  writeFileSync(path, '');
  const keepsAlive = 'data:text/javascript,setInterval(() => {}, 1000);';
  const { status, text } = await serveOnce({
    NODE_OPTIONS: `--import="${keepsAlive}"`,
    PORT: '0',
    DATA_DIR: path,
  });
  assert.equal(status, 2);
  assert.match(text, /invalid setting DATA_DIR=/);
});

test('an address that is not of this machine is named, with the setting to change', async () => {
  using workspace = makeWorkspace();
  const { status, text } = await serveOnce({
    HOST: '192.0.2.1',
    PORT: '0',
    DATA_DIR: join(workspace.path, 'data'),
  });
  assert.equal(status, 2);
  assert.match(text, /invalid setting HOST='192\.0\.2\.1'/);
});

test('a data directory where a file stands is named, with the setting to change', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'file');
  writeFileSync(path, '');
  for (const [directory, reason] of [
    [path, 'there is a file with this name'],
    [join(path, 'data'), 'a part of the path is a file'],
  ]) {
    const { status, text } = await serveOnce({ PORT: '0', DATA_DIR: directory });
    assert.equal(status, 2);
    assert.ok(text.includes(`invalid setting DATA_DIR='${directory}': ${reason}`), text);
  }
});

test('a service that asks for no credentials does not listen beyond this machine, unless it is told to by name', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'file');
  writeFileSync(path, '');
  // The directory is refused next: nothing is listened on in this test.
  const DATA_DIR = join(path, 'data');
  for (const [name, settings] of [
    ['AUTH', { AUTH: 'open' }],
    ['AUTH_JOB_SURFACE', { AUTH_JOB_SURFACE: 'open' }],
    ['AUTH', { AUTH: 'open', AUTH_JOB_SURFACE: 'required' }],
  ] as const) {
    const { status, text } = await serveOnce({ ...settings, HOST: '0.0.0.0', PORT: '0', DATA_DIR });
    assert.equal(status, 2);
    assert.match(text, new RegExp(`invalid setting ${name}='open': HOST=0\\.0\\.0\\.0 can be reached`));
    assert.match(text, /--insecure-open/);
    const named = await serveOnce({ ...settings, HOST: '0.0.0.0', PORT: '0', DATA_DIR }, ['--insecure-open']);
    assert.match(named.text, /setting DATA_DIR=/);
  }
  const { text } = await serveOnce({ HOST: '0.0.0.0', PORT: '0', DATA_DIR });
  assert.match(text, /setting DATA_DIR=/, 'without AUTH it asks for credentials there');
});

test('an issuer that could be anybody is named, with the setting to change', async () => {
  using workspace = makeWorkspace();
  const { status, text } = await serveOnce({
    OIDC_ISSUER: 'http://login.example.org',
    OIDC_AUDIENCE: 'mill',
    PORT: '0',
    DATA_DIR: join(workspace.path, 'data'),
  });
  assert.equal(status, 2);
  assert.match(text, /invalid setting OIDC_ISSUER='http:\/\/login\.example\.org': give an https address/);
});
