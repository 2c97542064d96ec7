/** How a table of text holds geometries: a column of WKT, or columns of coordinates. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import {
  GEOMETRY_TYPE,
  GEOMETRY_TYPE_NAMES,
  type GeometryColumn,
  hasM,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { fillMissingOrdinates } from '@geomill/core/geometry/missing-ordinates.ts';
import { rowDimensions } from '@geomill/core/geometry/row-dimensions.ts';
import { failure, type Location } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { counted } from '@geomill/core/messages/message.ts';
import { formatFindings } from '../findings.ts';
import { noteDroppedGeometries } from '../table-output.ts';
import type { OutputLayer, WriteContext } from '../writer.ts';

/** The error for features that are not one point each. */
export type PointsOnly = (found: string, location?: Location) => Error;

/** Which columns hold the geometry; 'xyz': also one with Z. */
export type GeometryCells = 'wkt' | 'xy' | 'xyz' | 'none';

/** Number of columns that hold the geometry. */
export function cellsOf(geometry: GeometryCells): number {
  return { wkt: 1, xy: 2, xyz: 3, none: 0 }[geometry];
}

/** A table without fields keeps a column of geometries: rows without any column cannot be written. */
export function geometryForm(
  { isTable }: OutputLayer,
  fields: readonly Field[],
  options: WriteContext['options'],
): Exclude<GeometryCells, 'xyz'> {
  if (isTable === true && fields.length > 0) return 'none';
  return options.geometry === 'xy' ? 'xy' : 'wkt';
}

/** The geometries as they are written; `table`: for findings. Throws `pointsOnly`. */
export function writtenGeometry(
  batch: FeatureBatch,
  form: GeometryCells,
  findings: Findings,
  table: string,
  pointsOnly: PointsOnly,
): GeometryColumn {
  if (form === 'wkt') return wholeOrdinates(batch, findings);
  if (form !== 'none')
    return pointRows(batch.geometry, findings, `${table} with columns of coordinates`, pointsOnly);
  noteDroppedGeometries(batch, findings);
  return batch.geometry;
}

/** Readers take the column with this name first. */
const GEOMETRY_COLUMN = 'geom_wkt';

/**
 * WKT has no notation for a Z or M that is missing at some positions. GDAL and programs based on it read no geometry at
 * all if it contains NaN.
 */
export function wholeOrdinates(batch: FeatureBatch, findings: Findings): GeometryColumn {
  const { geometry, rowsFilledZ, rowsFilledM } = fillMissingOrdinates(batch.geometry);
  const params = { format: 'WKT' };
  findings.noteTally(formatFindings.ORDINATE_FILLED, { ...params, ordinate: 'Z' }, rowsFilledZ);
  findings.noteTally(formatFindings.ORDINATE_FILLED, { ...params, ordinate: 'M' }, rowsFilledM);
  return geometry;
}

/**
 * `format`: for findings. Throws `pointsOnly` for a row with more than one position; other types than points were rejected before. Notes
 * what columns of coordinates do not keep.
 */
function pointRows(
  geometry: GeometryColumn,
  findings: Findings,
  format: string,
  pointsOnly: PointsOnly,
): GeometryColumn {
  const { types, partOffsets, ringOffsets, coordOffsets, dimensions } = geometry;
  const empty = new RowTally();
  const rowsWithM = new RowTally();
  for (let row = 0; row < types.length; row++) {
    const count =
      coordOffsets[ringOffsets[partOffsets[row + 1]]] - coordOffsets[ringOffsets[partOffsets[row]]];
    if (count > 1) throw pointsOnly(`a MultiPoint with ${count} points`, { record: row + 1 });
    if (count === 0 && types[row] !== GEOMETRY_TYPE.none) empty.add(row);
    if (hasM(dimensions) && hasM(rowDimensions(geometry, row))) rowsWithM.add(row);
  }
  findings.noteTally(formatFindings.EMPTY_TO_NULL, { format }, empty);
  findings.noteTally(generalFindings.M_DROPPED, { format }, rowsWithM);
  return geometry;
}

/** Names of the columns of the geometry. Throws `pointsOnly`. */
export function geometryNames(
  { name, crs, statistics }: OutputLayer,
  form: Exclude<GeometryCells, 'xyz'>,
  pointsOnly: PointsOnly,
): string[] {
  if (form === 'none') return [];
  if (form === 'wkt') return [GEOMETRY_COLUMN];
  if (statistics === null) throw failure(generalErrors.INTERNAL, { reason: 'the writer got no statistics' });
  const { typeCounts, hasZ } = statistics.geometry;
  const found = typeCounts.flatMap((count, type) =>
    count === 0 || POINT_TYPES.includes(type) ? [] : [counted(count, GEOMETRY_TYPE_NAMES[type])],
  );
  if (found.length > 0) throw pointsOnly(`layer '${name}' has ${found.join(', ')}`);
  return [...(crs.kind === 'geographic' ? ['lon', 'lat'] : ['x', 'y']), ...(hasZ ? ['z'] : [])];
}

const POINT_TYPES: readonly number[] = [GEOMETRY_TYPE.none, GEOMETRY_TYPE.point, GEOMETRY_TYPE.multiPoint];

/** The index of the first ordinate of a row that has one position (see `pointRows`); -1: it has none. */
export function pointOffset(
  { dimensions, partOffsets, ringOffsets, coordOffsets }: GeometryColumn,
  row: number,
): number {
  const first = coordOffsets[ringOffsets[partOffsets[row]]];
  const isEmpty = coordOffsets[ringOffsets[partOffsets[row + 1]]] === first;
  return isEmpty ? -1 : first * strideOf(dimensions);
}

/**
 * The column names for the fields; a field named like a column of the geometry gets another name. Names of coordinates
 * are compared without case, because readers recognise them so.
 */
export function columnNames(
  fields: readonly Field[],
  geometry: readonly string[],
  layer: string,
  findings: Findings,
): string[] {
  const fold = (name: string): string => (geometry.length > 1 ? name.toLowerCase() : name);
  const unique = new UniqueNames({ fold, taken: [...geometry, ...fields.map(({ name }) => fold(name))] });
  return fields.map(({ name }) => {
    if (!geometry.includes(fold(name))) return name;
    const to = unique.take(name);
    findings.note(formatFindings.FIELD_RENAMED, { from: name, layer, to });
    return to;
  });
}

/** The CRS that a table of text cannot state. */
export function noteCrs({ crs }: OutputLayer, format: string, findings: Findings): void {
  const { authority, definition } = crs;
  const isWgs84 = authority?.name === 'EPSG' && authority.code === '4326';
  if (!isWgs84)
    findings.note(formatFindings.CRS_NOT_WRITTEN, {
      crs: definition,
      reason: `${format} cannot store it; pass it on with the file`,
    });
}

const TEXTS = { binary: 'base64 text', json: 'JSON text' } as const;

/** Fields of these types become text. */
export function noteTexts(
  { fields, name: layer }: OutputLayer,
  types: readonly (keyof typeof TEXTS)[],
  findings: Findings,
): void {
  for (const { name, type: from } of fields ?? []) {
    const type = types.find((one) => one === from);
    if (type !== undefined)
      findings.note(formatFindings.FIELD_RETYPED, { field: name, layer, from: type, to: TEXTS[type] });
  }
}
