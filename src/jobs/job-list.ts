/** Pages of the list of jobs: each begins behind a job, not at a number, so that deep pages cost no more than the first. */
import type { Database, Statement } from '../engines/sqlite/database.ts';
import { type JobSummary, jobOperations, jobStates } from './job.ts';
import { SUMMARY_COLUMNS, type SummaryRow, toSummary } from './job-table.ts';
import type { JobFilter, ListPosition } from './queue.ts';

/** Behind all there are. */
const FIRST: ListPosition = { createdAt: Number.MAX_SAFE_INTEGER, id: '' };

export class JobList {
  readonly #all: Statement;
  readonly #ofKind: Statement;

  constructor(database: Database) {
    const page = '(created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT ?';
    this.#all = database.prepare(`SELECT ${SUMMARY_COLUMNS} FROM jobs WHERE ${page}`);
    this.#ofKind = database.prepare(
      `SELECT ${SUMMARY_COLUMNS} FROM jobs WHERE operation = ? AND state = ? AND ${page}`,
    );
  }

  /**
   * A filter of one word is read as the lists of all pairs that it leaves, at most four. Refused: an index for each
   * filter, which every job would have to be entered into at every change of its state.
   */
  read({ state, operation }: JobFilter, after: ListPosition | null, limit: number): JobSummary[] {
    const { createdAt, id } = after ?? FIRST;
    if (state === null && operation === null)
      return this.#all.all<SummaryRow>(createdAt, id, limit).map(toSummary);
    const rows: SummaryRow[] = [];
    for (const one of operation === null ? jobOperations : [operation])
      for (const other of state === null ? jobStates : [state])
        rows.push(...this.#ofKind.all<SummaryRow>(one, other, createdAt, id, limit));
    return rows.sort(newestFirst).slice(0, limit).map(toSummary);
  }
}

function newestFirst(a: SummaryRow, b: SummaryRow): number {
  return b.created_at - a.created_at || (a.id < b.id ? 1 : -1);
}
