/** Finds columns with UTM zones beside eastings and northings: a file with several zones has several CRSs. */
import { wordsOf } from '@geomill/core/geometry/coordinate-names.ts';
import type { ColumnValues, PairValues } from './coordinate-sample.ts';
import type { RowCheck } from './located.ts';
import { type HeaderReading, shown } from './located.ts';
import { isMissing } from './missing.ts';
import { CellBytes, type Sample, shownCell } from './sample.ts';

/** "32", "32N", "32 U", "33T"; the letter is a hemisphere or a latitude band. */
const ZONE = /^(\d{1,2})\s*([C-HJ-NP-X])?$/i;

export interface Zones {
  /** What a column of zones says of the CRS, as part of a sentence. */
  readonly doubt?: string;
  readonly checks: readonly RowCheck[];
}

/** Columns of zones beside eastings and northings. Throws ZONES if the sample has several zones. */
export function zoneOf(
  { names, sample: sampleOf, messages }: HeaderReading,
  { x, y }: PairValues,
  isGeographic: boolean,
): Zones {
  const isEmpty = x.valid === 0 || y.valid === 0;
  if (isEmpty ? isGeographic : !areMostly(x, 100_000, 900_000) || !areMostly(y, 0, 10_000_000))
    return { checks: [] };
  const sample = sampleOf();
  const checks: RowCheck[] = [];
  for (const [column, name] of names.entries()) {
    const words = wordsOf(name);
    if (!words.includes('zone') || words.some((word) => !['utm', 'zone', 'grid', 'gps'].includes(word)))
      continue;
    const zones = zonesIn(sample, column);
    if (zones === null) continue;
    // Without a letter and without "utm" they can be zones of anything.
    const isUtm = words.includes('utm');
    const [first, second] = [...zones];
    if (first === undefined) {
      checks.push({ kind: 'zone', column, zone: null, line: 0, isUtm });
      continue;
    }
    if (!isUtm && ![...zones.keys()].some((zone) => /\D/.test(zone))) continue;
    if (second === undefined)
      return {
        doubt: `column '${shown(name)}' says UTM zone ${first[0]}`,
        checks: [{ kind: 'zone', column, zone: first[0], line: first[1], isUtm }],
      };
    const [zone, line] = second;
    const params = {
      line,
      column: shown(name),
      zone,
      other: `${messages.words.line} ${first[1]} is in ${first[0]}`,
    };
    throw messages.failure('ZONES', params, { line, field: name });
  }
  return { checks };
}

function areMostly({ values, valid }: ColumnValues, from: number, to: number): boolean {
  return values.filter((value) => value >= from && value <= to).length * 2 > valid;
}

/** "32N" for "32 n"; null: the text is no zone. */
export function zoneText(text: string): string | null {
  const [, number, letter = ''] = ZONE.exec(text) ?? [];
  const isZone = number !== undefined && Number(number) >= 1 && Number(number) <= 60;
  return isZone ? `${Number(number)}${letter.toUpperCase()}` : null;
}

/** The zones, each with its first line; null if a value is not a zone. */
function zonesIn(sample: Sample, column: number): Map<string, number> | null {
  const zones = new Map<string, number>();
  const cell = new CellBytes();
  for (let row = 0; row < sample.rowCount; row++) {
    if (!cell.open(sample, row * sample.columnCount + column) || isMissing(cell)) continue;
    const zone = zoneText(shownCell(cell));
    if (zone === null) return null;
    if (!zones.has(zone)) zones.set(zone, sample.lines[row]);
  }
  return zones;
}
