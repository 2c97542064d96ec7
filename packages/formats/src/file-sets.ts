/**
 * Finds the sets of files in an input whose features are in several files: a zip with any folder depth, a zip in a zip, or a loose file with the
 * others beside it. Files belong together if their paths differ only in the extension, ignoring case.
 */
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { openFileSource } from '@geomill/io/byte-source.ts';
import type { FileSegment } from '@geomill/io/file-segment.ts';
import { UnpackBudget } from '@geomill/io/unpack-budget.ts';
import { isZip } from '@geomill/io/zip-names.ts';
import { entrySegment, readZipDirectory, unpackEntry, type ZipEntry } from '@geomill/io/zip-read.ts';
import { copyFilePart } from '@geomill/platform/file-streams.ts';
import { fileSize, makeNewDirectory, namesIn } from '@geomill/platform/files.ts';
import { directoryOf, fileName, joinedPath } from '@geomill/platform/paths.ts';
import type { PackedMember, PackedSet } from './packed-set.ts';
import type { InputFile, OpenContext } from './reader.ts';
import { lookOf, lookOfMembers } from './recognise.ts';

/** What a format says of its sets. */
export interface FileSetKind<Part extends string> {
  /** Extensions of the files, with the dot, in lower case; the first is that of the main file. */
  readonly parts: readonly [Part, ...Part[]];
  /** A file with this extension is a set without a main file. Default: every set has one. */
  readonly lone?: Part;
  /** Whether a file is a main file by its first bytes, whatever its name. */
  isMain(start: Uint8Array): boolean;
  /** In messages: "a zip archive with a shapefile, or a .shp". */
  readonly expected: string;
  /** In messages, of a set, after an article: "shapefile". */
  readonly one: string;
  /** The error of an archive without a main file. */
  missing(source: string, found: string): GeomillError;
}

export interface FileSet<Part extends string> {
  /** File name without folder and extension; unique among the sets of an input. */
  readonly name: string;
  readonly files: Readonly<Record<Part, FileSegment | null>>;
  /** Path of the main file, or of the lone one, in the folder or the archive. */
  readonly mainPath: string;
  /** The archive that the files are unpacked from; null for loose files. */
  readonly packed: PackedSet | null;
}

interface FileSets<Part extends string> {
  readonly sets: readonly FileSet<Part>[];
  /** Returns an unused path in the scratch directory. */
  readonly scratchPath: () => string;
}

/** Greatest depth of zips inside zips. */
const MAX_NESTING = 3;
const NAMES_SHOWN = 12;
const HEAD_BYTES = 4096;

/** Throws INPUT_EMPTY, INPUT_WRONG_FORMAT, the error of the kind and those of reading a zip. */
export async function findFileSets<Part extends string>(
  file: InputFile,
  kind: FileSetKind<Part>,
  context: OpenContext,
): Promise<FileSets<Part>> {
  const start = firstBytes(file);
  let directory: string | null = null;
  let count = 0;
  const scratchPath = (): string => {
    directory ??= makeNewDirectory(joinedPath(context.scratchDirectory, `${kind.parts[0].slice(1)}-`));
    return joinedPath(directory, String(count++));
  };
  if (!isZip(start)) return { sets: [findSiblings(file, kind, start)], scratchPath };
  const budget = new UnpackBudget(context.limits, context.scratch?.unpacked);
  const sets = await findInZip(file.path, file.name, kind, budget, scratchPath, MAX_NESTING);
  return { sets, scratchPath };
}

function firstBytes(file: InputFile): Uint8Array {
  using source = openFileSource(file.path);
  if (source.byteLength === 0) throw failure(generalErrors.INPUT_EMPTY, { source: file.name });
  return source.slice(0, HEAD_BYTES);
}

/** Splits off the extension; null for a file that is not part of a set. */
function splitPath<Part extends string>(
  path: string,
  { parts }: FileSetKind<Part>,
): { base: string; part: Part } | null {
  const lower = path.toLowerCase();
  const part = parts.find((ending) => lower.endsWith(ending));
  return part === undefined ? null : { base: path.slice(0, -part.length), part };
}

/** Folders that archivers add, and files that file managers hide. */
function isHidden(path: string): boolean {
  return path.split('/').some((step) => step.startsWith('.') || step === '__MACOSX');
}

async function findInZip<Part extends string>(
  path: string,
  source: string,
  kind: FileSetKind<Part>,
  budget: UnpackBudget,
  scratchPath: () => string,
  nesting: number,
): Promise<FileSet<Part>[]> {
  const [main] = kind.parts;
  const all = await readZipDirectory(path, source, budget);
  const entries = all.filter(({ name }) => !name.endsWith('/') && !isHidden(name));
  const groups = new Map<string, { base: string; parts: Map<Part, ZipEntry> }>();
  for (const entry of entries) {
    const split = splitPath(entry.name, kind);
    if (split === null) continue;
    const key = split.base.toLowerCase();
    const group = groups.get(key) ?? { base: split.base, parts: new Map<Part, ZipEntry>() };
    groups.set(key, group);
    if (!group.parts.has(split.part)) group.parts.set(split.part, entry);
    // The layer has its name from the main file.
    if (split.part === main) group.base = split.base;
  }
  const complete = [...groups.values()]
    .filter(({ parts }) => parts.has(main) || (kind.lone !== undefined && parts.has(kind.lone)))
    .sort((a, b) => (a.base < b.base ? -1 : a.base > b.base ? 1 : 0));
  if (complete.length === 0) {
    const inner = entries.filter(({ name }) => name.toLowerCase().endsWith('.zip'));
    if (inner.length === 1 && nesting > 1) {
      const unpacked = await unpackEntry(path, inner[0], source, scratchPath());
      const innerPath = unpacked.path === path ? await copyOut(unpacked, scratchPath()) : unpacked.path;
      return findInZip(innerPath, `${source}/${inner[0].name}`, kind, budget, scratchPath, nesting - 1);
    }
    throw kind.missing(source, describeContent(entries));
  }
  const names = uniqueNames(complete.map(({ base }) => base));
  return complete.map(({ parts }, i): FileSet<Part> => {
    const directory = scratchPath();
    const members: PackedMember[] = [];
    const files = segmentsOf(kind, (part) => {
      const entry = parts.get(part);
      if (entry === undefined) return null;
      const target = joinedPath(directory, part.slice(1));
      members.push({ entry, path: target });
      return entrySegment(path, entry, source, target);
    });
    const packed: PackedSet = { archivePath: path, source, directory, members };
    const named = parts.get(main) ?? (kind.lone === undefined ? undefined : parts.get(kind.lone));
    return { name: names[i], files, mainPath: named?.name ?? '', packed };
  });
}

function segmentsOf<Part extends string>(
  { parts }: FileSetKind<Part>,
  find: (part: Part) => FileSegment | null,
): Record<Part, FileSegment | null> {
  return Object.fromEntries(parts.map((part) => [part, find(part)])) as Record<Part, FileSegment | null>;
}

/** Copies a zip that is stored uncompressed in a zip: yauzl needs a separate file. */
async function copyOut(segment: FileSegment, target: string): Promise<string> {
  await copyFilePart(segment.path, segment.start, segment.start + segment.byteLength, target);
  return target;
}

/** Number of folders tried to make names unique. */
const MAX_FOLDERS = 16;

/** File names without folders; equal names get as many folders as needed, and finally a number. */
function uniqueNames(bases: readonly string[]): string[] {
  const steps = bases.map((base) => base.split('/'));
  const names: (string | null)[] = steps.map(() => null);
  for (let count = 1; count <= MAX_FOLDERS && names.includes(null); count++) {
    const candidates = steps.map((own) => own.slice(-count).join('_'));
    const uses = Map.groupBy(candidates, (name) => name.toLowerCase());
    for (const [i, name] of candidates.entries())
      if (names[i] === null && uses.get(name.toLowerCase())?.length === 1) names[i] = name;
  }
  const unique = new UniqueNames({ fold: (name) => name.toLowerCase() });
  return names.map((name, i) => unique.take(name ?? steps[i].slice(-MAX_FOLDERS).join('_')));
}

function describeContent(entries: readonly ZipEntry[]): string {
  if (entries.length === 0) return 'nothing';
  const names = entries.map(({ name }) => name);
  const known = lookOfMembers(names);
  if (known !== null) return known;
  const shown = names.slice(0, NAMES_SHOWN).join(', ');
  return names.length > NAMES_SHOWN ? `${shown} and ${names.length - NAMES_SHOWN} more` : shown;
}

/** Describes a file that is neither a zip nor a main file. */
function describeOther<Part extends string>(
  name: string,
  kind: FileSetKind<Part>,
  start: Uint8Array,
): string {
  const part = splitPath(name, kind)?.part;
  return part === undefined
    ? lookOf(start)
    : `the ${part} of a ${kind.one} alone; send all files of the ${kind.one} in one zip archive`;
}

function findSiblings<Part extends string>(
  file: InputFile,
  kind: FileSetKind<Part>,
  start: Uint8Array,
): FileSet<Part> {
  const { lone } = kind;
  const isLone = lone !== undefined && !kind.isMain(start) && file.name.toLowerCase().endsWith(lone);
  const [main] = isLone ? [lone] : kind.parts;
  const isNamed = (name: string): boolean => name.toLowerCase().endsWith(main);
  if (!kind.isMain(start) && !isNamed(file.name))
    throw failure(generalErrors.INPUT_WRONG_FORMAT, {
      source: file.name,
      expected: kind.expected,
      found: describeOther(file.name, kind, start),
    });
  const stemOf = (name: string): string => (isNamed(name) ? name.slice(0, -main.length) : name);
  const folder = directoryOf(file.path);
  const base = stemOf(fileName(file.path));
  const siblings = new Map<Part, string>();
  for (const name of namesIn(folder).sort()) {
    const split = splitPath(name, kind);
    if (split === null || split.base.toLowerCase() !== base.toLowerCase()) continue;
    // "A.dbf" and "a.dbf" can both exist: the one spelled like the main file is used.
    if (!siblings.has(split.part) || split.base === base) siblings.set(split.part, name);
  }
  const files = segmentsOf(kind, (part) => {
    if (part === main) return wholeFile(file.path, file.name);
    const name = siblings.get(part);
    return name === undefined ? null : wholeFile(joinedPath(folder, name), name);
  });
  return { name: stemOf(file.name), files, mainPath: file.path, packed: null };
}

function wholeFile(path: string, name: string): FileSegment {
  return { path, name, start: 0, byteLength: fileSize(path) };
}

/** Members of an archive that belong to no set; none for a loose file. */
export async function otherMembers<Part extends string>(
  file: InputFile,
  kind: FileSetKind<Part>,
  limits: OpenContext['limits'],
): Promise<readonly string[]> {
  if (!isZip(firstBytes(file))) return [];
  const entries = await readZipDirectory(file.path, file.name, new UnpackBudget(limits));
  return entries
    .map((entry) => entry.name)
    .filter((member) => !member.endsWith('/') && !isHidden(member))
    .filter((member) => splitPath(member, kind) === null);
}
