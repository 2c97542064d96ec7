/** The lines and rings of a topology, one after another in typed arrays. */

export interface LineSet {
  /** `stride` ordinates per position. */
  readonly coordinates: Float64Array<ArrayBuffer>;
  readonly stride: 2 | 3;
  /** Line i has positions [i] .. [i + 1]. */
  readonly offsets: Uint32Array;
  /** 1: a ring, whose last position is the first one. */
  readonly isRing: Uint8Array;
}

/** How coordinates become points of a grid: i = round((x - translate) / scale). */
export interface Grid {
  readonly scale: readonly [x: number, y: number];
  readonly translate: readonly [x: number, y: number];
}

/** The grid of `count` points along each axis of the bounds. */
export function gridOf(bounds: ArrayLike<number>, count: number): Grid {
  const step = (low: number, high: number): number => (high > low ? (high - low) / (count - 1) : 1);
  return {
    scale: [step(bounds[0], bounds[2]), step(bounds[1], bounds[3])],
    translate: [bounds[0], bounds[1]],
  };
}

/**
 * The lines on a grid, without repeated positions; a line keeps two positions and a ring four. Overwrites the coordinates
 * of `lines`. `collapsed`: number of lines that became a single point.
 */
export function onGrid(
  { coordinates, stride, offsets, isRing }: LineSet,
  { scale, translate }: Grid,
): { readonly lines: LineSet; readonly collapsed: number } {
  const lineCount = isRing.length;
  const kept = new Uint32Array(lineCount + 1);
  let collapsed = 0;
  let to = 0;
  for (let line = 0; line < lineCount; line++) {
    const first = to;
    for (let position = offsets[line]; position < offsets[line + 1]; position++) {
      const from = position * stride;
      const x = Math.round((coordinates[from] - translate[0]) / scale[0]);
      const y = Math.round((coordinates[from + 1] - translate[1]) / scale[1]);
      if (to > first && coordinates[to - stride] === x && coordinates[to - stride + 1] === y) continue;
      coordinates[to] = x;
      coordinates[to + 1] = y;
      if (stride === 3) coordinates[to + 2] = coordinates[from + 2];
      to += stride;
    }
    const least = Math.min(isRing[line] === 1 ? 4 : 2, offsets[line + 1] - offsets[line]);
    if (to - first === stride && least > 1) collapsed++;
    while (to > first && (to - first) / stride < least) {
      coordinates.copyWithin(to, first, first + stride);
      to += stride;
    }
    kept[line + 1] = to / stride;
  }
  return { lines: { coordinates: coordinates.subarray(0, to), stride, offsets: kept, isRing }, collapsed };
}
