/** The statements of the embedded queue that change or find single jobs. */
import type { Database } from '@geomill/sqlite/database.ts';
import { isFinal, type JobState, jobStates, transitions } from './job.ts';
import { NEW_COLUMNS, QUEUE_FACTS } from './job-record.ts';
import { SUMMARY_COLUMNS } from './job-table.ts';

export type Statements = ReturnType<typeof prepareStatements>;

export function prepareStatements(database: Database) {
  const states = (target: JobState): string =>
    Object.entries(transitions)
      .filter(([, targets]) => (targets as readonly JobState[]).includes(target))
      .map(([from]) => `'${from}'`)
      .join(', ');
  /** Condition: the attempt with this fence is the latest; `fence` and `id` are the last two parameters. */
  const current = (target: JobState, id: number): string =>
    `WHERE id = ?${id} AND fence = ?${id + 1} AND state IN (${states(target)})`;
  // The system clock may have been set back.
  const ran = (now: number): string =>
    `ran_ms = ran_ms + iif(state = 'RUNNING', max(0, ?${now} - started_at), 0)`;
  const ended = jobStates.filter(isFinal).map((state) => `'${state}'`);
  return {
    insert: database.prepare(
      `INSERT INTO jobs (${NEW_COLUMNS}) VALUES (${NEW_COLUMNS.replace(/\w+/g, '?')})`,
    ),
    claim: database.prepare(
      `UPDATE jobs SET state = 'RUNNING', attempts = attempts + 1, fence = fence + 1, started_at = ?
       WHERE id = (SELECT id FROM jobs WHERE state = 'QUEUED' AND owner =
         (SELECT owner FROM owners WHERE waiting > 0 ORDER BY running, used_ms, turn LIMIT 1) ORDER BY place LIMIT 1)
       RETURNING *`,
    ),
    succeed: database.prepare(
      `UPDATE jobs SET state = 'SUCCESS', ${ran(1)}, ended_at = ?1, expires_at = ?2, output_bytes = ?3,
       output_media_type = ?4, output_name = ?5, report = ?6, record_bytes = record_bytes + octet_length(?6),
       warning_count = ?7, changed_count = ?8, lost_count = ?9, input_bytes = input_bytes + ?10, findings_bytes = ?11,
       output_kept = 1 ${current('SUCCESS', 12)}`,
    ),
    fail: database.prepare(
      `UPDATE jobs SET state = 'FAILED', ${ran(1)}, ended_at = ?1, expires_at = ?2, error = ?3,
       record_bytes = record_bytes + octet_length(?3) ${current('FAILED', 4)}`,
    ),
    state: database.prepare('SELECT state FROM jobs WHERE id = ?'),
    cancel: database.prepare(
      `UPDATE jobs SET state = 'FAILED', ${ran(1)}, ended_at = ?1, expires_at = ?2, error = ?3,
       record_bytes = record_bytes + octet_length(?3) WHERE id = ?4 AND state IN (${states('FAILED')})`,
    ),
    requeue: database.prepare(
      `UPDATE jobs SET state = 'QUEUED', ${ran(1)}, place = ?2, attempts = attempts - ?3 ${current('QUEUED', 4)}`,
    ),
    running: database.prepare("SELECT id, attempts, fence FROM jobs WHERE state = 'RUNNING' ORDER BY place"),
    length: database.prepare('SELECT waiting AS length FROM totals'),
    facts: database.prepare(`SELECT ${QUEUE_FACTS}`),
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
