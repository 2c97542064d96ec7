/**
 * Types shared by the parts of the DXF codec: entities as tags, shapes as functions from tags to geometry.
 *
 * A DXF file is a list of tags: a group code, which determines the meaning of the value, and the value. An entity
 * consists of a tag with code 0 and all tags up to the next one with code 0. See docs/formats/dxf.md.
 */
import type { Stroking } from '@geomill/core/geometry/arc.ts';
import type { GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';

/**
 * The tags of one entity, without the leading code 0. The object is reused for the next entity: keep no reference to
 * it.
 */
export interface EntityTags {
  /** The value of code 0: "LINE", "HATCH", ... */
  readonly type: string;
  readonly count: number;
  /** Group codes; valid below `count`. */
  readonly codes: Int16Array;
  /**
   * Index of the first tag with the code at or after `from`, before `end` (by default `count`); -1 if there is none.
   */
  find(code: number, from?: number, end?: number): number;
  /** The value as a number; NaN if it is not one. */
  real(index: number): number;
  /**
   * The value as an integer, with fractions truncated as in AutoCAD; throws an EntityError if it is not a finite
   * number.
   */
  integer(index: number): number;
  /**
   * The bytes of the values if text in them is UTF-8; null if `text` must decode them (old code pages, kept tags).
   * Value i is `bytes[starts[i], ends[i])`, as in the file: including blanks at its ends, with unresolved escapes.
   */
  readonly bytes: Uint8Array | null;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** The value as text: decoded, with \U+XXXX and \M+nXXXX resolved, but not control codes (%%d, ^J, MTEXT). */
  text(index: number): string;
}

/** An entity and its sub-entities: VERTEX of a POLYLINE, ATTRIB of an INSERT; without SEQEND. */
export interface Entity {
  readonly tags: EntityTags;
  readonly parts: readonly EntityTags[];
}

/**
 * Row-major 3 x 4 affine map: x' = m[0] x + m[1] y + m[2] z + m[3], and so on. Shapes get the map from the coordinates
 * of the entity's space (a block's or the layout's) to the drawing's world coordinates.
 */
export type AffineMap = Float64Array;

export interface StrokeOptions extends Stroking {
  /** Whether closed polylines become polygons; otherwise they are read as lines, as in GDAL. */
  readonly closedAsPolygons: boolean;
}

/**
 * Appends the geometry of an entity to the builder as the parts of one feature (positions, endRing, endPart; never
 * endFeature) and returns its GEOMETRY_TYPE, or 0 if the entity has no geometry (nothing is appended then). Applies the
 * OCS (arbitrary axis rule), then `map`. Widens the builder to XYZ only if a z is not 0. Throws EntityError for an
 * entity that cannot be drawn; the caller rolls the builder back, skips the entity and reports it.
 */
export type ShapeFunction = (
  entity: Entity,
  map: AffineMap,
  stroke: StrokeOptions,
  builder: GeometryBuilder,
) => number;

/** An error in one entity: the entity is skipped, the rest of the drawing is still read. */
export class EntityError extends Error {}

/** The implementation of `EntityTags.integer`. */
export function truncatedInteger(tags: EntityTags, index: number): number {
  const value = Math.trunc(tags.real(index));
  if (Number.isFinite(value)) return value;
  const text = tags.text(index).slice(0, 40);
  throw new EntityError(`group code ${tags.codes[index]} should be an integer, not '${text}'`);
}
