/** `geomill keys` as it is called: what stands on which output, and that a running service sees it at once. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { ENTRANCE } from '../../../test/support/program.ts';
import { openAccounts } from '../../service/src/accounts/accounts.ts';

interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

async function keys(dataDirectory: string, ...argv: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [ENTRANCE, 'keys', ...argv], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDirectory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, out, err };
}

test('no key is made for the account of requests without credentials', async () => {
  using workspace = makeWorkspace();
  const { status, out, err } = await keys(workspace.path, 'create', '--owner', 'local', '--name', 'robot');
  assert.deepEqual([status, out], [1, '']);
  assert.match(err, /'--owner' must not be 'local'.*choose another name/);
});

test('a key is made, used by a service that runs, listed and revoked', async () => {
  using workspace = makeWorkspace();
  const { path } = workspace;
  const service = openAccounts({ path: join(path, 'accounts.sqlite') });
  try {
    const made = await keys(path, 'create', '--owner', 'ci', '--name', 'robot', '--expires', '90d');
    assert.equal(made.status, 0, made.err);
    assert.match(made.out, /^gm_[0-9A-Za-z]{8}_[0-9A-Za-z]{33}\n$/);
    const key = made.out.trim();
    const id = key.slice(0, 11);
    assert.match(made.err, new RegExp(`^key ${id} of service 'ci': jobs:read jobs:write; expires .*\n$`));
    assert.ok(!made.err.includes(key.slice(12)));
    assert.deepEqual((await service.credentials.verifyKey(key)).ok?.scopes, ['jobs:read', 'jobs:write']);

    const listed = await keys(path, 'list', '--owner', 'ci', '--json');
    const [found] = JSON.parse(listed.out) as Record<string, unknown>[];
    assert.equal(found.id, id);
    assert.equal(found.state, 'active');
    const days = (Date.parse(String(found.expires_at)) - Date.parse(String(found.created_at))) / 86_400_000;
    assert.ok(Math.abs(days - 90) < 0.01);
    assert.match(String(found.created_by), /^cli:./);
    assert.ok(!listed.out.includes(key.slice(12)));

    const revoked = await keys(path, 'revoke', id);
    assert.deepEqual([revoked.status, revoked.out], [0, '']);
    assert.equal((await service.credentials.verifyKey(key)).refused, 'revoked');
    // The whole key will do, and is not repeated.
    const again = await keys(path, 'revoke', key);
    assert.match(again.err, /was revoked before/);
    assert.ok(!again.err.includes(key.slice(12)));
    const { out } = await keys(path, 'list');
    assert.match(out, new RegExp(`^id .*\n${id} +key +revoked +ci +robot +jobs:read,jobs:write`));
    assert.deepEqual(
      (await service.audit.list()).events.map(({ event }) => event),
      ['key.revoked', 'key.created'],
    );
  } finally {
    await service.close();
  }
});

test('a client comes as id and secret, as curl --user takes them', async () => {
  using workspace = makeWorkspace();
  const { out, status } = await keys(
    workspace.path,
    ...['create', '--owner', 'ci', '--name', 'app', '--client', '--scope', 'jobs:read', '--scope', 'admin'],
  );
  assert.equal(status, 0);
  assert.match(out, /^gmc_(\w{8}):gms_\1_\w{33}\n$/);
  const service = openAccounts({ path: join(workspace.path, 'accounts.sqlite') });
  try {
    const [id, secret] = out.trim().split(':');
    assert.equal((await service.tokens.issue(id, secret)).ok?.scope, 'jobs:read admin');
  } finally {
    await service.close();
  }
});

test('keys that are made at the same time are all there, also in a directory without a database', async () => {
  using workspace = makeWorkspace();
  const make = () => keys(workspace.path, 'create', '--owner', 'ci', '--name', 'robot');
  const made = await Promise.all([make(), make(), make()]);
  for (const { status, err } of made) assert.equal(status, 0, err);
  const { out } = await keys(workspace.path, 'list', '--json');
  assert.equal((JSON.parse(out) as unknown[]).length, 3);
});

test('what is asked wrongly is refused with what to do, and nothing is made', async () => {
  using workspace = makeWorkspace();
  const missing = join(workspace.path, 'missing');
  const create = ['create', '--owner', 'ci', '--name', 'robot'];
  const cases: [argv: string[], status: number, says: RegExp][] = [
    [[], 2, /keys takes create, list or revoke/],
    [['toString'], 2, /keys takes create, list or revoke/],
    [['create', '--owner', 'ci'], 2, /needs --owner and --name/],
    [[...create, 'more'], 2, /takes flags only/],
    [['revoke'], 2, /takes one ID/],
    [['list', '--scope', 'admin'], 2, /keys list has no --scope/],
    [[...create, '--expires', '2030-02-30'], 2, /--expires wants/],
    [[...create, '--expires', '90'], 2, /--expires wants/],
    [[...create, '--expires', '0d'], 1, /'--expires' must be in the future/],
    [[...create, '--scope', 'root'], 1, /'--scope' must be of .*, not 'root'/],
    [['revoke', 'gm_nobodys0'], 1, /there is no key or client 'gm_nobodys0'/],
    [['revoke', 'some secret'], 1, /there is no key or client '\(not an id\)'/],
  ];
  const ended = await Promise.all(cases.map(([argv]) => keys(workspace.path, ...argv)));
  for (const [i, { status, out, err }] of ended.entries()) {
    const [argv, expected, says] = cases[i];
    assert.equal(out, '', argv.join(' '));
    assert.match(err, says);
    assert.doesNotMatch(err, /\n\s+at /);
    assert.equal(status, expected, argv.join(' '));
  }
  const { status, err } = await keys(missing, 'list');
  assert.equal(status, 2);
  assert.match(err, /invalid setting DATA_DIR='.*missing': there is no such directory/);
  assert.ok(!existsSync(missing));
});
