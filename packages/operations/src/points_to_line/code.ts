/** Sorts points by their group and order, and connects those that follow each other in a group. */
import { type AttributeColumn, ColumnBuilder } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { joinBatches } from '@geomill/core/columns/join-batches.ts';
import { indexOfField } from '@geomill/core/columns/known-field.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { isInDegrees } from '@geomill/core/crs/degrees.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  hasM,
  hasZ,
  PART_KIND,
} from '@geomill/core/geometry/geometry-column.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { cutAtAntimeridian } from '@geomill/core/sphere/cut.ts';
import { stepFindings } from '../findings.ts';
import { withNewField } from '../parts/new-fields.ts';
import { comparison, RowSorter } from '../parts/row-sorter.ts';
import { keysFor, SortKeys, withKeys } from '../parts/sort-keys.ts';
import { parseOrders, type SortOrder } from '../parts/sort-orders.ts';
import { takeFeatures } from '../parts/take-geometry.ts';
import type { SerialTransformation, StepParameters } from '../transformation.ts';

/** Lines of a batch of the result. */
const BATCH_LINES = 4096;
const BATCH_POSITIONS = 1 << 16;

export const code: SerialTransformation = {
  kind: 'serial',
  merges: true,
  usesFields: () => true,
  outputFields(fields, parameters) {
    const { groups, orders } = ordersOf(parameters, '');
    keysFor([...groups, ...orders], fields, null);
    return fieldsOf(parameters, fields);
  },
  async begin(parameters, setting, store) {
    const { by = [] } = parameters as { readonly by?: readonly string[] };
    const all = ordersOf(parameters, `${setting.path}.`);
    const orders = [...all.groups, ...all.orders];
    const keys = await SortKeys.prepare(orders, setting);
    const sorter = new RowSorter(orders, store);
    let fields: readonly Field[] | null = null;
    return {
      add(batch, findings) {
        fields = batch.fields;
        const points = onlyPoints(batch, findings);
        sorter.add(withKeys(points, keys.columns(points, findings)));
      },
      *finish(findings) {
        if (fields === null) return;
        const lines = new Lines(by, parameters, fields, findings, isInDegrees(setting.crs));
        const isNext = comparison(all.groups);
        let before: readonly AttributeColumn[] = [];
        let beforeRow = -1;
        for (const sorted of sorter.finish()) {
          const own = sorted.columns.slice(fields.length, fields.length + all.groups.length);
          lines.widen(sorted);
          for (let row = 0; row < sorted.rowCount; row++) {
            if (beforeRow < 0 || isNext(before, beforeRow, own, row) !== 0) {
              lines.end();
              if (lines.isFull) yield lines.batch();
              lines.begin(sorted, row);
            }
            lines.add(sorted, row);
            before = own;
            beforeRow = row;
          }
        }
        lines.end();
        if (!lines.isEmpty) yield lines.batch();
      },
    };
  },
};

function ordersOf(
  { by = [], order = [] }: StepParameters,
  before: string,
): { readonly groups: readonly SortOrder[]; readonly orders: readonly SortOrder[] } {
  return {
    groups: (by as readonly string[]).map((name, i) => ({
      expression: { kind: 'field', name, place: 0 },
      path: `${before}by[${i}]`,
      isDescending: false,
      hasNullsFirst: false,
    })),
    orders: parseOrders(order as readonly string[], `${before}order`),
  };
}

function fieldsOf(
  { by = [], count_field: count }: StepParameters,
  fields: readonly Field[],
): readonly Field[] {
  const own = (by as readonly string[]).map((name) => fields[indexOfField(fields, name)]);
  return count === undefined
    ? own
    : withNewField(own, { name: count as string, type: 'int32' }, 'count_field');
}

function onlyPoints(batch: FeatureBatch, findings: Findings): FeatureBatch {
  const { types, partOffsets } = batch.geometry;
  const rows = new Uint32Array(batch.rowCount);
  let count = 0;
  for (let row = 0; row < batch.rowCount; row++) {
    const isPoint = types[row] === GEOMETRY_TYPE.point || types[row] === GEOMETRY_TYPE.multiPoint;
    if (isPoint && partOffsets[row] < partOffsets[row + 1]) rows[count++] = row;
    else findings.note(stepFindings.GEOMETRY_DROPPED, { operation: 'points_to_line' }, { record: row + 1 });
  }
  return count === batch.rowCount ? batch : takeFeatures(batch, rows.slice(0, count));
}

/** Lines under way. */
class Lines {
  readonly #indices: readonly number[];
  readonly #fields: readonly Field[];
  readonly #hasCount: boolean;
  readonly #findings: Findings;
  /** Lines across 180 degrees are cut there. */
  readonly #hasLongitudes: boolean;
  #builder = new GeometryBuilder();
  #attributes: FeatureBatch[] = [];
  #counts = new ColumnBuilder('int32');
  #open: FeatureBatch | null = null;
  #positions = 0;
  #points = 0;

  constructor(
    by: readonly string[],
    parameters: StepParameters,
    fields: readonly Field[],
    findings: Findings,
    hasLongitudes: boolean,
  ) {
    this.#hasLongitudes = hasLongitudes;
    this.#indices = by.map((name) => indexOfField(fields, name));
    this.#fields = fieldsOf(parameters, fields);
    this.#hasCount = parameters.count_field !== undefined;
    this.#findings = findings;
  }

  get isEmpty(): boolean {
    return this.#attributes.length === 0;
  }

  get isFull(): boolean {
    return (
      this.#attributes.length >= BATCH_LINES ||
      (!this.isEmpty && this.#builder.positionCount >= BATCH_POSITIONS)
    );
  }

  widen({ geometry }: FeatureBatch): void {
    this.#builder.widen(geometry.dimensions);
  }

  begin(batch: FeatureBatch, row: number): void {
    this.#builder.widen(batch.geometry.dimensions);
    const columns = this.#indices.map((i) => batch.columns[i]);
    const fields = this.#indices.map((i) => batch.fields[i]);
    this.#open = takeFeatures({ ...batch, fields, columns, ids: null }, Uint32Array.of(row));
    this.#positions = 0;
    this.#points = 0;
  }

  add({ geometry }: FeatureBatch, row: number): void {
    const { partOffsets, ringOffsets, coordOffsets, coordinates, dimensions } = geometry;
    const stride = coordinates.length / Math.max(1, coordOffsets[coordOffsets.length - 1]);
    const zAt = hasZ(dimensions) ? 2 : -1;
    const mAt = hasM(dimensions) ? stride - 1 : -1;
    this.#points++;
    const end = coordOffsets[ringOffsets[partOffsets[row + 1]]];
    for (let i = coordOffsets[ringOffsets[partOffsets[row]]]; i < end; i++) {
      const at = i * stride;
      const z = zAt < 0 ? Number.NaN : coordinates[at + zAt];
      this.#builder.position(
        coordinates[at],
        coordinates[at + 1],
        z,
        mAt < 0 ? Number.NaN : coordinates[at + mAt],
      );
      this.#positions++;
    }
  }

  /** Ends the line of the group. */
  end(): void {
    if (this.#open === null) return;
    if (this.#positions < 2) {
      this.#findings.note(
        stepFindings.GEOMETRY_DROPPED,
        { operation: 'points_to_line' },
        undefined,
        this.#points,
      );
      this.#builder.rollback();
    } else {
      this.#builder.endRing();
      this.#builder.endPart(PART_KIND.line);
      this.#builder.endFeature(GEOMETRY_TYPE.lineString);
      this.#attributes.push(this.#open);
      this.#counts.appendNumber(this.#positions);
    }
    this.#open = null;
  }

  /** The lines that have ended. */
  batch(): FeatureBatch {
    const joined = joinBatches(this.#attributes);
    const own = this.#builder.finish();
    const geometry = this.#hasLongitudes ? cutAtAntimeridian(own).geometry : own;
    const columns = this.#hasCount ? [...joined.columns, this.#counts.finish()] : joined.columns;
    this.#builder = new GeometryBuilder(geometry.dimensions);
    this.#attributes = [];
    this.#counts = new ColumnBuilder('int32');
    return { rowCount: joined.rowCount, geometry, fields: this.#fields, columns, ids: null };
  }
}
