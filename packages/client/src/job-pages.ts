/** The list of jobs, read page by page as it is gone through. */
import type { Job, JobPage, JobShort } from './openapi-types.ts';
import type { Transport } from './transport.ts';

export interface JobFilter {
  /** Only jobs in this state. */
  readonly status?: Job['status'];
  /** Only jobs of this kind. */
  readonly operation?: Job['operation'];
  /** Jobs fetched with one request: 1 to 200, default 50. */
  readonly pageSize?: number;
  readonly signal?: AbortSignal;
}

/** Newest first. Jobs that are submitted or deleted meanwhile make no job come twice or be left out. */
export async function* listJobs(transport: Transport, filter: JobFilter): AsyncGenerator<JobShort, void> {
  const { status, operation, pageSize, signal } = filter;
  const query = new URLSearchParams();
  if (status !== undefined) query.set('status', status);
  if (operation !== undefined) query.set('operation', operation);
  if (pageSize !== undefined) query.set('limit', String(pageSize));
  for (;;) {
    const path = `/v1/jobs?${query}`;
    const page = await transport.json<JobPage>({ path, ...(signal === undefined ? {} : { signal }) });
    yield* page.jobs;
    if (page.next_cursor === null) return;
    query.set('cursor', page.next_cursor);
  }
}
