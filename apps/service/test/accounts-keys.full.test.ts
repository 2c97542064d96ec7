/** API keys and OAuth clients: their text, their check, their end. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import test from 'node:test';
import fc from 'fast-check';
import { GeomillError } from '../../../packages/core/src/messages/errors.ts';
import { Database } from '../../../packages/engines/sqlite/src/database.ts';
import { contract, openTestAccounts, START } from '../../../test/support/accounts.ts';
import { openAccounts } from '../src/accounts/accounts.ts';
import type { CredentialFilter, NewCredential } from '../src/accounts/credentials.ts';
import { hasScope, parseScopes, type Scope } from '../src/accounts/principal.ts';
import { idOfSecret, makeId, makeSecret, publicIdIn, withoutSecrets } from '../src/accounts/secret-text.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const wanted: NewCredential = {
  kind: 'key',
  owner: 'ci',
  name: 'build robot',
  scopes: ['jobs:read', 'jobs:write'],
  expiresAt: null,
};

const codeOf = (error: unknown): string => (error instanceof GeomillError ? error.code : String(error));

contract('a key that was handed out is its owner, with its scopes', async (open) => {
  await using opened = await open();
  const { secret, credential } = await opened.accounts.credentials.create(wanted, 'tester');
  assert.match(secret, /^gm_[0-9A-Za-z]{8}_[0-9A-Za-z]{33}$/);
  assert.equal(credential.id, secret.slice(0, 11));
  assert.deepEqual((await opened.accounts.credentials.verifyKey(secret)).ok, {
    owner: 'ci',
    scopes: ['jobs:read', 'jobs:write'],
    credential: { kind: 'key', id: credential.id },
  });
});

test('two keys have nothing in common but their shape', () => {
  const secrets = Array.from({ length: 500 }, () => makeSecret('gm', makeId()));
  assert.equal(new Set(secrets).size, 500);
  assert.equal(new Set(secrets.map((text) => text.slice(12, 39))).size, 500);
  // Every character of the alphabet in about the same number: 13,500 of 62 are 218 each, give or take 15.
  const counts = new Map<string, number>();
  for (const text of secrets)
    for (const char of text.slice(12, 39)) counts.set(char, (counts.get(char) ?? 0) + 1);
  for (const char of BASE62) assert.ok(Math.abs((counts.get(char) ?? 0) - 218) < 100, char);
});

test('every single wrong character is found by the shape or the checksum', () => {
  for (const prefix of ['gm', 'gms'] as const) {
    const text = makeSecret(prefix, makeId());
    assert.equal(idOfSecret(prefix, text), text.slice(prefix.length + 1, prefix.length + 9));
    for (let at = 0; at < text.length; at++) {
      for (const char of `${BASE62}_- é\0`) {
        if (char === text[at]) continue;
        assert.equal(
          idOfSecret(prefix, text.slice(0, at) + char + text.slice(at + 1)),
          null,
          `${at} ${char}`,
        );
      }
      assert.equal(idOfSecret(prefix, text.slice(0, at) + text.slice(at + 1)), null);
      if (at > 0 && text[at] !== text[at - 1]) {
        const swapped = text.slice(0, at - 1) + text[at] + text[at - 1] + text.slice(at + 1);
        assert.equal(idOfSecret(prefix, swapped), null);
      }
    }
    for (const extra of [`${text}\n`, ` ${text}`, `${text}${text}`, '', text.toUpperCase()])
      assert.equal(idOfSecret(prefix, extra), null);
  }
});

contract('whatever is done to a key, it is malformed or unknown', async (open) => {
  await using opened = await open();
  const { credentials } = opened.accounts;
  const { secret } = await credentials.create(wanted, 'tester');
  const { secret: other } = await credentials.create(wanted, 'tester');
  const mutation = fc.array(
    fc.tuple(fc.nat(secret.length - 1), fc.constantFrom(...BASE62, '_', ' ', '\0', 'é')),
    { minLength: 1, maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(mutation, async (changes) => {
      const chars = [...secret];
      for (const [at, char] of changes) chars[at] = char;
      const text = chars.join('');
      fc.pre(text !== secret);
      const { ok, refused } = await credentials.verifyKey(text);
      assert.equal(ok, undefined);
      assert.ok(refused === 'malformed' || refused === 'unknown');
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary-ascii', maxLength: 60 }), async (text) => {
      assert.equal((await credentials.verifyKey(text)).refused, 'malformed');
    }),
  );
  // A secret of the right shape and checksum, under an id that exists.
  assert.equal((await credentials.verifyKey(makeSecret('gm', secret.slice(3, 11)))).refused, 'unknown');
  assert.equal((await credentials.verifyKey(makeSecret('gm', makeId()))).refused, 'unknown');
  assert.equal((await credentials.verifyKey(makeSecret('gms', secret.slice(3, 11)))).refused, 'malformed');
  assert.ok((await credentials.verifyKey(other)).ok);
});

contract('a key is good until the instant at which it expires', async (open) => {
  await using opened = await open();
  const { credentials } = opened.accounts;
  const { secret, credential } = await credentials.create({ ...wanted, expiresAt: START + 1000 }, 'tester');
  opened.at = START + 999;
  assert.ok((await credentials.verifyKey(secret)).ok);
  assert.equal(credentials.stateOf(credential), 'active');
  opened.at = START + 1000;
  assert.deepEqual(await credentials.verifyKey(secret), { refused: 'expired', id: credential.id });
  assert.equal(credentials.stateOf(credential), 'expired');
  // Only who holds the secret learns that it has expired.
  assert.equal((await credentials.verifyKey(makeSecret('gm', secret.slice(3, 11)))).refused, 'unknown');
});

contract('what one connection revokes, all refuse on the next check', async (open) => {
  await using opened = await open();
  const other = await opened.another();
  const key = await opened.accounts.credentials.create(wanted, 'tester');
  const client = await opened.accounts.credentials.create({ ...wanted, kind: 'client' }, 'tester');
  const { id } = client.credential;
  assert.ok((await other.credentials.verifyKey(key.secret)).ok);
  assert.ok((await other.credentials.verifyClient(id, client.secret)).ok);
  assert.ok((await other.credentials.checkClient(id)).ok);
  assert.equal(await opened.accounts.credentials.revokeAllOf('ci', 'tester'), 2);
  assert.deepEqual(await other.credentials.verifyKey(key.secret), {
    refused: 'revoked',
    id: key.credential.id,
  });
  assert.deepEqual(await other.credentials.verifyClient(id, client.secret), { refused: 'revoked', id });
  assert.deepEqual(await other.credentials.checkClient(id), { refused: 'revoked', id });
  assert.equal(await opened.accounts.credentials.revokeAllOf('ci', 'tester'), 0);
});

contract(
  'revoking twice keeps the first time; there is nothing to revoke under an unknown id',
  async (open) => {
    await using opened = await open();
    const { credentials, audit } = opened.accounts;
    const { credential } = await credentials.create(wanted, 'tester');
    assert.equal((await credentials.revoke(credential.id, 'tester'))?.revokedAt, START);
    opened.at += 5000;
    assert.equal((await credentials.revoke(credential.id, 'tester'))?.revokedAt, START);
    assert.equal((await credentials.get(credential.id))?.revokedAt, START);
    assert.equal(await credentials.revoke('gm_nobodys0', 'tester'), null);
    assert.equal((await audit.list({ event: 'key.revoked' })).events.length, 1);
  },
);

contract('a client is known by its id together with its own secret', async (open) => {
  await using opened = await open();
  const { credentials } = opened.accounts;
  const client = await credentials.create({ ...wanted, kind: 'client' }, 'tester');
  const other = await credentials.create({ ...wanted, kind: 'client' }, 'tester');
  const key = await credentials.create(wanted, 'tester');
  const { id } = client.credential;
  assert.match(id, /^gmc_/);
  assert.deepEqual((await credentials.verifyClient(id, client.secret)).ok?.credential, {
    kind: 'client',
    id,
  });
  assert.equal((await credentials.verifyClient(id, other.secret)).refused, 'unknown');
  assert.equal((await credentials.verifyClient(other.credential.id, client.secret)).refused, 'unknown');
  assert.equal((await credentials.verifyClient(id, key.secret)).refused, 'malformed');
  assert.equal((await credentials.verifyClient('', client.secret)).refused, 'unknown');
  // A client's secret is not an API key, and a key's id is not a client's.
  assert.equal((await credentials.verifyKey(client.secret)).refused, 'malformed');
  assert.equal((await credentials.checkClient(key.credential.id)).refused, 'unknown');
});

contract('last use is noted once a minute, and not while the request waits', async (open) => {
  await using opened = await open();
  const { credentials } = opened.accounts;
  const { secret, credential } = await credentials.create(wanted, 'tester');
  const lastUse = async (): Promise<number | null> => (await credentials.get(credential.id))!.lastUsedAt;
  await credentials.verifyKey(secret);
  assert.equal(await lastUse(), null);
  await credentials.flush();
  assert.equal(await lastUse(), START);
  opened.at += 59_999;
  await credentials.verifyKey(secret);
  await credentials.flush();
  assert.equal(await lastUse(), START);
  opened.at += 1;
  await credentials.verifyKey(secret);
  await credentials.flush();
  assert.equal(await lastUse(), START + 60_000);
});

test('a last use that cannot be noted now is noted later, and no request fails for it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  await using opened = openTestAccounts();
  const { credentials } = opened.accounts;
  const { secret, credential } = await credentials.create(wanted, 'tester');
  const other = new Database(opened.path, { synchronous: 'NORMAL' });
  other.exec('BEGIN IMMEDIATE');
  assert.ok((await credentials.verifyKey(secret)).ok);
  t.mock.timers.tick(1000);
  other.exec('COMMIT');
  await other.close();
  assert.equal((await credentials.get(credential.id))?.lastUsedAt, null);
  assert.ok((await credentials.verifyKey(secret)).ok);
  t.mock.timers.tick(1000);
  assert.equal((await credentials.get(credential.id))?.lastUsedAt, START);
});

contract('a name and an expiry can be changed, of what is not revoked', async (open) => {
  await using opened = await open();
  const { credentials } = opened.accounts;
  const { secret, credential } = await credentials.create(wanted, 'tester');
  assert.equal((await credentials.change(credential.id, { name: ' two ' }, 'tester'))?.name, 'two');
  assert.equal(
    (await credentials.change(credential.id, { expiresAt: START + 10 }, 'tester'))?.expiresAt,
    START + 10,
  );
  opened.at += 10;
  assert.equal((await credentials.verifyKey(secret)).refused, 'expired');
  assert.equal(await credentials.change('gm_nobodys0', { name: 'x' }, 'tester'), null);
  await credentials.revoke(credential.id, 'tester');
  await assert.rejects(() => credentials.change(credential.id, { expiresAt: null }, 'tester'), { code: 'CREDENTIAL_FIELD' }); // biome-ignore format: one line
});

contract('what a key cannot be is refused with the field', async (open) => {
  await using opened = await open();
  const { credentials } = opened.accounts;
  const refused: [Partial<NewCredential>, RegExp][] = [
    [{ name: ' ' }, /'name' must not be empty/],
    [{ name: 'x'.repeat(101) }, /'name' must not be longer than 100/],
    [{ name: 'a\u202eb' }, /'name' must not contain control/],
    [{ name: 'a\nb' }, /'name' must not contain control/],
    [{ owner: '' }, /'owner' must not be empty/],
    [{ owner: 'a b' }, /'owner' must not contain white space/],
    [{ scopes: [] }, /'scopes' must name at least one/],
    [{ scopes: ['root' as Scope] }, /'scopes' must be of .*, not 'root'/],
    [{ expiresAt: START }, /'expiry' must be in the future/],
    [{ expiresAt: Number.NaN }, /'expiry' must be a time/],
  ];
  for (const [change, reason] of refused) {
    await assert.rejects(
      () => credentials.create({ ...wanted, ...change }, 'tester'),
      (error: Error) => codeOf(error) === 'CREDENTIAL_FIELD' && reason.test(error.message),
    );
  }
  assert.deepEqual(await credentials.list(), []);
});

contract('lists are by owner and kind, newest first', async (open) => {
  await using opened = await open();
  const { credentials } = opened.accounts;
  const make = async (change: Partial<NewCredential>): Promise<string> => {
    opened.at += 1;
    return (await credentials.create({ ...wanted, ...change }, 'tester')).credential.id;
  };
  const [a, b, c] = [await make({}), await make({ owner: 'other' }), await make({ kind: 'client' })];
  const ids = async (filter?: CredentialFilter) => (await credentials.list(filter)).map(({ id }) => id);
  assert.deepEqual(await ids(), [c, b, a]);
  assert.deepEqual(await ids({ owner: 'ci' }), [c, a]);
  assert.deepEqual(await ids({ owner: 'ci', kind: 'key' }), [a]);
});

test('admin implies the other scopes, and nothing else implies anything', () => {
  assert.ok(hasScope({ scopes: ['admin'] }, 'jobs:write'));
  assert.ok(!hasScope({ scopes: ['jobs:write'] }, 'jobs:read'));
  assert.ok(!hasScope({ scopes: ['jobs:read', 'jobs:write'] }, 'admin'));
  assert.deepEqual(parseScopes('jobs:read  x jobs:read'), { scopes: ['jobs:read'], unknown: ['x'] });
});

test('only its user can read the database, and no secret stands in it', async () => {
  await using opened = openTestAccounts();
  const key = await opened.accounts.credentials.create(wanted, 'tester');
  for (const end of ['', '-wal', '-shm']) assert.equal(statSync(opened.path + end).mode & 0o777, 0o600, end);
  const dump = JSON.stringify([await opened.accounts.credentials.list(), await opened.accounts.audit.list()]);
  assert.ok(!dump.includes(key.secret.slice(12)));
});

test('a database of a newer version is left alone', async () => {
  await using opened = openTestAccounts();
  const { path } = opened;
  await opened.accounts.close();
  setVersion(path, 99);
  assert.throws(() => openAccounts({ path }), { code: 'ACCOUNTS_DATABASE', message: /schema version 99/ });
  setVersion(path, 1);
  await opened.accounts.close();
});

function setVersion(path: string, version: number): void {
  const database = new Database(path, { synchronous: 'NORMAL' });
  database.userVersion = version;
  database.close();
}

test('secrets are struck out of texts', () => {
  const key = makeSecret('gm', 'abcdefgh');
  const client = makeSecret('gms', 'abcdefgh');
  const text = `${key} (${client}) Bearer eyJhbGciOi.eyJpc3Mi.c2ln.`;
  assert.equal(withoutSecrets(text), 'gm_abcdefgh_[secret] (gms_abcdefgh_[secret]) Bearer [token].');
});

test('the id of a key is found in the whole key', () => {
  assert.equal(publicIdIn('gm_abcdefgh'), 'gm_abcdefgh');
  assert.equal(publicIdIn(makeSecret('gm', 'abcdefgh')), 'gm_abcdefgh');
  assert.equal(publicIdIn('gmc_abcdefgh'), 'gmc_abcdefgh');
  assert.equal(publicIdIn(makeSecret('gms', 'abcdefgh')), 'gmc_abcdefgh');
  for (const text of ['', 'abcdefgh', 'gm_abc', 'gmx_abcdefgh']) assert.equal(publicIdIn(text), null);
});
