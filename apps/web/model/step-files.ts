/** The files that steps use beside the data, as the engine has them. */
import { engine } from '../engines/current.ts';
import type { EngineFile } from '../engines/engine.ts';
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

/** References to the files that the steps use; hands over those that the engine does not have yet. Throws an Error with a sentence. */
export async function stepFileReference(document: WorkspaceDocument): Promise<FileReference> {
  const files = new Map<string, EngineFile>();
  for (const path of pathsOf(document)) {
    const upload = sources.peek().get(path)?.upload;
    if (upload == null) throw new Error(`'${path}', which a step uses, is not in this page. Add the file.`);
    files.set(path, await upload.file());
  }
  const { stepFile } = engine.peek();
  return ({ part, path }, url) => {
    const file = files.get(path);
    if (url !== undefined) return { [`${part}_url`]: url };
    return file === undefined ? {} : stepFile(part, file);
  };
}
