/**
 * Steps of the schema of the queue in PostgreSQL: parts of running jobs, which any worker can run. They take turns with
 * jobs: an owner has as many runners as its jobs and parts that run. They do not count towards the limits of an owner.
 */
import { LEAST_CHARGE_MS, MAX_LEAD_MS } from './job-schema.ts';
import { NOW_MS } from './postgres-clock.ts';

export const PARTS_STEP = `CREATE TABLE parts (
  job text COLLATE "C" NOT NULL,
  fence bigint NOT NULL,             -- of the attempt at the job
  number integer NOT NULL,
  owner text NOT NULL,
  release text NOT NULL,             -- of geomill; others do not understand the task
  state text NOT NULL,               -- QUEUED; RUNNING; DONE; FAILED; OWN: by the runner of the job; ENDED: its job ended meanwhile
  place bigint NOT NULL,
  attempts integer NOT NULL DEFAULT 0, -- that count
  run bigint NOT NULL DEFAULT 0,     -- number of the latest run, counted or not; no number is given twice
  started_at bigint,
  worker text,                       -- as of jobs
  lease_until bigint,
  progress real NOT NULL DEFAULT 0,  -- from 0 to 1
  error text,                        -- JSON PlainError
  task text NOT NULL,                -- JSON PartTask
  PRIMARY KEY (job, fence, number)
) WITH (fillfactor = 70);
CREATE INDEX parts_waiting ON parts (owner, place, number) WHERE state = 'QUEUED';
CREATE INDEX parts_leased ON parts (lease_until) WHERE state IN ('RUNNING', 'ENDED');
ALTER TABLE owners ADD waiting_parts bigint NOT NULL DEFAULT 0, ADD running_parts bigint NOT NULL DEFAULT 0;

CREATE FUNCTION parts_come() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE owners SET waiting_parts = waiting_parts + n FROM
    (SELECT owner AS of, count(*) AS n FROM added GROUP BY owner) AS counted WHERE owner = of;
  RETURN NULL;
END $$;
CREATE TRIGGER parts_come AFTER INSERT ON parts REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION parts_come();

CREATE FUNCTION parts_go() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE owners SET waiting_parts = waiting_parts - q, running_parts = running_parts - r FROM
    (SELECT owner AS of, count(*) FILTER (WHERE state = 'QUEUED') AS q, count(*) FILTER (WHERE state = 'RUNNING') AS r
     FROM removed GROUP BY owner) AS counted WHERE owner = of AND q + r > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER parts_go AFTER DELETE ON parts REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION parts_go();

-- Runner time counts as that of jobs: see job_changes.
CREATE FUNCTION part_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  starts boolean := new.state = 'RUNNING' AND old.state <> 'RUNNING';
  ends boolean := old.state = 'RUNNING' AND new.state <> 'RUNNING';
  clock bigint;
BEGIN
  IF starts THEN
    UPDATE queue_clock SET clock_ms = used_ms FROM owners WHERE owner = new.owner AND used_ms > clock_ms;
  END IF;
  SELECT clock_ms INTO clock FROM queue_clock;
  UPDATE owners SET
    waiting_parts = waiting_parts + (new.state = 'QUEUED')::int - (old.state = 'QUEUED')::int,
    running_parts = running_parts + (new.state = 'RUNNING')::int - (old.state = 'RUNNING')::int,
    turn = CASE WHEN starts THEN nextval('owner_turns') ELSE turn END,
    used_ms = CASE
      WHEN starts THEN used_ms + ${LEAST_CHARGE_MS}
      WHEN ends THEN least(
        greatest(used_ms + greatest(0, ${NOW_MS} - old.started_at - ${LEAST_CHARGE_MS}), clock), clock + ${MAX_LEAD_MS})
      ELSE used_ms END
  WHERE owner = new.owner;
  RETURN NULL;
END $$;
CREATE TRIGGER part_changes AFTER UPDATE OF state ON parts FOR EACH ROW
  WHEN (old.state <> new.state) EXECUTE FUNCTION part_changes();

-- An attempt at a job ends with its parts, whatever ends it. Running parts are kept until their worker has stopped them.
CREATE FUNCTION attempt_ends() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM parts WHERE job = old.id AND state NOT IN ('RUNNING', 'ENDED');
  UPDATE parts SET state = 'ENDED' WHERE job = old.id AND state = 'RUNNING';
  RETURN NULL;
END $$;
-- Its name comes before job_changes: parts are always locked before their owner.
CREATE TRIGGER attempt_ends AFTER UPDATE OF state ON jobs FOR EACH ROW
  WHEN (old.state = 'RUNNING' AND new.state <> 'RUNNING') EXECUTE FUNCTION attempt_ends();
CREATE TRIGGER attempt_goes AFTER DELETE ON jobs FOR EACH ROW
  WHEN (old.state = 'RUNNING') EXECUTE FUNCTION attempt_ends();

-- The next part, if it is the turn of an owner that has one; none: claim_job says whose job is next.
CREATE FUNCTION claim_part(claiming_worker text, lease_ms bigint, claiming_release text) RETURNS SETOF parts
LANGUAGE plpgsql AS $$
DECLARE
  next_owner text;
BEGIN
  PERFORM pg_advisory_xact_lock('queue_clock'::regclass::oid::int, 1);
  SELECT owner INTO next_owner FROM owners AS o
    WHERE waiting > 0 OR waiting_parts > 0 AND EXISTS (
      SELECT FROM parts AS p WHERE p.owner = o.owner AND p.state = 'QUEUED' AND p.release = claiming_release)
    ORDER BY running + running_parts, used_ms, turn LIMIT 1;
  RETURN QUERY UPDATE parts SET state = 'RUNNING', attempts = attempts + 1, run = run + 1, progress = 0, worker = claiming_worker,
      started_at = ${NOW_MS}, lease_until = ${NOW_MS} + lease_ms
    WHERE state = 'QUEUED' AND (job, fence, number) = (
      SELECT p.job, p.fence, p.number FROM parts AS p
      WHERE p.owner = next_owner AND p.state = 'QUEUED' AND p.release = claiming_release
      ORDER BY p.place, p.number LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING *;
END $$;

CREATE OR REPLACE FUNCTION claim_job(now_ms bigint, claiming_worker text, lease_ms bigint) RETURNS SETOF jobs LANGUAGE plpgsql AS $$
DECLARE
  next_owner text;
  next_id text;
BEGIN
  PERFORM pg_advisory_xact_lock('queue_clock'::regclass::oid::int, 1);
  LOOP
    SELECT owner INTO next_owner FROM owners WHERE waiting > 0
      ORDER BY running + running_parts, used_ms, turn LIMIT 1;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT id INTO next_id FROM jobs WHERE state = 'QUEUED' AND owner = next_owner ORDER BY place LIMIT 1;
    RETURN QUERY UPDATE jobs SET state = 'RUNNING', attempts = attempts + 1, fence = fence + 1, started_at = now_ms,
        worker = claiming_worker, lease_until = ${NOW_MS} + lease_ms
      WHERE id = next_id AND state = 'QUEUED' RETURNING *;
    IF FOUND THEN RETURN; END IF;
  END LOOP;
END $$;
`;

/**
 * Ends the parts of an attempt. They are locked first: a statement does not see the rows that another transaction has changed and not committed
 * yet, so the part that was being finished or given back stayed as a row without a job.
 */
export const PARTS_END_STEP = `CREATE FUNCTION end_parts(ended_job text, ended_fence bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM parts WHERE job = ended_job AND fence = ended_fence ORDER BY number FOR UPDATE;
  IF FOUND THEN
    DELETE FROM parts WHERE job = ended_job AND fence = ended_fence AND state NOT IN ('RUNNING', 'ENDED');
    UPDATE parts SET state = 'ENDED' WHERE job = ended_job AND fence = ended_fence AND state = 'RUNNING';
  END IF;
END $$;
CREATE OR REPLACE FUNCTION attempt_ends() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM end_parts(old.id, old.fence);
  RETURN NULL;
END $$;
DELETE FROM parts WHERE state NOT IN ('RUNNING', 'ENDED') AND NOT EXISTS (
  SELECT FROM jobs WHERE id = parts.job AND fence = parts.fence AND state = 'RUNNING');`;
