/** The largest zoom of an archive, which is guessed from the details of all layers and from the area that they cover. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { geometryColumn } from '../../../test/support/geometry-arbitrary.ts';
import { batchStatistics } from '../../core/src/columns/statistics.ts';
import { WGS84_DESCRIPTION as crs } from '../../core/src/crs/wgs84.ts';
import { PART_KIND } from '../../core/src/geometry/geometry-column.ts';
import { zoomsFor } from '../src/pmtiles/zooms.ts';

type Ring = readonly (readonly [number, number])[];

/** A layer with one part in each feature. */
function layer(kind: keyof typeof PART_KIND, parts: readonly Ring[]): Parameters<typeof zoomsFor>[0][number] {
  const shapes = parts.map((ring) => ({
    ordinates: 'XY' as const,
    shape: { kind: PART_KIND[kind], isMulti: false, parts: [[ring.map(([x, y]) => [x, y, 0, 0] as const)]] },
  }));
  const batch = {
    rowCount: parts.length,
    ids: null,
    fields: [],
    columns: [],
    geometry: geometryColumn(shapes),
  };
  const statistics = batchStatistics(batch as never, 'all');
  return { name: kind, fields: [], statistics, crs, coordinatesComputed: false };
}

const box = (x: number, y: number, width: number, height: number): Ring => [
  [x, y],
  [x + width, y],
  [x + width, y + height],
  [x, y + height],
  [x, y],
];
/** With positions between its corners: an edge of more than half a turn is the short way. */
const wideBox = (x: number, y: number, width: number, height: number): Ring => [
  [x, y],
  [x + width / 2, y],
  [x + width, y],
  [x + width, y + height],
  [x + width / 2, y + height],
  [x, y + height],
  [x, y],
];
const zoomOf = (...layers: Parameters<typeof zoomsFor>[0]) => zoomsFor(layers, {}).maxZoom;

/** Tiles that a box covers at a zoom, at most. */
function tilesOf(south: number, width: number, height: number, zoom: number): number {
  const rows = [south, south + height].map((latitude) => {
    const sine = Math.sin((latitude * Math.PI) / 180);
    return (Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** zoom;
  });
  return ((width / 360) * 2 ** zoom + 1) * (rows[1] - rows[0] + 1);
}

test('a point beside a wide polygon does not spread the polygon over more than about 16,384 tiles', () => {
  const point = layer('point', [[[9, 48]]]);
  assert.equal(zoomOf(point), 14);
  fc.assert(
    fc.property(
      fc.double({ min: 0.01, max: 300, noNaN: true }),
      fc.double({ min: 0.01, max: 70, noNaN: true }),
      fc.double({ min: -80, max: 10, noNaN: true }),
      (width, height, south) => {
        const zoom = zoomOf(point, layer('polygon', [wideBox(-150, south, width, height)]));
        const tiles = tilesOf(south, width, height, zoom);
        assert.ok(tiles < 40_000, `${tiles} tiles at zoom ${zoom}`);
        // The next zoom is too large, unless it is above the largest that is guessed.
        if (zoom < 14) assert.ok(tilesOf(south, width, height, zoom + 1) > 16_000);
      },
    ),
  );
});

test('a polygon with a coordinate that is not on the Earth counts as the whole of it', () => {
  const point = layer('point', [[[9, 48]]]);
  for (const wrong of [box(0, 0, 2 ** 31, 1), box(0, 0, 1e308, 1), box(0, -1e308, 1, 1e308)])
    assert.equal(zoomOf(point, layer('polygon', [wrong])), 7);
});

test('a long line beside a point covers few tiles, and many buildings far from one another cover none', () => {
  const point = layer('point', [[[9, 48]]]);
  assert.equal(zoomOf(point, layer('line', [[[0, 40], [90, 50]]])), 14); // biome-ignore format: a line
  const houses = Array.from({ length: 500 }, (_, i) =>
    box(-170 + (i % 25) * 13, -60 + Math.floor(i / 25) * 6, 2e-4, 1e-4),
  );
  assert.equal(zoomOf(layer('polygon', houses)), 14);
});

test('an area around a pole covers all up to it, one across 180 degrees what is between its sides', () => {
  const ring: Ring = [[0, 70], [90, 70], [180, 70], [-90, 70], [0, 70]]; // biome-ignore format: one line
  const cap = zoomOf(layer('polygon', [ring]));
  assert.ok(tilesOf(70, 360, 15, cap) < 100_000, `zoom ${cap}`);
  assert.equal(cap, zoomOf(layer('polygon', [ring.map(([x, y]) => [x, -y] as const)])));
  const [east, west] = [179.99, -179.99];
  const across: Ring = [[east, 50], [west, 50], [west, 50.01], [east, 50.01], [east, 50]]; // biome-ignore format: one line
  assert.equal(zoomOf(layer('polygon', [across])), zoomOf(layer('polygon', [box(9.99, 50, 0.02, 0.01)])));
  const line = zoomOf(layer('line', [[[east, 50], [west, 50]]])); // biome-ignore format: one line
  assert.equal(line, zoomOf(layer('line', [[[9.99, 50], [10.01, 50]]]))); // biome-ignore format: one line
});
