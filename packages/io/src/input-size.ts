/** The size of an input, which is a file, or a folder of files. */
import { fileFacts, namesIn } from '@geomill/platform/files.ts';
import { joinedPath } from '@geomill/platform/paths.ts';

/** In bytes; of a folder that of the files in it. 0: there is nothing at the path. */
export function inputSize(path: string): number {
  const facts = fileFacts(path);
  if (facts === null) return 0;
  if (!facts.isDirectory) return facts.size;
  return namesIn(path).reduce((sum, name) => sum + (fileFacts(joinedPath(path, name))?.size ?? 0), 0);
}
