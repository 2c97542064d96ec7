/** Takes a column with both coordinates: their notation and their order. */
import { WGS84 } from '@geomill/core/crs/crs.ts';
import { letterOf } from '@geomill/core/geometry/coordinate-names.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { COMMA, DOT } from '@geomill/core/text/ascii.ts';
import type { OrdinateNotation } from '@geomill/core/text/ordinate-text.ts';
import { PositionScanner } from '@geomill/core/text/position-text.ts';
import type { WantedColumns } from './columns.ts';
import { areMostlyDegrees, notationOf } from './coordinate-sample.ts';
import { noteNotation } from './locate-pair.ts';
import { type HeaderReading, type LocatedGeometry, shown } from './located.ts';
import { isMissing } from './missing.ts';
import { CellBytes, type Sample, shownCell } from './sample.ts';

/**
 * `order`: what an option or the name of the column states. Throws POINT_ORDER if neither these nor the values do; a
 * later value that does not state it is an error of its row.
 */
export function pointColumn(
  { names, sample: sampleOf, messages }: HeaderReading,
  index: number,
  order: 'lat_lon' | 'lon_lat' | null,
  wanted: WantedColumns,
  findings: Findings,
): LocatedGeometry {
  const sample = sampleOf();
  const column = shown(names[index]);
  const letterO = letterOf(names);
  const marks = wanted.decimalComma === null ? [DOT, COMMA] : [wanted.decimalComma ? COMMA : DOT];
  const readings = marks.map((mark) => readPoints(sample, index, notationOf(mark, letterO)));
  const best = readings.reduce((a, b) => (b.valid > a.valid ? b : a));
  if (order === null && best.undecided !== '')
    throw messages.failure(
      'POINT_ORDER',
      { line: best.line, column, value: best.undecided },
      { line: best.line, field: names[index] },
    );
  noteNotation(`'${column}'`, best.notation, best.isSexagesimal, wanted, findings);
  const place = { kind: 'point', index, order, notation: best.notation } as const;
  const positions = best.positions(order ?? 'lat_lon');
  const reason = `column '${column}' holds latitudes and longitudes`;
  return { place, assumedCrs: areMostlyDegrees(positions) ? { crs: WGS84, reason } : null };
}

function readPoints(sample: Sample, column: number, notation: OrdinateNotation) {
  const scanner = new PositionScanner(notation);
  const cell = new CellBytes();
  const read: { first: number; second: number; order: 'lat_lon' | 'lon_lat' | null }[] = [];
  let undecided = '';
  let line = 0;
  let isSexagesimal = false;
  for (let row = 0; row < sample.rowCount; row++) {
    if (!cell.open(sample, row * sample.columnCount + column) || isMissing(cell)) continue;
    if (!scanner.parse(cell.bytes, cell.start, cell.end)) continue;
    const { first, second, order } = scanner;
    read.push({ first, second, order });
    if (order === null && undecided === '') {
      undecided = shownCell(cell);
      line = sample.lines[row];
    }
    isSexagesimal ||= scanner.isSexagesimal;
  }
  return {
    valid: read.length,
    /** The first value that does not state its order; empty if all do. */
    undecided,
    line,
    isSexagesimal,
    notation,
    /** x, y, x, y, ... */
    positions: (usual: 'lat_lon' | 'lon_lat'): Float64Array =>
      Float64Array.from(
        read.flatMap(({ first, second, order }) =>
          (order ?? usual) === 'lat_lon' ? [second, first] : [first, second],
        ),
      ),
  };
}
