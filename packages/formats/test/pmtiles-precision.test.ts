/** Where positions are in tiles: the largest zoom does not move them far, and the report says how far they moved. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { readArchive } from '../../../test/support/tiles.ts';
import { emptyStatistics, type GeometryStatistics } from '../../core/src/columns/statistics.ts';
import { WGS84_DESCRIPTION as crs } from '../../core/src/crs/wgs84.ts';
import { PART_KIND } from '../../core/src/geometry/geometry-column.ts';
import { zoomsFor } from '../src/pmtiles/zooms.ts';

type Position = readonly [longitude: number, latitude: number];

/** The same numbers at each run, between 0 and 1. */
function* numbers(): Generator<number, never> {
  for (let state = 1; ; state = (state * 48_271) % 2_147_483_647) yield state / 2_147_483_647;
}

function positionsIn([west, south, east, north]: readonly number[], count: number): Position[] {
  const random = numbers();
  const next = (from: number, to: number): number => from + random.next().value * (to - from);
  return Array.from({ length: count }, () => [next(west, east), next(south, north)] as const);
}

const METRES_PER_DEGREE = 111_319.49;

/** The largest zoom, the messages, and the largest distance of a point in a tile of that zoom from where it was, in metres. */
async function written(positions: readonly Position[], writeOptions: Record<string, unknown> = {}) {
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'points.csv');
  writeFileSync(input, `n,lon,lat\n${positions.map(([x, y], i) => `${i},${x},${y}\n`).join('')}`);
  const { outputPath, report } = await convertFile(input, workspace.path, {
    from: 'csv',
    to: 'pmtiles',
    fromCrs: 'EPSG:4326',
    writeOptions,
  });
  const { header, tiles } = await readArchive(outputPath);
  let largest = 0;
  for (const { zoom, x, y, features } of tiles)
    if (zoom === header.maxZoom)
      for (const { feature } of features) {
        const { coordinates } = feature.toGeoJSON(x, y, zoom).geometry as unknown as {
          coordinates: Position;
        };
        const [longitude, latitude] = positions[Number(feature.properties.n)];
        const dx = (coordinates[0] - longitude) * Math.cos((latitude * Math.PI) / 180);
        largest = Math.max(largest, Math.hypot(dx, coordinates[1] - latitude) * METRES_PER_DEGREE);
      }
  const messages = Object.fromEntries(report.warnings.map(({ code, message }) => [code, message]));
  return { maxZoom: header.maxZoom, largest, messages };
}

const CAPITALS: readonly Position[] = [
  [8.5402, 47.3782],
  [-73.9772, 40.7527],
  [139.7671, 35.6812],
  [151.2067, -33.8832],
];
const EUROPE = [-10, 36, 30, 60];

test('a few points far from one another stay within a metre', async () => {
  for (const positions of [
    CAPITALS,
    CAPITALS.slice(0, 2),
    positionsIn(EUROPE, 200),
    positionsIn([-170, -80, 170, 80], 50),
  ]) {
    const { largest, messages } = await written(positions);
    assert.ok(largest < 1, `${largest} m`);
    assert.equal(messages.PMTILES_POSITIONS_MOVED, undefined);
  }
});

test('the report has the zooms and the largest displacement, as it is in the tiles', async () => {
  const { largest, messages } = await written(CAPITALS);
  assert.match(
    messages.PMTILES_ZOOM_RANGE,
    /the zooms 0 to 14; the grid of zoom 14 moved positions by up to [\d.]+ cm/,
  );
  const centimetres = Number(/([\d.]+) cm/.exec(messages.PMTILES_ZOOM_RANGE)?.[1]);
  assert.ok(
    Math.abs(centimetres / 100 - largest) < 0.02 * largest + 0.005,
    `${centimetres} cm, ${largest} m`,
  );
  const coarse = await written(CAPITALS, { max_zoom: 3 });
  assert.equal(coarse.maxZoom, 3);
  const metres = Number(/up to ([\d.]+) m/.exec(coarse.messages.PMTILES_POSITIONS_MOVED)?.[1]);
  assert.ok(Math.abs(metres - coarse.largest) < 0.06 * metres, `${metres} m, ${coarse.largest} m`);
});

/** A layer with so many positions of points or polygons, as far as zooms depend on it. */
function layer(
  kind: number,
  bounds: readonly number[],
  positionCount: number,
  area = 0,
): Parameters<typeof zoomsFor>[0][number] {
  const statistics = emptyStatistics();
  const { kindCounts } = statistics.geometry;
  kindCounts[kind] = positionCount;
  const segments =
    kind === PART_KIND.point
      ? { count: 0, logLength: 0 }
      : { count: positionCount, logLength: positionCount };
  const geometry: GeometryStatistics = {
    ...statistics.geometry,
    bounds: [bounds[0], bounds[1], bounds[2], bounds[3]],
    positionCount,
    segments,
    covered: { area, length: 0 },
  };
  return {
    name: 'layer',
    fields: [],
    statistics: { ...statistics, geometry },
    crs,
    coordinatesComputed: false,
  };
}

test('small data has at least zoom 12, and more points in the same place never have a smaller zoom than large data', () => {
  const zooms = [1, 10, 1000, 16_000, 60_000].map(
    (count) => zoomsFor([layer(PART_KIND.point, EUROPE, count)], {}).maxZoom,
  );
  assert.ok(
    zooms.every((zoom) => zoom >= 12),
    `${zooms}`,
  );
  for (const count of [100_000, 1_000_000, 10_000_000])
    assert.ok(zoomsFor([layer(PART_KIND.point, EUROPE, count)], {}).maxZoom >= 9);
});

test('polygons that cover a continent do not get a zoom with millions of tiles', () => {
  const { maxZoom } = zoomsFor([layer(PART_KIND.polygon, EUROPE, 5000, 900)], {});
  assert.ok(maxZoom >= 7 && maxZoom <= 10, `${maxZoom}`);
});

test('a requested zoom is kept', () => {
  assert.deepEqual(zoomsFor([layer(PART_KIND.point, EUROPE, 4)], { min_zoom: 2, max_zoom: 5 }), {
    minZoom: 2,
    maxZoom: 5,
  });
});
