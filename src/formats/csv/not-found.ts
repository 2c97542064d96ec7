/** Says why no position was found in a CSV, and what to do. */
import { namedPairs } from '../../batch/coordinate-names.ts';
import { failure } from '../../errors.ts';
import { listNames } from './columns.ts';
import { sampledPair } from './coordinate-sample.ts';
import { sampledGeometries } from './geometry-sample.ts';
import { type HeaderReading, shown } from './located.ts';
import { CellBytes, type Sample, shownCell } from './sample.ts';

/** The error for a CSV in which nothing was found. */
export function notFound({ names, delimiter, sample }: HeaderReading): Error {
  if (/^sep=.?$/i.test(names[0]?.trim() ?? ''))
    return failure('CSV_SYNTAX', {
      line: 1,
      reason: "'sep=' is an instruction for Excel, not a header: remove the line",
    });
  const rows = sample();
  const geometries = sampledGeometries(names, rows).map(
    ({ index, notation }) => `'${shown(names[index])}' contains ${notation}. `,
  );
  const values = namedPairs(names).flatMap((pair) => {
    const { x, y } = sampledPair(rows, pair, null);
    const [index, { invalid, reason }] = y.invalid === '' ? [pair.x, x] : [pair.y, y];
    return invalid === '' ? [] : [`'${shown(names[index])}' contains '${invalid}': ${reason}. `];
  });
  return failure('CSV_COLUMN_MISSING', {
    possible: [...geometries.slice(0, 3), ...values.slice(0, 1), gridHint(names, rows)].join(''),
    found: listNames(names, delimiter),
  });
}

/** References of grids that geomill does not read. */
const GRIDS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['MGRS references', /^\d{1,2}[C-HJ-NP-X]\s?[A-HJ-NP-Z]{2}\s?(?:\d\d|\d{4}|\d{6}|\d{8}|\d{10}|\d+\s\d+)$/i],
  ['British grid references', /^[HNOST][A-HJ-Z]\s?(?:\d\d|\d{4}|\d{6}|\d{8}|\d{10}|\d+\s\d+)$/i],
];

function gridHint(names: readonly string[], sample: Sample): string {
  const cell = new CellBytes();
  for (let column = 0; column < names.length; column++) {
    const texts: string[] = [];
    for (let row = 0; row < Math.min(sample.rowCount, 20); row++)
      if (cell.open(sample, row * sample.columnCount + column)) texts.push(shownCell(cell));
    const found = GRIDS.find(([, pattern]) => texts.length > 0 && texts.every((text) => pattern.test(text)));
    if (found === undefined) continue;
    return `'${shown(names[column])}' contains ${found[0]} such as '${texts[0]}', which geomill does not read: convert them to eastings and northings. `;
  }
  return '';
}
