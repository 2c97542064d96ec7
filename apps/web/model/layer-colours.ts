/** Which colour of the palette each layer has. Pure. */

/** Colours of the palette: --map-layer-1 and so on in map.css. */
export const LAYER_COLOURS = 8;

/**
 * Numbers from 1: layers keep theirs as long as they are there, new ones get the first that is free, or one that the fewest have.
 */
export function assignColours(
  before: ReadonlyMap<string, number>,
  keys: readonly string[],
): ReadonlyMap<string, number> {
  const next = new Map(
    keys.flatMap((key): [string, number][] => {
      const colour = before.get(key);
      return colour === undefined ? [] : [[key, colour]];
    }),
  );
  const used = new Array<number>(LAYER_COLOURS).fill(0);
  for (const colour of next.values()) used[colour - 1]++;
  for (const key of keys) {
    if (next.has(key)) continue;
    const colour = used.indexOf(Math.min(...used)) + 1;
    used[colour - 1]++;
    next.set(key, colour);
  }
  return next;
}
