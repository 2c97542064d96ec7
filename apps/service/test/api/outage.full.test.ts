/** While the database or the store of a service is away, requests are told to come again, and the service goes on by itself afterwards. */
import assert from 'node:assert/strict';
import test, { mock } from 'node:test';
import { formats } from '../../../../packages/formats/src/registry.ts';
import { setUpAdmin } from '../../../../test/support/account-area.ts';
import { makeWorkspace } from '../../../../test/support/convert.ts';
import { outputOf } from '../../../../test/support/fake-conversion.ts';
import { noPostgres, startPostgres } from '../../../../test/support/postgres.ts';
import { checkedFetch } from '../../../../test/support/response-check.ts';
import { startTestService, submit, submitJob, type TestService } from '../../../../test/support/service.ts';
import { appendTo, newUpload } from '../../../../test/support/tus.ts';
import { until } from '../../../../test/support/until.ts';
import { openAccountsAt } from '../../src/accounts/accounts.ts';
import { allOperations } from '../../src/http/operations/all.ts';
import type { NewJob } from '../../src/jobs/job.ts';
import { SqliteQueue } from '../../src/jobs/sqlite-queue.ts';
import { OneTimeLinks } from '../../src/pages/account/one-time-links.ts';
import { accountRoutes } from '../../src/pages/account/routes.ts';
import { DatabaseFault } from '../../src/postgres/fault.ts';

const skip = noPostgres;

async function ready(service: TestService): Promise<void> {
  await until('the service is ready', async () => (await fetch(`${service.url}/readyz`)).status === 200);
}

async function refused(response: Response, what: string): Promise<void> {
  const text = await response.text();
  assert.equal(response.status, 503, `${what}: ${text}`);
  assert.equal(response.headers.get('retry-after'), '5', what);
  assert.match(text, /not available at the moment/, what);
}

test('while the database is away every request that needs it gets 503, and then all goes on', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  await using server = await startPostgres();
  const settings = {
    DATABASE_URL: server.url,
    DATABASE_CONNECTIONS: '2',
    STORE_URL: `file://${workspace.path}`,
    AUTH: 'required',
  };
  await using service = await startTestService({ settings });
  const accounts = await openAccountsAt({
    postgres: { url: server.url, schema: 'geomill', maxConnections: 1 },
  });
  const admin = await setUpAdmin({
    url: service.url,
    link: async (link) =>
      `/account/${link.purpose}?token=${await new OneTimeLinks(accounts.database).make(link, 'test')}`,
  });
  const wanted = { kind: 'key', owner: 'ci', name: 'k', expiresAt: null } as const;
  const { secret: apikey } = await accounts.credentials.create(
    { ...wanted, scopes: ['jobs:write', 'admin'] },
    'test',
  );
  await accounts.close();
  const headers = { apikey };
  const id = await submitJob(service, { headers });
  await service.ended(id);
  const upload = await newUpload(service, 10, headers);
  assert.equal((await appendTo(upload, 0, 'hello', headers)).status, 204);

  const running = await submitJob(service, { headers, file: 'wait 500' });

  await server.stop();
  const values: Readonly<Record<string, string>> = { id, format: 'geojson', code: '4326' };
  for (const operation of allOperations(formats)) {
    const { method, access } = operation;
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? id);
    const response = await checkedFetch(service.url + path, { method, headers });
    const what = `${method} ${operation.path}`;
    if (access === 'public') {
      assert.notEqual(response.status, 500, `${what}: ${await response.text()}`);
    } else await refused(response, what);
  }
  for (const { method, path } of (await accountRoutes()).filter((route) => !route.path.includes(':')))
    for (const cookie of ['', [...admin.cookies].map((pair) => pair.join('=')).join('; ')]) {
      const response = await fetch(service.url + path, {
        method,
        headers: { cookie, origin: service.url },
        redirect: 'manual',
      });
      if (cookie === '') assert.notEqual(response.status, 500, `${method} ${path}: ${await response.text()}`);
      else await refused(response, `${method} ${path}`);
    }
  for (const path of ['/', '/jobs', `/jobs/${id}`, `/jobs/${id}/output`]) {
    const cookie = [...admin.cookies].map((pair) => pair.join('=')).join('; ');
    await refused(await fetch(service.url + path, { headers: { cookie, accept: 'text/html' } }), path);
  }

  await server.start();
  await ready(service);
  assert.equal((await service.ended(running)).state, 'SUCCESS');
  const output = await checkedFetch(`${service.url}/result/output/${id}`, { headers });
  assert.equal(output.status, 200);
  assert.equal((await appendTo(upload, 5, 'world', headers)).status, 204);
  assert.equal((await service.ended(await submitJob(service, { headers }))).state, 'SUCCESS');
  assert.equal((await admin.get('/account')).status, 200);
});

test('a job whose commit was not confirmed keeps its input, because it may be there', async (context) => {
  await using service = await startTestService();
  const { enqueue } = SqliteQueue.prototype;
  let id = '';
  const lost = mock.method(SqliteQueue.prototype, 'enqueue', async function (this: SqliteQueue, job: NewJob) {
    id = job.id;
    await enqueue.call(this, job);
    throw new DatabaseFault(new Error('Connection terminated'), true);
  });
  context.after(() => lost.mock.restore());
  await refused(await submit(service, { file: 'kept' }), 'a submission');
  lost.mock.restore();
  assert.equal((await service.ended(id)).state, 'SUCCESS');
  assert.equal(await (await fetch(`${service.url}/result/output/${id}`)).text(), outputOf('kept'));
});
