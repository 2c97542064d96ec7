/** Checks the PostgreSQL database of a service. It only reads, but for a message on a channel of its own. */
import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { ACCOUNTS_HISTORY } from '../../accounts/postgres-database.ts';
import { moveInto } from '../../jobs/moved-from.ts';
import { type DatabaseSettings, openDatabase } from '../../jobs/open-database.ts';
import { POSTGRES_JOBS } from '../../jobs/postgres-schema.ts';
import type { PostgresDatabase, PostgresHistory, Statements } from '../../postgres/database.ts';
import { type DoctorFinding, finding } from './finding.ts';

/** PostgreSQL 13. */
const LEAST_VERSION = 130_000;
/** Processes stamp jobs with their own clocks. */
const CLOCK_TOLERANCE_MS = 5000;
const NEWS_TIMEOUT_MS = 2000;
const HISTORIES: readonly PostgresHistory[] = [POSTGRES_JOBS, ACCOUNTS_HISTORY];

export async function checkPostgres(settings: DatabaseSettings): Promise<DoctorFinding[]> {
  let database: PostgresDatabase | null;
  try {
    database = await openDatabase({ ...settings, databaseConnections: 1 });
  } catch (error) {
    return [cannotConnect(error as Error)];
  }
  if (database === null) return [];
  try {
    const found: DoctorFinding[] = [];
    for (const check of [checkServer, checkSchema, checkRights, checkClocks])
      found.push(...(await check(database, settings)));
    found.push(...(await checkConnections(database, settings)), ...(await checkNews(database)));
    return found;
  } finally {
    await database.close();
  }
}

/** By SQLSTATE, or the code of the system. */
const REMEDIES: readonly (readonly [code: RegExp, remedy: string])[] = [
  [/^28P01$/, 'correct the user or the password in DATABASE_URL'],
  [/^28/, 'allow this user and this machine in pg_hba.conf of the server'],
  [/^3D000$/, 'create the database (createdb), or correct its name in DATABASE_URL'],
  [/^53300$/, 'raise max_connections of the server, or lower DATABASE_CONNECTIONS of the processes'],
  [/^57P03$/, 'wait until the server has started'],
  [/^ENOTFOUND|^EAI_AGAIN/, 'correct the host in DATABASE_URL, or the name service of this machine'],
  [/^E/, 'start PostgreSQL, correct host and port in DATABASE_URL, or allow the connection in the firewall'],
];

function cannotConnect(error: Error): DoctorFinding {
  const { code = '' } = (error.cause ?? error) as { readonly code?: string };
  const remedy =
    REMEDIES.find(([pattern]) => pattern.test(code))?.[1] ??
    'correct DATABASE_URL; the message has the cause';
  return finding('problem', `PostgreSQL cannot be used: ${error.message}`, remedy);
}

type Check = (database: PostgresDatabase, settings: DatabaseSettings) => Promise<DoctorFinding[]>;

interface ServerRow {
  readonly version: string;
  readonly version_num: number;
  readonly is_standby: boolean;
  readonly is_read_only: boolean;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly synchronous_commit: string;
  readonly address: string | null;
  readonly is_encrypted: boolean | null;
}

const checkServer: Check = async (database) => {
  const [server] = await database.rows<ServerRow>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS version_num,
       pg_is_in_recovery() AS is_standby, current_setting('default_transaction_read_only')::bool AS is_read_only,
       current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
       current_setting('synchronous_commit') AS synchronous_commit, host(inet_server_addr()) AS address,
       (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS is_encrypted`,
  );
  const found: DoctorFinding[] = [];
  if (server.version_num < LEAST_VERSION)
    found.push(
      finding('problem', `PostgreSQL ${server.version} is older than 13`, 'use PostgreSQL 13 or newer'),
    );
  else found.push(finding('ok', `PostgreSQL ${server.version}`));
  if (server.is_standby || server.is_read_only)
    found.push(
      finding(
        'problem',
        'the server is read-only: a standby, or default_transaction_read_only is on',
        'name the primary in DATABASE_URL (several hosts: target_session_attrs=read-write)',
      ),
    );
  for (const name of ['fsync', 'full_page_writes'] as const)
    if (server[name] === 'off')
      found.push(
        finding(
          'warning',
          `${name} is off: a crash of the machine can damage the database`,
          `set ${name} to on`,
        ),
      );
  if (server.synchronous_commit === 'off')
    found.push(
      finding(
        'warning',
        'synchronous_commit is off: a crash can lose jobs that were accepted, and give a number of an attempt twice',
        'set synchronous_commit to on, at least for this user (ALTER ROLE ... SET synchronous_commit = on)',
      ),
    );
  const isRemote =
    server.address !== null && isIP(server.address) !== 0 && !/^(?:127\.|::1)/.test(server.address);
  if (isRemote && server.is_encrypted !== true)
    found.push(
      finding(
        'warning',
        `the connection to ${server.address} is not encrypted: others on the network can read keys and passwords`,
        'add ?sslmode=verify-full to DATABASE_URL',
      ),
    );
  return found;
};

const checkSchema: Check = async (database) => {
  const { schema } = database;
  const [{ found: hasVersions }] = await database.rows<{ found: boolean }>(
    "SELECT to_regclass('schema_versions') IS NOT NULL AS found",
  );
  if (!hasVersions)
    return [finding('note', `there are no tables in schema '${schema}'; the first start creates them`)];
  const versions = await database.rows<{ history: string; version: number }>('SELECT * FROM schema_versions');
  const found = HISTORIES.map(({ name, steps }): DoctorFinding => {
    const version = versions.find(({ history }) => history === name)?.version;
    if (version === undefined)
      return finding('note', `there are no tables of ${name}; the next start creates them`);
    const text = `the tables of ${name} in schema '${schema}' have version ${version}`;
    if (version > steps.length)
      return finding(
        'problem',
        `${text} and this geomill knows ${steps.length}: its processes do not start`,
        'use the geomill that wrote them, or a newer one',
      );
    if (version < steps.length)
      return finding('note', `${text}; the next start brings them to ${steps.length}`);
    return finding('ok', text);
  });
  const move = await moveInto(database);
  if (move !== null && !move.isFinished)
    found.push(
      finding(
        'problem',
        `a move into schema '${schema}' is not complete: no process starts`,
        "run 'geomill migrate-store' again with the settings that it began with",
      ),
    );
  return found;
};

const checkRights: Check = async (database) => {
  const { schema } = database;
  const [rights] = await database.rows<{
    role: string;
    exists: boolean;
    may_make_schema: boolean;
    may_make_tables: boolean | null;
  }>(
    `SELECT current_user AS role, to_regnamespace(quote_ident($1)) IS NOT NULL AS exists,
       has_database_privilege(current_database(), 'CREATE') AS may_make_schema,
       has_schema_privilege(to_regnamespace(quote_ident($1))::oid, 'USAGE, CREATE') AS may_make_tables`,
    [schema],
  );
  const grant = (what: string): string => `GRANT ${what} TO "${rights.role}", as the owner`;
  if (!rights.exists)
    return rights.may_make_schema
      ? []
      : [
          finding(
            'problem',
            `there is no schema '${schema}', and user '${rights.role}' may not create it`,
            `CREATE SCHEMA "${schema}" AUTHORIZATION "${rights.role}", as an administrator`,
          ),
        ];
  const found: DoctorFinding[] = [];
  if (rights.may_make_tables !== true)
    found.push(
      finding(
        'problem',
        `user '${rights.role}' may not create tables in schema '${schema}'`,
        grant(`USAGE, CREATE ON SCHEMA "${schema}"`),
      ),
    );
  const tables = await database.rows<{ name: string; may_use: boolean; may_alter: boolean }>(
    `SELECT relname AS name, has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
         AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE') AS may_use,
       pg_has_role(relowner, 'USAGE') AS may_alter
     FROM pg_class WHERE relnamespace = to_regnamespace(quote_ident($1)) AND relkind = 'r' ORDER BY relname`,
    [schema],
  );
  const closed = tables.find((table) => !table.may_use);
  if (closed !== undefined)
    found.push(
      finding(
        'problem',
        `user '${rights.role}' may not read and write table '${closed.name}'`,
        grant(`ALL ON ALL TABLES IN SCHEMA "${schema}"`),
      ),
    );
  const foreign = tables.find((table) => !table.may_alter);
  if (foreign !== undefined)
    found.push(
      finding(
        'warning',
        `table '${foreign.name}' has another owner than '${rights.role}': a newer version of geomill cannot change it`,
        `make '${rights.role}' the owner of the tables (ALTER TABLE ... OWNER TO, or REASSIGN OWNED)`,
      ),
    );
  return found.length > 0
    ? found
    : [finding('ok', `user '${rights.role}' has all rights to schema '${schema}'`)];
};

const checkClocks: Check = async (database) => {
  const began = Date.now();
  const [{ now }] = await database.rows<{ now: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
  );
  const differenceMs = now - (began + Date.now()) / 2;
  if (Math.abs(differenceMs) <= CLOCK_TOLERANCE_MS)
    return [finding('ok', 'the clocks of the database and of this machine agree')];
  const seconds = Math.round(Math.abs(differenceMs) / 1000);
  const message = `the clock of the database is ${seconds} s ${differenceMs > 0 ? 'ahead of' : 'behind'} that of this machine`;
  return [
    finding('warning', message, 'check the time synchronisation of both: times of jobs and tokens differ'),
  ];
};

const checkConnections: Check = async (database, { databaseConnections }) => {
  const [{ available, used }] = await database.rows<{ available: number; used: number }>(
    `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS available,
       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()) AS used`,
  );
  // The one that listens.
  const each = databaseConnections + 1;
  const text = `${used} of ${available} connections are in use; a process with DATABASE_CONNECTIONS=${databaseConnections} takes up to ${each}`;
  const free = Math.floor((available - used) / each);
  if (free >= 1) return [finding('ok', `${text}: room for ${free} more`)];
  const remedy = 'raise max_connections of the server, lower DATABASE_CONNECTIONS, or use a pooler';
  return [finding('warning', `${text}: no room for another process`, remedy)];
};

/** Whether notifications arrive: behind some poolers they do not. */
async function checkNews(database: PostgresDatabase): Promise<DoctorFinding[]> {
  const channel = `geomill doctor ${randomUUID()}`;
  const heard = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => heard.resolve(false), NEWS_TIMEOUT_MS);
  const listener = await database.listen(channel, {
    onMessage: () => heard.resolve(true),
    onLost: () => heard.resolve(false),
  });
  try {
    await notify(database, channel);
    if (await heard.promise) return [finding('ok', 'notifications arrive')];
    const message =
      'notifications do not arrive, as behind a pooler in transaction mode: processes hear of jobs up to 2 s later';
    return [finding('note', message)];
  } finally {
    clearTimeout(timer);
    await listener?.close();
  }
}

async function notify(statements: Statements, channel: string): Promise<void> {
  await statements.run("SELECT pg_notify($1, '')", [channel]);
}
