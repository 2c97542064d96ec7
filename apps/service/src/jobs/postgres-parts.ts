/** Parts of running jobs in PostgreSQL. Triggers (postgres-parts-schema.ts) count them for their owners and end them with their jobs. */
import type { PlainError } from '@geomill/core/messages/errors.ts';
import { NOT_SYNCED, type PostgresDatabase } from '../postgres/database.ts';
import { attemptsExhausted, errorText } from './job-record.ts';
import type { ClaimedPart, PartAttempt, PartQueue, PartState, PartStateName, PartTask } from './parts.ts';
import { NOW_MS } from './postgres-clock.ts';
import type { PostgresNews } from './postgres-news.ts';
import type { AttemptId } from './queue.ts';

export interface PostgresPartsOptions {
  readonly worker: string;
  readonly leaseMs: number;
  /** Of this geomill: only workers of the same release run its parts. */
  readonly release: string;
}

interface PartRow {
  readonly job: string;
  readonly fence: number;
  readonly number: number;
  readonly run: number;
  readonly attempts: number;
  readonly task: string;
}

const NO_LEASE = 'worker = NULL, lease_until = NULL';
const OF_ATTEMPT = 'job = $1 AND fence = $2';
/** The run of a part that is named by $1 to $4 and is the current one. */
const CURRENT = `${OF_ATTEMPT} AND number = $3 AND run = $4 AND state = 'RUNNING'`;

/** Runs of parts, as parameters from $1 on. */
const HELD = `unnest($1::text[], $2::bigint[], $3::int[], $4::bigint[]) WITH ORDINALITY AS held (job, fence, number, run, index)`;
const SAME_RUN =
  '(parts.job, parts.fence, parts.number, parts.run) = (held.job, held.fence, held.number, held.run)';

function columnsOf(attempts: readonly PartAttempt[]): readonly unknown[] {
  return [
    attempts.map(({ id }) => id),
    attempts.map(({ fence }) => fence),
    attempts.map(({ part }) => part.number),
    attempts.map(({ part }) => part.run),
  ];
}

export class PostgresParts implements PartQueue {
  readonly #database: PostgresDatabase;
  readonly #options: PostgresPartsOptions;
  readonly #news: PostgresNews;

  constructor(database: PostgresDatabase, options: PostgresPartsOptions, news: PostgresNews) {
    this.#database = database;
    this.#options = options;
    this.#news = news;
  }

  async add({ id, fence }: AttemptId, first: number, tasks: readonly PartTask[]): Promise<boolean> {
    const isCurrent = await this.#database.transaction(async (statements) => {
      const [job] = await statements.rows<{ owner: string }>(
        "SELECT owner FROM jobs WHERE id = $1 AND fence = $2 AND state = 'RUNNING' FOR UPDATE",
        [id, fence],
      );
      if (job === undefined) return false;
      await statements.run(
        `INSERT INTO parts (job, fence, number, owner, release, state, place, task)
         SELECT $1, $2, $3 + index - 1, $4, $5, 'QUEUED', place, task
         FROM unnest($6::text[]) WITH ORDINALITY AS tasks (task, index), (SELECT nextval('job_places') AS place) AS places`,
        [id, fence, first, job.owner, this.#options.release, tasks.map((task) => JSON.stringify(task))],
      );
      return true;
    });
    if (isCurrent) this.#news.queued();
    return isCurrent;
  }

  async of({ id, fence }: AttemptId): Promise<readonly PartState[]> {
    const rows = await this.#database.rows<{
      number: number;
      run: number;
      state: PartStateName;
      progress: number;
      error: string | null;
    }>(`SELECT number, run, state, progress, error FROM parts WHERE ${OF_ATTEMPT} ORDER BY number`, [
      id,
      fence,
    ]);
    return rows.map(({ error, ...row }) => ({
      ...row,
      error: error === null ? null : (JSON.parse(error) as PlainError),
    }));
  }

  async takeOwn({ id, fence }: AttemptId): Promise<number | null> {
    const [row] = await this.#database.rows<{ number: number }>(
      `UPDATE parts SET state = 'OWN' WHERE ${OF_ATTEMPT} AND state = 'QUEUED' AND number = (
         SELECT number FROM parts WHERE ${OF_ATTEMPT} AND state = 'QUEUED' ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING number`,
      [id, fence],
    );
    return row?.number ?? null;
  }

  async withdraw({ id, fence }: AttemptId): Promise<void> {
    // A transaction is repeated after a deadlock.
    await this.#database.transaction((statements) => statements.run('SELECT end_parts($1, $2)', [id, fence]));
    this.#news.changed(id);
  }

  /** The next part, if it is the turn of an owner that has one; null: none, and a job is next. */
  async claim(): Promise<{ readonly attempt: AttemptId; readonly part: ClaimedPart } | null> {
    const { worker, leaseMs, release } = this.#options;
    const [row] = await this.#database.rows<PartRow>('SELECT * FROM claim_part($1, $2, $3)', [
      worker,
      leaseMs,
      release,
    ]);
    if (row === undefined) return null;
    const { job: id, fence, number, run, attempts, task } = row;
    return { attempt: { id, fence }, part: { number, run, attempts, task: JSON.parse(task) as PartTask } };
  }

  finish(part: PartAttempt): Promise<boolean> {
    return this.#end(part, `state = 'DONE', ${NO_LEASE}, progress = 1`);
  }

  fail(part: PartAttempt, error: PlainError): Promise<boolean> {
    return this.#end(part, `state = 'FAILED', ${NO_LEASE}, error = $5`, [errorText(error)]);
  }

  async requeue(part: PartAttempt, uncounted: boolean, condition = 'true'): Promise<boolean> {
    const isDone = await this.#end(
      part,
      `state = 'QUEUED', ${NO_LEASE}, progress = 0, attempts = attempts - $5::int`,
      [uncounted ? 1 : 0],
      condition,
    );
    if (isDone) this.#news.queued();
    return isDone;
  }

  async progressed({ id, fence, part }: PartAttempt, fraction: number): Promise<void> {
    await this.#database.run(`UPDATE parts SET progress = $5 WHERE ${CURRENT}`, [
      id,
      fence,
      part.number,
      part.run,
      fraction,
    ]);
  }

  /** As SharedQueue.extend. */
  async extend(attempts: readonly PartAttempt[]): Promise<readonly PartAttempt[]> {
    if (attempts.length === 0) return [];
    await this.#database.run(
      `UPDATE parts SET lease_until = ${NOW_MS} + $5 FROM ${HELD}, (SELECT ${NOT_SYNCED}) AS unsynced
       WHERE ${SAME_RUN} AND state = 'RUNNING'`,
      [...columnsOf(attempts), this.#options.leaseMs],
    );
    return this.lost(attempts);
  }

  /** As SharedQueue.lost. */
  async lost(attempts: readonly PartAttempt[]): Promise<readonly PartAttempt[]> {
    if (attempts.length === 0) return [];
    // Without a worker, the run itself has ended the part or given it back.
    const lost = await this.#database.rows<{ index: number }>(
      `SELECT index FROM ${HELD} WHERE NOT EXISTS
         (SELECT FROM parts WHERE ${SAME_RUN} AND (state = 'RUNNING' OR worker IS NULL))`,
      columnsOf(attempts),
    );
    return lost.map(({ index }) => attempts[index - 1]);
  }

  /** As SharedQueue.release, of a part whose job has ended. */
  async release({ id, fence, part }: PartAttempt): Promise<void> {
    await this.#database.run(
      `DELETE FROM parts WHERE ${OF_ATTEMPT} AND number = $3 AND run = $4 AND state = 'ENDED'`,
      [id, fence, part.number, part.run],
    );
  }

  /** Whether no process works at a part of the job any more, as far as leases tell. */
  async areReleased(id: string): Promise<boolean> {
    const held = await this.#database.rows(
      `SELECT FROM parts WHERE job = $1 AND worker IS NOT NULL AND lease_until > ${NOW_MS} LIMIT 1`,
      [id],
    );
    return held.length === 0;
  }

  /** As JobQueue.recover, for parts. Resolves with the parts that wait again or failed. */
  async recover(
    maxAttempts: number,
    isHeld: (part: PartAttempt) => boolean,
  ): Promise<readonly PartAttempt[]> {
    const leased = await this.#database.rows<
      PartRow & { readonly state: 'RUNNING' | 'ENDED'; readonly isOurs: boolean }
    >(
      `SELECT job, fence, number, run, attempts, state, worker = $1 AS "isOurs" FROM parts
       WHERE state IN ('RUNNING', 'ENDED') AND (worker = $1 OR lease_until <= ${NOW_MS})`,
      [this.#options.worker],
    );
    const found: PartAttempt[] = [];
    for (const { job: id, fence, number, run, attempts, state, isOurs } of leased) {
      const part = { id, fence, part: { number, run } };
      if (isOurs && isHeld(part)) continue;
      // Its worker may have given a sign of life since.
      const condition = isOurs ? 'true' : `lease_until <= ${NOW_MS}`;
      if (state === 'ENDED') await this.release(part);
      else if (attempts < maxAttempts) {
        if (await this.requeue(part, false, condition)) found.push(part);
      } else {
        const error = errorText(attemptsExhausted(attempts));
        if (await this.#end(part, `state = 'FAILED', ${NO_LEASE}, error = $5`, [error], condition))
          found.push(part);
      }
    }
    return found;
  }

  async #end(
    { id, fence, part }: PartAttempt,
    change: string,
    parameters: readonly unknown[] = [],
    condition = 'true',
  ): Promise<boolean> {
    // A transaction is repeated after a deadlock, which the end of the job at the same moment could make.
    const isCurrent = await this.#database.transaction(
      async (statements) =>
        (await statements.run(`UPDATE parts SET ${change} WHERE ${CURRENT} AND ${condition}`, [
          id,
          fence,
          part.number,
          part.run,
          ...parameters,
        ])) === 1,
    );
    if (isCurrent) this.#news.changed(id);
    return isCurrent;
  }
}
