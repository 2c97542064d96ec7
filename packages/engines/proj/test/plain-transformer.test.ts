/** The operations that are computed without PROJ equal PROJ's: positions, failures, reasons and counts of areas. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { Dimensions } from '../../../core/src/geometry/geometry-column.ts';
import { plainTransformer } from '../src/plain-transformer.ts';
import { Proj, type Transformer, type TransformerRecipe } from '../src/proj.ts';

const proj = await Proj.load({ gridDirectory: null });

/** Rounding: PROJ computes sines and the like with another library. 10 nm, or the last places of large numbers. */
function toleranceMeters(value: number): number {
  return Math.max(1e-8, Math.abs(value) * 1e-15);
}

/** 17 nm on the ground: five times the last place of a longitude near 180. */
const DEGREES = 1.5e-13;

function recipeOf(from: string, to: string): TransformerRecipe {
  return proj.transformer(from, to).recipe;
}

function plainOf(from: string, to: string): Transformer {
  const plain = plainTransformer(recipeOf(from, to));
  assert.ok(plain !== null, `${from} to ${to} is computed without PROJ`);
  return plain;
}

/** `factor`: of the tolerances. */
function assertEqualResults(plain: Transformer, source: Float64Array, factor = 1): void {
  const ours = source.slice();
  const theirs = source.slice();
  const outcome = plain.transform(ours, 'XY');
  // PROJ by the same pipeline, as in a worker thread.
  const expected = proj.transformerOf(plain.recipe).transform(theirs, 'XY');
  const toDegrees = plain.to === 'EPSG:4326';
  for (let i = 0; i < source.length; i++) {
    // Near a pole a small distance is many degrees of longitude.
    const shrink = i % 2 === 0 ? Math.cos(theirs[i + 1] * (Math.PI / 180)) : 1;
    const tolerance = factor * (toDegrees ? DEGREES / shrink : toleranceMeters(theirs[i]));
    assert.ok(
      Math.abs(ours[i] - theirs[i]) <= tolerance || Object.is(ours[i], theirs[i]),
      `${plain.from} to ${plain.to}: ${source.subarray(i & ~1, (i & ~1) + 2)} is ${ours[i]}, PROJ says ${theirs[i]}`,
    );
  }
  assert.deepEqual(outcome, { ...expected, failedX: outcome.failedX, failedY: outcome.failedY });
}

/** Systems with the meridian in their middle. */
const SYSTEMS = [
  ['EPSG:25832', 9],
  ['EPSG:32601', -177],
  ['EPSG:32660', 177],
  ['EPSG:32755', 147],
  ['EPSG:3006', 15],
  ['EPSG:31983', -45],
  ['EPSG:2180', 19],
  ['EPSG:2193', 173],
  ['EPSG:3763', -8.13],
  ['EPSG:3879', 25],
  ['EPSG:4647', 9],
  ['EPSG:3857', 0],
] as const;

for (const [system, middle] of SYSTEMS) {
  const degrees = (halfWidth: number, maxLatitude: number) =>
    fc.tuple(
      fc.double({ min: middle - halfWidth, max: middle + halfWidth, noNaN: true }),
      fc.double({ min: -maxLatitude, max: maxLatitude, noNaN: true }),
    );
  test(`computes ${system} as PROJ does`, () => {
    const forward = plainOf('EPSG:4326', system);
    const inverse = plainOf(system, 'EPSG:4326');
    fc.assert(
      fc.property(fc.array(degrees(35, 89.9), { minLength: 1, maxLength: 50 }), (positions) => {
        const source = Float64Array.from(positions.flat());
        assertEqualResults(forward, source);
        const projected = source.slice();
        forward.transform(projected, 'XY');
        assertEqualResults(inverse, projected);
        inverse.transform(projected, 'XY');
        // And back: the inverse is that of PROJ, and it is the inverse.
        for (let i = 0; i < source.length; i += 2) {
          const turns = Math.abs(projected[i] - source[i]) > 180 ? 360 * Math.sign(source[i]) : 0;
          assert.ok(
            Math.abs(projected[i] + turns - source[i]) * Math.cos(source[i + 1] * (Math.PI / 180)) < 1e-9,
          );
          assert.ok(Math.abs(projected[i + 1] - source[i + 1]) < 1e-9);
        }
      }),
      { numRuns: 200 },
    );
  });
}

/** Systems with the meridian in their middle, and the area in which they are compared. */
const CONIC_SYSTEMS = [
  ['EPSG:2154', 3, -89.9, 89.9],
  ['EPSG:3812', 4.36, -89.9, 89.9],
  ['EPSG:5243', 10.5, -89.9, 89.9],
  ['EPSG:3034', 10, -89.9, 89.9],
  ['EPSG:3978', -95, -89.9, 89.9],
  ['EPSG:3035', 10, 24, 85],
] as const;

for (const [system, middle, south, north] of CONIC_SYSTEMS)
  test(`computes ${system} as PROJ does`, () => {
    const forward = plainOf('EPSG:4326', system);
    const inverse = plainOf(system, 'EPSG:4326');
    // Near the poles, PROJ's own equal-area latitude has an error of this size.
    const factor = system === 'EPSG:3035' ? 8 : 2;
    const longitude = fc.double({ min: middle - 60, max: middle + 60, noNaN: true });
    const latitude = fc.double({ min: south, max: north, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(longitude, latitude), { minLength: 1, maxLength: 50 }), (positions) => {
        const source = Float64Array.from(positions.flat());
        assertEqualResults(forward, source, factor);
        const projected = source.slice();
        forward.transform(projected, 'XY');
        assertEqualResults(inverse, projected, factor);
      }),
      { numRuns: 50 },
    );
    const special = [
      middle,
      90,
      middle,
      -90,
      middle,
      95,
      600,
      10,
      180,
      10,
      -180,
      10,
      200,
      10,
      middle - 190,
      5,
    ];
    if (south < 0) assertEqualResults(forward, Float64Array.from([...special, Number.POSITIVE_INFINITY, 3]));
    assertEqualResults(inverse, Float64Array.from([1e8, 5e6, 1e5, 1e5, Number.POSITIVE_INFINITY, 1]), factor);
  });

/** Systems of another datum, with a position in their middle. */
const SHIFTED_SYSTEMS = [
  ['EPSG:31467', 9, 51],
  ['EPSG:31256', 16, 47],
  ['EPSG:27700', -2, 53],
  ['EPSG:31287', 13, 47],
  ['EPSG:31370', 4, 51],
  ['EPSG:28355', 147, -30],
] as const;

for (const [system, x, y] of SHIFTED_SYSTEMS)
  test(`chooses and shifts as PROJ does for ${system}`, () => {
    const forward = plainOf('EPSG:4326', system);
    const inverse = plainOf(system, 'EPSG:4326');
    const near = fc.tuple(
      fc.double({ min: x - 8, max: x + 8, noNaN: true }),
      fc.double({ min: y - 6, max: y + 6, noNaN: true }),
    );
    const far = fc.tuple(
      fc.double({ min: x - 35, max: x + 35, noNaN: true }),
      fc.double({ min: -89, max: 89, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(near, far), { minLength: 1, maxLength: 50 }), (positions) => {
        const source = Float64Array.from(positions.flat());
        assertEqualResults(forward, source, 2);
        const projected = source.slice();
        forward.transform(projected, 'XY');
        assertEqualResults(inverse, projected, 2);
      }),
      { numRuns: 50 },
    );
    const special = [x, 90, x, 95, 600, 10, x + 360, y, x - 360, y, Number.POSITIVE_INFINITY, 3];
    assertEqualResults(forward, Float64Array.from(special), 2);
    for (const [plain, from] of [
      [forward, [x, y, 500, x, y, Number.NaN, Number.NaN, Number.NaN, 7]],
      [inverse, [500_000, 500_000, 800, 400_000, 300_000, Number.NaN]],
    ] as const) {
      const ours = Float64Array.from(from);
      const theirs = ours.slice();
      plain.transform(ours, 'XYZ');
      proj.transformerOf(plain.recipe).transform(theirs, 'XYZ');
      for (let i = 0; i < ours.length; i++)
        assert.ok(
          Object.is(ours[i], theirs[i]) || Math.abs(ours[i] - theirs[i]) < 2e-8,
          `${ours}, ${theirs}`,
        );
    }
  });

test('fails for the positions for which PROJ fails, with its reasons', () => {
  const invalid = [
    [9, 95],
    [9, -90.0000000001],
    [600, 10],
    [-573, 0],
    [99, 0],
    [100.5, 0.0001],
    [Number.POSITIVE_INFINITY, 3],
    [3, Number.NEGATIVE_INFINITY],
    [3, Number.POSITIVE_INFINITY],
  ];
  for (const system of ['EPSG:25832', 'EPSG:3857', 'EPSG:2180'])
    for (const position of invalid)
      assertEqualResults(plainOf('EPSG:4326', system), Float64Array.from([9, 50, ...position, 10, 51]));
  for (const position of [
    [1e8, 5e6],
    [2e7, 5e6],
    [1e300, 1],
    [Number.POSITIVE_INFINITY, 1],
  ])
    assertEqualResults(plainOf('EPSG:25832', 'EPSG:4326'), Float64Array.from(position));
});

test('takes poles, antimeridians and longitudes beyond 180 as PROJ does', () => {
  const positions = [9, 90, 9, -90, 180, 10, -180, 10, 200, 10, -190, 5, 369, 50, 572, 10, -171, 10, 189, 0];
  for (const system of ['EPSG:25832', 'EPSG:32601', 'EPSG:32660', 'EPSG:3857'])
    assertEqualResults(plainOf('EPSG:4326', system), Float64Array.from(positions));
  const projected = [500_000, 1e7, 500_000, 2e7, 500_000, 3e7, 900_000, -5e6, 1_500_000, 1e6];
  for (const system of ['EPSG:25832', 'EPSG:32601', 'EPSG:32660'])
    assertEqualResults(plainOf(system, 'EPSG:4326'), Float64Array.from(projected));
  const mercator = [20037508.342789244, 1, -20037508.342789244, 1, 20037508.35, 1, 3e7, 5e6, 2e7, 1e9];
  assertEqualResults(plainOf('EPSG:3857', 'EPSG:4326'), Float64Array.from(mercator));
});

test('leaves empty positions, heights and measures as they are', () => {
  const cases: [Dimensions, number[]][] = [
    ['XY', [Number.NaN, Number.NaN, 9, 50, Number.NaN, 5, 5, Number.NaN]],
    ['XYZ', [9, 50, 100, Number.NaN, Number.NaN, Number.NaN, 10, 51, Number.NaN]],
    ['XYZM', [9, 50, 100, 7, 10, 51, Number.NaN, -3]],
  ];
  for (const [from, to] of [
    ['EPSG:4326', 'EPSG:25832'],
    ['EPSG:25832', 'EPSG:4326'],
  ])
    for (const [dimensions, source] of cases) {
      const plain = plainOf(from, to);
      const ours = Float64Array.from(source);
      const theirs = ours.slice();
      plain.transform(ours, dimensions);
      proj.transformerOf(plain.recipe).transform(theirs, dimensions);
      for (let i = 0; i < ours.length; i++)
        assert.ok(
          Object.is(ours[i], theirs[i]) || Math.abs(ours[i] - theirs[i]) <= toleranceMeters(theirs[i]),
          `${ours}, ${theirs}`,
        );
    }
});

test('leaves all other operations to PROJ', () => {
  const pairs = [
    ['EPSG:4326', 'EPSG:2056'], // a datum shift
    ['EPSG:4326', 'EPSG:28992'], // several operations of another projection
    ['EPSG:4326', 'EPSG:5070'], // another projection
    ['EPSG:25832', 'EPSG:25833'], // between projected systems
    ['EPSG:4326', 'EPSG:4326'],
  ];
  for (const [from, to] of pairs)
    assert.equal(plainTransformer(recipeOf(from, to)), null, `${from} to ${to}`);
  const recipe = recipeOf('EPSG:4326', 'EPSG:25832');
  assert.ok(recipe.single !== null);
  for (const pipeline of [
    recipe.single.pipeline.replace('+ellps=GRS80', '+ellps=clrk66'),
    `${recipe.single.pipeline} +approx`,
    recipe.single.pipeline.replace('+zone=32', '+zone=32 +over'),
    recipe.single.pipeline.replace('xy_in=deg', 'xy_in=grad'),
  ])
    assert.equal(plainTransformer({ ...recipe, single: { ...recipe.single, pipeline } }), null, pipeline);
});
