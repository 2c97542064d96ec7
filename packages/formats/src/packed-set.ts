/** Files of an input that are members of a zip archive, and are unpacked together while a layer is read. */
import type { UnpackedSet } from '@geomill/io/scratch-space.ts';
import { isStored, unpackEntry, type ZipEntry } from '@geomill/io/zip-read.ts';

/** Plain data: sent with the layer. */
export interface PackedSet {
  readonly archivePath: string;
  /** The archive's name for messages. */
  readonly source: string;
  readonly directory: string;
  readonly members: readonly PackedMember[];
}

export interface PackedMember {
  readonly entry: ZipEntry;
  /** Path of the unpacked file. */
  readonly path: string;
}

export function unpackedSet({ archivePath, source, directory, members }: PackedSet): UnpackedSet {
  return {
    directory,
    byteLength: members.reduce((sum, { entry }) => sum + (isStored(entry) ? 0 : entry.unpackedBytes), 0),
    async unpack() {
      const unpacking = members.map(({ entry, path }) => unpackEntry(archivePath, entry, source, path));
      // If one fails the others still write: the job must not end before all of them have finished with its files.
      await Promise.allSettled(unpacking);
      await Promise.all(unpacking);
    },
  };
}

/** Whether files of the set have to be unpacked before they can be read. */
export function isCompressed(packed: PackedSet | null): boolean {
  return packed?.members.some(({ entry }) => !isStored(entry)) ?? false;
}
