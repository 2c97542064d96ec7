/** Finds the document of a KML or KMZ file. */
import { mkdtempSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '../../errors.ts';
import { openFileSource } from '../../io/byte-source.ts';
import type { FileSegment } from '../../io/file-segment.ts';
import { UnpackBudget } from '../../io/unpack-budget.ts';
import { isZip, readZipDirectory, unpackEntry, type ZipEntry } from '../../io/zip-read.ts';
import type { InputFile, OpenContext } from '../format.ts';
import { lookOfMembers } from '../recognise.ts';

const NAMES_SHOWN = 12;

/** The file itself, or the document of the archive, which is unpacked. Throws KMZ_NO_KML and the errors of reading a zip. */
export async function findDocument(file: InputFile, context: OpenContext): Promise<FileSegment> {
  if (!isZip(firstBytes(file)))
    return { path: file.path, name: file.name, start: 0, byteLength: statSync(file.path).size };
  const budget = new UnpackBudget(context.limits, context.scratch?.unpacked);
  const all = await readZipDirectory(file.path, file.name, budget);
  const entries = all.filter(({ name }) => !name.endsWith('/') && !isHidden(name));
  const documents = entries.filter(({ name }) => /\.kml$/i.test(name));
  const document =
    documents.find(({ name }) => /^doc\.kml$/i.test(name)) ??
    documents.find(({ name }) => !name.includes('/')) ??
    documents.at(0);
  if (document === undefined)
    throw failure('KMZ_NO_KML', {
      source: file.name,
      found: lookOfMembers(entries.map(({ name }) => name)) ?? shownNames(entries),
    });
  const noteIgnored = (code: 'KMZ_DOCUMENTS_IGNORED' | 'KMZ_FILES_IGNORED', ignored: ZipEntry[]): void => {
    if (ignored.length === 0) return;
    const shown = { source: file.name, names: shownNames(ignored) };
    context.findings.note(code, shown, undefined, ignored.length);
  };
  noteIgnored(
    'KMZ_DOCUMENTS_IGNORED',
    documents.filter((entry) => entry !== document),
  );
  noteIgnored(
    'KMZ_FILES_IGNORED',
    entries.filter((entry) => !documents.includes(entry)),
  );
  const target = join(mkdtempSync(join(context.scratchDirectory, 'kmz-')), 'doc.kml');
  return unpackEntry(file.path, document, file.name, target);
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
