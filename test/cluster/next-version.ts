/** Imported before geomill starts: makes it the next version, whose jobs have one more step of their schema. Its kinds of change are those that CONTRIBUTING.md allows. */
import { POSTGRES_JOBS } from '../../apps/service/src/jobs/postgres-schema.ts';

(POSTGRES_JOBS.steps as string[]).push(`
-- Fails if it is run twice.
CREATE TABLE added_by_next_version (id text PRIMARY KEY);
ALTER TABLE jobs ADD COLUMN priority integer NOT NULL DEFAULT 0;
ALTER TABLE uploads ADD COLUMN note text;
CREATE INDEX jobs_by_priority ON jobs (priority) WHERE state = 'QUEUED';
CREATE FUNCTION priority_of(job text) RETURNS integer LANGUAGE sql AS 'SELECT priority FROM jobs WHERE id = job';
-- As long as a change of a large table.
SELECT pg_sleep(1);`);
