/**
 * Finds the shapefiles in an input: a zip with any folder depth, a zip in a zip, or a loose .shp with the other files
 * beside it. Files belong together if their paths differ only in the extension, ignoring case.
 */
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { openFileSource } from '@geomill/io/byte-source.ts';
import type { FileSegment } from '@geomill/io/file-segment.ts';
import { UnpackBudget } from '@geomill/io/unpack-budget.ts';
import { isZip } from '@geomill/io/zip-names.ts';
import { entrySegment, readZipDirectory, unpackEntry, type ZipEntry } from '@geomill/io/zip-read.ts';
import { copyFilePart } from '@geomill/platform/file-streams.ts';
import { fileSize, makeNewDirectory, namesIn } from '@geomill/platform/files.ts';
import { directoryOf, fileName, joinedPath } from '@geomill/platform/paths.ts';
import type { PackedMember, PackedSet } from '../packed-set.ts';
import type { InputFile, OpenContext } from '../reader.ts';
import { lookOf, lookOfMembers } from '../recognise.ts';
import { shpErrors } from './messages.ts';

export interface ShapefileSet {
  /** File name without folder and extension; unique among the sets of an input. */
  readonly name: string;
  readonly shp: FileSegment;
  readonly shx: FileSegment | null;
  readonly dbf: FileSegment | null;
  readonly prj: FileSegment | null;
  readonly cpg: FileSegment | null;
  /** The archive that the files are unpacked from; null for loose files. */
  readonly packed: PackedSet | null;
}

interface FileSets {
  readonly sets: readonly ShapefileSet[];
  /** Returns an unused path in the scratch directory. */
  readonly scratchPath: () => string;
}

const PARTS = ['.shp', '.shx', '.dbf', '.prj', '.cpg'] as const;
type Part = (typeof PARTS)[number];
/** Greatest depth of zips inside zips. */
const MAX_NESTING = 3;
const NAMES_SHOWN = 12;
const HEAD_BYTES = 4096;

/** Throws INPUT_EMPTY, INPUT_WRONG_FORMAT, SHP_MEMBER_MISSING and the errors of reading a zip. */
export async function findShapefiles(file: InputFile, context: OpenContext): Promise<FileSets> {
  const start = firstBytes(file);
  let directory: string | null = null;
  let count = 0;
  const scratchPath = (): string => {
    directory ??= makeNewDirectory(joinedPath(context.scratchDirectory, 'shp-'));
    return joinedPath(directory, String(count++));
  };
  if (!isZip(start)) return { sets: [findSiblings(file, start)], scratchPath };
  const budget = new UnpackBudget(context.limits, context.scratch?.unpacked);
  const sets = await findInZip(file.path, file.name, budget, scratchPath, MAX_NESTING);
  return { sets, scratchPath };
}

function firstBytes(file: InputFile): Uint8Array {
  using source = openFileSource(file.path);
  if (source.byteLength === 0) throw failure(generalErrors.INPUT_EMPTY, { source: file.name });
  return source.slice(0, HEAD_BYTES);
}

/** Splits off the extension; null for a file that is not part of a shapefile. */
function splitPath(path: string): { base: string; part: Part } | null {
  const lower = path.toLowerCase();
  const part = PARTS.find((ending) => lower.endsWith(ending));
  return part === undefined ? null : { base: path.slice(0, -part.length), part };
}

/** Folders that archivers add, and files that file managers hide. */
function isHidden(path: string): boolean {
  return path.split('/').some((step) => step.startsWith('.') || step === '__MACOSX');
}

async function findInZip(
  path: string,
  source: string,
  budget: UnpackBudget,
  scratchPath: () => string,
  nesting: number,
): Promise<ShapefileSet[]> {
  const all = await readZipDirectory(path, source, budget);
  const entries = all.filter(({ name }) => !name.endsWith('/') && !isHidden(name));
  const groups = new Map<string, { base: string; parts: Map<Part, ZipEntry> }>();
  for (const entry of entries) {
    const split = splitPath(entry.name);
    if (split === null) continue;
    const key = split.base.toLowerCase();
    const group = groups.get(key) ?? { base: split.base, parts: new Map<Part, ZipEntry>() };
    groups.set(key, group);
    if (!group.parts.has(split.part)) group.parts.set(split.part, entry);
    // The layer has its name from the .shp.
    if (split.part === '.shp') group.base = split.base;
  }
  const complete = [...groups.values()]
    .filter(({ parts }) => parts.has('.shp'))
    .sort((a, b) => (a.base < b.base ? -1 : a.base > b.base ? 1 : 0));
  if (complete.length === 0) {
    const inner = entries.filter(({ name }) => name.toLowerCase().endsWith('.zip'));
    if (inner.length === 1 && nesting > 1) {
      const unpacked = await unpackEntry(path, inner[0], source, scratchPath());
      const innerPath = unpacked.path === path ? await copyOut(unpacked, scratchPath()) : unpacked.path;
      return findInZip(innerPath, `${source}/${inner[0].name}`, budget, scratchPath, nesting - 1);
    }
    throw failure(shpErrors.SHP_MEMBER_MISSING, {
      source,
      member: '.shp file',
      found: describeContent(entries),
    });
  }
  const names = uniqueNames(complete.map(({ base }) => base));
  return complete.map(({ parts }, i): ShapefileSet => {
    const directory = scratchPath();
    const members: PackedMember[] = [];
    const [shp, shx, dbf, prj, cpg] = PARTS.map((part): FileSegment | null => {
      const entry = parts.get(part);
      if (entry === undefined) return null;
      const target = joinedPath(directory, part.slice(1));
      members.push({ entry, path: target });
      return entrySegment(path, entry, source, target);
    });
    const packed: PackedSet = { archivePath: path, source, directory, members };
    return { name: names[i], shp: shp as FileSegment, shx, dbf, prj, cpg, packed };
  });
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

/** Describes a file that is neither a zip nor a .shp. */
function describeOther(name: string, start: Uint8Array): string {
  const part = splitPath(name)?.part;
  return part === undefined
    ? lookOf(start)
    : `the ${part} of a shapefile alone; send all files of the shapefile in one zip archive`;
}

function findSiblings(file: InputFile, start: Uint8Array): ShapefileSet {
  const isShp = startsWithFileCode(start);
  if (!isShp && !/\.shp$/i.test(file.name))
    throw failure(generalErrors.INPUT_WRONG_FORMAT, {
      source: file.name,
      expected: 'a zip archive with a shapefile, or a .shp',
      found: describeOther(file.name, start),
    });
  const folder = directoryOf(file.path);
  const base = fileName(file.path).replace(/\.shp$/i, '');
  const siblings = new Map<Part, string>();
  for (const name of namesIn(folder).sort()) {
    const split = splitPath(name);
    if (split === null || split.base.toLowerCase() !== base.toLowerCase()) continue;
    // "A.dbf" and "a.dbf" can both exist: the one spelled like the .shp is used.
    if (!siblings.has(split.part) || split.base === base) siblings.set(split.part, name);
  }
  const segment = (part: Part): FileSegment | null => {
    const name = siblings.get(part);
    return name === undefined ? null : wholeFile(joinedPath(folder, name), name);
  };
  return {
    name: file.name.replace(/\.shp$/i, ''),
    shp: wholeFile(file.path, file.name),
    shx: segment('.shx'),
    dbf: segment('.dbf'),
    prj: segment('.prj'),
    cpg: segment('.cpg'),
    packed: null,
  };
}

function wholeFile(path: string, name: string): FileSegment {
  return { path, name, start: 0, byteLength: fileSize(path) };
}

function startsWithFileCode(start: Uint8Array): boolean {
  return start[0] === 0 && start[1] === 0 && start[2] === 0x27 && start[3] === 0x0a;
}

/** Made by programs from the other files. */
const DERIVED = /\.(?:sbn|sbx|qix|cst|idm|ind|atx|fbn|fbx|ain|aih)$/i;

/** Members of an archive that belong to no shapefile; none for a loose .shp. */
export async function otherMembers(
  file: InputFile,
  limits: OpenContext['limits'],
): Promise<readonly string[]> {
  if (!isZip(firstBytes(file))) return [];
  const entries = await readZipDirectory(file.path, file.name, new UnpackBudget(limits));
  return entries
    .map((entry) => entry.name)
    .filter((member) => !member.endsWith('/') && !isHidden(member))
    .filter((member) => splitPath(member) === null && !DERIVED.test(member));
}
