/**
 * Law: with a sidecar, a GeoPackage that is written in another format and read back has the same schema and the same values; what the file does
 * not give back is in the report.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { inputFormats } from '../../packages/formats/src/registry.ts';
import { UNLIMITED } from '../../packages/io/src/limits.ts';
import { UnpackBudget } from '../../packages/io/src/unpack-budget.ts';
import { readZipDirectory, unpackEntry } from '../../packages/io/src/zip-read.ts';
import { type Converted, convertFile, makeWorkspace } from '../support/convert.ts';

const holding = inputFormats.filter(
  ({ writeOptions, loadWriter }) => loadWriter !== null && 'sidecar' in writeOptions.properties,
);

const LONG = 'a name that is longer than most formats allow';
const VALUES = [
  ['', 1, '2024-02-29', '2024-02-29T12:30:15.250Z', 9007199254740993n, 0.1, 3, Uint8Array.of(0, 255), 'a'],
  [null, 0, null, '1999-12-31T23:59:59.000Z', -1n, 1 / 3, null, null, 'b'],
  [' blanks around ', null, '0001-01-01', null, null, null, -5, Uint8Array.of(1), null],
  ['007', 1, '1970-01-01', '2030-06-01T00:00:00.000Z', 2n ** 62n, 1e300, 2 ** 31 - 1, Uint8Array.of(), 'a'],
  [`${'long '.repeat(70)}end`, 0, '2000-01-01', null, 0n, -0.5, 0, null, 'b'],
] as const;

/** A GeoPackage of points with what other formats have no place for. */
async function model(directory: string): Promise<string> {
  const input = join(directory, 'points.geojson');
  const features = VALUES.map((_, i) => ({
    type: 'Feature',
    properties: {},
    geometry: { type: 'Point', coordinates: [9 + i / 7, 48 + i / 3] },
  }));
  writeFileSync(input, JSON.stringify({ type: 'FeatureCollection', features }));
  const { outputPath } = await convertFile(input, directory, {
    from: 'geojson',
    to: 'gpkg',
    toCrs: 'EPSG:25832',
    outputName: 'made',
    layerName: 'places',
    writeOptions: { spatial_index: false },
  });
  const database = new DatabaseSync(outputPath);
  database.exec(`
    ALTER TABLE places ADD COLUMN "${LONG}" TEXT;
    ALTER TABLE places ADD COLUMN "${LONG} or not" BOOLEAN;
    ALTER TABLE places ADD COLUMN day DATE;
    ALTER TABLE places ADD COLUMN "at" DATETIME;
    ALTER TABLE places ADD COLUMN large INTEGER;
    ALTER TABLE places ADD COLUMN measure DOUBLE DEFAULT 2.5;
    ALTER TABLE places ADD COLUMN small MEDIUMINT;
    ALTER TABLE places ADD COLUMN bytes BLOB;
    ALTER TABLE places ADD COLUMN kind TEXT(30);
    CREATE TABLE gpkg_data_columns (table_name TEXT, column_name TEXT, name TEXT, title TEXT, description TEXT, mime_type TEXT, constraint_name TEXT);
    CREATE TABLE gpkg_data_column_constraints (constraint_name TEXT, constraint_type TEXT, value TEXT, min NUMERIC, minIsInclusive BOOLEAN, max NUMERIC, maxIsInclusive BOOLEAN, description TEXT);
    INSERT INTO gpkg_data_columns VALUES ('places', 'kind', 'Kind', 'The kind', 'what it is', NULL, 'kinds');
    INSERT INTO gpkg_data_column_constraints VALUES ('kinds', 'enum', 'a', NULL, NULL, NULL, NULL, 'the first'), ('kinds', 'enum', 'b', NULL, NULL, NULL, NULL, NULL);
    UPDATE gpkg_contents SET identifier = 'Places of the town', description = 'where they are';`);
  const rows = database.prepare('SELECT fid FROM places ORDER BY fid').all();
  const update = database.prepare(
    `UPDATE places SET "${LONG}" = ?, "${LONG} or not" = ?, day = ?, "at" = ?, large = ?, measure = ?, small = ?, bytes = ?, kind = ? WHERE fid = ?`,
  );
  rows.forEach(({ fid }, i) => {
    update.run(...VALUES[i % VALUES.length], fid as number);
  });
  database.exec('UPDATE places SET fid = fid * 3 + 100 WHERE fid > 2');
  database.close();
  return outputPath;
}

const gpkg = (directory: string, path: string, from: string, outputName: string): Promise<Converted> =>
  convertFile(path, directory, { from, to: 'gpkg', outputName, toCrs: 'source', fromCrs: null });

type Row = Record<string, unknown>;

interface Content {
  readonly tables: Row[];
  readonly columns: Row[];
  readonly described: Row[];
  readonly constraints: Row[];
  readonly rows: Row[];
}

function contentOf(path: string): Content {
  using database = new DatabaseSync(path);
  const all = (sql: string): Row[] => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement.all();
  };
  const has = (table: string): boolean =>
    all(`SELECT 1 FROM sqlite_master WHERE name = '${table}'`).length > 0;
  const tables = all(
    "SELECT table_name, identifier, description, srs_id FROM gpkg_contents WHERE data_type = 'features'",
  );
  const table = String(tables[0].table_name);
  return {
    tables,
    columns: all(`SELECT * FROM pragma_table_info('${table}')`),
    described: has('gpkg_data_columns') ? all('SELECT * FROM gpkg_data_columns') : [],
    constraints: has('gpkg_data_column_constraints') ? all('SELECT * FROM gpkg_data_column_constraints') : [],
    rows: all(`SELECT * FROM "${table}" ORDER BY 1`).map((row) => ({ ...row, geom: null })),
  };
}

const codesOf = ({ report }: Converted): string[] => report.warnings.map(({ code }) => code);

test('shapefiles and CSV have sidecars', () => {
  const ids = holding.map(({ id }) => id);
  for (const id of ['shp', 'csv']) assert.ok(ids.includes(id), id);
});

interface RoundTrip {
  readonly before: Converted;
  readonly written: Converted;
  readonly after: Converted;
}

async function roundTrip(directory: string, id: string): Promise<RoundTrip> {
  const before = await gpkg(directory, await model(directory), 'gpkg', 'before');
  const properties = holding.find((one) => one.id === id)?.writeOptions.properties ?? {};
  const written = await convertFile(before.outputPath, directory, {
    from: 'gpkg',
    to: id,
    toCrs: 'source',
    outputName: 'out',
    // Otherwise the features are sorted.
    writeOptions: { sidecar: true, ...('spatial_index' in properties ? { spatial_index: false } : {}) },
  });
  return { before, written, after: await gpkg(directory, written.outputPath, id, 'after') };
}

for (const { id, fixedOutputCrs } of holding)
  test(`gpkg > ${id} > gpkg with a sidecar is the same`, async () => {
    using workspace = makeWorkspace();
    const { before, written, after } = await roundTrip(workspace.path, id);
    assert.ok(codesOf(written).includes('SIDECAR_WRITTEN'), codesOf(written).join());
    assert.ok(codesOf(after).includes('SIDECAR_USED'), JSON.stringify(after.report.warnings));
    assert.equal(after.report.input.format, id);
    const [expected, found] = [contentOf(before.outputPath), contentOf(after.outputPath)];
    if (fixedOutputCrs !== undefined) {
      assert.equal(written.report.output.crs, 'EPSG:4326');
      for (const table of found.tables) table.srs_id = 25832n;
    }
    assert.deepEqual(found, expected);
  });

test('features in another order have no sidecar, which is reported', async () => {
  using workspace = makeWorkspace();
  const before = await model(workspace.path);
  const options = { from: 'gpkg', to: 'flatgeobuf', toCrs: 'source', writeOptions: { sidecar: true } };
  const { report } = await convertFile(before, workspace.path, options);
  const found = report.warnings.find(({ code }) => code === 'SIDECAR_NOT_WRITTEN');
  assert.match(found?.message ?? '', /another order/);
});

/** Writes a CSV with the sidecar as a file beside it, changes the two, and reads them. */
async function changed(
  directory: string,
  changeFile: (text: string) => string,
  changeSidecar: (text: string) => string = (text) => text,
): Promise<Converted> {
  const before = await gpkg(directory, await model(directory), 'gpkg', 'before');
  const { outputPath } = await convertFile(before.outputPath, directory, {
    from: 'gpkg',
    to: 'csv',
    toCrs: 'source',
    outputName: 'packed',
    writeOptions: { sidecar: true },
  });
  const members = await membersOf(outputPath, directory);
  const path = join(directory, 'out.csv');
  writeFileSync(path, changeFile(members.get('packed.csv') ?? ''));
  writeFileSync(join(directory, 'out.geomill.json'), changeSidecar(members.get('packed.geomill.json') ?? ''));
  return convertFile(path, directory, {
    from: 'csv',
    to: 'gpkg',
    outputName: 'after',
    toCrs: 'source',
    fromCrs: 'EPSG:25832',
  });
}

async function membersOf(path: string, directory: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const entries = await readZipDirectory(path, 'packed', new UnpackBudget(UNLIMITED));
  for (const [i, entry] of entries.entries()) {
    const segment = await unpackEntry(path, entry, 'packed', join(directory, `member-${i}`));
    const bytes = readFileSync(segment.path).subarray(segment.start, segment.start + segment.byteLength);
    texts.set(entry.name, bytes.toString());
  }
  return texts;
}

test('a field that was changed stays as the file has it, and the others are restored', async () => {
  using workspace = makeWorkspace();
  const after = await changed(workspace.path, (text) => text.replace('2147483647', '12'));
  const found = after.report.warnings.filter(({ code }) => code === 'SIDECAR_FIELD_CHANGED');
  assert.deepEqual(
    found.map(({ params }) => params.what),
    ["field 'small'"],
  );
  const { columns, rows } = contentOf(after.outputPath);
  assert.deepEqual(
    rows.map(({ small }) => small),
    [3n, null, -5n, 12n, 0n],
  );
  assert.ok(columns.some(({ name, type }) => name === 'bytes' && type === 'BLOB'));
});

test('a new column stays, and a row more leaves all fields as the file has them', async () => {
  using workspace = makeWorkspace();
  const more = await changed(workspace.path, (text) => text.replace(/$/gm, ',x').replace(/\n,x$/, '\n'));
  assert.ok(codesOf(more).includes('SIDECAR_USED'));
  assert.ok(contentOf(more.outputPath).columns.some(({ name }) => name === 'x'));
  using other = makeWorkspace();
  const rows = await changed(other.path, (text) => text + text.trimEnd().split('\n').at(-1));
  assert.ok(!codesOf(rows).includes('SIDECAR_USED'));
  assert.equal(contentOf(rows.outputPath).rows.length, VALUES.length + 1);
});

const DAMAGES: readonly (readonly [what: string, change: (text: string) => string])[] = [
  ['is cut off', (text) => text.slice(0, 300)],
  ['is of a later version', (text) => text.replace('"version":1', '"version":2')],
  ['is nested deeply', () => '['.repeat(100_000)],
  ['has rows that there are not', (text) => text.replace(/"rows":\[\[0,1\]\]/, '"rows":[[0,4000000000]]')],
  ['has a value of another type', (text) => text.replace('"type":"binary"', '"type":"int32"')],
  ['has no fields', (text) => text.replace(/"fields":.*/, '"fields":7}]}')],
  ['has an unknown type', (text) => text.replace('"type":"datetime"', '"type":"__proto__"')],
];

for (const [what, change] of DAMAGES)
  test(`a sidecar that ${what} is reported, and the file is read without it`, async () => {
    using workspace = makeWorkspace();
    const { report } = await changed(workspace.path, (text) => text, change);
    const found = report.warnings.find(({ code }) => code === 'SIDECAR_IGNORED');
    assert.match(found?.message ?? JSON.stringify(report.warnings), /^'out\.geomill\.json' was not used: /);
  });

test('a sidecar of another format is of another file', async () => {
  using workspace = makeWorkspace();
  const { report } = await changed(
    workspace.path,
    (text) => text,
    (text) => text.replace('"format":"csv"', '"format":"xlsx"'),
  );
  assert.ok(!report.warnings.some(({ code }) => code.startsWith('SIDECAR')));
});
