/** The jobs of the user at the service: listing, reopening and deleting them. */
import type { Job, JobShort } from '@geomill/client/client.ts';
import { catalogue, client } from '../service.ts';
import type { Options, WorkspaceDocument } from './document.ts';
import { previewJobs } from './preview-facts.ts';
import { DocumentProblem, type KnownNames, readDocument } from './read-document.ts';
import { workspace } from './workspace.ts';

/** Jobs of the newest ones that are shown. */
export const MAX_LISTED = 50;

/** Newest first, without the inspections and previews that this page makes of every file. */
export async function listedJobs(status: Job['status'] | null, signal: AbortSignal): Promise<JobShort[]> {
  const found: JobShort[] = [];
  for await (const job of client.jobs({ ...(status === null ? {} : { status }), pageSize: 200, signal })) {
    if (job.operation === 'inspect' || previewJobs.has(job.job_id)) continue;
    found.push(job);
    if (found.length === MAX_LISTED) break;
  }
  return found;
}

/** Makes the request of a job the document of this page. Throws an Error with a sentence. */
export async function reopen(id: string): Promise<void> {
  const known = catalogue.peek();
  if (known.state !== 'ready') return;
  const document = documentOfJob(await client.job(id).status(), known.value);
  workspace.edit(() => document);
}

/** Inputs have the names of the files of the job: the files are added again. Throws DocumentProblem. */
export function documentOfJob(
  { request, input, operation }: Pick<Job, 'request' | 'input' | 'operation'>,
  known: KnownNames,
): WorkspaceDocument {
  if (request === null)
    throw new DocumentProblem(
      'The request of this job was longer than 40 kB, and the service did not keep it.',
    );
  if (input.file_count > input.files.length)
    throw new DocumentProblem(`This job has ${input.file_count} files, too many to open it here.`);
  const { input: first, transformations, output, ...others } = request as Options;
  // The upload of the job may be gone.
  const { upload: _upload, ...common } = (first ?? {}) as Options;
  const isFetched = common.url !== undefined;
  return readDocument(
    {
      ...others,
      operation,
      inputs: isFetched ? [common] : input.files.map(({ name }) => ({ ...common, path: name })),
      steps: transformations ?? [],
      outputs: output === undefined ? [] : [output],
    },
    known,
  );
}
