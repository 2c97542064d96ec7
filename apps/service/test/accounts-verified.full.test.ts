/** What is kept of checks never outlives what it was found in. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { contract, openTestAccounts, START } from '../../../test/support/accounts.ts';
import { Verified } from '../src/accounts/verified.ts';

const wanted = { kind: 'key', owner: 'alice', name: 'a', scopes: ['jobs:read'], expiresAt: null } as const;

contract(
  'a key that was found good is refused as soon as another process, or another part of this one, revokes it',
  async (open) => {
    await using opened = await open();
    const { credentials } = opened.accounts;
    const elsewhere = await opened.another();
    for (const revoker of [credentials, elsewhere.credentials]) {
      const { secret, credential } = await credentials.create(wanted, 'test');
      for (let i = 0; i < 3; i++) assert.ok((await credentials.verifyKey(secret)).ok);
      await revoker.revoke(credential.id, 'test');
      assert.equal((await credentials.verifyKey(secret)).refused, 'revoked');
    }
  },
);

contract('a key that was found good is refused from its expiry on, to the millisecond', async (open) => {
  await using opened = await open();
  const { credentials } = opened.accounts;
  const { secret } = await credentials.create({ ...wanted, expiresAt: START + 1000 }, 'test');
  assert.ok((await credentials.verifyKey(secret)).ok);
  opened.at += 999;
  assert.ok((await credentials.verifyKey(secret)).ok);
  opened.at += 1;
  assert.equal((await credentials.verifyKey(secret)).refused, 'expired');
});

contract(
  'an account that is disabled, and a client that is revoked, count at once behind a check that was kept',
  async (open) => {
    await using opened = await open();
    const { credentials, states, tokens } = opened.accounts;
    const { secret } = await credentials.create(wanted, 'test');
    const client = await credentials.create({ ...wanted, kind: 'client' }, 'test');
    const { ok } = await tokens.issue(client.credential.id, client.secret);
    const token = ok?.accessToken ?? '';
    for (let i = 0; i < 2; i++) {
      assert.ok((await credentials.verifyKey(secret)).ok);
      assert.ok((await tokens.verify(token)).ok);
    }
    await states.change('alice', { isDisabled: true }, 'test');
    assert.equal((await credentials.verifyKey(secret)).refused, 'disabled');
    assert.equal((await tokens.verify(token)).refused, 'disabled');
    await states.change('alice', { isDisabled: false }, 'test');
    assert.ok((await tokens.verify(token)).ok);
    await credentials.revoke(client.credential.id, 'test');
    assert.equal((await tokens.verify(token)).refused, 'revoked');
  },
);

contract(
  'tokens of a signing key that leaked are refused at once, also those that were checked before',
  async (open) => {
    await using opened = await open();
    const { credentials, signingKeys, tokens } = opened.accounts;
    const client = await credentials.create({ ...wanted, kind: 'client' }, 'test');
    const { ok } = await tokens.issue(client.credential.id, client.secret);
    const token = ok?.accessToken ?? '';
    assert.ok((await tokens.verify(token)).ok);
    await signingKeys.rotate({ atOnce: true, actor: 'test' });
    assert.equal((await tokens.verify(token)).refused, 'invalid');
  },
);

test('what a check found is not kept where the database changed meanwhile', async () => {
  await using opened = openTestAccounts();
  const { credentials, database } = opened.accounts;
  const verified = new Verified<string>(database);
  assert.equal(verified.find('text', START), null);
  const version = verified.version();
  await credentials.create(wanted, 'test');
  assert.equal(verified.find('other', START), null);
  verified.keep('text', 'old', version, null);
  assert.equal(verified.find('text', START), null);
  verified.keep('text', 'new', verified.version(), null);
  assert.equal(verified.find('text', START), 'new');
});

test('the number of checks that are kept is bounded', async () => {
  await using opened = openTestAccounts();
  const verified = new Verified<number>(opened.accounts.database);
  assert.equal(verified.find('none', START), null);
  const version = verified.version();
  for (let i = 0; i < 10_001; i++) verified.keep(`text ${i}`, i, version, null);
  assert.equal(verified.find('text 0', START), null);
  assert.equal(verified.find('text 10000', START), 10_000);
});
