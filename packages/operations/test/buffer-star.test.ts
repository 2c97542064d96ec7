/** Buffers of star-shaped polygons drawn without GEOS are those of GEOS, valid, and left to GEOS where unclear. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { columnOfWkt } from '../../../test/support/wkt-column.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
} from '../../core/src/geometry/geometry-column.ts';
import { Geos } from '../../engines/geos/src/geos.ts';
import { StarBuffer } from '../src/buffer/star-buffer.ts';

const geos = await Geos.load();

const styleOf = (quadrantSegments: number) =>
  ({ quadrantSegments, endCap: 'round', join: 'round', mitreLimit: 5 }) as const;

/** Compares with GEOS; false where the polygon was left to it. */
function agrees(column: GeometryColumn, distance: number, quadrantSegments = 16): boolean {
  const builder = new GeometryBuilder();
  const isDone = new StarBuffer(distance, quadrantSegments).append(column, 0, builder);
  assert.equal(builder.featureCount, isDone ? 1 : 0);
  assert.equal(builder.ringCount, isDone ? 1 : 0);
  if (!isDone) {
    assert.equal(builder.coordinateLength, 0, 'nothing is left behind');
    return false;
  }
  using drawn = geos.read(builder.finish(), 0);
  assert.ok(drawn.isValid, drawn.validityReason);
  using polygon = geos.read(column, 0);
  using expected = polygon.buffer(distance, styleOf(quadrantSegments));
  const relative = Math.abs(drawn.area / expected.area - 1);
  assert.ok(relative < 1e-9, `area ${drawn.area} instead of ${expected.area}`);
  return true;
}

function ringColumn(positions: readonly (readonly [number, number])[]): GeometryColumn {
  const builder = new GeometryBuilder();
  for (const [x, y] of [...positions, positions[0]]) builder.position(x, y);
  builder.endRing();
  builder.endPart(PART_KIND.polygon);
  builder.endFeature(GEOMETRY_TYPE.polygon);
  return builder.finish();
}

test('convex polygons, and those with notches, are drawn as GEOS draws them, whichever way around', () => {
  for (const wkt of [
    'POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0))',
    'POLYGON ((0 0, 0 10, 10 10, 10 0, 0 0))',
    'POLYGON ((0 0, 5 1, 10 0, 9 5, 10 10, 5 9, 0 10, 1 5, 0 0))',
    'POLYGON ((0 0, 5 0, 10 0, 10 10, 10 10, 0 10, 0 0))',
    'POLYGON ((0 0, 30 0, 30 4, 4 4, 4 30, 0 30, 0 0))',
    'MULTIPOLYGON (((0 0, 10 0, 10 10, 0 10, 0 0)))',
    'POLYGON ((0 0, 30 0, 30 4, 17 4, 17 20, 13 20, 13 4, 0 4, 0 0))',
    'POLYGON ((500000 5400000, 500010 5400000, 500010 5400010, 500005 5400004, 500000 5400010, 500000 5400000))',
  ]) {
    for (const distance of [0.5, 3, 20])
      assert.ok(agrees(columnOfWkt([wkt]), distance), `${wkt} by ${distance}`);
  }
});

test('what is not star-shaped, has holes or parts, or is no polygon is left to GEOS', () => {
  for (const wkt of [
    'POLYGON ((0 0, 30 0, 30 30, 28 30, 28 2, 2 2, 2 30, 0 30, 0 0))',
    'POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0), (4 4, 5 4, 5 5, 4 4))',
    'MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5)))',
    'POLYGON ((0 0, 10 10, 10 0, 0 10, 0 0))',
    'POLYGON ((0 0, 10 0, 20 0, 0 0))',
    'POLYGON ((1 1, 1 1, 1 1, 1 1))',
    'POLYGON EMPTY',
  ]) {
    assert.equal(agrees(columnOfWkt([wkt]), 1), false, wkt);
  }
});

test('a distance without proportion to the polygon or to the digits of its coordinates is left to GEOS', () => {
  const square = columnOfWkt(['POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0))']);
  assert.equal(agrees(square, 1e-5), false);
  const far = columnOfWkt([
    'POLYGON ((1e12 1e12, 1000000000010 1e12, 1000000000010 1000000000010, 1e12 1e12))',
  ]);
  assert.equal(agrees(far, 0.01), false);
});

test('any star-shaped polygon, by any distance, is GEOS or the same as GEOS', () => {
  let drawn = 0;
  let left = 0;
  const reach = fc.double({ min: 0.05, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      fc.array(reach, { minLength: 3, maxLength: 24 }),
      fc.double({ min: -2, max: 3, noNaN: true }),
      fc.constantFrom(2, 8, 16),
      fc.boolean(),
      (reaches, exponent, quadrantSegments, isClockwise) => {
        const positions = reaches.map((radius, i): [number, number] => {
          const angle = ((isClockwise ? -i : i) / reaches.length) * 2 * Math.PI;
          return [500_000 + 20 * radius * Math.cos(angle), 5_000_000 + 20 * radius * Math.sin(angle)];
        });
        if (agrees(ringColumn(positions), 10 ** exponent, quadrantSegments)) drawn++;
        else left++;
      },
    ),
    { numRuns: 400, seed: 20260101 },
  );
  assert.ok(drawn > left / 4, `${drawn} drawn, ${left} left to GEOS`);
});
