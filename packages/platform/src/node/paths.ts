/** Paths of files, in the form of the system, and of what is in archives, which have slashes everywhere. */
import { basename, dirname, extname, join, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The path of something in a directory; `name` may itself be a path from there. */
export function joinedPath(directory: string, name: string): string {
  return join(directory, name);
}

/** The path from the root; a relative one begins in the working directory. */
export function absolutePath(path: string): string {
  return resolve(path);
}

/** What follows the last separator, without `ending` if the name has more than that. */
export function fileName(path: string, ending?: string): string {
  return basename(path, ending);
}

/** The directory of a file. */
export function directoryOf(path: string): string {
  return dirname(path);
}

/** The ending of the file name with its dot, such as ".shp"; empty for a name without a dot, or with its only dot at the beginning. */
export function endingOf(path: string): string {
  return extname(path);
}

/** The path of the file at a URL. */
export function pathOfUrl(url: URL): string {
  return fileURLToPath(url);
}

/** What follows the last slash. */
export function nameInArchive(path: string): string {
  return posix.basename(path);
}

/** Where a link `to`, in the file at `from`, leads. */
export function pathInArchive(from: string, to: string): string {
  return posix.join(posix.dirname(from), to);
}
