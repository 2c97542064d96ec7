/**
 * The embedded queue: one table in SQLite.
 *
 * fsyncs per job: one when the row is committed (before the client gets its 202) and one when it ends. The step to
 * RUNNING is committed without: losing it to a power failure only means that an attempt was not counted. Changes that
 * come in the same turn of the event loop share their commit.
 */
import { Database, type SqlValue, type Statement } from '../engines/sqlite/database.ts';
import { failure, type PlainError } from '../errors.ts';
import type { Finding } from '../findings.ts';
import type { ConversionReport } from '../pipeline/report.ts';
import type { JobRequest } from '../pipeline/request.ts';
import { GroupCommit } from './group-commit.ts';
import {
  type Idempotency,
  type Job,
  type JobInput,
  type JobOutput,
  type JobState,
  type NewJob,
  transitions,
} from './job.ts';
import type { Claim, EnqueueResult, JobQueue } from './queue.ts';

/** The changes that lead from each version of the schema to the next, beginning with an empty database. */
const MIGRATIONS: readonly string[] = [
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
];

interface JobRow {
  readonly id: string;
  readonly state: JobState;
  readonly attempts: number;
  readonly inputs: string;
  readonly request: string;
  readonly request_findings: string;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  readonly expires_at: number | null;
  readonly output_bytes: number | null;
  readonly output_media_type: string | null;
  readonly output_name: string | null;
  readonly output_kept: number;
  readonly report: string | null;
  readonly error: string | null;
}

export interface SqliteQueueOptions {
  readonly path: string;
  readonly maxLength: number;
  /** Named in QUEUE_FULL: when a client may try again. */
  readonly retryAfterSeconds: number;
}

export class SqliteQueue implements JobQueue {
  readonly #durable: Database;
  /** Second connection to the same file, whose commits do not wait for the disk. */
  readonly #relaxed: Database;
  readonly #commits: GroupCommit;
  readonly #options: SqliteQueueOptions;
  readonly #statements: Statements;
  #length: number;
  #lastPlace: number;

  constructor(options: SqliteQueueOptions) {
    this.#options = options;
    this.#durable = new Database(options.path, { synchronous: 'FULL' });
    bringUpToDate(this.#durable, options.path);
    this.#commits = new GroupCommit(this.#durable);
    this.#relaxed = new Database(options.path, { synchronous: 'NORMAL' });
    this.#statements = prepareStatements(this.#durable, this.#relaxed);
    const facts = this.#durable
      .prepare(
        "SELECT (SELECT count(*) FROM jobs WHERE state = 'QUEUED') AS length, (SELECT coalesce(max(place), 0) FROM jobs) AS place",
      )
      .get<{ length: number; place: number }>();
    this.#length = facts?.length ?? 0;
    this.#lastPlace = facts?.place ?? 0;
  }

  async enqueue(job: NewJob): Promise<EnqueueResult> {
    let inserted = 0;
    try {
      return await this.#commits.run(() => {
        const earlier = job.idempotency === null ? null : this.#findByKey(job.idempotency);
        if (earlier !== null) return earlier;
        if (this.#length >= this.#options.maxLength)
          throw failure('QUEUE_FULL', { length: this.#length, seconds: this.#options.retryAfterSeconds });
        this.#insert(job);
        // Counted before the commit, for the next job of the same commit.
        inserted = 1;
        this.#length += 1;
        return { id: job.id, state: 'QUEUED', added: true };
      });
    } catch (error) {
      this.#length -= inserted;
      throw error;
    }
  }

  async claim(): Promise<Claim | null> {
    if (this.#length === 0) return null;
    const row = this.#statements.claim.get<JobRow>(Date.now());
    if (row === undefined) return null;
    this.#length -= 1;
    return { job: toJob(row), attempt: row.attempts };
  }

  async succeed(claim: Claim, output: JobOutput, reportJson: string, expiresAt: number): Promise<boolean> {
    const { byteLength, mediaType, fileName } = output;
    const values = [Date.now(), expiresAt, byteLength, mediaType, fileName, reportJson];
    return this.#commits.run(() => this.#change(this.#statements.succeed, claim, values));
  }

  async fail(claim: Claim, error: PlainError, expiresAt: number): Promise<boolean> {
    const values = [Date.now(), expiresAt, JSON.stringify(error)];
    return this.#commits.run(() => this.#change(this.#statements.fail, claim, values));
  }

  async requeue(claim: Claim, uncounted: boolean): Promise<boolean> {
    this.#lastPlace += 1;
    const done = this.#change(this.#statements.requeue, claim, [this.#lastPlace, uncounted ? 1 : 0]);
    if (done) this.#length += 1;
    return done;
  }

  async recover(maxAttempts: number, expiresAt: number): Promise<{ requeued: number; failed: number }> {
    const running = this.#durable
      .prepare("SELECT id, attempts FROM jobs WHERE state = 'RUNNING' ORDER BY place")
      .all<{ id: string; attempts: number }>();
    let failed = 0;
    this.#durable.transaction(() => {
      for (const { id, attempts } of running) {
        if (attempts >= maxAttempts) {
          const reason = 'the service itself ended during the last one';
          const error: PlainError = { code: 'JOB_ATTEMPTS_EXHAUSTED', params: { attempts, reason } };
          this.#statements.fail.run(Date.now(), expiresAt, JSON.stringify(error), id, attempts);
          failed += 1;
        } else {
          this.#lastPlace += 1;
          this.#length += this.#statements.requeueDurably.run(this.#lastPlace, 0, id, attempts).changes;
        }
      }
    });
    return { requeued: running.length - failed, failed };
  }

  async get(id: string): Promise<Job | null> {
    const row = this.#statements.get.get<JobRow>(id);
    return row === undefined ? null : toJob(row);
  }

  length(): number {
    return this.#length;
  }

  async expiredOutputs(now: number, limit: number): Promise<readonly string[]> {
    return this.#statements.expired.all<{ id: string }>(now, limit).map((row) => row.id);
  }

  async markOutputRemoved(id: string): Promise<void> {
    this.#statements.markRemoved.run(id);
  }

  async oldRecords(endedBefore: number, limit: number): Promise<readonly string[]> {
    return this.#statements.old.all<{ id: string }>(endedBefore, limit).map((row) => row.id);
  }

  async deleteRecord(id: string): Promise<void> {
    this.#statements.delete.run(id);
  }

  async close(): Promise<void> {
    this.#commits.flush();
    this.#relaxed.close();
    this.#durable.close();
  }

  #change(statement: Statement, claim: Claim, values: SqlValue[]): boolean {
    return statement.run(...values, claim.job.id, claim.attempt).changes === 1;
  }

  #insert(job: NewJob): void {
    this.#lastPlace += 1;
    this.#statements.insert.run(
      job.id,
      this.#lastPlace,
      JSON.stringify(job.inputs),
      JSON.stringify(job.request),
      JSON.stringify(job.requestFindings),
      Date.now(),
      job.idempotency?.key ?? null,
      job.idempotency?.requestHash ?? null,
    );
  }

  #findByKey({ key, requestHash }: Idempotency): EnqueueResult | null {
    const row = this.#statements.byKey.get<{ id: string; state: JobState; request_hash: string }>(key);
    if (row === undefined) return null;
    if (row.request_hash !== requestHash) throw failure('IDEMPOTENCY_CONFLICT', { key });
    return { id: row.id, state: row.state, added: false };
  }
}

type Statements = ReturnType<typeof prepareStatements>;

function prepareStatements(durable: Database, relaxed: Database) {
  const states = (target: JobState): string =>
    Object.entries(transitions)
      .filter(([, targets]) => (targets as readonly JobState[]).includes(target))
      .map(([from]) => `'${from}'`)
      .join(', ');
  // `attempts` in the condition is the fence of Claim.
  const current = (target: JobState): string =>
    `WHERE id = ? AND attempts = ? AND state IN (${states(target)})`;
  const requeue = `UPDATE jobs SET state = 'QUEUED', place = ?, attempts = attempts - ? ${current('QUEUED')}`;
  return {
    insert: durable.prepare(
      `INSERT INTO jobs (id, state, place, inputs, request, request_findings, created_at,
       idempotency_key, request_hash) VALUES (?, 'QUEUED', ?, ?, ?, ?, ?, ?, ?)`,
    ),
    claim: relaxed.prepare(
      `UPDATE jobs SET state = 'RUNNING', attempts = attempts + 1, started_at = ?
       WHERE id = (SELECT id FROM jobs WHERE state = 'QUEUED' ORDER BY place LIMIT 1) RETURNING *`,
    ),
    succeed: durable.prepare(
      `UPDATE jobs SET state = 'SUCCESS', ended_at = ?, expires_at = ?, output_bytes = ?, output_media_type = ?,
       output_name = ?, report = ?, output_kept = 1 ${current('SUCCESS')}`,
    ),
    fail: durable.prepare(
      `UPDATE jobs SET state = 'FAILED', ended_at = ?, expires_at = ?, error = ? ${current('FAILED')}`,
    ),
    requeue: relaxed.prepare(requeue),
    /** For a transaction of the durable connection; the other one would wait for its lock. */
    requeueDurably: durable.prepare(requeue),
    get: relaxed.prepare('SELECT * FROM jobs WHERE id = ?'),
    byKey: durable.prepare('SELECT id, state, request_hash FROM jobs WHERE idempotency_key = ?'),
    expired: relaxed.prepare('SELECT id FROM jobs WHERE output_kept = 1 AND expires_at <= ? LIMIT ?'),
    markRemoved: relaxed.prepare('UPDATE jobs SET output_kept = 0 WHERE id = ?'),
    old: relaxed.prepare('SELECT id FROM jobs WHERE ended_at <= ? LIMIT ?'),
    delete: relaxed.prepare('DELETE FROM jobs WHERE id = ?'),
  };
}

function bringUpToDate(database: Database, path: string): void {
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

function toJob(row: JobRow): Job {
  let request: JobRequest | undefined;
  return {
    id: row.id,
    state: row.state,
    attempts: row.attempts,
    inputs: JSON.parse(row.inputs) as JobInput[],
    // The polygons to clip by can be megabytes, and whoever asks for the state of a job has no use for them.
    get request() {
      request ??= JSON.parse(row.request) as JobRequest;
      return request;
    },
    requestFindings: JSON.parse(row.request_findings) as Finding[],
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
    report: row.report === null ? null : (JSON.parse(row.report) as ConversionReport),
    error: row.error === null ? null : (JSON.parse(row.error) as PlainError),
  };
}
