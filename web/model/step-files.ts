/** The files that steps use beside the data, at the service. */
import type { FileReference, WorkspaceDocument } from './document.ts';
import { sources } from './sources.ts';

/** Paths of the files of the steps that are switched on, each once. */
function pathsOf({ steps }: WorkspaceDocument): ReadonlySet<string> {
  return new Set(steps.flatMap(({ enabled, file }) => (enabled && file !== undefined ? [file.path] : [])));
}

/** Whether all files that the steps use are in this page. */
export function areStepFilesHere(document: WorkspaceDocument): boolean {
  return [...pathsOf(document)].every((path) => sources.value.get(path)?.upload != null);
}

/** References to the uploads of the files that the steps use; sends those that are not at the service yet. Throws an Error with a sentence. */
export async function uploadedFiles(document: WorkspaceDocument): Promise<FileReference> {
  const ids = new Map<string, string>();
  for (const path of pathsOf(document)) {
    const source = sources.peek().get(path);
    if (source?.upload == null)
      throw new Error(
        source === undefined
          ? `'${path}', which a step uses, is not in this page. Add the file.`
          : `'${path}' is fetched by the service, so no step can use it. Download the file and add it.`,
      );
    ids.set(path, (await source.upload.file()).id);
  }
  return ({ part, path }) => ({ [`${part}_upload`]: ids.get(path) ?? '' });
}
