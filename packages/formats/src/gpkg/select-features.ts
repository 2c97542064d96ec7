/**
 * Selects the rows of a layer that a filter by a box or by values may keep. Then only these rows are read; the pages that have them are checked
 * again. The rows near a box come from the RTree, without reading the table: a row that a damaged page lacks is noticed. Rows with values come from a walk over
 * all pages, which checks all of them, as a row that is lacking would not be noticed. Indexes of the file on columns are not used: one that lacks rows
 * would lose features.
 */
import type { NearBoxes } from '@geomill/core/columns/near-boxes.ts';
import { GeomillError } from '@geomill/core/messages/errors.ts';
import { localBytes } from '@geomill/sqlite/leaf-cells.ts';
import { measureKeys, measureTable } from '@geomill/sqlite/table-pages.ts';
import { UntrustedDatabase } from '@geomill/sqlite/untrusted-database.ts';
import type { FeatureSelection, SourceLayer } from '../reader.ts';
import { cutKeys } from './page-partitions.ts';
import { visitRowsNear } from './rtree-read.ts';
import type { GpkgState, TableRoot } from './state.ts';
import { matchersFor, type ValueMatcher } from './value-matcher.ts';

/** If more than one of so many features is selected, reading all of them costs little more. */
const LEAST_SELECTIVITY = 4;
/** Maximum number of selected features; their keys are in memory. */
const MAX_KEYS = 1 << 20;
/** From so many rows near a box on, a walk for the values costs less than reading the rows. */
const MANY_NEAR = 20_000;
const FIRST_CAPACITY = 1 << 12;
/** After so many rows the walk ends if most of them match. */
const ROWS_TO_JUDGE = 100_000;

/** Keys of selected rows, ascending, and the number of rows of the table. */
interface Selected {
  readonly keys: Float64Array<ArrayBuffer>;
  readonly rowCount: number;
}

/** As `selectFeatures` of ExcerptRules. */
export function selectFeatures(
  layer: SourceLayer,
  { near, values }: FeatureSelection,
  partitionBytes: number,
): SourceLayer | null {
  const state = layer.state as GpkgState;
  const { root } = state;
  if (root === null) return null;
  const found = near === null ? null : rowsNear(state, root, near);
  const matchers = found !== null && found.keys.length < MANY_NEAR ? [] : matchersFor(state, values);
  const matching = matchers.length === 0 ? null : withValues(state, root, matchers);
  const selected = inBoth(found, matching);
  if (selected === null || selected.keys.length > selected.rowCount / LEAST_SELECTIVITY) return null;
  const { keys, rowCount } = selected;
  const measures = measureKeys(state.path, root, root.page, keys);
  if (measures === null) return null;
  const { partitions, lastKeys, runs } = cutKeys(measures, keys, partitionBytes);
  return {
    ...layer,
    featureCount: rowCount,
    partitions: partitions.map((partition) => ({ ...partition, featuresBefore: null })),
    state: { ...state, lastKeys, runs } satisfies GpkgState,
    excerpt: { isSampled: false, isNearBox: found !== null, hasValues: matching !== null },
  };
}

/** Null: the index cannot be used, or it has too many. */
function rowsNear(
  { path, source, table, key, geometry }: GpkgState,
  root: TableRoot,
  near: NearBoxes,
): Selected | null {
  if (geometry === null || key === null) return null;
  // Only nodes of the index are read, and the ends of the table.
  const database = new UntrustedDatabase(path, { source, mappedBytes: 0 });
  try {
    const found = new KeyList();
    const countRows = (): number | null => {
      const counts = measureTable(path, root, root.page)?.rowCounts;
      return counts?.reduce((sum, count) => sum + count, 0) ?? null;
    };
    const rowCount = visitRowsNear(database, { table, key, geometry, countRows }, near, (row) =>
      found.add(row),
    );
    return rowCount === null ? null : found.finish(rowCount);
  } catch (error) {
    if (error instanceof GeomillError && error.fault === 'user') return null;
    throw error;
  } finally {
    database.close();
  }
}

/** Null: a page is not sound, or too many rows match. */
function withValues(
  { path }: GpkgState,
  root: TableRoot,
  matchers: readonly ValueMatcher[],
): Selected | null {
  const found = new KeyList();
  let rowCount = 0;
  const measures = measureTable(path, root, root.page, (bytes, cells) => {
    rowCount += cells.rowCount;
    const { payloadStarts, payloadLengths } = cells;
    for (let row = 0; row < cells.rowCount; row++) {
      const start = payloadStarts[row];
      const end = start + localBytes(payloadLengths[row], root.pageBytes);
      if (matchers.every((matcher) => matcher.matches(bytes, start, end))) found.add(cells.keyAt(row));
    }
    return rowCount < ROWS_TO_JUDGE || found.count < rowCount / 2;
  });
  return measures === null ? null : found.finish(rowCount);
}

function inBoth(a: Selected | null, b: Selected | null): Selected | null {
  if (a === null || b === null) return a ?? b;
  const keys = new Set(a.keys);
  return { keys: b.keys.filter((key) => keys.has(key)), rowCount: b.rowCount };
}

class KeyList {
  #keys = new Float64Array(FIRST_CAPACITY);
  count = 0;

  add(key: number): void {
    if (this.count === this.#keys.length && this.count < MAX_KEYS) {
      const grown = new Float64Array(2 * this.count);
      grown.set(this.#keys);
      this.#keys = grown;
    }
    // Beyond MAX_KEYS they are only counted.
    this.#keys[this.count++] = key;
  }

  /** Null: there are too many keys, or one that is not exact as a number, or one twice. */
  finish(rowCount: number): Selected | null {
    if (this.count > this.#keys.length) return null;
    const keys = this.#keys.slice(0, this.count).sort();
    for (let i = 0; i < keys.length; i++)
      if (!Number.isSafeInteger(keys[i]) || (i > 0 && keys[i] === keys[i - 1])) return null;
    return { keys, rowCount };
  }
}
