/**
 * The central directories of zip archives, also of those with zip64. Checks only what is needed to find the entries: names, sizes and offsets are
 * those that the archive states.
 */
import yauzl from 'yauzl';
import type { DirectoryEntry } from '../shared-types.ts';

export type { DirectoryEntry } from '../shared-types.ts';

/** Calls `begin` with the number of entries, then `take` with each. Rejects with what these throw, and for damaged archives. */
export async function readDirectory(
  path: string,
  begin: (entryCount: number) => void,
  take: (entry: DirectoryEntry) => void,
): Promise<void> {
  const archive = await openArchive(path);
  try {
    begin(archive.entryCount);
    await new Promise<void>((resolve, reject) => {
      archive.on('error', reject);
      archive.on('end', resolve);
      archive.on('entry', (entry: yauzl.Entry) => {
        try {
          take(described(entry));
          archive.readEntry();
        } catch (error) {
          reject(error);
        }
      });
      archive.readEntry();
    });
  } finally {
    archive.close();
  }
}

function openArchive(path: string): Promise<yauzl.ZipFile> {
  return new Promise((resolve, reject) => {
    yauzl.open(path, { lazyEntries: true, autoClose: false, decodeStrings: false }, (error, archive) => {
      if (error !== null) reject(error);
      else resolve(archive);
    });
  });
}

function described(entry: yauzl.Entry): DirectoryEntry {
  return {
    // With decodeStrings off, yauzl returns the bytes of the name; its type declarations do not say so.
    nameBytes: entry.fileName as unknown as Uint8Array,
    flags: entry.generalPurposeBitFlag,
    method: entry.compressionMethod,
    packedBytes: entry.compressedSize,
    unpackedBytes: entry.uncompressedSize,
    crc32: entry.crc32,
    versionMadeBy: entry.versionMadeBy,
    externalAttributes: entry.externalFileAttributes,
    headerOffset: entry.relativeOffsetOfLocalHeader,
  };
}
