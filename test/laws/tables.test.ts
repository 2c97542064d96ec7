/** Formats that say that they hold tables write rows without geometries and read them again with the same values. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { formats } from '../../packages/formats/src/registry.ts';
import { transformations } from '../../packages/operations/src/registry.ts';
import { type ConvertOptions, convertFile, makeWorkspace } from '../support/convert.ts';
import { zipMembers } from '../support/spec/outputs.ts';
import { storedZip } from '../support/zip-members.ts';

const holding = formats.filter(({ holdsTables }) => holdsTables === true);
const MANY_FIELDS = Array.from({ length: 140 }, (_, i) => `f${i}`);
/** Tables by what is special about them. */
const TABLES: Readonly<Record<string, string>> = {
  types: 'id,name,size,isOpen,day\n1,Äpfel,1.5,true,2024-02-29\n2,"a,b",,false,\n3,,-7.25,,1999-12-31\n',
  'one column': 'name\na\nb\n',
  'columns named as a key': 'fid,rowid,id\n7,a,x\n8,b,y\n',
  'more columns than a record header of one byte has': `${MANY_FIELDS.join(',')}\n${MANY_FIELDS.map((_, i) => i).join(',')}\n`,
  'one more column than that': `${MANY_FIELDS.slice(0, 125).join(',')}\n${MANY_FIELDS.slice(0, 125).join(',')}\n`,
};

async function converted(folder: string, input: string, options: ConvertOptions): Promise<string> {
  return (await convertFile(input, folder, { threads: 1, ...options })).outputPath;
}

async function roundTrip(table: string, format: string): Promise<string> {
  using first = makeWorkspace();
  using second = makeWorkspace();
  const input = join(first.path, 'table.csv');
  writeFileSync(input, table);
  const written = await converted(first.path, input, { from: 'csv', to: format });
  return readFileSync(await converted(second.path, written, { from: format, to: 'csv' }), 'utf8');
}

test('a .dbf alone is a table wherever it is, and part of a shapefile beside its .shp', async () => {
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'in.csv');
  writeFileSync(input, 'name,n\nÄpfel,7\nb,8\n');
  const points = join(workspace.path, 'points.csv');
  writeFileSync(points, 'name,lon,lat\np,8.5,49\n');
  const zip = await converted(workspace.path, input, { from: 'csv', to: 'shp', outputName: 'table' });
  const shapes = await converted(workspace.path, points, { from: 'csv', to: 'shp', outputName: 'points' });
  const members = new Map([
    ...(await zipMembers(readFileSync(zip))),
    ...(await zipMembers(readFileSync(shapes))),
  ]);
  assert.deepEqual([...members.keys()].sort(), [
    'points.cpg',
    'points.dbf',
    'points.prj',
    'points.shp',
    'points.shx',
    'table.cpg',
    'table.dbf',
  ]);
  const folder = join(workspace.path, 'loose');
  mkdirSync(folder);
  for (const [name, bytes] of members) writeFileSync(join(folder, name), bytes);
  const toCsv = async (
    path: string,
    options: Partial<ConvertOptions> = {},
  ): Promise<readonly [string, string[]]> => {
    using copy = makeWorkspace();
    const request = { from: 'shp', to: 'csv', threads: 1, ...options };
    const { outputPath, report } = await convertFile(path, copy.path, request);
    return [readFileSync(outputPath, 'utf8'), report.warnings.map(({ code }) => code)];
  };
  const table = 'name,n\nÄpfel,7\nb,8\n';
  assert.equal((await toCsv(join(folder, 'table.dbf')))[0], table);
  assert.match((await toCsv(join(folder, 'points.dbf')))[0], /^name,geom_wkt\np,POINT \(8\.5 49\)\n$/);
  const both = join(workspace.path, 'both.zip');
  writeFileSync(both, storedZip([...members].map(([name, bytes]) => ({ name, bytes }))));
  const [text, codes] = await toCsv(both);
  assert.match(text, /POINT \(8\.5 49\)/);
  assert.ok(codes.includes('ATTRIBUTES_SKIPPED'), codes.join());
  assert.equal((await toCsv(both, { layers: ['table'] }))[0], table);
  const gpkg = await converted(workspace.path, both, { from: 'shp', to: 'gpkg', outputName: 'both' });
  using database = new DatabaseSync(gpkg);
  assert.deepEqual(
    database
      .prepare('SELECT table_name, data_type FROM gpkg_contents ORDER BY 1')
      .all()
      .map((row) => Object.values(row).join(' ')),
    ['points features', 'table attributes'],
  );
});

test('deleted rows of a .dbf alone are no rows', async () => {
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'in.csv');
  writeFileSync(input, 'name,n\na,7\nb,8\n');
  const zip = await converted(workspace.path, input, { from: 'csv', to: 'shp', outputName: 'table' });
  const bytes = (await zipMembers(readFileSync(zip))).get('table.dbf');
  assert.ok(bytes !== undefined);
  bytes[new DataView(bytes.buffer, bytes.byteOffset).getUint16(8, true)] = 0x2a;
  const path = join(workspace.path, 'table.dbf');
  writeFileSync(path, bytes);
  const { outputPath, report } = await convertFile(path, workspace.path, {
    from: 'shp',
    to: 'csv',
    outputName: 'out',
  });
  assert.equal(readFileSync(outputPath, 'utf8'), 'name,n\nb,8\n');
  assert.ok(report.warnings.some(({ code }) => code === 'RECORD_DELETED'));
});

test('some formats hold tables', () => {
  const ids = holding.map(({ id }) => id);
  for (const id of ['csv', 'gpkg', 'xlsx', 'geoparquet', 'shp']) assert.ok(ids.includes(id), id);
});

for (const { id } of holding)
  for (const [what, table] of Object.entries(TABLES))
    test(`${id} keeps a table: ${what}`, async () => {
      const expected = what === 'one column' ? 'name,\na,\nb,\n' : table;
      assert.equal(await roundTrip(table, id), expected);
    });

for (const { id } of holding)
  test(`${id} writes no geometries on request, and counts them`, async () => {
    using workspace = makeWorkspace();
    using back = makeWorkspace();
    const input = join(workspace.path, 'in.csv');
    // Projected coordinates without a CRS: nothing needs one.
    writeFileSync(input, 'name,geom_wkt\na,POINT(3400000 5600000)\nb,\n');
    const options = { threads: 1, from: 'csv', to: id, writeOptions: { geometry: 'none' } };
    const { outputPath, report } = await convertFile(input, workspace.path, options);
    const found = report.warnings.find(({ code }) => code === 'GEOMETRY_NOT_WRITTEN');
    assert.equal(found?.count, 1);
    const text = readFileSync(await converted(back.path, outputPath, { from: id, to: 'csv' }), 'utf8');
    assert.equal(text, 'name,\na,\nb,\n');
  });

test('columns of coordinates stay fields where no geometries are written', async () => {
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'in.csv');
  writeFileSync(input, 'name,lon,lat\na,8.5,49\nb,n/a,49\n');
  const options = { from: 'csv', to: 'csv', writeOptions: { geometry: 'none' } };
  const text = readFileSync(await converted(workspace.path, input, options), 'utf8');
  assert.equal(text, 'name,lon,lat\na,8.5,49\nb,n/a,49\n');
});

test('a GeoPackage keeps tables beside features', async () => {
  using workspace = makeWorkspace();
  const [points, owners] = ['points.csv', 'owners.csv'].map((name) => join(workspace.path, name));
  writeFileSync(points, 'name,lon,lat\na,8.5,49\n');
  writeFileSync(owners, 'owner\nx\ny\n');
  using both = makeWorkspace();
  const target = await converted(both.path, points, { from: 'csv', to: 'gpkg', outputName: 'both' });
  const rows = await converted(workspace.path, owners, { from: 'csv', to: 'gpkg', outputName: 'rows' });
  const database = new DatabaseSync(target);
  database.exec(`ATTACH '${rows}' AS other;
    CREATE TABLE owners AS SELECT * FROM other.owners;
    INSERT INTO gpkg_contents (table_name, data_type, identifier, srs_id) VALUES ('owners', 'attributes', 'owners', 0)`);
  database.close();
  const layersOf = async (options: Partial<ConvertOptions>): Promise<string[]> => {
    using copy = makeWorkspace();
    const request = { threads: 1, from: 'gpkg', to: 'gpkg', ...options };
    const { report, outputPath } = await convertFile(target, copy.path, request);
    const read = new DatabaseSync(outputPath);
    const types = read.prepare('SELECT table_name, data_type FROM gpkg_contents ORDER BY 1').all();
    read.close();
    const skipped = report.warnings.filter(({ code }) => code === 'LAYER_SKIPPED').map(() => 'skipped');
    return [...types.map((row) => Object.values(row).join(' ')), ...skipped];
  };
  assert.deepEqual(await layersOf({}), ['owners attributes', 'points features']);
  const rename = { type: 'rename', params: { fields: { name: 'title' } } };
  assert.deepEqual(await layersOf({ transformations: [rename] }), ['owners attributes', 'points features']);
  const onPoints = { ...rename, params: { ...rename.params, layer: 'points' } };
  assert.deepEqual(await layersOf({ transformations: [onPoints] }), ['owners attributes', 'points features']);
  assert.deepEqual(await layersOf({ layers: ['owners'] }), ['owners attributes']);
});

for (const { id, usesGeometries, fileParameter } of transformations) {
  if (usesGeometries !== 'needed' || fileParameter !== undefined) continue;
  test(`${id} refuses a table`, async () => {
    using workspace = makeWorkspace();
    const input = join(workspace.path, 'in.csv');
    writeFileSync(input, 'name\na\n');
    const step = { type: id, params: {} };
    await assert.rejects(
      converted(workspace.path, input, { from: 'csv', to: 'csv', transformations: [step] }),
      (error: { code?: string }) => error.code === 'STEP_NEEDS_GEOMETRY',
    );
  });
}
