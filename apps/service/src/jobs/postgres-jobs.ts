/** The jobs in PostgreSQL as they are read and, after their retention, removed. The queue changes them. */
import { failure } from '@geomill/core/messages/errors.ts';
import type { PostgresDatabase, Statements } from '../postgres/database.ts';
import { jobErrors } from './errors.ts';
import {
  ANY_OWNER,
  type Idempotency,
  type Job,
  type JobState,
  type JobStep,
  type JobSummary,
  type ListPosition,
  type Viewer,
} from './job.ts';
import { QUEUE_FACTS } from './job-record.ts';
import { type JobRow, SUMMARY_COLUMNS, type SummaryRow, toJob, toSummary } from './job-table.ts';
import { USAGE_COLUMNS, type UsageRow, usageOf } from './owners.ts';
import { POSTGRES_JOBS } from './postgres-schema.ts';
import { GET, STATES } from './postgres-statements.ts';
import type { EnqueueResult, JobFilter, OwnerUsage, QueueFacts } from './queue.ts';
import { MigrationMissing } from './readiness.ts';

/** Claims wait as long as this takes. */
const SWEPT_AT_A_TIME = 20;

export class PostgresJobs {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async get(id: string): Promise<Job | null> {
    const [row] = await this.#database.rows<JobRow>(GET, [id]);
    return row === undefined ? null : toJob(row);
  }

  async summary(id: string): Promise<JobSummary | null> {
    const [row] = await this.#database.rows<SummaryRow>(`SELECT ${SUMMARY_COLUMNS} FROM jobs WHERE id = $1`, [
      id,
    ]);
    return row === undefined ? null : toSummary(row);
  }

  async list(
    viewer: Viewer,
    { state, operation }: JobFilter,
    after: ListPosition | null,
    limit: number,
  ): Promise<readonly JobSummary[]> {
    const parameters: unknown[] = [];
    const parameter = (value: unknown): string => `$${parameters.push(value)}`;
    const conditions = [
      ...(viewer === ANY_OWNER ? [] : [`owner = ${parameter(viewer)}`]),
      ...(state === null ? [] : [`state = ${parameter(state)}`]),
      ...(operation === null ? [] : [`operation = ${parameter(operation)}`]),
      ...(after === null
        ? []
        : [`(created_at, id) < (${parameter(after.createdAt)}::bigint, ${parameter(after.id)})`]),
    ];
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const rows = await this.#database.rows<SummaryRow>(
      `SELECT ${SUMMARY_COLUMNS} FROM jobs ${where} ORDER BY created_at DESC, id DESC LIMIT ${parameter(limit)}`,
      parameters,
    );
    return rows.map(toSummary);
  }

  async knowsKey(owner: string, key: string): Promise<boolean> {
    const rows = await this.#database.rows('SELECT FROM jobs WHERE owner = $1 AND idempotency_key = $2', [
      owner,
      key,
    ]);
    return rows.length > 0;
  }

  earlier(owner: string, idempotency: Idempotency): Promise<EnqueueResult | null> {
    return earlierOf(this.#database, owner, idempotency);
  }

  async usage(owner: string, since: number): Promise<OwnerUsage> {
    return usageOf(
      await this.#database.rows<UsageRow>(
        `SELECT ${USAGE_COLUMNS} FROM jobs WHERE owner = $1 AND created_at >= $2 GROUP BY state`,
        [owner, since],
      ),
    );
  }

  async checkTables(): Promise<void> {
    const { name, steps } = POSTGRES_JOBS;
    const version = await this.#database.versionOf(name);
    // A newer version belongs to a process beside this one: newer tables serve the release before, too.
    if (version < steps.length)
      throw new MigrationMissing(
        version === 0 ? 'the tables are missing' : `the tables have version ${version}, not ${steps.length}`,
      );
  }

  async facts(): Promise<QueueFacts> {
    const [facts] = await this.#database.rows<QueueFacts>(`SELECT ${QUEUE_FACTS}`);
    return facts;
  }

  async length(): Promise<number> {
    const [row] = await this.#database.rows<{ length: number }>(
      'SELECT coalesce(sum(waiting), 0) AS length FROM owners WHERE waiting > 0',
    );
    return row.length;
  }

  async expiredOutputs(now: number, limit: number): Promise<readonly string[]> {
    return this.#ids('output_kept = 1 AND expires_at <= $1', now, limit);
  }

  async markOutputsRemoved(ids: readonly string[]): Promise<void> {
    await this.#sweep('UPDATE jobs SET output_kept = 0', ids);
  }

  async oldRecords(endedBefore: number, limit: number): Promise<readonly string[]> {
    return this.#ids('ended_at <= $1', endedBefore, limit);
  }

  async #ids(condition: string, time: number, limit: number): Promise<string[]> {
    const rows = await this.#database.rows<{ id: string }>(
      `SELECT id FROM jobs WHERE ${condition} LIMIT $2`,
      [time, limit],
    );
    return rows.map(({ id }) => id);
  }

  async deleteRecords(ids: readonly string[]): Promise<void> {
    await this.#sweep('DELETE FROM jobs', ids);
  }

  /**
   * Few jobs at a time, because the owners of all of them are locked, and one process at a time. It waits for no job, whose lock another
   * may hold that waits for its owner.
   */
  async #sweep(change: string, ids: readonly string[]): Promise<void> {
    for (let first = 0; first < ids.length; first += SWEPT_AT_A_TIME)
      await this.#database.transaction(async (statements) => {
        await statements.run("SELECT pg_advisory_xact_lock('queue_clock'::regclass::oid::int, 2)");
        await statements.run(
          `${change} WHERE id IN (SELECT id FROM jobs WHERE id = ANY($1) FOR UPDATE SKIP LOCKED)`,
          [ids.slice(first, first + SWEPT_AT_A_TIME)],
        );
      });
  }

  async states(ids: readonly string[]): Promise<ReadonlyMap<string, JobStep>> {
    const rows = await this.#database.rows<JobStep & { id: string }>(STATES, [ids]);
    return new Map(rows.map((row) => [row.id, row]));
  }

  async checkWritable(): Promise<void> {
    await this.#database.run('UPDATE queue_clock SET clock_ms = clock_ms');
  }
}

/** The job of this owner with the key of a request. Throws IDEMPOTENCY_CONFLICT. */
export async function earlierOf(
  statements: Statements,
  owner: string,
  { key, requestHash }: Idempotency,
): Promise<EnqueueResult | null> {
  const [row] = await statements.rows<{ id: string; state: JobState; request_hash: string }>(
    'SELECT id, state, request_hash FROM jobs WHERE owner = $1 AND idempotency_key = $2',
    [owner, key],
  );
  if (row === undefined) return null;
  if (row.request_hash !== requestHash) throw failure(jobErrors.IDEMPOTENCY_CONFLICT, { key });
  return { id: row.id, state: row.state, added: false };
}
