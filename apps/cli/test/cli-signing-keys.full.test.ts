/** `geomill signing-keys` as it is called, with a service that has the database open. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { runCli } from '../../../test/support/run-cli.ts';
import { startTestService } from '../../../test/support/service.ts';
import { type Accounts, openAccounts } from '../../service/src/accounts/accounts.ts';

const signingKeys = (dataDirectory: string, ...argv: string[]) =>
  runCli(['signing-keys', ...argv], { DATA_DIR: dataDirectory });

async function issueToken(accounts: Accounts): Promise<string> {
  const { credential, secret } = await accounts.credentials.create(
    { kind: 'client', owner: 'ci', name: 'app', scopes: ['jobs:read'], expiresAt: null },
    'test',
  );
  return (await accounts.tokens.issue(credential.id, secret)).ok!.accessToken;
}

test('a rotation publishes the next key, and tokens of the old one stay good', async () => {
  using workspace = makeWorkspace();
  const service = openAccounts({ path: join(workspace.path, 'accounts.sqlite') });
  try {
    assert.match((await signingKeys(workspace.path, 'list')).err, /there are no signing keys/);
    const token = await issueToken(service);
    const { kid: oldKid } = await service.signingKeys.current();
    const { status, out, err } = await signingKeys(workspace.path, 'rotate');
    assert.deepEqual([status, out], [0, ''], err);
    const kid = /^key ([\w-]+) is published and signs from 20\S+Z on; tokens of the old key/.exec(err)?.[1];
    assert.ok(kid !== undefined, err);
    assert.ok((await service.tokens.verify(token)).ok);
    assert.equal((await service.signingKeys.current()).kid, oldKid);

    const listed = JSON.parse((await signingKeys(workspace.path, 'list', '--json')).out);
    assert.deepEqual(
      listed.map((key: Record<string, string>) => [key.kid, key.state]),
      [
        [oldKid, 'signs'],
        [kid, 'next'],
      ],
    );
    assert.equal(listed[1].verifies_until, null);
    assert.ok(Date.parse(listed[0].verifies_until) > Date.parse(listed[1].signs_from));
    assert.ok(!JSON.stringify(listed).includes('"d"'), 'no private key is printed');
    const { out: text } = await signingKeys(workspace.path, 'list');
    assert.match(text, new RegExp(`^key id .*\n${oldKid} +signs .*\n${kid} +next `));
    const [event] = (await service.audit.list()).events;
    assert.deepEqual([event.event, event.subject], ['signing-key.created', kid]);
    assert.match(event.actor, /^cli:./);
  } finally {
    await service.close();
  }
});

test('with --now a running service refuses old tokens at its next request, and signs with the new key', async () => {
  await using service = await startTestService({ settings: { AUTH: 'required' } });
  const { dataDirectory } = service.config;
  const accounts = openAccounts({ path: join(dataDirectory, 'accounts.sqlite') });
  try {
    const { credential, secret } = await accounts.credentials.create(
      { kind: 'client', owner: 'ci', name: 'app', scopes: ['jobs:read'], expiresAt: null },
      'test',
    );
    const tokenOf = async (): Promise<string> => {
      const answer = await fetch(`${service.url}/accounts/oauth/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${credential.id}:${secret}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
      return ((await answer.json()) as { access_token: string }).access_token;
    };
    const statusOf = async (token: string): Promise<number> =>
      (await fetch(`${service.url}/v1/jobs`, { headers: { authorization: `Bearer ${token}` } })).status;
    const old = await tokenOf();
    assert.equal(await statusOf(old), 200);
    const { kid: oldKid } = await accounts.signingKeys.current();

    const { status, err } = await signingKeys(dataDirectory, 'rotate', '--now');
    assert.equal(status, 0, err);
    assert.match(err, /^key \S+ signs from now on; 1 key is removed and their tokens are refused\n$/);
    assert.equal(await statusOf(old), 401);
    const fresh = await tokenOf();
    assert.equal(await statusOf(fresh), 200);
    assert.deepEqual(
      (await accounts.signingKeys.list()).map(({ state }) => state),
      ['signs'],
    );
    const events = (await accounts.audit.list()).events.filter(({ event }) =>
      event.startsWith('signing-key.'),
    );
    assert.deepEqual(
      events.slice(0, 2).map(({ event, subject }) => [event, subject === oldKid]),
      [
        ['signing-key.created', false],
        ['signing-key.removed', true],
      ],
    );
    for (const { actor } of events.slice(0, 2)) assert.match(actor, /^cli:./);
  } finally {
    await accounts.close();
  }
});

test('wrong usage is refused with what to do, and nothing is made', async () => {
  using workspace = makeWorkspace();
  const cases: [argv: string[], says: RegExp][] = [
    [[], /signing-keys takes rotate or list/],
    [['toString'], /signing-keys takes rotate or list/],
    [['list', '--now'], /signing-keys list has no --now/],
    [['rotate', '--json'], /signing-keys rotate has no --json/],
    [['rotate', 'key'], /signing-keys rotate takes flags only/],
  ];
  for (const [argv, says] of cases) {
    const { status, err } = await signingKeys(workspace.path, ...argv);
    assert.match(err, says);
    assert.equal(status, 2, argv.join(' '));
  }
  assert.ok(!existsSync(join(workspace.path, 'accounts.sqlite')));
});
