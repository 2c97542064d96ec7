/** Finds columns with UTM zones beside eastings and northings: a file with several zones has several CRSs. */
import { wordsOf } from '../../batch/coordinate-names.ts';
import { failure } from '../../errors.ts';
import type { PairValues } from './coordinate-sample.ts';
import { shown } from './located.ts';
import { isMissing } from './missing.ts';
import { CellBytes, type Sample, shownCell } from './sample.ts';

/** "32", "32N", "32 U", "33T"; the letter is a hemisphere or a latitude band. */
const ZONE = /^(\d{1,2})\s*([C-HJ-NP-X])?$/i;

/**
 * What a column of zones says of the CRS, as part of a sentence; null if there is none. Throws CSV_ZONES if it has
 * several zones.
 */
export function zoneOf(names: readonly string[], sample: Sample, { x, y }: PairValues): string | null {
  const areEastings = x.values.every((value) => !(value < 100_000 || value > 900_000));
  const areNorthings = y.values.every((value) => !(value < 0 || value > 10_000_000));
  if (!areEastings || !areNorthings || x.valid === 0) return null;
  for (const [column, name] of names.entries()) {
    const words = wordsOf(name);
    if (!words.includes('zone') || words.some((word) => !['utm', 'zone', 'grid', 'gps'].includes(word)))
      continue;
    const zones = zonesIn(sample, column);
    // Without a letter and without "utm" they can be zones of anything.
    const areUtm = words.includes('utm') || [...zones.keys()].some((zone) => /\D/.test(zone));
    const [first, second] = [...zones];
    if (!areUtm || first === undefined) continue;
    if (second === undefined) return `column '${shown(name)}' says UTM zone ${first[0]}`;
    const [zone, line] = second;
    const params = { line, column: shown(name), zone, other: `line ${first[1]} is in ${first[0]}` };
    throw failure('CSV_ZONES', params, { line, field: name });
  }
  return null;
}

/** The zones and the first line of each; empty if a value is none. */
function zonesIn(sample: Sample, column: number): Map<string, number> {
  const zones = new Map<string, number>();
  const cell = new CellBytes();
  for (let row = 0; row < sample.rowCount; row++) {
    if (!cell.open(sample, row * sample.columnCount + column) || isMissing(cell)) continue;
    const [, number, letter = ''] = ZONE.exec(shownCell(cell)) ?? [];
    if (number === undefined || Number(number) < 1 || Number(number) > 60) return new Map();
    const zone = `${Number(number)}${letter.toUpperCase()}`;
    if (!zones.has(zone)) zones.set(zone, sample.lines[row]);
  }
  return zones;
}
