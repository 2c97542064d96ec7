/** erase: the opposite of clip. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { areValid, idsOf, runStep, settingIn } from '../../../test/support/run-step.ts';
import { batchOfWkt } from '../../../test/support/wkt-column.ts';
import { WGS84_DESCRIPTION } from '../../core/src/crs/wgs84.ts';
import { Geos } from '../../engines/geos/src/geos.ts';
import { clip } from '../src/clip/record.ts';
import { erase } from '../src/erase/record.ts';

const DEGREES = settingIn(WGS84_DESCRIPTION);
const SQUARE = { type: 'Polygon', coordinates: [[[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]] }; // biome-ignore format: one line
const geos = await Geos.load();

test('features inside go and are counted, those outside and at the border stay as they are', async () => {
  const texts = [
    'POLYGON ((1 1, 2 1, 2 2, 1 1))',
    'POLYGON ((11 1, 12 1, 12 2, 11 1))',
    null,
    'POLYGON ((10 0, 12 0, 12 9, 10 9, 10 0))',
    'LINESTRING (10 10, 15 15)',
    'POINT (10 10)',
  ];
  const run = await runStep(erase, { erasing_geojson: SQUARE }, batchOfWkt(texts), DEGREES);
  assert.deepEqual(idsOf(run), [2, 3, 4, 5]);
  assert.deepEqual(run.texts, [1, 2, 3, 4].map((i) => texts[i])); // biome-ignore format: one line
  assert.deepEqual(run.counts, { FEATURES_ERASED: 2 });
});

test('features on the border lose what is inside', async () => {
  const run = await runStep(
    erase,
    { erasing_geojson: SQUARE },
    batchOfWkt([
      'POLYGON ((8 8, 12 8, 12 9, 8 9, 8 8))',
      'LINESTRING (-5 5, 15 5)',
      'MULTIPOINT (1 1, 10 5, 11 5)',
      'POLYGON ((-10 -10, 20 -10, 20 20, -10 20, -10 -10))',
    ]),
    DEGREES,
  );
  assert.equal(run.texts[0], 'POLYGON ((12 9, 12 8, 10 8, 10 9, 12 9))');
  assert.equal(run.texts[1], 'MULTILINESTRING ((-5 5, 0 5), (10 5, 15 5))');
  assert.equal(run.texts[2], 'MULTIPOINT ((11 5))');
  assert.equal(run.batch.geometry.ringOffsets.at(-1)! - run.batch.geometry.ringOffsets.at(-2)!, 2, 'a hole');
  assert.ok(await areValid(run.batch));
});

test('clip and erase share every feature out between them', async () => {
  const ordinate = fc.integer({ min: -20, max: 20 });
  const box = fc
    .tuple(ordinate, ordinate, fc.integer({ min: 1, max: 15 }), fc.integer({ min: 1, max: 15 }))
    .map(
      ([x, y, dx, dy]) =>
        `POLYGON ((${x} ${y}, ${x + dx} ${y + 1}, ${x + dx} ${y + dy + 1}, ${x} ${y + dy}, ${x} ${y}))`,
    );
  const corner = fc.tuple(ordinate, ordinate);
  const triangle = fc.tuple(corner, corner, corner).filter(([a, b, c]) => {
    return (b[0] - a[0]) * (c[1] - a[1]) !== (c[0] - a[0]) * (b[1] - a[1]);
  });
  await fc.assert(
    fc.asyncProperty(fc.array(box, { minLength: 1, maxLength: 8 }), triangle, async (texts, [a, b, c]) => {
      const mask = { type: 'Polygon', coordinates: [[a, b, c, a]] };
      const batch = batchOfWkt(texts);
      const inside = await runStep(clip, { clipping_geojson: mask }, batch, DEGREES);
      const outside = await runStep(erase, { erasing_geojson: mask }, batch, DEGREES);
      assert.ok((await areValid(inside.batch)) && (await areValid(outside.batch)));
      for (let row = 0; row < texts.length; row++) {
        const sum = areaOf(inside, row + 1) + areaOf(outside, row + 1);
        using whole = geos.read(batch.geometry, row);
        assert.ok(Math.abs(sum - whole.area) < 1e-9 * whole.area, texts[row]);
      }
    }),
    { numRuns: 60 },
  );
});

function areaOf({ rows, batch }: Awaited<ReturnType<typeof runStep>>, id: number): number {
  const row = rows.findIndex((candidate) => candidate.id === id);
  if (row < 0) return 0;
  using geometry = geos.read(batch.geometry, row);
  return geometry.area;
}
