/**
 * The packed Hilbert R-tree between header and features: levels from the root down, each with the boxes of up to `nodeSize`
 * entries of the next level per entry; the last level has one entry for each feature, in the order of the features.
 *
 *     an entry   minX minY maxX maxY f64 | u64: of the last level the offset of the feature, else the number of its first child
 */

export const ENTRY_BYTES = 40;
/** Offset in an entry of what it refers to. */
export const REFERENCE_AT = 32;

/** A level of the tree: numbers of its entries, `[start, end)`. */
export interface Level {
  readonly start: number;
  readonly end: number;
}

/** The levels from the features up to the root. `count` and `nodeSize` are at least 1 and 2. */
export function levelsOf(count: number, nodeSize: number): Level[] {
  const sizes = [count];
  do sizes.push(Math.ceil(sizes[sizes.length - 1] / nodeSize));
  while (sizes[sizes.length - 1] > 1);
  let start = sizes.reduce((sum, size) => sum + size, 0);
  return sizes.map((size) => {
    const end = start;
    start -= size;
    return { start, end };
  });
}
