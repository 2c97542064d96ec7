/** How much memory the pages of a file take. */
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { ChunkReader } from './chunk-reader.ts';
import { chunkOf, type RowGroups } from './row-groups.ts';
import type { SchemaNode } from './schema.ts';

/** Unpacked pages of all columns that each thread may keep. */
const MOST_BYTES = 1 << 26;
/** Pages of smaller columns are not counted: to read the head of each page would take longer. */
const SMALL_COLUMN_BYTES = 1 << 24;

/**
 * Whether the pages that a thread keeps, those of all columns at a row, are so large that only one thread should read
 * them. By the first page of each column in a row group: writers make them alike. Throws ParquetFault.
 */
export function hasLargePages(
  source: ByteSource,
  groups: RowGroups,
  leaves: readonly SchemaNode[],
  mostBytes = MOST_BYTES,
): boolean {
  const { leafCount, firstRows, unpackedBytes } = groups;
  const least = Math.min(SMALL_COLUMN_BYTES, mostBytes);
  for (let group = 0; group + 1 < firstRows.length; group++) {
    let bytes = 0;
    for (const leaf of leaves)
      if (unpackedBytes[group * leafCount + leaf.firstLeaf] > least)
        bytes += new ChunkReader(leaf, chunkOf(groups, group, leaf)).firstPageBytes(source);
    if (bytes > mostBytes) return true;
  }
  return false;
}
