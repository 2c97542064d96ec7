/** JSON-FG that is written: what the standard requires of a document, and that reading it gives the same features. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { type ReadInput, readBytesLayers } from '../../../test/support/read-layers.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import type { CrsDescription } from '../../core/src/crs/crs.ts';
import { WGS84_DESCRIPTION as wgs84 } from '../../core/src/crs/wgs84.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { geojson } from '../src/geojson/format.ts';
import { reader } from '../src/geojson/read.ts';
import { writer } from '../src/geojson/write.ts';
import { validateOptions } from '../src/options.ts';

const EAST_FIRST = '{"coordinate_system":{"axis":[{"direction":"east"},{"direction":"north"}]}}';
const utm: CrsDescription = {
  ...wgs84,
  definition: 'EPSG:25832',
  name: 'ETRS89 / UTM zone 32N',
  authority: { name: 'EPSG', code: '25832' },
  kind: 'projected',
  projjson: EAST_FIRST,
};
const etrs89: CrsDescription = {
  ...wgs84,
  definition: 'EPSG:4258',
  name: 'ETRS89',
  authority: { name: 'EPSG', code: '4258' },
};
const own: CrsDescription = { ...utm, definition: '{}', name: 'own', authority: null };

async function describeCrs(definition: string): Promise<CrsDescription> {
  return definition === 'EPSG:4258' ? etrs89 : { ...utm, definition };
}

interface Layer {
  readonly name: string;
  readonly crs: CrsDescription;
  /** Features of GeoJSON; their positions are in the CRS, x first. */
  readonly features: readonly string[];
}

interface Written {
  readonly text: string;
  readonly codes: readonly string[];
}

async function batchesOf(features: readonly string[]): Promise<readonly FeatureBatch[]> {
  const text = `{"type":"FeatureCollection","features":[${features.join(',')}]}`;
  return (await readBytesLayers(reader, text, { name: 'a.json' })).layers[0].batches;
}

async function write(layers: readonly Layer[], options: Record<string, unknown> = {}): Promise<Written> {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-fg-'));
  try {
    const findings = new Findings();
    const all = { geojson_crs: 'jsonfg', ...options };
    const context = { name: 'out', options: validateOptions(geojson.writeOptions, all, 'output'), findings };
    const plain = { fields: null, statistics: null, coordinatesComputed: false };
    const encodings = writer.plan(
      layers.map(({ name, crs }) => ({ ...plain, name, crs })),
      context,
    );
    const path = join(directory, 'out.fgjson');
    const sink = writer.createSink(path, encodings, context);
    for (const [i, { features }] of layers.entries())
      for (const batch of await batchesOf(features)) {
        const chunk = writer.encode(batch, encodings[i]);
        findings.merge(chunk.findings);
        sink.append(i, chunk.data);
      }
    await sink.finish();
    return { text: readFileSync(path, 'utf8'), codes: findings.list().map(({ code }) => code) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const read = (text: string): Promise<ReadInput> =>
  readBytesLayers(reader, text, { name: 'input.fgjson', describeCrs });

const feature = (geometry: string, properties = '{}', more = ''): string =>
  `{"type":"Feature"${more},"geometry":${geometry},"properties":${properties}}`;
const POINT = '{"type":"Point","coordinates":[500000,5500000]}';
const CLASSES = ['core', 'types-schemas', 'measures'].map(
  (name) => `http://www.opengis.net/spec/json-fg-1/1.0/conf/${name}`,
);

test('a document in another CRS has its geometries in place', async () => {
  const { text, codes } = await write([
    { name: 'roads', crs: utm, features: [feature(POINT, '{"n":1}', ',"id":7'), feature('null')] },
  ]);
  assert.deepEqual(JSON.parse(text), {
    type: 'FeatureCollection',
    conformsTo: CLASSES,
    featureType: 'roads',
    coordRefSys: 'http://www.opengis.net/def/crs/EPSG/0/25832',
    features: [
      {
        type: 'Feature',
        id: 7,
        time: null,
        place: { type: 'Point', coordinates: [500000, 5500000] },
        geometry: null,
        properties: { n: 1 },
      },
      { type: 'Feature', time: null, place: null, geometry: null, properties: { n: null } },
    ],
  });
  assert.deepEqual(codes, []);
});

test('a document in WGS 84 has its geometries in geometry, as the standard requires', async () => {
  const { text } = await write([
    { name: 'a', crs: wgs84, features: [feature('{"type":"Point","coordinates":[9,48]}')] },
  ]);
  const { coordRefSys, features } = JSON.parse(text);
  assert.equal(coordRefSys, undefined);
  assert.deepEqual(features[0].geometry, { type: 'Point', coordinates: [9, 48] });
  assert.equal(features[0].place, null);
});

test('positions are written in the order of the axes, and shells stay counter-clockwise on the map', async () => {
  const square = '{"type":"Polygon","coordinates":[[[8,50,1],[9,50,1],[9,51,1],[8,50,1]]]}';
  const { text } = await write([{ name: 'a', crs: etrs89, features: [feature(square)] }]);
  assert.deepEqual(JSON.parse(text).features[0].place.coordinates, [
    [
      [50, 8, 1],
      [50, 9, 1],
      [51, 9, 1],
      [50, 8, 1],
    ],
  ]);
});

const values: Readonly<Record<string, readonly [properties: string, time: unknown, rest: unknown]>> = {
  'a date': ['{"a":1,"time":"2024-01-02"}', { date: '2024-01-02' }, { a: 1 }],
  'a timestamp': ['{"time":"2024-01-02T03:04:05Z","a":1}', { timestamp: '2024-01-02T03:04:05Z' }, { a: 1 }],
  'a timestamp with a zone': [
    '{"time":"2024-01-02T03:04:05.25+02:00"}',
    { timestamp: '2024-01-02T01:04:05.250Z' },
    {},
  ],
  'a timestamp without a zone': ['{"time":"2024-01-02T03:04:05"}', null, { time: '2024-01-02T03:04:05' }],
  'an interval': [
    '{"time_start":"2024-01-02","time_end":"2024-01-03"}',
    { interval: ['2024-01-02', '2024-01-03'] },
    {},
  ],
  'half of an interval': ['{"time_start":"2024-01-02"}', null, { time_start: '2024-01-02' }],
  'a date and a timestamp': [
    '{"time_start":"2024-01-02","time_end":"2024-01-02T03:04:05Z"}',
    null,
    { time_start: '2024-01-02', time_end: '2024-01-02T03:04:05Z' },
  ],
  'a time beside a property of that name': [
    '{"time":"noon","jsonfg_time":"2024-01-02"}',
    { date: '2024-01-02' },
    { time: 'noon' },
  ],
  'a field of another type': ['{"time":7}', null, { time: 7 }],
};
for (const [name, [properties, time, rest]] of Object.entries(values))
  test(`time is written from the fields that reading makes of it: ${name}`, async () => {
    const { text } = await write([{ name: 'a', crs: utm, features: [feature(POINT, properties)] }]);
    const [first] = JSON.parse(text).features;
    assert.deepEqual([first.time, first.properties], [time, rest]);
    const { layers } = await read(text);
    assert.deepEqual(
      Object.keys(layers[0].rows[0].properties).sort(),
      Object.keys(JSON.parse(properties)).sort(),
    );
  });

test('an open interval is written with two dots, and one without ends not at all', async () => {
  const features = [
    feature(POINT, '{"time_start":"2024-01-02","time_end":"2024-01-03"}'),
    feature(POINT, '{"time_start":"2024-01-02"}'),
    feature(POINT),
  ];
  const { text } = await write([{ name: 'a', crs: utm, features }]);
  assert.deepEqual(
    JSON.parse(text).features.map(({ time }: { time: unknown }) => time),
    [{ interval: ['2024-01-02', '2024-01-03'] }, { interval: ['2024-01-02', '..'] }, null],
  );
});

test('layers keep their names and features in one document', async () => {
  const layers = [
    { name: 'roads', crs: utm, features: [feature(POINT, '{"a":1}')] },
    { name: 'lakes "x"', crs: utm, features: [feature(POINT, '{"b":"2"}')] },
  ];
  const { text } = await write(layers);
  assert.equal(JSON.parse(text).featureType, undefined);
  const found = await read(text);
  assert.deepEqual(
    found.layers.map(({ source, rows }) => [source.name, source.crs, rows[0].properties]),
    [
      ['roads', 'EPSG:25832', { a: 1 }],
      ['lakes "x"', 'EPSG:25832', { b: '2' }],
    ],
  );
});

test('each feature of a sequence is a document', async () => {
  for (const sequence of ['lines', 'rs']) {
    const { text, codes } = await write(
      [{ name: 'a', crs: utm, features: [feature(POINT), feature(POINT)] }],
      { sequence },
    );
    for (const line of text.trim().split('\n')) {
      const { conformsTo, coordRefSys, featureType } = JSON.parse(line.replace('\x1e', ''));
      assert.deepEqual([conformsTo, featureType], [CLASSES, 'a']);
      assert.equal(coordRefSys, 'http://www.opengis.net/def/crs/EPSG/0/25832');
    }
    assert.deepEqual(codes, []);
    const { layers } = await read(text);
    assert.deepEqual(
      layers.map(({ source, rows }) => [source.name, source.crs, rows.length]),
      [['a', 'EPSG:25832', 2]],
    );
  }
});

test('M is written in place, in any CRS', async () => {
  const text = `{"conformsTo":["json-fg"],"type":"LineString","measures":{"enabled":true},"coordRefSys":"[EPSG:25832]","coordinates":[[1,2,3],[4,5,6]]}`;
  const [batch] = (await read(text)).layers[0].batches;
  for (const crs of [utm, wgs84, etrs89]) {
    const findings = new Findings();
    const context = { name: 'out', options: { geojson_crs: 'jsonfg' }, findings };
    const plain = { fields: null, statistics: null, coordinatesComputed: false };
    const [encoding] = writer.plan([{ ...plain, name: 'a', crs }], context);
    const chunk = writer.encode(batch, encoding);
    const { measures, place, geometry } = JSON.parse(
      Buffer.from((chunk.data as { bytes: Uint8Array }).bytes).toString(),
    );
    const [first, second] = crs === etrs89 ? [2, 1] : [1, 2];
    assert.deepEqual([measures, geometry, chunk.findings], [{ enabled: true }, null, []]);
    assert.deepEqual(place.coordinates[0], [first, second, 3]);
  }
});

test('a CRS without a code is written in full', async () => {
  const { text, codes } = await write([{ name: 'a', crs: own, features: [feature(POINT)] }]);
  assert.deepEqual(JSON.parse(text).coordRefSys, { type: 'PROJJSON', value: JSON.parse(EAST_FIRST) });
  assert.deepEqual(codes, []);
});

test('a CRS that has no form is reported, and is not taken for WGS 84 when it is read', async () => {
  const crs = { ...own, projjson: null };
  const { text, codes } = await write([{ name: 'a', crs, features: [feature(POINT)] }]);
  assert.deepEqual(codes, ['CRS_NOT_WRITTEN']);
  assert.equal((await read(text)).layers[0].source.crs, null);
});

test('a bounding box is written in WGS 84 only, which is reported', async () => {
  const one = [feature('{"type":"Point","coordinates":[9,48]}')];
  const inDegrees = await write([{ name: 'a', crs: wgs84, features: one }], { bbox: true });
  assert.deepEqual(JSON.parse(inDegrees.text).bbox, [9, 48, 9, 48]);
  const { text, codes } = await write([{ name: 'a', crs: utm, features: one }], { bbox: true });
  assert.equal(JSON.parse(text).bbox, undefined);
  assert.deepEqual(codes, ['JSONFG_BBOX_NOT_WRITTEN']);
});

test('a document without features keeps its type and CRS', async () => {
  const { text } = await write([{ name: 'a', crs: utm, features: [] }]);
  const { layers } = await read(text);
  assert.deepEqual(
    layers.map(({ source, rows }) => [source.name, source.crs, rows.length]),
    [['a', 'EPSG:25832', 0]],
  );
});

test('all types of geometry are the same after writing and reading', async () => {
  const geometries = [
    '{"type":"MultiPoint","coordinates":[[1,2],[3,4]]}',
    '{"type":"LineString","coordinates":[[1,2],[3,4]]}',
    '{"type":"MultiLineString","coordinates":[[[1,2],[3,4]],[[5,6],[7,8]]]}',
    '{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9],[0,0]]]}',
    '{"type":"MultiPolygon","coordinates":[[[[0,0,1],[9,0,2],[9,9,3],[0,0,1]]]]}',
    '{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},{"type":"MultiPoint","coordinates":[[1,2],[3,4]]}]}',
  ];
  const [before] = (
    await read(`{"type":"FeatureCollection","features":[${geometries.map((g) => feature(g)).join(',')}]}`)
  ).layers;
  for (const crs of [utm, etrs89]) {
    const { text } = await write([{ name: 'a', crs, features: geometries.map((g) => feature(g)) }]);
    const [after] = (await read(text)).layers;
    assert.deepEqual(
      after.rows.map(({ geometry }) => geometry),
      before.rows.map(({ geometry }) => geometry),
    );
  }
});
