import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import {
  type AttributeColumn,
  ColumnBuilder,
  columnBuffers,
  isValid,
  nullColumn,
  valueAt,
} from '../src/columns/attribute-column.ts';
import { castColumn } from '../src/columns/cast.ts';
import { convertColumn } from '../src/columns/convert-column.ts';
import { type FieldType, widenType } from '../src/columns/schema.ts';

type Value = boolean | number | bigint | string | Uint8Array | null;

function columnOf(type: FieldType, values: readonly Value[]): AttributeColumn {
  const builder = new ColumnBuilder(type, values.length);
  for (const value of values) {
    if (value === null) builder.appendNull();
    else if (typeof value === 'bigint') builder.appendBigInt(value);
    else if (typeof value === 'string') builder.appendText(value);
    else if (value instanceof Uint8Array) builder.appendBytes(value, 0, value.length);
    else builder.appendNumber(Number(value));
  }
  return builder.finish();
}

function valuesOf(column: AttributeColumn, rowCount: number): Value[] {
  return Array.from({ length: rowCount }, (_, row) => valueAt(column, row));
}

/** Every value with its result: a value, null, or LOST, which is null and counted. */
const LOST = Symbol('lost');
type Case = readonly [Value, Value | typeof LOST];

function assertConverts(from: FieldType, to: FieldType, cases: readonly Case[]): void {
  const all: readonly Case[] = [[null, null], ...cases, [null, null]];
  const converted = convertColumn(
    columnOf(
      from,
      all.map(([value]) => value),
    ),
    to,
    all.length,
  );
  assert.equal(converted.column.type, to);
  all.forEach(([value, expected], row) => {
    const wanted = expected === LOST ? null : expected;
    assert.deepEqual(valueAt(converted.column, row), wanted, `${from} ${String(value)} to ${to}`);
  });
  const lost = all.flatMap(([, expected], row) => (expected === LOST ? [row] : []));
  assert.equal(converted.failures, lost.length, `failures of ${from} to ${to}`);
  assert.deepEqual(converted.firstFailedRows, lost.slice(0, 5));
}

const MIDDLE = 9_007_199_254_740_992n;
const MOST = 9_223_372_036_854_775_807n;
const LEAST = -9_223_372_036_854_775_808n;

test('converts integers to types that hold them, and only 1 and 0 to booleans', () => {
  assertConverts('int32', 'int64', [
    [7, 7n],
    [-2147483648, -2147483648n],
  ]);
  assertConverts('int32', 'float64', [[-7, -7]]);
  assertConverts('int32', 'boolean', [
    [1, true],
    [0, false],
    [2, LOST],
    [-1, LOST],
  ]);
  assertConverts('int64', 'int32', [
    [2147483647n, 2147483647],
    [-2147483648n, -2147483648],
    [2147483648n, LOST],
    [-2147483649n, LOST],
    [4294967296n, LOST],
    [MOST, LOST],
  ]);
  assertConverts('int64', 'float64', [
    [MIDDLE, Number(MIDDLE)],
    [MIDDLE + 1n, LOST],
    [MIDDLE + 2n, Number(MIDDLE + 2n)],
    [-MIDDLE - 1n, LOST],
    [MOST, LOST],
    [LEAST, -(2 ** 63)],
  ]);
  assertConverts('int64', 'boolean', [
    [1n, true],
    [0n, false],
    [4294967297n, LOST],
  ]);
});

test('converts floats to integers only if they are integral and within range', () => {
  assertConverts('float64', 'int32', [
    [3, 3],
    [-0, 0],
    [3.5, LOST],
    [2147483648, LOST],
    [Number.NaN, LOST],
    [Number.POSITIVE_INFINITY, LOST],
  ]);
  assertConverts('float64', 'int64', [
    [-(2 ** 63), LEAST],
    [2 ** 63, LOST],
    [2 ** 60, 1n << 60n],
    [0.1, LOST],
    [Number.NaN, LOST],
    [Number.NEGATIVE_INFINITY, LOST],
  ]);
  assertConverts('float64', 'boolean', [
    [1, true],
    [0, false],
    [0.5, LOST],
    [Number.NaN, LOST],
  ]);
});

test('converts booleans to 1 and 0, to words in text and in JSON', () => {
  for (const type of ['int32', 'float64'] as const) {
    assertConverts('boolean', type, [
      [true, 1],
      [false, 0],
    ]);
  }
  assertConverts('boolean', 'int64', [
    [true, 1n],
    [false, 0n],
  ]);
  for (const type of ['string', 'json'] as const) {
    assertConverts('boolean', type, [
      [true, 'true'],
      [false, 'false'],
    ]);
  }
});

test('converts numbers to their shortest text; NaN and infinity are lost', () => {
  for (const type of ['string', 'json'] as const) {
    assertConverts('int32', type, [[-12, '-12']]);
    assertConverts('int64', type, [[MOST, '9223372036854775807']]);
    assertConverts('float64', type, [
      [0.1, '0.1'],
      [12, '12'],
      [Number.NaN, LOST],
      [Number.NEGATIVE_INFINITY, LOST],
    ]);
  }
});

test('converts texts to floats if the whole text is a decimal number that a float can represent', () => {
  assertConverts('string', 'float64', [
    ['1.5', 1.5],
    [' -2e3\t', -2000],
    ['+7', 7],
    ['.5', 0.5],
    ['007', 7],
    ['0e5', 0],
    ['', null],
    [' \r\n', null],
    ['1,5', LOST],
    ['12 m', LOST],
    ['0x10', LOST],
    ['1e', LOST],
    ['-', LOST],
    ['NaN', LOST],
    ['Infinity', LOST],
    ['1e400', LOST],
    ['1e-400', LOST],
    ['9007199254740992', 9007199254740992],
    ['9007199254740993', LOST],
    ['1000000000000000000000', 1e21],
    ['1000000000000000000001', LOST],
    ['9223372036854776000', 2 ** 63],
    ['9223372036854776001', LOST],
    ['0.12345678901234567890', 0.12345678901234568],
  ]);
});

test('converts texts to integers if their number is exactly one', () => {
  assertConverts('string', 'int32', [
    ['12', 12],
    ['12.0', 12],
    ['1.2e1', 12],
    ['-1200e-2', -12],
    ['0.000', 0],
    [' 5 ', 5],
    ['', null],
    ['12.5', LOST],
    ['12.00000000000000000001', LOST],
    ['1e-400', LOST],
    ['2147483648', LOST],
    ['2147483648.0', LOST],
    ['1e999999999', LOST],
    ['twelve', LOST],
  ]);
  assertConverts('string', 'int64', [
    ['9223372036854775807', MOST],
    ['9223372036854775807.0', MOST],
    ['-9.223372036854775808e18', LEAST],
    ['9223372036854775808', LOST],
    ['9007199254740993', MIDDLE + 1n],
    ['000000000000000000000012', 12n],
    ['-0', 0n],
    ['0.5', LOST],
    ['', null],
  ]);
});

test('converts the words for booleans in any case', () => {
  assertConverts('string', 'boolean', [
    ...['true', 'T', 'Yes', 'y', '1', ' TRUE '].map((word): Case => [word, true]),
    ...['false', 'F', 'No', 'n', '0'].map((word): Case => [word, false]),
    ['', null],
    ['2', LOST],
    ['1.0', LOST],
    ['maybe', LOST],
    ['yess', LOST],
  ]);
});

test('converts ISO 8601 texts to dates and datetimes, to dates only without a time', () => {
  assertConverts('string', 'date', [
    ['2024-02-29', '2024-02-29'],
    [' 2024-02-29 ', '2024-02-29'],
    ['2024-02-29T00:00:00.000', '2024-02-29'],
    ['2024-02-29 00:00', '2024-02-29'],
    ['', null],
    ['2023-02-29', LOST],
    ['2024-02-29T00:00:01', LOST],
    ['2024-02-29T00:00:00Z', LOST],
    ['2024-02-29T00:00:00+00:00', LOST],
    ['29.02.2024', LOST],
    ['20240229', LOST],
  ]);
  assertConverts('string', 'datetime', [
    ['2024-02-29T12:30:00+01:00', '2024-02-29T12:30:00+01:00'],
    ['2024-02-29', '2024-02-29T00:00:00'],
    ['', null],
    ['12:30', LOST],
    ['2024-02-29T25:00', LOST],
  ]);
  assertConverts('date', 'datetime', [['2024-02-29', '2024-02-29T00:00:00']]);
  assertConverts('datetime', 'date', [
    ['2024-02-29T00:00:00', '2024-02-29'],
    ['2024-02-29T00:00:00Z', LOST],
    ['2024-02-29T23:59:59', LOST],
  ]);
  for (const type of ['date', 'datetime'] as const) {
    const text = type === 'date' ? '2024-02-29' : '2024-02-29T01:02:03';
    assertConverts(type, 'string', [[text, text]]);
    assertConverts(type, 'json', [[text, `"${text}"`]]);
    for (const to of ['boolean', 'int32', 'int64', 'float64', 'binary'] as const)
      assertConverts(type, to, [[text, LOST]]);
  }
});

test('converts JSON scalars by their kind, null without a loss, arrays and objects only to text', () => {
  const nested: Case[] = [
    ['[1]', LOST],
    ['{"a":1}', LOST],
    ['null', null],
  ];
  assertConverts('json', 'int32', [
    ['12', 12],
    ['1.2e1', 12],
    ['"12"', 12],
    ['" 1\\u0032 "', 12],
    ['true', 1],
    ['""', null],
    ['" \\n"', null],
    ['12.5', LOST],
    ['"twelve"', LOST],
    ['"true"', LOST],
    ...nested,
  ]);
  assertConverts('json', 'int64', [['9007199254740993', MIDDLE + 1n], ['false', 0n], ...nested]);
  assertConverts('json', 'float64', [['0.5', 0.5], ['9007199254740993', LOST], ['true', 1], ...nested]);
  assertConverts('json', 'boolean', [
    ['true', true],
    ['false', false],
    ['1', true],
    ['1.0', true],
    ['"no"', false],
    ['2', LOST],
    ['1.00000000000000000001', LOST],
    ...nested,
  ]);
  assertConverts('json', 'date', [['"2024-02-29"', '2024-02-29'], ['2024', LOST], ['true', LOST], ...nested]);
  assertConverts('json', 'datetime', [['"2024-02-29"', '2024-02-29T00:00:00'], ['0', LOST], ...nested]);
  assertConverts('json', 'binary', [['"AQI="', LOST], ['1', LOST], ['true', LOST], ['""', null], ...nested]);
  assertConverts('json', 'string', [
    ['"a \\"b\\" \\u00fc"', 'a "b" ü'],
    ['" ü "', ' ü '],
    ['""', ''],
    ['"\\ud83d\\ude00"', '😀'],
    ['"\\ud83d"', LOST],
    ['1.50', '1.50'],
    ['true', 'true'],
    ['[1, "a"]', '[1, "a"]'],
    ['{"a":null}', '{"a":null}'],
    ['null', null],
  ]);
});

test('converts binary only to base64 in text and JSON, and nothing to binary', () => {
  const bytes = Uint8Array.of(1, 2, 255);
  assertConverts('binary', 'string', [[bytes, 'AQL/']]);
  assertConverts('binary', 'json', [[bytes, '"AQL/"']]);
  for (const to of ['boolean', 'int32', 'int64', 'float64', 'date', 'datetime'] as const)
    assertConverts('binary', to, [[bytes, LOST]]);
  assertConverts('string', 'binary', [
    ['AQL/', LOST],
    ['', null],
  ]);
  assertConverts('int32', 'binary', [[1, LOST]]);
  assertConverts('int64', 'date', [[20240229n, LOST]]);
  assertConverts('boolean', 'datetime', [[true, LOST]]);
});

test('a damaged JSON value loses only its own row', () => {
  assertConverts('json', 'string', [
    ['"\\x"', LOST],
    ['"a"', 'a'],
  ]);
  assertConverts('json', 'float64', [
    ['"\\x"', LOST],
    ['', LOST],
    ['nothing', null],
    ['1', 1],
  ]);
});

test('lists the first five failed rows and counts all', () => {
  const values = Array.from({ length: 1000 }, (_, row) => (row % 3 === 0 ? 'x' : String(row)));
  const { column, failures, firstFailedRows } = convertColumn(columnOf('string', values), 'int32', 1000);
  assert.equal(failures, 334);
  assert.deepEqual(firstFailedRows, [0, 3, 6, 9, 12]);
  assert.deepEqual(
    valuesOf(column, 1000),
    values.map((value, row) => (value === 'x' ? null : row)),
  );
});

const TYPES: readonly FieldType[] = [
  'boolean',
  'int32',
  'int64',
  'float64',
  'string',
  'date',
  'datetime',
  'json',
  'binary',
];
const NUMERIC_TYPES: readonly FieldType[] = ['int32', 'int64', 'float64'];

const dateText = fc
  .date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const dateTimeText = fc
  .tuple(dateText, fc.constantFrom('T00:00:00', 'T00:00', ' 00:00:00.0', 'T12:34:56.7Z', 'T00:00:00+02:00'))
  .map((parts) => parts.join(''));
const plainText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...'0123456789.-+e ') }),
  fc.double().map(String),
  dateText,
  fc.constantFrom('', ' ', 'true', 'No', '1', '0'),
);

const VALUES: Readonly<Record<FieldType, fc.Arbitrary<Value>>> = {
  boolean: fc.boolean(),
  int32: fc.oneof(fc.integer(), fc.constantFrom(0, 1)),
  int64: fc.oneof(fc.bigInt({ min: LEAST, max: MOST }), fc.bigInt({ min: -5n, max: 5n })),
  float64: fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, 1, 2 ** 63, 2 ** 80)),
  string: plainText,
  date: dateText,
  datetime: dateTimeText,
  json: fc.oneof(
    fc.jsonValue({ maxDepth: 1 }).map((value) => JSON.stringify(value)),
    plainText.map((text) => JSON.stringify(text)),
  ),
  binary: fc.uint8Array({ maxLength: 20 }),
};

const anyConversion = fc.constantFrom(...TYPES).chain((from) =>
  fc.record({
    from: fc.constant(from),
    to: fc.constantFrom(...TYPES),
    values: fc.array(fc.option(VALUES[from]), { maxLength: 40 }),
  }),
);

/** Values that mean null for a type other than text, so that their null is not a loss. */
function saysNothing(from: FieldType, to: FieldType, value: Value): boolean {
  if (from === to || typeof value !== 'string') return false;
  const isBlank = (text: string) => to !== 'string' && to !== 'json' && /^[ \t\n\v\f\r]*$/.test(text);
  if (from !== 'json') return isBlank(value);
  const parsed: unknown = JSON.parse(value);
  return parsed === null || (typeof parsed === 'string' && isBlank(parsed));
}

test('converts any type to any type: null stays null, and lost values are counted', () => {
  fc.assert(
    fc.property(anyConversion, ({ from, to, values }) => {
      const { column, failures, firstFailedRows } = convertColumn(columnOf(from, values), to, values.length);
      assert.equal(column.type, to);
      const lost = values.flatMap((value, row) =>
        value !== null && !isValid(column.validity, row) && !saysNothing(from, to, value) ? [row] : [],
      );
      assert.equal(failures, lost.length);
      assert.deepEqual(firstFailedRows, lost.slice(0, 5));
      values.forEach((value, row) => {
        if (value === null) assert.equal(valueAt(column, row), null);
      });
      const length = 'offsets' in column ? column.offsets.length - 1 : column.values.length;
      assert.equal(length, values.length);
      if ('offsets' in column) assert.equal(column.offsets[length], column.bytes.length);
    }),
    { numRuns: 3000 },
  );
});

test('does not modify its input column', () => {
  fc.assert(
    fc.property(anyConversion, ({ from, to, values }) => {
      const column = columnOf(from, values);
      const before = columnBuffers(column).map((buffer) => new Uint8Array(buffer.slice(0)));
      convertColumn(column, to, values.length);
      assert.deepEqual(
        columnBuffers(column).map((buffer) => new Uint8Array(buffer)),
        before,
      );
    }),
    { numRuns: 500 },
  );
});

test('gives the same result as widening casts', () => {
  fc.assert(
    fc.property(anyConversion, fc.constantFrom('json', 'string'), ({ from, to, values }, mixed) => {
      const exactly = from !== 'int64' || values.every((value) => Number.isSafeInteger(Number(value)));
      if (from === to || widenType(from, to, mixed, exactly) !== to) return;
      // Values that only casting accepts: floats that are not finite, JSON null, unpaired surrogates.
      const plain = values.filter(
        (value) =>
          !(typeof value === 'number' && !Number.isFinite(value)) &&
          !(from === 'json' && (value === 'null' || /\\ud[89a-f]/i.test(String(value)))),
      );
      const column = columnOf(from, plain);
      const converted = convertColumn(column, to, plain.length);
      assert.equal(converted.failures, 0);
      assert.deepEqual(
        valuesOf(converted.column, plain.length),
        valuesOf(castColumn(column, to, plain.length), plain.length),
      );
    }),
    { numRuns: 2000 },
  );
});

test('numbers survive conversion to text and JSON and back', () => {
  for (const type of NUMERIC_TYPES) {
    for (const over of ['string', 'json'] as const) {
      fc.assert(
        fc.property(fc.array(fc.option(VALUES[type]), { maxLength: 30 }), (values) => {
          const finite = values.map((value) => (Number.isFinite(Number(value)) ? value : null));
          const text = convertColumn(columnOf(type, finite), over, finite.length).column;
          const back = convertColumn(text, type, finite.length);
          assert.equal(back.failures, 0);
          const expected = finite.map((value) => (Object.is(value, -0) ? 0 : value));
          assert.deepEqual(valuesOf(back.column, finite.length), expected);
        }),
        { numRuns: 300 },
      );
    }
  }
});

test('converts a decimal text to an integer exactly if its digits are one', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'00125'), maxLength: 22 });
  const exponents = fc.constantFrom('', 'e0', 'e1', 'E-2', 'e+18', 'e-19');
  fc.assert(
    fc.property(
      fc.constantFrom('', '-', '+'),
      digits,
      digits,
      exponents,
      (sign, whole, fraction, exponent) => {
        const text = `${sign}0${whole}.${fraction}${exponent}`;
        // Checked by scaling until no fraction is left, and back.
        const scaled = BigInt(whole + fraction.padEnd(22, '0') || '0') * 10n ** 30n;
        const power = 52 - Number(exponent.slice(1));
        const magnitude = scaled / 10n ** BigInt(power);
        const isInteger = magnitude * 10n ** BigInt(power) === scaled;
        const value = sign === '-' ? -magnitude : magnitude;
        const column = columnOf('string', [text]);
        for (const [to, least, most] of [
          ['int32', -2147483648n, 2147483647n],
          ['int64', LEAST, MOST],
        ] as const) {
          const got = valueAt(convertColumn(column, to, 1).column, 0);
          const isHeld = isInteger && value >= least && value <= most;
          assert.equal(got === null ? null : BigInt(got as number | bigint), isHeld ? value : null, text);
        }
      },
    ),
    { numRuns: 5000 },
  );
});

test('integers within 32 bits survive all number types', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer()), { maxLength: 30 }), (values) => {
      let column = columnOf('int32', values);
      for (const type of ['int64', 'float64', 'int64', 'string', 'float64', 'json', 'int32'] as const)
        column = convertColumn(column, type, values.length).column;
      assert.deepEqual(valuesOf(column, values.length), values);
    }),
  );
});

test('converts a column of nulls to any type; an empty column stays empty', () => {
  for (const from of TYPES) {
    for (const to of TYPES) {
      const { column, failures } = convertColumn(nullColumn(from, 9), to, 9);
      assert.equal(failures, 0);
      assert.deepEqual(valuesOf(column, 9), new Array(9).fill(null));
      assert.equal(convertColumn(columnOf(from, []), to, 0).column.type, to);
    }
  }
});
