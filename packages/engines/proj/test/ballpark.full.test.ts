/** A ballpark transformation is one between datums of which none is known, not one between prime meridians, units or axes. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { IS_EXHAUSTIVE } from '../../../../test/support/exhaustive.ts';
import { Proj } from '../src/proj.ts';

const proj = await Proj.load({ gridDirectory: null });

function operationsAt(from: string, to: string, longitude: number, latitude: number) {
  const position = Float64Array.of(longitude, latitude);
  const one = { count: 1, at: () => 0 };
  const within = (): [number, number, number, number] => [position[0], position[1], position[0], position[1]];
  const into = proj.transformer('EPSG:4326', from);
  if (!into.isIdentity) into.transform(position, 'XY', within(), one);
  const transformer = proj.transformer(from, to);
  return transformer.isIdentity ? [] : transformer.transform(position, 'XY', within(), one).operations;
}

/** The definition without codes, in which PROJ has to build the step between the prime meridians itself. */
const withoutCodes = (code: string): string[] => {
  const { wktEsri, wkt1 } = proj.describe(code, 'crs');
  return [wktEsri ?? '', (wkt1 ?? '').replace(/,AUTHORITY\["[^"]*","[^"]*"\]/g, '')].filter(
    (text) => text !== '',
  );
};

test('another prime meridian, unit or axis order is no ballpark transformation', () => {
  const cases: readonly (readonly [
    crs: string,
    longitude: number,
    latitude: number,
    others: readonly string[],
  ])[] = [
    ['EPSG:27572', 2.3, 47, ['EPSG:4326', 'EPSG:2154', 'EPSG:4275', 'EPSG:3857']],
    ['EPSG:4807', 2.3, 47, ['EPSG:4326', 'EPSG:2154', 'EPSG:4275']],
    ['EPSG:21780', 8, 47, ['EPSG:4326', 'EPSG:2056']],
    ['EPSG:2065', 15, 49.8, ['EPSG:4326', 'EPSG:5514']],
    ['EPSG:2048', 21, -30, ['EPSG:4326']],
    ['+proj=longlat +datum=WGS84 +pm=paris', 2, 47, ['EPSG:4326', 'EPSG:3857']],
  ];
  // PROJ searches a second for each pair without codes.
  for (const [crs, longitude, latitude, others] of cases)
    for (const definition of [crs, ...(crs.startsWith('EPSG') ? withoutCodes(crs) : [])])
      for (const other of IS_EXHAUSTIVE || definition === crs ? others : others.slice(0, 1))
        for (const [from, to] of [
          [definition, other],
          [other, definition],
        ])
          for (const { name, ballpark } of operationsAt(from, to, longitude, latitude))
            assert.equal(ballpark, false, `${from.slice(0, 60)} to ${to.slice(0, 60)}: ${name}`);
});

test('a datum without a known transformation is one', () => {
  for (const from of ['EPSG:4008', '+proj=longlat +ellps=bessel +pm=paris', '+proj=utm +zone=33 +ellps=intl'])
    for (const to of ['EPSG:4326', 'EPSG:25833'])
      assert.ok(
        operationsAt(from, to, 15, 50).every(({ ballpark }) => ballpark),
        from,
      );
});
