/** Where the files of geomill are: those that are read at run time are put into this directory when they are needed first. */
import { fileFacts } from './files.ts';
import { part } from './parts.ts';

export const PACKAGE_DIRECTORY = '/program';

export const PROGRAM_DIRECTORIES: readonly string[] = [PACKAGE_DIRECTORY];

/** Name of the part that puts a file there. */
export function partOfFile(name: string): string {
  return `the file ${name}`;
}

export function entryFile(source: string): string {
  return dataFile(source);
}

export function dataFile(source: string): string {
  const name = source.replace(/^.*\//, '');
  const path = `${PACKAGE_DIRECTORY}/${name}`;
  if (fileFacts(path) === null) part(partOfFile(name));
  return path;
}
