/** How far the grid of the largest zoom moves positions on the ground. */
import { gridPoint, type Line } from './rings.ts';
import { EXTENT } from './state.ts';

/** Metres around the Earth along the equator. */
const EQUATOR_METRES = 40_075_016.686;

export class Displacement {
  readonly #scale: number;
  readonly #metresPerUnit: number;
  #square = 0;

  constructor(maxZoom: number) {
    this.#scale = EXTENT * 2 ** maxZoom;
    this.#metresPerUnit = EQUATOR_METRES / this.#scale;
  }

  /** The largest displacement measured so far. */
  get metres(): number {
    return Math.sqrt(this.#square) * this.#metresPerUnit;
  }

  /** Positions of the world, whose sides are 1 in Web Mercator. */
  measure(line: Line): void {
    const scale = this.#scale;
    for (let i = 0; i < line.length; i += 2) {
      const x = line[i] * scale;
      const y = line[i + 1] * scale;
      const dx = x - gridPoint(x);
      const dy = y - gridPoint(y);
      const square = dx * dx + dy * dy;
      if (square <= this.#square) continue;
      // Away from the equator the map is larger than the ground by this factor.
      const stretch = Math.cosh(Math.PI * (1 - 2 * line[i + 1]));
      const onGround = square / (stretch * stretch);
      if (onGround > this.#square) this.#square = onGround;
    }
  }
}
