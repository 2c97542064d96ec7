/** Recognizes columns without a value: programs that find no geometry to take the type from write any type. */
import type { FileMetadata } from './metadata.ts';
import { readRowGroups } from './row-groups.ts';
import { leavesOf, type SchemaNode } from './schema.ts';

/**
 * Returns whether no row of a column has a value: the column has the null type of Arrow, the file has no rows, or the statistics of
 * each row group count as many nulls as values. Throws ParquetFault.
 */
export function isEmptyColumn(
  metadata: FileMetadata,
  leaves: readonly SchemaNode[],
  node: SchemaNode,
): boolean {
  if (node.logical?.kind === 'unknown') return true;
  const own = new Set(leavesOf(node).map(({ firstLeaf }) => firstLeaf));
  let isEmpty = true;
  readRowGroups(metadata, leaves, { geometry: -1, box: null }, (_group, leaf, { nullCount, valueCount }) => {
    if (own.has(leaf) && valueCount > 0 && nullCount !== valueCount) isEmpty = false;
  });
  return isEmpty;
}
