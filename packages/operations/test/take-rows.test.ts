import assert from 'node:assert/strict';
import test from 'node:test';
import { ColumnBuilder, valueAt } from '../../core/src/columns/attribute-column.ts';
import { takeRows } from '../src/parts/take-rows.ts';

test('rows taken from a column keep their values and nulls, also out of order and repeated', () => {
  const rows = Uint32Array.of(3, 4, 0, 0, 2, 9);
  for (const type of ['string', 'int32', 'int64', 'float64', 'boolean'] as const) {
    const builder = new ColumnBuilder(type);
    for (let row = 0; row < 10; row++) {
      if (row % 3 === 2) builder.appendNull();
      else if (type === 'string') builder.appendText('é'.repeat(row));
      else if (type === 'int64') builder.appendBigInt(BigInt(row) << 40n);
      else if (type === 'boolean') builder.appendNumber(row % 2);
      else builder.appendNumber(row);
    }
    const column = builder.finish();
    const taken = takeRows(column, rows);
    assert.deepEqual(
      Array.from(rows, (_, i) => valueAt(taken, i)),
      Array.from(rows, (row) => valueAt(column, row)),
      type,
    );
  }
});

test('a column without nulls stays one, and no rows are no bytes', () => {
  const builder = new ColumnBuilder('string');
  builder.appendText('a');
  const column = builder.finish();
  assert.equal(takeRows(column, Uint32Array.of(0)).validity, null);
  const none = takeRows(column, new Uint32Array(0));
  assert.equal('bytes' in none && none.bytes.length, 0);
});
