/** Spatial predicates of CQL2, and validity, by GEOS in the plane of the coordinates. */
import { isInDegrees } from '@geomill/core/crs/degrees.ts';
import { type Bounds, positionBounds } from '@geomill/core/geometry/bounds.ts';
import { type GeometryColumn, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import type { GeosGeometry } from '@geomill/geos/geometry.ts';
import type { Geos } from '@geomill/geos/geos.ts';
import type { GeosPrepared } from '@geomill/geos/prepared.ts';
import type { ExpressionFunction, FunctionCall } from '../function.ts';
import { condition, type Evaluation, type Node } from '../node.ts';
import type { ExpressionSetting } from '../setting.ts';
import { FALSE, TRUE, UNKNOWN, type Verdicts } from '../verdict.ts';
import { fromGeometry, geometry, planeOf } from './geometry-columns.ts';

/** A geometry that is compared with many. */
interface Fixed {
  readonly geometry: GeosGeometry;
  readonly prepared: GeosPrepared;
  readonly bounds: Bounds;
}

/** Whether a predicate holds between a geometry and the fixed one, in this order. */
type Predicate = (fixed: Fixed, other: GeosGeometry) => boolean;

interface Relation {
  readonly description: string;
  readonly holds: Predicate;
  /** The predicate with its arguments exchanged. */
  readonly reversed: string;
  /** What holds of geometries whose bounds have nothing in common; null: it has to be computed. */
  readonly apart: boolean | null;
}

const RELATIONS: Readonly<Record<string, Relation>> = {
  s_intersects: {
    description: 'Whether two geometries have a position in common.',
    holds: ({ prepared }, other) => prepared.intersects(other),
    reversed: 's_intersects',
    apart: false,
  },
  s_disjoint: {
    description: 'Whether two geometries have no position in common.',
    holds: ({ prepared }, other) => !prepared.intersects(other),
    reversed: 's_disjoint',
    apart: true,
  },
  s_within: {
    description: 'Whether the first geometry is within the second one.',
    holds: ({ prepared }, other) => prepared.contains(other),
    reversed: 's_contains',
    apart: false,
  },
  s_contains: {
    description: 'Whether the first geometry contains the second one.',
    holds: ({ prepared }, other) => prepared.within(other),
    reversed: 's_within',
    apart: false,
  },
  s_touches: {
    description: 'Whether two geometries have only positions of their borders in common.',
    holds: ({ prepared }, other) => prepared.touches(other),
    reversed: 's_touches',
    apart: false,
  },
  s_crosses: {
    description: 'Whether two geometries cross: a line another line, or the border of a polygon.',
    holds: ({ prepared }, other) => prepared.crosses(other),
    reversed: 's_crosses',
    apart: false,
  },
  s_overlaps: {
    description: 'Whether two geometries of the same dimension overlap, and neither is within the other.',
    holds: ({ prepared }, other) => prepared.overlaps(other),
    reversed: 's_overlaps',
    apart: false,
  },
  s_equals: {
    description: 'Whether two geometries have the same positions, in whatever order they are written.',
    holds: (fixed, other) => fixed.geometry.equals(other),
    reversed: 's_equals',
    // Two empty geometries are equal.
    apart: null,
  },
};

function relationFunction(name: string, { description }: Relation): ExpressionFunction {
  return {
    name,
    group: 'geometry',
    parameters: [
      { name: 'a', kind: 'geometry' },
      { name: 'b', kind: 'geometry' },
    ],
    description: `${description} A geometry that is written in the expression is in EPSG:4326.`,
    compile: ([a, b], call) => {
      if (a.constant !== undefined && b.constant === undefined)
        return related(RELATIONS[name].reversed, b, a, call);
      return related(name, a, b, call);
    },
  };
}

function related(name: string, a: Node, b: Node, call: FunctionCall): Node {
  const { holds, apart } = RELATIONS[name];
  const isFixed = b.constant !== undefined;
  let known: Fixed | null = null;
  return condition(call.place, (evaluation) => {
    const setting = settingOf(call);
    const { geos } = setting;
    const column = placedColumn(a, evaluation, call);
    const others = isFixed && known !== null ? column : placedColumn(b, evaluation, call);
    if (isFixed) known ??= fixedOf(geos, others, 0);
    const verdicts: Verdicts = new Uint8Array(evaluation.batch.rowCount);
    for (let row = 0; row < verdicts.length; row++) {
      const ownRow = a.constant === undefined ? row : 0;
      if (column.types[ownRow] === 0 || (!isFixed && others.types[row] === 0)) verdicts[row] = UNKNOWN;
      else if (known === null)
        verdicts[row] = holdsForRow(geos, column, ownRow, others, row, holds) ? TRUE : FALSE;
      else verdicts[row] = holdsForFixed(setting, column, ownRow, known, holds, apart) ? TRUE : FALSE;
    }
    return verdicts;
  });
}

/** The geometries of an argument, in the plane and the CRS of the data. */
function placedColumn(node: Node, evaluation: Evaluation, call: FunctionCall): GeometryColumn {
  const column = columnOf(node, evaluation);
  return planeOf(node.constant === undefined ? column : movedToData(column, call), call, 'edges').geometry;
}

function holdsForRow(
  geos: Geos,
  column: GeometryColumn,
  ownRow: number,
  others: GeometryColumn,
  row: number,
  holds: Predicate,
): boolean {
  using own = geos.read(column, ownRow);
  const fixed = fixedOf(geos, others, row);
  try {
    return holds(fixed, own);
  } finally {
    fixed.prepared[Symbol.dispose]();
    fixed.geometry[Symbol.dispose]();
  }
}

function holdsForFixed(
  { geos, crs, around }: SpatialSetting,
  column: GeometryColumn,
  row: number,
  fixed: Fixed,
  holds: Predicate,
  apart: boolean | null,
): boolean {
  const bounds = boundsOf(column, row);
  let shifts = around.meetingShifts(bounds, fixed.bounds);
  // In other systems, positions a turn away are others.
  if (!isInDegrees(crs)) shifts = shifts.includes(0) ? HERE : [];
  if (shifts.length === 0 && apart !== null) return apart;
  const [west, , east] = fixed.bounds;
  using own = around.readAround(geos, column, row, shifts.length === 0 ? HERE : shifts, (west + east) / 2);
  return holds(fixed, own);
}

const HERE: readonly number[] = [0];

function fixedOf(geos: Geos, column: GeometryColumn, row: number): Fixed {
  const made = geos.read(column, row);
  return { geometry: made, prepared: made.prepare(), bounds: positionBounds(column) };
}

type SpatialSetting = ExpressionSetting & { readonly geos: Geos };

function settingOf({ setting }: FunctionCall): SpatialSetting {
  if (setting === null || setting.geos === null)
    throw new TypeError('an expression with spatial functions is evaluated without GEOS');
  return { ...setting, geos: setting.geos };
}

function columnOf(node: Node, evaluation: Evaluation): GeometryColumn {
  return node.geometry?.(evaluation) ?? evaluation.batch.geometry;
}

/** A geometry of the expression in the CRS of the data; its edges are straight there. */
function movedToData(column: GeometryColumn, { setting }: FunctionCall): GeometryColumn {
  if (setting === null) return column;
  // In a plane, what crosses the antimeridian is in two places.
  const own = setting.crs.kind === 'geographic' ? column : setting.around.cutAtAntimeridian(column).geometry;
  const coordinates = own.coordinates.slice();
  setting.fromWgs84(coordinates, own.dimensions);
  return { ...own, coordinates };
}

function boundsOf(column: GeometryColumn, row: number): Bounds {
  const { partOffsets, ringOffsets, coordOffsets, coordinates, dimensions } = column;
  const stride = strideOf(dimensions);
  const end = coordOffsets[ringOffsets[partOffsets[row + 1]]] * stride;
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = coordOffsets[ringOffsets[partOffsets[row]]] * stride; at < end; at += stride) {
    const x = coordinates[at];
    const y = coordinates[at + 1];
    if (x < west) west = x;
    if (x > east) east = x;
    if (y < south) south = y;
    if (y > north) north = y;
  }
  return [west, south, east, north];
}

export const spatialFunctions: readonly ExpressionFunction[] = [
  ...Object.entries(RELATIONS).map(([name, relation]) => relationFunction(name, relation)),
  {
    name: 'is_valid',
    group: 'geometry',
    parameters: [geometry],
    description: 'Whether the geometry is valid, as OGC simple features define it.',
    compile: (args, call) =>
      fromGeometry(
        args,
        call,
        (written) => {
          const { geos } = settingOf(call);
          const column = planeOf(written, call, 'edges').geometry;
          const values = Uint8Array.from(column.types, (_, row) => {
            using own = geos.read(column, row);
            return own.isValid ? 1 : 0;
          });
          return { type: 'boolean', values, validity: null };
        },
        'boolean',
      ),
  },
];

/** Names of the functions that need GEOS. */
export const SPATIAL_NAMES: ReadonlySet<string> = new Set(spatialFunctions.map(({ name }) => name));
