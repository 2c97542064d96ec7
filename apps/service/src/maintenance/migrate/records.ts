/**
 * Copies the rows of an embedded service into its tables in PostgreSQL, in one transaction: all of them or none. Columns have the
 * same names in both; the tables are those that the service of this version makes.
 */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { SqlValue } from '@geomill/platform/sqlite.ts';
import type { Database } from '@geomill/sqlite/database.ts';
import { MOVED_FROM } from '../../jobs/moved-from.ts';
import { quoted, type Statements } from '../../postgres/database.ts';
import { maintenanceErrors } from '../errors.ts';
import type { MoveSource } from './source.ts';

export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
}

/** Kept by triggers in both; computed from the rows. */
const COUNTERS = new Set(['owners', 'totals']);
/** Tables of the target that may have rows: versions, the row of the clock, counts of attempts and requests, marks and secrets. */
const NOT_EMPTY = new Set([
  'schema_versions',
  'queue_clock',
  'attempts',
  'request_rates',
  'service_secrets',
  MOVED_FROM,
]);
const PAGE = 200;
const BATCH_BYTES = 4 * 1024 ** 2;

/** Throws SETTING_INVALID if a service has used the tables. */
export async function refuseUsedTables(statements: Statements): Promise<void> {
  const tables = await statements.rows<{ name: string; schema: string }>(
    `SELECT table_name AS name, table_schema AS schema FROM information_schema.tables
     WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY table_name`,
  );
  for (const { name, schema } of tables.filter((table) => !NOT_EMPTY.has(table.name))) {
    const [{ used }] = await statements.rows<{ used: boolean }>(
      `SELECT EXISTS (SELECT FROM ${quoted(name)}) AS used`,
    );
    if (!used) continue;
    const reason = `its table '${name}' has rows already; use a new DATABASE_SCHEMA, or drop this one if it holds nothing of value`;
    throw failure(generalErrors.SETTING_INVALID, { name: 'DATABASE_SCHEMA', value: schema, reason });
  }
}

/** Before the tables of users are made, which need it: a random one would end all sessions. */
export async function copySecrets(source: MoveSource, statements: Statements): Promise<void> {
  await statements.run('DELETE FROM service_secrets');
  if (source.accounts !== null) await copyTable(source.accounts, 'service_secrets', statements);
}

/**
 * Copies all rows; `places`: where uploads are in the new store; null: the places do not change. Throws SETTING_INVALID as `refuseUsedTables`, and
 * MIGRATION_INVALID if the source has what the target cannot hold, or the counts differ.
 */
export async function copyRecords(
  source: MoveSource,
  places: ReadonlyMap<string, string | null> | null,
  statements: Statements,
): Promise<CopiedTable[]> {
  // They would add up every row, each in a new version of the row of its owner. This also locks the tables.
  for (const table of ['jobs', 'uploads']) await statements.run(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  await refuseUsedTables(statements);
  const copied: CopiedTable[] = [];
  const copy = async (database: Database, table: string, change?: Change): Promise<void> => {
    const rows = await copyTable(database, table, statements, change);
    const [target] = await statements.rows<{ rows: number }>(`SELECT count(*) AS rows FROM ${quoted(table)}`);
    const [wanted] = database
      .prepare(`SELECT count(*) AS rows FROM ${quoted(table)}`)
      .all<{ rows: number }>();
    if (target.rows !== wanted.rows || rows !== wanted.rows)
      throw invalid(source, `table '${table}' has ${wanted.rows} rows, and ${target.rows} arrived`);
    copied.push({ table, rows });
  };
  if (source.accounts !== null) {
    await statements.run('DELETE FROM service_secrets');
    for (const table of tablesOf(source.accounts)) await copy(source.accounts, table);
  }
  const placed: Change = (row) =>
    places === null || row.is_kept !== 1 ? row : { ...row, place: places.get(String(row.id)) ?? null };
  for (const table of tablesOf(source.jobs))
    if (!COUNTERS.has(table)) await copy(source.jobs, table, table === 'uploads' ? placed : undefined);
  // Their runners have died: the next worker takes them up, as those of a worker whose leases have ended.
  await statements.run("UPDATE jobs SET worker = 'migrate-store', lease_until = 0 WHERE state = 'RUNNING'");
  await copyOwners(source, statements);
  await statements.run("SELECT setval('job_places', (SELECT greatest(1, max(place)) FROM jobs))");
  await statements.run("SELECT setval('owner_turns', (SELECT greatest(1, max(turn)) FROM owners))");
  for (const table of ['jobs', 'uploads']) await statements.run(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  return copied;
}

interface OwnerRow {
  readonly owner: string;
  readonly waiting: number;
  readonly running: number;
  readonly stored_bytes: number;
  readonly used_ms: number;
  readonly turn: number;
}

/** Jobs and bytes are counted again, and compared with what the triggers of the source have counted. */
async function copyOwners(source: MoveSource, statements: Statements): Promise<void> {
  const owners = source.jobs.prepare('SELECT * FROM owners ORDER BY owner').all<OwnerRow>();
  const column = (name: keyof OwnerRow): unknown[] => owners.map((row) => row[name]);
  await statements.run(
    `INSERT INTO owners SELECT o.owner, coalesce(waiting, 0), coalesce(running, 0),
       coalesce(job_bytes, 0) + coalesce(upload_bytes, 0), used_ms, turn
     FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS o (owner, used_ms, turn)
       LEFT JOIN (SELECT owner, count(*) FILTER (WHERE state = 'QUEUED') AS waiting,
           count(*) FILTER (WHERE state = 'RUNNING') AS running, sum(stored_bytes) AS job_bytes
         FROM jobs GROUP BY owner) AS j USING (owner)
       LEFT JOIN (SELECT owner, sum(stored_bytes) AS upload_bytes FROM uploads GROUP BY owner) AS u USING (owner)`,
    [column('owner'), column('used_ms'), column('turn')],
  );
  const found = await statements.rows<OwnerRow>('SELECT * FROM owners');
  const byName = new Map(found.map((row) => [row.owner, row]));
  for (const { owner, waiting, running, stored_bytes } of owners) {
    const other = byName.get(owner);
    if (other?.waiting !== waiting || other.running !== running || other.stored_bytes !== stored_bytes)
      throw invalid(source, `the jobs or bytes of the account '${owner}' are not as they were counted`);
  }
  const { clock_ms: clock } = source.jobs.prepare('SELECT clock_ms FROM totals').get<{ clock_ms: number }>()!;
  await statements.run('UPDATE queue_clock SET clock_ms = $1', [clock]);
}

type Row = Record<string, SqlValue>;
type Change = (row: Row) => Row;

function tablesOf(database: Database): string[] {
  return database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    .all<{ name: string }>()
    .map(({ name }) => name);
}

/** The number of rows. */
async function copyTable(
  from: Database,
  table: string,
  statements: Statements,
  change: Change = (row) => row,
): Promise<number> {
  const columns = from
    .prepare('SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden = 0')
    .all<{ name: string; pk: number }>(table);
  const names = columns.map(({ name }) => name);
  const types = await typesOf(table, names, statements);
  const insert = `INSERT INTO ${quoted(table)} (${names.map(quoted).join(', ')}) OVERRIDING SYSTEM VALUE VALUES `;
  let count = 0;
  for (const rows of batches(pages(from, table, columns), change)) {
    const values = rows.flatMap((row) => names.map((name, i) => storable(row[name], types[i])));
    const places = rows.map((_, i) => `(${names.map((_, j) => `$${i * names.length + j + 1}`).join(', ')})`);
    count += await statements.run(insert + places.join(', '), values);
  }
  await continueIdentity(from, table, statements);
  return count;
}

/** Types of the columns in the target. Throws MIGRATION_INVALID if it lacks one. */
async function typesOf(table: string, names: readonly string[], statements: Statements): Promise<string[]> {
  const found = await statements.rows<{ name: string; type: string }>(
    `SELECT column_name AS name, data_type AS type FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = $1`,
    [table],
  );
  return names.map((name) => {
    const column = found.find((one) => one.name === name);
    if (column !== undefined) return column.type;
    const reason = `column '${name}' of table '${table}' is unknown to this geomill; use the geomill that wrote it`;
    throw failure(maintenanceErrors.MIGRATION_INVALID, { path: 'the database', reason });
  });
}

/** A page of rows at a time: requests and reports can be large. */
function* pages(
  from: Database,
  table: string,
  columns: readonly { readonly name: string; readonly pk: number }[],
): Iterable<Row> {
  const list = columns.map(({ name }) => quoted(name)).join(', ');
  const keys = columns.filter(({ pk }) => pk > 0);
  if (keys.length !== 1) return yield* from.prepare(`SELECT ${list} FROM ${quoted(table)}`).all<Row>();
  const [{ name: key }] = keys;
  const select = (where: string) =>
    from.prepare(`SELECT ${list} FROM ${quoted(table)} ${where} ORDER BY ${quoted(key)} LIMIT ${PAGE}`);
  const next = select(`WHERE ${quoted(key)} > ?`);
  for (let page = select('').all<Row>(); page.length > 0; page = next.all<Row>(page[page.length - 1][key]))
    yield* page;
}

function* batches(rows: Iterable<Row>, change: Change): Iterable<Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    batch.push(change(row));
    for (const value of Object.values(row))
      bytes += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
    if (batch.length < PAGE && bytes < BATCH_BYTES) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** SQLite has no times and no truth values. */
function storable(value: SqlValue, type: string): unknown {
  if (value === null || value === undefined) return null;
  if (type === 'boolean') return Number(value) !== 0;
  if (type.startsWith('timestamp') || type === 'date')
    return new Date(typeof value === 'bigint' ? Number(value) : (value as string | number));
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}

/** Numbers of deleted rows are not given again. */
async function continueIdentity(from: Database, table: string, statements: Statements): Promise<void> {
  const [identity] = await statements.rows<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = $1 AND is_identity = 'YES'`,
    [table],
  );
  if (identity === undefined) return;
  const given = from.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').get<{ seq: number }>(table);
  if (given === undefined) return;
  await statements.run('SELECT setval(pg_get_serial_sequence($1, $2), $3)', [
    quoted(table),
    identity.name,
    given.seq,
  ]);
}

function invalid({ directory }: MoveSource, reason: string): Error {
  return failure(maintenanceErrors.MIGRATION_INVALID, { path: directory, reason });
}
