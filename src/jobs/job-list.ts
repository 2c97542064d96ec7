/** Pages of the list of jobs: each begins behind a job, not at a number, so that deep pages cost no more than the first. */
import type { Database, SqlValue, Statement } from '../engines/sqlite/database.ts';
import type { JobSummary } from './job.ts';
import { SUMMARY_COLUMNS, type SummaryRow, toSummary } from './job-table.ts';
import type { JobFilter, ListPosition } from './queue.ts';

export class JobList {
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();

  constructor(database: Database) {
    this.#database = database;
  }

  read({ state, operation }: JobFilter, after: ListPosition | null, limit: number): JobSummary[] {
    const conditions: string[] = [];
    const values: SqlValue[] = [];
    const require = (condition: string, ...given: SqlValue[]): void => {
      conditions.push(condition);
      values.push(...given);
    };
    if (state !== null) require('state = ?', state);
    // Of both conditions the state is the one to seek by; the other is read from the same index. The sign keeps SQLite
    // from choosing otherwise: without ANALYZE it only guesses.
    if (operation !== null) require(state === null ? 'operation = ?' : '+operation = ?', operation);
    if (after !== null) require('(created_at, id) < (?, ?)', after.createdAt, after.id);
    return this.#statement(conditions)
      .all<SummaryRow>(...values, limit)
      .map(toSummary);
  }

  /** One of eight. */
  #statement(conditions: readonly string[]): Statement {
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const known = this.#statements.get(where);
    if (known !== undefined) return known;
    const sql = `SELECT ${SUMMARY_COLUMNS} FROM jobs ${where} ORDER BY created_at DESC, id DESC LIMIT ?`;
    const statement = this.#database.prepare(sql);
    this.#statements.set(where, statement);
    return statement;
  }
}
