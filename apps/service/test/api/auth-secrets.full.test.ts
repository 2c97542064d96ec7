/**
 * No secret is written anywhere: a service that logs all it can meets every kind of credential, good and bad, in every
 * place where clients put them; then its log, its answers and all its files are searched for each of them.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { apiKey, bearer, type Shown, TestCredentials } from '../../../../test/support/credentials.ts';
import { ENTRANCE } from '../../../../test/support/program.ts';
import { createLogger } from '../../src/logger.ts';

test('no log, no answer and no file of a service holds a secret', async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'geomill-secrets-'));
  const child = spawn(process.execPath, [ENTRANCE, 'serve'], {
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDirectory,
      AUTH: 'required',
      LOG_LEVEL: 'trace',
      RUNNERS: '1',
      SHUTDOWN_GRACE: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (bytes) => {
    log += bytes;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (bytes) => {
      log += bytes;
      const found = /listens on (http:\S+)/.exec(log)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(log)));
  });
  // The link that makes the administrator is shown on purpose, to whoever starts the service.
  const setupToken = /token=([\w-]+)/.exec(log)?.[1];
  log = '';
  const credentials = new TestCredentials(dataDirectory);
  try {
    await exercise(url, credentials);
    const client = await credentials.client('alice');
    const response = await fetch(`${url}/accounts/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${client.credential.id}:${client.secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };
    await (await fetch(`${url}/v1/jobs`, { headers: bearer(token) })).text();
    credentials.secrets.push(token);
    if (setupToken !== undefined) credentials.secrets.push(setupToken);
    await stop(child);
    await credentials[Symbol.asyncDispose]();
    const secretParts = credentials.secrets.flatMap(partsOf);
    assert.ok(secretParts.length > 15);
    for (const part of secretParts) assert.ok(!log.includes(part), `the log holds ${part}`);
    for (const path of filesIn(dataDirectory)) {
      const bytes = readFileSync(path);
      for (const part of secretParts) assert.ok(!bytes.includes(part), `${path} holds ${part}`);
    }
  } finally {
    await stop(child);
    rmSync(dataDirectory, { recursive: true, force: true });
  }
});

/** Of a key the part that is secret; of a token its signature. */
function partsOf(secret: string): string[] {
  return [
    /^gms?_/.test(secret)
      ? secret.slice(secret.lastIndexOf('_') + 1)
      : secret.slice(secret.lastIndexOf('.') + 1),
  ];
}

async function exercise(url: string, credentials: TestCredentials): Promise<void> {
  const good = (await credentials.key('alice')).secret;
  const shown: Shown[] = [
    apiKey(good),
    bearer(good),
    apiKey(credentials.unknownKey()),
    apiKey(await credentials.wrongKey('alice')),
    apiKey(await credentials.expiredKey('alice')),
    apiKey(await credentials.revokedKey('alice')),
    bearer(await credentials.token('alice')),
    bearer(await credentials.forgedToken('alice')),
    bearer(await credentials.expiredToken('alice')),
    bearer((await credentials.client('alice')).secret),
    { authorization: good },
    { cookie: `session=${good}` },
    { 'idempotency-key': 'x', ...apiKey(good) },
    { ...apiKey(good), ...bearer(good) },
  ];
  for (const headers of shown) {
    const text = Object.values(headers).at(-1)?.split(' ').at(-1) ?? '';
    const tail = text.slice(text.lastIndexOf(text.includes('.') ? '.' : '_') + 1);
    const answers = [
      await fetch(`${url}/v1/jobs`, { headers }),
      await fetch(`${url}/v1/jobs/none`, { headers, method: 'DELETE' }),
      await fetch(`${url}/transform`, { headers, method: 'POST', body: formWith('x') }),
      await fetch(`${url}/accounts/oauth/token`, {
        headers: { ...headers, 'content-type': 'application/json' },
        method: 'POST',
        body: `{"client_id":"gmc_00000000","client_secret":"${text}`,
      }),
      await fetch(`${url}/accounts/oauth/token`, {
        headers,
        method: 'POST',
        body: new URLSearchParams({ client_id: 'gmc_00000000', client_secret: text }),
      }),
    ];
    for (const answer of answers) {
      const body = `${JSON.stringify([...answer.headers])}${await answer.text()}`;
      assert.ok(!body.includes(tail), `${answer.url} answers with ${tail}: ${body}`);
    }
    // Where a client puts it by mistake: it gets back what it sent, but nothing of it is kept or logged.
    for (const path of [`/v1/jobs?apiKey=${text}`, `/${text}`, `/v1/jobs/${text}`, `/result/status/${text}`])
      await (await fetch(url + path, { headers: apiKey(good) })).text();
  }
}

function formWith(config: string): FormData {
  const form = new FormData();
  form.set('config', config);
  return form;
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile());
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

test('what somebody logs by mistake is struck out: secret headers by name, keys and tokens by their shape', () => {
  const lines: string[] = [];
  const log = createLogger('trace', { process: 'p', role: 'all' }, { write: (line) => lines.push(line) });
  const key = 'gm_abcd1234_abcdefghijklmnopqrstuvwxyz1234567';
  const token = 'eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJnZW9taWxsIn0.c2lnbmF0dXJl';
  const headers = {
    authorization: 'Basic c2VjcmV0',
    apikey: 'hidden',
    cookie: 'hidden',
    'set-cookie': 'hidden',
    host: 'h',
  };
  log.info({ headers }, 'top');
  log.info({ req: { headers } }, 'below');
  log.error({ err: new Error(`for ${key}`) }, `and ${token}`);
  const text = lines.join('');
  assert.doesNotMatch(text, /c2VjcmV0|hidden|abcdefghijkl|c2lnbmF0dXJl/);
  assert.match(text, /gm_abcd1234_\[secret\]/);
  assert.equal(lines.length, 3);
  for (const line of lines) JSON.parse(line);
});
