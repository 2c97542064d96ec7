/**
 * Functions on the geometry of a feature. Areas and lengths are those on the ellipsoid of WGS 84, along geodesics, unless their
 * name says `planar`; computed by GeographicLib.
 */

import {
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { packageLoader } from '@geomill/platform/packages.ts';
import type geographiclib from 'geographiclib-geodesic';
import type { ExpressionFunction, FunctionCall } from '../function.ts';
import { constantNode, isTemporal, KIND_NAME, noColumn } from '../node.ts';
import { fromGeometry, geometry, planeOf, presentRows } from './geometry-columns.ts';
import { textFunctions } from './texts.ts';

type Geodesic = typeof geographiclib.Geodesic;
let loaded: Geodesic | null = null;
/** Every command loads the functions, because it checks expressions by them; few measure on the ellipsoid. */
function ellipsoid(): Geodesic {
  loaded ??= (packageLoader(import.meta.url)('geographiclib-geodesic') as typeof geographiclib).Geodesic;
  return loaded;
}

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
  const polygon = ellipsoid().WGS84.Polygon(false);
  // The last position is the first one again.
  for (let at = start; at < end - stride; at += stride)
    polygon.AddPoint(coordinates[at + 1], coordinates[at]);
  return Math.abs(polygon.Compute(false, true).area ?? 0);
}

/** m on the ellipsoid. */
function geodesicLength({ coordinates, stride, start, end }: Ring): number {
  const { WGS84, DISTANCE } = ellipsoid();
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
      return fromGeometry(args, call, (written) => {
        const column = planeOf(written, call, 'edges').geometry;
        const coordinates = measure.isGeodesic ? degreesOf(column, call) : column.coordinates;
        const values = measured(column, coordinates, measure);
        return { type: 'float64', values, validity: presentRows(column) };
      });
    },
  };
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

const LENGTH_UNITS = [
  ['', 'm', 1],
  ['_km', 'km', METERS_PER_KM],
] as const;

const lengths = sizes(
  'length',
  'The length of the lines of the feature',
  { partKind: PART_KIND.line, holes: 'add' },
  geodesicLength,
  planarLength,
  LENGTH_UNITS,
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
      if (kind === 'text' || isTemporal(kind)) return ofText.compile(args, call);
      if (kind === 'unknown') return { kind: 'number', place: call.place, column: noColumn };
      if (kind !== 'geometry')
        throw call.refuse(0, `value must be a text or a geometry, not ${KIND_NAME[kind]}`);
      return ofGeometry.compile(args, call);
    },
  };
}

export const sizeFunctions: readonly ExpressionFunction[] = [
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
    LENGTH_UNITS,
  ),
];
