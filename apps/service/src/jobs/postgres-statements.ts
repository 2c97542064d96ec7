/** Statements of each job in PostgreSQL, and those that every worker repeats: prepared, because there are many of them. */
import { NOT_SYNCED, SYNC } from '../postgres/database.ts';
import { Prepared } from '../postgres/prepared.ts';
import { type JobState, transitions } from './job.ts';
import { NEW_COLUMNS } from './job-record.ts';
import { NOW_MS } from './postgres-clock.ts';

/** Runner time of the attempt that ends; `$1` is the time. The clock of the database may have been set back. */
export const RAN = `ran_ms = ran_ms + CASE WHEN state = 'RUNNING' THEN greatest(0, $1 - started_at) ELSE 0 END`;
/** Attempts, as the parameters $1 and $2. */
const HELD = 'unnest((SELECT $1::text[]), (SELECT $2::bigint[])) AS held (id, fence)';
export const NO_LEASE = 'worker = NULL, lease_until = NULL';

/** Condition: the attempt with this fence is the latest and may change to `target`; id and fence are the parameters from `first` on. */
export function current(target: JobState, first: number): string {
  const states = Object.entries(transitions)
    .filter(([, targets]) => (targets as readonly JobState[]).includes(target))
    .map(([from]) => `'${from}'`);
  return `id = $${first} AND fence = $${first + 1} AND state IN (${states.join(', ')})`;
}

const columns = NEW_COLUMNS.split(', ');
/** Index among the values of a new row; the statement gives the place. */
export const PLACE = columns.indexOf('place');
const given = columns.toSpliced(PLACE, 1);
const integers = new Set(
  'warning_count, changed_count, lost_count, created_at, input_bytes, record_bytes'.split(', '),
);
const parameters = given.map((column, i) => `$${i + 1}${integers.has(column) ? '::bigint' : ''}`);
const next = given.length + 1;

/**
 * Parameters: the values of the row without its place; owner and idempotency key; the largest numbers of active jobs, stored bytes and
 * queued jobs with which there is room. In one statement, so that the owner is not locked while statements travel.
 */
export const ADD_IF_ROOM = new Prepared(
  `INSERT INTO jobs (${given.join(', ')}, place) SELECT ${parameters.join(', ')}, nextval('job_places')
   FROM owner_room($${next}, $${next + 1}) AS room, (SELECT ${NOT_SYNCED}) AS unsynced
   WHERE NOT is_known AND active <= $${next + 2} AND stored_bytes <= $${next + 3} AND queued < $${next + 4}`,
);

/** Parameters: time, worker, lease in milliseconds, channel. */
export const CLAIM = new Prepared('CALL claim_next($1, $2, $3, $4, NULL)');

/** Parameters: those of successRow; id and fence; stored bytes with which there is room. */
export const SUCCEED = new Prepared(
  `UPDATE jobs SET state = 'SUCCESS', ${RAN}, ${NO_LEASE}, ended_at = $1, expires_at = $2, output_bytes = $3,
     output_media_type = $4, output_name = $5, report = $6, record_bytes = record_bytes + octet_length($6),
     warning_count = $7, changed_count = $8, lost_count = $9, input_bytes = input_bytes + $10,
     findings_bytes = $11, output_kept = 1
   FROM output_room($12, $13) AS room, (SELECT ${NOT_SYNCED}) AS unsynced
   WHERE ${current('SUCCESS', 12)} AND room.stored_bytes <= $14`,
);

/** Makes earlier changes of the job durable. */
export const SYNC_JOB = new Prepared(`SELECT state, fence, ${SYNC} FROM jobs WHERE id = $1`);

/** The same, and tells the others. Parameters: id, channel and message. */
export const TELL_AND_SYNC_JOB = new Prepared('CALL tell_and_sync($1, $2, $3, NULL, NULL)');

export const GET = new Prepared('SELECT * FROM jobs WHERE id = $1');

/** Parameter: ids. */
export const STATES = new Prepared('SELECT id, state, attempts FROM jobs WHERE id = ANY($1)');

/** The attempts that are no longer current. Without a worker, the attempt itself has ended the job or given it back. */
export const LOST = new Prepared(
  `SELECT id, fence FROM ${HELD} WHERE NOT EXISTS
     (SELECT FROM jobs WHERE jobs.id = held.id AND jobs.fence = held.fence AND (state = 'RUNNING' OR worker IS NULL))`,
);

/** Parameters: attempts, lease in milliseconds. */
export const EXTEND = new Prepared(
  `UPDATE jobs SET lease_until = ${NOW_MS} + $3 FROM ${HELD}, (SELECT ${NOT_SYNCED}) AS unsynced
   WHERE jobs.id = held.id AND jobs.fence = held.fence AND state = 'RUNNING'`,
);

/** Parameters: task, interval. */
export const TAKE_TURN = new Prepared(
  `INSERT INTO turns SELECT $1, ${NOW_MS}
   WHERE NOT EXISTS (SELECT FROM turns WHERE task = $1 AND taken_at > ${NOW_MS} - $2::bigint)
   ON CONFLICT (task) DO UPDATE SET taken_at = excluded.taken_at
   WHERE turns.taken_at <= excluded.taken_at - $2::bigint`,
);

/** Whether jobs wait, and whether parts do. */
export const HAS_WORK = new Prepared(
  `SELECT EXISTS (SELECT FROM owners WHERE waiting > 0) AS jobs, EXISTS (SELECT FROM parts WHERE state = 'QUEUED') AS parts`,
);

/** Of an owner and the whole queue. */
export const HOLDINGS = new Prepared(
  `SELECT coalesce(waiting, 0) AS waiting, coalesce(running, 0) AS running,
     coalesce(stored_bytes, 0) AS "storedBytes", queued
   FROM (SELECT coalesce(sum(waiting), 0) AS queued FROM owners WHERE waiting > 0) AS totals
     LEFT JOIN owners ON owner = $1`,
);

/** Parameters: channel, message. */
export const NOTIFY = new Prepared(`SELECT pg_notify($1, $2), ${NOT_SYNCED}`);
