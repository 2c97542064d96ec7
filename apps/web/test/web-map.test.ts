import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FeatureCollection } from '../../../packages/client/src/client.ts';
import { extentOf } from '../map/extent.ts';
import { countKinds, mapPositions } from '../map/geometry.ts';
import { outlineOf } from '../map/outline.ts';
import { planeOf } from '../map/plane.ts';
import {
  degreeStep,
  longitudeText,
  metresPerPixel,
  metresText,
  niceStep,
  scaleBar,
  ticks,
  unitsPerPixel,
} from '../map/rulers.ts';
import { layerSentence, viewSentence } from '../model/map-summary.ts';

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

/** Where Web Mercator draws a position, in the square from 0 to 1. */
function mercator([longitude, latitude]: readonly number[]): [number, number] {
  const y = Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360)) / Math.PI;
  return [longitude / 360 + 0.5, 0.5 - y / 2];
}

test('plain paper keeps shapes: x and y have the same scale, wherever the data is and however large', () => {
  const middle = fc.double({ min: -1e9, max: 1e9, noNaN: true });
  const side = fc.double({ min: 1e-3, max: 1e9, noNaN: true });
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(middle, middle, side, side, share, share, (x0, y0, width, height, u, v) => {
      const box = [x0, y0, x0 + width, y0 + height] as const;
      const [west, south, east, north] = box;
      const paper = planeOf(box);
      const [x, y] = [west + u * (east - west), south + v * (north - south)];
      const [mx, my] = mercator(paper.toLonLat(x, y));
      assert.ok(Math.abs(mx - 0.5 - (x - (west + east) / 2) * paper.scale) < 1e-9);
      assert.ok(Math.abs(0.5 - my - (y - (south + north) / 2) * paper.scale) < 1e-9);
      const [backX, backY] = paper.fromLonLat(...paper.toLonLat(x, y));
      const size = Math.max(east - west, north - south);
      assert.ok(Math.abs(backX - x) < 1e-9 * size + 1e-6 && Math.abs(backY - y) < 1e-9 * size + 1e-6);
    }),
  );
  assert.deepEqual(planeOf([5, 7, 5, 7]).toLonLat(5, 7), [0, 0]);
});

test('grid lines and scale bars have round values at every zoom', () => {
  assert.deepEqual([0.03, 0.9, 1, 3, 7, 10, 11, 80].map(degreeStep), [0.05, 1, 1, 5, 10, 10, 30, 30]);
  assert.deepEqual(ticks(-0.25, 0.31, 0.1), [-0.2, -0.1, 0, 0.1, 0.2, 0.3]);
  assert.deepEqual(
    [179.5, 180, 181, -180, 0].map((x) => longitudeText(x, 1)),
    ['179.5° E', '180.0°', '179.0° W', '180.0°', '0.0°'],
  );
  for (let zoom = 0; zoom <= 22; zoom += 0.5) {
    const { length, width } = scaleBar(metresPerPixel(zoom, 53), 150);
    assert.ok(width <= 150.0001 && width > 55, `${zoom}: ${width}`);
    assert.match(metresText(length), /^[125]0*(?:,000)? (?:km|m|cm)$|^[\d,]+ km$/);
    assert.ok(Math.abs(niceStep(length) - length) < 1e-9 * length);
  }
  // The bar of the paper: data of 100 units is a sixteenth of the world, which has 512 pixels at level 0.
  assert.equal(unitsPerPixel(4, planeOf([0, 0, 100, 50]).scale), 100 / 512);
});

test('the map is described in words', () => {
  const none = { point: 0, line: 0, polygon: 0, collection: 0, none: 0 };
  const layer = {
    title: 'a.gpkg',
    counts: none,
    drawn: 0,
    total: 0,
    box: null,
    isOnPaper: false,
    isShown: true,
  };
  assert.equal(layerSentence(layer), 'a.gpkg: no features.');
  // The name does not turn the sentence around.
  assert.equal(layerSentence({ ...layer, title: 'קובץ.gpkg' }), '\u2068קובץ.gpkg\u2069: no features.');
  assert.equal(
    layerSentence({
      ...layer,
      counts: { ...none, point: 9, line: 1 },
      drawn: 10,
      total: 12_000,
      box: [8.5, 53.5, 8.53, 53.51],
      isShown: false,
    }),
    'a.gpkg: 9 points, 1 line (of 12,000 features in the file) near 8.5150° E, 53.5050° N, 1.99 km wide, 1.11 km high; not shown now.',
  );
  assert.equal(
    layerSentence({ ...layer, counts: { ...none, point: 1 }, drawn: 1, total: 1, box: [10, 90, 10, 90] }),
    'a.gpkg: 1 point near 10.000000° E, 90.000000° N, all at one place; what is near a pole is drawn at the edge of the map.',
  );
  assert.equal(
    layerSentence({
      ...layer,
      counts: { ...none, polygon: 2 },
      drawn: 2,
      total: 2,
      box: [-10, 0, 5, 4],
      isOnPaper: true,
    }),
    'a.gpkg: 2 polygons on plain paper near x −2.5, y 2, 15 units wide, 4 units high.',
  );
  assert.equal(
    viewSentence([177, -19, 182, -16]),
    'The map shows 177.00° E to 178.00° W, 19.00° S to 16.00° S.',
  );
  assert.equal(viewSentence([-300, -80, 300, 80]), 'The map shows the whole world.');
});

test('the outline of large data has few positions, and that of a point is a dot', () => {
  assert.equal(
    outlineOf(collection(point(5, 5), line([0, 0], [10, 10])), [0, 0, 10, 10], 100),
    'M50 50h0M0 100L100 0',
  );
  const long = Array.from({ length: 50_000 }, (_, i) => [i, i % 7]);
  assert.ok(outlineOf(collection(line(...long)), [0, 0, 50_000, 7], 100).split('L').length < 3100);
  const many = collection(...Array.from({ length: 20_000 }, (_, i) => point(i, i)));
  const drawn = outlineOf(many, [0, 0, 20_000, 20_000], 100).split('M').length - 1;
  assert.ok(drawn > 1000 && drawn <= 3001, String(drawn));
});
