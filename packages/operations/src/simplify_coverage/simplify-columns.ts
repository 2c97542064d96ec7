/** The polygons of several columns simplified as one coverage. */
import { copyRows } from '@geomill/core/columns/copy-rows.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import type { GeosGeometry } from '@geomill/geos/geometry.ts';
import type { Geos } from '@geomill/geos/geos.ts';
import { levelFactor, unlevel } from '../parts/level-degrees.ts';
import { isFinitePlane } from '../parts/repaired.ts';

/** Result for a row. */
export const CHANGED = { copied: 0, simplified: 1, repaired: 2, dropped: 3 } as const;

export interface SimplifiedColumn {
  readonly geometry: GeometryColumn;
  /** The rows of the input that are left. */
  readonly rows: Uint32Array<ArrayBuffer>;
  /** CHANGED by row of the input. */
  readonly changes: Uint8Array<ArrayBuffer>;
}

export interface CoverageForm {
  /** In the unit of the coordinates. */
  readonly tolerance: number;
  readonly keepsOutline: boolean;
  /** For degrees and their like; null: the coordinates are lengths. */
  readonly radiansPerUnit: number | null;
}

const { none, polygon, multiPolygon } = GEOMETRY_TYPE;

/** Its own arrays are in the result; those of the columns stay as they are. */
export function simplifyColumns(
  geos: Geos,
  columns: readonly GeometryColumn[],
  form: CoverageForm,
): SimplifiedColumn[] {
  // One factor for all: positions of shared borders must stay equal.
  const factor = form.radiansPerUnit === null ? 1 : commonFactor(columns, form.radiansPerUnit);
  const repaired = columns.map(({ types }) => new Uint8Array(types.length));
  using coverage = readCoverage(geos, columns, factor, repaired);
  using simplified = coverage.coverageSimplify(form.tolerance, form.keepsOutline);
  let member = 0;
  return columns.map((column, i) => {
    const { types, partOffsets, dimensions } = column;
    const builder = new GeometryBuilder(dimensions, types.length, 1024);
    const changes = new Uint8Array(types.length);
    for (let row = 0; row < types.length; row++) {
      if (!isAreal(types[row]) || partOffsets[row] === partOffsets[row + 1]) {
        copyRows(builder, column, row, row + 1);
        continue;
      }
      using part = simplified.part(member++);
      const isRepaired = repaired[i][row] === 1;
      changes[row] = appendMember(part, column, row, builder, factor, isRepaired);
    }
    const kept = Uint32Array.from(changes.keys()).filter((row) => changes[row] !== CHANGED.dropped);
    return { geometry: builder.finish(), rows: kept, changes };
  });
}

function isAreal(type: number): boolean {
  return type === polygon || type === multiPolygon;
}

function appendMember(
  member: GeosGeometry,
  column: GeometryColumn,
  row: number,
  builder: GeometryBuilder,
  factor: number,
  isRepaired: boolean,
): number {
  const { partOffsets, ringOffsets, coordOffsets } = column;
  const before =
    coordOffsets[ringOffsets[partOffsets[row + 1]]] - coordOffsets[ringOffsets[partOffsets[row]]];
  if (!isRepaired && member.positionCount === before) {
    copyRows(builder, column, row, row + 1);
    return CHANGED.copied;
  }
  const start = builder.coordinateLength;
  let change: number = isRepaired ? CHANGED.repaired : CHANGED.simplified;
  let written: number;
  if (member.isValid) written = member.appendTo(builder, 2);
  else {
    // Results for overlapping polygons, which are not a coverage, may be invalid.
    using valid = member.makeValid();
    written = valid.appendTo(builder, 2);
    change = CHANGED.repaired;
  }
  unlevel(builder.coordinates, builder.stride, start, builder.coordinateLength, factor);
  return written === none ? CHANGED.dropped : change;
}

/** A collection of all polygons, row by row; rows that had to be repaired are marked with 1. */
function readCoverage(
  geos: Geos,
  columns: readonly GeometryColumn[],
  factor: number,
  repaired: readonly Uint8Array[],
): GeosGeometry {
  const members: GeosGeometry[] = [];
  using owned = new DisposableStack();
  columns.forEach((column, i) => {
    const plane = levelled(column, factor);
    for (let row = 0; row < column.types.length; row++) {
      if (!isAreal(column.types[row]) || column.partOffsets[row] === column.partOffsets[row + 1]) continue;
      const geometry = owned.use(geos.read(plane, row));
      const isValid = isFinitePlane(column, row) && geometry.isValid;
      if (!isValid) repaired[i][row] = 1;
      members.push(isValid ? geometry : owned.use(geometry.makeValid()));
    }
  });
  return geos.collection(members);
}

function levelled(column: GeometryColumn, factor: number): GeometryColumn {
  if (factor === 1) return column;
  const stride = strideOf(column.dimensions);
  const coordinates = column.coordinates.slice();
  for (let at = 0; at < coordinates.length; at += stride) coordinates[at] /= factor;
  return { ...column, coordinates };
}

function commonFactor(columns: readonly GeometryColumn[], radiansPerUnit: number): number {
  let factor = Number.POSITIVE_INFINITY;
  for (const { coordinates, dimensions } of columns) {
    if (coordinates.length === 0) continue;
    const own = levelFactor(coordinates, strideOf(dimensions), 0, coordinates.length, radiansPerUnit);
    if (own < factor) factor = own;
  }
  return Number.isFinite(factor) ? factor : 1;
}
