/** Functions on the shape of a geometry, in the plane of its coordinates. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { type AttributeColumn, ColumnBuilder } from '@geomill/core/columns/attribute-column.ts';
import {
  GEOMETRY_TYPE_NAMES,
  type GeometryColumn,
  hasZ,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { hilbert } from '@geomill/core/geometry/hilbert.ts';
import { writeWkt } from '@geomill/core/geometry/wkt-write.ts';
import type { ExpressionFunction } from '../function.ts';
import { constantNode, noColumn } from '../node.ts';
import { fromGeometry, geometry, planeOf, presentRows } from './geometry-columns.ts';

/** A measure of the geometry of a row. */
type MeasureRow = (column: GeometryColumn, row: number) => number;

function geometryFunction(
  name: string,
  description: string,
  kind: 'number' | 'integer' | 'text' | 'boolean',
  compute: (column: GeometryColumn) => AttributeColumn,
): ExpressionFunction {
  return {
    name,
    group: 'geometry',
    parameters: [geometry],
    description,
    compile: (args, call) => fromGeometry(args, call, compute, kind),
  };
}

function numberOf(name: string, description: string, measure: MeasureRow): ExpressionFunction {
  return geometryFunction(name, description, 'number', (column) => numbers(column, measure));
}

/** As `numberOf`, of geometries in a plane. `from` of a feature across the antimeridian is brought to -180 to 180, and what is with it. */
function placeOf(
  name: string,
  description: string,
  measure: MeasureRow,
  from: MeasureRow | null = null,
): ExpressionFunction {
  return {
    name,
    group: 'geometry',
    parameters: [geometry],
    description,
    compile: (args, call) =>
      fromGeometry(args, call, (column) => {
        const { geometry: plane, changedRows } = planeOf(column, call, 'features');
        return numbers(plane, (own, row) => {
          const value = measure(own, row);
          if (from === null || !changedRows.has(row)) return value;
          return value - TURN * Math.floor((from(own, row) + TURN / 2) / TURN);
        });
      }),
  };
}

/** Degrees. */
const TURN = 360;

/** NaN becomes null. */
function numbers(column: GeometryColumn, measure: MeasureRow): AttributeColumn {
  const builder = new ColumnBuilder('float64', column.types.length);
  for (let row = 0; row < column.types.length; row++) {
    const value = measure(column, row);
    if (Number.isNaN(value)) builder.appendNull();
    else builder.appendNumber(value);
  }
  return builder.finish();
}

function countOf(name: string, description: string, measure: MeasureRow): ExpressionFunction {
  return geometryFunction(name, description, 'integer', (column) => ({
    type: 'int32',
    values: Int32Array.from(column.types, (_, row) => measure(column, row)),
    validity: presentRows(column),
  }));
}

function firstPosition({ partOffsets, ringOffsets, coordOffsets }: GeometryColumn, row: number): number {
  return coordOffsets[ringOffsets[partOffsets[row]]];
}

/** Ordinate of a point; NaN: the feature is not a point. */
function ordinate(index: number): MeasureRow {
  return (column, row) => {
    const first = firstPosition(column, row);
    if (column.types[row] !== 1 || firstPosition(column, row + 1) === first) return Number.NaN;
    return column.coordinates[first * strideOf(column.dimensions) + index];
  };
}

/** The least or greatest ordinate of a row; NaN: it has none. */
function bound(index: 0 | 1, isGreatest: boolean): MeasureRow {
  return (column, row) => {
    const stride = strideOf(column.dimensions);
    let best = Number.NaN;
    const end = firstPosition(column, row + 1) * stride;
    for (let at = firstPosition(column, row) * stride + index; at < end; at += stride) {
      const value = column.coordinates[at];
      if (Number.isNaN(best) || (isGreatest ? value > best : value < best)) best = value;
    }
    return best;
  };
}

/** The centre of mass of the parts of the highest dimension, as in OGC simple features. */
function centroid(column: GeometryColumn, row: number): readonly [number, number] {
  const { partOffsets, partKinds, ringOffsets, coordOffsets, coordinates, dimensions } = column;
  const stride = strideOf(dimensions);
  const kinds = Array.from(
    { length: partOffsets[row + 1] - partOffsets[row] },
    (_, i) => partKinds[partOffsets[row] + i] & PART_KIND_MASK,
  );
  const origin = firstPosition(column, row) * stride;
  const [x0, y0] = [coordinates[origin], coordinates[origin + 1]];
  // Polygons without area have the centroid of their lines, lines without length that of their points.
  for (const kind of [PART_KIND.polygon, PART_KIND.line, PART_KIND.point]) {
    let [sumX, sumY, weight] = [0, 0, 0];
    for (const [i, own] of kinds.entries()) {
      if (own < kind) continue;
      const part = partOffsets[row] + i;
      for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
        const start = coordOffsets[ring] * stride;
        const end = coordOffsets[ring + 1] * stride;
        const one = ringCentroid(coordinates, stride, start, end, kind, x0, y0);
        const sign = kind === PART_KIND.polygon && ring > ringOffsets[part] ? -1 : 1;
        sumX += sign * one[0];
        sumY += sign * one[1];
        weight += sign * one[2];
      }
    }
    if (weight !== 0) return [x0 + sumX / weight, y0 + sumY / weight];
  }
  return [Number.NaN, Number.NaN];
}

/** Weighted sums of x and y relative to an origin, and the weight, which is never negative. */
function ringCentroid(
  coordinates: Float64Array,
  stride: number,
  start: number,
  end: number,
  kind: number,
  x0: number,
  y0: number,
): readonly [number, number, number] {
  let [sumX, sumY, weight] = [0, 0, 0];
  if (kind === PART_KIND.point) {
    for (let at = start; at < end; at += stride) {
      sumX += coordinates[at] - x0;
      sumY += coordinates[at + 1] - y0;
      weight++;
    }
    return [sumX, sumY, weight];
  }
  for (let at = start; at + stride < end; at += stride) {
    const [ax, ay] = [coordinates[at] - x0, coordinates[at + 1] - y0];
    const [bx, by] = [coordinates[at + stride] - x0, coordinates[at + stride + 1] - y0];
    const one = kind === PART_KIND.polygon ? (ax * by - bx * ay) / 2 : Math.hypot(bx - ax, by - ay);
    const share = kind === PART_KIND.polygon ? 3 : 2;
    sumX += (one * (ax + bx)) / share;
    sumY += (one * (ay + by)) / share;
    weight += one;
  }
  return weight < 0 ? [-sumX, -sumY, -weight] : [sumX, sumY, weight];
}

/** Cells of the curve along each axis, as a power of 2. */
const CURVE_BITS = 24;
/** Half of the side of the square with the curve: in degrees, and in units of other systems, which are metres or feet on the Earth. */
const CURVE_DEGREES = 180;
const CURVE_UNITS = 2 ** 26;

function alongCurve(column: GeometryColumn, row: number, half: number): number {
  const cellOf = (index: 0 | 1): number => {
    const middle = bound(index, false)(column, row) / 2 + bound(index, true)(column, row) / 2;
    const isLongitude = index === 0 && half === CURVE_DEGREES;
    const centre = isLongitude ? middle - TURN * Math.floor((middle + half) / TURN) : middle;
    const cell = Math.floor(((centre + half) / (2 * half)) * 2 ** CURVE_BITS);
    return Math.min(Math.max(cell, 0), 2 ** CURVE_BITS - 1);
  };
  const [x, y] = [cellOf(0), cellOf(1)];
  return Number.isNaN(x) ? Number.NaN : hilbert(x, y, CURVE_BITS);
}

export const shapeFunctions: readonly ExpressionFunction[] = [
  numberOf('x', 'The x ordinate (east, longitude) of a point; null for other features.', ordinate(0)),
  numberOf('y', 'The y ordinate (north, latitude) of a point; null for other features.', ordinate(1)),
  numberOf('z', 'The z ordinate of a point; null for other features.', (column, row) =>
    hasZ(column.dimensions) ? ordinate(2)(column, row) : Number.NaN,
  ),
  placeOf(
    'xmin',
    'The least x ordinate of the feature; in longitudes its west, from -180 to 180 if it crosses the antimeridian.',
    bound(0, false),
    bound(0, false),
  ),
  numberOf('ymin', 'The least y ordinate of the feature.', bound(1, false)),
  placeOf(
    'xmax',
    'The greatest x ordinate of the feature; in longitudes its east, more than 180 if it crosses the antimeridian.',
    bound(0, true),
    bound(0, false),
  ),
  numberOf('ymax', 'The greatest y ordinate of the feature.', bound(1, true)),
  placeOf(
    'centroid_x',
    'The x ordinate of the centroid in the plane of the coordinates.',
    (column, row) => centroid(column, row)[0],
    (column, row) => centroid(column, row)[0],
  ),
  placeOf(
    'centroid_y',
    'The y ordinate of the centroid in the plane of the coordinates.',
    (column, row) => centroid(column, row)[1],
  ),
  {
    name: 'hilbert',
    group: 'geometry',
    parameters: [geometry],
    description:
      'The place of the centre of its bounds along a Hilbert curve over the whole CRS: sorted by it, features near each other on the map are near each other in the file.',
    compile: (args, call) => {
      const half = call.setting?.crs.kind === 'geographic' ? CURVE_DEGREES : CURVE_UNITS;
      return fromGeometry(args, call, (column) =>
        numbers(planeOf(column, call, 'features').geometry, (own, row) => alongCurve(own, row, half)),
      );
    },
  },
  countOf(
    'num_points',
    'The number of positions.',
    (column, row) => firstPosition(column, row + 1) - firstPosition(column, row),
  ),
  countOf(
    'num_parts',
    'The number of parts: 1 unless the feature is a multi geometry or a collection.',
    ({ partOffsets }, row) => partOffsets[row + 1] - partOffsets[row],
  ),
  countOf(
    'num_holes',
    'The number of holes of its polygons.',
    ({ partOffsets, partKinds, ringOffsets }, row) => {
      let holes = 0;
      for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++)
        if (
          (partKinds[part] & PART_KIND_MASK) === PART_KIND.polygon &&
          ringOffsets[part + 1] > ringOffsets[part]
        )
          holes += ringOffsets[part + 1] - ringOffsets[part] - 1;
      return holes;
    },
  ),
  geometryFunction(
    'is_empty',
    'Whether the feature has no positions; null if it has no geometry.',
    'boolean',
    (column) => ({
      type: 'boolean',
      values: Uint8Array.from(column.types, (_, row) =>
        firstPosition(column, row + 1) === firstPosition(column, row) ? 1 : 0,
      ),
      validity: presentRows(column),
    }),
  ),
  geometryFunction(
    'geometry_type',
    "The type: 'Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiLineString', 'MultiPolygon' or 'GeometryCollection'.",
    'text',
    ({ types }) => {
      const builder = new ColumnBuilder('string', types.length);
      for (const type of types) {
        if (type === 0) builder.appendNull();
        else builder.appendText(GEOMETRY_TYPE_NAMES[type]);
      }
      return builder.finish();
    },
  ),
  geometryFunction('wkt', 'The geometry as well-known text, in the CRS of the data.', 'text', (column) => {
    const writer = new ByteWriter(column.coordinates.length * 8);
    const offsets = new Uint32Array(column.types.length + 1);
    for (let row = 0; row < column.types.length; row++) {
      writeWkt(writer, column, row);
      offsets[row + 1] = writer.length;
    }
    return { type: 'string', bytes: writer.take(), offsets, validity: presentRows(column) };
  }),
  {
    name: 'row',
    group: 'geometry',
    parameters: [],
    description:
      'The number of the feature among those of its layer that the step gets, in their order; the first is 1.',
    compile: (_, { place }) => ({
      kind: 'integer',
      place,
      column: ({ batch: { rowCount }, rowsBefore }) => {
        if (rowsBefore === null) throw new TypeError('the features of this step are not numbered');
        const values = BigInt64Array.from({ length: rowCount }, (_, row) => BigInt(rowsBefore + row + 1));
        return { type: 'int64', values, validity: null };
      },
    }),
  },
  {
    name: 'layer',
    group: 'geometry',
    parameters: [],
    description: 'The name of the layer.',
    compile: (_, { place, setting }) =>
      setting === null ? { kind: 'text', place, column: noColumn } : constantNode(setting.layerName, place),
  },
];
