/** GDAL's reader of vector tiles finds in them the features of the source, with their values and where they are. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test from 'node:test';
import { datasetPath, seededRandom } from '../../bench/data.ts';
import { cleanPolygon, type Line, type Polygon, snapped } from '../../packages/formats/src/pmtiles/rings.ts';
import { validPolygons } from '../../packages/formats/src/pmtiles/valid-polygons.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { readArchive } from '../support/tiles.ts';
import { withoutGdal } from './gdal-facts.ts';

/** Metres of a unit of a tile of zoom 14. */
const UNIT = 40_075_016.685_578_5 / 2 ** 14 / 4096;
const RADIUS = 6_378_137;

type Box = [west: number, south: number, east: number, north: number];

interface TileFacts {
  readonly srs: string;
  readonly features: readonly {
    readonly layer: string;
    readonly properties: Readonly<Record<string, unknown>>;
    readonly type: string;
    readonly isValid: boolean;
    readonly box: Box;
  }[];
}

interface SourceFeature {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly geometry: { readonly coordinates: readonly (readonly (readonly [number, number])[])[] };
}

/** In EPSG:3857. */
function mercatorBox({ geometry }: SourceFeature): Box {
  const box: Box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [longitude, latitude] of geometry.coordinates[0])
    extend(box, [
      (longitude * Math.PI * RADIUS) / 180,
      Math.asinh(Math.tan((latitude * Math.PI) / 180)) * RADIUS,
    ]);
  return box;
}

function extend(box: Box, [x, y]: readonly [number, number]): void {
  box[0] = Math.min(box[0], x);
  box[1] = Math.min(box[1], y);
  box[2] = Math.max(box[2], x);
  box[3] = Math.max(box[3], y);
}

test('GDAL reads the features of the source from the tiles', { skip: withoutGdal }, async () => {
  using workspace = makeWorkspace();
  const path = datasetPath('buildings', 300);
  const { outputPath } = await convertFile(path, workspace.path, {
    from: 'geojson',
    to: 'pmtiles',
    writeOptions: { min_zoom: 14, max_zoom: 14 },
  });
  const { tiles } = await readArchive(outputPath);
  const files = tiles.map(({ zoom, x, y, bytes }) => {
    const file = join(workspace.path, `${zoom}-${x}-${y}.pbf`);
    writeFileSync(file, bytes);
    return file;
  });
  const script = join(import.meta.dirname, 'pmtiles_gdal.py');
  const lines = execFileSync('/usr/bin/python3', [script, ...files], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const found = new Map<unknown, { box: Box; properties: object }>();
  for (const [i, line] of lines.entries()) {
    const { srs, features } = JSON.parse(line) as TileFacts;
    assert.equal(srs, '3857');
    assert.equal(features.length, tiles[i].features.length);
    for (const { layer, properties, type, isValid, box } of features) {
      assert.equal(layer, basename(path, '.geojson'));
      assert.match(type, /POLYGON$/);
      assert.ok(isValid);
      const known = found.get(properties.id);
      if (known === undefined) found.set(properties.id, { box, properties });
      else {
        assert.deepEqual(properties, known.properties);
        extend(known.box, [box[0], box[1]]);
        extend(known.box, [box[2], box[3]]);
      }
    }
  }
  const source = JSON.parse(readFileSync(path, 'utf8')) as { features: SourceFeature[] };
  assert.equal(found.size, source.features.length);
  for (const feature of source.features) {
    const { box, properties } = found.get(feature.properties.id) ?? assert.fail(`${feature.properties.id}`);
    for (const [i, value] of mercatorBox(feature).entries())
      assert.ok(Math.abs(box[i] - value) < UNIT * 0.51, `${box} for ${feature.properties.id}`);
    for (const [name, value] of Object.entries(feature.properties)) {
      const actual = properties[name as keyof typeof properties] as unknown;
      assert.equal(actual ?? null, value, name); // A tile has no value for a null.
    }
  }
});

/** A ring with narrow spikes around a position, not closed. */
function star(random: () => number, x: number, y: number, least: number, most: number, count: number): Line {
  return Array.from({ length: count }, (_, i) => {
    const radius = least + (most - least) * random();
    const angle = (i / count) * 2 * Math.PI;
    return [x + Math.cos(angle) * radius, y + Math.sin(angle) * radius];
  }).flat();
}

function wktOf(polygons: readonly Polygon[]): string {
  if (polygons.length === 0) return 'MULTIPOLYGON EMPTY';
  const ringText = (ring: Line): string => {
    const positions = Array.from({ length: ring.length / 2 }, (_, i) => `${ring[2 * i]} ${ring[2 * i + 1]}`);
    return `(${[...positions, positions[0]].join()})`;
  };
  return `MULTIPOLYGON (${polygons.map((rings) => `(${rings.map(ringText).join()})`).join()})`;
}

test('GEOS finds polygons valid whose rings the grid moved onto each other', { skip: withoutGdal }, () => {
  const random = seededRandom(7);
  const pairs: string[] = [];
  for (let i = 0; i < 3000; i++) {
    const most = 3 + 12 * random();
    const count = 5 + Math.floor(40 * random());
    const rings = [star(random, 50, 50, most * 0.35, most, count)];
    const holes = i % 3;
    for (let hole = 0; hole < holes; hole++) {
      const x = holes === 1 ? 50 : 50 + most * (hole === 0 ? -0.17 : 0.17);
      const size = holes === 1 ? 0.33 : 0.16;
      rings.push(star(random, x, 50, most * size * 0.1, most * size, 4 + (count >> 2)));
    }
    const step = i % 2 === 0 ? 1 : 4;
    const polygons = cleanPolygon(
      rings.map((ring) =>
        snapped(
          ring.map((value) => value / 128),
          128,
          step,
        ),
      ),
    );
    pairs.push(`${wktOf(polygons)}\t${wktOf(validPolygons(polygons))}`);
  }
  const script = join(import.meta.dirname, 'pmtiles_valid.py');
  const judged = execFileSync('/usr/bin/python3', [script], {
    input: pairs.join('\n'),
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const verdicts = judged
    .trim()
    .split('\n')
    .map(
      (line) => JSON.parse(line) as { wasValid: boolean; isValid: boolean; isEmpty: boolean; moved: number },
    );
  let repaired = 0;
  for (const [i, { wasValid, isValid, isEmpty, moved }] of verdicts.entries()) {
    const [before, after] = pairs[i].split('\t');
    assert.ok(isValid && isEmpty === before.endsWith('EMPTY'), pairs[i]);
    if (wasValid) assert.equal(moved, 0, pairs[i]);
    else {
      repaired++;
      assert.ok(moved < 0.5, pairs[i]);
      assert.notEqual(after, before);
    }
  }
  assert.ok(repaired > 150, `${repaired} were invalid`);
  // Both halves of a ring like an 8 stay.
  const eight = validPolygons([[[0, 0, 10, 10, 10, 0, 0, 10]]]);
  assert.deepEqual(eight, [[[0, 10, 0, 0, 5, 5]], [[10, 10, 5, 5, 10, 0]]]);
});
