/** Finds the documents of a KML or KMZ file. */

import { failure } from '@geomill/core/messages/errors.ts';
import { openFileSource } from '@geomill/io/byte-source.ts';
import type { FileSegment } from '@geomill/io/file-segment.ts';
import { UnpackBudget } from '@geomill/io/unpack-budget.ts';
import { isZip } from '@geomill/io/zip-names.ts';
import { readZipDirectory, unpackEntry, type ZipEntry } from '@geomill/io/zip-read.ts';
import { fileSize, makeNewDirectory } from '@geomill/platform/files.ts';
import { joinedPath, nameInArchive, pathInArchive } from '@geomill/platform/paths.ts';
import type { InputFile, OpenContext } from '../reader.ts';
import { lookOfMembers } from '../recognise.ts';
import { kmlErrors, kmlFindings } from './messages.ts';

const NAMES_SHOWN = 12;

/** A KML document: the file itself, or one of an archive. */
export interface FoundDocument {
  readonly segment: FileSegment;
  /** Path in the archive; empty: it is the file itself. */
  readonly path: string;
  /** Name of its layer, if the document does not name one. */
  readonly stem: string;
}

/** The file itself, or all documents of the archive, the main one first, unpacked. Throws KMZ_NO_KML and the errors of reading a zip. */
export async function findDocuments(file: InputFile, context: OpenContext): Promise<FoundDocument[]> {
  const stem = file.name.replace(/\.(kml|kmz)$/i, '');
  if (!isZip(firstBytes(file))) {
    const segment = { path: file.path, name: file.name, start: 0, byteLength: fileSize(file.path) };
    return [{ segment, path: '', stem }];
  }
  const budget = new UnpackBudget(context.limits, context.scratch?.unpacked);
  const all = await readZipDirectory(file.path, file.name, budget);
  const entries = all.filter(({ name }) => !name.endsWith('/') && !isHidden(name));
  const documents = entries.filter(({ name }) => /\.kml$/i.test(name));
  const main =
    documents.find(({ name }) => /^doc\.kml$/i.test(name)) ??
    documents.find(({ name }) => !name.includes('/')) ??
    documents.at(0);
  if (main === undefined)
    throw failure(kmlErrors.KMZ_NO_KML, {
      source: file.name,
      found: lookOfMembers(entries.map(({ name }) => name)) ?? shownNames(entries),
    });
  const others = entries.filter((entry) => !documents.includes(entry));
  if (others.length > 0) {
    const shown = { source: file.name, names: shownNames(others) };
    context.findings.note(kmlFindings.KMZ_FILES_IGNORED, shown, undefined, others.length);
  }
  const directory = makeNewDirectory(joinedPath(context.scratchDirectory, 'kmz-'));
  const found: FoundDocument[] = [];
  for (const entry of [main, ...documents.filter((one) => one !== main)]) {
    const target = joinedPath(directory, `${found.length}.kml`);
    const segment = await unpackEntry(file.path, entry, file.name, target);
    const own = entry === main ? stem : nameInArchive(entry.name).replace(/\.kml$/i, '');
    found.push({ segment, path: entry.name, stem: own });
  }
  return found;
}

/** The path in the archive to which a document at `from` links; empty: the address is that of a server. */
export function linkedPath(link: string, from: string): string {
  if (from === '' || /^[a-z][a-z\d+.-]*:/i.test(link)) return '';
  const [path] = link.split(/[?#]/);
  const resolved = pathInArchive(from, decoded(path));
  return resolved.replace(/^\/+/, '');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}

function firstBytes({ path }: InputFile): Uint8Array {
  using source = openFileSource(path);
  return source.slice(0, 4);
}

/** Folders that archivers add, and files that file managers hide. */
function isHidden(path: string): boolean {
  return path.split('/').some((step) => step.startsWith('.') || step === '__MACOSX');
}

function shownNames(entries: readonly ZipEntry[]): string {
  if (entries.length === 0) return 'nothing';
  const names = entries.map(({ name }) => name);
  const shown = names.slice(0, NAMES_SHOWN).join(', ');
  return names.length > NAMES_SHOWN ? `${shown} and ${names.length - NAMES_SHOWN} more` : shown;
}
