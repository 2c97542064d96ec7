/** Formats that say that they hold tables write rows without geometries and read them again with the same values. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { formats } from '../../packages/formats/src/registry.ts';
import { exampleStep } from '../../packages/operations/src/parts/example-step.ts';
import { transformations } from '../../packages/operations/src/registry.ts';
import { type ConvertOptions, combineFiles, convertFile, makeWorkspace } from '../support/convert.ts';
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

test('tables of attributes of a GeoPackage get rows; geometries that they cannot have are counted as lost', async () => {
  using workspace = makeWorkspace();
  const files = ['t', 'u', 'p'].map((name) => join(workspace.path, `${name}.csv`));
  writeFileSync(files[0], 'name,n\na,1\nb,2\n');
  writeFileSync(files[1], 'n,name,other\n3,c,x\n');
  writeFileSync(files[2], 'name,lon,lat\np,8.5,49\nq,,\n');
  const target = await converted(workspace.path, files[0], { from: 'csv', to: 'gpkg', outputName: 't' });
  const appended = async (path: string, layers: readonly string[] | null = null) => {
    const options = {
      operation: 'append',
      from: 'csv',
      targetFormat: 'gpkg',
      to: 'gpkg',
      threads: 1,
    } as const;
    using copy = makeWorkspace();
    const { outputPath, report } = await combineFiles([target, path], copy.path, {
      ...options,
      ...(layers === null ? {} : { layers }),
      outputName: 'out',
    });
    using database = new DatabaseSync(outputPath);
    const rows = database
      .prepare('SELECT name, n FROM t ORDER BY fid')
      .all()
      .map((row) => Object.values(row).join());
    const [{ type }] = database
      .prepare("SELECT data_type AS type FROM gpkg_contents WHERE table_name = 't'")
      .all();
    const [{ check }] = database
      .prepare('SELECT integrity_check AS "check" FROM pragma_integrity_check')
      .all();
    assert.deepEqual([type, check], ['attributes', 'ok']);
    return { rows, findings: report.warnings };
  };
  const plain = await appended(files[1]);
  assert.deepEqual(plain.rows, ['a,1', 'b,2', 'c,3']);
  const points = await appended(files[2]);
  assert.deepEqual(points.rows, ['a,1', 'b,2', 'p,', 'q,']);
  const lost = points.findings.find(({ code }) => code === 'GEOMETRY_NOT_IN_TARGET');
  assert.equal(lost?.count, 1);
  const update = new DatabaseSync(target);
  const features = await converted(workspace.path, files[2], { from: 'csv', to: 'gpkg', outputName: 'p' });
  update.exec(`ATTACH '${features}' AS other; CREATE TABLE p AS SELECT * FROM other.p;
    INSERT INTO gpkg_contents SELECT * FROM other.gpkg_contents WHERE table_name = 'p';
    INSERT INTO gpkg_geometry_columns SELECT * FROM other.gpkg_geometry_columns`);
  update.close();
  assert.deepEqual((await appended(files[1], ['t'])).rows, ['a,1', 'b,2', 'c,3']);
});

test('a merge of tables needs its attributes, and then joins their rows', async () => {
  using workspace = makeWorkspace();
  const files = ['t', 'u'].map((name) => join(workspace.path, `${name}.csv`));
  writeFileSync(files[0], 'name,n\na,1\n');
  writeFileSync(files[1], 'name,m\nb,2\n');
  for (const { id } of holding) {
    const options = { operation: 'merge', from: 'csv', to: id, threads: 1, outputName: 'out' } as const;
    await assert.rejects(
      combineFiles(files, join(workspace.path, `${id}-1`), options),
      (error: { code?: string }) => error.code === 'MERGE_NEEDS_ATTRIBUTES',
    );
    const merged = await combineFiles(files, join(workspace.path, `${id}-2`), {
      ...options,
      merge: { attributes: 'union' },
    });
    const back = await converted(join(workspace.path, `${id}-3`), merged.outputPath, { from: id, to: 'csv' });
    assert.equal(readFileSync(back, 'utf8'), 'name,n,m\na,1,\nb,,2\n', id);
  }
});

/** Parameters of the steps that need no geometries, and the table that they make of TABLE. */
const TABLE = 'name,n\na,1\nb,2\na,3\n';
const WORKING: Readonly<Record<string, readonly [params: object, expected: string | RegExp]>> = {
  calculate: [{ fields: { m: 'n * 2' } }, 'name,n,m\na,1,2\nb,2,4\na,3,6\n'],
  cast: [{ fields: { n: 'text' } }, TABLE],
  dissolve: [{ by: ['name'] }, /^name,n\na,1\nb,2\n$/],
  distinct: [{ by: ['name'] }, 'name,n\na,1\nb,2\n'],
  drop: [{ fields: ['name'] }, 'n,\n1,\n2,\n3,\n'],
  filter: [{ where: "name = 'a'" }, 'name,n\na,1\na,3\n'],
  limit: [{ count: 1 }, 'name,n\na,1\n'],
  rename: [{ fields: { n: 'number' } }, 'name,number\na,1\nb,2\na,3\n'],
  reproject: [{ crs: 'EPSG:3857' }, TABLE],
  sample: [{ count: 3 }, TABLE],
  select: [{ fields: ['name', 'n'] }, TABLE],
  sort: [{ by: ['n'], descending: true }, /^name,n\n/],
};

for (const transformation of transformations) {
  const { id, usesGeometries, fileParameter } = transformation;
  // Its rows are in a file; the recipes join one to a table.
  if (id === 'join') continue;
  const needs = usesGeometries === 'needed';
  test(`${id} ${needs ? 'refuses a table' : 'works on a table'}`, async () => {
    using workspace = makeWorkspace();
    const input = join(workspace.path, 'in.csv');
    writeFileSync(input, TABLE);
    const run = (params: object) =>
      converted(workspace.path, input, {
        from: 'csv',
        to: 'csv',
        transformations: [{ type: id, params: params as Readonly<Record<string, unknown>> }],
      });
    if (needs) {
      const { params = {} } = fileParameter === undefined ? {} : exampleStep(transformation);
      await assert.rejects(run(params), (error: { code?: string }) => error.code === 'STEP_NEEDS_GEOMETRY');
      return;
    }
    assert.ok(id in WORKING, `${id}: say here what it makes of a table`);
    const [params, expected] = WORKING[id];
    const text = readFileSync(await run(params), 'utf8');
    if (typeof expected === 'string') assert.equal(text, expected);
    else assert.match(text, expected);
  });
}

test('a box or an expression of geometries on a table says that it has none, or has no value', async () => {
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'in.csv');
  writeFileSync(input, TABLE);
  const run = (type: string, params: object) =>
    converted(workspace.path, input, {
      from: 'csv',
      to: 'csv',
      transformations: [{ type, params: params as Readonly<Record<string, unknown>> }],
    });
  await assert.rejects(
    run('filter', { bbox: [0, 0, 1, 1] }),
    (error: { code?: string }) => error.code === 'STEP_NEEDS_GEOMETRY',
  );
  assert.equal(
    readFileSync(await run('calculate', { fields: { size: 'area()' } }), 'utf8'),
    'name,n,size\na,1,\nb,2,\na,3,\n',
  );
});
