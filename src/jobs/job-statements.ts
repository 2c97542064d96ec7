/** The statements of the embedded queue that change or find single jobs. */
import type { Database } from '../engines/sqlite/database.ts';
import { isFinal, type JobState, jobStates, transitions } from './job.ts';
import { SUMMARY_COLUMNS } from './job-table.ts';

export type Statements = ReturnType<typeof prepareStatements>;

export function prepareStatements(database: Database) {
  const states = (target: JobState): string =>
    Object.entries(transitions)
      .filter(([, targets]) => (targets as readonly JobState[]).includes(target))
      .map(([from]) => `'${from}'`)
      .join(', ');
  // `attempts` in the condition is the fence of Claim.
  const current = (target: JobState): string =>
    `WHERE id = ? AND attempts = ? AND state IN (${states(target)})`;
  const ended = jobStates.filter(isFinal).map((state) => `'${state}'`);
  const requeue = `UPDATE jobs SET state = 'QUEUED', place = ?, attempts = attempts - ? ${current('QUEUED')}`;
  return {
    insert: database.prepare(
      `INSERT INTO jobs (id, owner, state, place, operation, input_format, output_format, warning_count, created_at,
       input_bytes, idempotency_key, request_hash, inputs, request_findings, request)
       VALUES (?, ?, 'QUEUED', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    claim: database.prepare(
      `UPDATE jobs SET state = 'RUNNING', attempts = attempts + 1, started_at = ?
       WHERE id = (SELECT id FROM jobs WHERE state = 'QUEUED' AND owner =
         (SELECT owner FROM owners WHERE waiting > 0 ORDER BY running, turn LIMIT 1) ORDER BY place LIMIT 1)
       RETURNING *`,
    ),
    succeed: database.prepare(
      `UPDATE jobs SET state = 'SUCCESS', ended_at = ?, expires_at = ?, output_bytes = ?, output_media_type = ?,
       output_name = ?, report = ?, warning_count = ?, input_bytes = input_bytes + ?,
       output_kept = 1 ${current('SUCCESS')}`,
    ),
    fail: database.prepare(
      `UPDATE jobs SET state = 'FAILED', ended_at = ?, expires_at = ?, error = ? ${current('FAILED')}`,
    ),
    state: database.prepare('SELECT state FROM jobs WHERE id = ?'),
    cancel: database.prepare(
      `UPDATE jobs SET state = 'FAILED', ended_at = ?, expires_at = ?, error = ?
       WHERE id = ? AND state IN (${states('FAILED')})`,
    ),
    requeue: database.prepare(requeue),
    running: database.prepare("SELECT id, attempts FROM jobs WHERE state = 'RUNNING' ORDER BY place"),
    get: database.prepare('SELECT * FROM jobs WHERE id = ?'),
    summary: database.prepare(`SELECT ${SUMMARY_COLUMNS} FROM jobs WHERE id = ?`),
    byKey: database.prepare(
      'SELECT id, state, request_hash FROM jobs WHERE owner = ? AND idempotency_key = ?',
    ),
    expired: database.prepare('SELECT id FROM jobs WHERE output_kept = 1 AND expires_at <= ? LIMIT ?'),
    markRemoved: database.prepare('UPDATE jobs SET output_kept = 0 WHERE id = ?'),
    old: database.prepare('SELECT id FROM jobs WHERE ended_at <= ? LIMIT ?'),
    delete: database.prepare('DELETE FROM jobs WHERE id = ?'),
    removeEnded: database.prepare(`DELETE FROM jobs WHERE id = ? AND state IN (${ended})`),
  };
}
