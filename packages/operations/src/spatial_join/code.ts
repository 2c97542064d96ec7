/** Joins the attributes of the features of the source that each feature relates to. */
import { type AttributeColumn, ColumnBuilder } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { isInDegrees } from '@geomill/core/crs/degrees.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import type { Geos } from '@geomill/geos/geos.ts';
import { stepFindings } from '../findings.ts';
import { planAggregates } from '../parts/aggregate.ts';
import { aggregateColumn } from '../parts/aggregate-columns.ts';
import { metersOf } from '../parts/lengths.ts';
import { type FeatureSource, ROW_FLAG } from '../parts/source/feature-source.ts';
import { featureStep, sourceOf } from '../parts/source/feature-step.ts';
import { drawnWhereDegrees, type PlacedSource } from '../parts/source/placed-source.ts';
import { NO_ROW_OF_SOURCE, RowPairs } from '../parts/source/row-pairs.ts';
import { type AddedField, namedFields, noteNames } from '../parts/source/source-fields.ts';
import type { StepParameters, StepSetting } from '../transformation.ts';
import { type Matcher, NearestMatcher, type Predicate, PredicateMatcher } from './matcher.ts';

export const code = featureStep(
  addedFields,
  (geos, placed, parameters, setting) => {
    const step = new SpatialJoin(geos, placed, parameters, setting);
    return (batch, findings) => step.apply(batch, findings);
  },
  'unwrapped',
);

function merges({ aggregate, matches }: StepParameters): boolean {
  return aggregate !== undefined || matches === 'aggregate';
}

/** With the names of the source. Throws FIELD_UNKNOWN and AGGREGATE_TYPE. */
function addedFields(parameters: StepParameters): readonly AddedField[] {
  const { table } = sourceOf(parameters);
  const { count_field: count, distance_field: distance } = parameters;
  return [
    ...(merges(parameters) ? planAggregates(table.fields, parameters).map(({ to }) => to) : table.fields),
    ...(distance === undefined ? [] : [{ name: String(distance), type: 'float64', isNamed: true } as const]),
    ...(count === undefined ? [] : [{ name: String(count), type: 'int32', isNamed: true } as const]),
  ];
}

class SpatialJoin {
  readonly #parameters: StepParameters;
  readonly #setting: StepSetting;
  readonly #source: FeatureSource;
  readonly #matcher: Matcher;
  readonly #added: readonly AddedField[];

  constructor(geos: Geos, placed: PlacedSource, parameters: StepParameters, setting: StepSetting) {
    this.#parameters = parameters;
    this.#setting = setting;
    this.#source = sourceOf(parameters);
    this.#added = addedFields(parameters);
    this.#matcher =
      parameters.predicate === 'nearest'
        ? nearest(geos, placed, parameters, setting)
        : new PredicateMatcher(geos, placed, parameters.predicate as Predicate, isInDegrees(setting.crs));
  }

  /**
   * Notes JOIN_UNMATCHED or JOIN_UNMATCHED_DROPPED, JOIN_FURTHER_MATCHES, TESTED_AS_REPAIRED, VALUES_COLLAPSED and
   * SOURCE_FIELD_RENAMED.
   */
  apply(batch: FeatureBatch, findings: Findings): FeatureBatch {
    const { table, flags } = this.#source;
    const { how, matches, distance_field: distanceField, count_field: countField } = this.#parameters;
    const merging = merges(this.#parameters) ? new MergedMatches() : null;
    const matcher = this.#matcher;
    const geometry = drawnWhereDegrees(batch.geometry, this.#setting.crs, 'unwrapped');
    const pairs = new RowPairs(batch.rowCount, this.#setting);
    const distances = distanceField === undefined ? null : new ColumnBuilder('float64', batch.rowCount);
    const counts = countField === undefined ? null : new ColumnBuilder('int32', batch.rowCount);
    const unmatched = new RowTally();
    const further = new RowTally();
    const repaired = new RowTally();
    for (let row = 0; row < batch.rowCount; row++) {
      matcher.match(geometry, row);
      const { found } = matcher;
      if (matcher.isRepaired) repaired.add(row);
      if (found.length === 0) {
        unmatched.add(row);
        if (how === 'inner') continue;
        pairs.add(row, NO_ROW_OF_SOURCE);
        merging?.add(found);
        distances?.appendNull();
        counts?.appendNumber(0);
        continue;
      }
      for (const other of found) flags[other] |= ROW_FLAG.matched;
      const all = matches === 'all' ? found.length : 1;
      for (let i = 0; i < all; i++) {
        pairs.add(row, found[i]);
        distances?.appendNumber(matcher.distance);
        counts?.appendNumber(found.length);
      }
      merging?.add(found);
      if (all < found.length && merging === null && table.fields.length > 0) further.add(row);
    }
    const source = table.file;
    findings.noteTally(
      how === 'inner' ? stepFindings.JOIN_UNMATCHED_DROPPED : stepFindings.JOIN_UNMATCHED,
      { source },
      unmatched,
    );
    findings.noteTally(stepFindings.JOIN_FURTHER_MATCHES, { source }, further);
    findings.noteTally(stepFindings.TESTED_AS_REPAIRED, {}, repaired);
    const named = namedFields(batch.fields, this.#added, this.#parameters);
    noteNames(this.#added, named, this.#parameters, findings);
    const own = [distances, counts].flatMap((column) => (column === null ? [] : [column.finish()]));
    return pairs.featuresOf(
      batch,
      [...batch.fields, ...named],
      merging === null ? table.columns : [],
      merging === null ? own : [...this.#merged(merging, pairs.rows, findings), ...own],
    );
  }

  /** `rows`: the feature of each group. */
  #merged(merging: MergedMatches, rows: Uint32Array, findings: Findings): AttributeColumn[] {
    const { table } = this.#source;
    const groups = merging.groups();
    const layer = { batches: [table], batchOf: new Uint8Array(table.rowCount), firstRows: Uint32Array.of(0) };
    return planAggregates(table.fields, this.#parameters).map((aggregate, i) => {
      const collapsed = new RowTally();
      const onCollapsed = (group: number): void => collapsed.add(rows[group]);
      const columns = [table.columns[i]];
      const merged = aggregateColumn(layer, columns, aggregate, groups, 0, groups.count, onCollapsed);
      // With the other functions the request says which value is taken.
      if (aggregate.how === 'first')
        findings.noteTally(stepFindings.VALUES_COLLAPSED, { field: aggregate.from.name }, collapsed);
      return merged;
    });
  }
}

/** The rows of the source by feature, for aggregates. */
class MergedMatches {
  readonly #offsets: number[] = [0];
  readonly #rows: number[] = [];

  add(found: readonly number[]): void {
    for (const row of found) this.#rows.push(row);
    this.#offsets.push(this.#rows.length);
  }

  groups() {
    return {
      count: this.#offsets.length - 1,
      groupOf: new Uint32Array(0),
      offsets: Uint32Array.from(this.#offsets),
      rows: Uint32Array.from(this.#rows),
    };
  }
}

/** Throws TRANSFORMATION_INVALID in a geographic CRS. */
function nearest(
  geos: Geos,
  placed: PlacedSource,
  { max_distance: most, units }: StepParameters,
  { crs, path }: StepSetting,
): Matcher {
  if (crs.kind === 'geographic')
    throw failure(generalErrors.TRANSFORMATION_INVALID, {
      path: field(`${path}.predicate`),
      reason: `is 'nearest', which measures in the plane, and the data is in ${crs.name}, in degrees; add a reproject step before it, to a projected CRS of the area`,
    });
  const metres = most === undefined ? Number.POSITIVE_INFINITY : metersOf(most, units);
  return new NearestMatcher(geos, placed, metres, crs.unitFactor);
}
