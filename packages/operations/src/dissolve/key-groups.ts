/** Groups rows by their values in some fields. */
import { type AttributeColumn, isValid, valueAt } from '@geomill/core/columns/attribute-column.ts';
import type { LayerRows } from '../parts/merge/layer-rows.ts';

/** A group number for each row; rows in a group have equal values in all fields, where null is a value. */
export function keyNumbers(layer: LayerRows, fieldIndices: readonly number[]): Float64Array {
  let keys = new Float64Array(layer.rowCount);
  for (const index of fieldIndices) {
    const values = valueNumbers(layer, layer.columns(index));
    // Both factors are at most the number of rows, so the product is exact; renumbering keeps the numbers dense.
    const numbers = new Map<number, number>();
    const joined = new Float64Array(layer.rowCount);
    for (let row = 0; row < layer.rowCount; row++) {
      const pair = keys[row] * (layer.rowCount + 1) + values[row];
      let number = numbers.get(pair);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(pair, number);
      }
      joined[row] = number;
    }
    keys = joined;
  }
  return keys;
}

function valueNumbers(layer: LayerRows, columns: readonly AttributeColumn[]): Uint32Array {
  const numbers = new Map<unknown, number>();
  const result = new Uint32Array(layer.rowCount);
  let row = 0;
  layer.batches.forEach(({ rowCount }, batch) => {
    const column = columns[batch];
    for (let local = 0; local < rowCount; local++) {
      const value = comparable(column, local);
      let number = numbers.get(value);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(value, number);
      }
      result[row++] = number;
    }
  });
  return result;
}

/** A Map treats NaN as equal and -0 as 0, as required; bytes are compared as text of their codes. */
function comparable(column: AttributeColumn, row: number): unknown {
  if (!isValid(column.validity, row)) return null;
  if (column.type === 'binary') return String(valueAt(column, row));
  return valueAt(column, row);
}
