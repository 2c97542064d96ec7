/** Functions on numbers. */
import { convertColumn } from '@geomill/core/columns/convert-column.ts';
import { type ExpressionFunction, numeric, type Parameter } from '../function.ts';
import type { Evaluation, Node } from '../node.ts';

const x: Parameter = { name: 'x', kind: 'number' };
const y: Parameter = { name: 'y', kind: 'number' };
const RADIANS_PER_DEGREE = Math.PI / 180;

function unary(name: string, description: string, compute: (a: number) => number): ExpressionFunction {
  return {
    name,
    group: 'number',
    parameters: [x],
    description,
    compile: (args, { place }) => numeric(name, compute, args, place),
  };
}

function binary(
  name: string,
  description: string,
  compute: (a: number, b: number) => number,
): ExpressionFunction {
  return {
    name,
    group: 'number',
    parameters: [x, y],
    description,
    compile: (args, { place }) => numeric(name, compute, args, place),
  };
}

/** Integers stay integers. */
function keepsIntegers(
  made: ExpressionFunction,
  integer: (args: readonly Node[]) => Node | null,
): ExpressionFunction {
  return {
    ...made,
    compile: (args, call) => (args[0].kind === 'integer' ? integer(args) : null) ?? made.compile(args, call),
  };
}

/** Half away from zero, as in SQL. `digits` may be negative. */
function rounded(value: number, digits: number): number {
  const whole = Math.trunc(digits);
  const magnitude = Math.abs(value);
  // Through decimal text: 1.005 * 100 is less than 100.5.
  const scaled = Number(`${magnitude}e${whole}`);
  const result = Number.isNaN(scaled) ? magnitude : Number(`${Math.round(scaled)}e${-whole}`);
  if (Number.isNaN(result)) return value;
  return value < 0 ? -result : result;
}

/** Integers of 64 bits; other values are null, and noted. */
function toInteger(arg: Node, place: Node['place']): Node {
  const column = (evaluation: Evaluation) => {
    const { column, failures, firstFailedRows } = convertColumn(
      arg.column(evaluation),
      'int64',
      evaluation.batch.rowCount,
    );
    if (failures > 0)
      for (const row of firstFailedRows) evaluation.note('a value that is not an integer', row);
    return column;
  };
  return { kind: 'integer', place, column };
}

function whole(name: string, description: string, compute: (a: number) => number): ExpressionFunction {
  return keepsIntegers(
    {
      ...unary(name, description, compute),
      compile: (args, { place }) => toInteger(numeric(name, compute, args, place), place),
    },
    ([arg]) => arg,
  );
}

export const numberFunctions: readonly ExpressionFunction[] = [
  keepsIntegers(unary('abs', 'The absolute value.', Math.abs), () => null),
  whole('floor', 'The largest integer that is not greater.', Math.floor),
  whole('ceil', 'The smallest integer that is not less.', Math.ceil),
  {
    name: 'round',
    group: 'number',
    parameters: [x, { name: 'decimals', kind: 'number', isOptional: true }],
    description:
      'Rounded to decimals (0 by default; negative: to tens, hundreds, ...), halves away from zero.',
    compile: (args, { place }) =>
      args.length === 1
        ? args[0].kind === 'integer'
          ? args[0]
          : toInteger(
              numeric('round', (value) => rounded(value, 0), args, place),
              place,
            )
        : numeric('round', rounded, args, place),
  },
  unary('sqrt', 'The square root.', Math.sqrt),
  unary('exp', 'e to the power of x.', Math.exp),
  unary('ln', 'The natural logarithm.', Math.log),
  unary('log10', 'The logarithm to base 10.', Math.log10),
  binary('power', 'x to the power of y, as `x ^ y`.', Math.pow),
  binary('mod', 'The remainder of x / y with the sign of x, as `x % y`.', (a, b) => a % b),
  unary('sign', '-1, 0 or 1.', Math.sign),
  unary('sin', 'The sine of an angle in radians.', Math.sin),
  unary('cos', 'The cosine of an angle in radians.', Math.cos),
  unary('tan', 'The tangent of an angle in radians.', Math.tan),
  unary('asin', 'The arc sine, in radians.', Math.asin),
  unary('acos', 'The arc cosine, in radians.', Math.acos),
  unary('atan', 'The arc tangent, in radians.', Math.atan),
  binary('atan2', 'The angle of the point (y, x), in radians: `atan2(y, x)`.', Math.atan2),
  unary('radians', 'An angle in degrees as radians.', (a) => a * RADIANS_PER_DEGREE),
  unary('degrees', 'An angle in radians as degrees.', (a) => a / RADIANS_PER_DEGREE),
  {
    name: 'to_number',
    group: 'number',
    parameters: [{ name: 'value', kind: 'value' }],
    description: 'A text (or any value) as a number; null if it is not a number.',
    compile: ([arg], { place }) => ({
      kind: 'number',
      place,
      column: converted(arg, 'float64', 'a text that is not a number'),
    }),
  },
  {
    name: 'to_integer',
    group: 'number',
    parameters: [{ name: 'value', kind: 'value' }],
    description:
      'A text or a number without decimals as an integer; null if it is not an integer of 64 bits.',
    compile: ([arg], { place }) => toInteger(arg, place),
  },
];

/** Converted exactly; values that the type cannot hold are null, and noted with the reason. */
export function converted(arg: Node, type: 'float64' | 'string' | 'date' | 'datetime', reason: string) {
  return (evaluation: Evaluation) => {
    const { column, failures, firstFailedRows } = convertColumn(
      arg.column(evaluation),
      type,
      evaluation.batch.rowCount,
    );
    if (failures > 0) for (const row of firstFailedRows) evaluation.note(reason, row);
    return column;
  };
}
