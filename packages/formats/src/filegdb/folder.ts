/**
 * Finds the files of a geodatabase: in a folder, or in a zip archive at any depth, also in a zip in a zip. Table number N has the files aNNNNNNNN.gdbtable
 * (N in hexadecimal digits), aNNNNNNNN.gdbtablx and others.
 */
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { fileHead } from '@geomill/io/byte-source.ts';
import type { FileSegment } from '@geomill/io/file-segment.ts';
import type { UnpackBudget } from '@geomill/io/unpack-budget.ts';
import { isZip } from '@geomill/io/zip-names.ts';
import { entrySegment, readZipDirectory, unpackEntry, type ZipEntry } from '@geomill/io/zip-read.ts';
import { copyFilePart } from '@geomill/platform/file-streams.ts';
import { fileFacts, fileSize, namesIn } from '@geomill/platform/files.ts';
import { joinedPath } from '@geomill/platform/paths.ts';
import { HEAD_BYTES } from '../content.ts';
import type { PackedMember, PackedSet } from '../packed-set.ts';
import type { InputFile } from '../reader.ts';
import { lookOf, lookOfMembers } from '../recognise.ts';
import { filegdbErrors } from './messages.ts';

/** The files of one table. Plain data: it is sent to worker threads. */
export interface TableFiles {
  readonly table: FileSegment;
  /** Null: it is missing. */
  readonly index: FileSegment | null;
  /** The archive that they are unpacked from; null: they are loose files. */
  readonly packed: PackedSet | null;
}

export interface GdbFolder {
  /** For messages. */
  readonly source: string;
  /** Null: there is no file of the table. */
  tableFiles(number: number): TableFiles | null;
  /** How a table without usable files is compressed; null: it is not. */
  compression(number: number): string | null;
}

const EXPECTED = 'a file geodatabase: a folder such as roads.gdb, or a zip archive with one';
const PARTS = ['.gdbtable', '.gdbtablx'] as const;
const CATALOGUE = tableName(1);
/** Greatest depth of zips inside zips. */
const MAX_NESTING = 3;
const NAMES_SHOWN = 12;

export function tableName(number: number): string {
  return `a${number.toString(16).padStart(8, '0')}`;
}

/** `scratchPath`: returns an unused path in the scratch directory. Throws INPUT_EMPTY, INPUT_WRONG_FORMAT, FILEGDB_FILE and the errors of reading a zip. */
export async function findGeodatabase(
  { path, name }: InputFile,
  budget: UnpackBudget,
  scratchPath: () => string,
): Promise<GdbFolder> {
  if (fileFacts(path)?.isDirectory === true) return inFolder(path, name);
  const head = fileHead(path, HEAD_BYTES);
  if (head.length === 0) throw failure(generalErrors.INPUT_EMPTY, { source: name });
  if (!isZip(head)) throw wrongFormat(name, lookOf(head));
  return inZip({ path, name }, budget, scratchPath, MAX_NESTING);
}

function wrongFormat(source: string, found: string): GeomillError {
  return failure(generalErrors.INPUT_WRONG_FORMAT, { source, expected: EXPECTED, found });
}

function inFolder(path: string, source: string): GdbFolder {
  const names = new Map(namesIn(path).map((name) => [name.toLowerCase(), name]));
  checkCatalogue(source, [...names.keys()]);
  const segment = (name: string): FileSegment | null => {
    const own = names.get(name);
    if (own === undefined) return null;
    const filePath = joinedPath(path, own);
    return { path: filePath, name: `${source}/${own}`, start: 0, byteLength: fileSize(filePath) };
  };
  return {
    source,
    tableFiles(number) {
      const [table, index] = PARTS.map((part) => segment(tableName(number) + part));
      return table === null ? null : { table, index, packed: null };
    },
    compression: (number) => compressionOf(number, (name) => names.has(name)),
  };
}

function compressionOf(number: number, has: (name: string) => boolean): string | null {
  const kind = ['cdf', 'sdc'].find((one) => has(`${tableName(number)}.gdbtable.${one}`));
  return kind?.toUpperCase() ?? null;
}

/** `names` are in lower case. Throws INPUT_WRONG_FORMAT, FILEGDB_FILE. */
function checkCatalogue(source: string, names: readonly string[]): void {
  if (names.includes(`${CATALOGUE}.gdbtable`)) return;
  const hasTables = names.some((name) => name.endsWith('.gdbtable') || name.endsWith('.gdbtablx'));
  if (!hasTables)
    throw wrongFormat(source, names.length === 0 ? 'an empty folder' : 'a folder of other files');
  throw failure(filegdbErrors.FILEGDB_FILE, {
    file: source,
    reason: `its catalogue of tables, ${CATALOGUE}.gdbtable, is missing; copy all files of the geodatabase`,
  });
}

async function inZip(
  { path, name }: InputFile,
  budget: UnpackBudget,
  scratchPath: () => string,
  nesting: number,
): Promise<GdbFolder> {
  const all = await readZipDirectory(path, name, budget);
  const entries = all.filter((entry) => !entry.name.endsWith('/') && !isHidden(entry.name));
  const isOfTable = (entry: ZipEntry): boolean => /\.gdbtabl[ex]$/i.test(entry.name);
  const folders = Map.groupBy(entries, (entry) => folderOf(entry.name));
  const found = [...folders].filter(([, members]) => members.some(isOfTable));
  if (found.length === 1) return packedFolder(path, name, found[0][1], scratchPath);
  if (found.length > 1) {
    const shown = found.slice(0, NAMES_SHOWN).map(([folder]) => `'${folder || '.'}'`);
    throw failure(filegdbErrors.FILEGDB_FILE, {
      file: name,
      reason: `it contains ${found.length} geodatabases (${shown.join(', ')}); put each into an archive of its own`,
    });
  }
  const inner = entries.filter((entry) => entry.name.toLowerCase().endsWith('.zip'));
  if (inner.length === 1 && nesting > 1) {
    const target = scratchPath();
    const segment = await unpackEntry(path, inner[0], name, target);
    // A stored member is in the archive, and the reader of archives needs a file.
    if (segment.path === path)
      await copyFilePart(path, segment.start, segment.start + segment.byteLength, target);
    return inZip({ path: target, name: `${name}/${inner[0].name}` }, budget, scratchPath, nesting - 1);
  }
  throw wrongFormat(name, describe(entries));
}

function describe(entries: readonly ZipEntry[]): string {
  const names = entries.map((entry) => entry.name);
  if (names.length === 0) return 'an empty zip archive';
  const known = lookOfMembers(names);
  if (known !== null) return known;
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : '';
  return `a zip archive with ${names.slice(0, NAMES_SHOWN).join(', ')}${more}`;
}

/** Folders that archivers add, and files that file managers hide. */
function isHidden(path: string): boolean {
  return path.split('/').some((step) => step.startsWith('.') || step === '__MACOSX');
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function packedFolder(
  path: string,
  source: string,
  members: readonly ZipEntry[],
  scratchPath: () => string,
): GdbFolder {
  const entries = new Map(members.map((entry) => [nameOf(entry), entry]));
  checkCatalogue(source, [...entries.keys()]);
  return {
    source,
    tableFiles(number) {
      if (!entries.has(`${tableName(number)}.gdbtable`)) return null;
      const directory = scratchPath();
      const packed: PackedMember[] = [];
      const [table, index] = PARTS.map((part): FileSegment | null => {
        const entry = entries.get(tableName(number) + part);
        if (entry === undefined) return null;
        const target = joinedPath(directory, part.slice(1));
        packed.push({ entry, path: target });
        return entrySegment(path, entry, source, target);
      });
      const set = { archivePath: path, source, directory, members: packed };
      return table === null ? null : { table, index, packed: set };
    },
    compression: (number) => compressionOf(number, (name) => entries.has(name)),
  };
}

function nameOf({ name }: ZipEntry): string {
  return name.slice(name.lastIndexOf('/') + 1).toLowerCase();
}
