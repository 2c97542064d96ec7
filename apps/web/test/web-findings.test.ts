/** What the workspace makes of findings, errors and empty results, without a browser. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Report } from '../../../packages/client/src/client.ts';
import { metersBetween } from '../../../test/support/geodesic-judge.ts';
import { addStep, EMPTY_DOCUMENT } from '../model/document.ts';
import { distanceText, explainEmpty, maskDistance } from '../model/empty-result.ts';
import { groupFindings, placesAt, symbolsOf } from '../model/found-places.ts';

const box = (west: number, south: number, east: number, north: number) => ({
  type: 'FeatureCollection' as const,
  features: [
    {
      type: 'Feature' as const,
      properties: {},
      geometry: {
        type: 'Polygon' as const,
        coordinates: [[[west, south], [east, south], [east, north], [west, north], [west, south]]], // biome-ignore format: one line
      },
    },
  ],
});

const places = {
  type: 'FeatureCollection',
  totals: { RING_CLOSED: { count: 23_412, listed: 2 }, TEXT_CUT: { count: 1, listed: 1 } },
  features: [
    { ...box(7, 50, 8, 51).features[0], properties: { code: 'RING_CLOSED', severity: 'changed', message: 'closed', row: 1 } }, // biome-ignore format: one line
    { type: 'Feature', geometry: null, properties: { code: 'RING_CLOSED', severity: 'changed', message: 'closed', row: 2 } }, // biome-ignore format: one line
    { type: 'Feature', geometry: { type: 'Point', coordinates: [7.5, 50.5] }, properties: { code: 'TEXT_CUT', severity: 'lost', message: 'cut' } }, // biome-ignore format: one line
  ],
} as never;

test('findings are grouped by code with the numbers of the service; those without a place are no symbols', () => {
  const warnings = [
    { code: 'FIELD_RENAMED', severity: 'changed', message: 'a is b', count: 1 },
    { code: 'FIELD_RENAMED', severity: 'changed', message: 'c is d', count: 1 },
    { code: 'RING_CLOSED', severity: 'changed', message: 'closed', count: 23_412 },
  ] as never;
  const groups = groupFindings(warnings, places);
  assert.deepEqual(
    groups.map(({ code, count, warnings: { length }, places: found }) => [code, count, length, found.length]),
    [
      ['FIELD_RENAMED', 2, 2, 0],
      ['RING_CLOSED', 23_412, 1, 2],
      // Not in the report, whose list is limited.
      ['TEXT_CUT', 1, 1, 1],
    ],
  );
  const changed = symbolsOf(groups, 'changed');
  assert.deepEqual(changed.features.features.map(({ geometry }) => geometry.coordinates), [[7.5, 50.5]]); // biome-ignore format: one line
  assert.deepEqual(changed.addresses, [{ code: 'RING_CLOSED', index: 0 }]);
  assert.deepEqual(placesAt(groups, { code: 'RING_CLOSED', index: 0 }), [
    { code: 'RING_CLOSED', index: 0 },
    { code: 'TEXT_CUT', index: 0 },
  ]);
  assert.deepEqual(placesAt(groups, { code: 'RING_CLOSED', index: 1 }), []);
});

const counts = { skipped: 0, read: 30, written: 0, dropped: 30, merged: 0, generated: 0, repaired: 0, split: 0 }; // biome-ignore format: one line
const report = (steps: readonly object[], features: object = counts) =>
  ({ features, steps, output: { format: 'dxf' } }) as unknown as Report;

test('an empty result names the step that left nothing, as it is numbered in the page', () => {
  const mask = box(7, 50, 8, 51);
  const off = addStep(EMPTY_DOCUMENT, 'buffer', {});
  const disabled = { ...off, steps: off.steps.map((step) => ({ ...step, enabled: false })) };
  const document = addStep(addStep(disabled, 'explode', {}), 'clip', { clipping_geojson: mask });
  const steps = [
    { type: 'explode', features_in: 30, features_out: 40 },
    { type: 'clip', features_in: 40, features_out: 0 },
  ];
  assert.deepEqual(explainEmpty(report(steps), document), {
    sentence: 'Nothing is left after step 3, clip: 40 to 0.',
    mask,
    maskPath: null,
  });
  assert.equal(explainEmpty(report([], { ...counts, written: 1 }), document), null);
  assert.equal(
    explainEmpty(report([], { ...counts, read: 0, skipped: 2 }), EMPTY_DOCUMENT)?.sentence,
    'The input has no features; 2 records were skipped.',
  );
  assert.equal(
    explainEmpty(report([]), EMPTY_DOCUMENT)?.sentence,
    'The output could store none of the 30 features (dxf).',
  );
  const byFile = { ...addStep(EMPTY_DOCUMENT, 'clip', {}) };
  const withFile = { ...byFile, steps: byFile.steps.map((step) => ({ ...step, file: { part: 'mask', path: 'm.gpkg' } })) }; // biome-ignore format: one line
  assert.equal(explainEmpty(report(steps.slice(1)), withFile)?.maskPath, 'm.gpkg');
});

test('the distance of a mask is at most that on the ellipsoid, and close to it', () => {
  // With the nearest points: longitude and latitude of each.
  const cases = [
    [box(7, 50, 8, 51), box(7, 53, 8, 54), [7, 51], [7, 53]],
    [box(7, 50, 8, 51), box(10, 50, 11, 51), [8, 51], [10, 51]],
    [box(0, 0, 1, 1), box(3, 0, 4, 1), [1, 1], [3, 1]],
    [box(179, 0, 180, 1), box(-179, 0, -178, 1), [180, 1], [-179, 1]],
    [box(0, 85, 1, 85.5), box(180, 85, 181, 85.5), [1, 85.5], [180, 85.5]],
  ] as const;
  for (const [mask, data, from, to] of cases) {
    const exact = metersBetween(from, to);
    const metres = maskDistance(mask, data)?.metres ?? Number.NaN;
    assert.ok(metres <= exact && metres > exact * 0.97, `${metres} of ${exact}`);
    assert.ok(Math.abs((maskDistance(data, mask)?.metres ?? Number.NaN) - metres) < 1);
  }
  assert.equal(maskDistance(box(7, 50, 8, 51), box(7.5, 50.5, 9, 52))?.metres, 0);
  assert.equal(maskDistance(box(7, 50, 8, 51), { type: 'FeatureCollection', features: [] }), null);
  assert.deepEqual([212_987, 85.6, 1_005_230, 0.4].map(distanceText), ['212 km', '85 m', '1,000 km', '0 m']); // biome-ignore format: one line
});
