/** Says why no position was found in a table, and what to do. */
import { geographicAxis, namedPairs, wordsOf } from '@geomill/core/geometry/coordinate-names.ts';
import { type Phrase, phrase } from '@geomill/core/messages/message.ts';
import { COMMA, DOT } from '@geomill/core/text/ascii.ts';
import { PositionScanner } from '@geomill/core/text/position-text.ts';
import { listNames } from './columns.ts';
import { notationOf, readColumn, sampledPair } from './coordinate-sample.ts';
import { isGeometryName } from './data-cells.ts';
import { sampledGeometries } from './geometry-sample.ts';
import { type HeaderReading, shown } from './located.ts';
import type { TableMessages } from './messages.ts';
import { isMissing } from './missing.ts';
import { CellBytes, type Sample, shownCell } from './sample.ts';

/** The error for a table in which nothing was found. */
export function notFound(reading: HeaderReading): Error {
  const { names, delimiter, messages } = reading;
  return messages.failure('COLUMN_MISSING', {
    possible: [...positionHints(reading), ...dataHint(names, messages)],
    found: listNames(names, delimiter),
  });
}

/** What looks like a position but cannot be used, and what to do; empty: no name and no value looks like one. */
export function positionHints(reading: HeaderReading): Phrase {
  const { names, sample, messages } = reading;
  const rows = sample();
  const geometries = sampledGeometries(reading).map(
    ({ index, notation }) => `'${shown(names[index])}' contains ${notation}. `,
  );
  const values = namedPairs(names).flatMap((pair) => {
    const { x, y } = sampledPair(rows, pair, null);
    const [index, { invalid, reason }] = y.invalid === '' ? [pair.x, x] : [pair.y, y];
    return invalid === '' ? [] : [`'${shown(names[index])}' contains '${invalid}': ${reason}. `];
  });
  const named = geometries.length === 0 ? geometryNameHint(names, rows) : '';
  const single = values.length === 0 ? singleHint(names, rows) : '';
  const possible = [
    ...geometries.slice(0, 3),
    ...values.slice(0, 1),
    named,
    single,
    gridHint(names, rows),
  ].join('');
  return [possible, ...pointHint(names, rows, messages)].filter((part) => part !== '');
}

/** A column that is named like geometries and has other values. */
function geometryNameHint(names: readonly string[], sample: Sample): string {
  for (let column = 0; column < names.length; column++) {
    if (!isGeometryName(names[column])) continue;
    const [first] = textsOf(sample, column);
    if (first === undefined) continue;
    return `'${shown(names[column])}' is named like a column of geometries, but contains '${first.text}'. `;
  }
  return '';
}

/** A column of longitudes or latitudes for which no column of the other coordinate is named. */
function singleHint(names: readonly string[], sample: Sample): string {
  for (const { index, other } of unpairedCoordinates(names)) {
    const { filled, valid } = readColumn(sample, index, notationOf(DOT, null));
    if (filled === 0 || valid < filled) continue;
    return `'${shown(names[index])}' is named like a coordinate, but no column is named like its ${other}. `;
  }
  return '';
}

/** Columns named like a longitude or latitude that belong to no pair, and the name of the coordinate that they lack. */
export function unpairedCoordinates(names: readonly string[]): { index: number; other: string }[] {
  const paired = new Set(namedPairs(names).flatMap(({ x, y }) => [x, y]));
  return names.flatMap((name, index) => {
    const axis = paired.has(index) ? null : geographicAxis(wordsOf(name));
    if (axis === null || axis.word.kind !== 'geographic') return [];
    return [{ index, other: axis.word.axis === 'x' ? 'latitude' : 'longitude' }];
  });
}

/** A column with both coordinates, whose order only the user knows. */
function pointHint(names: readonly string[], sample: Sample, messages: TableMessages): Phrase {
  const scanners = [DOT, COMMA].map((mark) => new PositionScanner(notationOf(mark, null)));
  for (let column = 0; column < names.length; column++) {
    const texts = textsOf(sample, column);
    const isRead = ({ cell }: SampledText): boolean =>
      scanners.some((scanner) => scanner.parse(cell, 0, cell.length));
    // "3 4" can be anything.
    const isMarked = ({ text }: SampledText): boolean => /[.,°]\d*.*[.,;°\s]/.test(text);
    if (texts.length === 0 || !texts.every((text) => isRead(text) && isMarked(text))) continue;
    return phrase`'${shown(names[column])}' contains positions such as '${texts[0].text}': name it with '${messages.option('point_column')}', and their order with '${messages.option('point_order')}'. `;
  }
  return [];
}

/** The first line has numbers, so it is probably a row. */
function dataHint(names: readonly string[], messages: TableMessages): Phrase {
  const number =
    names.find((name) => /^-?\d+[.,]\d+$/.test(name.trim())) ??
    names.find((name) => /^-?\d+$/.test(name.trim()));
  return number === undefined
    ? []
    : phrase`The first ${messages.words.line} has numbers such as '${shown(number)}' instead of names: set '${messages.option('has_header')}' to false and name the columns by number. `;
}

interface SampledText {
  readonly text: string;
  readonly cell: Uint8Array;
}

const HINT_ROWS = 20;

function textsOf(sample: Sample, column: number): SampledText[] {
  const cell = new CellBytes();
  const texts: SampledText[] = [];
  for (let row = 0; row < Math.min(sample.rowCount, HINT_ROWS); row++)
    if (cell.open(sample, row * sample.columnCount + column) && !isMissing(cell))
      texts.push({ text: shownCell(cell), cell: cell.bytes.slice(cell.start, cell.end) });
  return texts;
}

/** References of grids that geomill does not read. */
const GRIDS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['MGRS references', /^\d{1,2}[C-HJ-NP-X]\s?[A-HJ-NP-Z]{2}\s?(?:\d\d|\d{4}|\d{6}|\d{8}|\d{10}|\d+\s\d+)$/i],
  ['British grid references', /^[HNOST][A-HJ-Z]\s?(?:\d\d|\d{4}|\d{6}|\d{8}|\d{10}|\d+\s\d+)$/i],
];

function gridHint(names: readonly string[], sample: Sample): string {
  for (let column = 0; column < names.length; column++) {
    const texts = textsOf(sample, column);
    const found = GRIDS.find(
      ([, pattern]) => texts.length > 0 && texts.every(({ text }) => pattern.test(text)),
    );
    if (found === undefined) continue;
    return `'${shown(names[column])}' contains ${found[0]} such as '${texts[0].text}', which geomill does not read: convert them to eastings and northings. `;
  }
  return '';
}
