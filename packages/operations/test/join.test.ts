/** join: attributes of another source by key. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { DEFAULT_INPUT_LIMITS } from '../../../test/support/limits.ts';
import { pointBlob, writeRawGeopackage } from '../../../test/support/raw-gpkg.ts';
import { collectionOf, runWithSource } from '../../../test/support/second-source.ts';
import { ColumnBuilder } from '../../core/src/columns/attribute-column.ts';
import { GEOMETRY_TYPE, GeometryBuilder, PART_KIND } from '../../core/src/geometry/geometry-column.ts';
import type { GeomillError } from '../../core/src/messages/errors.ts';
import { SOURCE_LIMITS } from '../src/parts/source/attribute-table.ts';
import { FeatureSourceCollector } from '../src/parts/source/feature-source.ts';

const TOWNS = collectionOf([{ code: '01' }, { code: '02' }, { code: null }, { code: '04' }]);
const TABLE = 'code,name,pop\n01,one,10\n02,two,20\n02,two again,25\n05,five,50\n,none,1\n';
const run = (params: object, input: object | string = TOWNS, source = TABLE) =>
  runWithSource('join', { key: ['code'], ...params }, input, ['t.csv', source]);

test('features get the fields of the first row with their key, of a table without geometries', async () => {
  const { features, counts } = await run({});
  assert.deepEqual(
    features.map(({ properties }) => properties),
    [
      { code: '01', name: 'one', pop: 10 },
      { code: '02', name: 'two', pop: 20 },
      { code: null, name: null, pop: null },
      { code: '04', name: null, pop: null },
    ],
  );
  assert.deepEqual(
    features.map(({ id }) => id),
    [1, 2, 3, 4],
  );
  assert.deepEqual(counts, { JOIN_UNMATCHED: 2, JOIN_FURTHER_MATCHES: 1, SOURCE_ROWS_UNMATCHED: 2 });
});

/** Tables of attributes, `towns` with a key that is a field, and perhaps a layer of features. */
function tablesOf(tables: readonly string[], layers: readonly string[]): Buffer {
  using workspace = makeWorkspace();
  const path = writeRawGeopackage(join(workspace.path, 't.gpkg'), {
    layers,
    sql: `
      CREATE TABLE towns (id INTEGER PRIMARY KEY, code TEXT, pop INTEGER);
      INSERT INTO towns VALUES (7, '01', 10), (8, '02', 20), (9, '05', NULL);
      CREATE TABLE others (code TEXT, pop INTEGER);
      INSERT INTO others VALUES ('02', 200);
      CREATE TABLE places (fid INTEGER PRIMARY KEY, geom BLOB, code TEXT, pop INTEGER);
      INSERT INTO places VALUES (1, ${pointBlob(1, 2)}, '04', 40);
      ${tables.map((name) => `INSERT INTO gpkg_contents (table_name, data_type, srs_id) VALUES ('${name}', 'attributes', 0);`).join('')}`,
  });
  return readFileSync(path);
}

test('the source can be a table of attributes in a GeoPackage', async () => {
  const joined = (tables: Buffer, params: object, input: object = TOWNS) =>
    runWithSource('join', { key: ['code'], ...params }, input, ['t.gpkg', tables]);
  const { features, counts } = await joined(tablesOf(['towns'], []), {});
  assert.deepEqual(
    features.map(({ properties: { id, pop } }) => [id, pop]),
    [
      [7, 10],
      [8, 20],
      [null, null],
      [null, null],
    ],
  );
  assert.deepEqual(counts, { JOIN_UNMATCHED: 2, SOURCE_ROWS_UNMATCHED: 1 });
  const byKey = await joined(
    tablesOf(['towns'], []),
    { key: ['n'], key_of_source: ['id'] },
    collectionOf([{ n: 9 }, { n: 8 }]),
  );
  assert.deepEqual(
    byKey.features.map(({ properties }) => properties.code),
    ['05', '02'],
  );
});

test('a layer of features comes before tables of attributes, which are named', async () => {
  const popsOf = async (tables: Buffer, params: object) =>
    (await runWithSource('join', { key: ['code'], ...params }, TOWNS, ['t.gpkg', tables])).features.map(
      ({ properties }) => properties.pop,
    );
  const both = tablesOf(['towns', 'others'], ['places']);
  assert.deepEqual(await popsOf(both, {}), [null, null, null, 40]);
  assert.deepEqual(await popsOf(both, { source_layer: 'others' }), [null, 200, null, null]);
  await assert.rejects(popsOf(tablesOf(['towns', 'others'], []), {}), /has 2 layers: 'towns', 'others'/);
  await assert.rejects(popsOf(tablesOf(['lost'], []), {}), /1 table without geometry/);
});

test('only joins by key read tables of attributes', async () => {
  const tables = tablesOf(['towns'], []);
  await assert.rejects(
    runWithSource('spatial_join', {}, TOWNS, ['t.gpkg', tables]),
    /1 table without geometry/,
  );
});

test('an inner join drops features without a match, all matches make a feature each', async () => {
  const { features, counts } = await run({
    how: 'inner',
    matches: 'all',
    count_field: 'n',
    fields: ['name'],
  });
  assert.deepEqual(
    features.map(({ id, properties }) => [id, properties.name, properties.n]),
    [
      [1, 'one', 1],
      [2, 'two', 2],
      [undefined, 'two again', 2],
    ],
  );
  assert.deepEqual(counts, { JOIN_UNMATCHED_DROPPED: 2, SOURCE_ROWS_UNMATCHED: 2 });
});

test('rows with the same key are merged by aggregate', async () => {
  const params = { aggregate: { pop: 'sum', name: 'distinct' }, count_field: 'n', prefix: 't_' };
  const { features, counts } = await run(params);
  assert.deepEqual(features[1].properties, { code: '02', t_name: 'two, two again', t_pop: 45, n: 2 });
  assert.deepEqual(features[3].properties, { code: '04', t_name: null, t_pop: null, n: 0 });
  assert.deepEqual(counts, { JOIN_UNMATCHED: 2, SOURCE_ROWS_UNMATCHED: 2 });
  const { counts: kept } = await run({ aggregate: { pop: 'sum' } });
  assert.deepEqual(kept, { JOIN_UNMATCHED: 2, SOURCE_ROWS_UNMATCHED: 2, VALUES_COLLAPSED: 1 });
});

test('a text is not a number, which is reported with what to do', async () => {
  const numbers = collectionOf([{ code: 1 }, { code: 2 }]);
  const texts = 'code,name\n01,one\n2x,two\n';
  const { features, messages, counts } = await run({}, numbers, texts);
  assert.deepEqual(features.map(({ properties }) => properties.name), [null, null]); // biome-ignore format: one line
  assert.equal(counts.JOIN_KEY_TYPES, 2);
  assert.ok(
    messages.some((message) => message.includes('compare_as')),
    messages.join('\n'),
  );
  const asNumbers = await run({ compare_as: 'number' }, numbers, texts);
  assert.deepEqual(asNumbers.features.map(({ properties }) => properties.name), ['one', null]); // biome-ignore format: one line
  assert.equal(asNumbers.counts.JOIN_KEY_TYPES, undefined);
  const asTexts = await run({ compare_as: 'text' }, numbers, 'code,name\n01,one\n2,two\nx,three\n');
  assert.deepEqual(asTexts.features.map(({ properties }) => properties.name), [null, 'two']); // biome-ignore format: one line
});

test('numbers of any type are equal by value, and values of several kinds by kind and value', async () => {
  const input = `{"type":"FeatureCollection","features":[${[
    '9007199254740993',
    '9007199254740992',
    '2',
    '-0.0',
    '"2"',
    'true',
    '[1]',
  ]
    .map((code) => `{"type":"Feature","properties":{"code":${code}},"geometry":null}`)
    .join(',')}]}`;
  const source = `{"type":"FeatureCollection","features":[${[
    '2.0',
    '9007199254740993',
    '0',
    '"2"',
    'true',
    '[1]',
  ]
    .map((code, i) => `{"type":"Feature","properties":{"code":${code},"row":${i}},"geometry":null}`)
    .join(',')}]}`;
  const { features } = await runWithSource('join', { key: ['code'] }, input, ['s.geojson', source]);
  const rows = features.map(({ properties }) => properties.row);
  assert.deepEqual(rows.slice(2), [0, 2, 3, 4, 5]);
  const whole = (codes: readonly string[]): string =>
    `{"type":"FeatureCollection","features":[${codes.map((code, i) => `{"type":"Feature","properties":{"code":${code},"row":${i}},"geometry":null}`).join(',')}]}`;
  const exact = await runWithSource(
    'join',
    { key: ['code'] },
    whole(['9007199254740993', '9007199254740992']),
    ['s.geojson', whole(['9007199254740992', '9007199254740993'])],
  );
  assert.deepEqual(exact.features.map(({ properties }) => properties.row_2), [1, 0]); // biome-ignore format: one line
  assert.equal(exact.counts.SOURCE_FIELD_RENAMED, 1);
});

test('keys of several fields, with other names in the source, of which a condition chooses rows', async () => {
  const input = collectionOf([
    { a: 'x', b: 1 },
    { a: 'x', b: 2 },
    { a: 'xx', b: 1 },
  ]);
  const source = 'p,q,r,ok\nx,1,10,1\nx,2,20,0\nxx,1,30,1\n';
  const params = { key: ['a', 'b'], key_of_source: ['p', 'q'], fields: ['r'], source_filter: 'ok = 1' };
  const { features } = await run(params, input, source);
  assert.deepEqual(features.map(({ properties }) => properties.r), [10, null, 30]); // biome-ignore format: one line
});

test('fields that are missing on either side are errors that name the side', async () => {
  await assert.rejects(run({ key: ['kode'] }), (error: Error) => /'t.csv'.*'kode'/s.test(error.message));
  await assert.rejects(
    run({ key: ['kode'], key_of_source: ['code'] }),
    (error: Error) =>
      /'kode'/.test(error.message) && /code/.test(error.message) && !/t.csv/.test(error.message),
  );
  await assert.rejects(run({ fields: ['pup'] }), { code: 'FIELD_UNKNOWN' });
  await assert.rejects(run({ key: ['code', 'x'], key_of_source: ['code'] }), {
    code: 'TRANSFORMATION_INVALID',
  });
  await assert.rejects(run({ matches: 'first', aggregate: { pop: 'sum' } }), {
    code: 'TRANSFORMATION_INVALID',
  });
});

test('an empty source matches nothing, and a broken one is an error that names it', async () => {
  const { features, counts } = await run({}, TOWNS, 'code,name\n');
  assert.deepEqual(features[0].properties, { code: '01', name: null });
  assert.deepEqual(counts, { JOIN_UNMATCHED: 4 });
  await assert.rejects(run({}, TOWNS, ''), (error: Error) => /t.csv/.test(error.message));
  await assert.rejects(run({}, TOWNS, 'code,name\n1,2,3\n'), { code: 'CSV_SYNTAX' });
});

test('law: matches are those of a map, counts add up', async () => {
  const codes = fc.array(fc.option(fc.integer({ min: 0, max: 12 })), { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(codes, codes, async (left, right) => {
      const input = collectionOf(left.map((code, n) => ({ n, code })));
      const source = JSON.stringify(
        collectionOf(
          right.map((code, m) => ({ code, m })),
          () => null,
        ),
      );
      const params = { key: ['code'], matches: 'all' };
      const { features, counts } = await runWithSource('join', params, input, ['s.geojson', source], {
        threads: 1,
      });
      const expected = left.flatMap((code, n) => {
        const matches = right.flatMap((other, m) => (code !== null && other === code ? [m] : []));
        return (matches.length === 0 ? [null] : matches).map((m) => [n, m]);
      });
      assert.deepEqual(features.map(({ properties: { n, m } }) => [n, m]), expected); // biome-ignore format: one line
      const isMatched = new Set(expected.flatMap(([, m]) => (m === null ? [] : [m])));
      assert.equal(counts.SOURCE_ROWS_UNMATCHED ?? 0, right.length - isMatched.size);
      assert.equal(counts.JOIN_UNMATCHED ?? 0, expected.filter(([, m]) => m === null).length);
    }),
    { numRuns: 40 },
  );
});

test('sources beyond a limit are refused with what to do', async () => {
  const points = new GeometryBuilder('XY');
  const ids = new ColumnBuilder('int32');
  for (let row = 0; row < 4; row++) {
    points.position(row, row);
    points.endRing();
    points.endPart(PART_KIND.point);
    points.endFeature(GEOMETRY_TYPE.point);
    ids.appendNumber(row);
  }
  const batch = {
    rowCount: 4,
    geometry: points.finish(),
    fields: [{ name: 'a', type: 'int32' } as const],
    columns: [ids.finish()],
    ids: null,
  };
  const addedTwice = (limits: object, fields: readonly string[] | null = null): void => {
    const collector = new FeatureSourceCollector('step.source', fields, 'any', {
      ...SOURCE_LIMITS,
      ...limits,
    });
    collector.add(batch, 's.csv');
    collector.add(batch, 's.csv');
    assert.equal(collector.finish().table.rowCount, 8);
  };
  addedTwice({ bytes: 32, rows: 8, positions: 8 });
  const tooLarge = { code: 'TRANSFORMATION_INVALID', message: /'source' has more than .* name fewer fields/ };
  assert.throws(() => addedTwice({ bytes: 31 }), tooLarge);
  assert.throws(() => addedTwice({ rows: 7 }), tooLarge);
  assert.throws(() => addedTwice({ positions: 7 }), { message: /more than 7 positions.* simplify it/ });
  // Columns that are not used do not count.
  addedTwice({ bytes: 0 }, []);
  const limits = { ...DEFAULT_INPUT_LIMITS, fields: 2 };
  await assert.rejects(
    runWithSource('join', { key: ['code'] }, TOWNS, ['t.csv', TABLE], { limits }),
    ({ code, message, location }: GeomillError) =>
      code === 'LIMIT_EXCEEDED' && /number of fields of layer 't' is 3; the limit is 2/.test(message) && location?.file === 't.csv', // biome-ignore format: one line
  );
});
