/**
 * Statements that the server parses and plans once for each connection, which is a quarter of its work for a job. Only for those whose
 * best plan does not depend on their parameters: the server may keep one plan for all.
 *
 * A pooler in transaction mode may not know them (PgBouncer before 1.21), and a newer release may have changed the columns of a
 * table since. The server says so before it does anything; from then on the process sends all statements without names.
 */
import { createHash } from 'node:crypto';

export class Prepared {
  readonly text: string;
  /** The same for every process: behind a pooler, a process may run a statement that another process has prepared. */
  readonly name: string;

  constructor(text: string) {
    this.text = text;
    this.name = `geomill_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
  }
}

/** A statement; with parameters as $1, $2, ... */
export type Sql = string | Prepared;

/** invalid_sql_statement_name, duplicate_prepared_statement, feature_not_supported ("cached plan must not change result type"). */
const UNUSABLE = new Set(['26000', '42P05', '0A000']);

/** The server has refused a prepared statement and done nothing; the same text without a name can succeed. */
export class PreparationRefused extends Error {}

/** The error of a statement that was sent with a name. */
export function asRefusal(error: unknown): unknown {
  if (!UNUSABLE.has((error as { code?: string }).code ?? '')) return error;
  return new PreparationRefused('the database refused a prepared statement', { cause: error });
}
