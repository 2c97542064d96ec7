/** Finds columns of geometries by the values of the first rows. */
import { GeometryBuilder } from '../../batch/geometry-column.ts';
import { OPEN_BRACE, ZERO } from '../../bytes/ascii.ts';
import { GeometryCells, isMissing } from './row-geometry.ts';
import { CellBytes, type Sample } from './sample.ts';

export interface SampledGeometry {
  readonly index: number;
  readonly notation: 'WKT' | 'hexadecimal WKB' | 'GeoJSON';
  /** Values of the sample; 0: only the name says that it is a column of geometries. */
  readonly count: number;
  /** SRID that all values state; 0: none. */
  readonly srid: number;
  /** All positions of the sample are in the range of longitude and latitude. */
  readonly isInRange: boolean;
  /** The name says that the column contains geometries. */
  readonly isKnownName: boolean;
}

/** Words of names of columns of geometries. A column "shape" or "note" with WKT is taken only if an option names it. */
const KNOWN_WORDS = new Set(
  (
    'wkt ewkt wkb ewkb twkb geom geometry geometrie geometria géométrie geometría geog geography geo geojson json the_geom ' +
    'point points line lines linestring linestrings multilinestring polygon polygons multipolygon multipoint poly ' +
    'location position coordinates boundary outline footprint envelope centroid way path route track spatial'
  ).split(' '),
);
/** The name of the specification, which is case-sensitive: "GEOM_WKT" is another column. */
const SPECIFIED = 'geom_wkt';
const EMPTY_NAMES = new Set(['wkt', 'geom', 'geometry', 'the_geom', 'wkb_geometry', 'geojson', 'wkt_geom']);

export function isKnownName(name: string): boolean {
  const lower = name.trim().toLowerCase();
  if (lower === SPECIFIED || name.length > 80) return false;
  const words = lower.split(/[^\p{L}]+/u);
  return words.some((word) => KNOWN_WORDS.has(word) || /^(?:geom|wkt|wkb)|(?:geom|wkt|wkb)$/.test(word));
}

/**
 * Columns whose values in the sample are all geometries. Columns without a value are among them only with a usual name.
 */
export function sampledGeometries(names: readonly string[], sample: Sample): SampledGeometry[] {
  const cell = new CellBytes();
  const found: SampledGeometry[] = [];
  for (let index = 0; index < names.length; index++) {
    const geometry = readColumn(sample, index, cell);
    if (geometry === null || (geometry.count === 0 && !EMPTY_NAMES.has(names[index].toLowerCase()))) continue;
    found.push({ index, isKnownName: isKnownName(names[index]), ...geometry });
  }
  // With values beside them, columns without any are attributes.
  return found.some(({ count }) => count > 0) ? found.filter(({ count }) => count > 0) : found;
}

function readColumn(
  sample: Sample,
  column: number,
  cell: CellBytes,
): Pick<SampledGeometry, 'notation' | 'count' | 'srid' | 'isInRange'> | null {
  const builder = new GeometryBuilder('XY', 8, 8);
  const reader = new GeometryCells(column, builder);
  let notation: SampledGeometry['notation'] = 'WKT';
  let count = 0;
  let srid = -1;
  let isInRange = true;
  for (let row = 0; row < sample.rowCount; row++) {
    if (!cell.open(sample, row * sample.columnCount + column) || isMissing(cell)) continue;
    const first = cell.bytes[cell.start];
    const found = first === OPEN_BRACE ? 'GeoJSON' : first === ZERO ? 'hexadecimal WKB' : 'WKT';
    if (count++ > 0 && found !== notation) return null;
    notation = found;
    if (reader.readCell(cell) < 0) return null;
    isInRange &&= isGeographic(builder);
    builder.rewind(0);
    srid = srid === -1 || srid === reader.srid ? reader.srid : 0;
  }
  return { notation, count, srid: Math.max(srid, 0), isInRange };
}

function isGeographic({ coordinates, coordinateLength, stride }: GeometryBuilder): boolean {
  for (let i = 0; i < coordinateLength; i += stride)
    if (Math.abs(coordinates[i]) > 180 || Math.abs(coordinates[i + 1]) > 90) return false;
  return true;
}
