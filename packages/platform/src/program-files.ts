/**
 * Where the files of geomill are. Only this module may derive paths from its own: the build bundles the others, so that they
 * end up in files elsewhere.
 */
import { basename, extname, join } from 'node:path';

const isBundled = extname(import.meta.filename) !== '.ts';
const DIRECTORY = import.meta.dirname;

/** Name of the directory of the library in that of the program. */
const LIBRARY = 'library';
const isLibrary = isBundled && basename(DIRECTORY) === LIBRARY;

/** The directory of package.json, the samples and the documentation. */
export const PACKAGE_DIRECTORY = isBundled
  ? join(DIRECTORY, isLibrary ? '../..' : '..')
  : join(DIRECTORY, '..', '..', '..');

/** Directories with the code of the program: `dist` in an installed package, the workspaces and the links to them in a checkout. */
export const PROGRAM_DIRECTORIES: readonly string[] = isBundled
  ? [DIRECTORY]
  : ['apps', 'packages', 'node_modules/@geomill'].map((name) => join(PACKAGE_DIRECTORY, name));

/** Path of the file that a new process or thread runs; `source`: that of its module in a checkout. */
export function entryFile(source: string): string {
  return isBundled
    ? join(DIRECTORY, `${basename(source, extname(source))}.${isLibrary ? 'js' : 'cjs'}`)
    : join(PACKAGE_DIRECTORY, source);
}

/** Path of a file that is read at run time; `source`: its path in a checkout. */
export function dataFile(source: string): string {
  return isBundled ? join(DIRECTORY, basename(source)) : join(PACKAGE_DIRECTORY, source);
}
