import { copyRows } from '@geomill/core/columns/copy-rows.ts';
import {
  GEOMETRY_TYPE,
  type GeometryBuilder,
  type GeometryColumn,
  hasZ,
  PART_KIND,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import type { GeosGeometry } from '@geomill/geos/geometry.ts';
import { Geos } from '@geomill/geos/geos.ts';
import { SimpleRings } from '@geomill/planar/simple-rings.ts';
import { lengthInCrs, metersOf } from '../parts/lengths.ts';
import { levelDegrees, unlevel } from '../parts/level-degrees.ts';
import { MAPPED, type Mapped, mapGeometries } from '../parts/map-geometries.ts';
import { isFinitePlane } from '../parts/repaired.ts';
import type { ApplyStep, StepParameters, StepSetting, StreamingTransformation } from '../transformation.ts';
import { RingSimplifier } from './simplify-rings.ts';

export const code: StreamingTransformation = { kind: 'streaming', prepare };

const { point, polygon, multiPoint, multiPolygon, geometryCollection } = GEOMETRY_TYPE;
/** A ring of fewer positions is left for GEOS to complete. */
const LEAST_OF_RING = 4;
const LEAST_OF_LINE = 2;

interface Form {
  readonly geos: Geos;
  /** In the unit of the coordinates. */
  readonly tolerance: number;
  readonly keepsTopology: boolean;
  readonly rings: RingSimplifier;
  readonly check: SimpleRings;
}

async function prepare(parameters: StepParameters, { crs }: StepSetting): Promise<ApplyStep> {
  const tolerance = lengthInCrs(metersOf(parameters.tolerance, parameters.units), crs);
  const keepsTopology = parameters.preserve_topology !== false;
  const form: Form = {
    geos: await Geos.load(),
    tolerance,
    keepsTopology,
    rings: new RingSimplifier(tolerance, keepsTopology),
    check: new SimpleRings(),
  };
  return (batch, findings) => {
    const { dimensions } = batch.geometry;
    if (crs.kind !== 'geographic') {
      return mapGeometries(batch, findings, 'simplify', dimensions, (column, row, builder) =>
        appendSimplified(form, column, column, row, builder),
      );
    }
    const { column: levelled, factors } = levelDegrees(batch.geometry, crs.unitFactor);
    return mapGeometries(batch, findings, 'simplify', dimensions, (column, row, builder) => {
      const start = builder.coordinateLength;
      const mapped = appendSimplified(form, column, levelled, row, builder);
      if (mapped !== MAPPED.copied) {
        unlevel(builder.coordinates, builder.stride, start, builder.coordinateLength, factors[row]);
      }
      return mapped;
    });
  };
}

/** `plane` is simplified; `column` is copied if no position can be left out. */
function appendSimplified(
  form: Form,
  column: GeometryColumn,
  plane: GeometryColumn,
  row: number,
  builder: GeometryBuilder,
): Mapped {
  const type = column.types[row];
  if (type === point || type === multiPoint) return copied(column, row, builder);
  const isPlane = isFinitePlane(column, row);
  if (isPlane && type !== geometryCollection) {
    const mapped = appendOwn(form, column, plane, row, builder);
    if (mapped !== null) return mapped;
  }
  using geometry = form.geos.read(plane, row);
  if (isPlane) {
    using result = simplified(geometry, form);
    if (result.isValid) {
      if (result.positionCount === positionCount(column, row)) return copied(column, row, builder);
      return result.appendTo(builder) === GEOMETRY_TYPE.none ? MAPPED.dropped : MAPPED.changed;
    }
  }
  using valid = geometry.makeValid();
  using result = simplified(valid, form);
  if (result.isValid) return appended(result, builder);
  using repaired = result.makeValid();
  return appended(repaired, builder);
}

/** Without GEOS. Null, and nothing appended, if it takes GEOS to tell whether the result is valid. */
function appendOwn(
  { rings, check }: Form,
  column: GeometryColumn,
  plane: GeometryColumn,
  row: number,
  builder: GeometryBuilder,
): Mapped | null {
  const type = column.types[row];
  const isArea = type === polygon || type === multiPolygon;
  if (!takeRings(rings, plane, row, isArea)) return null;
  rings.simplify();
  if (!(isArea ? isValidArea(rings, check, plane, row) : areLines(rings))) return null;
  if (rings.keptEnds.at(-1) === rings.positionCount) return copied(column, row, builder);
  appendKept(rings, plane, row, builder);
  return MAPPED.changed;
}

/** False if a ring is empty or needs to be completed. */
function takeRings(
  rings: RingSimplifier,
  { partOffsets, ringOffsets, coordOffsets, coordinates, dimensions }: GeometryColumn,
  row: number,
  isArea: boolean,
): boolean {
  const stride = strideOf(dimensions);
  const least = (isArea ? LEAST_OF_RING : LEAST_OF_LINE) * stride;
  rings.clear();
  for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
    if (ringOffsets[part] === ringOffsets[part + 1]) return false;
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
      const from = coordOffsets[ring] * stride;
      const to = coordOffsets[ring + 1] * stride;
      if (to - from < least) return false;
      const last = to - stride;
      if (
        isArea &&
        (coordinates[from] !== coordinates[last] || coordinates[from + 1] !== coordinates[last + 1])
      )
        return false;
      rings.add(coordinates, stride, from, to, isArea);
    }
  }
  return true;
}

/** Lines are valid unless all positions are the same. */
function areLines({ xs, ys, kept, keptEnds }: RingSimplifier): boolean {
  let at = 0;
  for (const end of keptEnds) {
    const first = kept[at++];
    while (at < end && xs[kept[at]] === xs[first] && ys[kept[at]] === ys[first]) at++;
    if (at === end) return false;
    at = end;
  }
  return true;
}

function isValidArea(
  { xs, ys, kept, keptEnds }: RingSimplifier,
  check: SimpleRings,
  { partOffsets, ringOffsets }: GeometryColumn,
  row: number,
): boolean {
  const firstRing = ringOffsets[partOffsets[row]];
  check.clear();
  let at = 0;
  for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
      for (const end = keptEnds[ring - firstRing]; at < end; at++) check.add(xs[kept[at]], ys[kept[at]]);
      check.endRing(ring === ringOffsets[part]);
    }
  }
  return check.areValid();
}

/** The kept positions with their Z; M is left out. As GEOS does, a multi geometry of one part becomes that part. */
function appendKept(
  { kept, keptEnds }: RingSimplifier,
  { types, partOffsets, ringOffsets, coordOffsets, coordinates, dimensions }: GeometryColumn,
  row: number,
  builder: GeometryBuilder,
): void {
  const stride = strideOf(dimensions);
  const firstRing = ringOffsets[partOffsets[row]];
  const start = coordOffsets[firstRing] * stride;
  const withZ = hasZ(dimensions);
  const isArea = types[row] === polygon || types[row] === multiPolygon;
  let at = 0;
  for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
      for (const end = keptEnds[ring - firstRing]; at < end; at++) {
        const from = start + kept[at] * stride;
        builder.position(
          coordinates[from],
          coordinates[from + 1],
          withZ ? coordinates[from + 2] : Number.NaN,
        );
      }
      builder.endRing();
    }
    builder.endPart(isArea ? PART_KIND.polygon : PART_KIND.line);
  }
  const isOne = partOffsets[row + 1] - partOffsets[row] === 1;
  builder.endFeature((isArea ? polygon : GEOMETRY_TYPE.lineString) + (isOne ? 0 : multiPoint - point));
}

function simplified(geometry: GeosGeometry, { tolerance, keepsTopology }: Form): GeosGeometry {
  return keepsTopology ? geometry.topologyPreserveSimplify(tolerance) : geometry.simplify(tolerance);
}

function appended(geometry: GeosGeometry, builder: GeometryBuilder): Mapped {
  return geometry.appendTo(builder) === GEOMETRY_TYPE.none ? MAPPED.dropped : MAPPED.repaired;
}

function copied(column: GeometryColumn, row: number, builder: GeometryBuilder): Mapped {
  copyRows(builder, column, row, row + 1);
  return MAPPED.copied;
}

function positionCount({ partOffsets, ringOffsets, coordOffsets }: GeometryColumn, row: number): number {
  return coordOffsets[ringOffsets[partOffsets[row + 1]]] - coordOffsets[ringOffsets[partOffsets[row]]];
}
