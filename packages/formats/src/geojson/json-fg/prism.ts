/** Extrudes the base of a prism from its lower to its upper limit: points become lines, lines and polygons the polygons around the solid. */
import {
  GEOMETRY_TYPE,
  type GeometryBuilder,
  type GeometryColumn,
  hasM,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';

export interface PrismLimits {
  readonly lower: number;
  readonly upper: number;
}

/** Appends the prism of a base, which is a column of one feature; returns its GEOMETRY_TYPE. `builder` has Z, and M if the base has. */
export function appendPrism(builder: GeometryBuilder, base: GeometryColumn, limits: PrismLimits): number {
  const pen = new PrismPen(builder, base, limits);
  const kinds = new Set<number>();
  for (let part = 0; part < base.partKinds.length; part++) {
    const kind = base.partKinds[part] & PART_KIND_MASK;
    kinds.add(kind);
    pen.part(kind, base.ringOffsets[part], base.ringOffsets[part + 1]);
  }
  if (kinds.size > 1) return GEOMETRY_TYPE.geometryCollection;
  if (!kinds.has(PART_KIND.point)) return GEOMETRY_TYPE.multiPolygon;
  return base.partKinds.length === 1 ? GEOMETRY_TYPE.lineString : GEOMETRY_TYPE.multiLineString;
}

class PrismPen {
  readonly #builder: GeometryBuilder;
  readonly #base: GeometryColumn;
  readonly #limits: PrismLimits;

  constructor(builder: GeometryBuilder, base: GeometryColumn, limits: PrismLimits) {
    this.#builder = builder;
    this.#base = base;
    this.#limits = limits;
  }

  part(kind: number, firstRing: number, endRing: number): void {
    const { lower, upper } = this.#limits;
    const builder = this.#builder;
    const { coordOffsets } = this.#base;
    if (kind === PART_KIND.polygon) this.#face(firstRing, endRing, lower);
    for (let ring = firstRing; ring < endRing; ring++) {
      const start = coordOffsets[ring];
      const end = coordOffsets[ring + 1];
      if (kind === PART_KIND.point) {
        this.#position(start, lower);
        this.#position(start, upper);
        builder.endRing();
        builder.endPart(PART_KIND.line);
      } else for (let i = start; i + 1 < end; i++) this.#wall(i, i + 1);
    }
    if (kind === PART_KIND.polygon) this.#face(firstRing, endRing, upper);
  }

  #wall(from: number, to: number): void {
    const { lower, upper } = this.#limits;
    this.#position(from, lower);
    this.#position(to, lower);
    this.#position(to, upper);
    this.#position(from, upper);
    this.#position(from, lower);
    this.#builder.endRing();
    this.#builder.endPart(PART_KIND.polygon);
  }

  #face(firstRing: number, endRing: number, height: number): void {
    const { coordOffsets } = this.#base;
    for (let ring = firstRing; ring < endRing; ring++) {
      for (let i = coordOffsets[ring]; i < coordOffsets[ring + 1]; i++) this.#position(i, height);
      this.#builder.endRing();
    }
    this.#builder.endPart(PART_KIND.polygon);
  }

  #position(index: number, height: number): void {
    const { coordinates, dimensions } = this.#base;
    const stride = strideOf(dimensions);
    const at = index * stride;
    const m = hasM(dimensions) ? coordinates[at + stride - 1] : Number.NaN;
    this.#builder.position(coordinates[at], coordinates[at + 1], height, m);
  }
}
