/**
 * The schema of the queue in PostgreSQL: the columns of the embedded one (job-schema.ts) and the lease of the worker that runs a
 * job. Triggers count the jobs and bytes of an owner, as there.
 *
 * There is no counter of all waiting jobs: every new job would wait for the commit of the one before. The sum over the owners
 * is as good.
 */
import type { PostgresHistory } from '../postgres/database.ts';
import { LEAST_CHARGE_MS, MAX_LEAD_MS } from './job-schema.ts';
import { NOW_MS } from './postgres-clock.ts';
import { PARTS_END_STEP, PARTS_STEP } from './postgres-parts-schema.ts';

export const POSTGRES_JOBS: PostgresHistory = {
  name: 'jobs',
  steps: [
    `CREATE SEQUENCE job_places;
CREATE SEQUENCE owner_turns;
CREATE TABLE jobs (
  id text COLLATE "C" PRIMARY KEY,
  owner text NOT NULL,
  state text NOT NULL,
  place bigint NOT NULL,             -- order among those of the owner that wait; a new one at each return to them
  attempts integer NOT NULL DEFAULT 0, -- that count
  fence bigint NOT NULL DEFAULT 0,   -- number of the latest attempt, counted or not; no number is given twice
  operation text NOT NULL,
  input_format text NOT NULL,
  output_format text,                -- null: an inspection
  warning_count integer NOT NULL,
  changed_count integer,
  lost_count integer,
  findings_bytes bigint,
  created_at bigint NOT NULL,        -- milliseconds since 1970, as all times
  started_at bigint,
  ended_at bigint,
  expires_at bigint,
  ran_ms bigint NOT NULL DEFAULT 0,
  record_bytes bigint NOT NULL,
  input_bytes bigint NOT NULL,
  output_bytes bigint,
  output_media_type text,
  output_name text,
  output_kept smallint NOT NULL DEFAULT 0,
  stored_bytes bigint NOT NULL GENERATED ALWAYS AS (record_bytes +
    CASE WHEN state IN ('QUEUED', 'RUNNING') THEN input_bytes
      WHEN output_kept = 1 THEN output_bytes + coalesce(findings_bytes, 0) ELSE 0 END) STORED,
  idempotency_key text,
  request_hash text,
  worker text,                       -- that has the latest attempt; null: none has
  lease_until bigint,                -- by the clock of the database: then another worker may take the job
  error text,                        -- JSON PlainError
  inputs text NOT NULL,              -- JSON JobInput[]
  request_findings text NOT NULL,    -- JSON Finding[]
  request text NOT NULL,             -- JSON JobRequest
  report text                        -- JSON JobReport
);
CREATE UNIQUE INDEX jobs_by_key ON jobs (owner, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX jobs_waiting ON jobs (owner, place) WHERE state = 'QUEUED';
CREATE INDEX jobs_running ON jobs (lease_until) WHERE state = 'RUNNING';
CREATE INDEX jobs_expiry ON jobs (expires_at) WHERE output_kept = 1;
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX jobs_by_age ON jobs (created_at, id);
CREATE INDEX jobs_of_owner_by_age ON jobs (owner, created_at, id);

CREATE TABLE owners (                -- kept by the triggers below: exact after whatever happens to a job
  owner text PRIMARY KEY,
  waiting bigint NOT NULL,           -- jobs that are QUEUED
  running bigint NOT NULL,           -- jobs that are RUNNING
  stored_bytes bigint NOT NULL,
  used_ms bigint NOT NULL,           -- runner time, as it counts for turns: see claim() in queue.ts
  turn bigint NOT NULL               -- of the last claim: the less, the longer ago
) WITH (fillfactor = 50);
CREATE TABLE queue_clock (           -- one row
  clock_ms bigint NOT NULL           -- the largest used_ms with which an owner was given a runner
) WITH (fillfactor = 50);
INSERT INTO queue_clock VALUES (0);

CREATE FUNCTION job_comes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  clock bigint := (SELECT clock_ms FROM queue_clock);
BEGIN
  INSERT INTO owners AS o VALUES (new.owner, (new.state = 'QUEUED')::int, (new.state = 'RUNNING')::int,
    new.stored_bytes, clock, nextval('owner_turns'))
  ON CONFLICT (owner) DO UPDATE SET
    used_ms = CASE WHEN o.waiting + o.running = 0
      THEN least(greatest(o.used_ms, clock), clock + ${MAX_LEAD_MS}) ELSE o.used_ms END,
    waiting = o.waiting + excluded.waiting, running = o.running + excluded.running,
    stored_bytes = o.stored_bytes + excluded.stored_bytes;
  RETURN NULL;
END $$;
CREATE TRIGGER job_comes AFTER INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION job_comes();

CREATE FUNCTION job_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  starts boolean := old.state = 'QUEUED' AND new.state = 'RUNNING';
  ends boolean := old.state = 'RUNNING' AND new.state <> 'RUNNING';
  clock bigint;
BEGIN
  IF starts THEN
    UPDATE queue_clock SET clock_ms = used_ms FROM owners WHERE owner = new.owner AND used_ms > clock_ms;
  END IF;
  SELECT clock_ms INTO clock FROM queue_clock;
  UPDATE owners SET
    waiting = waiting + (new.state = 'QUEUED')::int - (old.state = 'QUEUED')::int,
    running = running + (new.state = 'RUNNING')::int - (old.state = 'RUNNING')::int,
    stored_bytes = stored_bytes + new.stored_bytes - old.stored_bytes,
    turn = CASE WHEN starts THEN nextval('owner_turns') ELSE turn END,
    used_ms = CASE
      WHEN starts THEN used_ms + ${LEAST_CHARGE_MS}
      WHEN ends THEN least(
        greatest(used_ms + greatest(0, new.ran_ms - old.ran_ms - ${LEAST_CHARGE_MS}), clock), clock + ${MAX_LEAD_MS})
      ELSE used_ms END
  WHERE owner = new.owner;
  RETURN NULL;
END $$;
CREATE TRIGGER job_changes AFTER UPDATE OF state, output_kept ON jobs FOR EACH ROW EXECUTE FUNCTION job_changes();

CREATE FUNCTION job_goes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE owners SET waiting = waiting - (old.state = 'QUEUED')::int,
    running = running - (old.state = 'RUNNING')::int, stored_bytes = stored_bytes - old.stored_bytes
  WHERE owner = old.owner;
  RETURN NULL;
END $$;
CREATE TRIGGER job_goes AFTER DELETE ON jobs FOR EACH ROW EXECUTE FUNCTION job_goes();

-- The next job, whose turn it is. One claim at a time, so that the order of owners is that of one machine; a job that is
-- cancelled meanwhile is passed over. A function, so that the lock is not held while statements travel.
CREATE FUNCTION claim_job(now_ms bigint, claiming_worker text, lease_ms bigint) RETURNS SETOF jobs LANGUAGE plpgsql AS $$
DECLARE
  next_owner text;
  next_id text;
BEGIN
  PERFORM pg_advisory_xact_lock('queue_clock'::regclass::oid::int, 1);
  LOOP
    SELECT owner INTO next_owner FROM owners WHERE waiting > 0 ORDER BY running, used_ms, turn LIMIT 1;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT id INTO next_id FROM jobs WHERE state = 'QUEUED' AND owner = next_owner ORDER BY place LIMIT 1;
    RETURN QUERY UPDATE jobs SET state = 'RUNNING', attempts = attempts + 1, fence = fence + 1, started_at = now_ms,
        worker = claiming_worker, lease_until = ${NOW_MS} + lease_ms
      WHERE id = next_id AND state = 'QUEUED' RETURNING *;
    IF FOUND THEN RETURN; END IF;
  END LOOP;
END $$;

CREATE TABLE uploads (
  id text COLLATE "C" PRIMARY KEY,
  owner text NOT NULL,
  name text NOT NULL,
  byte_length bigint,                -- null: not known yet
  offset_bytes bigint NOT NULL DEFAULT 0, -- the first bytes of the file, which are durable
  is_kept smallint NOT NULL DEFAULT 1, -- 0: expired
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  record_bytes bigint NOT NULL,
  stored_bytes bigint NOT NULL GENERATED ALWAYS AS (record_bytes + is_kept * offset_bytes) STORED,
  metadata text,
  place text                         -- what UploadRecord.place says; null: the store needs none
);
CREATE INDEX uploads_by_age ON uploads (created_at, id) WHERE is_kept = 1;
CREATE INDEX uploads_of_owner_by_age ON uploads (owner, created_at, id) WHERE is_kept = 1;
CREATE INDEX uploads_expiry ON uploads (is_kept, expires_at);

CREATE FUNCTION upload_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  clock bigint := (SELECT clock_ms FROM queue_clock);
BEGIN
  IF tg_op = 'INSERT' THEN
    INSERT INTO owners AS o VALUES (new.owner, 0, 0, new.stored_bytes, clock, nextval('owner_turns'))
    ON CONFLICT (owner) DO UPDATE SET stored_bytes = o.stored_bytes + excluded.stored_bytes;
  ELSIF tg_op = 'UPDATE' THEN
    UPDATE owners SET stored_bytes = stored_bytes + new.stored_bytes - old.stored_bytes WHERE owner = new.owner;
  ELSE
    UPDATE owners SET stored_bytes = stored_bytes - old.stored_bytes WHERE owner = old.owner;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER upload_bytes AFTER INSERT OR UPDATE OR DELETE ON uploads FOR EACH ROW EXECUTE FUNCTION upload_bytes();`,
    `CREATE INDEX jobs_of_worker ON jobs (worker) WHERE state = 'RUNNING';

-- The lock of claims is released before the disk has the commit, and the caller gets the job after that (see database.ts).
CREATE PROCEDURE claim_next(now_ms bigint, claiming_worker text, lease_ms bigint, channel text, INOUT claimed json)
LANGUAGE plpgsql AS $$
BEGIN
  -- Without the lock: many workers ask when few jobs wait.
  IF NOT EXISTS (SELECT FROM owners WHERE waiting > 0) THEN
    RETURN;
  END IF;
  SET LOCAL synchronous_commit = off;
  SELECT to_json(job) INTO claimed FROM claim_job(now_ms, claiming_worker, lease_ms) AS job;
  IF claimed IS NULL THEN
    RETURN;
  END IF;
  PERFORM pg_notify(channel, claiming_worker || E'\\nchanged ' || (claimed->>'id'));
  COMMIT;
  PERFORM pg_logical_emit_message(true, 'geomill', '');
END $$;

CREATE TABLE turns (                 -- of the processes at what one of them does for all
  task text PRIMARY KEY,
  taken_at bigint NOT NULL           -- by the clock of the database
);

-- What an owner and the whole queue hold; exact until the end of the transaction, which has the owner locked.
CREATE FUNCTION owner_room(of_owner text, with_key text)
RETURNS TABLE (active bigint, stored_bytes bigint, queued bigint, is_known boolean) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM owners WHERE owner = of_owner FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO owners SELECT of_owner, 0, 0, 0, clock_ms, nextval('owner_turns') FROM queue_clock ON CONFLICT DO NOTHING;
    PERFORM FROM owners WHERE owner = of_owner FOR UPDATE;
  END IF;
  RETURN QUERY SELECT o.waiting + o.running, o.stored_bytes,
      (SELECT coalesce(sum(waiting), 0)::bigint FROM owners WHERE waiting > 0),
      with_key IS NOT NULL AND EXISTS (SELECT FROM jobs WHERE owner = of_owner AND idempotency_key = with_key)
    FROM owners o WHERE o.owner = of_owner;
END $$;

-- The same for the output of an attempt; the job, which is locked first, is the owner's. No row: the attempt is outdated.
CREATE FUNCTION output_room(of_job text, of_fence bigint) RETURNS TABLE (stored_bytes bigint) LANGUAGE plpgsql AS $$
DECLARE
  job jobs;
BEGIN
  SELECT * INTO job FROM jobs WHERE id = of_job AND fence = of_fence AND state = 'RUNNING' FOR UPDATE;
  IF FOUND THEN
    RETURN QUERY SELECT o.stored_bytes - job.input_bytes FROM owners o WHERE o.owner = job.owner FOR UPDATE;
  END IF;
END $$;`,
    'ALTER TABLE jobs ADD COLUMN trace text', // NewJob.trace
    PARTS_STEP,
    // A NOTIFY holds a lock of the whole server until its commit ends. Nobody waits for it who holds the lock of claims or an owner.
    `CREATE OR REPLACE PROCEDURE claim_next(now_ms bigint, claiming_worker text, lease_ms bigint, channel text, INOUT claimed json)
LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM owners WHERE waiting > 0) THEN
    RETURN;
  END IF;
  SET LOCAL synchronous_commit = off;
  SELECT to_json(job) INTO claimed FROM claim_job(now_ms, claiming_worker, lease_ms) AS job;
  IF claimed IS NULL THEN
    RETURN;
  END IF;
  COMMIT;
  SET LOCAL synchronous_commit = off;
  PERFORM pg_notify(channel, claiming_worker || E'\\nchanged ' || (claimed->>'id'));
  COMMIT;
  PERFORM pg_logical_emit_message(true, 'geomill', '');
END $$;

-- Tells of a change that was committed, and makes it durable. Returns what the job is now.
CREATE PROCEDURE tell_and_sync(job text, channel text, message text, INOUT state text, INOUT fence bigint)
LANGUAGE plpgsql AS $$
BEGIN
  SET LOCAL synchronous_commit = off;
  PERFORM pg_notify(channel, message);
  COMMIT;
  PERFORM pg_logical_emit_message(true, 'geomill', '');
  SELECT j.state, j.fence INTO state, fence FROM jobs j WHERE j.id = job;
END $$;

-- Few jobs have parts.
CREATE OR REPLACE FUNCTION attempt_ends() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM parts WHERE job = old.id) THEN
    DELETE FROM parts WHERE job = old.id AND state NOT IN ('RUNNING', 'ENDED');
    UPDATE parts SET state = 'ENDED' WHERE job = old.id AND state = 'RUNNING';
  END IF;
  RETURN NULL;
END $$;

-- Each job leaves four dead versions: they are removed before a large table has a fifth of them, which is the default.
ALTER TABLE jobs SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000,
  autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1);
ALTER TABLE parts SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);`,
    PARTS_END_STEP,
  ],
};
