/** Cuts lines with continuous longitudes at a seam. */
import { cutsBetween, mix, movedBy, type Seam, turnOf } from './crossing.ts';

export interface CutLine {
  /** All ordinates of the positions of each piece, from west to east of the seam in the order of the line. */
  readonly pieces: number[][];
  /** A piece was moved by whole turns. */
  readonly isMoved: boolean;
}

/**
 * `ordinates`: all of each position; longitudes go on over the seam instead of jumping. The pieces are in the turn that ends at the
 * seam.
 */
export function cutLine(ordinates: readonly number[], stride: number, seam: Seam): CutLine {
  const pieces: number[][] = [];
  let isMoved = false;
  let piece: number[] = ordinates.slice(0, stride);
  // The turn of a piece is known from its first edge that does not run along a cut.
  let turn: number | null = null;
  const finish = (): void => {
    const isWithin = piece[0] >= seam.at - seam.turn && piece[0] <= seam.at;
    const own = turn ?? (isWithin ? 0 : turnOf(piece[0], seam));
    for (let at = 0; at < piece.length; at += stride) piece[at] = movedBy(piece[at], -own, seam);
    isMoved ||= own !== 0;
    pieces.push(piece);
  };
  for (let at = stride; at < ordinates.length; at += stride) {
    const x1 = ordinates[at - stride];
    const x2 = ordinates[at];
    let from = x1;
    for (const to of [...cutsBetween(x1, x2, seam), x2]) {
      const own: number | null = from === to ? turn : turnOf((from + to) / 2, seam);
      if (turn !== null && own !== turn) {
        const start = piece.slice(piece.length - stride);
        finish();
        piece = start;
      }
      turn = own;
      const t = to === x2 ? 1 : (to - x1) / (x2 - x1);
      piece.push(to);
      for (let i = 1; i < stride; i++) piece.push(mix(ordinates[at - stride + i], ordinates[at + i], t));
      from = to;
    }
  }
  finish();
  return { pieces, isMoved };
}
