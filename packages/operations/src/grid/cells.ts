/** Cells by their column and row; all corners are on one lattice, so that neighbours share them exactly. */

export interface Cells {
  /** Column and row of the cell that a position is in. */
  at(x: number, y: number): readonly [column: number, row: number];
  /** Closed ring of a cell, counterclockwise: x, y, ... */
  ring(column: number, row: number): readonly number[];
  /** The columns of a row, and the rows, that can meet a box: inclusive. */
  rows(south: number, north: number): readonly [number, number];
  columns(row: number, west: number, east: number): readonly [number, number];
}

export function squares(size: number): Cells {
  return {
    at: (x, y) => [Math.floor(x / size), Math.floor(y / size)],
    ring(column, row) {
      const [west, east, south, north] = [column * size, (column + 1) * size, row * size, (row + 1) * size];
      return [west, south, east, south, east, north, west, north, west, south];
    },
    rows: (south, north) => [Math.floor(south / size), Math.floor(north / size)],
    columns: (_, west, east) => [Math.floor(west / size), Math.floor(east / size)],
  };
}

/** Hexagons with two sides parallel to y. Odd rows are half a cell to the east. `size`: between those sides. */
export function hexagons(size: number): Cells {
  const halfWidth = size / 2;
  /** Half the length of a side. */
  const unit = size / Math.sqrt(3) / 2;
  const shiftOf = (row: number): number => Math.abs(row % 2);
  return {
    at(x, y) {
      // Axial coordinates, rounded to the nearest centre.
      const r = y / (3 * unit);
      const q = x / size - r / 2;
      const s = -q - r;
      let [roundedQ, roundedR] = [Math.round(q), Math.round(r)];
      const roundedS = Math.round(s);
      const [dq, dr, ds] = [Math.abs(roundedQ - q), Math.abs(roundedR - r), Math.abs(roundedS - s)];
      if (dq > dr && dq > ds) roundedQ = -roundedR - roundedS;
      else if (dr > ds) roundedR = -roundedQ - roundedS;
      return [roundedQ + Math.floor(roundedR / 2), roundedR];
    },
    ring(column, row) {
      const x = 2 * column + shiftOf(row);
      const y = 3 * row;
      const corners = [
        [x + 1, y - 1],
        [x + 1, y + 1],
        [x, y + 2],
        [x - 1, y + 1],
        [x - 1, y - 1],
        [x, y - 2],
        [x + 1, y - 1],
      ];
      return corners.flatMap(([i, j]) => [i * halfWidth, j * unit]);
    },
    rows: (south, north) => [Math.ceil(south / (3 * unit) - 2 / 3), Math.floor(north / (3 * unit) + 2 / 3)],
    columns: (row, west, east) => [
      Math.ceil((west / halfWidth - shiftOf(row) - 1) / 2),
      Math.floor((east / halfWidth - shiftOf(row) + 1) / 2),
    ],
  };
}
