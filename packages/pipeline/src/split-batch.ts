/** Divides batches by the values of a field or expression, in the thread that made them. */
import { type AttributeColumn, isValid, valueAt } from '@geomill/core/columns/attribute-column.ts';
import { castBatch, castColumn } from '@geomill/core/columns/cast.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { batchStatistics } from '@geomill/core/columns/statistics.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { Findings, type FoundFinding } from '@geomill/core/messages/findings.ts';
import { field, type Phrase, phrase } from '@geomill/core/messages/message.ts';
import type { EncodedChunk, FormatWriter, LayerEncoding } from '@geomill/formats/writer.ts';
import { takeFeatures, takeGeometry } from '@geomill/operations/parts/take-geometry.ts';
import { SPLIT_PATH } from '@geomill/operations/split_by/record.ts';
import { pipelineErrors } from './errors.ts';
import { idsAsField } from './feature-ids.ts';
import type { PartResult, SplitValue } from './task.ts';

/** Most parts of an output. */
export const MAX_PARTS = 1000;
/** Longest value, in UTF-16 units: the values are part of messages between threads, and of the report. */
const MAX_VALUE_LENGTH = 10_000;

interface Rows {
  readonly value: SplitValue;
  readonly rows: Uint32Array<ArrayBuffer>;
}

/** The values by which a batch is divided, and the batch without them if they are no part of the output. */
export interface Divided {
  readonly batch: FeatureBatch;
  /** Missing in a batch that has not the field: null. */
  readonly column: AttributeColumn | null;
  /** Of the field, for messages; null: an expression. */
  readonly name: string | null;
}

/** `name`: of the field; null: the values are the last column. */
export function dividedBatch(batch: FeatureBatch, name: string | null): Divided {
  const { fields, columns } = batch;
  const index = name === null ? columns.length - 1 : fields.findIndex((one) => one.name === name);
  const column = index < 0 ? null : columns[index];
  if (name !== null) return { batch, column, name };
  return { batch: { ...batch, fields: fields.slice(0, -1), columns: columns.slice(0, -1) }, column, name };
}

/** Counts the features of each value; `depth` 'all' also collects their statistics, without fields. */
export function countParts(divided: Divided, depth: 'fields' | 'all'): PartResult[] {
  const { batch } = divided;
  return divide(divided).map(({ value, rows }) => ({
    value,
    rowCount: rows.length,
    undrawn: 0,
    chunk: null,
    statistics:
      depth === 'fields'
        ? null
        : batchStatistics(
            {
              rowCount: rows.length,
              geometry: takeGeometry(batch.geometry, rows),
              fields: [],
              columns: [],
              ids: null,
            },
            depth,
          ),
  }));
}

/** Encodes the features of each value. Locations of the findings count features from 1 within the batch. */
export function encodeParts(
  divided: Divided,
  idField: string | null,
  writer: FormatWriter,
  encodings: ReadonlyMap<SplitValue, LayerEncoding>,
): { readonly parts: PartResult[]; readonly transfer: ArrayBuffer[]; readonly findings: FoundFinding[] } {
  const { batch } = divided;
  const named = idField === null ? batch : idsAsField(batch, idField);
  const findings = new Findings();
  const transfer: ArrayBuffer[] = [];
  const parts = divide(divided).map(({ value, rows }): PartResult => {
    const encoding = encodings.get(value);
    if (encoding === undefined) throw new Error('a value appeared between two passes');
    const own = rows.length === batch.rowCount ? named : takeFeatures(named, rows);
    const cast = encoding.fields === null ? own : castBatch(own, encoding.fields);
    const encoded = writer.encode(cast, encoding);
    findings.merge(
      encoded.findings,
      (location) =>
        location.record === undefined ? location : { ...location, record: rows[location.record - 1] + 1 },
      { rowOf: rows },
    );
    for (const buffer of encoded.transfer) transfer.push(buffer);
    return {
      value,
      rowCount: rows.length,
      undrawn: droppedIn(encoded),
      chunk: encoded.data,
      statistics: null,
    };
  });
  return { parts, transfer, findings: findings.found() };
}

function droppedIn({ findings }: EncodedChunk): number {
  return findings.reduce((sum, { entry, count }) => sum + (entry.effect === 'dropped' ? count : 0), 0);
}

/** The rows of each value, in the order in which the values appear. */
function divide({ batch, column: values, name }: Divided): Rows[] {
  const column = values === null ? null : castColumn(values, 'string', batch.rowCount);
  const numbers = new Map<SplitValue, number>();
  const counts: number[] = [];
  const partOf = new Uint32Array(batch.rowCount);
  for (let row = 0; row < batch.rowCount; row++) {
    const value = textAt(column, row, name);
    let number = numbers.get(value);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(value, number);
      counts.push(0);
    }
    partOf[row] = number;
    counts[number]++;
  }
  if (numbers.size > MAX_PARTS) throw tooManyValues(name, numbers.size);
  const lists = counts.map((count) => new Uint32Array(count));
  const filled = new Uint32Array(counts.length);
  for (let row = 0; row < batch.rowCount; row++) {
    const number = partOf[row];
    lists[number][filled[number]++] = row;
  }
  return [...numbers.keys()].map((value, number) => ({ value, rows: lists[number] }));
}

function textAt(column: AttributeColumn | null, row: number, name: string | null): SplitValue {
  if (column === null || !isValid(column.validity, row)) return null;
  const text = String(valueAt(column, row));
  if (text.length <= MAX_VALUE_LENGTH) return text;
  throw failure(pipelineErrors.SPLIT_VALUE_TOO_LONG, {
    field: labelOf(name),
    length: text.length,
    limit: MAX_VALUE_LENGTH,
  });
}

/** `name`: of the field, null for an expression. `count`: those found so far. */
export function tooManyValues(name: string | null, count: number): Error {
  return failure(pipelineErrors.SPLIT_TOO_MANY_VALUES, { field: labelOf(name), count, limit: MAX_PARTS });
}

function labelOf(name: string | null): string | Phrase {
  return name ?? phrase`${field(SPLIT_PATH)}`;
}
