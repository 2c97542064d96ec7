/** The audit log, and whom an operator's word for an owner means. */
import assert from 'node:assert/strict';
import { contract, START } from '../../../test/support/accounts.ts';
import { makeSecret } from '../src/accounts/secret-text.ts';

contract('what happens to keys and clients is written down, with who did it', async (open) => {
  await using opened = await open();
  const { credentials, audit } = opened.accounts;
  const wanted = { owner: 'ci', name: 'robot', scopes: ['jobs:read'], expiresAt: null } as const;
  const key = (await credentials.create({ ...wanted, kind: 'key' }, 'ann')).credential.id;
  const client = (await credentials.create({ ...wanted, kind: 'client' }, 'bob')).credential.id;
  await credentials.change(key, { name: 'new name' }, 'ann');
  opened.at += 10;
  await credentials.revoke(key, 'cli:root');
  const { events, next } = await audit.list();
  assert.equal(next, null);
  assert.deepEqual(
    events.map(({ at, actor, event, subject }) => [at - START, actor, event, subject]),
    [
      [10, 'cli:root', 'key.revoked', key],
      [0, 'ann', 'key.changed', key],
      [0, 'bob', 'client.created', client],
      [0, 'ann', 'key.created', key],
    ],
  );
  assert.deepEqual(events[3].detail, { owner: 'ci', name: 'robot', scopes: 'jobs:read', expiresAt: null });
  assert.equal((await audit.list({ subject: client })).events.length, 1);
  assert.equal((await audit.list({ actor: 'ann' })).events.length, 2);
  assert.equal((await audit.list({ event: 'key.changed' })).events.length, 1);
});

contract('pages follow one another without a gap, also while events are added', async (open) => {
  await using opened = await open();
  const { audit } = opened.accounts;
  for (let i = 0; i < 25; i++) await audit.append({ actor: 'a', event: 'sign-in.failed', subject: `${i}` });
  const seen: string[] = [];
  let before: number | undefined;
  for (;;) {
    const { events, next } = await audit.list({ limit: 10, before });
    seen.push(...events.map(({ subject }) => subject));
    await audit.append({ actor: 'a', event: 'sign-in.failed', subject: 'later' });
    if (next === null) break;
    before = next;
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 25 }, (_, i) => `${24 - i}`),
  );
});

contract('no secret gets into the log, even where a caller passes one', async (open) => {
  await using opened = await open();
  const { audit } = opened.accounts;
  const secret = makeSecret('gm', 'abcdefgh');
  const token = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';
  const detail = { header: `Bearer ${token}`, list: [secret] };
  assert.ok(await audit.note({ actor: secret, event: 'credential.refused', subject: token, detail }));
  const [event] = (await audit.list()).events;
  assert.doesNotMatch(JSON.stringify(event), new RegExp(`${secret.slice(12)}|c2lnbmF0dXJl`));
  assert.equal(event.actor, 'gm_abcdefgh_[secret]');
});

contract('events stay as they are, until their time is over', async (open) => {
  await using opened = await open();
  const { audit } = opened.accounts;
  await audit.append({ actor: 'a', event: 'sign-in.failed', subject: 'old' });
  opened.at += 1000;
  await audit.append({ actor: 'a', event: 'sign-in.failed', subject: 'new' });
  const { database } = opened.accounts;
  await assert.rejects(() => database.run("UPDATE audit_events SET actor = 'b'"), /only added to/);
  assert.equal(await audit.sweep(1000), 0);
  assert.equal(await audit.sweep(999), 1);
  assert.deepEqual((await audit.list()).events.map(({ subject }) => subject), ['new']); // biome-ignore format: one line
});

contract('without users every name is a service account', async (open) => {
  await using opened = await open();
  assert.deepEqual(await opened.accounts.owners.resolve(' ci '), { id: 'ci', kind: 'service' });
  assert.deepEqual(await opened.accounts.owners.resolve('a@b.example'), {
    id: 'a@b.example',
    kind: 'service',
  });
  await assert.rejects(() => opened.accounts.owners.resolve('a b'), { code: 'CREDENTIAL_FIELD' });
});

contract('with users an address or an id is a user, and another address is a mistake', async (open) => {
  await using opened = await open();
  const { database } = opened.accounts;
  await database.run('CREATE TABLE "user" (id TEXT PRIMARY KEY, email TEXT UNIQUE)');
  await database.run(`INSERT INTO "user" VALUES ('u1', 'ann@example.org'), ('u2', 'bob@example.org')`);
  const { owners } = opened.accounts;
  assert.deepEqual(await owners.resolve('Ann@Example.org'), { id: 'u1', kind: 'user' });
  assert.deepEqual(await owners.resolve('u2'), { id: 'u2', kind: 'user' });
  assert.deepEqual(await owners.resolve('ci'), { id: 'ci', kind: 'service' });
  await assert.rejects(() => owners.resolve('eve@example.org'), { code: 'OWNER_UNKNOWN' });
});
