/** Finds columns of geometries by the values of the first rows. */
import { GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import { OPEN_BRACE } from '@geomill/core/text/ascii.ts';
import { type GeometryNotation, geometryNotation, isName } from './data-cells.ts';
import { GeometryCells, isHex } from './geometry-cells.ts';
import type { RowCheck } from './located.ts';
import { type HeaderReading, shown } from './located.ts';
import type { TableMessages } from './messages.ts';
import { isMissing } from './missing.ts';
import { CellBytes, type Sample, shownCell } from './sample.ts';

const LOWER_S = 0x73;

export interface SampledGeometry {
  readonly index: number;
  readonly notation: GeometryNotation;
  /** Values of the sample; 0: only the name says that it is a column of geometries. */
  readonly count: number;
  /** SRID that all values state; 0: none. */
  readonly srid: number;
  /** All positions of the sample are in the range of longitude and latitude. */
  readonly isInRange: boolean;
  /** The name says that the column contains geometries. */
  readonly isKnownName: boolean;
  /** The column has a name: not only a number, a text for a missing value or nothing, as records have. */
  readonly isNamed: boolean;
}

/** Words of names of columns of geometries. With one of them a column counts more than columns of coordinates. */
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
export function sampledGeometries({ names, sample: sampleOf, messages }: HeaderReading): SampledGeometry[] {
  const sample = sampleOf();
  const cell = new CellBytes();
  const found: SampledGeometry[] = [];
  for (let index = 0; index < names.length; index++) {
    const geometry = readColumn(names[index], sample, index, cell, messages, true);
    if (geometry === null || (geometry.count === 0 && !EMPTY_NAMES.has(names[index].toLowerCase()))) continue;
    const name = names[index];
    found.push({ index, isKnownName: isKnownName(name), isNamed: isName(name), ...geometry });
  }
  // With values beside them, columns without any are attributes.
  return found.some(({ count }) => count > 0) ? found.filter(({ count }) => count > 0) : found;
}

/** A column in which at least half of the values have the form of geometries, if only one column is so: the rows of the others are errors. */
export function likeliestGeometries(
  names: readonly string[],
  sample: Sample,
): { readonly index: number; readonly notations: readonly GeometryNotation[] } | null {
  const cell = new CellBytes();
  const found: { readonly index: number; readonly notations: readonly GeometryNotation[] }[] = [];
  for (let index = 0; index < names.length; index++) {
    let filled = 0;
    const seen: GeometryNotation[] = [];
    for (let row = 0; row < sample.rowCount; row++) {
      if (!cell.open(sample, row * sample.columnCount + index) || isMissing(cell)) continue;
      filled++;
      const notation = geometryNotation(shownCell(cell));
      if (notation !== null) seen.push(notation);
    }
    if (seen.length > 0 && seen.length * 2 >= filled && isName(names[index]))
      found.push({ index, notations: [...new Set(seen)] });
  }
  return found.length === 1 ? found[0] : null;
}

/** Columns that are named like geometries and have no values in the sample, except one column. */
export function emptyGeometries(names: readonly string[], sample: Sample, except = -1): RowCheck[] {
  const cell = new CellBytes();
  return names.flatMap((name, column): RowCheck[] => {
    if (column === except || !isKnownName(name)) return [];
    for (let row = 0; row < sample.rowCount; row++)
      if (cell.open(sample, row * sample.columnCount + column) && !isMissing(cell)) return [];
    return [{ kind: 'no geometry', column }];
  });
}

/** The CRS of a column that a name or an option states. Throws SRIDS. */
export function statedGeometry(
  { names, sample, messages }: HeaderReading,
  index: number,
): Pick<SampledGeometry, 'srid' | 'notation' | 'isInRange'> {
  const found = readColumn(names[index], sample(), index, new CellBytes(), messages, false);
  return found ?? { srid: 0, notation: 'WKT', isInRange: false };
}

/** Null if a value is no geometry, or has another notation than those before. Throws SRIDS. */
function readColumn(
  name: string,
  sample: Sample,
  column: number,
  cell: CellBytes,
  messages: TableMessages,
  mustCheck: boolean,
): Pick<SampledGeometry, 'notation' | 'count' | 'srid' | 'isInRange'> | null {
  const builder = new GeometryBuilder('XY', 8, 8);
  const reader = new GeometryCells(column, builder);
  let notation: SampledGeometry['notation'] = 'WKT';
  let count = 0;
  let isInRange = true;
  const srids = new Map<number, number>(); // and the first line of each
  for (let row = 0; row < sample.rowCount; row++) {
    if (!cell.open(sample, row * sample.columnCount + column) || isMissing(cell)) continue;
    const first = cell.bytes[cell.start];
    const found = first === OPEN_BRACE ? 'GeoJSON' : isHex(first) ? 'hexadecimal WKB' : 'WKT';
    if (count++ > 0 && found !== notation) return null;
    notation = found;
    // Nearly all WKT is without an SRID: it is read later.
    const isPlain = !mustCheck && found === 'WKT' && (first | 0x20) !== LOWER_S;
    if (!isPlain && reader.readCell(cell) < 0) return null;
    const srid = isPlain ? 0 : reader.srid;
    if (!srids.has(srid)) srids.set(srid, sample.lines[row]);
    isInRange &&= isGeographic(builder);
    builder.rewind(0);
  }
  const [first, second] = [...srids].filter(([srid]) => srid !== 0);
  if (second !== undefined)
    throw messages.failure(
      'SRIDS',
      {
        line: second[1],
        column: shown(name),
        srid: second[0],
        other: `${messages.words.line} ${first[1]} states ${first[0]}`,
      },
      { line: second[1], field: name },
    );
  return { notation, count, srid: srids.size === 1 && first !== undefined ? first[0] : 0, isInRange };
}

function isGeographic({ coordinates, coordinateLength, stride }: GeometryBuilder): boolean {
  for (let i = 0; i < coordinateLength; i += stride)
    if (Math.abs(coordinates[i]) > 180 || Math.abs(coordinates[i + 1]) > 90) return false;
  return true;
}
