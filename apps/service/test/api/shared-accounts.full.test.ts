/** Two processes of a service that requires credentials, with their state in PostgreSQL. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../../../../test/support/convert.ts';
import { noPostgres, sharedPostgres } from '../../../../test/support/postgres.ts';
import { runCli } from '../../../../test/support/run-cli.ts';
import { startTestService } from '../../../../test/support/service.ts';

const skip = noPostgres;

test('a key of the command line opens every process, until it is revoked', { skip }, async () => {
  using workspace = makeWorkspace();
  const store = join(workspace.path, 'store');
  mkdirSync(store);
  const { url } = await sharedPostgres();
  const settings = {
    DATABASE_URL: url,
    DATABASE_SCHEMA: 'shared_accounts',
    STORE_URL: `file://${store}`,
    AUTH: 'required',
    RATE_LIMIT: '1000',
  };
  await using first = await startTestService({ settings });
  await using second = await startTestService({ settings });
  assert.match(second.setupLink ?? '', /\/account\/setup\?token=/);
  // No data directory: the command may run on a machine of its own.
  const env = {
    DATABASE_URL: url,
    DATABASE_SCHEMA: 'shared_accounts',
    DATA_DIR: join(workspace.path, 'none'),
  };
  const keys = (...args: string[]) => runCli(['keys', ...args], env);
  const made = await keys('create', '--owner', 'ci', '--name', 'robot');
  assert.equal(made.status, 0, made.err);
  const key = made.out.trim();
  const statuses = async (apikey: string) => {
    const answers = await Promise.all(
      [first, second].map((one) => fetch(`${one.url}/v1/jobs`, { headers: { apikey } })),
    );
    return answers.map(({ status }) => status);
  };
  assert.deepEqual(await statuses(key), [200, 200]);
  assert.deepEqual(await statuses(`${key.slice(0, -1)}_`), [401, 401]);
  assert.equal((await keys('revoke', key)).status, 0);
  assert.deepEqual(await statuses(key), [401, 401]);
  const rotated = await runCli(['signing-keys', 'rotate'], env);
  assert.equal(rotated.status, 0, rotated.err);
  const sets = await Promise.all([first, second].map((one) => fetch(`${one.url}/.well-known/jwks.json`)));
  const [one, two] = await Promise.all(sets.map((set) => set.json()));
  assert.deepEqual(one, two);
  const user = await runCli(['users', 'create', '--admin', 'ada@example.org'], env);
  assert.equal(user.status, 0, user.err);
  assert.match(user.out, /\/account\/password\?token=/);
});
