/**
 * The table of the embedded queue: its schema with the steps that led there, and its rows.
 *
 * Columns that a list or a question for the state needs come first and the texts of unbounded size last: SQLite walks
 * through all pages of a large value to reach the columns behind it.
 */
import type { Database } from '../engines/sqlite/database.ts';
import { failure, type PlainError } from '../errors.ts';
import type { Finding } from '../findings.ts';
import type { JobReport } from '../pipeline/report.ts';
import type { JobRequest } from '../pipeline/request.ts';
import type { Job, JobInput, JobState, JobSummary } from './job.ts';

/** The changes that lead from each version of the schema to the next, beginning with an empty database. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    place INTEGER NOT NULL,            -- order in the queue; a new one at each return to it
    attempts INTEGER NOT NULL DEFAULT 0,
    input_name TEXT NOT NULL,
    input_bytes INTEGER NOT NULL,
    request TEXT NOT NULL,             -- JSON ConversionRequest
    request_findings TEXT NOT NULL,    -- JSON Finding[]
    created_at INTEGER NOT NULL,       -- milliseconds since 1970, as all times
    started_at INTEGER,
    ended_at INTEGER,
    expires_at INTEGER,
    output_bytes INTEGER,
    output_media_type TEXT,
    output_name TEXT,
    output_kept INTEGER NOT NULL DEFAULT 0,
    report TEXT,                       -- JSON ConversionReport
    error TEXT,                        -- JSON PlainError
    idempotency_key TEXT UNIQUE,
    request_hash TEXT
  ) STRICT;
  CREATE INDEX jobs_waiting ON jobs (place) WHERE state = 'QUEUED';
  CREATE INDEX jobs_running ON jobs (id) WHERE state = 'RUNNING';
  CREATE INDEX jobs_expiry ON jobs (expires_at) WHERE output_kept = 1;
  CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;`,
  // Several input files to a job.
  `ALTER TABLE jobs ADD COLUMN inputs TEXT NOT NULL DEFAULT '[]'; -- JSON JobInput[]
  UPDATE jobs SET
    inputs = json_array(json_object('name', input_name, 'byteLength', input_bytes, 'fileIndex', 0)),
    request = json_set(json_remove(request, '$.input.crs'), '$.operation', 'transform', '$.input.files',
      json_array(json_object('crs', json_extract(request, '$.input.crs'), 'crsPath', 'input.epsg')));
  ALTER TABLE jobs DROP COLUMN input_name;
  ALTER TABLE jobs DROP COLUMN input_bytes;`,
  // Lists of jobs: what they show in columns of its own, and in an order that spares the large ones.
  `ALTER TABLE jobs RENAME TO old_jobs;
  CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    place INTEGER NOT NULL,            -- order in the queue; a new one at each return to it
    attempts INTEGER NOT NULL DEFAULT 0,
    operation TEXT NOT NULL,
    input_format TEXT NOT NULL,
    output_format TEXT,                -- null: an inspection
    warning_count INTEGER NOT NULL,
    created_at INTEGER NOT NULL,       -- milliseconds since 1970, as all times
    started_at INTEGER,
    ended_at INTEGER,
    expires_at INTEGER,
    output_bytes INTEGER,
    output_media_type TEXT,
    output_name TEXT,
    output_kept INTEGER NOT NULL DEFAULT 0,
    idempotency_key TEXT UNIQUE,
    request_hash TEXT,
    error TEXT,                        -- JSON PlainError
    inputs TEXT NOT NULL,              -- JSON JobInput[]
    request_findings TEXT NOT NULL,    -- JSON Finding[]
    request TEXT NOT NULL,             -- JSON JobRequest
    report TEXT                        -- JSON JobReport
  ) STRICT;
  INSERT INTO jobs SELECT id, state, place, attempts,
    json_extract(request, '$.operation'), json_extract(request, '$.input.format'),
    json_extract(request, '$.output.format'),
    coalesce(json_array_length(report, '$.warnings'), json_array_length(request_findings), 0),
    created_at, started_at, ended_at, expires_at, output_bytes, output_media_type, output_name, output_kept,
    idempotency_key, request_hash, error, inputs, request_findings, request, report FROM old_jobs;
  DROP TABLE old_jobs;
  CREATE INDEX jobs_waiting ON jobs (place) WHERE state = 'QUEUED';
  CREATE INDEX jobs_running ON jobs (id) WHERE state = 'RUNNING';
  CREATE INDEX jobs_expiry ON jobs (expires_at) WHERE output_kept = 1;
  CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX jobs_by_age ON jobs (created_at, id);
  CREATE INDEX jobs_by_kind ON jobs (operation, state, created_at, id);`,
];

export function bringUpToDate(database: Database, path: string): void {
  const found = database.userVersion;
  if (found === MIGRATIONS.length) return;
  if (found > MIGRATIONS.length)
    throw failure('INTERNAL', {
      reason: `${path} has schema version ${found}, this geomill knows ${MIGRATIONS.length}; use the geomill that wrote it`,
    });
  database.transaction(() => {
    for (const migration of MIGRATIONS.slice(found)) database.exec(migration);
    database.userVersion = MIGRATIONS.length;
  });
}

/** What a JobSummary is made of. */
export const SUMMARY_COLUMNS =
  'id, state, attempts, operation, input_format, output_format, warning_count, created_at, started_at, ended_at, ' +
  'expires_at, output_bytes, output_media_type, output_name, output_kept, error, inputs';

export interface SummaryRow {
  readonly id: string;
  readonly state: JobState;
  readonly attempts: number;
  readonly operation: JobRequest['operation'];
  readonly input_format: string;
  readonly output_format: string | null;
  readonly warning_count: number;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  readonly expires_at: number | null;
  readonly output_bytes: number | null;
  readonly output_media_type: string | null;
  readonly output_name: string | null;
  readonly output_kept: number;
  readonly error: string | null;
  readonly inputs: string;
}

export interface JobRow extends SummaryRow {
  readonly request_findings: string;
  readonly request: string;
  readonly report: string | null;
}

export function toSummary(row: SummaryRow): JobSummary {
  return {
    id: row.id,
    state: row.state,
    attempts: row.attempts,
    operation: row.operation,
    inputFormat: row.input_format,
    outputFormat: row.output_format,
    warningCount: row.warning_count,
    inputs: JSON.parse(row.inputs) as JobInput[],
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    expiresAt: row.expires_at,
    output:
      row.output_bytes === null
        ? null
        : {
            byteLength: row.output_bytes,
            mediaType: row.output_media_type ?? 'application/octet-stream',
            fileName: row.output_name ?? 'output',
          },
    outputKept: row.output_kept === 1,
    error: row.error === null ? null : (JSON.parse(row.error) as PlainError),
  };
}

export function toJob(row: JobRow): Job {
  let request: JobRequest | undefined;
  let report: JobReport | null | undefined;
  return {
    ...toSummary(row),
    requestFindings: JSON.parse(row.request_findings) as Finding[],
    // The polygons to clip by can be megabytes, and few of those who ask for a job have a use for them.
    get request() {
      request ??= JSON.parse(row.request) as JobRequest;
      return request;
    },
    get report() {
      if (report === undefined) report = row.report === null ? null : (JSON.parse(row.report) as JobReport);
      return report;
    },
  };
}
