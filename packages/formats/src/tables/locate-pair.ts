/** Takes two columns as coordinates: their notation, their height and whether they are degrees. */
import { WGS84 } from '@geomill/core/crs/crs.ts';
import { typicalBounds } from '@geomill/core/geometry/bounds.ts';
import type { NamedPair } from '@geomill/core/geometry/coordinate-names.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { COMMA, DOT } from '@geomill/core/text/ascii.ts';
import type { OrdinateNotation } from '@geomill/core/text/ordinate-text.ts';
import type { WantedColumns } from './columns.ts';
import {
  areMostlyDegrees,
  areNumbers,
  notationOf,
  type PairValues,
  positionsOf,
  readColumn,
} from './coordinate-sample.ts';
import { commonTableFindings } from './findings.ts';
import { type HeaderReading, type LocatedGeometry, shown } from './located.ts';

/** Throws COMMA_AMBIGUOUS. */
export function pairOf(
  { names, messages }: HeaderReading,
  pair: NamedPair,
  values: PairValues,
  wanted: WantedColumns,
  findings: Findings,
): LocatedGeometry {
  const { x, y, notation, isUndecided } = values;
  const columns = `'${shown(names[pair.x])}' and '${shown(names[pair.y])}'`;
  if (isUndecided) {
    const isX = x.ambiguous > 0;
    throw messages.failure('COMMA_AMBIGUOUS', {
      value: isX ? x.example : y.example,
      column: shown(names[isX ? pair.x : pair.y]),
    });
  }
  noteNotation(columns, notation, x.sexagesimal + y.sexagesimal > 0, wanted, findings);
  const areAngles = x.valid + y.valid > 0 && x.angles === x.valid && y.angles === y.valid;
  const place = {
    kind: 'pair',
    ...{ x: pair.x, y: pair.y, z: pair.z, notation, areAngles: pair.needsAngles },
  } as const;
  return { place, ...crsOfPair(columns, positionsOf(values), pair.isGeographic || areAngles) };
}

/** `saysDegrees`: the names or the notation of the columns do. Positions are `x, y, x, y, ...`. */
export function crsOfPair(
  columns: string,
  positions: Float64Array<ArrayBuffer>,
  saysDegrees: boolean,
): Omit<LocatedGeometry, 'place'> {
  // Swapped ones and a few that cannot be are degrees as well; the pipeline reports them.
  if (saysDegrees && areMostlyDegrees(positions))
    return { assumedCrs: { crs: WGS84, reason: `columns ${columns} hold longitudes and latitudes` } };
  const { bounds, hasOutliers } = typicalBounds({ coordinates: positions, dimensions: 'XY' });
  const doubt = saysDegrees ? doubtOf(columns, positions) : undefined;
  return { assumedCrs: null, extent: positions.length > 0 ? bounds : undefined, hasOutliers, doubt };
}

/** 472215 can be 47 degrees, 22 minutes and 15 seconds, or meters: nothing but its producer says which. */
function doubtOf(columns: string, positions: Float64Array<ArrayBuffer>): string {
  const index = positions.findIndex((value, i) => Math.abs(value) > (i % 2 === 0 ? 360 : 90));
  return `columns ${columns} are named like degrees but have values such as ${positions[index]}, which are projected, or degrees, minutes and seconds without separators, which geomill does not read`;
}

export function noteNotation(
  columns: string,
  { decimalMark }: OrdinateNotation,
  isSexagesimal: boolean,
  wanted: WantedColumns,
  findings: Findings,
): void {
  const comma = decimalMark === COMMA && wanted.decimalComma === null ? ['with a decimal comma'] : [];
  const notation = [...(isSexagesimal ? ['as degrees, minutes and seconds'] : []), ...comma];
  if (notation.length > 0)
    findings.note(commonTableFindings.COORDINATE_NOTATION, { columns, notation: notation.join(' and ') });
}

/** "'lon' (x), 'lat' (y), 'z' (z)"; with the number of the column where names are repeated. */
export function pairText(names: readonly string[], { x, y, z }: Pick<NamedPair, 'x' | 'y' | 'z'>): string {
  const text = (index: number, axis: string): string => {
    const isRepeated = names.indexOf(names[index]) !== names.lastIndexOf(names[index]);
    return `'${shown(names[index])}' (${axis}${isRepeated ? `, column ${index + 1}` : ''})`;
  };
  return [text(x, 'x'), text(y, 'y'), ...(z < 0 ? [] : [text(z, 'z')])].join(', ');
}

/** Names of heights, which stay fields: a height is rarely in the CRS of x and y. */
const HEIGHT = /^(?:z|h|height|elevation|elev|ele|alt|altitude|hoehe|höhe|kote|altitud|quota|hoogte)\b/i;

export function noteHeight(
  { names, sample, messages }: HeaderReading,
  { z }: Pick<NamedPair, 'z'>,
  findings: Findings,
): void {
  if (z >= 0) return;
  const heights = names.flatMap((name, index) => (HEIGHT.test(name) ? [index] : []));
  if (heights.length !== 1) return;
  if ([DOT, COMMA].some((mark) => areNumbers(readColumn(sample(), heights[0], notationOf(mark, null)))))
    messages.note(findings, 'HEIGHT_KEPT', { column: shown(names[heights[0]]) });
}
