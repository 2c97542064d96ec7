/**
 * Functions on the geometry of a feature. Areas and lengths are those on the ellipsoid of WGS 84, along geodesics, unless their
 * name says `planar`; computed by GeographicLib.
 */
import geographiclib from 'geographiclib-geodesic';
import { type AttributeColumn, ColumnBuilder } from '../../batch/attribute-column.ts';
import {
  GEOMETRY_TYPE_NAMES,
  type GeometryColumn,
  hasZ,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '../../batch/geometry-column.ts';
import { writeWkt } from '../../batch/wkt-write.ts';
import { ByteWriter } from '../../bytes/byte-writer.ts';
import type { ExpressionFunction, FunctionCall, Parameter } from '../function.ts';
import { constantNode, type Evaluation, type Node } from '../node.ts';
import { textFunctions } from './texts.ts';

const geometry: Parameter = { name: 'geometry', kind: 'geometry', isOptional: true };
const { WGS84, DISTANCE } = geographiclib.Geodesic;
const METERS_PER_KM = 1000;
const SQUARE_METERS_PER_HECTARE = 10_000;

/** Positions of a column as longitudes and latitudes, kept for the batch at hand: several functions may need them. */
const geographic = new WeakMap<GeometryColumn, Float64Array>();

function degreesOf(column: GeometryColumn, call: FunctionCall): Float64Array {
  let known = geographic.get(column);
  if (known === undefined) {
    known = column.coordinates.slice();
    call.setting?.toWgs84(known, column.dimensions);
    geographic.set(column, known);
  }
  return known;
}

interface Ring {
  readonly coordinates: Float64Array;
  readonly stride: number;
  /** Offsets of the first ordinate, and after the last position. */
  readonly start: number;
  readonly end: number;
}

type MeasureRing = (ring: Ring) => number;

function planarArea({ coordinates, stride, start, end }: Ring): number {
  let twice = 0;
  // Relative to the first position, so that no digits are lost far from the origin.
  const [x0, y0] = [coordinates[start], coordinates[start + 1]];
  for (let at = start + stride; at + stride < end; at += stride)
    twice +=
      (coordinates[at] - x0) * (coordinates[at + stride + 1] - y0) -
      (coordinates[at + stride] - x0) * (coordinates[at + 1] - y0);
  return Math.abs(twice / 2);
}

function planarLength({ coordinates, stride, start, end }: Ring): number {
  let sum = 0;
  for (let at = start; at + stride < end; at += stride)
    sum += Math.hypot(
      coordinates[at + stride] - coordinates[at],
      coordinates[at + stride + 1] - coordinates[at + 1],
    );
  return sum;
}

/** m² on the ellipsoid. */
function geodesicArea({ coordinates, stride, start, end }: Ring): number {
  const polygon = WGS84.Polygon(false);
  // The last position is the first one again.
  for (let at = start; at < end - stride; at += stride)
    polygon.AddPoint(coordinates[at + 1], coordinates[at]);
  return Math.abs(polygon.Compute(false, true).area ?? 0);
}

/** m on the ellipsoid. */
function geodesicLength({ coordinates, stride, start, end }: Ring): number {
  let sum = 0;
  for (let at = start; at + stride < end; at += stride)
    sum +=
      WGS84.Inverse(
        coordinates[at + 1],
        coordinates[at],
        coordinates[at + stride + 1],
        coordinates[at + stride],
        DISTANCE,
      ).s12 ?? 0;
  return sum;
}

/** What is summed over the rings of a part of a kind. `holes`: added to the shell, subtracted from it, or ignored. */
interface Measure {
  readonly partKind: number;
  readonly holes: 'add' | 'subtract';
  readonly isGeodesic: boolean;
  readonly ring: MeasureRing;
  readonly divisor: number;
}

function measured(
  column: GeometryColumn,
  coordinates: Float64Array,
  measure: Measure,
): Float64Array<ArrayBuffer> {
  const { types, partOffsets, partKinds, ringOffsets, coordOffsets, dimensions } = column;
  const stride = strideOf(dimensions);
  const sums = new Float64Array(types.length);
  for (let row = 0; row < types.length; row++)
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
      if ((partKinds[part] & PART_KIND_MASK) !== measure.partKind) continue;
      for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
        const value = measure.ring({
          coordinates,
          stride,
          start: coordOffsets[ring] * stride,
          end: coordOffsets[ring + 1] * stride,
        });
        sums[row] += measure.holes === 'subtract' && ring > ringOffsets[part] ? -value : value;
      }
    }
  for (let row = 0; row < sums.length; row++) sums[row] /= measure.divisor;
  return sums;
}

function sizeFunction(name: string, description: string, measure: Measure): ExpressionFunction {
  return {
    name,
    group: 'geometry',
    parameters: [geometry],
    description,
    compile: (args, call) => {
      const { setting } = call;
      if (measure.isGeodesic && setting !== null && setting.crs.ellipsoid === null)
        throw call.refuse(
          null,
          `the CRS of layer '${setting.layerName}' has no known position on the Earth; use '${name.split('_')[0]}_planar()'`,
        );
      return fromGeometry(args, call, (column) => {
        const coordinates = measure.isGeodesic ? degreesOf(column, call) : column.coordinates;
        const values = measured(column, coordinates, measure);
        return { type: 'float64', values, validity: presentRows(column) };
      });
    },
  };
}

/** Rows that have a geometry; null: all. */
function presentRows({ types }: GeometryColumn): Uint8Array<ArrayBuffer> | null {
  if (!types.includes(0)) return null;
  const bits = new Uint8Array((types.length + 7) >> 3);
  for (let row = 0; row < types.length; row++) if (types[row] !== 0) bits[row >> 3] |= 1 << (row & 7);
  return bits;
}

function fromGeometry(
  [arg]: readonly Node[],
  call: FunctionCall,
  compute: (column: GeometryColumn, evaluation: Evaluation) => AttributeColumn,
  kind: 'number' | 'integer' | 'text' | 'boolean' = 'number',
): Node {
  const column = (evaluation: Evaluation): AttributeColumn =>
    compute(arg?.geometry === undefined ? evaluation.batch.geometry : arg.geometry(evaluation), evaluation);
  return { kind, place: call.place, column };
}

/** A number for each row from the offsets of its positions; NaN: null. */
function numberOf(
  name: string,
  description: string,
  compute: (column: GeometryColumn, row: number) => number,
): ExpressionFunction {
  return {
    name,
    group: 'geometry',
    parameters: [geometry],
    description,
    compile: (args, call) =>
      fromGeometry(args, call, (column) => {
        const builder = new ColumnBuilder('float64', column.types.length);
        for (let row = 0; row < column.types.length; row++) {
          const value = compute(column, row);
          if (Number.isNaN(value)) builder.appendNull();
          else builder.appendNumber(value);
        }
        return builder.finish();
      }),
  };
}

function countOf(
  name: string,
  description: string,
  compute: (column: GeometryColumn, row: number) => number,
): ExpressionFunction {
  return {
    name,
    group: 'geometry',
    parameters: [geometry],
    description,
    compile: (args, call) =>
      fromGeometry(
        args,
        call,
        (column) => ({
          type: 'int32',
          values: Int32Array.from(column.types, (_, row) => compute(column, row)),
          validity: presentRows(column),
        }),
        'integer',
      ),
  };
}

function firstPosition({ partOffsets, ringOffsets, coordOffsets }: GeometryColumn, row: number): number {
  return coordOffsets[ringOffsets[partOffsets[row]]];
}

/** Ordinate of a point; NaN: the feature is none. */
function ordinate(index: number): (column: GeometryColumn, row: number) => number {
  return (column, row) => {
    const first = firstPosition(column, row);
    if (column.types[row] !== 1 || firstPosition(column, row + 1) === first) return Number.NaN;
    return column.coordinates[first * strideOf(column.dimensions) + index];
  };
}

/** The least or greatest ordinate of a row; NaN: it has none. */
function bound(index: 0 | 1, isGreatest: boolean): (column: GeometryColumn, row: number) => number {
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

function sizes(
  name: string,
  what: string,
  base: Omit<Measure, 'isGeodesic' | 'ring' | 'divisor'>,
  geodesic: MeasureRing,
  planar: MeasureRing,
  units: readonly (readonly [string, string, number])[],
): ExpressionFunction[] {
  return [
    ...units.map(([suffix, unit, divisor]) =>
      sizeFunction(`${name}${suffix}`, `${what} in ${unit}, on the ellipsoid.`, {
        ...base,
        isGeodesic: true,
        ring: geodesic,
        divisor,
      }),
    ),
    sizeFunction(
      `${name}_planar`,
      `${what} in the plane of the coordinates, in units of the CRS${name === 'area' ? ', squared' : ''}.`,
      {
        ...base,
        isGeodesic: false,
        ring: planar,
        divisor: 1,
      },
    ),
  ];
}

const lengths = sizes(
  'length',
  'The length of the lines of the feature',
  { partKind: PART_KIND.line, holes: 'add' },
  geodesicLength,
  planarLength,
  [
    ['', 'm', 1],
    ['_km', 'km', METERS_PER_KM],
  ],
);

/** `length` of a text counts its characters. */
function lengthFunction(ofGeometry: ExpressionFunction): ExpressionFunction {
  const ofText = textFunctions.find(({ name }) => name === 'char_length') as ExpressionFunction;
  return {
    ...ofGeometry,
    parameters: [{ name: 'value', kind: 'any', isOptional: true }],
    description: `${ofGeometry.description} Of a text: the number of its characters.`,
    compile: (args, call) => {
      const kind = args[0]?.kind ?? 'geometry';
      if (kind === 'null') return constantNode(null, call.place);
      if (kind === 'text') return ofText.compile(args, call);
      if (kind !== 'geometry') throw call.refuse(0, 'value must be a text or a geometry');
      return ofGeometry.compile(args, call);
    },
  };
}

export const geometryFunctions: readonly ExpressionFunction[] = [
  ...sizes(
    'area',
    'The area of the polygons of the feature',
    { partKind: PART_KIND.polygon, holes: 'subtract' },
    geodesicArea,
    planarArea,
    [
      ['', 'm²', 1],
      ['_ha', 'hectares', SQUARE_METERS_PER_HECTARE],
      ['_km2', 'km²', METERS_PER_KM ** 2],
    ],
  ),
  lengthFunction(lengths[0]),
  ...lengths.slice(1),
  ...sizes(
    'perimeter',
    'The length of all rings of the polygons of the feature',
    { partKind: PART_KIND.polygon, holes: 'add' },
    geodesicLength,
    planarLength,
    [
      ['', 'm', 1],
      ['_km', 'km', METERS_PER_KM],
    ],
  ),
  numberOf('x', 'The x ordinate (east, longitude) of a point; null for other features.', ordinate(0)),
  numberOf('y', 'The y ordinate (north, latitude) of a point; null for other features.', ordinate(1)),
  numberOf('z', 'The z ordinate of a point; null for other features.', (column, row) =>
    hasZ(column.dimensions) ? ordinate(2)(column, row) : Number.NaN,
  ),
  numberOf('xmin', 'The least x ordinate of the feature.', bound(0, false)),
  numberOf('ymin', 'The least y ordinate of the feature.', bound(1, false)),
  numberOf('xmax', 'The greatest x ordinate of the feature.', bound(0, true)),
  numberOf('ymax', 'The greatest y ordinate of the feature.', bound(1, true)),
  numberOf(
    'centroid_x',
    'The x ordinate of the centroid in the plane of the coordinates.',
    (column, row) => centroid(column, row)[0],
  ),
  numberOf(
    'centroid_y',
    'The y ordinate of the centroid in the plane of the coordinates.',
    (column, row) => centroid(column, row)[1],
  ),
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
  {
    name: 'is_empty',
    group: 'geometry',
    parameters: [geometry],
    description: 'Whether the feature has no positions; null if it has no geometry.',
    compile: (args, call) =>
      fromGeometry(
        args,
        call,
        (column) => ({
          type: 'boolean',
          values: Uint8Array.from(column.types, (_, row) =>
            firstPosition(column, row + 1) === firstPosition(column, row) ? 1 : 0,
          ),
          validity: presentRows(column),
        }),
        'boolean',
      ),
  },
  {
    name: 'geometry_type',
    group: 'geometry',
    parameters: [geometry],
    description:
      "The type: 'Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiLineString', 'MultiPolygon' or 'GeometryCollection'.",
    compile: (args, call) =>
      fromGeometry(
        args,
        call,
        ({ types }) => {
          const builder = new ColumnBuilder('string', types.length);
          for (const type of types) {
            if (type === 0) builder.appendNull();
            else builder.appendText(GEOMETRY_TYPE_NAMES[type]);
          }
          return builder.finish();
        },
        'text',
      ),
  },
  {
    name: 'wkt',
    group: 'geometry',
    parameters: [geometry],
    description: 'The geometry as well-known text, in the CRS of the data.',
    compile: (args, call) =>
      fromGeometry(
        args,
        call,
        (column) => {
          const writer = new ByteWriter(column.coordinates.length * 8);
          const offsets = new Uint32Array(column.types.length + 1);
          for (let row = 0; row < column.types.length; row++) {
            writeWkt(writer, column, row);
            offsets[row + 1] = writer.length;
          }
          return { type: 'string', bytes: writer.take(), offsets, validity: presentRows(column) };
        },
        'text',
      ),
  },
  {
    name: 'layer',
    group: 'geometry',
    parameters: [],
    description: 'The name of the layer.',
    compile: (_, { place, setting }) =>
      setting === null ? { kind: 'text', place, column: noValue } : constantNode(setting.layerName, place),
  },
];

function noValue(): never {
  throw new TypeError('an expression whose kinds are checked is not evaluated');
}
