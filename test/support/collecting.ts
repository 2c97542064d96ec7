/**
 * Runs a collecting transformation without the pipeline: this module answers its calls and copies data as between
 * threads.
 */
import { ByteWriter } from '../../packages/core/src/bytes/byte-writer.ts';
import type { AttributeColumn } from '../../packages/core/src/columns/attribute-column.ts';
import { ColumnBuilder, valueAt } from '../../packages/core/src/columns/attribute-column.ts';
import type { FeatureBatch } from '../../packages/core/src/columns/feature-batch.ts';
import type { Field, FieldType } from '../../packages/core/src/columns/schema.ts';
import { GeometryBuilder } from '../../packages/core/src/geometry/geometry-column.ts';
import { WktReader } from '../../packages/core/src/geometry/wkt.ts';
import { writeWkt } from '../../packages/core/src/geometry/wkt-write.ts';
import { Findings } from '../../packages/core/src/messages/findings.ts';
import { Geos } from '../../packages/engines/geos/src/geos.ts';
import { checkedStep } from '../../packages/operations/src/requested-steps.ts';
import type {
  CollectingHost,
  StepSetting,
  Transformation,
} from '../../packages/operations/src/transformation.ts';
import { METRIC_CRS, settingIn } from './run-step.ts';

/** `wkt` is the geometry, `id` the feature id, other members are attributes. */
export type Row = { readonly wkt: string | null; readonly id?: number } & Readonly<
  Record<string, string | number | bigint | boolean | null | undefined>
>;

const SETTING = settingIn(METRIC_CRS);

/** Integers become int32, other numbers float64, bigints int64. Each batch has `batchRows` rows. */
export function layerOf(rows: readonly Row[], batchRows = 3): FeatureBatch[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(
    (name) => name !== 'wkt' && name !== 'id',
  );
  const fields: Field[] = names.map((name) => ({ name, type: typeOf(rows.map((row) => row[name])) }));
  const batches: FeatureBatch[] = [];
  for (let start = 0; start < rows.length; start += batchRows)
    batches.push(batchOf(rows.slice(start, start + batchRows), fields));
  return batches;
}

function typeOf(values: readonly unknown[]): FieldType {
  const given = values.filter((value) => value !== null && value !== undefined);
  if (given.every((value) => typeof value === 'boolean')) return 'boolean';
  if (given.every((value) => typeof value === 'bigint')) return 'int64';
  if (given.every((value) => Number.isInteger(value))) return 'int32';
  return given.every((value) => typeof value === 'number') ? 'float64' : 'string';
}

function batchOf(rows: readonly Row[], fields: readonly Field[]): FeatureBatch {
  const reader = new WktReader();
  const builder = new GeometryBuilder('XY');
  for (const { wkt } of rows) {
    const bytes = new TextEncoder().encode(wkt ?? '');
    if (wkt === null) builder.endFeature(0);
    else reader.read(bytes, 0, bytes.length, builder);
  }
  const hasIds = rows.some(({ id }) => id !== undefined);
  return {
    rowCount: rows.length,
    geometry: builder.finish(),
    fields,
    columns: fields.map(({ name, type }) =>
      columnOf(
        type,
        rows.map((row) => row[name]),
      ),
    ),
    ids: hasIds
      ? columnOf(
          'float64',
          rows.map(({ id }) => id),
        )
      : null,
  };
}

function columnOf(type: FieldType, values: readonly unknown[]): AttributeColumn {
  const builder = new ColumnBuilder(type);
  for (const value of values) {
    if (value === null || value === undefined) builder.appendNull();
    else if (typeof value === 'bigint') builder.appendBigInt(value);
    else if (typeof value === 'string') builder.appendText(value);
    else builder.appendNumber(Number(value));
  }
  return builder.finish();
}

export function rowsOf(batches: readonly FeatureBatch[]): Row[] {
  return batches.flatMap(({ rowCount, geometry, fields, columns, ids }) =>
    Array.from({ length: rowCount }, (_, row) => {
      const writer = new ByteWriter(64);
      writeWkt(writer, geometry, row);
      const wkt =
        writer.length === 0 ? null : new TextDecoder().decode(writer.bytes.subarray(0, writer.length));
      const values = fields.map(({ name }, i) => [name, valueAt(columns[i], row)]);
      const id = ids === null ? {} : { id: Number(valueAt(ids, row)) };
      return { wkt, ...Object.fromEntries(values), ...id } as Row;
    }),
  );
}

/** Checks that all GEOS objects are freed at the end. */
export async function collectWith(
  transformation: Transformation,
  batches: readonly FeatureBatch[],
  given: Readonly<Record<string, unknown>>,
  width = 2,
  setting: StepSetting = SETTING,
  keep: CollectingHost['keep'] = (column) => column,
): Promise<{ batches: readonly FeatureBatch[]; findings: Findings; fractions: number[]; calls: number }> {
  const parameters = checkedStep(transformation, { ...given }, setting.path).params;
  const code = await transformation.load();
  if (code.kind !== 'collecting') throw new Error(`${transformation.id} does not collect`);
  const findings = new Findings();
  const fractions: number[] = [];
  let calls = 0;
  const answer = await code.prepare(parameters, setting);
  const host = {
    width,
    findings,
    keep,
    progress: (fraction: number) => void fractions.push(fraction),
    call: async (payload: unknown, transfer: readonly ArrayBuffer[] = []) => {
      calls++;
      const { result, transfer: back } = answer(structuredClone(payload, { transfer: [...transfer] }));
      return structuredClone(result, { transfer: [...back] });
    },
  };
  const geos = await Geos.load();
  const live = geos.liveCount;
  const result = [...(await code.collect(batches, parameters, setting, host))];
  if (geos.liveCount !== live) throw new Error(`${geos.liveCount - live} geometries of GEOS were not freed`);
  return { batches: result, findings, fractions, calls };
}
