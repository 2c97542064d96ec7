/** The mark of `geomill migrate-store` in a database: which move filled it, and whether that is complete. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { PostgresDatabase, Statements } from '../postgres/database.ts';

export const MOVED_FROM = 'moved_from';

export interface Move {
  readonly id: string;
  readonly isFinished: boolean;
}

/** Null: the database was filled by services alone. */
export async function moveInto(statements: Statements): Promise<Move | null> {
  const [{ exists }] = await statements.rows<{ exists: boolean }>(
    `SELECT to_regclass('${MOVED_FROM}') IS NOT NULL AS exists`,
  );
  if (!exists) return null;
  const [row] = await statements.rows<{ id: string; finished: boolean }>(
    `SELECT id, finished_at IS NOT NULL AS finished FROM ${MOVED_FROM}`,
  );
  return row === undefined ? null : { id: row.id, isFinished: row.finished };
}

export async function beginMove(statements: Statements, id: string): Promise<void> {
  await statements.run(
    `CREATE TABLE IF NOT EXISTS ${MOVED_FROM} (id text PRIMARY KEY, began_at timestamptz NOT NULL, finished_at timestamptz)`,
  );
  await statements.run(`INSERT INTO ${MOVED_FROM} VALUES ($1, now())`, [id]);
}

export async function finishMove(statements: Statements, id: string): Promise<void> {
  await statements.run(`UPDATE ${MOVED_FROM} SET finished_at = now() WHERE id = $1`, [id]);
}

/** Throws SERVICE_DATABASE_UNUSABLE while a move is incomplete: the jobs are not there yet, and their files would be orphans. */
export async function refuseUnfinishedMove(database: PostgresDatabase): Promise<void> {
  const move = await moveInto(database);
  if (move === null || move.isFinished) return;
  throw failure(generalErrors.SERVICE_DATABASE_UNUSABLE, {
    path: `schema '${database.schema}'`,
    reason: "a move into it is not complete; run 'geomill migrate-store' again to finish it",
  });
}
