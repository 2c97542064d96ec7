/**
 * Where the files of geomill are. Only this module may derive paths from its own: the build bundles the others, so that they
 * end up in files elsewhere.
 */
import { dirname, extname, join } from 'node:path';

/** `src` in a checkout, `dist` in an installed package. */
export const PROGRAM_DIRECTORY = import.meta.dirname;
/** The directory of package.json, the samples and the documentation. */
export const PACKAGE_DIRECTORY = dirname(PROGRAM_DIRECTORY);

/** Path of the file that a new process or thread runs; `source`: that of its module below `src`. */
export function entryFile(source: string): string {
  const isBundled = extname(import.meta.filename) !== '.ts';
  return join(PROGRAM_DIRECTORY, isBundled ? source.replace(/\.[jt]s$/, '.cjs') : source);
}
