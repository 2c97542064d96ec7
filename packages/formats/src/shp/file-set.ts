/** The shapefiles in an input. */
import { failure } from '@geomill/core/messages/errors.ts';
import type { FileSegment } from '@geomill/io/file-segment.ts';
import { namesIn } from '@geomill/platform/files.ts';
import { directoryOf, fileName, joinedPath } from '@geomill/platform/paths.ts';
import { type FileSetKind, findFileSets, otherMembers as membersOfNoSet } from '../file-sets.ts';
import type { PackedSet } from '../packed-set.ts';
import type { InputFile, OpenContext } from '../reader.ts';
import { shpErrors } from './messages.ts';

export interface ShapefileSet {
  /** File name without folder and extension; unique among the sets of an input. */
  readonly name: string;
  /** Null: a .dbf alone, which is a table without geometries. */
  readonly shp: FileSegment | null;
  readonly shx: FileSegment | null;
  readonly dbf: FileSegment | null;
  readonly prj: FileSegment | null;
  readonly cpg: FileSegment | null;
  /** The archive that the files are unpacked from; null for loose files. */
  readonly packed: PackedSet | null;
}

interface Shapefiles {
  readonly sets: readonly ShapefileSet[];
  /** Returns an unused path in the scratch directory. */
  readonly scratchPath: () => string;
}

const KIND: FileSetKind<'.shp' | '.shx' | '.dbf' | '.prj' | '.cpg'> = {
  parts: ['.shp', '.shx', '.dbf', '.prj', '.cpg'],
  lone: '.dbf',
  isMain: (start) => start[0] === 0 && start[1] === 0 && start[2] === 0x27 && start[3] === 0x0a,
  expected: 'a zip archive with a shapefile, a .shp or a .dbf',
  one: 'shapefile',
  missing: (source, found) => failure(shpErrors.SHP_MEMBER_MISSING, { source, member: '.shp file', found }),
};

const TABLE = /\.dbf$/i;

/** Throws INPUT_EMPTY, INPUT_WRONG_FORMAT, SHP_MEMBER_MISSING and the errors of reading a zip. */
export async function findShapefiles(file: InputFile, context: OpenContext): Promise<Shapefiles> {
  const { sets, scratchPath } = await findFileSets(ofShapes(file), KIND, context);
  return {
    sets: sets.map(({ name, files, packed }) => ({
      name,
      shp: files['.shp'],
      shx: files['.shx'],
      dbf: files['.dbf'],
      prj: files['.prj'],
      cpg: files['.cpg'],
      packed,
    })),
    scratchPath,
  };
}

/** The .shp beside a .dbf, if there is one: the table is one of the files of the shapefile then. */
function ofShapes(file: InputFile): InputFile {
  if (!TABLE.test(file.path)) return file;
  const stem = fileName(file.path).replace(TABLE, '').toLowerCase();
  const shapes = namesIn(directoryOf(file.path)).find((name) => name.toLowerCase() === `${stem}.shp`);
  if (shapes === undefined) return file;
  return { ...file, path: joinedPath(directoryOf(file.path), shapes), name: shapes };
}

/** Made by programs from the other files. */
const DERIVED = /\.(?:sbn|sbx|qix|cst|idm|ind|atx|fbn|fbx|ain|aih)$/i;

/** Members of an archive that belong to no shapefile; none for a loose .shp. */
export async function otherMembers(
  file: InputFile,
  limits: OpenContext['limits'],
): Promise<readonly string[]> {
  return (await membersOfNoSet(file, KIND, limits)).filter((member) => !DERIVED.test(member));
}
