/** Prepared statements where the server does not have them (any more): as behind a pooler, and after a newer release changed a table. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { sharedPostgres, noPostgres as skip } from '../../../test/support/postgres.ts';
import { PostgresDatabase } from '../src/postgres/database.ts';
import { Prepared } from '../src/postgres/prepared.ts';

const FIND = new Prepared('SELECT * FROM things WHERE id = $1');
const ADD = new Prepared('INSERT INTO things (id) VALUES ($1)');

let schemas = 0;

/** With one connection, and a table with one row. */
async function open(context: TestContext): Promise<PostgresDatabase> {
  const { url } = await sharedPostgres();
  const schema = `prepared_${++schemas}`;
  const database = await PostgresDatabase.open({ url, schema, maxConnections: 1 });
  context.after(() => database.close());
  await database.bringUpToDate({ name: 'things', steps: ['CREATE TABLE things (id integer PRIMARY KEY)'] });
  await database.run(ADD, [1]);
  return database;
}

/** Statements that the connection has prepared. */
async function prepared(database: PostgresDatabase): Promise<readonly string[]> {
  const rows = await database.rows<{ statement: string }>('SELECT statement FROM pg_prepared_statements');
  return rows.map(({ statement }) => statement);
}

test('a statement is prepared once for each connection', { skip }, async (context) => {
  const database = await open(context);
  for (let i = 0; i < 3; i++) assert.deepEqual(await database.rows(FIND, [1]), [{ id: 1 }]);
  assert.deepEqual((await prepared(database)).toSorted(), [ADD.text, FIND.text].toSorted());
});

test('a statement runs on after its table got a column', { skip }, async (context) => {
  const database = await open(context);
  await database.rows(FIND, [1]);
  await database.run('ALTER TABLE things ADD name text');
  assert.deepEqual(await database.rows(FIND, [1]), [{ id: 1, name: null }]);
});

test('all statements are sent without names after the connection turned out not to have one', {
  skip,
}, async (context) => {
  const database = await open(context);
  await database.run('DEALLOCATE ALL');
  assert.equal(await database.run(ADD, [2]), 1);
  assert.deepEqual(await database.rows(FIND, [2]), [{ id: 2 }]);
  assert.deepEqual(await prepared(database), []);
});

test('a transaction is repeated whose statement another process has prepared on the connection', {
  skip,
}, async (context) => {
  const database = await open(context);
  await database.run(`PREPARE ${FIND.name} AS SELECT 1`);
  let attempts = 0;
  await database.transaction(async (statements) => {
    attempts++;
    await statements.run('INSERT INTO things VALUES (2)');
    assert.deepEqual(await statements.rows(FIND, [2]), [{ id: 2 }]);
  });
  assert.equal(attempts, 2);
  assert.deepEqual(await database.rows('SELECT id FROM things ORDER BY id'), [{ id: 1 }, { id: 2 }]);
});

test('many statements that are refused at the same time all run', { skip }, async (context) => {
  const { url } = await sharedPostgres();
  const database = await PostgresDatabase.open({ url, schema: `prepared_${++schemas}`, maxConnections: 4 });
  context.after(() => database.close());
  await database.bringUpToDate({ name: 'things', steps: ['CREATE TABLE things (id integer PRIMARY KEY)'] });
  const all = <Result>(act: (i: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: 20 }, (_, i) => act(i)));
  await all(() => database.rows(FIND, [1]));
  await database.run('ALTER TABLE things ADD name text');
  assert.deepEqual(
    (await all((i) => database.run(ADD, [i]))).every((count) => count === 1),
    true,
  );
  const found = await all((i) => database.rows(FIND, [i]));
  assert.deepEqual(
    found.flat(),
    found.map((_, id) => ({ id, name: null })),
  );
});
