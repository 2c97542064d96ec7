/** Transformations of points that are simple enough to know every result: for tests of the machinery around steps. */
import { ColumnBuilder, valueAt } from '../../packages/core/src/columns/attribute-column.ts';
import type { FeatureBatch } from '../../packages/core/src/columns/feature-batch.ts';
import { indexOfField } from '../../packages/core/src/columns/known-field.ts';
import type { Field } from '../../packages/core/src/columns/schema.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  PART_KIND,
} from '../../packages/core/src/geometry/geometry-column.ts';
import { stepFindings } from '../../packages/operations/src/findings.ts';
import type {
  ParametersSchema,
  StepSetting,
  Transformation,
  TransformationCode,
} from '../../packages/operations/src/transformation.ts';

export interface ExampleLog {
  /** Settings that steps were made ready with. */
  readonly settings: StepSetting[];
  /** Rows of each batch that a step got, in no certain order. */
  readonly batches: { readonly step: string; readonly rows: number; readonly fields: readonly Field[] }[];
}

/** even: keeps points whose field `n` is even. shift: moves points by `dx`. gather: all points of a layer in one feature. */
export function exampleSteps(): { readonly registry: readonly Transformation[]; readonly log: ExampleLog } {
  const log: ExampleLog = { settings: [], batches: [] };
  const record = (
    id: string,
    properties: ParametersSchema['properties'],
    code: TransformationCode,
  ): Transformation => ({
    id,
    title: id,
    group: 'shape',
    summary: 'An example.',
    description: id,
    parameters: { type: 'object', properties, additionalProperties: false },
    guarantees: [],
    longitudes: 'as written',
    usesGeometries: 'never',
    commandLine: null,
    load: async () => code,
  });
  const registry = [
    record('even', {}, even(log)),
    record('shift', { dx: { type: 'number', default: 1 } }, shift(log)),
    record('gather', {}, gather(log)),
  ];
  return { registry, log };
}

function even(log: ExampleLog): TransformationCode {
  return {
    kind: 'streaming',
    outputFields(fields) {
      indexOfField(fields, 'n');
      return fields;
    },
    async prepare(_parameters, setting) {
      log.settings.push(setting);
      return (batch, findings) => {
        log.batches.push({ step: 'even', rows: batch.rowCount, fields: batch.fields });
        const column = batch.columns[indexOfField(batch.fields, 'n')];
        const rows: number[] = [];
        for (let row = 0; row < batch.rowCount; row++) {
          if (Number(valueAt(column, row)) % 2 === 0) rows.push(row);
          else findings.note(stepFindings.GEOMETRY_DROPPED, { operation: 'even' }, { record: row + 1 });
        }
        return pointsOf(batch, rows, 0);
      };
    },
  };
}

function shift(log: ExampleLog): TransformationCode {
  return {
    kind: 'streaming',
    async prepare({ dx }, setting) {
      log.settings.push(setting);
      return (batch) => {
        log.batches.push({ step: 'shift', rows: batch.rowCount, fields: batch.fields });
        return pointsOf(
          batch,
          Array.from({ length: batch.rowCount }, (_, row) => row),
          dx as number,
        );
      };
    },
  };
}

function gather(log: ExampleLog): TransformationCode {
  const fields: readonly Field[] = [{ name: 'count', type: 'int32' }];
  return {
    kind: 'collecting',
    outputFields: () => fields,
    async collect(batches, _parameters, setting, host) {
      log.settings.push(setting);
      const builder = new GeometryBuilder();
      let count = 0;
      for (const [i, batch] of batches.entries()) {
        log.batches.push({ step: 'gather', rows: batch.rowCount, fields: batch.fields });
        count += (await host.call(batch.rowCount)) as number;
        const { coordinates } = batch.geometry;
        for (let at = 0; at < coordinates.length; at += 2) {
          builder.position(coordinates[at], coordinates[at + 1]);
          builder.endRing();
          builder.endPart(PART_KIND.point);
        }
        host.progress((i + 1) / batches.length);
      }
      if (count === 0) return [];
      builder.endFeature(GEOMETRY_TYPE.multiPoint);
      const column = new ColumnBuilder('int32');
      column.appendNumber(count);
      return [{ rowCount: 1, geometry: builder.finish(), fields, columns: [column.finish()], ids: null }];
    },
    prepare: async () => (payload) => ({ result: payload, transfer: [] }),
  };
}

/** The rows of a batch of XY points, moved; int32 and text fields. */
function pointsOf(batch: FeatureBatch, rows: readonly number[], dx: number): FeatureBatch {
  const geometry = new GeometryBuilder();
  const columns = batch.columns.map((column) => new ColumnBuilder(column.type));
  for (const row of rows) {
    geometry.position(batch.geometry.coordinates[row * 2] + dx, batch.geometry.coordinates[row * 2 + 1]);
    geometry.endRing();
    geometry.endPart(PART_KIND.point);
    geometry.endFeature(GEOMETRY_TYPE.point);
    batch.columns.forEach((column, i) => {
      const value = valueAt(column, row);
      if (value === null) columns[i].appendNull();
      else if (typeof value === 'string') {
        const bytes = new TextEncoder().encode(value);
        columns[i].appendBytes(bytes, 0, bytes.length);
      } else columns[i].appendNumber(Number(value));
    });
  }
  return {
    rowCount: rows.length,
    geometry: geometry.finish(),
    fields: batch.fields,
    columns: columns.map((column) => column.finish()),
    ids: null,
  };
}
