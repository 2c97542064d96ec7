/** Buffers in the plane of the coordinates. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  hasM,
  hasZ,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import type { GeosGeometry } from '@geomill/geos/geometry.ts';
import type { Geos } from '@geomill/geos/geos.ts';
import type { BufferStyle } from '@geomill/geos/instance.ts';
import { areValidRings, SimpleRings } from '@geomill/planar/simple-rings.ts';
import { stepFindings } from '../findings.ts';
import { withRows } from '../parts/take-rows.ts';
import { appendCircle, circleOffsets, circlesAreApart } from './circles.ts';
import { LineBuffer } from './line-buffer.ts';
import { ShrunkRing } from './shrunk-ring.ts';
import { StarBuffer } from './star-buffer.ts';

export interface PlanarForm {
  /** In the unit of the coordinates, like `simplifyTolerance`. */
  readonly distance: number;
  readonly style: BufferStyle;
  readonly simplifyTolerance: number;
}

const { point, lineString, polygon, multiPoint, multiPolygon, none } = GEOMETRY_TYPE;
const POLYGONS = 2;
const OPERATION = { operation: 'buffer' } as const;
/** Room that is made at once; more is made as it is needed. */
const MAX_EXPECTED_POSITIONS = 1 << 20;

/** Buffers features one by one; kept over batches for its tables. */
export class PlanarBuffer {
  readonly #form: PlanarForm;
  readonly #geos: Geos;
  readonly #checkPositions: (count: number) => void;
  readonly #circle: Float64Array;
  /** The buffer of a point is the circle, and nothing is done to it afterwards. */
  readonly #hasCircles: boolean;
  /** Null if the form of the buffer needs GEOS. */
  readonly #star: StarBuffer | null;
  /** Null if the distance is not negative, or the form of the buffer needs GEOS. */
  readonly #shrunk: ShrunkRing | null;
  /** Null if the form of the buffer needs GEOS. */
  readonly #line: LineBuffer | null;
  readonly #rings = new SimpleRings();

  /** `checkPositions` throws if the results of a batch have too many positions. */
  constructor(form: PlanarForm, geos: Geos, checkPositions: (count: number) => void = () => {}) {
    this.#checkPositions = checkPositions;
    this.#form = form;
    this.#geos = geos;
    this.#circle = circleOffsets(form.distance, form.style.quadrantSegments);
    this.#hasCircles = form.distance > 0 && form.style.endCap === 'round' && form.simplifyTolerance === 0;
    const hasStars = form.distance > 0 && form.style.join === 'round' && form.simplifyTolerance === 0;
    const isShrunk = form.distance < 0 && form.style.join === 'round' && form.simplifyTolerance === 0;
    this.#shrunk = isShrunk ? new ShrunkRing(-form.distance, form.style.quadrantSegments) : null;
    this.#line =
      hasStars && form.style.endCap === 'round'
        ? new LineBuffer(form.distance, form.style.quadrantSegments)
        : null;
    this.#star = hasStars ? new StarBuffer(form.distance, form.style.quadrantSegments) : null;
  }

  /** Notes GEOMETRY_DROPPED, GEOMETRY_REPAIRED, Z_DROPPED and M_DROPPED. Null and empty geometries stay. */
  apply(batch: FeatureBatch, findings: Findings): FeatureBatch {
    const { geometry, rowCount } = batch;
    const expected = Math.min(rowCount * (this.#circle.length / 2), MAX_EXPECTED_POSITIONS);
    const builder = new GeometryBuilder('XY', rowCount, expected);
    const dropped = new RowTally();
    const repaired = new RowTally();
    const kept = new Uint32Array(rowCount);
    let keptCount = 0;
    for (let row = 0; row < rowCount; row++) {
      if (geometry.partOffsets[row] === geometry.partOffsets[row + 1]) {
        builder.endFeature(geometry.types[row] === none ? none : polygon);
      } else if (!this.#append(geometry, row, builder, repaired)) {
        dropped.add(row);
        continue;
      }
      this.#checkPositions(builder.positionCount);
      kept[keptCount++] = row;
    }
    findings.noteTally(stepFindings.GEOMETRY_DROPPED, OPERATION, dropped);
    findings.noteTally(stepFindings.GEOMETRY_REPAIRED, OPERATION, repaired);
    noteDroppedOrdinates(geometry, findings);
    const buffered = builder.finish();
    if (keptCount === rowCount) return { ...batch, geometry: buffered };
    return withRows(batch, kept.slice(0, keptCount), buffered);
  }

  /** Appends one feature; false, and none, if its result is empty. */
  #append(column: GeometryColumn, row: number, builder: GeometryBuilder, repaired: RowTally): boolean {
    const type = column.types[row];
    if (this.#hasCircles && (type === point || type === multiPoint)) {
      const isDone = this.#appendCircles(column, row, builder);
      if (isDone !== null) return isDone;
    }
    if (type === lineString && this.#line?.append(column, row, builder)) return true;
    const isArea = type === polygon || type === multiPolygon;
    if (isArea && this.#star?.append(column, row, builder)) return true;
    if (isArea && this.#shrunk?.append(column, row, builder)) return true;
    if (!isFinite2d(column, row)) return this.#appendRepaired(column, row, builder, repaired);
    using geometry = this.#geos.read(column, row);
    const isSimple = isArea && areValidRings(this.#rings, column, row);
    if (!isSimple && (type === polygon || type >= multiPolygon) && !geometry.isValid) {
      return this.#appendRepaired(column, row, builder, repaired);
    }
    return this.#appendBuffer(geometry, builder);
  }

  #appendRepaired(
    column: GeometryColumn,
    row: number,
    builder: GeometryBuilder,
    repaired: RowTally,
  ): boolean {
    using broken = this.#geos.read(column, row);
    using geometry = broken.makeValid();
    const isKept = this.#appendBuffer(geometry, builder);
    if (isKept) repaired.add(row);
    return isKept;
  }

  #appendBuffer(geometry: GeosGeometry, builder: GeometryBuilder): boolean {
    const { distance, style, simplifyTolerance } = this.#form;
    using buffered = geometry.buffer(distance, style);
    if (simplifyTolerance === 0) return this.#appendValid(buffered, builder);
    using simplified = buffered.topologyPreserveSimplify(simplifyTolerance);
    return this.#appendValid(simplified, builder);
  }

  /** Outlines of GEOS are nearly always valid; one that is invalid by rounding is repaired. */
  #appendValid(geometry: GeosGeometry, builder: GeometryBuilder): boolean {
    if (geometry.isValid) return geometry.appendTo(builder) !== none;
    using valid = geometry.makeValid();
    return valid.appendTo(builder, POLYGONS) !== none;
  }

  /** Null if the circles overlap and must be united. */
  #appendCircles(column: GeometryColumn, row: number, builder: GeometryBuilder): boolean | null {
    const { ringOffsets, coordOffsets, coordinates } = column;
    const partStart = column.partOffsets[row];
    const partEnd = column.partOffsets[row + 1];
    if (partEnd - partStart > 1 && !circlesAreApart(column, partStart, partEnd, this.#form.distance)) {
      return null;
    }
    const stride = strideOf(column.dimensions);
    let count = 0;
    for (let part = partStart; part < partEnd; part++) {
      const at = coordOffsets[ringOffsets[part]] * stride;
      if (appendCircle(builder, coordinates[at], coordinates[at + 1], this.#circle)) count++;
    }
    if (count === 0) return false;
    builder.endFeature(count === 1 ? polygon : multiPolygon);
    return true;
  }
}

function isFinite2d(column: GeometryColumn, row: number): boolean {
  const { partOffsets, ringOffsets, coordOffsets, coordinates, dimensions } = column;
  const stride = strideOf(dimensions);
  const end = coordOffsets[ringOffsets[partOffsets[row + 1]]] * stride;
  let sum = 0;
  for (let at = coordOffsets[ringOffsets[partOffsets[row]]] * stride; at < end; at += stride) {
    // Zero, or NaN from the first ordinate on that is not finite.
    sum += coordinates[at] * 0 + coordinates[at + 1] * 0;
  }
  return sum === 0;
}

/** Notes the number of features whose Z or M is dropped: buffers are flat. */
export function noteDroppedOrdinates(column: GeometryColumn, findings: Findings): void {
  const stride = strideOf(column.dimensions);
  if (hasZ(column.dimensions)) {
    findings.noteTally(generalFindings.Z_DROPPED, { format: 'buffer' }, rowsWithOrdinate(column, 2));
  }
  if (hasM(column.dimensions)) {
    findings.noteTally(generalFindings.M_DROPPED, { format: 'buffer' }, rowsWithOrdinate(column, stride - 1));
  }
}

function rowsWithOrdinate(column: GeometryColumn, ordinate: number): RowTally {
  const { partOffsets, ringOffsets, coordOffsets, coordinates, dimensions, types } = column;
  const stride = strideOf(dimensions);
  const rows = new RowTally();
  for (let row = 0; row < types.length; row++) {
    const end = coordOffsets[ringOffsets[partOffsets[row + 1]]] * stride;
    let at = coordOffsets[ringOffsets[partOffsets[row]]] * stride + ordinate;
    while (at < end && Number.isNaN(coordinates[at])) at += stride;
    if (at < end) rows.add(row);
  }
  return rows;
}
