/** How many features a preview takes of each layer. Pure. */

/** The largest number of features per layer with which all layers together have at most `limit`. */
export function countPerLayer(counts: readonly number[], limit: number): number {
  let left = limit;
  const ascending = [...counts].sort((a, b) => a - b);
  for (const [i, count] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - i));
    if (count > share) return Math.max(1, share);
    left -= count;
  }
  return limit;
}
