/** When checks of /readyz are made, and what they say. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { ManualTimers } from '../../../test/support/manual-timers.ts';
import { MigrationMissing, Readiness, type StorageCheck } from '../src/jobs/readiness.ts';
import { DatabaseFault } from '../src/postgres/fault.ts';
import { StoreFault } from '../src/storage/store-fault.ts';

interface Fake {
  readonly check: StorageCheck;
  calls: number;
  error: Error | null;
}

function fake(name: StorageCheck['name'], more: Partial<StorageCheck> = {}): Fake {
  const one: Fake = {
    calls: 0,
    error: null,
    check: {
      name,
      isRemote: true,
      believedMs: 0,
      write: async () => {
        one.calls += 1;
        if (one.error !== null) throw one.error;
      },
      ...more,
    },
  };
  return one;
}

const refused = (code: string): DatabaseFault =>
  new DatabaseFault(Object.assign(new Error('at 10.0.0.7'), { code }));

test('a check that fails is named with its reason and its beginning until it succeeds', async () => {
  const store = fake('store');
  const readiness = new Readiness([store.check]);
  assert.deepEqual(await readiness.failed(false), []);
  store.error = new StoreFault('PUT https://secret.example', 'its object store cannot be reached');
  const before = Date.now();
  await assert.rejects(readiness.verify());
  const [first] = await readiness.failed(false);
  assert.deepEqual([first.name, first.reason], ['store', 'its object store cannot be reached']);
  assert.ok(first.since >= before && first.since <= Date.now());
  assert.match(first.action, /STORE_URL/);
  await assert.rejects(readiness.verify());
  assert.equal((await readiness.failed(false))[0].since, first.since, 'since the first failure');
  store.error = null;
  await readiness.verify();
  assert.deepEqual(await readiness.failed(false), []);
});

test('a success is believed for its time, unless an operation has failed; a failure for a second', async () => {
  const database = fake('database', { believedMs: Number.POSITIVE_INFINITY });
  const timers = new ManualTimers();
  const readiness = new Readiness([database.check], timers);
  for (let i = 0; i < 5; i++) await readiness.failed(false);
  assert.equal(database.calls, 0);
  timers.pass(365 * 86_400_000);
  await readiness.failed(false);
  assert.equal(database.calls, 0);
  database.error = refused('ECONNREFUSED');
  await assert.rejects(readiness.verify());
  for (let i = 0; i < 5; i++) await readiness.failed(true);
  assert.equal(database.calls, 1);
  timers.pass(1000);
  await readiness.failed(true);
  assert.equal(database.calls, 2);
});

test('a check that does not answer fails after two seconds, and callers share it', async () => {
  const timers = new ManualTimers();
  const answer = Promise.withResolvers<void>();
  let calls = 0;
  const look = (): Promise<void> => {
    calls += 1;
    return answer.promise;
  };
  const readiness = new Readiness([fake('database', { look }).check], timers);
  const asked = Promise.all([readiness.failed(false), readiness.failed(false)]);
  assert.deepEqual(timers.pending, [2000, 2000]);
  timers.pass(2000);
  const answers = await asked;
  for (const failed of answers) assert.match(failed[0].reason, /no answer within 2 s/);
  assert.equal(calls, 1);
  answer.resolve();
  await answer.promise;
  assert.deepEqual(await readiness.failed(false), []);
});

test('reasons are those of clients, and tell apart what the operator has to do', async () => {
  const rows: readonly [Error, boolean, string, RegExp][] = [
    [refused('ECONNREFUSED'), true, 'database', /refuses connections/],
    [refused('28P01'), true, 'database', /rejects the credentials/],
    [refused('53300'), true, 'database', /no free connection/],
    [refused('57P03'), true, 'database', /starting or shutting down/],
    [refused('25006'), true, 'database', /read-only/],
    [refused(''), true, 'database', /does not answer/],
    [new MigrationMissing('the tables are missing'), true, 'migrations', /tables are missing/],
    [Object.assign(new Error('write /srv/data'), { code: 'ENOSPC' }), false, 'disk', /no disk space/],
    [
      Object.assign(new Error('open /srv/data'), { code: 'EROFS', errno: -30 }),
      false,
      'database',
      /read-only/,
    ],
    [new Error('/srv/data: something else'), false, 'database', /in its log/],
  ];
  for (const [error, isRemote, name, reason] of rows) {
    const one = fake('database', { isRemote });
    one.error = error;
    const readiness = new Readiness([one.check]);
    await assert.rejects(readiness.verify());
    const [failed] = await readiness.failed(false);
    assert.equal(failed.name, name, error.message);
    assert.match(failed.reason, reason);
    assert.ok(!JSON.stringify(failed).includes('/srv') && !JSON.stringify(failed).includes('10.0.0.7'));
  }
});
