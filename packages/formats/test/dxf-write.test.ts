import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import {
  type Drawing,
  handleFaults,
  parseDrawing,
  type Record0,
  valuesOf,
  xdataOf,
} from '../../../test/support/drawing-tags.ts';
import { batchArbitrary } from '../../../test/support/geometry-arbitrary.ts';
import { readBytesLayers } from '../../../test/support/read-layers.ts';
import { ColumnBuilder } from '../../core/src/columns/attribute-column.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import type { CrsDescription } from '../../core/src/crs/crs.ts';
import { WGS84_DESCRIPTION as wgs84 } from '../../core/src/crs/wgs84.ts';
import { GEOMETRY_TYPE, GeometryBuilder } from '../../core/src/geometry/geometry-column.ts';
import { type Finding, Findings } from '../../core/src/messages/findings.ts';
import { writer } from '../src/dxf/write.ts';
import { writeOptions } from '../src/dxf/write-options.ts';
import { reader as geojsonReader } from '../src/geojson/read.ts';
import { validateOptions } from '../src/options.ts';
import type { OutputLayer } from '../src/writer.ts';

interface Written {
  readonly text: string;
  readonly drawing: Drawing;
  readonly entities: readonly Record0[];
  readonly findings: readonly Finding[];
}

const metric: CrsDescription = {
  ...wgs84,
  name: 'GDA94 / MGA zone 50',
  authority: { name: 'EPSG', code: '28350' },
  kind: 'projected',
  unitName: 'metre',
  unitFactor: 1,
};

async function write(
  batches: readonly FeatureBatch[],
  options: Record<string, unknown> = {},
  layer: Partial<OutputLayer> = {},
): Promise<Written> {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-dxf-'));
  try {
    const findings = new Findings();
    const context = { name: 'out', options: validateOptions(writeOptions, options, 'output'), findings };
    const plain = { name: 'roads', fields: null, statistics: null, crs: metric, coordinatesComputed: false };
    const encodings = writer.plan([{ ...plain, ...layer }], context);
    const path = join(directory, 'out.dxf');
    const sink = writer.createSink(path, structuredClone(encodings), context);
    for (const batch of batches) {
      const chunk = writer.encode(batch, structuredClone(encodings[0]));
      findings.merge(chunk.findings);
      sink.append(0, structuredClone(chunk.data, { transfer: [...chunk.transfer] }));
    }
    assert.deepEqual(readdirSync(directory), ['out.dxf.partial']);
    const file = await sink.finish();
    const bytes = readFileSync(path);
    assert.deepEqual(readdirSync(directory), ['out.dxf']);
    assert.deepEqual(file, { path, byteLength: bytes.length });
    const text = bytes.toString('utf8');
    const drawing = parseDrawing(text);
    return { text, drawing, entities: drawing.records('ENTITIES'), findings: findings.list() };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

type Json = Record<string, unknown>;

async function batchOf(features: readonly { geometry: Json | null; properties?: Json; id?: unknown }[]) {
  const collection = {
    type: 'FeatureCollection',
    features: features.map((feature) => ({ type: 'Feature', properties: {}, ...feature })),
  };
  const { layers } = await readBytesLayers(geojsonReader, JSON.stringify(collection), { name: 'in.geojson' });
  return layers[0].batches[0];
}

async function writeFeatures(
  features: Parameters<typeof batchOf>[0],
  options: Record<string, unknown> = {},
): Promise<Written> {
  return write([await batchOf(features)], options);
}

const point = (...coordinates: number[]): Json => ({ type: 'Point', coordinates });
const square = (x: number, y: number, size: number, z: readonly number[] = []): number[][] => {
  const corners = [
    [x, y],
    [x + size, y],
    [x + size, y + size],
    [x, y + size],
  ].map((corner, i) => (z.length === 0 ? corner : [...corner, z[i]]));
  return [...corners, corners[0]];
};

const typesAndLayers = (entities: readonly Record0[]): string[] =>
  entities
    .filter(({ type }) => type !== 'VERTEX' && type !== 'SEQEND')
    .map((entity) => `${entity.type} ${valuesOf(entity, 8)[0]}`);

const positionsOf = (entity: Record0): string =>
  valuesOf(entity, 10)
    .map((x, i) => `${x} ${valuesOf(entity, 20)[i]}`)
    .join(', ');

test('an empty drawing has all sections, a version, all tables and linked layouts', async () => {
  const { drawing, entities, text } = await write([]);
  assert.deepEqual(drawing.sections, ['HEADER', 'CLASSES', 'TABLES', 'BLOCKS', 'ENTITIES', 'OBJECTS']);
  assert.deepEqual(drawing.header.$ACADVER, ['AC1032']);
  assert.deepEqual(entities, []);
  assert.equal(drawing.records('CLASSES').length, 16);
  const tables = drawing.records('TABLES').filter(({ type }) => type === 'TABLE');
  assert.deepEqual(
    tables.map((table) => valuesOf(table, 2)[0]),
    ['VPORT', 'LTYPE', 'LAYER', 'STYLE', 'VIEW', 'UCS', 'APPID', 'DIMSTYLE', 'BLOCK_RECORD'],
  );
  for (const table of tables) {
    const name = valuesOf(table, 2)[0];
    const count = drawing.records('TABLES').filter(({ type }) => type === name).length;
    assert.deepEqual(valuesOf(table, 70), [String(count)], name);
  }
  assert.equal(drawing.records('OBJECTS')[0].type, 'DICTIONARY');
  const layouts = drawing.records('OBJECTS').filter(({ type }) => type === 'LAYOUT');
  for (const record of drawing.records('TABLES').filter(({ type }) => type === 'BLOCK_RECORD')) {
    const layout = layouts.find((candidate) => valuesOf(candidate, 5)[0] === valuesOf(record, 340)[0]);
    assert.ok(layout !== undefined && valuesOf(layout, 330).at(-1) === valuesOf(record, 5)[0]);
  }
  assert.deepEqual(handleFaults(drawing), []);
  assert.ok(text.endsWith('0\nENDSEC\n0\nEOF\n'));
});

test('writes each geometry type as its entities on its layer', async () => {
  const polygon = [square(0, 0, 10), square(2, 2, 3)];
  const { entities, drawing } = await writeFeatures([
    { geometry: point(1, 2) },
    { geometry: { type: 'MultiPoint', coordinates: [[1, 2], [3, 4]] } }, // biome-ignore format: short
    { geometry: { type: 'LineString', coordinates: [[0, 0], [1.5, 1]] } }, // biome-ignore format: short
    { geometry: { type: 'Polygon', coordinates: polygon } },
    { geometry: { type: 'MultiPolygon', coordinates: [polygon, [square(20, 0, 5)]] } },
  ]);
  assert.deepEqual(typesAndLayers(entities), [
    'POINT point',
    'POINT point',
    'POINT point',
    'LWPOLYLINE polyline',
    'HATCH polygon',
    'LWPOLYLINE polygon',
    'LWPOLYLINE polygon',
    'HATCH polygon',
    'LWPOLYLINE polygon',
    'LWPOLYLINE polygon',
    'HATCH polygon',
    'LWPOLYLINE polygon',
  ]);
  assert.deepEqual(handleFaults(drawing), []);
  const [, , , line, hatch, shell, hole] = entities;
  assert.equal(positionsOf(line), '0.0 0.0, 1.5 1.0');
  assert.deepEqual([valuesOf(line, 90), valuesOf(line, 70)], [['2'], ['0']]);
  assert.equal(positionsOf(shell), '0.0 0.0, 10.0 0.0, 10.0 10.0, 0.0 10.0');
  assert.deepEqual([valuesOf(shell, 90), valuesOf(shell, 70)], [['4'], ['1']]);
  assert.equal(positionsOf(hatch), `0.0 0.0, ${positionsOf(shell)}, ${positionsOf(hole)}`);
  assert.deepEqual([valuesOf(hatch, 91), valuesOf(hatch, 92)], [['2'], ['3', '18']]);
  assert.deepEqual(valuesOf(hatch, 93), ['4', '4']);
});

test('keeps heights: as elevation if they are equal, as a 3D polyline if they vary', async () => {
  const { entities } = await writeFeatures([
    { geometry: point(1, 2, 3) },
    { geometry: { type: 'LineString', coordinates: [[0, 0, 7], [1, 1, 7]] } }, // biome-ignore format: short
    { geometry: { type: 'LineString', coordinates: [[0, 0, 7], [1, 1, 8]] } }, // biome-ignore format: short
    { geometry: { type: 'Polygon', coordinates: [square(0, 0, 4, [1, 2, 3, 2])] } },
    { geometry: { type: 'Polygon', coordinates: [square(0, 0, 4, [5, 5, 5, 5])] } },
  ]);
  const heads = entities.filter(({ type }) => type !== 'VERTEX' && type !== 'SEQEND');
  assert.deepEqual(
    heads.map(({ type }) => type),
    ['POINT', 'LWPOLYLINE', 'POLYLINE', 'HATCH', 'POLYLINE', 'HATCH', 'LWPOLYLINE'],
  );
  assert.deepEqual(valuesOf(heads[0], 30), ['3.0']);
  assert.deepEqual(valuesOf(heads[1], 38), ['7.0']);
  assert.deepEqual(valuesOf(heads[2], 70), ['8']);
  assert.deepEqual(valuesOf(heads[3], 30), ['2.0'], 'a fill is at the mean height of its outline');
  assert.deepEqual(valuesOf(heads[4], 70), ['9']);
  assert.deepEqual(valuesOf(heads[5], 30), ['5.0']);
  const vertices = entities.filter(({ type }) => type === 'VERTEX');
  assert.deepEqual(
    vertices.map((vertex) => valuesOf(vertex, 30)[0]),
    ['7.0', '8.0', '1.0', '2.0', '3.0', '2.0'],
  );
  assert.equal(entities.filter(({ type }) => type === 'SEQEND').length, 2);
});

test('keeps a repeated first position of a ring in the outline, not in the fill', async () => {
  const flat = [[0, 0], [4, 0], [4, 4], [0, 0], [0, 0]]; // biome-ignore format: short
  const spiral = [[0, 0, 1], [4, 0, 1], [4, 4, 1], [0, 0, 9]]; // biome-ignore format: short
  const { entities } = await writeFeatures([
    { geometry: { type: 'Polygon', coordinates: [flat] } },
    { geometry: { type: 'Polygon', coordinates: [spiral] } },
  ]);
  assert.deepEqual([valuesOf(entities[0], 93), valuesOf(entities[1], 90)], [['3'], ['4']]);
  assert.equal(positionsOf(entities[1]), '0.0 0.0, 4.0 0.0, 4.0 4.0, 0.0 0.0');
  assert.deepEqual(valuesOf(entities[2], 93), ['3']);
  const heights = entities.filter(({ type }) => type === 'VERTEX').map((vertex) => valuesOf(vertex, 30)[0]);
  assert.deepEqual(heights.slice(0, 4), ['1.0', '1.0', '1.0', '9.0']);
});

test('writes sloping faces of a multipolygon as 3D faces', async () => {
  const triangle = [[0, 0, 0], [4, 0, 0], [4, 4, 3], [0, 0, 0]]; // biome-ignore format: short
  const wall = [[0, 0, 0], [4, 0, 0], [4, 0, 5], [0, 0, 5], [0, 0, 0]]; // biome-ignore format: short
  const { entities } = await writeFeatures([
    {
      geometry: { type: 'MultiPolygon', coordinates: [[triangle], [wall], [square(0, 0, 4, [0, 0, 0, 0])]] },
    },
    { geometry: { type: 'Polygon', coordinates: [wall] } },
  ]);
  assert.deepEqual(typesAndLayers(entities), [
    '3DFACE multipatch',
    '3DFACE multipatch',
    '3DFACE multipatch',
    'POLYLINE polygon',
  ]);
  assert.deepEqual([12, 22, 32].map((code) => valuesOf(entities[0], code)[0]), ['4.0', '4.0', '3.0']); // biome-ignore format: short
  assert.deepEqual([13, 23, 33].map((code) => valuesOf(entities[0], code)[0]), ['4.0', '4.0', '3.0']); // biome-ignore format: short
  assert.deepEqual(xdataOf(entities[0]), ['1001 GEOMILL', '1000 feature:MultiPolygon Z', '1000 shell']);
  assert.deepEqual(xdataOf(entities[1]), ['1001 GEOMILL', '1000 part', '1000 shell']);
});

test('writes typed and named attributes to the first entity of a feature', async () => {
  const { entities } = await writeFeatures([
    {
      id: 7,
      geometry: { type: 'Polygon', coordinates: [square(0, 0, 4)] },
      properties: { name: 'a^b\nc\x7f', count: 3, height: 2, good: true, none: null, more: { k: [1] } },
    },
    { geometry: point(0, 0), properties: { name: '', none: 'x' } },
  ]);
  assert.deepEqual(xdataOf(entities[0]), [
    '1001 GEOMILL',
    '1000 feature:Polygon',
    '1000 fill',
    '1000 @l:',
    '1000 7',
    '1000 s:name',
    '1000 a^ b^Jc\\U+007F',
    '1000 i:count',
    '1071 3',
    '1000 i:height',
    '1071 2',
    '1000 b:good',
    '1070 1',
    '1000 s0:none',
    '1000 j:more',
    '1000 {"k":[1]}',
  ]);
  assert.deepEqual(xdataOf(entities[1]), ['1001 GEOMILL', '1000 part', '1000 shell']);
  assert.deepEqual(xdataOf(entities[2]).slice(0, 5), [
    '1001 GEOMILL',
    '1000 feature:Point',
    '1000 point',
    '1000 s:name',
    '1000 ',
  ]);
});

test('marks members of a collection that are one multi geometry', async () => {
  const { entities, findings } = await writeFeatures([
    {
      geometry: {
        type: 'GeometryCollection',
        geometries: [
          point(1, 1),
          { type: 'MultiPolygon', coordinates: [[square(0, 0, 1)], [square(5, 5, 1)]] },
          { type: 'MultiPoint', coordinates: [] },
          { type: 'MultiLineString', coordinates: [[[0, 0], [1, 1]]] }, // biome-ignore format: short
        ],
      },
    },
  ]);
  assert.deepEqual(
    entities.map((entity) => xdataOf(entity).slice(1).join(' ')),
    [
      '1000 feature:GeometryCollection 1000 point',
      '1000 part 1000 first fill',
      '1000 part 1000 first shell',
      '1000 part 1000 next fill',
      '1000 part 1000 next shell',
      '1000 part 1000 first line',
    ],
  );
  assert.deepEqual(findings.map(({ code, count }) => [code, count]), [['EMPTY_MEMBER_DROPPED', 1]]); // biome-ignore format: short
});

test('splits long texts between characters and codes, and binary values every 127 bytes', async () => {
  const text = `${'x'.repeat(254)}é${'^'.repeat(200)}${'\\U+0041'.repeat(60)}`;
  const bytes = new Uint8Array(300).fill(0xab);
  const batch = await batchOf([{ geometry: point(0, 0), properties: { text } }]);
  const binary = new ColumnBuilder('binary');
  binary.appendBytes(bytes, 0, bytes.length);
  const { entities } = await write([
    {
      ...batch,
      fields: [...batch.fields, { name: 'blob', type: 'binary' }],
      columns: [...batch.columns, binary.finish()],
    },
  ]);
  const xdata = entities[0].tags.slice(entities[0].tags.findIndex(({ code }) => code === 1001) + 3);
  const count = Number(/^s(\d+):text$/.exec(xdata[0].value)?.[1]);
  const pieces = xdata.slice(1, 1 + count).map(({ value }) => value);
  for (const piece of pieces) {
    assert.ok(Buffer.byteLength(piece) <= 255);
    assert.doesNotMatch(piece, /\^$|\\U\+?[0-9]{0,3}$/);
  }
  const decoded = pieces
    .join('')
    .replaceAll('\\U+005C', '\\')
    .replace(/\^(.)/g, (_, letter: string) =>
      letter === ' ' ? '^' : String.fromCharCode(letter.charCodeAt(0) - 64),
    );
  assert.equal(decoded, text);
  const blob = xdata.slice(1 + count).map(({ code, value }) => `${code} ${value}`);
  assert.equal(blob[0], '1000 x3:blob');
  assert.deepEqual(
    blob.slice(1).map((piece) => piece.length - 5),
    [254, 254, 92],
  );
});

test('drops and counts an attribute that would exceed the limit of XDATA and keeps the others', async () => {
  const { entities, findings } = await writeFeatures([
    { geometry: point(0, 0), properties: { big: 'y'.repeat(20_000), small: 1 } },
    { geometry: point(1, 0), properties: { big: '^'.repeat(9_000), small: 2 } },
  ]);
  for (const [i, entity] of entities.entries())
    assert.deepEqual(xdataOf(entity).slice(3), ['1000 i:small', `1071 ${i + 1}`]);
  assert.deepEqual(findings.map(({ code, count }) => [code, count]), [['VALUES_TOO_LONG', 2]]); // biome-ignore format: short
});

test('writes a point with a text as TEXT, or as MTEXT if the text has several lines or is long', async () => {
  const { entities } = await writeFeatures([
    { geometry: point(1, 2, 3), properties: { Text: 'Main St %%d', TextHeight: 4, TextRotation: 30 } },
    { geometry: point(1, 2), properties: { Text: 'a{b}\\c\nd' } },
    { geometry: point(1, 2), properties: { Text: 'lörem '.repeat(100) } },
    { geometry: point(1, 2), properties: { Text: ' ' } },
    { geometry: { type: 'LineString', coordinates: [[0, 0], [1, 1]] }, properties: { Text: 'no' } }, // biome-ignore format: short
  ]);
  assert.deepEqual(typesAndLayers(entities), [
    'TEXT annotation',
    'MTEXT annotation',
    'MTEXT annotation',
    'POINT point',
    'LWPOLYLINE polyline',
  ]);
  const [text, lines, long] = entities;
  assert.deepEqual(
    [1, 40, 50, 30].map((code) => valuesOf(text, code)[0]),
    ['Main St %%%%%%d', '4.0', '30.0', '3.0'],
  );
  assert.deepEqual(valuesOf(lines, 1), ['a\\{b\\}\\\\c\\Pd']);
  assert.deepEqual(valuesOf(lines, 40), ['2.5']);
  assert.deepEqual([...valuesOf(long, 3), ...valuesOf(long, 1)].join(''), 'lörem '.repeat(100));
  assert.equal(xdataOf(text)[2], '1000 text');
});

test('takes layers from a field on request, with valid names, in any number', async () => {
  const batch = (from: number, to: number) =>
    batchOf(
      Array.from({ length: to - from }, (_, i) => ({
        geometry: point(i, 0),
        properties: { kind: i === 0 ? 'A/b' : i === 1 ? 'a_B' : i === 2 ? null : `layer ${from + i}` },
      })),
    );
  const batches = [await batch(0, 400), await batch(400, 900)];
  const { drawing, entities, findings } = await write(batches, { layer_field: 'kind' });
  const layers = drawing
    .records('TABLES')
    .filter(({ type }) => type === 'LAYER')
    .map((layer) => valuesOf(layer, 2)[0]);
  assert.equal(layers.length, 6 + 1 + 397 + 497);
  assert.equal(new Set(layers.map((name) => name.toLowerCase())).size, layers.length);
  assert.deepEqual(
    [0, 1, 2, 3, 400, 899].map((i) => valuesOf(entities[i], 8)[0]),
    ['A_b', 'A_b', 'point', 'layer 3', 'A_b', 'layer 899'],
  );
  for (const entity of entities) assert.ok(layers.includes(valuesOf(entity, 8)[0]));
  assert.deepEqual(handleFaults(drawing), []);
  assert.deepEqual(findings.map(({ code, params, count }) => [code, params.to, count]), [['LAYER_RENAMED', 'A_b', 2]]); // biome-ignore format: short
});

test('rejects a field with more layers than a drawing can count', async () => {
  const batch = await batchOf(
    Array.from({ length: 32_800 }, (_, i) => ({ geometry: point(0, 0), properties: { id: `n${i}` } })),
  );
  await assert.rejects(write([batch], { layer_field: 'id' }), { code: 'DXF_TOO_MANY_LAYERS' });
});

test('takes colours from a field on request and counts invalid ones', async () => {
  const { entities, findings } = await writeFeatures(
    [
      { geometry: point(0, 0), properties: { color: '#ff8000' } },
      { geometry: point(0, 0), properties: { color: '#0f0' } },
      { geometry: point(0, 0), properties: { color: '5' } },
      { geometry: point(0, 0), properties: { color: null } },
      { geometry: point(0, 0), properties: { color: 'pink' } },
    ],
    { color_field: 'color' },
  );
  assert.deepEqual(
    entities.map((entity) => [...valuesOf(entity, 420), ...valuesOf(entity, 62)]),
    [[String(0xff8000)], [String(0x00ff00)], ['5'], [], []],
  );
  assert.deepEqual(findings.map(({ code, count }) => [code, count]), [['COLOR_NOT_DRAWN', 1]]); // biome-ignore format: short
});

test('reports that no feature has the field requested for layers or colours', async () => {
  const { findings } = await writeFeatures([{ geometry: point(0, 0), properties: { kind: 'a' } }], {
    layer_field: 'kinds',
    color_field: 'kind',
  });
  assert.deepEqual(
    findings.map(({ message }) => message),
    [
      "features whose field 'kind' has no DXF colour (#rrggbb, or an index from 0 to 256) are drawn in the colour of their layer; the values are kept",
      "no feature has the field 'kinds' that 'output.layer_field' names",
    ],
  );
});

test('omits hatches and attributes on request', async () => {
  const features = [{ geometry: { type: 'Polygon', coordinates: [square(0, 0, 4)] }, properties: { a: 1 } }];
  const outlines = await writeFeatures(features, { hatch: false });
  assert.deepEqual(typesAndLayers(outlines.entities), ['LWPOLYLINE polygon']);
  assert.deepEqual(xdataOf(outlines.entities[0]).slice(1), [
    '1000 feature:Polygon',
    '1000 shell',
    '1000 i:a',
    '1071 1',
  ]);
  const plain = await writeFeatures(features, { attributes: false });
  assert.doesNotMatch(plain.text, /1001/);
});

test('writes unit, extent, CRS and the first free handle to the head', async () => {
  const batch = await batchOf([{ geometry: point(-3, 4, 9) }, { geometry: point(5, -6) }]);
  const { drawing } = await write([batch]);
  assert.deepEqual(drawing.header.$INSUNITS, ['6']);
  assert.deepEqual(drawing.header.$EXTMIN, ['-3.0', '-6.0', '9.0']);
  assert.deepEqual(drawing.header.$EXTMAX, ['5.0', '4.0', '9.0']);
  assert.deepEqual(drawing.header.$HANDSEED, ['10000002']);
  assert.match(drawing.comments.join(' '), /GDA94 \/ MGA zone 50 \(EPSG:28350\).*WKT2: /);
  const foot = { ...metric, unitFactor: 0.3048 };
  assert.deepEqual((await write([], {}, { crs: foot })).drawing.header.$INSUNITS, ['2']);
  const surveyFoot = { ...metric, unitFactor: 0.30480060960121924 };
  const survey = (await write([], {}, { crs: surveyFoot })).drawing.header;
  assert.deepEqual([survey.$INSUNITS, survey.$MEASUREMENT], [['21'], ['0']]);
  assert.deepEqual((await write([], {}, { crs: wgs84 })).drawing.header.$INSUNITS, ['0']);
});

test('counts features that cannot be drawn as dropped; drops and reports measures', async () => {
  const builder = new GeometryBuilder('XYM');
  builder.position(1, 2, Number.NaN, 5);
  builder.endRing();
  builder.endPart(1);
  builder.endFeature(GEOMETRY_TYPE.point);
  builder.endFeature(GEOMETRY_TYPE.none);
  builder.endFeature(GEOMETRY_TYPE.multiPolygon);
  const { entities, findings } = await write([
    { rowCount: 3, geometry: builder.finish(), fields: [], columns: [], ids: null },
  ]);
  assert.equal(entities.length, 1);
  assert.deepEqual(valuesOf(entities[0], 30), ['0.0']);
  assert.deepEqual(
    findings.map(({ code, count, places }) => [code, count, places.map(({ record }) => record)]),
    [
      ['GEOMETRY_NOT_DRAWN', 2, [2, 3]],
      ['M_DROPPED', 1, [1]],
    ],
  );
});

test('throws an error that names the feature of a coordinate that is not finite', async () => {
  const builder = new GeometryBuilder('XY');
  for (const x of [1, Number.POSITIVE_INFINITY]) {
    builder.position(x, 2);
    builder.endRing();
    builder.endPart(1);
    builder.endFeature(GEOMETRY_TYPE.point);
  }
  const batch = { rowCount: 2, geometry: builder.finish(), fields: [], columns: [], ids: null };
  await assert.rejects(write([batch]), /feature 2: a coordinate is Infinity, which DXF cannot store/);
});

test('limits digits on request and for computed coordinates', async () => {
  const batch = await batchOf([{ geometry: point(123456.12345678912, 0.1 + 0.2) }]);
  assert.equal(positionsOf((await write([batch])).entities[0]), '123456.12345678912 0.30000000000000004');
  const computed = await write([batch], {}, { coordinatesComputed: true });
  assert.equal(positionsOf(computed.entities[0]), '123456.123456789 0.3');
  assert.equal(positionsOf((await write([batch], { precision: 7 })).entities[0]), '123456.1 0.3');
});

test('writes any batch with valid handles and with reals in the form of reals', async () => {
  await fc.assert(
    fc.asyncProperty(batchArbitrary, batchArbitrary, async (first, second) => {
      const { drawing, entities } = await write([first, second]);
      assert.deepEqual(handleFaults(drawing), []);
      let features = 0;
      for (const entity of entities) {
        for (const { code, value } of entity.tags) {
          if ((code >= 10 && code <= 59) || code === 1040)
            assert.match(value, /^-?\d+(\.\d+)?(e[+-]?\d+)?$/, `${code}`);
          if (code < 60 && code >= 10) assert.match(value, /[.e]/);
          if (code >= 1000 && code <= 1004) assert.ok(Buffer.byteLength(value) <= 255);
        }
        if (entity.type === 'LWPOLYLINE')
          assert.equal(valuesOf(entity, 90)[0], String(valuesOf(entity, 10).length));
        if (xdataOf(entity)[1]?.startsWith('1000 feature:')) features++;
      }
      const drawn = [first, second].flatMap(({ geometry: { types, partOffsets, ringOffsets } }) =>
        [...types].filter((_, row) => ringOffsets[partOffsets[row]] < ringOffsets[partOffsets[row + 1]]),
      );
      assert.equal(features, drawn.length);
    }),
    { numRuns: 60 },
  );
});
