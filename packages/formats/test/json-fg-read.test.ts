/** JSON-FG (OGC 21-045r1) as layers: where the CRS is stated, in which order the axes are, and what becomes a layer or a field. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { type ReadInput, readBytesLayers } from '../../../test/support/read-layers.ts';
import type { CrsDescription } from '../../core/src/crs/crs.ts';
import { WGS84_DESCRIPTION } from '../../core/src/crs/wgs84.ts';
import { reader } from '../src/geojson/read.ts';

const CONFORMS = '"conformsTo":["http://www.opengis.net/spec/json-fg-1/1.0/conf/core"]';
const URI = 'http://www.opengis.net/def/crs';
const UTM = `${URI}/EPSG/0/25832`;

/** Systems whose first axis is north, as PROJ describes them; of others the first axis is east. */
const NORTH_FIRST = /^EPSG:(4326|4258|4979|31467)\b/;
const EAST_FIRST = '{"coordinate_system":{"axis":[{"direction":"east"},{"direction":"north"}]}}';
async function describeCrs(definition: string): Promise<CrsDescription> {
  const { projjson } = WGS84_DESCRIPTION;
  return { ...WGS84_DESCRIPTION, definition, projjson: NORTH_FIRST.test(definition) ? projjson : EAST_FIRST };
}

async function read(text: string, partitionBytes?: number): Promise<ReadInput> {
  return readBytesLayers(reader, text, { name: 'input.json', partitionBytes, describeCrs });
}

const point = (x: number, y: number, more = ''): string =>
  `{"type":"Point"${more},"coordinates":[${x},${y}]}`;
const feature = (members: string, properties = '{"n":1}'): string =>
  `{"type":"Feature",${members},"properties":${properties}}`;
const collection = (members: string, ...features: readonly string[]): string =>
  `{"type":"FeatureCollection",${members},"features":[${features.join(',\n')}]}`;
const placed = (place: string, more = ''): string => feature(`"geometry":null,"place":${place}${more}`);

/** Name, CRS and geometries of each layer. */
async function layersOf(text: string, partitionBytes?: number): Promise<unknown[]> {
  const { layers } = await read(text, partitionBytes);
  return layers.map(({ source, rows }) => [source.name, source.crs, rows.map(({ geometry }) => geometry)]);
}

const AT_32 = 'POINT (500000 5500000)';
const references: Readonly<Record<string, readonly [json: string, crs: string]>> = {
  'a URI': [`"${UTM}"`, 'EPSG:25832'],
  'a URI with https': [`"${UTM.replace('http:', 'https:')}"`, 'EPSG:25832'],
  'a URI with a version': [`"${URI}/EPSG/10.1/25832"`, 'EPSG:25832'],
  'a safe CURIE': ['"[EPSG:25832]"', 'EPSG:25832'],
  'a URN': ['"urn:ogc:def:crs:EPSG::25832"', 'EPSG:25832'],
  'a reference': [`{"type":"Reference","href":"${UTM}"}`, 'EPSG:25832'],
  'a reference with an epoch': [`{"type":"Reference","href":"${UTM}","epoch":2016.47}`, 'EPSG:25832'],
  'a compound array': [`["${UTM}","${URI}/EPSG/0/7837"]`, 'EPSG:25832+EPSG:7837'],
  'a compound array of references': [
    `[{"type":"Reference","href":"${UTM}"},"[EPSG:7837]"]`,
    'EPSG:25832+EPSG:7837',
  ],
  'a compound URI': [
    `"http://www.opengis.net/def/crs-compound?1=${UTM}&2=${URI}/EPSG/0/7837"`,
    'EPSG:25832+EPSG:7837',
  ],
  'a system of the Moon': [`"${URI}/IAU/2015/30110"`, 'IAU_2015:30110'],
  PROJJSON: [
    '{"type":"PROJJSON","value":{"type":"ProjectedCRS","name":"own"}}',
    '{"type":"ProjectedCRS","name":"own"}',
  ],
};
for (const [name, [json, crs]] of Object.entries(references))
  test(`reads a CRS that is ${name}`, async () => {
    const text = collection(`${CONFORMS},"coordRefSys":${json}`, placed(point(500000, 5500000)));
    assert.deepEqual(await layersOf(text), [['input', crs, [AT_32]]]);
  });

test('a CRS that is not understood is missing, and not guessed', async () => {
  for (const json of [
    '"http://example.com/crs/7"',
    '7',
    '{"type":"Reference"}',
    '[]',
    '["[EPSG:25832]",7]',
  ]) {
    const text = collection(`${CONFORMS},"coordRefSys":${json}`, placed(point(1, 2)));
    const { layers } = await read(text);
    assert.equal(layers[0].source.crs, null, json);
    assert.match(layers[0].source.crsMissingReason, /its coordRefSys is .*, which is not known/);
  }
});

const reference = `"coordRefSys":"${UTM}"`;
const places: Readonly<Record<string, string>> = {
  'the collection': collection(`${CONFORMS},${reference}`, placed(point(500000, 5500000))),
  'the collection, after the features': `{"type":"FeatureCollection","features":[${placed(point(500000, 5500000))}],${CONFORMS},${reference}}`,
  'the feature': collection(CONFORMS, placed(point(500000, 5500000), `,${reference}`)),
  'the geometry': collection(CONFORMS, placed(point(500000, 5500000, `,${reference}`))),
  'the feature, against the collection': collection(
    `${CONFORMS},"coordRefSys":"[EPSG:4326]"`,
    placed(point(500000, 5500000), `,${reference}`),
  ),
  'the geometry, against the feature': collection(
    CONFORMS,
    placed(point(500000, 5500000, `,${reference}`), ',"coordRefSys":"[EPSG:4326]"'),
  ),
  'a feature alone': feature(`${CONFORMS},${reference},"geometry":null,"place":${point(500000, 5500000)}`),
  'a geometry alone': `{${CONFORMS},"type":"Point",${reference},"coordinates":[500000,5500000]}`,
  'a collection without conformsTo': collection(reference, placed(point(500000, 5500000))),
  'each feature of a sequence': feature(
    `${CONFORMS},${reference},"geometry":null,"place":${point(500000, 5500000)}`,
  ),
  'a collection in a sequence': `{"type":"Feature","geometry":null,"properties":{}}\n${collection(`${CONFORMS},${reference}`, placed(point(500000, 5500000)))}`,
};
for (const [name, text] of Object.entries(places))
  test(`reads the CRS of ${name}`, async () => {
    const [[, crs, geometries], ...others] = (await layersOf(text)) as [string, string, string[]][];
    assert.deepEqual(
      [crs, geometries.at(-1) ?? geometries[0], others],
      ['EPSG:25832', geometries.at(-1), []],
    );
    assert.ok(geometries.includes(AT_32));
  });

test('positions are in the order of the axes of their CRS, and x comes first afterwards', async () => {
  const orders: readonly (readonly [string, string, string])[] = [
    [`"${URI}/EPSG/0/4326"`, 'EPSG:4326', 'POINT (9 48)'],
    ['"[EPSG:4258]"', 'EPSG:4258', 'POINT (9 48)'],
    [`["${URI}/EPSG/0/4258","${URI}/EPSG/0/7837"]`, 'EPSG:4258+EPSG:7837', 'POINT (9 48)'],
    ['"[EPSG:31467]"', 'EPSG:31467', 'POINT (9 48)'],
    [`"${URI}/OGC/0/CRS84h"`, 'EPSG:4326', 'POINT (48 9)'],
    [`"${URI}/OGC/1.3/CRS84"`, 'EPSG:4326', 'POINT (48 9)'],
    ['"[EPSG:25832]"', 'EPSG:25832', 'POINT (48 9)'],
  ];
  for (const [json, crs, geometry] of orders) {
    const text = collection(`${CONFORMS},"coordRefSys":${json}`, placed(point(48, 9)));
    assert.deepEqual(await layersOf(text), [['input', crs, [geometry]]], json);
  }
});

test('the axes of z, m and of every ring stay in their order', async () => {
  const line = '{"type":"Polygon","coordinates":[[[48,9,1],[48,10,2],[49,9,3],[48,9,1]]]}';
  const text = collection(`${CONFORMS},"coordRefSys":"[EPSG:4979]"`, placed(line), placed(point(50, 8)));
  assert.deepEqual(await layersOf(text), [
    ['input', 'EPSG:4979', ['POLYGON Z ((9 48 1,10 48 2,9 49 3,9 48 1))', 'POINT (8 50)']],
  ]);
});

test('features with a geometry in WGS 84 alone are a layer of their own, which is reported', async () => {
  const text = collection(
    `${CONFORMS},"coordRefSys":"${UTM}"`,
    placed(point(500000, 5500000)),
    feature(`"geometry":${point(9, 48)},"place":null`),
    feature('"geometry":null,"place":null'),
  );
  assert.deepEqual(await layersOf(text), [
    ['input', 'EPSG:25832', [AT_32, null]],
    ['input_OGC_CRS84', 'EPSG:4326', ['POINT (9 48)']],
  ]);
  const { findings } = await read(text);
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['JSONFG_LAYER_PER_CRS'],
  );
});

test('features in several systems are never under the CRS of another', async () => {
  const text = collection(
    `${CONFORMS},"coordRefSys":"[EPSG:32631]"`,
    placed(point(0, 3), ',"coordRefSys":"[EPSG:4326]"'),
    placed(point(5, 10000000), ',"coordRefSys":"[EPSG:32731]"'),
  );
  assert.deepEqual(await layersOf(text), [
    ['input', 'EPSG:4326', ['POINT (3 0)']],
    ['input_EPSG_32731', 'EPSG:32731', ['POINT (5 10000000)']],
  ]);
});

test('each feature type is a layer, in any order of the features and in any parts', async () => {
  const one = (type: string, x: number): string => placed(point(x, 1), `,"featureType":${type}`);
  const text = collection(
    `${CONFORMS},${reference},"featureType":"rest"`,
    ...[
      one('"road"', 1),
      one('["lake","water"]', 2),
      one('"road"', 3),
      placed(point(4, 1)),
      one('"road"', 5),
    ],
  );
  const expected = [
    ['road', 'EPSG:25832', ['POINT (1 1)', 'POINT (3 1)', 'POINT (5 1)']],
    ['lake_water', 'EPSG:25832', ['POINT (2 1)']],
    ['rest', 'EPSG:25832', ['POINT (4 1)']],
  ];
  for (const partitionBytes of [undefined, 64, 200, 500])
    assert.deepEqual(await layersOf(text, partitionBytes), expected);
});

test('the type of the collection names the layer, also after the features', async () => {
  const text = `{"type":"FeatureCollection",${CONFORMS},"name":"n","features":[${placed(point(1, 2))}],"featureType":"type1"}`;
  assert.deepEqual(await layersOf(text), [['type1', 'EPSG:4326', ['POINT (1 2)']]]);
});

const times: Readonly<
  Record<string, readonly [time: string, properties: Readonly<Record<string, unknown>>]>
> = {
  'a date': ['{"date":"1969-07-20"}', { time: '1969-07-20' }],
  'a timestamp': ['{"timestamp":"1969-07-20T20:17:40Z"}', { time: '1969-07-20T20:17:40Z' }],
  both: ['{"date":"1969-07-20","timestamp":"1969-07-20T20:17:40Z"}', { time: '1969-07-20T20:17:40Z' }],
  'an interval': [
    '{"interval":["1969-07-16","1969-07-24"]}',
    { time_start: '1969-07-16', time_end: '1969-07-24' },
  ],
  'an open interval': [
    '{"interval":["2014-04-24T10:50:18Z",".."]}',
    { time_start: '2014-04-24T10:50:18Z', time_end: null },
  ],
  'an instant in an interval': [
    '{"date":"1969-07-20","interval":["1969-07-16","1969-07-24"]}',
    { time: '1969-07-20', time_start: '1969-07-16', time_end: '1969-07-24' },
  ],
  null: ['null', {}],
};
for (const [name, [time, expected]] of Object.entries(times))
  test(`time becomes fields: ${name}`, async () => {
    const { layers, findings } = await read(collection(CONFORMS, placed(point(1, 2), `,"time":${time}`)));
    assert.deepEqual(layers[0].rows[0].properties, { n: 1, ...expected });
    assert.deepEqual(findings, []);
  });

test('the fields of time have the types of time, and no name of a property', async () => {
  const text = collection(
    CONFORMS,
    feature(`"geometry":null,"time":{"date":"2024-01-02"}`, '{"a":1}'),
    feature(`"geometry":null,"time":{"date":"2024-01-03"}`, '{"a":1,"time":"noon"}'),
  );
  for (const partitionBytes of [undefined, 64]) {
    const { layers } = await read(text, partitionBytes);
    assert.deepEqual(Object.fromEntries(layers[0].fields.map(({ name, type }) => [name, type])), {
      a: 'int32',
      time: 'string',
      jsonfg_time: 'date',
    });
  }
});

test('reports what of a time, of the members and of the coordinates is not read', async () => {
  const text = collection(
    `${CONFORMS},"links":[],"geometryDimension":0,"coordRefSys":{"type":"Reference","href":"${UTM}","epoch":2020.5}`,
    placed(point(1, 2), ',"time":{"season":"summer"},"featureSchema":"x"'),
    placed('{"type":"Sphere","coordinates":[1,2],"radius":3}'),
  );
  const { layers, findings } = await read(text);
  assert.deepEqual(
    layers[0].rows.map(({ geometry }) => geometry),
    ['POINT (1 2)', null],
  );
  assert.deepEqual(findings.map(({ code, params }) => [code, params.names ?? params.epoch]).sort(), [
    ['FOREIGN_MEMBERS_DROPPED', 'featureSchema'],
    ['FOREIGN_MEMBERS_DROPPED', 'links'],
    ['JSONFG_EPOCH_DROPPED', 2020.5],
    ['JSONFG_PLACE_DROPPED', undefined],
    ['JSONFG_TIME_DROPPED', undefined],
  ]);
});

test('text that only looks like JSON-FG is read as GeoJSON', async () => {
  const text = collection(
    '"note":"see json-fg"',
    feature(`"geometry":${point(1, 2)},"time":{"date":"2024-01-02"}`),
  );
  const { layers, findings } = await read(text);
  assert.deepEqual(layers[0].rows[0].properties, { n: 1 });
  assert.deepEqual(
    findings.map(({ params }) => params.names),
    ['note', 'time'],
  );
});

test('more types of features than can be layers are an error', async () => {
  const features = Array.from({ length: 501 }, (_, i) => placed(point(1, 2), `,"featureType":"t${i}"`));
  await assert.rejects(read(collection(CONFORMS, ...features)), { code: 'LIMIT_EXCEEDED' });
});

test('every cut of a document is an error, and never fewer features', async () => {
  const text = collection(`${CONFORMS},${reference}`, placed(point(1, 2)), placed(point(3, 4)));
  for (let end = 1; end < text.length; end += 7)
    await assert.rejects(read(text.slice(0, end)), { fault: 'user' }, text.slice(0, end));
});
