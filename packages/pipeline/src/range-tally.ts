/** Sums what is known of the positions of a layer, and reports or refuses those that cannot be in their CRS. */
import type { CrsText } from '@geomill/core/crs/crs.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { failure, GeomillError, type Location } from '@geomill/core/messages/errors.ts';
import { MAX_LISTED, RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings, ListedRows } from '@geomill/core/messages/findings.ts';
import { field, phrase, setting, textOf } from '@geomill/core/messages/message.ts';
import { stepErrors } from '@geomill/operations/errors.ts';
import { pipelineErrors } from './errors.ts';
import { pipelineFindings } from './findings.ts';
import { areWithin, contains, MAX_PLACES } from './position-range.ts';
import type { PositionRange, RangeCounts } from './task.ts';

/** A few such features are mistakes in the data. More of them show that the data has another CRS. */
const MAX_IMPOSSIBLE_SHARE = 0.01;

/** What becomes of positions that cannot be. */
export interface RangeCheck {
  /** any: the first one is an error. many: they are an error if more than one feature of a hundred has one. none: they are reported. */
  readonly refuses: 'any' | 'many' | 'none';
  /** Where the request can state the CRS. */
  readonly crsPath: string;
  /** The layer or the file, for messages. */
  readonly label: string;
}

/** Sums the counts of the batches of a layer. */
export class RangeTally {
  readonly #range: PositionRange | null;
  readonly #bounds: Bounds = [Infinity, Infinity, -Infinity, -Infinity];
  readonly #places: { record: number; x: number; y: number }[] = [];
  readonly #left = { impossible: MAX_LISTED, outside: MAX_LISTED };
  readonly #listed = { impossible: [] as ListedRows[], outside: [] as ListedRows[] };
  #impossible = 0;
  #outside = 0;

  constructor(range: PositionRange | null) {
    this.#range = range;
  }

  /** `rowsBefore`: number of rows before those of the batch. `at`: file and layer. `crs`: of the positions. */
  add(counts: RangeCounts | null, rowsBefore: number, at: Location = {}, crs: CrsText = ''): void {
    if (counts === null) return;
    if (counts.rows !== undefined)
      for (const kind of ['impossible', 'outside'] as const) {
        const rows = counts.rows[kind];
        const before = { record: rowsBefore, line: 0 };
        if (rows.rows.length === 0 || this.#left[kind] <= 0) continue;
        this.#left[kind] -= rows.rows.length;
        this.#listed[kind].push({ rows, base: before, at, crs });
      }
    const { bounds, impossible, outside, places } = counts;
    const own = this.#bounds;
    for (const i of [0, 1]) own[i] = Math.min(own[i], bounds[i]);
    for (const i of [2, 3]) own[i] = Math.max(own[i], bounds[i]);
    this.#impossible += impossible;
    this.#outside += outside;
    for (const { record, x, y } of places)
      if (this.#places.length < MAX_PLACES) this.#places.push({ record: record + rowsBefore, x, y });
  }

  /** The first feature with a longitude or latitude that cannot be; null: none. */
  get firstImpossible(): { readonly record: number; readonly x: number; readonly y: number } | null {
    return this.#places.at(0) ?? null;
  }

  /**
   * Notes what was found among `rowCount` features. Throws COORDINATE_OUT_OF_RANGE for the first feature with a longitude
   * or latitude that cannot be if the check is strict, and COORDINATES_IMPOSSIBLE if there are too many of them.
   */
  note(findings: Findings, rowCount: number, at: Location, { refuses, crsPath, label }: RangeCheck): void {
    const range = this.#range;
    if (range === null || this.#bounds[0] > this.#bounds[2]) return;
    const { crs } = range;
    const isSwapped = this.looksSwapped;
    const first = this.firstImpossible;
    if (refuses === 'any' && first !== null)
      throw impossiblePosition(first, at, isSwapped ? SWAPPED : `${crs} is in degrees`, crsPath);
    const isTooMany = this.#impossible > rowCount * MAX_IMPOSSIBLE_SHARE;
    if (refuses === 'many' && first !== null && isTooMany) {
      const { record, x, y } = first;
      const stated = field(crsPath);
      const accept = setting('accept_impossible_coordinates', 'true');
      throw failure(
        pipelineErrors.COORDINATES_IMPOSSIBLE,
        {
          ...{
            crs,
            share: shareText(this.#impossible, rowCount),
            source: label,
            place: `feature ${record}`,
            x,
            y,
          },
          advice: isSwapped
            ? phrase`longitude and latitude look swapped, so exchange them with the step ${field('step.swap_xy')}, or state another CRS with '${stated}', or ${accept}`
            : phrase`state the CRS of the data with '${stated}', or ${accept}`,
        },
        { ...at, record },
      );
    }
    const axes = range.limits === null ? 'x and y' : 'longitude and latitude';
    if (isSwapped) findings.note(pipelineFindings.COORDINATES_SWAPPED, { axes, crs }, at);
    const unlisted = new RowTally();
    const share = (count: number): string => shareText(count, rowCount);
    const beyond = { crs, share: share(this.#impossible) };
    for (const [i, { record }] of this.#places.entries()) {
      const located = Number.isNaN(record) ? at : { ...at, record };
      const count = i === 0 ? this.#impossible - this.#places.length + 1 : 1;
      findings.note(pipelineFindings.COORDINATES_OUT_OF_RANGE, beyond, located, count, unlisted);
    }
    if (this.#impossible > 0)
      findings.addListed(pipelineFindings.COORDINATES_OUT_OF_RANGE, beyond, this.#listed.impossible);
    if (this.#outside === 0) return;
    const params = { crs, share: share(this.#outside) };
    findings.note(pipelineFindings.OUTSIDE_AREA_OF_USE, params, at, this.#outside);
    findings.addListed(pipelineFindings.OUTSIDE_AREA_OF_USE, params, this.#listed.outside);
  }

  /** Nothing is where it can be, and everything would be if x and y were exchanged. */
  get looksSwapped(): boolean {
    if (this.#range === null) return false;
    const { limits, area } = this.#range;
    const bounds = this.#bounds;
    const swapped: Bounds = [bounds[1], bounds[0], bounds[3], bounds[2]];
    const isWrong = this.#impossible > 0 || (area !== null && areApart(area, bounds));
    return (
      isWrong && (limits === null || areWithin(swapped, limits)) && (area === null || contains(area, swapped))
    );
  }
}

function areApart(a: Bounds, b: Bounds): boolean {
  return a[0] > b[2] || b[0] > a[2] || a[1] > b[3] || b[1] > a[3];
}

const SWAPPED = 'longitude and latitude look swapped';

/** The error with the likely reason, if positions of its batch cannot be in the CRS. */
export function withLikelyReason(
  error: unknown,
  counts: RangeCounts | null,
  range: PositionRange | null,
): unknown {
  const isOutside = error instanceof GeomillError && error.code === 'COORDINATE_OUTSIDE_DOMAIN';
  if (!isOutside || counts === null || range === null) return error;
  const tally = new RangeTally(range);
  tally.add(counts, 0);
  if (!tally.looksSwapped) return error;
  const reason = `${textOf(error.params.reason)} (${SWAPPED})`;
  return new GeomillError(error.entry, { ...error.params, reason }, error.location, error);
}

export function impossiblePosition(
  { record, x, y }: { readonly record: number; readonly x: number; readonly y: number },
  at: Location,
  reading: string,
  crsPath: string,
): Error {
  const file = at.file === undefined ? '' : `'${at.file}', `;
  return failure(
    stepErrors.COORDINATE_OUT_OF_RANGE,
    { place: `${file}feature ${record}`, x, y, reading, path: field(crsPath) },
    { ...at, record },
  );
}

/** "12.3 %"; 0 % and 100 % only for none and all. */
export function shareText(count: number, total: number): string {
  if (count >= total) return '100 %';
  const percent = Math.min(99.9, (count / total) * 100);
  return percent < 0.1 ? 'less than 0.1 %' : `${percent.toFixed(1)} %`;
}
