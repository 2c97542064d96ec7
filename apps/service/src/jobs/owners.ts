/** Jobs and bytes of each owner, and their limits. Triggers maintain the table (job-schema.ts). */
import { failure } from '@geomill/core/messages/errors.ts';
import type { Database, Statement } from '@geomill/sqlite/database.ts';
import { jobErrors } from './errors.ts';
import { type JobState, jobStates } from './job.ts';
import type { Claim, OwnerHolding, OwnerLimits, OwnerUsage } from './queue.ts';

/** Jobs end soon; outputs expire after hours, unless they are deleted. */
const JOBS_RETRY_SECONDS = 5;
const STORAGE_RETRY_SECONDS = 60;

const NOTHING: OwnerHolding = { waiting: 0, running: 0, storedBytes: 0 };

export interface UsageRow {
  readonly state: JobState;
  readonly jobs: number;
  readonly inputBytes: number;
  readonly outputBytes: number;
}

export class Owners {
  readonly #limits: OwnerLimits;
  readonly #holding: Statement;
  readonly #holdingBeside: Statement;
  readonly #usage: Statement;

  constructor(database: Database, limits: OwnerLimits) {
    this.#limits = limits;
    this.#holding = database.prepare(
      'SELECT waiting, running, stored_bytes AS storedBytes FROM owners WHERE owner = ?',
    );
    this.#holdingBeside = database.prepare(
      `SELECT owners.stored_bytes - jobs.input_bytes AS storedBytes FROM jobs JOIN owners USING (owner)
       WHERE id = ? AND fence = ? AND state = 'RUNNING'`,
    );
    this.#usage = database.prepare(
      `SELECT ${USAGE_COLUMNS} FROM jobs WHERE owner = ? AND created_at >= ? GROUP BY state`,
    );
  }

  holding(owner: string): OwnerHolding {
    return { ...NOTHING, ...this.#holding.get<OwnerHolding>(owner) };
  }

  /** Exact within a transaction. Throws OWNER_JOBS_EXCEEDED, OWNER_STORAGE_EXCEEDED. */
  checkRoom(owner: string, inputBytes: number): void {
    if (this.#limits.jobs !== null) refuseJobs(this.#limits, this.holding(owner));
    this.checkStorage(owner, inputBytes);
  }

  /** For so many more bytes. Throws OWNER_STORAGE_EXCEEDED. */
  checkStorage(owner: string, bytes: number): void {
    if (this.#limits.storedBytes !== null) refuseStorage(this.#limits, this.holding(owner), bytes);
  }

  /**
   * The input is removed when the output is stored. An outdated attempt is not rejected here. Throws
   * OUTPUT_STORAGE_EXCEEDED, which does not ask for a retry: a repeated request would do all the work again.
   */
  checkRoomForOutput({ job, fence }: Claim, outputBytes: number): void {
    if (this.#limits.storedBytes === null) return;
    const beside = this.#holdingBeside.get<Pick<OwnerHolding, 'storedBytes'>>(job.id, fence);
    if (beside !== undefined) refuseOutput(this.#limits, beside.storedBytes, outputBytes);
  }

  usage(owner: string, since: number): OwnerUsage {
    return usageOf(this.#usage.all<UsageRow>(owner, since));
  }
}

/** Throws OWNER_JOBS_EXCEEDED if there is no room for another job. */
export function refuseJobs({ jobs: limit }: OwnerLimits, { waiting, running }: OwnerHolding): void {
  const jobs = waiting + running;
  if (limit !== null && jobs >= limit)
    throw failure(jobErrors.OWNER_JOBS_EXCEEDED, { jobs, limit, seconds: JOBS_RETRY_SECONDS });
}

/** Throws OWNER_STORAGE_EXCEEDED if there is no room for so many more bytes. */
export function refuseStorage(
  { storedBytes: limit }: OwnerLimits,
  { storedBytes: stored }: OwnerHolding,
  bytes: number,
): void {
  if (limit !== null && stored + bytes > limit)
    throw failure(jobErrors.OWNER_STORAGE_EXCEEDED, { bytes, stored, limit, seconds: STORAGE_RETRY_SECONDS });
}

/** Throws OUTPUT_STORAGE_EXCEEDED; `stored`: what the owner has beside the input, which is removed. */
export function refuseOutput({ storedBytes: limit }: OwnerLimits, stored: number, bytes: number): void {
  if (limit !== null && stored + bytes > limit)
    throw failure(jobErrors.OUTPUT_STORAGE_EXCEEDED, { bytes, stored, limit });
}

/** Jobs and bytes of an owner by state. */
export const USAGE_COLUMNS =
  'state, count(*) AS jobs, sum(input_bytes) AS "inputBytes", coalesce(sum(output_bytes), 0) AS "outputBytes"';

export function usageOf(rows: readonly UsageRow[]): OwnerUsage {
  const countOf = (state: JobState): number => rows.find((row) => row.state === state)?.jobs ?? 0;
  const sum = (of: (row: UsageRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  return {
    jobs: Object.fromEntries(jobStates.map((state) => [state, countOf(state)])) as OwnerUsage['jobs'],
    inputBytes: sum((row) => row.inputBytes),
    outputBytes: sum((row) => row.outputBytes),
  };
}
