/**
 * Cuts features at the border of a mask, one by one: results have the dimension of the original. Where a feature and the
 * mask share a border, rounding leaves slivers along it: pieces below the tolerance of the mask are dropped, and a feature
 * that loses nothing else stays as it is.
 */
import { copyPart, copyRows } from '@geomill/core/columns/copy-rows.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  hasM,
  hasZ,
  PART_KIND,
  PART_KIND_MASK,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { rowDimensions } from '@geomill/core/geometry/row-dimensions.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import type { GeosGeometry } from '@geomill/geos/geometry.ts';
import type { Geos } from '@geomill/geos/geos.ts';
import { GEOS_TYPE } from '@geomill/geos/native.ts';
import { stepFindings } from '../../findings.ts';
import { isFinitePlane, isRefusal } from '../repaired.ts';
import { emptyBounds, growByRow } from '../row-bounds.ts';
import type { Mask, MaskOperation, MaskPiece } from './mask.ts';
import { PLACE } from './mask-grid.ts';
import { measureOf, thickParts } from './slivers.ts';

/** Result for a feature. */
export const CUT = {
  /** The result is empty, and nothing was appended. */
  nothing: 0,
  /** Appended unchanged. */
  whole: 1,
  /** Appended in part. */
  cut: 2,
  /** The same after a repair. */
  repaired: 3,
} as const;

export type Cut = (typeof CUT)[keyof typeof CUT];

const { point, lineString, polygon, multiPoint, multiPolygon, geometryCollection } = GEOMETRY_TYPE;
/** Added to a GEOMETRY_TYPE it gives that of several such parts. */
const MULTI = multiPoint - point;
/** A line that loses more slivers than this is cut. */
const MAX_LINE_SLIVERS = 16;

export class Cutter {
  readonly #operation: MaskOperation;
  readonly #geos: Geos;
  readonly #mask: Mask;
  readonly #repaired = new RowTally();
  readonly #interpolated = new RowTally();
  readonly #withoutM = new RowTally();
  readonly #slivers = new RowTally();
  /** The row of the current feature has lost a sliver. */
  #hasSlivers = false;

  constructor(operation: MaskOperation, geos: Geos, mask: Mask) {
    this.#operation = operation;
    this.#geos = geos;
    this.#mask = mask;
  }

  /** Appends one feature for the row, or none if the result is empty. */
  cut(column: GeometryColumn, row: number, builder: GeometryBuilder): Cut {
    this.#hasSlivers = false;
    const cut = this.#cutRow(column, row, builder);
    if (this.#hasSlivers) this.#slivers.add(row);
    if (cut < CUT.cut) return cut;
    if (cut === CUT.repaired) this.#repaired.add(row);
    const type = column.types[row];
    if (column.dimensions === 'XY' || type === point || type === multiPoint) return cut;
    const dimensions = rowDimensions(column, row);
    if (hasZ(dimensions)) this.#interpolated.add(row);
    if (hasM(dimensions)) this.#withoutM.add(row);
    return cut;
  }

  note(findings: Findings): void {
    const operation = this.#operation;
    findings.noteTally(stepFindings.GEOMETRY_REPAIRED, { operation }, this.#repaired);
    findings.noteTally(stepFindings.Z_INTERPOLATED, { operation }, this.#interpolated);
    findings.noteTally(generalFindings.M_DROPPED, { format: operation }, this.#withoutM);
    findings.noteTally(
      stepFindings.SLIVERS_DROPPED,
      { operation, tolerance: this.#mask.toleranceText },
      this.#slivers,
    );
  }

  #cutRow(column: GeometryColumn, row: number, builder: GeometryBuilder): Cut {
    const type = column.types[row];
    if (type === point || type === multiPoint) return this.#cutPoints(column, row, builder);
    if (type === geometryCollection) return this.#cutMembers(column, row, builder);
    return this.#cutArea(column, row, builder);
  }

  /** Points on the border are inside. */
  #cutPoints(column: GeometryColumn, row: number, builder: GeometryBuilder): Cut {
    const { partOffsets, ringOffsets, coordOffsets, coordinates, dimensions, types } = column;
    const stride = strideOf(dimensions);
    const keepsInside = this.#operation === 'clip';
    const end = partOffsets[row + 1];
    let count = 0;
    for (let part = partOffsets[row]; part < end; part++) {
      const at = coordOffsets[ringOffsets[part]] * stride;
      if (this.#isInside(coordinates[at], coordinates[at + 1]) !== keepsInside) continue;
      copyPart(builder, column, part, PART_KIND.point);
      count++;
    }
    if (count === 0) return CUT.nothing;
    builder.endFeature(types[row]);
    return count === end - partOffsets[row] ? CUT.whole : CUT.cut;
  }

  #isInside(x: number, y: number): boolean {
    const place = this.#mask.grid.placeOfPosition(x, y);
    if (place !== PLACE.border) return place === PLACE.inside;
    return Number.isFinite(x + y) && this.#mask.prepared.intersectsXY(x, y);
  }

  /** Lines and polygons. */
  #cutArea(column: GeometryColumn, row: number, builder: GeometryBuilder): Cut {
    const type = column.types[row];
    const isPolygon = type === polygon || type === multiPolygon;
    const bounds = emptyBounds();
    growByRow(bounds, column, row);
    using owned = new DisposableStack();
    const mask = this.#mask.around(bounds, owned);
    if (mask === null) {
      if (this.#operation === 'clip') return CUT.nothing;
      copyRows(builder, column, row, row + 1);
      return CUT.whole;
    }
    using geometry = this.#geos.read(column, row);
    if (isFinitePlane(column, row)) {
      try {
        const decided = this.#wholeOrNothing(geometry, mask);
        const cut =
          decided ??
          (!isPolygon || geometry.isValid
            ? this.#overlay(geometry, mask, isPolygon, builder, CUT.cut)
            : null);
        if (cut === CUT.whole) copyRows(builder, column, row, row + 1);
        if (cut !== null) return cut;
      } catch (thrown) {
        if (!isRefusal(thrown, this.#geos)) throw thrown;
      }
    }
    using valid = geometry.makeValid();
    return this.#overlay(valid, mask, isPolygon, builder, CUT.repaired);
  }

  /** Null if the border crosses the geometry. */
  #wholeOrNothing(geometry: GeosGeometry, { predicates }: MaskPiece): Cut | null {
    const isClip = this.#operation === 'clip';
    if (!predicates.intersects(geometry)) return isClip ? CUT.nothing : CUT.whole;
    if (predicates.covers(geometry)) return isClip ? CUT.whole : CUT.nothing;
    return !isClip && predicates.touches(geometry) ? CUT.whole : null;
  }

  /** Appends the pieces that are left, unless the result is `whole` or `nothing`. */
  #overlay(
    geometry: GeosGeometry,
    mask: MaskPiece,
    isPolygon: boolean,
    builder: GeometryBuilder,
    cut: Cut,
  ): Cut {
    const { tolerance } = this.#mask;
    const isClip = this.#operation === 'clip';
    const left = this.#pieces(geometry, mask, isClip, isPolygon, builder.dimensions);
    const pieces = thickParts(left, tolerance, (bounds) => this.#isAtBorder(bounds));
    if (pieces.length < left.partKinds.length) this.#hasSlivers = true;
    if (pieces.length === 0) return CUT.nothing;
    if (cut === CUT.cut && this.#mayLoseSliversAlone(geometry, isPolygon, left)) {
      const lost = this.#pieces(geometry, mask, !isClip, isPolygon, 'XY');
      if (thickParts(lost, tolerance, () => true).length === 0) {
        this.#hasSlivers = true;
        return CUT.whole;
      }
    }
    for (const part of pieces) copyPart(builder, left, part, left.partKinds[part]);
    const single = isPolygon ? polygon : lineString;
    builder.endFeature(pieces.length === 1 ? single : single + MULTI);
    return cut;
  }

  /** Inside or outside of the mask; parts of other dimensions, where the two merely touch, are left out. */
  #pieces(
    geometry: GeosGeometry,
    { geometry: mask }: MaskPiece,
    isInside: boolean,
    isPolygon: boolean,
    dimensions: GeometryColumn['dimensions'],
  ): GeometryColumn {
    using pieces = isInside ? geometry.intersection(mask) : geometry.difference(mask);
    const builder = new GeometryBuilder(dimensions, 1, pieces.positionCount);
    pieces.appendTo(builder, isPolygon ? 2 : 1);
    if (pieces.typeId === GEOS_TYPE.geometryCollection) this.#hasSlivers = true;
    return builder.finish();
  }

  /** False for most features: something larger than slivers along the whole outline is missing from `left`. */
  #mayLoseSliversAlone(geometry: GeosGeometry, isPolygon: boolean, left: GeometryColumn): boolean {
    const { tolerance } = this.#mask;
    const whole = isPolygon ? geometry.area : geometry.length;
    const most = isPolygon ? (tolerance * geometry.length) / 2 : tolerance * MAX_LINE_SLIVERS;
    return whole - measureOf(left) <= most;
  }

  #isAtBorder([minX, minY, maxX, maxY]: Bounds): boolean {
    return this.#mask.grid.placeOfBounds(minX, minY, maxX, maxY) === PLACE.border;
  }

  /** A collection, member by member. */
  #cutMembers(column: GeometryColumn, row: number, builder: GeometryBuilder): Cut {
    const members = membersOf(column, row);
    const left = new GeometryBuilder(column.dimensions, members.types.length, 64);
    let worst: Cut = CUT.whole;
    let isLess = false;
    for (let member = 0; member < members.types.length; member++) {
      if (members.partOffsets[member] === members.partOffsets[member + 1]) continue;
      const cut = this.#cutRow(members, member, left);
      if (cut === CUT.nothing) isLess = true;
      else if (cut > worst) worst = cut;
    }
    const result = left.finish();
    if (result.types.length === 0) return CUT.nothing;
    if (worst === CUT.whole && !isLess) {
      copyRows(builder, column, row, row + 1);
      return CUT.whole;
    }
    appendCollection(builder, result);
    return worst === CUT.whole ? CUT.cut : worst;
  }
}

/** The members of a collection as rows; only types and offsets are new. */
function membersOf(column: GeometryColumn, row: number): GeometryColumn {
  const { partOffsets, partKinds, ringOffsets } = column;
  const types: number[] = [];
  const offsets: number[] = [partOffsets[row]];
  for (let part = partOffsets[row]; part < partOffsets[row + 1]; ) {
    const mark = partKinds[part] & ~PART_KIND_MASK;
    const kind = partKinds[part] & PART_KIND_MASK;
    const isEmpty = ringOffsets[part] === ringOffsets[part + 1];
    part++;
    if (mark === PART_MULTI_FIRST) {
      while (part < partOffsets[row + 1] && (partKinds[part] & PART_MULTI_NEXT) !== 0) part++;
    }
    // An empty member is a part without rings, which rows never have: it is left out.
    if (isEmpty) {
      offsets[offsets.length - 1] = part;
      continue;
    }
    types.push(mark === PART_MULTI_FIRST ? kind + 3 : kind);
    offsets.push(part);
  }
  return { ...column, types: Uint8Array.from(types), partOffsets: Uint32Array.from(offsets) };
}

function appendCollection(builder: GeometryBuilder, members: GeometryColumn): void {
  const { types, partOffsets, partKinds } = members;
  for (let member = 0; member < types.length; member++) {
    const isMulti = types[member] >= multiPoint;
    for (let part = partOffsets[member]; part < partOffsets[member + 1]; part++) {
      const mark = !isMulti ? 0 : part === partOffsets[member] ? PART_MULTI_FIRST : PART_MULTI_NEXT;
      copyPart(builder, members, part, (partKinds[part] & PART_KIND_MASK) | mark);
    }
  }
  builder.endFeature(geometryCollection);
}
