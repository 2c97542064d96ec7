/** Where the files of geomill are: those that a conversion needs are put into this directory before it begins. */

export const PACKAGE_DIRECTORY = '/program';

export const PROGRAM_DIRECTORIES: readonly string[] = [PACKAGE_DIRECTORY];

export function entryFile(source: string): string {
  return dataFile(source);
}

export function dataFile(source: string): string {
  return `${PACKAGE_DIRECTORY}/${source.replace(/^.*\//, '')}`;
}
