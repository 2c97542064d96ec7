/**
 * Keeps features at even intervals without knowing how many there will be: every feature at first, and, whenever four
 * times the wanted number are kept, only every second one of these. At the end the wanted number is taken of the kept ones.
 */
import { nullColumn } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { takeFeatures } from '../parts/take-geometry.ts';
import type { SerialRun, SerialTransformation, StepParameters, StepSetting } from '../transformation.ts';

export const code: SerialTransformation = {
  kind: 'serial',
  outputFields: (fields, { row_field: rowField }) =>
    // A taken name is reported by the sampler, which knows the path of the parameter.
    typeof rowField === 'string' && !hasField(fields, rowField)
      ? [...fields, rowFieldNamed(rowField)]
      : fields,
  sampleSize: sizeOf,
  needsRows: ({ row_field: rowField }) => rowField !== undefined,
  begin: async (parameters, setting) => sampler(parameters, setting),
};

/** Features kept at most, as a multiple of the wanted number. */
const KEPT_FACTOR = 4;

/** Features whose numbers in the layer are `first`, `first + step`, ... */
interface Kept {
  readonly first: number;
  readonly batch: FeatureBatch;
}

function sizeOf({ count }: StepParameters): number {
  return count as number;
}

export function sampler(parameters: StepParameters, { path }: Pick<StepSetting, 'path'>): SerialRun {
  const count = sizeOf(parameters);
  const rowField = parameters.row_field as string | undefined;
  let kept: Kept[] = [];
  let keptCount = 0;
  let added = 0;
  let step = 1;
  const keepEverySecond = (): void => {
    step *= 2;
    keptCount = 0;
    kept = kept.flatMap(({ first, batch }) => {
      const thinned = everyFrom(batch, first % step === 0 ? 0 : 1, 2);
      keptCount += thinned.rowCount;
      const start = first % step === 0 ? first : first + step / 2;
      return thinned.rowCount === 0 ? [] : [{ first: start, batch: thinned }];
    });
  };
  return {
    add(batch, _findings, rows) {
      const first = Math.ceil(added / step) * step;
      const numbered = rowField === undefined ? batch : withRowField(batch, rowField, rows, path);
      const taken = everyFrom(numbered, first - added, step);
      added += batch.rowCount;
      if (taken.rowCount === 0) return;
      kept.push({ first, batch: taken });
      keptCount += taken.rowCount;
      while (keptCount > KEPT_FACTOR * count) keepEverySecond();
    },
    finish() {
      const wanted = Math.min(count, keptCount);
      const result: FeatureBatch[] = [];
      let before = 0;
      let next = 0;
      for (const { batch } of kept) {
        const rows: number[] = [];
        for (; next < wanted; next++) {
          const at = Math.floor((next * keptCount) / wanted) - before;
          if (at >= batch.rowCount) break;
          rows.push(at);
        }
        before += batch.rowCount;
        if (rows.length > 0) result.push(taken(batch, Uint32Array.from(rows)));
      }
      return result;
    },
  };
}

function everyFrom(batch: FeatureBatch, first: number, step: number): FeatureBatch {
  const count = Math.max(0, Math.ceil((batch.rowCount - first) / step));
  return taken(
    batch,
    Uint32Array.from({ length: count }, (_, i) => first + i * step),
  );
}

function taken(batch: FeatureBatch, rows: Uint32Array<ArrayBuffer>): FeatureBatch {
  return rows.length === batch.rowCount ? batch : takeFeatures(batch, rows);
}

/** Throws TRANSFORMATION_INVALID if the batch has a field with this name. */
function withRowField(
  batch: FeatureBatch,
  name: string,
  rows: BigInt64Array<ArrayBuffer> | null,
  path: string,
): FeatureBatch {
  if (hasField(batch.fields, name))
    throw failure(generalErrors.TRANSFORMATION_INVALID, {
      path: field(`${path}.row_field`),
      reason: phrase`is '${name}', but the layer already has a field of this name; choose another one`,
    });
  const column =
    rows === null
      ? nullColumn('int64', batch.rowCount)
      : { type: 'int64' as const, values: rows, validity: null };
  return {
    ...batch,
    fields: [...batch.fields, rowFieldNamed(name)],
    columns: [...batch.columns, column],
  };
}

function rowFieldNamed(name: string): Field {
  return { name, type: 'int64' };
}

function hasField(fields: readonly Field[], name: string): boolean {
  return fields.some((other) => other.name === name);
}
