/**
 * Buffers of star-shaped polygons, whose whole outline is visible from one point (nearly all buildings and
 * parcels), without GEOS: in 10 % of its time for rectangles, 12 % for L-shaped buildings, 24 % for 30 random corners
 * (CPU time of 10,000 polygons, distance 10 m; 94 % of the last kind can be drawn this way).
 *
 * The buffer of a polygon that is star-shaped about c is star-shaped about c as well. Its outline is drawn as offset
 * edges and arcs, which go around c without turning back, except that at each reflex vertex the outline jumps back:
 *
 *       chain A  ____________/ X     the outline follows A up to the crossing X, and B from there;
 *                      _____/ \      what is hidden below is not part of it
 *            chain B  /      \_|
 *
 * So the outline is the upper envelope, seen from c, of the chains between reflex vertices. Vertices are those of GEOS:
 * arcs divided in the same way, the same small concavities left out. Unclear cases (chains that cross more than
 * once, chains that reach over the start) are left to GEOS: `append` then appends nothing and returns false.
 */
import {
  GEOMETRY_TYPE,
  type GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
} from '@geomill/core/geometry/geometry-column.ts';
import { StarOutline } from './star-outline.ts';
import { MAX_REACH, StarRing } from './star-ring.ts';

/** Vertices closer than this (per distance) to the one before are left out. */
const LEAST_STEP = 1e-5;

export class StarBuffer {
  readonly #distance: number;
  readonly #ring: StarRing;
  readonly #outline: StarOutline;

  /** `distance` > 0, in the unit of the coordinates; round joins. */
  constructor(distance: number, quadrantSegments: number) {
    this.#distance = distance;
    this.#ring = new StarRing(distance);
    this.#outline = new StarOutline(this.#ring, distance, quadrantSegments);
  }

  /**
   * Appends the buffer of a Polygon row, or of a MultiPolygon with one part, as one feature. False, and nothing appended,
   * if GEOS is needed.
   */
  append(column: GeometryColumn, row: number, builder: GeometryBuilder): boolean {
    return this.#ring.read(column, row) && this.#outline.draw() && this.#write(builder);
  }

  /** Writes the outline. The rounded positions are checked: an outline that goes around the centre once is valid. */
  #write(builder: GeometryBuilder): boolean {
    const count = this.#outline.count;
    const centreX = this.#ring.centreX;
    const centreY = this.#ring.centreY;
    const outX = this.#outline.x;
    const outY = this.#outline.y;
    builder.reserve(2 * (count + 1));
    const { coordinates } = builder;
    const start = builder.coordinateLength;
    const leastSquare = (LEAST_STEP * this.#distance) ** 2;
    const rounding = 1e-15 * (Math.abs(centreX) + Math.abs(centreY) + MAX_REACH * this.#distance);
    let to = start;
    let lastX = 0;
    let lastY = 0;
    let turns = 0;
    for (let i = 0; i < count; i++) {
      const writtenX = centreX + outX[i];
      const writtenY = centreY + outY[i];
      const x = writtenX - centreX;
      const y = writtenY - centreY;
      if (to > start) {
        const stepX = x - lastX;
        const stepY = y - lastY;
        if (stepX * stepX + stepY * stepY < leastSquare) continue;
        const most = Math.abs(x) + Math.abs(y) + Math.abs(lastX) + Math.abs(lastY);
        if (!(lastX * y - lastY * x > rounding * most)) return false;
        if (lastY < 0 && y >= 0) turns++;
      }
      coordinates[to++] = writtenX;
      coordinates[to++] = writtenY;
      lastX = x;
      lastY = y;
    }
    // The seam came twice, in the same digits or nearly: it closes the ring.
    const firstX = coordinates[start];
    const firstY = coordinates[start + 1];
    const gapX = lastX - (firstX - centreX);
    const gapY = lastY - (firstY - centreY);
    if (turns !== 1 || !(gapX * gapX + gapY * gapY < leastSquare)) return false;
    coordinates[to - 2] = firstX;
    coordinates[to - 1] = firstY;
    if (to - start < 8) return false;
    builder.coordinateLength = to;
    builder.endRing();
    builder.endPart(PART_KIND.polygon);
    builder.endFeature(GEOMETRY_TYPE.polygon);
    return true;
  }
}
