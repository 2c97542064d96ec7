/**
 * Arithmetic on columns. Integers give integers of 64 bits, except for divisions with `/` and powers, which give floating-point
 * numbers. What has no result (a division by zero, more than 64 bits, a number that is not finite) is null.
 */
import { type AttributeColumn, isValid, type Validity } from '@geomill/core/columns/attribute-column.ts';
import { castColumn } from '@geomill/core/columns/cast.ts';
import type { Place } from './expression.ts';
import { commonValidity, type Evaluation, type Node, withNull } from './node.ts';

export type Operator = '+' | '-' | '*' | '/' | '%' | 'div' | '^';

const NUMBERS: Readonly<Record<Operator, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  div: (a, b) => Math.trunc(a / b),
  '^': (a, b) => a ** b,
};

const INTEGERS: Readonly<Partial<Record<Operator, (a: bigint, b: bigint) => bigint>>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '%': (a, b) => a % b,
  div: (a, b) => a / b,
};

const DIVISIONS = new Set<Operator>(['/', '%', 'div']);

/** Both operands are numeric. */
export function arithmetic(operator: Operator, a: Node, b: Node, place: Place): Node {
  const exact = a.kind === 'integer' && b.kind === 'integer' ? INTEGERS[operator] : undefined;
  const column = (evaluation: Evaluation): AttributeColumn => {
    const [left, right] = [a.column(evaluation), b.column(evaluation)];
    return exact === undefined
      ? computeNumbers(operator, left, right, evaluation)
      : computeIntegers(operator, exact, left, right, evaluation);
  };
  return { kind: exact === undefined ? 'number' : 'integer', place, column };
}

/** The values as floats or integers of 32 bits, which need no conversion. */
export function numbersOf(column: AttributeColumn, rowCount: number): Float64Array | Int32Array {
  if (column.type === 'float64' || column.type === 'int32') return column.values;
  return (castColumn(column, 'float64', rowCount) as { values: Float64Array }).values;
}

/** A loop for each operator, so that the operator is not called for each row. */
function computeNumbers(
  operator: Operator,
  left: AttributeColumn,
  right: AttributeColumn,
  { batch: { rowCount }, note }: Evaluation,
): AttributeColumn {
  const [a, b] = [numbersOf(left, rowCount), numbersOf(right, rowCount)];
  const values = new Float64Array(rowCount);
  switch (operator) {
    case '+':
      for (let row = 0; row < rowCount; row++) values[row] = a[row] + b[row];
      break;
    case '-':
      for (let row = 0; row < rowCount; row++) values[row] = a[row] - b[row];
      break;
    case '*':
      for (let row = 0; row < rowCount; row++) values[row] = a[row] * b[row];
      break;
    case '/':
      for (let row = 0; row < rowCount; row++) values[row] = a[row] / b[row];
      break;
    default: {
      const apply = NUMBERS[operator];
      for (let row = 0; row < rowCount; row++) values[row] = apply(a[row], b[row]);
    }
  }
  const reason = (row: number) =>
    DIVISIONS.has(operator) && b[row] === 0 ? 'division by zero' : 'a result that is not finite';
  const hasOperands = (row: number) => Number.isFinite(a[row]) && Number.isFinite(b[row]);
  const validity = finiteRows(values, commonValidity([left, right]), (row) => {
    if (hasOperands(row)) note(reason(row), row);
  });
  return { type: 'float64', values, validity };
}

/** Makes rows null whose value is not finite. `onRow` is called for those that had a value. `validity` is changed. */
export function finiteRows(
  values: Float64Array<ArrayBuffer>,
  validity: Validity,
  onRow: (row: number) => void,
): Validity {
  const rowCount = values.length;
  for (let row = 0; row < rowCount; row++) {
    // NaN and infinities are the values for which this is not 0.
    if (values[row] - values[row] === 0) continue;
    if (isValid(validity, row)) {
      onRow(row);
      validity = withNull(validity, row, rowCount);
    }
    values[row] = 0;
  }
  return validity;
}

function computeIntegers(
  operator: Operator,
  exact: (a: bigint, b: bigint) => bigint,
  left: AttributeColumn,
  right: AttributeColumn,
  { batch: { rowCount }, note }: Evaluation,
): AttributeColumn {
  const [a, b] = [numbersOf(left, rowCount), numbersOf(right, rowCount)];
  const apply = NUMBERS[operator];
  const values = new BigInt64Array(rowCount);
  // Writing a bigint to the array would allocate one for each row.
  const halves = new Int32Array(values.buffer);
  let validity = commonValidity([left, right]);
  for (let row = 0; row < rowCount; row++) {
    const value = apply(a[row], b[row]);
    if (isSafe(value) && isSafe(a[row]) && isSafe(b[row])) {
      halves[2 * row] = value;
      halves[2 * row + 1] = Math.floor(value / 0x1_0000_0000);
      continue;
    }
    if (!isValid(validity, row)) continue;
    const precise =
      b[row] === 0 && DIVISIONS.has(operator) ? null : exact(integerAt(left, row), integerAt(right, row));
    if (precise !== null && precise === BigInt.asIntN(64, precise)) values[row] = precise;
    else {
      note(precise === null ? 'division by zero' : 'a result beyond 64 bits', row);
      validity = withNull(validity, row, rowCount);
    }
  }
  return { type: 'int64', values, validity };
}

function isSafe(value: number): boolean {
  return value >= -Number.MAX_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
}

function integerAt(column: AttributeColumn, row: number): bigint {
  return 'values' in column ? BigInt(column.values[row]) : 0n;
}
