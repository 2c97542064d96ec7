/**
 * Layers whose names differ little, or are names that a format makes of others, such as those of parts by kind of geometry, have names of
 * their own in every output with several layers, and all of their features.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { isInputFormat } from '../../packages/formats/src/format.ts';
import { outputFormats } from '../../packages/formats/src/registry.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { readFileLayers } from '../support/read-layers.ts';

const NAMES = [
  'x',
  'X',
  'x_points',
  'X_Lines',
  'x_1',
  'x_points_1',
  'x_1_polygons',
  'x_2',
  'rtree_x_geom',
  ' x',
  'x*',
  'x?',
  'x_',
];
const DIVIDED = ['x', 'X', 'x_1'];
const GEOMETRIES = [
  { type: 'Point', coordinates: [1, 2] },
  { type: 'LineString', arcs: [0] },
  { type: 'Polygon', arcs: [[1]] },
];
const READ: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { gpx: { points: false } };
const ARCS = [
  [
    [1, 2],
    [3, 4],
  ],
  [
    [5, 5],
    [6, 5],
    [6, 6],
    [5, 5],
  ],
];

/** Some layers have all kinds of geometries, and are divided by some formats; the others have only points. */
function geometriesOf(name: string): readonly object[] {
  return DIVIDED.includes(name) ? GEOMETRIES : GEOMETRIES.slice(0, 1);
}

function topology(): string {
  const objects = NAMES.map((name): [string, object] => {
    const geometries = geometriesOf(name).map((geometry) => ({ ...geometry, properties: { of: name } }));
    return [name, { type: 'GeometryCollection', geometries }];
  });
  return JSON.stringify({ type: 'Topology', arcs: ARCS, objects: Object.fromEntries(objects) });
}

const SPLITS = [undefined, { field: 'of', into: 'layers' }] as const;

for (const format of outputFormats.filter(({ outputLayers }) => outputLayers === 'many')) {
  if (!isInputFormat(format)) continue;
  test(`${format.id}: layers have names of their own, also if they are split`, async () => {
    for (const split of format.parts === 'layers' ? SPLITS : [undefined]) {
      using workspace = makeWorkspace();
      const input = join(workspace.path, 'in.topojson');
      writeFileSync(input, topology());
      const options = { from: 'topojson', to: format.id, ...(split === undefined ? {} : { split }) };
      const { outputPath } = await convertFile(input, workspace.path, options);
      const { layers } = await readFileLayers(await format.loadReader(), outputPath, {
        options: READ[format.id] ?? {},
      });
      const names: readonly string[] =
        format.id === 'esrijson' ? esriNames(outputPath) : layers.map(({ source }) => source.name);
      assert.deepEqual(names, [...new Set(names)]);
      assert.equal(layers.length, names.length);
      const count = layers.reduce((sum, { rows }) => sum + rows.length, 0);
      assert.equal(count, NAMES.flatMap(geometriesOf).length);
    }
  });
}

/** As they are in the file: the reader gives a layer another name if one before has it. */
function esriNames(path: string): string[] {
  const { layers } = JSON.parse(readFileSync(path, 'utf8')) as {
    layers: { layerDefinition: { name: string } }[];
  };
  return layers.map(({ layerDefinition }) => layerDefinition.name);
}
