/** Names of files that callers send, and of outputs, made from the name of the input. */
import { GZIP_EXTENSION } from '@geomill/io/gzip.ts';
import { INVISIBLE, safeName } from '@geomill/io/safe-name.ts';

export interface OutputFormat {
  readonly mediaType: string;
  readonly outputExtension: string;
  /** Extensions of inputs of all formats, lower case with the dot; removed before the new one is added. */
  readonly inputExtensions: readonly string[];
}

/** Files in archives and layers are named after it, so it stays well below the 255 bytes of file systems. */
const MAX_STEM_BYTES = 100;

export interface OutputName {
  /** Name for the download. */
  readonly fileName: string;
  /** The same, safe as a file name on every system. */
  readonly pathName: string;
}

/** `roads.geojson` converted to shp is `roads.zip`. */
export function describeOutput(inputName: string, format: OutputFormat): OutputName {
  const name = inputName.replace(GZIP_EXTENSION, '');
  const lower = name.toLowerCase();
  const ending = format.inputExtensions
    .filter((extension) => lower.endsWith(extension))
    .reduce((longest, extension) => (extension.length > longest.length ? extension : longest), '');
  const stem = safeName(name.slice(0, name.length - ending.length), 'output', MAX_STEM_BYTES);
  const fileName = stem + format.outputExtension;
  return { fileName, pathName: fileName };
}

const MAX_NAME_CHARACTERS = 255;

/**
 * The last part of a name that a client sent, without invisible characters and at most 255 UTF-16 units; `fallback` if
 * nothing is left.
 */
export function plainFileName(name: string | undefined, fallback: string): string {
  const end = (name ?? '').slice(-16 * MAX_NAME_CHARACTERS);
  const last = end.normalize('NFC').split(/[\\/]/).at(-1) ?? '';
  const clean = last.toWellFormed().replace(INVISIBLE, '').trim();
  if (clean === '' || clean === '.' || clean === '..') return fallback;
  // Half of a surrogate pair may be left at the cut.
  return clean.slice(0, MAX_NAME_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
}
