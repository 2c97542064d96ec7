import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { epsgCode, parseEpsg } from '../src/crs/crs.ts';
import { isPlainWgs84, WGS84_DESCRIPTION } from '../src/crs/wgs84.ts';
import { GeomillError } from '../src/messages/errors.ts';

test('an EPSG code is read in every spelling that a request may use', () => {
  for (const value of [28350, '28350', 'EPSG:28350', 'epsg:28350', ' Epsg:28350 ', '028350'])
    assert.equal(parseEpsg(value, 'output.epsg'), 'EPSG:28350', String(value));
});

test('anything else is refused with its path and what to write', () => {
  const values = [null, undefined, '', 'EPSG:', 'WGS84', 'ESRI:102100', '4326.5', 4326.5, -1, 0, Number.NaN];
  for (const value of [...values, Infinity, true, [], {}, [4326], '4326;4258', '9'.repeat(30), 2 ** 60]) {
    assert.throws(
      () => parseEpsg(value, 'output.epsg'),
      (error) => {
        assert.ok(error instanceof GeomillError, String(value));
        assert.equal(error.code, 'CRS_UNKNOWN');
        assert.match(error.message, /'output\.epsg'/);
        assert.match(error.message, /28350/);
        return error.message.length < 300;
      },
      String(value),
    );
  }
});

test('what was parsed has the code that was given', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999_999_999 }), (code) => {
      assert.equal(epsgCode(parseEpsg(code, 'x')), code);
      assert.equal(epsgCode(parseEpsg(`epsg:${code}`, 'x')), code);
    }),
  );
});

test('only a plain EPSG reference has an EPSG code', () => {
  assert.equal(epsgCode('EPSG:4326'), 4326);
  assert.equal(epsgCode('ESRI:102100'), null);
  assert.equal(epsgCode('EPSG:4326+5773'), null);
  assert.equal(epsgCode(WGS84_DESCRIPTION.wktEsri!), null);
});

test('WGS 84 is known without PROJ in its two usual spellings only', () => {
  assert.equal(isPlainWgs84('EPSG:4326'), true);
  assert.equal(isPlainWgs84(`${WGS84_DESCRIPTION.wktEsri}\r\n`), true);
  assert.equal(isPlainWgs84('EPSG:4258'), false);
  assert.equal(isPlainWgs84(WGS84_DESCRIPTION.wktEsri!.replace('298.257223563', '298.257222101')), false);
});
