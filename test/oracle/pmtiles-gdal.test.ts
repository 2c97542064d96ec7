/** GDAL's reader of vector tiles finds in them the features of the source, with their values and where they are. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test from 'node:test';
import { datasetPath } from '../../bench/data.ts';
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
