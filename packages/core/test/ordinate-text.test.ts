import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { COMMA, DOT } from '../src/text/ascii.ts';
import { type OrdinateNotation, OrdinateScanner } from '../src/text/ordinate-text.ts';
import { PositionScanner } from '../src/text/position-text.ts';

const POINT: OrdinateNotation = { decimalMark: DOT, takesSingleGroup: false, letterO: null };
const COMMAS: OrdinateNotation = { decimalMark: COMMA, takesSingleGroup: false, letterO: null };
const encoder = new TextEncoder();

function ordinateOf(text: string, notation = POINT): number | string {
  const scanner = new OrdinateScanner(notation);
  const bytes = encoder.encode(text);
  const value = scanner.parse(bytes, 0, bytes.length);
  return Number.isNaN(value) ? scanner.reason : value;
}

function positionOf(text: string, notation = POINT): unknown {
  const scanner = new PositionScanner(notation);
  const bytes = encoder.encode(text);
  return scanner.parse(bytes, 0, bytes.length)
    ? [scanner.first, scanner.second, scanner.order, ...(Number.isNaN(scanner.z) ? [] : [scanner.z])]
    : scanner.reason;
}

test('reads numbers with signs, exponents, groups of thousands, units and degree signs', () => {
  const cases = {
    '471000.25': 471000.25,
    '-8.5': -8.5,
    '+8': 8,
    '−8.5': -8.5,
    '.5': 0.5,
    '1e5': 1e5,
    '8.5E1': 85,
  };
  for (const [text, value] of Object.entries(cases)) assert.equal(ordinateOf(text), value, text);
  for (const text of ["2'600'000.5", '2’600’000.5', '2 600 000.5', '2\u202f600\u202f000.5', '2,600,000.5'])
    assert.equal(ordinateOf(text), 2_600_000.5, text);
  for (const text of ['471000.25 m', '471000.25m']) assert.equal(ordinateOf(text), 471000.25);
  assert.equal(ordinateOf('8.55°'), 8.55);
});

test('reads a comma as a decimal mark only if the notation says so', () => {
  assert.equal(ordinateOf('471000,25', COMMAS), 471000.25);
  assert.equal(ordinateOf('1.234,56', COMMAS), 1234.56);
  assert.equal(ordinateOf('5 933 000,25', COMMAS), 5_933_000.25);
  assert.equal(ordinateOf('1.234.567', COMMAS), 1_234_567);
  assert.equal(typeof ordinateOf('471000,25'), 'string');
  assert.equal(typeof ordinateOf('47.5', COMMAS), 'string');
});

test('rejects a single group of thousands that can be a fraction, unless the caller knows better', () => {
  assert.match(String(ordinateOf('471,000')), /comma is a decimal mark/);
  assert.match(String(ordinateOf('471.000', COMMAS)), /point is a decimal mark/);
  assert.equal(ordinateOf('471,000', { ...POINT, takesSingleGroup: true }), 471000);
});

test('reads degrees, minutes and seconds in the usual notations', () => {
  const expected = 47 + 22 / 60 + 15.5 / 3600;
  for (const text of [
    '47°22\'15.5"N',
    '47° 22′ 15.5″ N',
    "47º22'15.5''N",
    'N 47 22 15.5',
    'N47°22\'15.5"',
    '47:22:15.5',
    '47-22-15.5N',
    '47d22m15.5sN',
    '47 deg 22 min 15.5 sec north',
    '47\u00a0°\u00a022’\u00a015.5”',
  ])
    assert.ok(Math.abs(Number(ordinateOf(text)) - expected) < 1e-12, text);
  assert.equal(ordinateOf("47°22'N"), 47 + 22 / 60);
  assert.equal(ordinateOf("47° 22.5' S"), -47.375);
  assert.equal(ordinateOf('-0 30 0'), -0.5);
  assert.equal(ordinateOf("3º 42' 11,42'' W", COMMAS), -(3 + (42 * 60 + 11.42) / 3600));
});

test('reads letters of hemispheres; E with digits after it is an exponent', () => {
  assert.equal(ordinateOf('8.5E'), 8.5);
  assert.equal(ordinateOf('8.5 W'), -8.5);
  assert.equal(ordinateOf('8.5E1'), 85);
  assert.equal(ordinateOf('8.5 Ost'), 8.5);
  assert.match(String(ordinateOf('8.5 O')), /O is east in German/);
  assert.equal(ordinateOf('8.5 O', { ...POINT, letterO: 'E' }), 8.5);
  assert.equal(ordinateOf('8.5 O', { ...POINT, letterO: 'W' }), -8.5);
  assert.match(String(ordinateOf('-8.5 S')), /contradict/);
  // Degrees and minutes in one number, as of NMEA.
  assert.match(String(ordinateOf('4807.038 N')), /at most 90/);
});

test('rejects what is no ordinate', () => {
  for (const text of [
    '',
    ' ',
    'abc',
    'N',
    '1e400',
    'NaN',
    '8 ½',
    '8.5 N E',
    "47°60'",
    '47°22\'60"',
    '500 ft',
    '1 2 3 4',
    "47.5°22'",
    "400°10'",
    '--1',
    '1-',
  ])
    assert.equal(typeof ordinateOf(text), 'string', text);
  assert.match(String(ordinateOf('47°60\'0"')), /minutes are numbers/);
});

test('an angle that is written in degrees, minutes and seconds is read back', () => {
  const seconds = fc.integer({ min: 0, max: 180 * 3600 * 1000 });
  fc.assert(
    fc.property(seconds, fc.boolean(), fc.boolean(), (thousandths, isNegative, hasLetter) => {
      const s = thousandths / 1000;
      const whole = Math.floor(s / 3600);
      const minutes = Math.floor((s - whole * 3600) / 60);
      const rest = ((thousandths - (whole * 3600 + minutes * 60) * 1000) / 1000).toFixed(3);
      const sign = isNegative && !hasLetter ? '-' : '';
      const letter = hasLetter ? (isNegative ? 'W' : 'E') : '';
      const value = isNegative ? -s / 3600 : s / 3600;
      for (const [mark, notation] of [
        ['.', POINT],
        [',', COMMAS],
      ] as const) {
        const text = `${sign}${whole}°${minutes}'${rest.replace('.', mark)}"${letter}`;
        assert.ok(Math.abs(Number(ordinateOf(text, notation)) - value) < 1e-12, text);
      }
    }),
  );
});

test('every finite number that JavaScript writes is read exactly, with a comma as with a point', () => {
  fc.assert(
    fc.property(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
      (value) => {
        assert.equal(ordinateOf(String(value)), value);
        if (!/^-?\d{1,3}\.\d{3}$/.test(String(value)))
          assert.equal(ordinateOf(String(value).replace('.', ','), COMMAS), value);
      },
    ),
  );
});

test('reads positions with separators, letters and in ISO 6709', () => {
  for (const text of [
    '47.5, 8.25',
    '47.5,8.25',
    '47.5 8.25',
    '47.5;8.25',
    '47.5 / 8.25',
    '(47.5, 8.25)',
    '[47.5,8.25]',
  ])
    assert.deepEqual(positionOf(text), [47.5, 8.25, null], text);
  assert.deepEqual(positionOf('47,5 8,25', COMMAS), [47.5, 8.25, null]);
  assert.deepEqual(positionOf('47,5; 8,25', COMMAS), [47.5, 8.25, null]);
  for (const text of ["47°30'N 8°15'E", "47°30'N, 8°15'E", 'N47 30 E8 15', "N 47°30', E 008°15'"])
    assert.deepEqual(positionOf(text), [47.5, 8.25, 'lat_lon'], text);
  assert.deepEqual(positionOf("8°15'E 47°30'N"), [8.25, 47.5, 'lon_lat']);
  assert.deepEqual(positionOf('+47.5+008.25/'), [47.5, 8.25, 'lat_lon']);
  assert.deepEqual(positionOf('+4730-00815+408/'), [47.5, -8.25, 'lat_lon', 408]);
  assert.deepEqual(positionOf('-473000.0+0081500CRSWGS_84/'), [-47.5, 8.25, 'lat_lon']);
});

test('rejects positions that can be split in several ways or contradict themselves', () => {
  for (const text of ['47.5', '47,5,8,25', '47 22 8 33', '1 2 3', 'a b', '+4760-00815/', ''])
    assert.equal(typeof positionOf(text), 'string', text);
  assert.match(String(positionOf('47.5N 8.5N')), /both letters/);
});
