/** The values by which rows are sorted, as columns of numbers or bytes that compare fast. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import type { AttributeColumn, BytesColumn, Validity } from '@geomill/core/columns/attribute-column.ts';
import { ColumnBuilder, isValid } from '@geomill/core/columns/attribute-column.ts';
import { castColumn, writeJsonAsText } from '@geomill/core/columns/cast.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { QUOTE } from '@geomill/core/text/ascii.ts';
import { compile } from '@geomill/expressions/compile.ts';
import { refuseExpression } from '@geomill/expressions/expression.ts';
import { instantOf } from '@geomill/expressions/instant.ts';
import {
  evaluationOf,
  FIELD_TYPES,
  isValueKind,
  KIND_NAME,
  type Node,
  withNull,
} from '@geomill/expressions/node.ts';
import type { ExpressionSetting } from '@geomill/expressions/setting.ts';
import type { StepSetting } from '../transformation.ts';
import { compiledFor, noteInto, settingFor } from './expressions.ts';
import type { SortOrder } from './sort-orders.ts';

/** Throws FIELD_UNKNOWN and TRANSFORMATION_INVALID. */
export function keysFor(
  orders: readonly SortOrder[],
  fields: readonly Field[],
  setting: ExpressionSetting | null,
): readonly Node[] {
  return orders.map(({ expression, path }) => {
    const node = compile(expression, { fields, path, setting });
    if (!isValueKind(node.kind))
      throw refuseExpression(path, `is ${KIND_NAME[node.kind]}, which has no order`);
    return node;
  });
}

/** Computes the keys of batches with the same fields. */
export class SortKeys {
  readonly #orders: readonly SortOrder[];
  readonly #nodes: (fields: readonly Field[]) => readonly Node[];
  #rowCount = 0;

  private constructor(orders: readonly SortOrder[], setting: ExpressionSetting) {
    this.#orders = orders;
    this.#nodes = compiledFor((fields) => keysFor(orders, fields, setting));
  }

  static async prepare(orders: readonly SortOrder[], setting: StepSetting): Promise<SortKeys> {
    const expressions = orders.map(({ expression }) => expression);
    return new SortKeys(orders, await settingFor(setting, expressions));
  }

  /** Of the features after those before: one column for each order: float64, int64 or bytes. */
  columns(batch: FeatureBatch, findings: Findings): AttributeColumn[] {
    const rowsBefore = this.#rowCount;
    this.#rowCount += batch.rowCount;
    return this.#nodes(batch.fields).map((node, i) => {
      const { path } = this.#orders[i];
      const evaluation = evaluationOf(batch, path, noteInto(findings, path), rowsBefore);
      return keyColumn(node, node.column(evaluation), batch.rowCount);
    });
  }
}

/** The batch with the keys as further columns, without names. */
export function withKeys(batch: FeatureBatch, keys: readonly AttributeColumn[]): FeatureBatch {
  const fields = keys.map(({ type }): Field => ({ name: '', type }));
  return { ...batch, fields: [...batch.fields, ...fields], columns: [...batch.columns, ...keys] };
}

function keyColumn(node: Node, column: AttributeColumn, rowCount: number): AttributeColumn {
  switch (node.kind) {
    case 'date':
    case 'datetime':
      return numbers(rowCount, column.validity, (row) => {
        const { bytes, offsets } = column as BytesColumn;
        return instantOf(bytes, offsets[row], offsets[row + 1]);
      });
    case 'mixed':
      return mixedKeys(column as BytesColumn, rowCount);
    default: {
      if (!isValueKind(node.kind)) throw new TypeError(`${KIND_NAME[node.kind]} has no order`);
      const cast = castColumn(column, FIELD_TYPES[node.kind], rowCount);
      if ('offsets' in cast || cast.type === 'int64') return cast;
      return numbers(rowCount, cast.validity, (row) => Number(cast.values[row]));
    }
  }
}

/** NaN is null. */
function numbers(rowCount: number, known: Validity, numberOf: (row: number) => number): AttributeColumn {
  const values = new Float64Array(rowCount);
  let validity = known;
  for (let row = 0; row < rowCount; row++) {
    if (!isValid(known, row)) continue;
    const value = numberOf(row);
    if (!Number.isNaN(value)) values[row] = value;
    else validity = withNull(validity === known ? (known?.slice() ?? null) : validity, row, rowCount);
  }
  return { type: 'float64', values, validity };
}

const RANK = { number: 0, text: 1, other: 2 } as const;

/** Bytes whose order is that of the values: a rank, then a number as big-endian bits, or a text. */
function mixedKeys(column: BytesColumn, rowCount: number): AttributeColumn {
  const { bytes, offsets, validity } = column;
  const builder = new ColumnBuilder('binary', rowCount, bytes.length + rowCount);
  const decoder = new TextDecoder();
  const number = new DataView(new ArrayBuffer(8));
  for (let row = 0; row < rowCount; row++) {
    if (!isValid(validity, row)) {
      builder.appendNull();
      continue;
    }
    const writer = new ByteWriter(32);
    const [start, end] = [offsets[row], offsets[row + 1]];
    const isNumber = bytes[start] === 0x2d || (bytes[start] >= 0x30 && bytes[start] <= 0x39);
    if (isNumber) {
      writer.uint8(RANK.number);
      number.setFloat64(0, Number(decoder.decode(bytes.subarray(start, end))));
      const bits = number.getBigUint64(0);
      const isNegative = bits >> 63n === 1n;
      number.setBigUint64(0, BigInt.asUintN(64, isNegative ? ~bits : bits | (1n << 63n)));
      writer.copy(new Uint8Array(number.buffer), 0, 8);
    } else {
      writer.uint8(bytes[start] === QUOTE ? RANK.text : RANK.other);
      writeJsonAsText(writer, bytes, start, end);
    }
    builder.appendBytes(writer.bytes, 0, writer.length);
  }
  return builder.finish();
}
