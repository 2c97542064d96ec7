import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { DEFAULT_INPUT_LIMITS } from '../../../test/support/limits.ts';
import { type ReadInput, readBytesLayers } from '../../../test/support/read-layers.ts';
import { batchRows, type Row } from '../../../test/support/rows.ts';
import { valueAt } from '../../core/src/columns/attribute-column.ts';
import { castBatch } from '../../core/src/columns/cast.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import type { InputLimits } from '../../io/src/limits.ts';
import { reader } from '../src/geojson/read.ts';

function read(bytes: Uint8Array | string, partitionBytes?: number): Promise<ReadInput> {
  return readBytesLayers(reader, bytes, { name: 'input.geojson', partitionBytes });
}

function feature(properties: string, geometry = 'null'): string {
  return `{"type":"Feature","properties":${properties},"geometry":${geometry}}`;
}

function collection(...features: string[]): string {
  return `{"type":"FeatureCollection","features":[${features.join(',\n')}]}`;
}

async function codeAndOffset(bytes: Uint8Array | string): Promise<string> {
  try {
    await read(bytes);
  } catch (error) {
    assert.ok(error instanceof GeomillError, String(error));
    assert.equal(error.fault, 'user');
    return error.params.offset === undefined ? error.code : `${error.code} ${error.params.offset}`;
  }
  return 'no error';
}

/** `@` marks the byte that the error must name. */
const bad: readonly (readonly [what: string, text: string, code: string])[] = [
  ['an empty file', '', 'INPUT_EMPTY'],
  ['blanks alone', ' \n@', 'GEOJSON_SYNTAX'],
  ['a string at the root', '"x"', 'INPUT_WRONG_FORMAT'],
  ['an array at the root', '[1]', 'INPUT_WRONG_FORMAT'],
  ['a CSV', 'a,b\n1,2\n', 'INPUT_WRONG_FORMAT'],
  ['a KML', '<?xml version="1.0"?><kml/>', 'INPUT_WRONG_FORMAT'],
  ['a zip archive', 'PK\x03\x04rest', 'INPUT_WRONG_FORMAT'],
  ['a GeoPackage', 'SQLite format 3\0', 'INPUT_WRONG_FORMAT'],
  ['TopoJSON', '{"type":"Topology","objects":{}}', 'INPUT_WRONG_FORMAT'],
  ['Esri JSON', '{"geometryType":"esriGeometryPoint","fields":[]}', 'INPUT_WRONG_FORMAT'],
  ['Esri JSON that begins with features', '{"features":[{"attributes":{}}]}', 'INPUT_WRONG_FORMAT'],
  ['JSON without a type', '{"a":1}', 'INPUT_WRONG_FORMAT'],
  ['a type in lower case', '{"type":@"featurecollection","features":[]}', 'GEOJSON_STRUCTURE'],
  ['features without a type', '@{"features":[]}', 'GEOJSON_STRUCTURE'],
  ['features of a wrong type', '{"features":[],"type":@"Point"}', 'GEOJSON_STRUCTURE'],
  ['no features', '{"type":"FeatureCollection"@}', 'GEOJSON_STRUCTURE'],
  ['features that are no array', '{"type":"FeatureCollection","features":@{}}', 'GEOJSON_STRUCTURE'],
  ['features twice', '{"type":"FeatureCollection","features":[],"features":@[]}', 'GEOJSON_STRUCTURE'],
  ['a feature that is null', collection('@null'), 'GEOJSON_STRUCTURE'],
  ['a feature that is a geometry', collection('@{"type":"Point","coordinates":[1,2]}'), 'GEOJSON_STRUCTURE'],
  ['a feature without a type', collection('@{"properties":{}}'), 'GEOJSON_STRUCTURE'],
  ['a trailing comma', '{"type":"FeatureCollection","features":[],@}', 'GEOJSON_SYNTAX'],
  ['a trailing comma in features', `${collection(feature('{}')).slice(0, -2)},@]}`, 'GEOJSON_SYNTAX'],
  ['a trailing comma in properties', collection(feature('{"a":1,@}')), 'GEOJSON_SYNTAX'],
  ['text behind the end', `${collection()}@}`, 'GEOJSON_SYNTAX'],
  ['text behind a feature', `${feature('{}')} @${feature('{}')}`, 'GEOJSON_SYNTAX'],
  ['a missing bracket', `${collection().slice(0, -2)}@`, 'GEOJSON_SYNTAX'],
  ['a missing brace', `${collection().slice(0, -1)}@`, 'GEOJSON_SYNTAX'],
  ['a single quote', "{@'type':'Feature'}", 'GEOJSON_SYNTAX'],
  ['a comment', '{"type":"Feature",@/* */"properties":null}', 'GEOJSON_SYNTAX'],
  ['a leading zero', collection(feature('{"a":@01}')), 'GEOJSON_SYNTAX'],
  ['a plus sign', collection(feature('{"a":@+1}')), 'GEOJSON_SYNTAX'],
  ['a point without digits', collection(feature('{"a":1.@}')), 'GEOJSON_SYNTAX'],
  ['an exponent without digits', collection(feature('{"a":1e@}')), 'GEOJSON_SYNTAX'],
  ['NaN', collection(feature('{"a":@NaN}')), 'GEOJSON_SYNTAX'],
  ['a wrong literal', collection(feature('{"a":@nulL}')), 'GEOJSON_SYNTAX'],
  ['a wrong escape', collection(feature('{"a":"\\@x"}')), 'GEOJSON_SYNTAX'],
  ['a short \\u escape', collection(feature('{"a":"\\u12@g4"}')), 'GEOJSON_SYNTAX'],
  ['a line end in a string', collection(feature('{"a":"@\n"}')), 'GEOJSON_SYNTAX'],
  ['a string without end', `${collection(feature('{"a":@"')).slice(0, -20)}`, 'GEOJSON_SYNTAX'],
  ['a zero byte', collection(feature('{"a":@\0}')), 'GEOJSON_SYNTAX'],
  ['properties that are an array', collection(feature('@[]')), 'GEOJSON_STRUCTURE'],
  ['a geometry that is a number', collection(feature('null', '@1')), 'GEOJSON_SYNTAX'],
  ['an unknown geometry type', collection(feature('null', '{"type":@"Circle"}')), 'GEOJSON_STRUCTURE'],
  ['a geometry without a type', collection(feature('null', '@{"coordinates":[]}')), 'GEOJSON_STRUCTURE'],
  ['a geometry without coordinates', collection(feature('null', '@{"type":"Point"}')), 'GEOJSON_STRUCTURE'],
];

for (const [what, marked, code] of bad)
  test(`${what} is rejected with its location`, async () => {
    const offset = marked.indexOf('@');
    assert.equal(await codeAndOffset(marked.replace('@', '')), offset < 0 ? code : `${code} ${offset}`);
  });

for (const coordinates of [
  '[1]',
  '["1",2]',
  '[1,null]',
  '[[1,2]]',
  '{}',
  'null',
  '[1,2',
  '[1e999,2]',
  '[1,2,"3"]',
  '[1 2]',
])
  test(`rejects ${coordinates} as a position`, async () => {
    const text = collection(feature('null', `{"type":"Point","coordinates":${coordinates}}`));
    assert.match(await codeAndOffset(text), /^GEOJSON_(STRUCTURE|SYNTAX) (1[12][0-9])$/);
  });

test('rejects bytes that are not UTF-8 with their offset, in any string', async () => {
  for (const bytes of [
    [0xff],
    [0xc0, 0xaf],
    [0xed, 0xa0, 0x80],
    [0xe2, 0x82],
    [0xf4, 0x90, 0x80, 0x80],
    [0x80],
  ]) {
    const [before, after] = collection(feature('{"a":"@"}')).split('@');
    const text = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    assert.equal(await codeAndOffset(text), `TEXT_ENCODING_INVALID ${before.length}`);
  }
});

test('an error names the feature and the byte, even in a later partition', async () => {
  const features = Array.from({ length: 20 }, (_, i) => feature(`{"a":${i === 17 ? 'x' : i}}`));
  const text = collection(...features);
  for (const partitionBytes of [100, 10_000])
    await assert.rejects(read(text, partitionBytes), (error: GeomillError) => {
      assert.equal(error.code, 'GEOJSON_SYNTAX');
      assert.equal(error.params.offset, text.indexOf('x}'));
      return true;
    });
});

test('rejects nesting deeper than 512 levels and keeps 512', async () => {
  const deep = (levels: number): string =>
    collection(feature(`{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`));
  const { layers } = await read(deep(500));
  assert.equal(layers[0].rows.length, 1);
  assert.match(await codeAndOffset(deep(600)), /^GEOJSON_STRUCTURE/);
  assert.match(await codeAndOffset(deep(1_000_000)), /^GEOJSON_STRUCTURE/);
});

test('keeps all digits of numbers that no typed column holds', async () => {
  const values = ['18446744073709551615', '-9223372036854775809', '1e999', '9223372036854775808'];
  const { layers } = await read(collection(...values.map((value) => feature(`{"a":${value}}`))));
  const [column] = layers[0].batches[0].columns;
  assert.equal(column.type, 'json');
  assert.deepEqual(
    values.map((_, row) => valueAt(column, row)),
    values,
  );
});

test('replaces unpaired surrogates by U+FFFD and counts them', async () => {
  const { layers, findings } = await read(
    collection(
      feature('{"a":"\\ud800x"}'),
      feature('{"a":"\\udc00\\ud83d\\ude00"}'),
      feature('{"a":"\\ud83d\\ud83d"}'),
    ),
  );
  assert.deepEqual(
    layers[0].rows.map(({ properties }) => properties.a),
    ['\ufffdx', '\ufffd😀', '\ufffd\ufffd'],
  );
  assert.deepEqual(
    findings.map(({ code, count }) => [code, count]),
    [['TEXT_REPLACED', 3]],
  );
});

test('removes white space in nested values, except inside their strings', async () => {
  const { layers } = await read(collection(feature('{"a": { "b c" : [ 1 ,\n "x \\" y" ] } }')));
  assert.equal(valueAt(layers[0].batches[0].columns[0], 0), '{"b c":[1,"x \\" y"]}');
});

test('rejects more positions or features than the limits allow', async () => {
  const line = `[${Array.from({ length: 50_000 }, (_, i) => `[${i},1]`).join(',')}]`;
  const text = collection(feature('null', `{"type":"LineString","coordinates":${line}}`), feature('null'));
  const directory = mkdtempSync(join(tmpdir(), 'geomill-limits-'));
  try {
    const path = join(directory, 'a.geojson');
    writeFileSync(path, text);
    const readWith = async (limits: Partial<InputLimits>): Promise<number> => {
      const all = { ...DEFAULT_INPUT_LIMITS, ...limits };
      const context = {
        scratchDirectory: directory,
        limits: all,
        options: {},
        findings: new Findings(),
        partitionBytes: 1 << 20,
      };
      const [layer] = await reader.open({ path, name: 'a.geojson' }, context);
      return reader.readPartition(layer, layer.partitions[0], { fields: null, limits: all }).recordCount;
    };
    assert.equal(await readWith({}), 2);
    await assert.rejects(readWith({ coordinatesPerFeature: 49_999 }), { code: 'LIMIT_EXCEEDED' });
    await assert.rejects(readWith({ features: 1 }), { code: 'LIMIT_EXCEEDED' });
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('notes a crs member only if it names another CRS than WGS 84', async () => {
  const codes = async (crs: string): Promise<string[]> => {
    const { findings } = await read(`{"type":"FeatureCollection","crs":${crs},"features":[]}`);
    return findings.map(({ code }) => code);
  };
  const named = (name: string): string => JSON.stringify({ type: 'name', properties: { name } });
  for (const name of [
    'urn:ogc:def:crs:OGC:1.3:CRS84',
    'EPSG:4326',
    'urn:ogc:def:crs:EPSG::4326',
    'OGC:CRS84',
  ])
    assert.deepEqual(await codes(named(name)), [], name);
  assert.deepEqual(await codes('null'), []);
  assert.deepEqual(await codes(named('EPSG:28350')), ['CRS_MEMBER_IGNORED']);
  assert.deepEqual(await codes('{"type":"EPSG","properties":{"code":2154}}'), ['CRS_MEMBER_IGNORED']);
});

/** The rows with the fields of the whole layer, as the pipeline combines batches. */
function rowsOf({ layers }: ReadInput): Row[] {
  const [{ batches, fields }] = layers;
  return batches.flatMap((batch) => batchRows(castBatch(batch, fields)));
}

// --- partitions -------------------------------------------------------------------------------------------------

const jsonValue = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('1', '-2.5', '"text"', 'null', 'true', '"},{\\"type\\":\\"Feature\\""'),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)) },
  // Objects that look like features.
  {
    weight: 1,
    arbitrary: fc.constantFrom('[{"a":1},{"type":"Feature","properties":{}}]', '[{},{"geometry":{}}]'),
  },
);
const anyGeometry = fc.constantFrom(
  'null',
  '{"type":"Point","coordinates":[1.5,2.5]}',
  '{"coordinates":[[0,0],[1,1,1]],"type":"LineString"}',
  '{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},{"type":"Point","coordinates":[3,4]}]}',
);
const anyFeature = fc
  .tuple(
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'é'), jsonValue),
    anyGeometry,
    fc.integer(),
    fc.integer(),
  )
  .map(([properties, geometry, id, order]) => {
    const members = Object.entries(properties).map(([key, value]) => `${JSON.stringify(key)}: ${value}`);
    const parts = [
      '"type":"Feature"',
      `"properties":{${members.join(',')}}`,
      `"geometry": ${geometry}`,
      `"id":${id}`,
    ];
    const first = Math.abs(order) % 4;
    return `{${[...parts.slice(first), ...parts.slice(0, first)].join(',')}}`;
  });

test('reads the same features of a collection for any partition boundaries', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyFeature, { maxLength: 12 }),
      fc.constantFrom(',', ',\n', ' ,\r\n  '),
      fc.boolean(),
      fc.integer({ min: 1, max: 400 }),
      async (features, separator, typeLast, partitionBytes) => {
        const list = `"features": [ ${features.join(separator)} ]`;
        const type = '"type":"FeatureCollection"';
        const text = typeLast
          ? `{${list}, ${type}, "x":[{"type":"Feature"}]}\n`
          : `{${type},"name":"n",${list}}`;
        const whole = await read(text, 1 << 20);
        const cut = await read(text, partitionBytes);
        assert.equal(whole.layers[0].rows.length, features.length);
        assert.deepEqual(rowsOf(cut), rowsOf(whole));
        assert.deepEqual(cut.layers[0].fields, whole.layers[0].fields);
        assert.deepEqual(
          cut.findings.map(({ code, count }) => [code, count]).sort(),
          whole.findings.map(({ code, count }) => [code, count]).sort(),
        );
      },
    ),
    { numRuns: 150 },
  );
});

test('reads the same features of a sequence for any partition boundaries', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyFeature, { minLength: 1, maxLength: 12 }),
      fc.constantFrom('\n', '\r\n', '\n\x1e', '\x1e'),
      fc.integer({ min: 1, max: 400 }),
      async (features, separator, partitionBytes) => {
        const text = (separator.includes('\x1e') ? '\x1e' : '') + features.join(separator);
        const whole = await read(text, 1 << 20);
        const cut = await read(text, partitionBytes);
        assert.equal(whole.layers[0].rows.length, features.length);
        assert.deepEqual(rowsOf(cut), rowsOf(whole));
      },
    ),
    { numRuns: 100 },
  );
});

test('guesses the starts of features of the same form correctly', async () => {
  const features = Array.from({ length: 400 }, (_, i) =>
    feature(`{"a":${i},"b":{"c":[{"d":1},{"d":2}]}}`, '{"type":"Point","coordinates":[1,2]}'),
  );
  for (const text of [collection(...features), features.join('\n')]) {
    const { layers } = await read(text, 2000);
    const { partitions } = layers[0].source;
    assert.ok(partitions.length > 15);
    for (const { start } of partitions)
      assert.ok(text.slice(start).startsWith('{"type":"Feature"'), text.slice(start, start + 20));
    assert.equal(layers[0].rows.length, 400);
  }
});

test('reads a feature longer than its partition and its window', async () => {
  const line = `[${Array.from({ length: 200_000 }, (_, i) => `[${i / 1000},${i / 3000}]`).join(',')}]`;
  const long = feature('{"a":1}', `{"type":"LineString","coordinates":${line}}`);
  const { layers } = await read(collection(feature('{"a":0}'), long, feature('{"a":2}')), 1000);
  assert.deepEqual(
    layers[0].rows.map(({ properties }) => properties.a),
    [0, 1, 2],
  );
  assert.equal(
    layers[0].batches.reduce((sum, { geometry }) => sum + geometry.coordinates.length, 0),
    400_000,
  );
});

test('finds a name after the features', async () => {
  const features = Array.from({ length: 3000 }, (_, i) => feature(`{"a":[${i},"x"]}`));
  const text = `{"type":"FeatureCollection","features":[${features.join(',')}],"n":[1,{"a":2}],"name":"Straße"}`;
  const { layers } = await read(text);
  assert.equal(layers[0].source.name, 'Straße');
  assert.equal((await read(collection())).layers[0].source.name, 'input');
});
