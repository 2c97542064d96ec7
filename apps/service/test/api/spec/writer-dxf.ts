/** Specification, "Writers: format rules", row dxf. The drawing is judged by its tags, and by GDAL. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { type Drawing, parseDrawing, valuesOf } from '../../../../../test/support/drawing-tags.ts';
import { sharedServer } from '../../../../../test/support/server-process.ts';
import { type Converted, convert } from '../../../../../test/support/spec/client.ts';
import {
  feature,
  type GeojsonFeature,
  geojsonFile,
  MIXED,
  point,
  square,
} from '../../../../../test/support/spec/inputs.ts';
import { noGdal, ogrinfo } from '../../../../../test/support/spec/outputs.ts';

const server = await sharedServer();

function write(...features: readonly GeojsonFeature[]): Promise<Converted> {
  const config = { input: { format: 'geojson' }, output: { format: 'dxf', epsg: 4326 } };
  return convert(server, config, geojsonFile(...features));
}

async function draw(...features: readonly GeojsonFeature[]): Promise<Drawing> {
  return parseDrawing((await write(...features)).text);
}

/** "TYPE on layer" of each entity. */
function entitiesOf(drawing: Drawing): string[] {
  return drawing.records('ENTITIES').map((record) => `${record.type} on ${valuesOf(record, 8)[0]}`);
}

const holed = feature('Polygon', [
  [
    [0, 0],
    [9, 0],
    [9, 9],
    [0, 9],
    [0, 0],
  ],
  [
    [3, 3],
    [3, 6],
    [6, 6],
    [6, 3],
    [3, 3],
  ],
]);

test('Writers | dxf | a single DXF file', async () => {
  const { fileName, mediaType, text } = await write(...MIXED);
  assert.deepEqual([fileName, mediaType], ['roads.dxf', 'image/vnd.dxf']);
  assert.match(text, /\n? *0\r?\nEOF\r?\n$/);
});

test('Writers | dxf | version R2018', async () => {
  assert.deepEqual((await draw(...MIXED)).header.$ACADVER, ['AC1032']);
});

test('Writers | dxf | layers annotation, point, polyline, polygon, multipatch', async () => {
  const drawing = await draw(...MIXED);
  const layers = drawing
    .records('TABLES')
    .filter(({ type }) => type === 'LAYER')
    .map((record) => valuesOf(record, 2)[0]);
  for (const layer of ['annotation', 'point', 'polyline', 'polygon', 'multipatch'])
    assert.ok(layers.includes(layer), layer);
});

test('Writers | dxf | Point to POINT', async () => {
  const drawing = await draw(point(9, 50));
  assert.deepEqual(entitiesOf(drawing), ['POINT on point']);
  const [record] = drawing.records('ENTITIES');
  assert.deepEqual([valuesOf(record, 10), valuesOf(record, 20)].flat().map(Number), [9, 50]);
});

test('Writers | dxf | LineString to LWPOLYLINE', async () => {
  const drawing = await draw(
    feature('LineString', [
      [1, 2],
      [3, 4],
      [5, 2],
    ]),
  );
  assert.deepEqual(entitiesOf(drawing), ['LWPOLYLINE on polyline']);
  const [record] = drawing.records('ENTITIES');
  assert.deepEqual(valuesOf(record, 10).map(Number), [1, 3, 5]);
  assert.equal(Number(valuesOf(record, 70)[0] ?? 0) & 1, 0, 'it is not closed');
});

test('Writers | dxf | Polygon to a closed LWPOLYLINE plus a solid HATCH', async () => {
  const drawing = await draw(square(0, 0, 1));
  assert.deepEqual(entitiesOf(drawing).sort(), ['HATCH on polygon', 'LWPOLYLINE on polygon']);
  const records = drawing.records('ENTITIES');
  const hatch = records.find(({ type }) => type === 'HATCH')!;
  const outline = records.find(({ type }) => type === 'LWPOLYLINE')!;
  assert.deepEqual([valuesOf(hatch, 2)[0], valuesOf(hatch, 70)[0].trim()], ['SOLID', '1']);
  assert.equal(Number(valuesOf(outline, 70)[0]) & 1, 1, 'it is closed');
});

test('Writers | dxf | holes are loops of the HATCH with separate outlines', async () => {
  const drawing = await draw(holed);
  const entities = entitiesOf(drawing);
  assert.equal(entities.filter((entity) => entity === 'LWPOLYLINE on polygon').length, 2);
  const hatch = drawing.records('ENTITIES').find(({ type }) => type === 'HATCH')!;
  assert.equal(Number(valuesOf(hatch, 91)[0]), 2, 'boundary paths');
});

test('Writers | dxf | MultiPolygon with each part written as a polygon', async () => {
  const parts = [square(0, 0, 1), square(5, 5, 1)].map(({ geometry }) => geometry?.coordinates);
  const entities = entitiesOf(await draw(feature('MultiPolygon', parts)));
  assert.deepEqual(entities.sort(), [
    'HATCH on polygon',
    'HATCH on polygon',
    'LWPOLYLINE on polygon',
    'LWPOLYLINE on polygon',
  ]);
});

test('Writers | dxf | texts are on layer annotation', async () => {
  assert.deepEqual(entitiesOf(await draw(point(9, 50, { Text: 'Südkai', TextHeight: 2 }))), [
    'TEXT on annotation',
  ]);
});

test('Writers | dxf | surfaces are on layer multipatch', async () => {
  const faces = [
    [
      [
        [0, 0, 0],
        [1, 0, 1],
        [0, 1, 2],
        [0, 0, 0],
      ],
    ],
    [
      [
        [1, 0, 1],
        [1, 1, 3],
        [0, 1, 2],
        [1, 0, 1],
      ],
    ],
  ];
  assert.deepEqual(entitiesOf(await draw(feature('MultiPolygon', faces))), [
    '3DFACE on multipatch',
    '3DFACE on multipatch',
  ]);
});

test('Writers | dxf | GDAL reads every entity', { skip: noGdal }, async () => {
  const text = ogrinfo((await write(...MIXED, holed)).bytes, 'roads.dxf');
  assert.match(text, /Feature Count: 7\n/);
  assert.match(text, /Layer \(String\) = polygon/);
});
