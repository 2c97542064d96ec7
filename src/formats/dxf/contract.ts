/**
 * What the parts of the DXF codec agree on: entities as tags, shapes as functions from tags to geometry.
 *
 * A DXF file is a list of tags: a group code, which says what a value is, and the value. An entity is the run of tags
 * from one with code 0 to before the next. See docs/formats/dxf.md.
 */
import type { Stroking } from '../../batch/arc.ts';
import type { GeometryBuilder } from '../../batch/geometry-column.ts';

/** The tags of one entity, without the leading code 0. Reused from entity to entity: keep nothing of it. */
export interface EntityTags {
  /** The value of code 0: "LINE", "HATCH", ... */
  readonly type: string;
  readonly count: number;
  /** Group codes; valid below `count`. */
  readonly codes: Int16Array;
  /** Index of the first tag with the code at or after `from`, below `end` (by default `count`); -1 if there is none. */
  find(code: number, from?: number, end?: number): number;
  /** The value as a number; NaN when it is none. */
  real(index: number): number;
  /** The value as an integer, a fraction truncated as AutoCAD does; throws an EntityError when it is not a finite number. */
  integer(index: number): number;
  /**
   * The bytes that the values stand in where text in them is UTF-8; null where `text` must decode (old code pages, kept
   * tags). Value i is `bytes[starts[i], ends[i])`; text as the file has it, blanks at its ends included, escapes unresolved.
   */
  readonly bytes: Uint8Array | null;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** The value as text: decoded by the drawing's encoding, \U+XXXX and \M+nXXXX resolved; control codes (%%d, ^J, MTEXT) are not. */
  text(index: number): string;
}

/** An entity with those that belong to it: VERTEX of a POLYLINE, ATTRIB of an INSERT; without SEQEND. */
export interface Entity {
  readonly tags: EntityTags;
  readonly parts: readonly EntityTags[];
}

/**
 * Row-major 3 x 4 affine map: x' = m[0] x + m[1] y + m[2] z + m[3], and so on. Shapes get the map from the coordinates of
 * the space that their entity stands in (a block's or the layout's) to the drawing's world coordinates.
 */
export type AffineMap = Float64Array;

export interface StrokeOptions extends Stroking {
  /** Whether closed polylines become polygons; lines otherwise, as GDAL reads them. */
  readonly closedAsPolygons: boolean;
}

/**
 * Appends the geometry of an entity as one feature's parts to the builder (positions, endRing, endPart; never endFeature) and
 * returns its GEOMETRY_TYPE; 0 when the entity has no geometry (nothing was appended then). Applies OCS itself (arbitrary axis
 * rule), then `map`. Widens the builder to XYZ only when a z is not 0. Throws EntityError for what cannot be drawn; the caller
 * rolls the builder back, skips the entity and reports it.
 */
export type ShapeFunction = (
  entity: Entity,
  map: AffineMap,
  stroke: StrokeOptions,
  builder: GeometryBuilder,
) => number;

/** What is wrong with one entity. Costs the entity, never the drawing. */
export class EntityError extends Error {}

/** `EntityTags.integer` of every implementation. */
export function truncatedInteger(tags: EntityTags, index: number): number {
  const value = Math.trunc(tags.real(index));
  if (Number.isFinite(value)) return value;
  const text = tags.text(index).slice(0, 40);
  throw new EntityError(`group code ${tags.codes[index]} should be an integer, not '${text}'`);
}
