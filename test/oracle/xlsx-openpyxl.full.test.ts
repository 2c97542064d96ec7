/** openpyxl and GDAL read what geomill writes, and geomill reads what they write. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { reader } from '../../packages/formats/src/xlsx/read.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { readFileLayers } from '../support/read-layers.ts';

const PYTHON = '/usr/bin/python3';
const has = (module: string): boolean => spawnSync(PYTHON, ['-c', `import ${module}`]).status === 0;
const skip =
  has('openpyxl') && has('osgeo.ogr') ? false : 'python3-openpyxl or python3-gdal is not installed';

function python(script: string, ...argv: readonly string[]): string {
  const done = spawnSync(PYTHON, ['-c', script, ...argv], {
    encoding: 'utf8',
    env: { ...process.env, OGR_XLSX_HEADERS: 'FORCE' },
  });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}

const feature = (properties: object, geometry: object | null): object => ({
  type: 'Feature',
  properties,
  geometry,
});
const COLLECTION = {
  type: 'FeatureCollection',
  features: [
    feature(
      {
        text: ' =SUM(A1) <é> ',
        count: 7,
        share: 0.25,
        yes: true,
        day: '2024-02-29',
        at: '2024-02-29T10:30:00',
      },
      {
        type: 'LineString',
        coordinates: [
          [1, 2],
          [3.5, 4],
        ],
      },
    ),
    feature({}, null),
    feature({ text: '_x0041_\u0001', count: -1 }, { type: 'Point', coordinates: [8.55, 47.37] }),
  ],
};

test('openpyxl and GDAL read the cells of a written workbook', { skip }, async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'a.geojson');
  writeFileSync(path, JSON.stringify(COLLECTION));
  const { outputPath } = await convertFile(path, workspace.path, { from: 'geojson', to: 'xlsx' });
  const cells = python(
    `import sys, json, openpyxl
sheet = openpyxl.load_workbook(sys.argv[1]).worksheets[0]
print(json.dumps([[c.value if not hasattr(c.value, 'isoformat') else c.value.isoformat() for c in row] for row in sheet.iter_rows()]))
print(json.dumps([c.data_type for c in sheet[2]]))`,
    outputPath,
  ).split('\n');
  const [header, first, second, third] = JSON.parse(cells[0]) as unknown[][];
  assert.deepEqual(header, ['text', 'count', 'share', 'yes', 'day', 'at', 'geom_wkt']);
  assert.deepEqual(first, [
    ' =SUM(A1) <é> ',
    7,
    0.25,
    true,
    '2024-02-29T00:00:00',
    '2024-02-29T10:30:00',
    'LINESTRING (1 2,3.5 4)',
  ]);
  assert.ok(second.every((value) => value === null || value === ''));
  assert.deepEqual([third[1], third[6]], [-1, 'POINT (8.55 47.37)']);
  assert.deepEqual(JSON.parse(cells[1]).slice(0, 2), ['s', 'n'], 'a text that begins with = is no formula');
  const gdal = python(
    `import sys, json
from osgeo import ogr
dataset = ogr.Open(sys.argv[1])
layer = dataset.GetLayer(0)
types = [layer.GetLayerDefn().GetFieldDefn(i).GetTypeName() for i in range(layer.GetLayerDefn().GetFieldCount())]
print(json.dumps([layer.GetFeatureCount(), types]))`,
    outputPath,
  );
  assert.deepEqual(JSON.parse(gdal), [
    3,
    ['String', 'Integer', 'Real', 'Integer', 'Date', 'DateTime', 'String'],
  ]);
});

const WRITE_OPENPYXL = `import sys, datetime, openpyxl
book = openpyxl.Workbook()
sheet = book.active
sheet.title = 'Stations'
sheet.append(['id', 'lon', 'lat', 'day', 'at', 'ok', 'zip', 'sum'])
sheet.append([1, 8.55, 47.37, datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 10, 30), True, '08001', '=A2*2'])
sheet.append([2, 7.45, 46.95, None, None, False, '3000', None])
book.create_sheet('Empty')
book.save(sys.argv[1])`;

test('a workbook of openpyxl is read', { skip }, async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'a.xlsx');
  python(WRITE_OPENPYXL, path);
  const { layers, findings } = await readFileLayers(reader, path);
  assert.equal(layers.length, 1);
  assert.deepEqual(layers[0].rows[0], {
    id: null,
    geometry: 'POINT (8.55 47.37)',
    properties: { id: 1, day: '2024-02-29', at: '2024-02-29T10:30:00', ok: true, zip: '08001', sum: null },
  });
  const codes = findings.map(({ code }) => code);
  assert.ok(
    codes.includes('XLSX_FORMULAS_WITHOUT_VALUE') && codes.includes('XLSX_SHEETS_SKIPPED'),
    codes.join(),
  );
});

test('a workbook of GDAL is read', { skip }, async () => {
  using workspace = makeWorkspace();
  const csv = join(workspace.path, 'a.csv');
  const path = join(workspace.path, 'a.xlsx');
  writeFileSync(csv, 'name,x,y,day,n\nA & b,1.5,2,2024/02/29,5000000000\n"c ""d""",3,4,,1\n');
  const done = spawnSync('ogr2ogr', ['-f', 'XLSX', path, csv, '-oo', 'AUTODETECT_TYPE=YES'], {
    encoding: 'utf8',
  });
  assert.equal(done.status, 0, done.stderr);
  const { layers } = await readFileLayers(reader, path);
  assert.deepEqual(
    layers[0].rows.map(({ geometry, properties }) => [geometry, properties]),
    [
      ['POINT (1.5 2)', { name: 'A & b', day: '2024-02-29', n: 5_000_000_000 }],
      ['POINT (3 4)', { name: 'c "d"', day: null, n: 1 }],
    ],
  );
});

const MODEL = {
  objectIdFieldName: 'id',
  geometryType: 'esriGeometryPoint',
  spatialReference: { wkid: 4326 },
  fields: [
    { name: 'id', type: 'esriFieldTypeOID' },
    {
      name: 'kind',
      type: 'esriFieldTypeInteger',
      alias: 'Kind <of> "road"',
      domain: {
        type: 'codedValue',
        name: 'kinds',
        codedValues: [
          { code: 1, name: 'motorway, wide' },
          { code: 20, name: 'path' },
        ],
      },
    },
    { name: 'words', type: 'esriFieldTypeString', alias: 'Words' },
  ],
  features: [{ attributes: { id: 1, kind: 20, words: 'x' }, geometry: { x: 1, y: 2 } }],
};

test('what is known of fields is in notes and lists of values, which openpyxl reads', { skip }, async () => {
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'in.json');
  writeFileSync(input, JSON.stringify(MODEL));
  const { outputPath } = await convertFile(input, workspace.path, { from: 'esrijson', to: 'xlsx' });
  const again = join(workspace.path, 'again.xlsx');
  const found = python(
    `import sys, json, openpyxl
book = openpyxl.load_workbook(sys.argv[1])
sheet = book.worksheets[0]
notes = {c.value: c.comment.text for c in sheet[1] if c.comment is not None}
lists = [[str(v.sqref), v.type, v.formula1] for v in sheet.data_validations.dataValidation]
print(json.dumps([notes, lists]))
sheet['A1'].comment = openpyxl.comments.Comment('a number', 'Ann')
book.save(sys.argv[2])`,
    outputPath,
    again,
  );
  const [notes, lists] = JSON.parse(found);
  assert.deepEqual(notes, {
    kind: 'Alternative name: Kind <of> "road"\nValues (kinds):\n1 = motorway, wide\n20 = path',
    words: 'Alternative name: Words',
  });
  const column = (await readFileLayers(reader, outputPath)).layers[0].source.fields?.findIndex(
    ({ name }) => name === 'kind',
  );
  const letter = 'ABC'[column ?? -1];
  assert.deepEqual(lists, [[`${letter}2:${letter}1048576`, 'list', '"1,20"']]);
  const { layers } = await readFileLayers(reader, again);
  const facts = layers[0].source.facts?.fields;
  assert.equal(facts?.get('kind')?.alias, 'Kind <of> "road"');
  assert.equal(facts?.get('kind')?.domain?.name, 'kinds');
  assert.ok([...(facts?.values() ?? [])].some(({ description }) => description === 'a number'));
  const gdal = python(
    'import sys; from osgeo import ogr; book = ogr.Open(sys.argv[1]); print(book.GetLayer(0).GetFeatureCount())',
    outputPath,
  );
  assert.equal(gdal.trim(), '1');
});
