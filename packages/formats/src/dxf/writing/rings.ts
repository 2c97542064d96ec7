/** The rings of the current part, and the facts that decide how it is drawn. */
import { type GeometryColumn, hasZ, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import type { Run } from './geometry-entities.ts';

export class Rings {
  /** Reused; the first `count` are valid. */
  readonly runs: Run[] = [];
  count = 0;
  readonly #geometry: GeometryColumn;
  readonly #stride: number;

  constructor(geometry: GeometryColumn) {
    this.#geometry = geometry;
    this.#stride = strideOf(geometry.dimensions);
  }

  isEmpty(ring: number): boolean {
    const { coordOffsets } = this.#geometry;
    return coordOffsets[ring] === coordOffsets[ring + 1];
  }

  /** Adds the rings of a part that have a position, the shell first. */
  take(part: number): void {
    const { ringOffsets } = this.#geometry;
    this.count = 0;
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++)
      if (!this.isEmpty(ring)) this.#add(ring, true);
  }

  /** Adds the positions of a line. */
  takeLine(ring: number): Run {
    this.count = 0;
    return this.#add(ring, false);
  }

  /** Whether the heights of a run differ; only for rows with Z. */
  varies({ start, end }: Run): boolean {
    const { coordinates } = this.#geometry;
    const z = coordinates[start + 2];
    for (let at = start + 2; at < end; at += this.#stride) if (coordinates[at] !== z) return true;
    return false;
  }

  meanZ({ start, end }: Run): number {
    const { coordinates } = this.#geometry;
    const count = (end - start) / this.#stride;
    let mean = 0;
    // Each divided separately: the sum of the largest doubles would overflow.
    for (let at = start + 2; at < end; at += this.#stride) mean += coordinates[at] / count;
    return mean;
  }

  /** Whether a part has one ring of three or four corners. */
  isFace(part: number): boolean {
    const { ringOffsets, coordOffsets } = this.#geometry;
    const ring = ringOffsets[part];
    if (ringOffsets[part + 1] - ring !== 1) return false;
    const first = coordOffsets[ring] * this.#stride;
    const end = coordOffsets[ring + 1] * this.#stride;
    const corners = (end - first) / this.#stride - (this.#isClosed(first, end) ? 1 : 0);
    return corners === 3 || corners === 4;
  }

  /** Whether one of the parts is a face with corners at different heights. */
  anySlope(firstPart: number, endPart: number): boolean {
    for (let part = firstPart; part < endPart; part++) {
      if (!this.isFace(part)) continue;
      this.take(part);
      if (this.varies(this.runs[0])) return true;
    }
    return false;
  }

  /** Adds a ring, without its closing position, or a line. */
  #add(ring: number, isRing: boolean): Run {
    const { coordOffsets } = this.#geometry;
    const stride = this.#stride;
    const start = coordOffsets[ring] * stride;
    const end = coordOffsets[ring + 1] * stride;
    if (this.count === this.runs.length) this.runs.push({ start: 0, end: 0, textStart: 0, textEnd: 0 });
    const run = this.runs[this.count++];
    run.start = start;
    run.end = isRing && end - start > stride && this.#isClosed(start, end) ? end - stride : end;
    run.textStart = 0;
    run.textEnd = 0;
    return run;
  }

  /** Whether the last position equals the first, including height. */
  #isClosed(start: number, end: number): boolean {
    const { coordinates, dimensions } = this.#geometry;
    const last = end - this.#stride;
    if (coordinates[start] !== coordinates[last] || coordinates[start + 1] !== coordinates[last + 1])
      return false;
    if (!hasZ(dimensions)) return true;
    const z = coordinates[start + 2];
    return z === coordinates[last + 2] || Number.isNaN(z);
  }
}
