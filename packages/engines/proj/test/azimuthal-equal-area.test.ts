/** The equal-area projection where PROJ loses digits, so that PROJ cannot be the judge: positions lead back to themselves. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { azimuthalEqualArea } from '../src/azimuthal-equal-area.ts';

const RADIANS = Math.PI / 180;
const LEAST_POLE_DISTANCE = 1e-12;

test('positions within a degree of a pole lead back to themselves within 10 nm', () => {
  const projection = azimuthalEqualArea({
    ellipsoid: { semiMajorMeters: 6378137, flattening: 1 / 298.257222101 },
    originLatitude: 52 * RADIANS,
    falseEasting: 4321000,
    falseNorthing: 3210000,
  });
  assert.ok(projection !== null);
  const place = new Float64Array(2);
  const degrees = new Float64Array(2);
  const again = new Float64Array(2);
  // Exponents, so that most positions are millimetres to kilometres from the pole.
  const distance = fc.double({ min: Math.log10(LEAST_POLE_DISTANCE), max: 0, noNaN: true });
  const longitude = fc.double({ min: -180, max: 180, noNaN: true });
  fc.assert(
    fc.property(longitude, distance, (longitudeDegrees, exponent) => {
      const latitude = (90 - 10 ** exponent) * RADIANS;
      assert.ok(projection.forward(longitudeDegrees * RADIANS, latitude, place, 0));
      assert.ok(projection.inverse(place[0], place[1], degrees, 0));
      assert.ok(projection.forward(degrees[0], degrees[1], again, 0));
      const meters = Math.hypot(again[0] - place[0], again[1] - place[1]);
      assert.ok(meters < 1e-8, `${meters} m`);
      assert.ok(Math.abs(degrees[1] - latitude) * 6.4e6 < 1e-8);
    }),
    { numRuns: 500 },
  );
});
