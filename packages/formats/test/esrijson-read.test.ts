import assert from 'node:assert/strict';
import test from 'node:test';
import { type ReadInput, readBytesLayers } from '../../../test/support/read-layers.ts';
import type { Row } from '../../../test/support/rows.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { reader } from '../src/esrijson/read.ts';

const WGS84 = '"spatialReference":{"wkid":4326}';

function read(text: string, partitionBytes?: number, options = {}): Promise<ReadInput> {
  return readBytesLayers(reader, text, { name: 'input.json', partitionBytes, options });
}

async function rowsOf(text: string, partitionBytes?: number): Promise<readonly Row[]> {
  const { layers } = await read(text, partitionBytes);
  return layers.flatMap(({ rows }) => rows);
}

async function refusal(text: string, partitionBytes?: number): Promise<GeomillError> {
  try {
    await read(text, partitionBytes);
  } catch (error) {
    assert.ok(error instanceof GeomillError, String(error));
    assert.equal(error.fault, 'user');
    return error;
  }
  throw new Error('no error');
}

const set = (features: string, members = WGS84): string =>
  `{${members},"fields":[],"features":[${features}]}`;
const geometry = (text: string): string => set(`{"geometry":${text}}`);

/** `@` marks the byte that the error must name. */
const bad: readonly (readonly [what: string, text: string, code: string])[] = [
  ['an empty file', '', 'INPUT_EMPTY'],
  ['blanks alone', ' \n@', 'ESRIJSON_SYNTAX'],
  ['an array at the root', '[1]', 'INPUT_WRONG_FORMAT'],
  ['a CSV', 'a,b\n1,2\n', 'INPUT_WRONG_FORMAT'],
  ['GeoJSON', '{"type":"FeatureCollection","features":[]}', 'INPUT_WRONG_FORMAT'],
  ['TopoJSON', '{"type":"Topology","objects":{}}', 'INPUT_WRONG_FORMAT'],
  ['an error of a server', '{"error":{"code":499,"message":"Token Required"}}', 'ESRIJSON_SERVER_ERROR'],
  [
    'an error in the other form',
    '{"status":"error","messages":["Service not started"]}',
    'ESRIJSON_SERVER_ERROR',
  ],
  ['a list of ids', '{"objectIdFieldName":"id","objectIds":[1]}', 'ESRIJSON_NO_FEATURES'],
  ['a count', '{"count":5}', 'ESRIJSON_NO_FEATURES'],
  ['an empty object', '{}', 'ESRIJSON_NO_FEATURES'],
  ['text after the end', `${set('')} @x`, 'ESRIJSON_SYNTAX'],
  ['text after the end of a feature', '{"geometry":{"x":1,"y":2}} @x', 'ESRIJSON_SYNTAX'],
  ['features twice', `{${WGS84},"fields":[],"features":[],@"features":[]}`, 'ESRIJSON_STRUCTURE'],
  ['features twice, undeclared', '{"features":[],"features":@[]}', 'ESRIJSON_STRUCTURE'],
  ['a comma before the end', set('{},@'), 'ESRIJSON_SYNTAX'],
  ['a number as a feature', set('@1'), 'ESRIJSON_STRUCTURE'],
  ['a number as a geometry', geometry('@1'), 'ESRIJSON_STRUCTURE'],
  ['attributes that are a list', set('{"attributes":@[]}'), 'ESRIJSON_STRUCTURE'],
  ['a text as a coordinate', geometry('{"x":@"1","y":2}'), 'ESRIJSON_STRUCTURE'],
  ['NaN without quotes', geometry('{"x":@NaN,"y":2}'), 'ESRIJSON_STRUCTURE'],
  ['an infinite coordinate', geometry('{"x":@1e400,"y":2}'), 'ESRIJSON_STRUCTURE'],
  ['a position of one number', geometry('{"points":[@[1]]}'), 'ESRIJSON_STRUCTURE'],
  ['a position without x', geometry('{"points":[@[null,1]]}'), 'ESRIJSON_STRUCTURE'],
  ['a path that is no list', geometry('{"paths":[@{}]}'), 'ESRIJSON_STRUCTURE'],
  ['a curve without a start', geometry('{"curvePaths":[[@{"c":[[1,1],[2,2]]}]]}'), 'ESRIJSON_STRUCTURE'],
  ['an unknown curve', geometry('{"curvePaths":[[[0,0],{@"q":[[1,1]]}]]}'), 'ESRIJSON_STRUCTURE'],
  ['a curve without its middle', geometry('{"curvePaths":[[[0,0],@{"c":[[1,1]]}]]}'), 'ESRIJSON_STRUCTURE'],
  [
    'another spatial reference',
    geometry('{"x":1,"y":2,"spatialReference":@{"wkid":25832}}'),
    'ESRIJSON_STRUCTURE',
  ],
  ['deep nesting', set(`{"a":${'['.repeat(600)}`), 'ESRIJSON_STRUCTURE'],
  ['deep nesting of layers', `{"layers":[${'{"layers":['.repeat(300)}`, 'ESRIJSON_STRUCTURE'],
];

for (const [what, marked, code] of bad)
  for (const partitionBytes of [undefined, 1])
    test(`rejects ${what}, in partitions of ${partitionBytes ?? 'the usual number of'} bytes`, async () => {
      const offset = marked.indexOf('@');
      const error = await refusal(marked.replace('@', ''), partitionBytes);
      assert.equal(error.code, code);
      if (offset >= 0) assert.equal(error.params.offset, offset);
    });

test('every truncation of a file is an error', async () => {
  const whole = `{${WGS84},"fields":[],"features":[{"attributes":{"a":"ü"},"geometry":{"rings":[[[0,0],[0,1],[1,1],[0,0]]]}},{}],"x":1}`;
  assert.equal((await rowsOf(whole)).length, 2);
  const bytes = Buffer.from(whole);
  for (let length = 1; length < bytes.length; length++)
    await assert.rejects(() => readBytesLayers(reader, bytes.subarray(0, length), { name: 'input.json' }), {
      name: 'GeomillError',
    });
});

test('an error message of a server is repeated with its details', async () => {
  const text =
    '{"error":{"code":400,"message":"Cannot perform query.","details":["Invalid \'where\'.", ""]}}';
  assert.match((await refusal(text)).message, /Cannot perform query\. Invalid 'where'\. \(code 400\)/);
});

test('a feature set says at its end that it is not complete', async () => {
  for (const members of [WGS84, `${WGS84},"fields":[]`]) {
    const { findings } = await read(`{${members},"features":[{},{}],"exceededTransferLimit":true}`);
    const found = findings.filter(({ code }) => code === 'ESRIJSON_INCOMPLETE');
    assert.equal(found.length, 1);
  }
});

test('reads features of any length and number before everything else, in any partitions', async () => {
  const features = Array.from({ length: 3000 }, (_, i) => {
    const points = Array.from({ length: i === 7 ? 200_000 : 1 }, (_, n) => `[${n},${i}]`);
    return `{"attributes":{"i":${i},"nested":{"attributes":{"a":1}}},"geometry":{"points":[${points}]}}`;
  });
  const text = `{"features":[${features.join(', ')}],"fields":[{"name":"i","type":"esriFieldTypeInteger"}],${WGS84}}`;
  const found = await read(text, 4096);
  assert.equal(found.layers[0].source.crs, 'EPSG:4326');
  const rows = found.layers[0].rows;
  assert.deepEqual(
    rows.map(({ properties }) => properties.i),
    features.map((_, i) => i),
  );
});

test('a flag after the coordinates says that the third ordinate is M', async () => {
  const texts = ['"points":[[1,2,3]],"hasM":true', '"hasM":true,"points":[[1,2,3]]'];
  for (const text of [...texts, '"points":[[1,2,3]],"hasZ":false,"hasM":true'])
    assert.equal((await rowsOf(geometry(`{${text}}`)))[0].geometry, 'MULTIPOINT M ((1 2 3))');
  for (const text of ['"points":[[1,2,3]],"hasM":true,"hasZ":true', '"points":[[1,2,3]]'])
    assert.equal((await rowsOf(geometry(`{${text}}`)))[0].geometry, 'MULTIPOINT Z ((1 2 3))');
});

test('the spatial reference is the latest code, a code of EPSG or Esri, or WKT', async () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ['{"wkid":102100,"latestWkid":3857}', 'EPSG:3857'],
    ['{"wkid":102113}', 'EPSG:3857'],
    ['{"wkid":102645}', 'ESRI:102645'],
    ['{"wkid":102645,"latestWkid":2229}', 'EPSG:2229'],
    ['{"wkid":"25832"}', 'EPSG:25832'],
    ['{"wkt":"LOCAL_CS[\\"a\\"]"}', 'LOCAL_CS["a"]'],
    ['{"wkid":0}', null],
    ['{}', null],
    ['null', null],
  ];
  for (const [reference, crs] of cases) {
    const { layers } = await read(set('', `"spatialReference":${reference}`));
    assert.equal(layers[0].source.crs, crs, reference);
  }
});

test('the names of a domain take the place of its codes on request', async () => {
  const domain = '{"type":"codedValue","codedValues":[{"code":1,"name":"road"},{"code":"2","name":"path"}]}';
  const fields = `"fields":[{"name":"k","type":"esriFieldTypeInteger","domain":${domain}}]`;
  const text = `{${WGS84},${fields},"features":[{"attributes":{"k":1}},{"attributes":{"k":9}},{"attributes":{"k":2}},{}]}`;
  const { layers, findings } = await read(text, undefined, { coded_values: 'names' });
  assert.deepEqual(layers[0].source.fields, [{ name: 'k', type: 'string' }]);
  const rows = layers[0].rows;
  assert.deepEqual(
    rows.map(({ properties }) => properties.k),
    ['road', '9', 'path', null],
  );
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['ESRIJSON_CODE_UNKNOWN'],
  );
});

test('times without a known zone have none', async () => {
  const fields = '"fields":[{"name":"t","type":"esriFieldTypeDate"}],"datesInUnknownTimezone":true';
  const [row] = await rowsOf(`{${WGS84},${fields},"features":[{"attributes":{"t":0}}]}`);
  assert.equal(row.properties.t, '1970-01-01T00:00:00.000');
});

test('NaN, which ArcGIS writes as text, is a float', async () => {
  const fields = '"fields":[{"name":"d","type":"esriFieldTypeDouble"}]';
  const text = `{${WGS84},${fields},"features":[{"attributes":{"d":"NaN"}},{"attributes":{"d":1}}]}`;
  const { layers, findings } = await read(text);
  assert.deepEqual(layers[0].fields, [{ name: 'd', type: 'float64' }]);
  assert.deepEqual(
    layers[0].rows.map(({ properties }) => properties.d),
    [Number.NaN, 1],
  );
  assert.deepEqual(findings, []);
});

test('reads features that follow one another, as programs for large data write them', async () => {
  const lines = Array.from(
    { length: 2000 },
    (_, i) => `{"attributes":{"i":${i},"nested":{"attributes":{}}},"geometry":{"x":${i},"y":2,${WGS84}}}`,
  );
  for (const [text, partitionBytes] of [
    [lines.join('\n'), 1024],
    [`${lines.join(' ')}\n`, 1 << 22],
    [lines.join('\r\n\n'), 1],
  ] as const) {
    const { layers } = await read(text, partitionBytes);
    assert.equal(layers[0].source.crs, 'EPSG:4326');
    assert.deepEqual(
      layers[0].rows.map(({ properties }) => properties.i),
      lines.map((_, i) => i),
    );
  }
  const error = await refusal(`${lines.join('\n')}\n[`, 1024);
  assert.equal(error.code, 'ESRIJSON_STRUCTURE');
});

test('a curve has the same vertices in both directions', async () => {
  const pairs: readonly (readonly [string, string])[] = [
    ['[0,0,5],{"b":[[3.3,1,7],[1,1],[2.1,2]]}', '[3.3,1,7],{"b":[[0,0,5],[2.1,2],[1,1]]}'],
    ['[4,0],{"a":[[0,2],[0,0],1,0,0,4,0.5]}', '[0,2],{"a":[[4,0],[0,0],1,1,0,4,0.5]}'],
    ['[1.1,0],{"a":[[0,1.1],[0,0],0,1]}', '[0,1.1],{"a":[[1.1,0],[0,0],0,0]}'],
    ['[0,0],{"c":[[2,0],[1,1]]}', '[2,0],{"c":[[0,0],[1,1]]}'],
  ];
  const positionsOf = async (curve: string): Promise<string[]> => {
    const [row] = await rowsOf(geometry(`{"curvePaths":[[${curve}]]}`));
    return /\((.*)\)/.exec(row.geometry ?? '')?.[1].split(',') ?? [];
  };
  for (const [there, back] of pairs) {
    const positions = await positionsOf(there);
    assert.ok(positions.length > 10, there);
    assert.deepEqual(await positionsOf(back), positions.reverse());
  }
});
