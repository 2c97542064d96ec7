import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeatureCollection } from '../../src/client/client.ts';
import { extentOf } from '../../web/map/extent.ts';
import { countKinds, mapPositions } from '../../web/map/geometry.ts';

function collection(...geometries: readonly (object | null)[]): FeatureCollection {
  const features = geometries.map((geometry) => ({ type: 'Feature', properties: {}, geometry }));
  return { type: 'FeatureCollection', features } as FeatureCollection;
}

const point = (...coordinates: number[]) => ({ type: 'Point', coordinates });
const line = (...coordinates: number[][]) => ({ type: 'LineString', coordinates });

test('features are counted by the kind of their geometry, empty ones apart', () => {
  const counts = countKinds(
    collection(
      point(1, 2),
      { type: 'MultiPoint', coordinates: [[1, 2]] },
      line([0, 0], [1, 1]),
      {
        type: 'MultiPolygon',
        coordinates: [
          [
            [
              [0, 0],
              [1, 0],
              [1, 1],
              [0, 0],
            ],
          ],
        ],
      },
      { type: 'GeometryCollection', geometries: [point(1, 2), line([0, 0], [1, 1])] },
      { type: 'Polygon', coordinates: [] },
      { type: 'MultiLineString', coordinates: [[]] },
      { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [] }] },
      null,
    ).features,
  );
  assert.deepEqual(counts, { point: 2, line: 1, polygon: 1, collection: 1, none: 4 });
});

test('the extent crosses the antimeridian where the data does, and nowhere else', () => {
  // Fiji, cut at the antimeridian as the service cuts it.
  const fiji = collection(line([177, -18], [180, -17]), line([-180, -17], [-178, -16]), point(179.5, -19));
  assert.deepEqual(extentOf([fiji]), [177, -19, 182, -16]);
  // Alaska with the last of the Aleutian Islands, in two files.
  assert.deepEqual(extentOf([collection(point(172, 52)), collection(point(-130, 55))]), [172, 52, 230, 55]);
  assert.deepEqual(extentOf([collection(point(-5, 50), point(9, 48))]), [-5, 48, 9, 50]);
  // A long line has no gap between its ends.
  assert.deepEqual(extentOf([collection(line([-170, 0], [170, 10]))]), [-170, 0, 170, 10]);
  // Gaps everywhere, of which none leaves half of the globe.
  assert.deepEqual(
    extentOf([collection(point(-178, 0), point(-60, 0), point(50, 0), point(167, 0))]),
    [-178, 0, 167, 0],
  );
  assert.deepEqual(
    extentOf([collection(point(0, 90), null, { type: 'Polygon', coordinates: [] })]),
    [0, 90, 0, 90],
  );
  assert.equal(extentOf([collection(null), collection()]), null);
});

test('positions are changed in all kinds of geometry, and indices of features stay', () => {
  const given = collection({ type: 'Point', coordinates: [] }, point(1, 2, 30), {
    type: 'GeometryCollection',
    geometries: [
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 0],
          ],
        ],
      },
    ],
  });
  const changed = mapPositions(given, (x, y) => [x + 10, y - 10]).features.map(({ geometry }) => geometry);
  assert.deepEqual(changed, [
    null,
    { type: 'Point', coordinates: [11, -8] },
    {
      type: 'GeometryCollection',
      geometries: [
        {
          type: 'Polygon',
          coordinates: [
            [
              [10, -10],
              [11, -10],
              [11, -9],
              [10, -10],
            ],
          ],
        },
      ],
    },
  ]);
});
