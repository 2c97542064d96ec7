/** The files that steps use beside the data, at the service. */
import type { FileReference, WorkspaceDocument } from './document.ts';
import { sources } from './sources.ts';

/** Paths of the files of the steps that are switched on, each once, without those that the service fetches. */
function pathsOf({ steps, inputs }: WorkspaceDocument): ReadonlySet<string> {
  const fetched = new Set(inputs.flatMap(({ path, url }) => (url === undefined ? [] : [path])));
  const used = steps.flatMap(({ enabled, file }) => (enabled && file !== undefined ? [file.path] : []));
  return new Set(used.filter((path) => !fetched.has(path)));
}

/** Whether the service fetches files for the steps: again for each request, so that none is made unasked. */
export function areStepFilesFetched({ steps, inputs }: WorkspaceDocument): boolean {
  return steps.some(
    ({ enabled, file }) =>
      enabled && inputs.some(({ path, url }) => path === file?.path && url !== undefined),
  );
}

/** Whether all files that the steps use are in this page, or fetched by the service. */
export function areStepFilesHere(document: WorkspaceDocument): boolean {
  return [...pathsOf(document)].every((path) => sources.value.get(path)?.upload != null);
}

/** References to the uploads of the files that the steps use; sends those that are not at the service yet. Throws an Error with a sentence. */
export async function uploadedFiles(document: WorkspaceDocument): Promise<FileReference> {
  const ids = new Map<string, string>();
  for (const path of pathsOf(document)) {
    const upload = sources.peek().get(path)?.upload;
    if (upload == null) throw new Error(`'${path}', which a step uses, is not in this page. Add the file.`);
    ids.set(path, (await upload.file()).id);
  }
  return ({ part, path }, url) =>
    url === undefined ? { [`${part}_upload`]: ids.get(path) ?? '' } : { [`${part}_url`]: url };
}
