/** CSV without positions: read as features without geometry, unless something looks like a position that cannot be used. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { codes, errorOf, read } from '../../../test/support/csv-texts.ts';
import { readBytesLayers } from '../../../test/support/read-layers.ts';
import { row, workbook } from '../../../test/support/workbooks.ts';
import { reader as csv } from '../src/csv/read.ts';
import { reader as xlsx } from '../src/xlsx/read.ts';

const TABLES = [
  ['name,value\na,1\nb,2\n', ['name string', 'value int32'], 2],
  ['name;value\na;1,5\n', ['name string', 'value string'], 1],
  ['id\n1\n2\n3\n', ['id int32'], 3],
  ['id,name\n', ['id string', 'name string'], 0],
  ['country\t1990\t2000\nCH\t1\t2\n', ['country string', '1990 int32', '2000 int32'], 1],
  ['site,latest,longest\nA,12,40\n', ['site string', 'latest int32', 'longest int32'], 1],
  ['n;Breite;Länge\na;2.5;10\n', ['n string', 'Breite float64', 'Länge int32'], 1],
  ['day,seen\n2024-01-01,true\n', ['day date', 'seen boolean'], 1],
  ['code,note\r\n7,"two\r\nlines"\r\n', ['code int32', 'note string'], 1],
  ['name,location\na,kitchen\n', ['name string', 'location string'], 1],
] as const;

test('a table without positions gives features without geometry, with a finding', async () => {
  for (const [text, expected, count] of TABLES) {
    const { fields, rows } = await read(text);
    assert.deepEqual(
      fields.map(({ name, type }) => `${name} ${type}`),
      expected,
      text,
    );
    assert.equal(rows.length, count, text);
    assert.ok(
      rows.every(({ geometry }) => geometry === null),
      text,
    );
    assert.ok((await codes(text)).includes('CSV_NO_POSITION'), text);
  }
});

test('names the columns that were looked through, and how to state a position', async () => {
  const { findings } = await readBytesLayers(csv, 'name,value\na,1\n');
  const [finding] = findings.filter(({ code }) => code === 'CSV_NO_POSITION');
  assert.deepEqual(finding.params, { columns: "'name', 'value'" });
});

test('a first line of values is data, unless an option says what it is', async () => {
  const text = '1,2020\n2,2021\n';
  assert.deepEqual(
    (await read(text)).rows.map(({ properties }) => properties),
    [
      { column_1: 1, column_2: 2020 },
      { column_1: 2, column_2: 2021 },
    ],
  );
  assert.deepEqual(await codes(text), ['CSV_NO_NAMES', 'CSV_NO_POSITION']);
  assert.deepEqual((await read(text, { has_header: true })).rows.length, 1);
  assert.deepEqual((await read(text, { has_header: false })).rows.length, 2);
  assert.deepEqual(
    (await read(text, { header_line: 2 })).fields.map(({ name }) => name),
    ['2', '2021'],
  );
});

/** What looks like a position but cannot be used. */
const UNUSABLE = [
  ['lon,lat\neast,north\n', /'east'|'north'/],
  ['id,lat,lng\n1,47.5,abc\n2,47.6,def\n', /'lng' contains 'abc'/],
  ['id,latitude,longtude\n1,47.5,8.5\n', /'latitude' is named like a coordinate/],
  ['id,lon\n1,8.5\n', /'lon' is named like a coordinate/],
  ['id,geom\n1,round\n', /'geom' is named like a column of geometries, but contains 'round'/],
  ['id,GEOM_WKT\n1,somewhere\n', /'GEOM_WKT' is named like/],
  ['id,\n1,POINT (1 2)\n', /'' contains WKT/],
  ['id,where\n1,"47.5, 8.5"\n2,"47.6, 8.6"\n', /point_column/],
  ['id,grid\n1,TQ 300 800\n2,TQ 310 810\n', /British grid/],
  ['1,8.5,47.5\n2,8.6,47.6\n', /has_header/],
  ['A;471000;5543000\nB;471001;5543001\n', /has_header/],
  ['Report\n\nname,value,unit\na,1,m\nb,2,m\n', /header_line/],
] as const;

test('an unusable position is an error with advice, not a table of attributes', async () => {
  for (const [text, advice] of UNUSABLE) {
    const error = await errorOf(text);
    assert.match(error, /^CSV_COLUMN_MISSING/, text);
    assert.match(error, advice, text);
  }
});

test('columns that options name are never left out silently', async () => {
  const text = 'name,value\na,1\n';
  assert.match(await errorOf(text, { x_column: 'east', y_column: 'north' }), /^CSV_COLUMN_UNKNOWN/);
  assert.match(await errorOf(text, { geometry_column: 'shape' }), /^CSV_COLUMN_UNKNOWN/);
  assert.match(await errorOf(text, { z_column: 'height' }), /^CSV_COLUMN_MISSING/);
});

test('a workbook has the same rules', async () => {
  const sheet = async (rows: string) =>
    readBytesLayers(xlsx, workbook({ sheets: [{ name: 'a', rows }] }), { name: 'x.xlsx' });
  const { layers, findings } = await sheet(row('name', 'value') + row('a', 1));
  assert.equal(layers[0].rows[0].geometry, null);
  assert.ok(findings.some(({ code }) => code === 'XLSX_NO_POSITION'));
  for (const rows of [
    row('lon', 'lat') + row('east', 'north'),
    row('id', 'latitude', 'longtude') + row(1, 47.5, 8.5),
    row('id', 'geom') + row(1, 'round'),
    row('id', 'grid') + row(1, 'TQ 300 800'),
  ])
    await assert.rejects(sheet(rows), /sheet 'a'.*(contains|is named like)/);
});
