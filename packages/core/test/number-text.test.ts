import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { ByteWriter } from '../src/bytes/byte-writer.ts';
import { NumberScanner, parseDecimal } from '../src/text/number-scanner.ts';
import {
  decimalsOf,
  fixedDecimals,
  writeDigits,
  writeInteger,
  writeNumber,
  writeRounded,
} from '../src/text/number-text.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const scanner = new NumberScanner();

function written(write: (writer: ByteWriter) => void): string {
  const writer = new ByteWriter(1);
  write(writer);
  return decoder.decode(writer.written());
}

/** Doubles of every magnitude, decimals as people write them, and as many digits as programs print. */
const anyDouble = fc.double({ noNaN: true, noDefaultInfinity: true });
const coordinate = fc.double({ noNaN: true, min: -180, max: 180 });
const decimal = fc
  .tuple(fc.integer({ min: -1_800_000_000, max: 1_800_000_000 }), fc.integer({ min: 0, max: 12 }))
  .map(([mantissa, decimals]) => mantissa / 10 ** decimals);
const number = fc.oneof(anyDouble, coordinate, decimal);
const MOST = 1.797e308;

/** Decimal text with up to 25 digits, a point anywhere and perhaps an exponent. */
const decimalText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 20 }),
    fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 20 }),
    fc.constantFrom('', 'e0', 'E5', 'e-7', 'e+22', 'e-300', 'e300'),
  )
  .map(
    ([sign, whole, fraction, exponent]) =>
      `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}${exponent}`,
  );

test('a decimal text is read as the double that Number() reads', () => {
  fc.assert(
    fc.property(fc.oneof(decimalText, number.map(String)), (text) => {
      const bytes = encoder.encode(text);
      assert.ok(Object.is(scanner.scan(bytes, 0, bytes.length), Number(text)), text);
      assert.equal(scanner.end, bytes.length);
      assert.ok(Object.is(parseDecimal(bytes, 0, bytes.length), Number(text)), text);
    }),
    { numRuns: 5000 },
  );
});

test('rounds texts half-way between two doubles, and one digit away, as Number() does', () => {
  fc.assert(
    fc.property(coordinate, fc.integer({ min: 16, max: 19 }), (value, digits) => {
      const next = value + 2 ** (Math.floor(Math.log2(Math.abs(value) || 1)) - 53);
      const text = ((value + next) / 2).toPrecision(digits);
      const bytes = encoder.encode(text);
      assert.equal(parseDecimal(bytes, 0, bytes.length), Number(text), text);
    }),
    { numRuns: 5000 },
  );
});

test('a written number reads back as the same double and is no longer than what String() writes', () => {
  fc.assert(
    fc.property(number, (value) => {
      const text = written((writer) => writeNumber(writer, value));
      assert.ok(Number(text) === value, `${text} for ${value}`);
      assert.ok(text.length <= String(value).length, `${text} for ${value}`);
    }),
    { numRuns: 5000 },
  );
});

test('rounds like toPrecision, up to half a unit of the last digit', () => {
  fc.assert(
    fc.property(number, fc.integer({ min: 7, max: 15 }), (value, digits) => {
      if (Math.abs(value) > MOST) return;
      const text = written((writer) => writeRounded(writer, value, digits));
      const significant = text.replace(/e.*/, '').replace(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '');
      assert.ok(significant.length <= digits, `${text} for ${value}`);
      const unit = value === 0 ? 0 : 10 ** (Math.floor(Math.log10(Math.abs(value))) + 1 - digits);
      assert.ok(Math.abs(Number(text) - value) <= unit * 0.6 + Number.MIN_VALUE, `${text} for ${value}`);
    }),
    { numRuns: 5000 },
  );
});

test('rounds to decimals, up to half a unit of the last one', () => {
  fc.assert(
    fc.property(number, fc.integer({ min: 0, max: 15 }), (value, decimals) => {
      const text = written((writer) => writeDigits(writer, value, fixedDecimals(decimals)));
      assert.equal(decimalsOf(fixedDecimals(decimals)), decimals);
      assert.doesNotMatch(text, /\.\d*0$|^-0$/);
      if (!text.includes('e'))
        assert.ok((text.split('.')[1] ?? '').length <= decimals, `${text} for ${value}`);
      const error = Math.abs(Number(text) - value);
      assert.ok(error <= 0.5 * 10 ** -decimals + 2e-15 * Math.abs(value), `${text} for ${value}`);
    }),
    { numRuns: 5000 },
  );
  const rounded = (value: number, decimals: number): string =>
    written((writer) => writeDigits(writer, value, fixedDecimals(decimals)));
  assert.equal(rounded(999_999_999.96, 1), '1000000000');
  assert.equal(rounded(-0.04, 1), '0');
  assert.equal(rounded(1_234_567_890_123.456, 1), '1234567890123.5');
  assert.equal(rounded(-1_000_000_029_016_195.1, 0), '-1000000029016195');
  assert.equal(rounded(1e300, 3), '1e+300');
});

test('rounding up to one more digit keeps every digit', () => {
  const rounded = (value: number, digits: number): string =>
    written((writer) => writeRounded(writer, value, digits));
  assert.equal(rounded(Number('999999999.9999999'), 15), '1000000000');
  assert.equal(rounded(Number('9.999999999999999'), 15), '10');
  assert.equal(rounded(Number('-179.99999999999997'), 15), '-180');
  assert.equal(rounded(Number('0.00009999999999999999'), 15), '0.0001');
  assert.equal(rounded(-0.000_000_1, 7), '-1e-7');
  assert.equal(rounded(-1e-300, 7), '-1e-300');
  assert.equal(rounded(-0, 7), '0');
  assert.equal(rounded(Number.MAX_VALUE, 10), String(Number.MAX_VALUE));
});

test('writes integers digit by digit', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      assert.equal(
        written((writer) => writeInteger(writer, value)),
        String(value),
      );
    }),
  );
});
