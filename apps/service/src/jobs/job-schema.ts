/**
 * The schema of the embedded queue.
 *
 * Columns that lists and state queries need come first, and texts of unbounded size last: SQLite walks
 * through all pages of a large value to reach the columns after it.
 *
 * Triggers count the jobs and bytes of an owner. Alternatives rejected: counts in memory, which would have to be reverted
 * after each failed commit, and sums over the rows, whose cost grows with the number of rows.
 */
import type { SchemaHistory } from '@geomill/sqlite/migrations.ts';

/** Minimum runner time that a job counts for its owner: otherwise jobs of no length would always be first. */
export const LEAST_CHARGE_MS = 100;
/** Maximum runner time by which an owner can be behind others; more is not counted. */
export const MAX_LEAD_MS = 600_000;

/** The columns of version 5; those of later versions are after `warning_count`. */
const columnsOf = (
  name: string,
  afterWarnings = '',
  outputBytes = 'output_bytes',
): string => `CREATE TABLE ${name} (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,               -- account id; 'local' in an open service
    state TEXT NOT NULL,
    place INTEGER NOT NULL,            -- order among those of the owner that wait; a new one at each return to them
    attempts INTEGER NOT NULL DEFAULT 0, -- that count
    fence INTEGER NOT NULL DEFAULT 0,  -- number of the latest attempt, counted or not; no number is given twice
    operation TEXT NOT NULL,
    input_format TEXT NOT NULL,
    output_format TEXT,                -- null: an inspection
    warning_count INTEGER NOT NULL,${afterWarnings}
    created_at INTEGER NOT NULL,       -- milliseconds since 1970, as all times
    started_at INTEGER,
    ended_at INTEGER,
    expires_at INTEGER,
    ran_ms INTEGER NOT NULL DEFAULT 0, -- runner time of all attempts that are over
    record_bytes INTEGER NOT NULL,     -- of the texts below
    input_bytes INTEGER NOT NULL,      -- of all inputs; one that is fetched counts from the end of the job on
    output_bytes INTEGER,
    output_media_type TEXT,
    output_name TEXT,
    output_kept INTEGER NOT NULL DEFAULT 0,
    stored_bytes INTEGER NOT NULL GENERATED ALWAYS AS (record_bytes +
      CASE WHEN state IN ('QUEUED', 'RUNNING') THEN input_bytes WHEN output_kept = 1 THEN ${outputBytes} ELSE 0 END
    ) VIRTUAL,
    idempotency_key TEXT,
    request_hash TEXT,
    error TEXT,                        -- JSON PlainError
    inputs TEXT NOT NULL,              -- JSON JobInput[]
    request_findings TEXT NOT NULL,    -- JSON Finding[]
    request TEXT NOT NULL,             -- JSON JobRequest
    report TEXT                        -- JSON JobReport
  ) STRICT;`;

const INDEXES = `CREATE UNIQUE INDEX jobs_by_key ON jobs (owner, idempotency_key) WHERE idempotency_key IS NOT NULL;
  CREATE INDEX jobs_waiting ON jobs (owner, place) WHERE state = 'QUEUED';
  CREATE INDEX jobs_running ON jobs (id) WHERE state = 'RUNNING';
  CREATE INDEX jobs_expiry ON jobs (expires_at) WHERE output_kept = 1;
  CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX jobs_by_age ON jobs (created_at, id);
  CREATE INDEX jobs_by_kind ON jobs (operation, state, created_at, id);
  CREATE INDEX jobs_of_owner_by_age ON jobs (owner, created_at, id);
  CREATE INDEX jobs_of_owner_by_kind ON jobs (owner, operation, state, created_at, id);`;

const TRIGGERS = `CREATE TRIGGER job_comes AFTER INSERT ON jobs BEGIN
    UPDATE totals SET waiting = waiting + (new.state = 'QUEUED');
    INSERT INTO owners VALUES (new.owner, new.state = 'QUEUED', new.state = 'RUNNING', new.stored_bytes,
      (SELECT clock_ms FROM totals), (SELECT coalesce(max(turn), 0) + 1 FROM owners))
    ON CONFLICT (owner) DO UPDATE SET
      used_ms = iif(waiting + running = 0,
        (SELECT min(max(owners.used_ms, clock_ms), clock_ms + ${MAX_LEAD_MS}) FROM totals), used_ms),
      waiting = waiting + excluded.waiting, running = running + excluded.running,
      stored_bytes = stored_bytes + excluded.stored_bytes;
  END;
  CREATE TRIGGER job_changes AFTER UPDATE OF state, output_kept ON jobs BEGIN
    UPDATE totals SET
      waiting = waiting + (new.state = 'QUEUED') - (old.state = 'QUEUED'),
      clock_ms = iif(old.state = 'QUEUED' AND new.state = 'RUNNING',
        max(clock_ms, (SELECT used_ms FROM owners WHERE owner = new.owner)), clock_ms)
      WHERE new.state <> old.state;
    UPDATE owners SET
      waiting = waiting + (new.state = 'QUEUED') - (old.state = 'QUEUED'),
      running = running + (new.state = 'RUNNING') - (old.state = 'RUNNING'),
      stored_bytes = stored_bytes + new.stored_bytes - old.stored_bytes,
      turn = iif(new.state = 'RUNNING' AND old.state = 'QUEUED', (SELECT max(turn) + 1 FROM owners), turn),
      used_ms = CASE
        WHEN old.state = 'QUEUED' AND new.state = 'RUNNING' THEN used_ms + ${LEAST_CHARGE_MS}
        WHEN old.state = 'RUNNING' AND new.state <> 'RUNNING' THEN
          (SELECT min(max(owners.used_ms + max(0, new.ran_ms - old.ran_ms - ${LEAST_CHARGE_MS}), clock_ms),
            clock_ms + ${MAX_LEAD_MS}) FROM totals)
        ELSE used_ms END
    WHERE owner = new.owner;
  END;
  CREATE TRIGGER job_goes AFTER DELETE ON jobs BEGIN
    UPDATE totals SET waiting = waiting - (old.state = 'QUEUED');
    UPDATE owners SET
      waiting = waiting - (old.state = 'QUEUED'),
      running = running - (old.state = 'RUNNING'),
      stored_bytes = stored_bytes - old.stored_bytes
    WHERE owner = old.owner;
  END;`;

const SEVERITY_COUNTS = `
    changed_count INTEGER,             -- warnings of this severity; null: the job ended under version 5
    lost_count INTEGER,                -- the others are 'info'`;

const FINDINGS_BYTES = `
    findings_bytes INTEGER,            -- after the output, in its file; null: the job ended under version 7, or has not ended`;

/** All columns of version 5 that are not computed. */
const COPIED = `id, owner, state, place, attempts, fence, operation, input_format, output_format, warning_count, created_at,
      started_at, ended_at, expires_at, ran_ms, record_bytes, input_bytes, output_bytes, output_media_type,
      output_name, output_kept, idempotency_key, request_hash, error, inputs, request_findings, request, report`;

/** The same columns by the names and rules of version 4. */
const COPIED_FROM_4 = COPIED.replace(' fence,', ' attempts,')
  .replace(
    ' record_bytes,',
    ` octet_length(inputs) + octet_length(request_findings) + octet_length(request) +
      coalesce(octet_length(report), 0) + coalesce(octet_length(error), 0),`,
  )
  .replace(' ran_ms,', ' 0,');

const UPLOADS = `CREATE TABLE uploads (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    byte_length INTEGER,               -- null: not known yet
    offset_bytes INTEGER NOT NULL DEFAULT 0, -- the first bytes of the file, which are durable
    is_kept INTEGER NOT NULL DEFAULT 1, -- 0: expired
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    record_bytes INTEGER NOT NULL,     -- of name and metadata
    stored_bytes INTEGER NOT NULL GENERATED ALWAYS AS (record_bytes + is_kept * offset_bytes) VIRTUAL,
    metadata TEXT                      -- Upload-Metadata as the client sent it
  ) STRICT;
  CREATE INDEX uploads_by_age ON uploads (created_at, id) WHERE is_kept = 1;
  CREATE INDEX uploads_of_owner_by_age ON uploads (owner, created_at, id) WHERE is_kept = 1;
  CREATE INDEX uploads_expiry ON uploads (is_kept, expires_at);
  CREATE TRIGGER upload_comes AFTER INSERT ON uploads BEGIN
    INSERT INTO owners VALUES (new.owner, 0, 0, new.stored_bytes,
      (SELECT clock_ms FROM totals), (SELECT coalesce(max(turn), 0) + 1 FROM owners))
    ON CONFLICT (owner) DO UPDATE SET stored_bytes = stored_bytes + excluded.stored_bytes;
  END;
  CREATE TRIGGER upload_changes AFTER UPDATE OF offset_bytes, is_kept ON uploads BEGIN
    UPDATE owners SET stored_bytes = stored_bytes + new.stored_bytes - old.stored_bytes WHERE owner = new.owner;
  END;
  CREATE TRIGGER upload_goes AFTER DELETE ON uploads BEGIN
    UPDATE owners SET stored_bytes = stored_bytes - old.stored_bytes WHERE owner = old.owner;
  END;`;

const OWNERS = `CREATE TABLE owners (                -- kept by the triggers below: exact after whatever happens to a job
    owner TEXT PRIMARY KEY,
    waiting INTEGER NOT NULL,          -- jobs that are QUEUED
    running INTEGER NOT NULL,          -- jobs that are RUNNING
    stored_bytes INTEGER NOT NULL,     -- records, inputs of those, and outputs that are kept
    used_ms INTEGER NOT NULL,          -- runner time, as it counts for turns: see claim() in queue.ts
    turn INTEGER NOT NULL              -- of the last claim: the less, the longer ago
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX owners_next ON owners (running, used_ms, turn) WHERE waiting > 0;
  CREATE INDEX owners_by_turn ON owners (turn);
  CREATE TABLE totals (                -- one row
    waiting INTEGER NOT NULL,          -- jobs that are QUEUED
    clock_ms INTEGER NOT NULL          -- the largest used_ms with which an owner was given a runner
  ) STRICT;`;

/**
 * From version 4, that of 0.1.0: fences are never given twice, records count for their owner, and owners take turns by runner time.
 * The number of the last attempt is the last fence that was given.
 */
const FROM_VERSION_4 = `DROP TRIGGER job_comes; DROP TRIGGER job_changes; DROP TRIGGER job_goes;
  DROP TABLE owners;
  ${columnsOf('copied')}
  INSERT INTO copied (${COPIED})
  SELECT ${COPIED_FROM_4} FROM jobs;
  DROP TABLE jobs;
  ALTER TABLE copied RENAME TO jobs;
  ${INDEXES}
  ${OWNERS}
  INSERT INTO owners SELECT owner, sum(state = 'QUEUED'), sum(state = 'RUNNING'), sum(stored_bytes), 0, 1
    FROM jobs GROUP BY owner;
  INSERT INTO totals SELECT count(*), 0 FROM jobs WHERE state = 'QUEUED';
  ${TRIGGERS}`;

/** Versions 1 to 3 were never released. */
export const JOBS_SCHEMA: SchemaHistory = {
  firstVersion: 5,
  earlier: [FROM_VERSION_4],
  steps: [
    `${columnsOf('jobs')}
  ${INDEXES}
  ${OWNERS}
  INSERT INTO totals VALUES (0, 0);
  ${TRIGGERS}`,
    // Copied, because a new column would come after the report.
    `${columnsOf('copied', SEVERITY_COUNTS)}
  INSERT INTO copied (${COPIED}) SELECT ${COPIED} FROM jobs;
  DROP TABLE jobs;
  ALTER TABLE copied RENAME TO jobs;
  ${INDEXES}
  ${TRIGGERS}`,
    UPLOADS,
    `${columnsOf('copied', SEVERITY_COUNTS + FINDINGS_BYTES, 'output_bytes + coalesce(findings_bytes, 0)')}
  INSERT INTO copied (${COPIED}, changed_count, lost_count) SELECT ${COPIED}, changed_count, lost_count FROM jobs;
  DROP TABLE jobs;
  ALTER TABLE copied RENAME TO jobs;
  ${INDEXES}
  ${TRIGGERS}`,
    'ALTER TABLE uploads ADD COLUMN place TEXT', // what UploadRecord.place says; null: the store needs none
    'ALTER TABLE jobs ADD COLUMN trace TEXT', // NewJob.trace; read with the whole row only
  ],
};
