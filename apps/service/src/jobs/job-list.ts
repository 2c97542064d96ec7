/** Pages of the list of jobs: each starts after a job, not at an offset, so that late pages cost no more than the first. */
import type { SqlValue } from '@geomill/platform/sqlite.ts';
import type { Database, Statement } from '@geomill/sqlite/database.ts';
import type { ListPosition } from './job.ts';
import { ANY_OWNER, type JobSummary, jobOperations, jobStates, type Viewer } from './job.ts';
import { SUMMARY_COLUMNS, type SummaryRow, toSummary } from './job-table.ts';
import type { JobFilter } from './queue.ts';

/** After all jobs. */
const FIRST: ListPosition = { createdAt: Number.MAX_SAFE_INTEGER, id: '' };

export class JobList {
  readonly #all: Pages;
  readonly #ofOwner: Pages;

  constructor(database: Database) {
    this.#all = preparePages(database, '');
    this.#ofOwner = preparePages(database, 'owner = ? AND ');
  }

  /**
   * A filter with one condition is read as the lists of all remaining pairs, at most four. Alternative rejected: an index for each
   * filter, which every change of state of a job would have to update.
   */
  read(
    viewer: Viewer,
    { state, operation }: JobFilter,
    after: ListPosition | null,
    limit: number,
  ): JobSummary[] {
    const { createdAt, id } = after ?? FIRST;
    const pages = viewer === ANY_OWNER ? this.#all : this.#ofOwner;
    const owner: SqlValue[] = viewer === ANY_OWNER ? [] : [viewer];
    if (state === null && operation === null)
      return pages.whole.all<SummaryRow>(...owner, createdAt, id, limit).map(toSummary);
    const rows: SummaryRow[] = [];
    for (const one of operation === null ? jobOperations : [operation])
      for (const other of state === null ? jobStates : [state])
        rows.push(...pages.ofKind.all<SummaryRow>(...owner, one, other, createdAt, id, limit));
    return rows.sort(newestFirst).slice(0, limit).map(toSummary);
  }
}

interface Pages {
  readonly whole: Statement;
  readonly ofKind: Statement;
}

function preparePages(database: Database, condition: string): Pages {
  const page = '(created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT ?';
  const list = `SELECT ${SUMMARY_COLUMNS} FROM jobs WHERE ${condition}`;
  return {
    whole: database.prepare(`${list}${page}`),
    ofKind: database.prepare(`${list}operation = ? AND state = ? AND ${page}`),
  };
}

function newestFirst(a: SummaryRow, b: SummaryRow): number {
  return b.created_at - a.created_at || (a.id < b.id ? 1 : -1);
}
