/** What holds of every result, whatever the features are; and that GEOS gives its memory back. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { collectWith, layerOf, type Row } from '../../../test/support/collecting.ts';
import { idsOf, runStep } from '../../../test/support/run-step.ts';
import { batchOfWkt } from '../../../test/support/wkt-column.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import { Geos } from '../../engines/geos/src/geos.ts';
import { buffer } from '../src/buffer/record.ts';
import { clip } from '../src/clip/record.ts';
import { dissolve } from '../src/dissolve/record.ts';
import { erase } from '../src/erase/record.ts';
import { explode } from '../src/explode/record.ts';
import { filter } from '../src/filter/record.ts';
import { makeValid } from '../src/make_valid/record.ts';
import type { Transformation } from '../src/transformation.ts';
import { union } from '../src/union/record.ts';

const geos = await Geos.load();

/** Distance to the corners at equal angles around a centre: a polygon that sees all of itself from there, so a valid one. */
interface Star {
  readonly x: number;
  readonly y: number;
  readonly reaches: readonly number[];
}

const place = fc.integer({ min: -400, max: 400 }).map((tenths) => tenths / 10);
const star: fc.Arbitrary<Star> = fc.record({
  x: place,
  y: place,
  reaches: fc.array(fc.integer({ min: 10, max: 120 }).map((tenths) => tenths / 10), { minLength: 4, maxLength: 12 }), // biome-ignore format: one line
});
const stars = fc.array(star, { minLength: 1, maxLength: 12 });

function positionsOf({ x, y, reaches }: Star): [number, number][] {
  const positions = reaches.map((reach, i): [number, number] => {
    const angle = (i / reaches.length) * 2 * Math.PI;
    return [x + reach * Math.cos(angle), y + reach * Math.sin(angle)];
  });
  return [...positions, positions[0]];
}

function wktOf(one: Star): string {
  const positions = positionsOf(one).map((position) => position.join(' '));
  return `POLYGON ((${positions.join(', ')}))`;
}

function areasOf(batches: readonly FeatureBatch[]): number[] {
  return batches.flatMap((batch) =>
    Array.from({ length: batch.rowCount }, (_, row) => {
      using geometry = geos.read(batch.geometry, row);
      assert.ok(geometry.isValid, geometry.validityReason);
      assert.ok(!geometry.isEmpty, 'no feature becomes empty in silence');
      return geometry.area;
    }),
  );
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function near(actual: number, expected: number, what: string): void {
  assert.ok(Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected)), `${what}: ${actual} instead of ${expected}`); // biome-ignore format: one line
}

test('a buffer contains what it was made of, and what shrinks lies within', async () => {
  await fc.assert(
    fc.asyncProperty(stars, fc.integer({ min: 1, max: 200 }), async (all, tenths) => {
      const batch = batchOfWkt(all.map(wktOf));
      const grown = await runStep(buffer, { distance: tenths / 10, units: 'meters' }, batch);
      areasOf([grown.batch]);
      assert.equal(grown.batch.rowCount, all.length);
      const shrunk = await runStep(buffer, { distance: -tenths / 10, units: 'meters' }, batch);
      areasOf([shrunk.batch]);
      assert.equal(shrunk.batch.rowCount + (shrunk.counts.GEOMETRY_DROPPED ?? 0), all.length);
      const ids = idsOf(shrunk).map(Number);
      for (let row = 0; row < all.length; row++) {
        using before = geos.read(batch.geometry, row);
        using outside = geos.read(grown.batch.geometry, row);
        assert.ok(outside.contains(before));
        const at = ids.indexOf(row + 1);
        if (at < 0) continue;
        using inside = geos.read(shrunk.batch.geometry, at);
        assert.ok(before.contains(inside));
      }
    }),
    { numRuns: 40 },
  );
});

test('what clip keeps and what erase keeps add up to what there was', async () => {
  await fc.assert(
    fc.asyncProperty(stars, star, async (all, mask) => {
      const geojson = { type: 'Polygon', coordinates: [positionsOf(mask)] };
      const batch = batchOfWkt(all.map(wktOf));
      const inside = await runStep(clip, { clipping_geojson: geojson }, batch);
      const outside = await runStep(erase, { erasing_geojson: geojson }, batch);
      const before = areasOf([batch]);
      near(sum(areasOf([inside.batch])) + sum(areasOf([outside.batch])), sum(before), 'area');
      assert.equal(inside.batch.rowCount + (inside.counts.FEATURES_OUTSIDE ?? 0), all.length);
      assert.equal(outside.batch.rowCount + (outside.counts.FEATURES_ERASED ?? 0), all.length);
      for (const run of [inside, outside]) {
        const ids = idsOf(run).map(Number);
        assert.deepEqual(ids, [...ids].sort((a, b) => a - b), 'the order stays'); // biome-ignore format: one line
      }
    }),
    { numRuns: 50 },
  );
});

test('a union covers what its members cover, once', async () => {
  await fc.assert(
    fc.asyncProperty(stars, async (all) => {
      const rows = all.map((one): Row => ({ wkt: wktOf(one) }));
      const { batches } = await collectWith(union, layerOf(rows), {});
      using together = geos.readParts(
        batchOfWkt(all.map(wktOf)).geometry,
        all.map((_, row) => row),
      );
      using expected = together.unaryUnion();
      const own = sum(areasOf(batches));
      near(own, expected.area, 'area');
      assert.ok(own <= sum(areasOf([batchOfWkt(all.map(wktOf))])) * (1 + 1e-12));
    }),
    { numRuns: 50 },
  );
});

test('dissolve keeps the area of each key, one feature per key', async () => {
  await fc.assert(
    fc.asyncProperty(stars, fc.integer({ min: 1, max: 4 }), async (all, keyCount) => {
      const rows = all.map((one, i): Row => ({ wkt: wktOf(one), key: i % keyCount }));
      const { batches } = await collectWith(dissolve, layerOf(rows), { by: ['key'] });
      const own = areasOf(batches);
      assert.equal(own.length, Math.min(keyCount, all.length));
      const { geometry } = batchOfWkt(all.map(wktOf));
      for (const [key, area] of own.entries()) {
        const members = all.flatMap((_, row) => (row % keyCount === key ? [row] : []));
        using together = geos.readParts(geometry, members);
        using expected = together.unaryUnion();
        near(area, expected.area, `area of key ${key}`);
      }
    }),
    { numRuns: 50 },
  );
});

test('what was exploded has the area of the whole, and make_valid leaves it', async () => {
  await fc.assert(
    fc.asyncProperty(stars, async (all) => {
      const rings = all.map((one) => wktOf(one).slice('POLYGON '.length));
      const batch = batchOfWkt([`MULTIPOLYGON (${rings.join(', ')})`]);
      const parts = await runStep(explode, {}, batch);
      assert.equal(parts.batch.rowCount, all.length);
      near(sum(areasOf([parts.batch])), sum(areasOf([batchOfWkt(all.map(wktOf))])), 'area');
      const valid = await runStep(makeValid, {}, parts.batch);
      assert.deepEqual(valid.batch.geometry.coordinates, parts.batch.geometry.coordinates);
    }),
    { numRuns: 40 },
  );
});

test('a condition and its opposite part the features that have a value', async () => {
  await fc.assert(
    fc.asyncProperty(stars, fc.integer({ min: 0, max: 13 }), async (all, limit) => {
      const batch = batchOfWkt(all.map(wktOf));
      const low = idsOf(await runStep(filter, { where: `n <= ${limit}` }, batch)).map(Number);
      const high = idsOf(await runStep(filter, { where: `not n <= ${limit}` }, batch)).map(Number);
      assert.deepEqual([...low, ...high], all.map((_, i) => i + 1)); // biome-ignore format: one line
    }),
    { numRuns: 40 },
  );
});

test('GEOS gives back its memory: the same batch again and again needs no more', async () => {
  const sample = fc.sample(star, { seed: 7, numRuns: 300 }).map(wktOf);
  const mask = { type: 'Polygon', coordinates: [positionsOf({ x: 0, y: 0, reaches: [30, 12, 33, 9, 40] })] };
  const steps: readonly (readonly [Transformation, Record<string, unknown>])[] = [
    [buffer, { distance: 3, units: 'meters' }],
    [clip, { clipping_geojson: mask }],
    [erase, { erasing_geojson: mask }],
    [makeValid, {}],
  ];
  for (const [record, parameters] of steps) {
    await runStep(record, parameters, batchOfWkt(sample));
    const { memoryBytes } = geos;
    for (let time = 0; time < 5; time++) await runStep(record, parameters, batchOfWkt(sample));
    assert.equal(geos.memoryBytes, memoryBytes, record.id);
  }
});
