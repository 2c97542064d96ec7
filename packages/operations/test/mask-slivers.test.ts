/** Borders that features and a mask share but for rounding: no slivers are left, and features that lose nothing else stay as they are. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { batchRows } from '../../../test/support/rows.ts';
import { METRIC_CRS, settingIn } from '../../../test/support/run-step.ts';
import { batchOfWkt, columnOfWkt } from '../../../test/support/wkt-column.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { Geos } from '../../engines/geos/src/geos.ts';
import { clip } from '../src/clip/record.ts';
import { erase } from '../src/erase/record.ts';
import type { FileSetting, Transformation } from '../src/transformation.ts';

const geos = await Geos.load();
const stay = (): void => {};
const SAME_CRS: FileSetting = { crs: METRIC_CRS, toData: null, toWgs84: stay };
const NAMES = { clip: 'clipping_geojson', erase: 'erasing_geojson' } as const;

interface Cut {
  readonly texts: readonly (string | null)[];
  readonly ids: readonly unknown[];
  readonly counts: Readonly<Record<string, number>>;
  readonly batch: FeatureBatch;
}

async function run(record: Transformation, mask: readonly string[], batch: FeatureBatch): Promise<Cut> {
  const code = await record.load();
  assert.ok(code.kind === 'streaming');
  const name = NAMES[record.id as keyof typeof NAMES];
  const apply = await code.prepare(
    { [name]: columnOfWkt(mask) },
    { ...settingIn(METRIC_CRS), file: SAME_CRS },
  );
  const findings = new Findings();
  const result = apply(batch, findings);
  const rows = batchRows(result);
  return {
    texts: rows.map(({ geometry }) => geometry),
    ids: rows.map(({ id }) => id),
    counts: Object.fromEntries(findings.list().map(({ code: found, count }) => [found, count])),
    batch: result,
  };
}

type Position = readonly [number, number];

const wkt = (ring: readonly Position[]): string =>
  `POLYGON ((${[...ring, ring[0]].map(([x, y]) => `${x} ${y}`).join(', ')}))`;

/** A position of a grid of 30 m that is turned by an angle, far from the origin as in UTM. */
function turned(angle: number, column: number, row: number): Position {
  const [x, y] = [column * 30, row * 30];
  return [
    471_000.37 + x * Math.cos(angle) - y * Math.sin(angle),
    5_933_000.91 + x * Math.sin(angle) + y * Math.cos(angle),
  ];
}

const SIDE = 6;

/** Parcels in rows, as one batch. */
function parcels(angle: number): FeatureBatch {
  const at = (i: number, dx: number, dy: number): Position =>
    turned(angle, (i % SIDE) + dx, Math.floor(i / SIDE) + dy);
  return batchOfWkt(
    Array.from({ length: SIDE * SIDE }, (_, i) => wkt([at(i, 0, 0), at(i, 1, 0), at(i, 1, 1), at(i, 0, 1)])),
  );
}

test('parcels at a border that differs by rounding stay whole on their side of it', async () => {
  const angle = fc.double({ min: -1.5, max: 1.5, noNaN: true });
  const noise = fc.array(fc.double({ min: -4e-7, max: 4e-7, noNaN: true }), { minLength: 8, maxLength: 8 });
  const columns = fc.integer({ min: 1, max: SIDE - 1 });
  await fc.assert(
    fc.asyncProperty(angle, noise, columns, async (by, moves, width) => {
      const corners: Position[] = [
        turned(by, 0, 0),
        turned(by, width, 0),
        turned(by, width, SIDE),
        turned(by, 0, SIDE),
      ];
      const mask = wkt(corners.map(([x, y], i) => [x + moves[i * 2], y + moves[i * 2 + 1]] as const));
      const batch = parcels(by);
      const inside = await run(clip, [mask], batch);
      const outside = await run(erase, [mask], batch);
      const all = batchRows(batch);
      const isInside = (i: number): boolean => i % SIDE < width;
      assert.deepEqual(
        inside.texts,
        all.filter((_, i) => isInside(i)).map(({ geometry }) => geometry),
      );
      assert.deepEqual(
        outside.texts,
        all.filter((_, i) => !isInside(i)).map(({ geometry }) => geometry),
      );
      assert.equal(inside.counts.FEATURES_OUTSIDE, (SIDE - width) * SIDE);
      assert.equal(outside.counts.FEATURES_ERASED, width * SIDE);
    }),
    { numRuns: 40 },
  );
});

test('clip and erase share the area of every feature, whatever the mask', async () => {
  const ordinate = fc.integer({ min: 0, max: 12 }).map((half) => half / 2);
  const position = fc.tuple(ordinate, ordinate);
  const triangles = fc.array(
    fc
      .tuple(position, position, position)
      .filter(([a, b, c]) => (b[0] - a[0]) * (c[1] - a[1]) !== (c[0] - a[0]) * (b[1] - a[1])),
    { minLength: 1, maxLength: 5 },
  );
  const batch = parcels(0.3);
  await fc.assert(
    fc.asyncProperty(triangles, async (corners) => {
      const mask = corners.map((three) => wkt(three.map(([x, y]) => turned(0.3, x, y))));
      const inside = await run(clip, mask, batch);
      const outside = await run(erase, mask, batch);
      for (let row = 0; row < batch.rowCount; row++) {
        const sum = areaOf(inside, row + 1) + areaOf(outside, row + 1);
        assert.ok(Math.abs(sum - 900) < 1e-3, `${sum} of ${mask.join()}`);
      }
      for (const { batch: cut } of [inside, outside])
        for (let row = 0; row < cut.rowCount; row++) {
          using geometry = geos.read(cut.geometry, row);
          assert.ok(geometry.isValid);
          assert.ok((2 * geometry.area) / geometry.length > 1e-6, 'no sliver');
        }
    }),
    { numRuns: 40 },
  );
});

function areaOf({ batch, ids }: Cut, id: number): number {
  const row = ids.indexOf(id);
  if (row < 0) return 0;
  using geometry = geos.read(batch.geometry, row);
  return geometry.area;
}

const SQUARE = ['POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0))'];

test('what is wider than the tolerance is cut and kept, however thin', async () => {
  const batch = batchOfWkt(['POLYGON ((5 5, 10.001 5, 10.001 6, 5 6, 5 5))', 'LINESTRING (9 1, 10.001 1)']);
  const inside = await run(clip, SQUARE, batch);
  assert.deepEqual(inside.texts, ['POLYGON ((5 5,5 6,10 6,10 5,5 5))', 'LINESTRING (9 1,10 1)']);
  const outside = await run(erase, SQUARE, batch);
  assert.deepEqual(outside.texts, [
    'POLYGON ((10.001 6,10.001 5,10 5,10 6,10.001 6))',
    'LINESTRING (10 1,10.001 1)',
  ]);
  assert.deepEqual(outside.counts, {});
});

test('pieces of lines and polygons below the tolerance go, and are counted', async () => {
  const batch = batchOfWkt([
    'LINESTRING (9 1, 10.0000005 1)',
    'LINESTRING (9.9999995 2, 12 2)',
    'POLYGON ((9.9999995 3, 12 3, 12 4, 9.9999995 4, 9.9999995 3))',
    'MULTIPOLYGON (((1 1, 2 1, 2 2, 1 1)), ((9.9999995 3, 12 3, 12 4, 9.9999995 4, 9.9999995 3)))',
  ]);
  const inside = await run(clip, SQUARE, batch);
  assert.deepEqual(inside.texts, ['LINESTRING (9 1,10.0000005 1)', 'POLYGON ((2 2,2 1,1 1,2 2))']);
  assert.deepEqual(inside.counts, { FEATURES_OUTSIDE: 2, SLIVERS_DROPPED: 4 });
  const outside = await run(erase, SQUARE, batch);
  assert.deepEqual(outside.texts.slice(0, 2), [
    'LINESTRING (9.9999995 2,12 2)',
    'POLYGON ((9.9999995 3,12 3,12 4,9.9999995 4,9.9999995 3))',
  ]);
  assert.deepEqual(outside.counts, { FEATURES_ERASED: 1, SLIVERS_DROPPED: 3 });
});

test('a thin part of a feature that is not at the border is no sliver', async () => {
  const thin = '((1 1, 9 1, 9 1.0000001, 1 1))';
  const batch = batchOfWkt([`MULTIPOLYGON (${thin}, ((9 5, 12 5, 12 6, 9 6, 9 5)))`]);
  const { texts, counts } = await run(clip, SQUARE, batch);
  assert.match(String(texts[0]), /^MULTIPOLYGON/);
  assert.deepEqual(counts, {});
});

test('where a feature is cut in one place and touches in another, the touch is counted', async () => {
  // A horseshoe whose left end is in the square, and whose right end touches it from outside.
  const batch = batchOfWkt(['POLYGON ((8 2, 12 2, 12 8, 10 8, 10 6, 11 6, 11 3, 8 3, 8 2))']);
  const { texts, counts } = await run(clip, SQUARE, batch);
  assert.deepEqual(texts, ['POLYGON ((8 2,8 3,10 3,10 2,8 2))']);
  assert.deepEqual(counts, { SLIVERS_DROPPED: 1 });
});
