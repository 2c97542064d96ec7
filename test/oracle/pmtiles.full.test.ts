/** Laws of vector tiles, by the readers of their authors: nothing is lost, no gaps, no invalid rings, no tile over the limit. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { VectorTileFeature } from '@mapbox/vector-tile';
import { datasetPath, seededRandom } from '../../bench/data.ts';
import { newThreads } from '../../packages/pipeline/src/threads.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { type Archive, readArchive } from '../support/tiles.ts';

type Ring = readonly (readonly [number, number])[];

interface Case {
  readonly archive: Archive;
  readonly bytes: Buffer;
  readonly counts: Readonly<Record<string, number>>;
}

async function tilesOf(
  features: readonly object[] | string,
  options: Record<string, unknown>,
  threads = 1,
): Promise<Case> {
  using workspace = makeWorkspace();
  let input = join(workspace.path, 'in.geojson');
  if (typeof features === 'string') input = features;
  else writeFileSync(input, JSON.stringify({ type: 'FeatureCollection', features }));
  const { report, outputPath: output } = await convertFile(input, workspace.path, {
    from: 'geojson',
    to: 'pmtiles',
    writeOptions: options,
    threads,
  });
  const counts: Record<string, number> = {};
  for (const { code, count } of report.warnings) counts[code] = (counts[code] ?? 0) + count;
  return { archive: await readArchive(output), bytes: readFileSync(output), counts };
}

const polygon = (properties: object, ...rings: Ring[]): object => ({
  type: 'Feature',
  properties,
  geometry: {
    type: 'Polygon',
    coordinates: rings.map((ring) => [...ring, ring[0]]),
  },
});
const point = (properties: object, x: number, y: number): object => ({
  type: 'Feature',
  properties,
  geometry: { type: 'Point', coordinates: [x, y] },
});

function ringsOf(feature: VectorTileFeature): { x: number; y: number }[][] {
  return feature.loadGeometry();
}

function area(ring: readonly { x: number; y: number }[]): number {
  let sum = 0;
  for (let i = 0; i + 1 < ring.length; i++) sum += ring[i].x * ring[i + 1].y - ring[i + 1].x * ring[i].y;
  return sum / 2;
}

function assertValid({ tiles }: Archive): void {
  for (const { zoom, x, y, features } of tiles)
    for (const { feature } of features) {
      const at = `${zoom}/${x}/${y}`;
      const rings = ringsOf(feature);
      assert.ok(rings.length > 0, `${at}: no geometry`);
      for (const ring of rings)
        for (const position of ring)
          assert.ok(
            position.x >= -64 && position.x <= 4160 && position.y >= -64 && position.y <= 4160,
            `${at}: ${position.x} ${position.y} is outside`,
          );
      if (feature.type !== 3) continue;
      assert.ok(area(rings[0]) > 0, `${at}: the first ring is no shell`);
      for (const ring of rings) {
        assert.ok(ring.length >= 4, `${at}: a ring of ${ring.length} positions`);
        assert.deepEqual(ring[0], ring.at(-1));
        assert.notEqual(area(ring), 0, `${at}: a ring without area`);
        const places = new Set(ring.slice(1).map((position) => `${position.x} ${position.y}`));
        assert.equal(places.size, ring.length - 1, `${at}: a ring touches itself`);
      }
    }
}

/** The area of a polygon within a tile without its surroundings: its rings, cut at the sides. */
function areaWithin(ring: readonly { x: number; y: number }[]): number {
  let kept = ring.slice(1).map(({ x, y }) => [x, y]);
  for (const axis of [0, 1])
    for (const [side, sign] of [
      [0, 1],
      [4096, -1],
    ]) {
      const cut: number[][] = [];
      for (const [i, to] of kept.entries()) {
        const from = kept.at(i - 1) as number[];
        const [a, b] = [(from[axis] - side) * sign, (to[axis] - side) * sign];
        if (a < 0 !== b < 0) {
          const t = a / (a - b);
          cut.push([from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t]);
        }
        if (b >= 0) cut.push(to);
      }
      kept = cut;
    }
  return area([...kept, ...kept.slice(0, 1)].map(([x, y]) => ({ x, y })));
}

/** Rows and columns of polygons that share crooked borders. */
function coverage(rows: number, columns: number): object[] {
  const random = seededRandom(7);
  const size = 0.5;
  const jitter = new Map<string, [number, number]>();
  const at = (i: number, j: number): [number, number] => {
    const key = `${i},${j}`;
    let found = jitter.get(key);
    if (found === undefined) {
      found = [5 + i * (size / 8) + random() * 0.03, 45 + j * (size / 8) + random() * 0.03];
      jitter.set(key, found);
    }
    return found;
  };
  const features: object[] = [];
  for (let i = 0; i < columns; i++)
    for (let j = 0; j < rows; j++) {
      const ring: [number, number][] = [];
      for (let k = 0; k < 8; k++) ring.push(at(i * 8 + k, j * 8));
      for (let k = 0; k < 8; k++) ring.push(at(i * 8 + 8, j * 8 + k));
      for (let k = 0; k < 8; k++) ring.push(at(i * 8 + 8 - k, j * 8 + 8));
      for (let k = 0; k < 8; k++) ring.push(at(i * 8, j * 8 + 8 - k));
      features.push(polygon({ n: i * rows + j }, ring));
    }
  return features;
}

test('two threads write the same bytes as one', async () => {
  const path = datasetPath('buildings', 30_000);
  const outputs: Buffer[] = [];
  for (const threads of [1, 2]) {
    using workspace = makeWorkspace();
    let taken = 0;
    const { outputPath } = await convertFile(path, workspace.path, {
      from: 'geojson',
      to: 'pmtiles',
      writeOptions: { max_zoom: 7 },
      threads,
      threadSource: {
        ...newThreads,
        take(count) {
          taken += count;
          return newThreads.take(count);
        },
      },
    });
    assert.equal(taken, threads, 'the input is large enough for threads');
    outputs.push(readFileSync(outputPath));
  }
  assert.ok(outputs[0].equals(outputs[1]));
});

test('writes tiles of buildings that are valid and whole', async () => {
  const one = await tilesOf(datasetPath('buildings', 300), { max_zoom: 14 });
  assertValid(one.archive);
  const found = new Set<unknown>();
  for (const { zoom, features } of one.archive.tiles)
    if (zoom === 14) for (const { feature } of features) found.add(feature.properties.id);
  assert.equal(found.size, 300);
  const { header } = one.archive;
  assert.deepEqual([header.minZoom, header.maxZoom, header.tileType, header.clustered], [0, 14, 1, true]);
});

test('leaves no gap between neighbours at any zoom', async () => {
  const { archive } = await tilesOf(coverage(4, 4), { max_zoom: 11 });
  assertValid(archive);
  // A tile within the coverage is full: the areas of the pieces add up to its own.
  let full = 0;
  for (const { zoom, features } of archive.tiles) {
    if (zoom < 8) continue;
    const sum = features.reduce(
      (total, { feature }) => total + ringsOf(feature).reduce((own, ring) => own + areaWithin(ring), 0),
      0,
    );
    assert.ok(sum <= 4096 * 4096 * 1.000_01, `${sum} is more than the tile`);
    if (sum > 4096 * 4096 * 0.999_9) full++;
  }
  assert.ok(full >= 100, `${full} full tiles`);
});

test('covers a polygon with a hole that spans many tiles by its pieces', async () => {
  const shell: Ring = [
    [0, 40],
    [3, 40],
    [3, 43],
    [0, 43],
  ];
  const hole: Ring = [
    [1, 41],
    [1, 42],
    [2, 42],
    [2, 41],
  ];
  const { archive } = await tilesOf([polygon({}, shell, hole)], { min_zoom: 10, max_zoom: 10 });
  assertValid(archive);
  const y = (latitude: number): number =>
    (0.5 - Math.asinh(Math.tan((latitude * Math.PI) / 180)) / (2 * Math.PI)) * 4096 * 1024;
  const unit = (4096 * 1024) / 360;
  const expected = 3 * unit * (y(40) - y(43)) - unit * (y(41) - y(42));
  const actual = archive.tiles.reduce(
    (sum, { features }) =>
      sum +
      features.reduce(
        (total, { feature }) => total + ringsOf(feature).reduce((own, ring) => own + areaWithin(ring), 0),
        0,
      ),
    0,
  );
  assert.ok(Math.abs(actual / expected - 1) < 1e-4, `${actual} for ${expected}`);
});

test('keeps tiles within the limit and counts what is left out', async () => {
  const random = seededRandom(3);
  const features = Array.from({ length: 3_000 }, (_, i) =>
    point({ i, text: `${random()}` }, random(), random()),
  );
  const { archive, counts } = await tilesOf(features, { min_zoom: 5, max_zoom: 5, tile_size_limit: 20_000 });
  for (const { byteLength } of archive.tiles) assert.ok(byteLength <= 20_000);
  const kept = archive.tiles.reduce((sum, tile) => sum + tile.features.length, 0);
  assert.ok(kept > 500);
  assert.ok(counts.PMTILES_TILE_LIMIT >= 3_000 - kept);
});

test('writes values of each type, and ids', async () => {
  const properties = { a: true, b: -5, c: 2.5, d: 'Straße', e: null, f: 7, __proto__2: 1 };
  const feature = { ...point(properties, 8, 50), id: 12 };
  const { archive } = await tilesOf([feature], { max_zoom: 0 });
  const [{ features }] = archive.tiles;
  const { e: _, ...others } = properties;
  assert.deepEqual({ ...features[0].feature.properties }, { id: 12, ...others });
  assert.equal(features[0].feature.id, 12);
  assert.equal(archive.metadata.vector_layers[0].fields.c, 'Number');
});

test('cuts at the latitudes of the map and at the antimeridian, and counts', async () => {
  const high: Ring = [
    [0, 80],
    [10, 80],
    [10, 90],
    [0, 90],
  ];
  const across: Ring = [
    [178, 0],
    [-178, 0],
    [-178, 5],
    [178, 5],
  ];
  const { archive, counts } = await tilesOf([polygon({}, high), polygon({}, across), point({}, 0, 89)], {
    max_zoom: 4,
  });
  assertValid(archive);
  assert.deepEqual([counts.PMTILES_CLIPPED, counts.ANTIMERIDIAN_CUT, counts.PMTILES_OUTSIDE], [1, 1, 1]);
  const columns = new Set(archive.tiles.filter(({ zoom }) => zoom === 4).map(({ x }) => x));
  assert.ok(columns.has(0) && columns.has(15) && !columns.has(4));
});

test('writes a country of equal tiles once, with leaf directories where there are many', async () => {
  const square: Ring = [
    [0, 0],
    [20, 0],
    [20, 20],
    [0, 20],
  ];
  const { archive } = await tilesOf([polygon({ n: 1 }, square)], { min_zoom: 10, max_zoom: 10 });
  assertValid(archive);
  const { header } = archive;
  assert.equal(header.numAddressedTiles, archive.tiles.length);
  assert.ok(header.numTileContents < 300 && header.numTileEntries < header.numAddressedTiles);
});

test('writes an archive without tiles for a layer without features', async () => {
  const { archive } = await tilesOf([], {});
  assert.equal(archive.tiles.length, 0);
  assert.equal(archive.metadata.vector_layers.length, 1);
});
