/**
 * Reassembles the features from entities that our own writer made:
 *
 *     HATCH        feature:MultiPolygon, fill      first polygon: its fill, ignored while its outline exists
 *     LWPOLYLINE   part, shell                     its shell
 *     LWPOLYLINE   part, hole
 *     HATCH        part, fill                      second polygon
 *     LWPOLYLINE   part, shell
 *
 * Entities that were moved or reshaped in a CAD program are read as drawn. Deleted entities are missing, but a polygon
 * without its outline is read from its fill.
 */
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  hasZ,
  PART_KIND,
  PART_KIND_MASK,
} from '@geomill/core/geometry/geometry-column.ts';
import {
  type Entity,
  EntityError,
  type EntityTags,
  type ShapeFunction,
  type StrokeOptions,
} from '../contract.ts';
import type { EntityScan } from '../head/drawing.ts';
import { IDENTITY } from '../shapes/affine-map.ts';
import { type OwnXdata, ROLE } from './xdata-read.ts';

const KIND_OF_ROLE: readonly number[] = [
  0,
  PART_KIND.point,
  PART_KIND.line,
  PART_KIND.polygon,
  PART_KIND.polygon,
  PART_KIND.polygon,
  PART_KIND.point,
];

/** Notes an entity that cannot be drawn; rethrows errors other than EntityError. */
type SkipEntity = (tags: EntityTags, error: unknown) => void;

export class OwnFeatures {
  /** A feature has begun and may continue. */
  isOpen = false;
  readonly #builder: GeometryBuilder;
  readonly #scan: EntityScan;
  readonly #shapes: ReadonlyMap<string, ShapeFunction>;
  readonly #stroke: StrokeOptions;
  readonly #skip: SkipEntity;
  /** The geometry of one entity. */
  readonly #scratch = new GeometryBuilder('XY', 8, 1 << 12);
  #type = 0;
  #hasZ = false;
  #firstPart = 0;
  /** PART_KINDs of the parts, as bits. */
  #kinds = 0;
  /** The polygon's shell was read and its holes may follow: MULTI mark of the part; -1: none. */
  #openPolygon = -1;
  /** Byte range of a fill whose outline has not been read yet; -1: none. */
  #fillStart = -1;
  #fillEnd = -1;
  #fillMark = 0;

  constructor(
    builder: GeometryBuilder,
    scan: EntityScan,
    shapes: ReadonlyMap<string, ShapeFunction>,
    stroke: StrokeOptions,
    skip: SkipEntity,
  ) {
    this.#skip = skip;
    this.#builder = builder;
    this.#scan = scan;
    this.#shapes = shapes;
    // A closed line of our own writer is a line, whatever the option for other drawings.
    this.#stroke = { ...stroke, closedAsPolygons: false };
  }

  begin(xdata: OwnXdata): void {
    this.isOpen = true;
    this.#type = xdata.type;
    this.#hasZ = xdata.hasZ;
    this.#firstPart = this.#builder.partCount;
    this.#kinds = 0;
    if (xdata.hasZ && !hasZ(this.#builder.dimensions)) this.#builder.widen('XYZ');
  }

  /** Adds the entity in bytes `[start, end)`, the first or a further one of the feature. */
  add(entity: Entity, xdata: OwnXdata, start: number, end: number): void {
    try {
      this.#add(entity, xdata, start, end);
    } catch (error) {
      this.#skip(entity.tags, error);
    }
  }

  #add(entity: Entity, xdata: OwnXdata, start: number, end: number): void {
    const { role, mark } = xdata;
    // Its text is an attribute of the feature.
    if (role === ROLE.label) return;
    if (role === ROLE.hole) {
      this.#addHole(entity);
      return;
    }
    this.#endPolygon();
    if (role === ROLE.shell) this.#fillStart = -1;
    this.#endFill();
    if (role === ROLE.fill) {
      this.#fillStart = start;
      this.#fillEnd = end;
      this.#fillMark = mark;
      return;
    }
    this.#draw(entity);
    this.#copyRing(role === ROLE.shell);
    if (role === ROLE.shell) this.#openPolygon = mark;
    else this.#endPart(KIND_OF_ROLE[role] | mark);
  }

  /** Ends the feature; the caller has appended its attributes. */
  close(): void {
    this.#endPolygon();
    this.#endFill();
    this.isOpen = false;
    this.#builder.endFeature(this.#fittingType());
  }

  #addHole(entity: Entity): void {
    // Without its shell, the fill is read instead, including the holes.
    if (this.#openPolygon < 0 && this.#fillStart >= 0) return;
    if (this.#openPolygon < 0) throw new EntityError('it is a hole whose outline is gone');
    this.#draw(entity);
    this.#copyRing(true);
  }

  /** Draws the entity into `#scratch`. */
  #draw(entity: Entity): void {
    // A point that is the INSERT of a block is where that is inserted.
    const { type } = entity.tags;
    const shape = this.#shapes.get(type === 'INSERT' ? 'POINT' : type);
    if (shape === undefined) throw new EntityError('its type holds no outline');
    this.#scratch.rewind(0);
    if (shape(entity, IDENTITY, this.#stroke, this.#scratch) === 0) throw new EntityError('it is empty');
  }

  /** Copies the first ring of `#scratch`. */
  #copyRing(isArea: boolean): void {
    this.#copy(0, this.#scratch.positionCount, isArea);
    this.#builder.endRing();
  }

  /** Copies positions `[from, to)` of `#scratch`; rings of areas are closed. */
  #copy(from: number, to: number, isArea: boolean): void {
    const { coordinates, stride } = this.#scratch;
    const builder = this.#builder;
    let zUsed = this.#hasZ;
    // A feature without Z has one if it was lifted in a CAD program. (NaN, for entities without z, is not greater than
    // 0.)
    for (let i = from * stride + 2; stride > 2 && !zUsed && i < to * stride; i += stride)
      zUsed = Math.abs(coordinates[i]) > 0;
    if (zUsed && !hasZ(builder.dimensions)) builder.widen('XYZ');
    const targetStride = builder.stride;
    builder.reserve((to - from + 1) * targetStride);
    const target = builder.coordinates;
    const begin = builder.coordinateLength;
    let at = begin;
    for (let i = from * stride; i < to * stride; i += stride) {
      target[at] = coordinates[i];
      target[at + 1] = coordinates[i + 1];
      if (targetStride > 2) target[at + 2] = !zUsed ? Number.NaN : stride > 2 ? coordinates[i + 2] || 0 : 0;
      at += targetStride;
    }
    builder.coordinateLength = isArea ? closedEnd(target, begin, at, targetStride) : at;
  }

  #endPolygon(): void {
    if (this.#openPolygon < 0) return;
    this.#endPart(PART_KIND.polygon | this.#openPolygon);
    this.#openPolygon = -1;
  }

  #endPart(kind: number): void {
    this.#builder.endPart(kind);
    this.#kinds |= 1 << (kind & PART_KIND_MASK);
  }

  /** Reads a fill whose outline is missing. */
  #endFill(): void {
    if (this.#fillStart < 0) return;
    const start = this.#fillStart;
    this.#fillStart = -1;
    this.#scan(start, this.#fillEnd, (entity) => {
      try {
        this.#draw(entity);
      } catch (error) {
        this.#skip(entity.tags, error);
        return;
      }
      this.#copyAreas();
    });
  }

  /** Copies the polygons in `#scratch`. */
  #copyAreas(): void {
    const { partKinds, ringOffsets, coordOffsets } = this.#scratch.finish();
    for (let part = 0; part < partKinds.length; part++) {
      if (partKinds[part] !== PART_KIND.polygon) continue;
      for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
        this.#copy(coordOffsets[ring], coordOffsets[ring + 1], true);
        this.#builder.endRing();
      }
      this.#endPart(PART_KIND.polygon | this.#fillMark);
    }
  }

  /** The original type of the feature, unless parts were deleted or duplicated so that it no longer matches. */
  #fittingType(): number {
    const type = this.#type;
    const parts = this.#builder.partCount - this.#firstPart;
    if (parts === 0 || type === GEOMETRY_TYPE.geometryCollection) return type;
    // The difference between the types of one part and of several is the same for all three kinds.
    const isMulti = type >= GEOMETRY_TYPE.multiPoint;
    const kind = isMulti ? type - (GEOMETRY_TYPE.multiPoint - GEOMETRY_TYPE.point) : type;
    if (this.#kinds !== 1 << kind) return GEOMETRY_TYPE.geometryCollection;
    return isMulti || parts === 1 ? type : kind + (GEOMETRY_TYPE.multiPoint - GEOMETRY_TYPE.point);
  }
}

/**
 * Closes the ring in `coordinates[begin, end)`, which has space for one more position, and returns its end. A ring is
 * closed if it returns in the plane, at any height: then the position that closed the polyline is removed.
 */
function closedEnd(coordinates: Float64Array, begin: number, end: number, stride: number): number {
  const last = end - stride;
  if (last <= begin) return end;
  if (!isSamePlace(coordinates, begin, last)) {
    for (let k = 0; k < stride; k++) coordinates[end + k] = coordinates[begin + k];
    return end + stride;
  }
  const before = last - stride;
  const isDoubled =
    stride > 2 &&
    before > begin &&
    isSamePlace(coordinates, begin, before) &&
    coordinates[last + 2] === coordinates[begin + 2] &&
    coordinates[before + 2] !== coordinates[begin + 2];
  return isDoubled ? last : end;
}

function isSamePlace(coordinates: Float64Array, a: number, b: number): boolean {
  return coordinates[a] === coordinates[b] && coordinates[a + 1] === coordinates[b + 1];
}
