/** The thread that copies the write-ahead log of the queue into the database. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Database } from '../../../packages/engines/sqlite/src/database.ts';
import { Checkpoints } from '../src/jobs/checkpoints.ts';
import { GroupCommit } from '../src/jobs/group-commit.ts';

/** Bytes of a log of 1,000 pages, at which SQLite would copy it. */
const USUAL_LOG = 1000 * 4120;
/** Commits that a thread is asked after; each writes 16 KiB. */
const COMMITS = 200;
const TEXT = 'x'.repeat(16_384);

function open(path: string): { database: Database; commits: GroupCommit } {
  const database = new Database(path, { synchronous: 'FULL' });
  database.exec('CREATE TABLE IF NOT EXISTS texts (id INTEGER PRIMARY KEY, text TEXT)');
  return { database, commits: new GroupCommit(database, path, { sync: async () => {} }) };
}

test('the log is copied meanwhile, starts again, and is gone when the database is closed', async (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-checkpoints-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'jobs.db');
  const { database, commits } = open(path);
  const insert = database.prepare('INSERT INTO texts (text) VALUES (?)');
  const databaseBytes = (): number => statSync(path).size;
  let count = 0;
  const commit = (): Promise<unknown> => commits.run(() => insert.run(`${count++}${TEXT}`));
  for (let i = 0; i < COMMITS - 1; i++) await commit();
  // SQLite itself would have done so long before.
  assert.ok(statSync(`${path}-wal`).size > USUAL_LOG / 2);
  assert.ok(databaseBytes() < USUAL_LOG / 2);
  await commit();
  while (databaseBytes() < COMMITS * TEXT.length) await turn();
  // When all of it is copied and synced, the next commit is written to its beginning.
  const restarts = (): number => readFileSync(`${path}-wal`).readUInt32BE(12);
  const before = restarts();
  while (restarts() === before) await commit();
  const { size } = statSync(`${path}-wal`);
  for (let i = 0; i < COMMITS / 2; i++) await commit();
  assert.equal(statSync(`${path}-wal`).size, size);
  await commits.close();
  database.close();
  assert.deepEqual(readdirSync(directory), ['jobs.db']);
  const reopened = new Database(path, 'read-only');
  context.after(() => reopened.close());
  const rows = reopened.prepare('SELECT count(*) AS count, count(DISTINCT text) AS texts FROM texts').get();
  assert.deepEqual({ ...(rows as object) }, { count, texts: count });
});

test('without a thread, SQLite copies the log itself', async (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-checkpoints-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'jobs.db');
  const database = new Database(path, { synchronous: 'FULL' });
  database.exec('CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT)');
  // The thread opens another path, which is a directory.
  const checkpoints = new Checkpoints(database, directory);
  const insert = database.prepare('INSERT INTO texts (text) VALUES (?)');
  const pages = (): unknown => database.prepare('PRAGMA wal_autocheckpoint').get<object>();
  for (let i = 0; i < COMMITS; i++) {
    insert.run(String(i));
    checkpoints.countCommit();
  }
  while (!isDeepStrictEqual({ ...(pages() as object) }, { wal_autocheckpoint: 1000 })) await turn();
  await checkpoints.close();
  database.close();
});

/** Commits, closes the database and prints the names of the files that are left, with nothing else that keeps the process alive. */
const PROGRAM = `
  const { Database } = await import(process.argv[2]);
  const { GroupCommit } = await import(process.argv[3]);
  const { readdirSync } = await import('node:fs');
  const [path, directory] = process.argv.slice(4);
  const database = new Database(path, { synchronous: 'FULL' });
  database.exec('CREATE TABLE texts (text TEXT)');
  const commits = new GroupCommit(database, path, { sync: async () => {} });
  for (let i = 0; i < ${COMMITS}; i++) await commits.run(() => database.exec("INSERT INTO texts VALUES ('a')"));
  await commits.close();
  database.close();
  console.log(readdirSync(directory).join());
`;

// --permission denies threads.
for (const flags of [[], ['--permission', '--allow-fs-read=*', '--allow-fs-write=*']])
  test(`closes the database before the process ends; flags: ${flags.join(' ') || 'none'}`, (context) => {
    const directory = mkdtempSync(join(tmpdir(), 'geomill-checkpoints-'));
    context.after(() => rmSync(directory, { recursive: true, force: true }));
    const source = (path: string): string => new URL(`../../../${path}`, import.meta.url).href;
    const modules = [
      source('packages/engines/sqlite/src/database.ts'),
      source('apps/service/src/jobs/group-commit.ts'),
    ];
    const program = [...flags, '--input-type=module', '-e', PROGRAM, '--', ''];
    const printed = execFileSync(process.execPath, [
      ...program,
      ...modules,
      join(directory, 'jobs.db'),
      directory,
    ]);
    assert.equal(printed.toString().trim(), 'jobs.db');
  });
