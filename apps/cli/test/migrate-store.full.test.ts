/** `geomill migrate-store` as it is called: the whole journey to each kind of store, kills in between, and what it refuses. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import pg from 'pg';
import { Database } from '../../../packages/engines/sqlite/src/database.ts';
import { Browser, setUpAdmin } from '../../../test/support/account-area.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { outputOf } from '../../../test/support/fake-conversion.ts';
import { noPostgres, sharedPostgres } from '../../../test/support/postgres.ts';
import { ENTRANCE } from '../../../test/support/program.ts';
import { runCli } from '../../../test/support/run-cli.ts';
import { BUCKET, KEY_ID, S3TestServer, SECRET } from '../../../test/support/s3-server.ts';
import { startTestService, submit, submitJob, type TestService } from '../../../test/support/service.ts';
import { appendTo, newUpload, offsetOf } from '../../../test/support/tus.ts';
import { until } from '../../../test/support/until.ts';
import { openAccounts } from '../../service/src/accounts/accounts.ts';
import { accountsPath } from '../../service/src/jobs/data-directory.ts';
import { ANY_OWNER } from '../../service/src/jobs/job.ts';
import { OneTimeLinks } from '../../service/src/pages/account/one-time-links.ts';

const skip = noPostgres;
const BIG = randomBytes(17 * 1024 ** 2);

type Workspace = ReturnType<typeof makeWorkspace>;
type Settings = Readonly<Record<string, string>>;
let schemas = 0;

async function database(): Promise<{ DATABASE_URL: string; DATABASE_SCHEMA: string }> {
  return { DATABASE_URL: (await sharedPostgres()).url, DATABASE_SCHEMA: `moved_${++schemas}` };
}

const migrate = (settings: Settings, ...argv: string[]) => runCli(['migrate-store', ...argv], settings);

/** Hashes of all files that a data directory keeps. */
function contentOf(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^(?:jobs|accounts)\.sqlite$|^(?:inputs|outputs|uploads)\//.test(name),
  );
  return Object.fromEntries(
    names
      .filter((name) => statSync(join(directory, name)).isFile())
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(directory, name)))
          .digest('hex'),
      ]),
  );
}

interface Filled {
  readonly directory: string;
  readonly key: string;
  readonly admin: Browser;
  /** Ids of jobs: one that has ended, one that ran, and one that waited when the service stopped. */
  readonly done: string;
  readonly ran: string;
  readonly waited: string;
  readonly uploads: { readonly partial: string; readonly complete: string };
  /** Attempts at `ran` when it has ended. */
  readonly attempts: number;
}

/** A service with something of everything, stopped. */
async function fill(workspace: Workspace): Promise<Filled> {
  const directory = join(workspace.path, 'data');
  mkdirSync(directory);
  const settings = { AUTH: 'required', RUNNERS: '1' };
  await using service = await startTestService({ dataDirectory: directory, settings });
  const accounts = openAccounts({ path: accountsPath(directory) });
  const admin = await setUpAdmin({
    url: service.url,
    link: async (link) =>
      `/account/${link.purpose}?token=${await new OneTimeLinks(accounts.database).make(link, 'test')}`,
  });
  const { secret: key } = await accounts.credentials.create(
    { kind: 'key', owner: 'ci', name: 'k', scopes: ['jobs:read', 'jobs:write'], expiresAt: null },
    'test',
  );
  await accounts.close();
  const headers = { apikey: key };
  const done = await submitJob(service, { headers, file: 'done', fileName: 'done.geojson' });
  await service.ended(done);
  const upload = async (byteLength: number, bytes: string | Uint8Array<ArrayBuffer>): Promise<string> => {
    const url = await newUpload(service, byteLength, headers);
    assert.equal((await appendTo(url, 0, bytes, headers)).status, 204);
    return url.slice(url.lastIndexOf('/') + 1);
  };
  const uploads = { partial: await upload(12, 'first '), complete: await upload(5, 'hello') };
  // More than a segment.
  await upload(BIG.length + 1, BIG);
  const ran = await submitJob(service, {
    headers: { ...headers, 'idempotency-key': 'once' },
    file: 'wait 1000',
  });
  const waited = await submitJob(service, { headers, file: 'waited' });
  await until(
    'the first job runs',
    async () => (await service.service.jobsOf(ANY_OWNER).get(ran))?.state === 'RUNNING',
  );
  return { directory, key, admin, done, ran, waited, uploads, attempts: 2 };
}

/** What a client sees of the moved service is what it saw before. */
async function check(service: TestService, filled: Filled): Promise<void> {
  const { key, admin, done, ran, waited, uploads } = filled;
  const headers = { apikey: key };
  const output = await fetch(`${service.url}/result/output/${done}`, { headers });
  assert.ok((await output.text()) === outputOf('done'));
  for (const [id, text] of [
    [ran, 'wait 1000'],
    [waited, 'waited'],
  ]) {
    const job = await service.ended(id);
    assert.equal(job.state, 'SUCCESS');
    assert.equal(
      await (await fetch(`${service.url}/result/output/${id}`, { headers })).text(),
      outputOf(text),
    );
  }
  assert.equal(
    (await service.service.jobsOf(ANY_OWNER).get(ran))!.fence,
    filled.attempts,
    'no number comes twice',
  );
  const again = await submit(service, {
    headers: { ...headers, 'idempotency-key': 'once' },
    file: 'wait 1000',
  });
  assert.equal(((await again.json()) as { job_id: string }).job_id, ran);
  const browser = new Browser(service.url);
  for (const [name, value] of admin.cookies) browser.cookies.set(name, value);
  assert.equal((await browser.get('/account')).path, '/account', 'the session goes on');
  assert.match((await browser.get('/account/audit')).text, /key\.created/);
  const partial = `${service.url}/v1/uploads/${uploads.partial}`;
  assert.equal(await offsetOf(partial, headers), 6);
  assert.equal((await appendTo(partial, 6, 'second', headers)).status, 204);
  const byUpload = async (id: string): Promise<string> => {
    const response = await fetch(`${service.url}/v1/transform/geojson`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', prefer: 'wait=20' },
      body: JSON.stringify({ input_upload: id, output_format: 'csv' }),
    });
    assert.equal(response.status, 200);
    return response.text();
  };
  assert.equal(await byUpload(uploads.complete), outputOf('hello'));
  assert.equal(await byUpload(uploads.partial), outputOf('first second'));
}

async function startS3(context: TestContext, workspace: Workspace): Promise<S3TestServer | null> {
  const server = await S3TestServer.start(join(workspace.path, 's3'));
  if (server === null) context.skip('@20minutes/s3rver is not installed');
  else context.after(() => server[Symbol.asyncDispose]());
  return server;
}

function s3(server: S3TestServer): Settings {
  return {
    STORE_URL: `s3://${BUCKET}/moved`,
    S3_ENDPOINT: server.url,
    AWS_ACCESS_KEY_ID: KEY_ID,
    AWS_SECRET_ACCESS_KEY: SECRET,
  };
}

const STORES: Readonly<
  Record<string, (context: TestContext, workspace: Workspace) => Promise<Settings | null>>
> = {
  S3: async (context, workspace) => {
    const server = await startS3(context, workspace);
    return server === null ? null : s3(server);
  },
  'a shared directory': async (_context, workspace) => ({
    STORE_URL: `file://${join(workspace.path, 'shared')}`,
  }),
};

for (const [name, open] of Object.entries(STORES))
  test(`a service moves to PostgreSQL and ${name}, and goes on there`, { skip }, async (context) => {
    using workspace = makeWorkspace();
    const store = await open(context, workspace);
    if (store === null) return;
    const filled = await fill(workspace);
    const { directory } = filled;
    const before = contentOf(directory);
    assert.equal(Object.keys(before).length, 2 + 1 + 2 + 3);
    const settings = { DATA_DIR: directory, ...(await database()), ...store };
    const dry = await migrate(settings, '--dry-run');
    assert.equal(dry.status, 0, dry.err);
    assert.match(dry.err, /the move is possible: 6 files/);
    const moved = await migrate(settings);
    assert.equal(moved.status, 0, moved.err);
    assert.match(moved.err, /^jobs: 3 rows$/m);
    assert.match(moved.err, /^uploads: 3 rows$/m);
    assert.match(moved.err, /^user: 1 rows$/m);
    assert.match(moved.err, /moved 6 files/);
    assert.deepEqual(contentOf(directory), before);
    const sums = moved.out
      .trim()
      .split('\n')
      .map((line) => line.split('  '));
    assert.deepEqual(
      Object.fromEntries(sums.map(([sum, path]) => [path, sum])),
      Object.fromEntries(Object.entries(before).filter(([path]) => path.includes('/'))),
    );
    const again = await migrate(settings);
    assert.equal(again.status, 0, again.err);
    assert.match(again.err, /complete already/);
    assert.equal(again.out, moved.out);
    const elsewhere = await migrate({ ...settings, ...(await database()) });
    assert.match(elsewhere.err, /was complete, and DATABASE_URL is not the database that it filled/);
    await using service = await startTestService({
      settings: { ...settings, DATA_DIR: join(workspace.path, 'new'), AUTH: 'required' },
      dataDirectory: join(workspace.path, 'new'),
    });
    await check(service, filled);
  });

test('the files of a service move alone, and later its databases', { skip }, async () => {
  using workspace = makeWorkspace();
  const filled = await fill(workspace);
  const settings = { DATA_DIR: filled.directory, STORE_URL: `file://${join(workspace.path, 'shared')}` };
  const moved = await migrate(settings);
  assert.equal(moved.status, 0, moved.err);
  assert.match(moved.err, /moved 6 files/);
  {
    await using service = await startTestService({
      settings: { ...settings, AUTH: 'required' },
      dataDirectory: filled.directory,
    });
    for (const id of [filled.ran, filled.waited]) await service.ended(id);
  }
  const both = { ...settings, ...(await database()) };
  const records = await migrate(both, '--files-stay');
  assert.equal(records.status, 0, records.err);
  assert.match(records.err, /^uploads: 3 rows$/m);
  assert.match(records.err, /moved 0 files/);
  await using service = await startTestService({
    settings: { ...both, DATA_DIR: join(workspace.path, 'new'), AUTH: 'required' },
    dataDirectory: join(workspace.path, 'new'),
  });
  await check(service, filled);
});

/** Started, and killed as soon as `isThere`. */
async function killWhen(settings: Settings, isThere: () => boolean | Promise<boolean>): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, [ENTRANCE, 'migrate-store'], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exit = once(child, 'exit');
  try {
    await until('it is so far', async () => child.exitCode !== null || (await isThere()));
    assert.equal(child.exitCode, null, 'it was over before');
  } finally {
    child.kill('SIGKILL');
    await exit;
  }
}

test('a move that is killed goes on where it was, and no service starts before it is complete', {
  skip,
}, async (context) => {
  using workspace = makeWorkspace();
  const server = await startS3(context, workspace);
  if (server === null) return;
  const filled = { ...(await fill(workspace)), attempts: 3 };
  // As after a power failure: nobody runs it any more.
  const source = new Database(join(filled.directory, 'jobs.sqlite'), { synchronous: 'FULL' });
  source
    .prepare("UPDATE jobs SET state = 'RUNNING', attempts = 1, fence = 2, started_at = ? WHERE id = ?")
    .run(Date.now(), filled.ran);
  source.close();
  const settings = { DATA_DIR: filled.directory, ...(await database()), ...s3(server) };
  const stored = () =>
    server.requests.filter(({ method, url }) => method === 'PUT' && /inputs|outputs|uploads/.test(url));
  // No more than three files arrive.
  server.faultFor = (request) => (request.method === 'PUT' && stored().length > 3 ? 'stall' : null);
  await killWhen(settings, () => stored().length > 4);
  server.faultFor = () => null;
  await assert.rejects(
    startTestService({ settings: { ...settings, DATA_DIR: join(workspace.path, 'new') } }),
    {
      code: 'SERVICE_DATABASE_UNUSABLE',
      message: /a move into it is not complete/,
    },
  );
  // All files are copied; the rows wait for a lock.
  const client = new pg.Client({ connectionString: settings.DATABASE_URL });
  await client.connect();
  await client.query(`BEGIN; LOCK TABLE ${settings.DATABASE_SCHEMA}.jobs IN ROW EXCLUSIVE MODE`);
  await killWhen(settings, async () => {
    const { rows } = await client.query<{ waits: boolean }>(
      'SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted) AS waits',
    );
    return rows[0].waits;
  });
  await client.query('ROLLBACK');
  await client.end();
  const requests = stored().length;
  const moved = await migrate(settings);
  assert.equal(moved.status, 0, moved.err);
  assert.equal(stored().length, requests, 'no file was copied again');
  await using service = await startTestService({
    settings: { ...settings, DATA_DIR: join(workspace.path, 'new'), AUTH: 'required' },
    dataDirectory: join(workspace.path, 'new'),
  });
  await check(service, filled);
});

test('a move names files that are not as their rows say, and refuses what is in use', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  const filled = await fill(workspace);
  const { directory, done } = filled;
  const shared = join(workspace.path, 'shared');
  const settings = { DATA_DIR: directory, ...(await database()), STORE_URL: `file://${shared}` };
  const refused = async (more: Settings, reason: RegExp): Promise<void> => {
    const { status, err } = await migrate({ ...settings, ...more });
    assert.notEqual(status, 0);
    assert.match(err, reason);
  };
  await refused({ STORE_URL: `file://${directory}` }, /it is the data directory itself/);
  await refused({ DATA_DIR: workspace.path }, /there is no jobs\.sqlite in it/);
  {
    await using _service = await startTestService({ dataDirectory: directory });
    await refused({}, /is in use by another geomill service/);
  }
  const output = join(directory, 'outputs', done);
  const content = readFileSync(output);
  truncateSync(output, content.length - 1);
  await refused({}, new RegExp(`outputs/${done} has ${content.length - 1} bytes, not ${content.length}`));
  writeFileSync(output, content);
  const foreign = join(shared, 'inputs', '00000000-0000-4000-8000-000000000000');
  writeFileSync(foreign, 'x');
  await refused({}, /it has files of another service \(inputs\/00000000-/);
  const { DATABASE_SCHEMA: used, ...other } = await database();
  {
    await using service = await startTestService({
      settings: { ...other, DATABASE_SCHEMA: used, STORE_URL: `file://${join(workspace.path, 'used')}` },
    });
    await submitJob(service);
  }
  await refused(
    { DATABASE_SCHEMA: used, STORE_URL: `file://${join(workspace.path, 'empty')}` },
    /its table 'jobs' has rows already/,
  );
  const jobs = new Database(join(directory, 'jobs.sqlite'), 'read-only');
  assert.equal(jobs.prepare('SELECT count(*) AS count FROM jobs').get<{ count: number }>()!.count, 3);
  jobs.close();
});
