/**
 * Law: what a file says of its fields is in every output that has a place for it, and in the report of every other one. Steps that keep a
 * field keep what is said of it; a step that changes its values keeps its names alone.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { FACT_KINDS, FACT_NAMES, type FieldFacts } from '../../packages/core/src/columns/field-facts.ts';
import { formats, inputFormats } from '../../packages/formats/src/registry.ts';
import { combineFiles, convertFile, makeWorkspace } from '../support/convert.ts';
import { readFileLayers } from '../support/read-layers.ts';

const INPUT = join(import.meta.dirname, '..', 'fixtures', 'geojson', 'gdal-areas.geojson');

const FACTS: FieldFacts = {
  alias: 'Kind',
  title: 'The kind',
  description: 'what it is',
  mediaType: 'text/x-kind',
  width: 30,
  notNull: true,
  unique: true,
  default: { kind: 'value', value: "it's" },
  domain: {
    kind: 'coded',
    name: 'kinds',
    values: [
      { code: 'ring', text: 'a ring' },
      { code: 'hole', text: null },
    ],
  },
};

/** A GeoPackage whose field 'name' has all facts. */
async function model(directory: string, domain = 'kinds', more = ''): Promise<string> {
  const { outputPath } = await convertFile(INPUT, directory, {
    from: 'geojson',
    to: 'gpkg',
    outputName: 'made',
    writeOptions: { spatial_index: false },
    layerName: 'areas',
  });
  const database = new DatabaseSync(outputPath);
  database.exec(`
    ALTER TABLE areas ADD COLUMN kind TEXT(30) NOT NULL DEFAULT 'it''s';
    UPDATE areas SET kind = 'k' || fid;
    CREATE UNIQUE INDEX once ON areas (kind);
    CREATE TABLE gpkg_data_columns (table_name TEXT, column_name TEXT, name TEXT, title TEXT, description TEXT, mime_type TEXT, constraint_name TEXT);
    CREATE TABLE gpkg_data_column_constraints (constraint_name TEXT, constraint_type TEXT, value TEXT, min NUMERIC, minIsInclusive BOOLEAN, max NUMERIC, maxIsInclusive BOOLEAN, description TEXT);
    INSERT INTO gpkg_data_columns VALUES ('areas', 'kind', 'Kind', 'The kind', 'what it is', 'text/x-kind', '${domain}');
    INSERT INTO gpkg_data_column_constraints VALUES ('kinds', 'enum', 'ring', NULL, NULL, NULL, NULL, 'a ring'), ('kinds', 'enum', 'hole', NULL, NULL, NULL, NULL, NULL),
      ('other', 'enum', 'ring', NULL, NULL, NULL, NULL, 'another meaning'); ${more}`);
  database.close();
  return outputPath;
}

async function factsIn(path: string, format: string): Promise<ReadonlyMap<string, FieldFacts>> {
  const input = inputFormats.find(({ id }) => id === format);
  assert.ok(input !== undefined);
  const { layers } = await readFileLayers(await input.loadReader(), path);
  return layers[0].source.facts?.fields ?? new Map();
}

const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
const kindsOf = (facts: FieldFacts | undefined): string[] => Object.keys(facts ?? {}).sort();
const step = (type: string, params: object) => ({
  type,
  params: params as Readonly<Record<string, unknown>>,
});

for (const { id, heldFacts = [], outputFields, loadReader } of formats.filter(
  ({ loadWriter }) => loadWriter !== null,
))
  test(`${id} has the facts of fields that it holds, and reports the others`, async () => {
    using workspace = makeWorkspace();
    const path = await model(workspace.path);
    const { outputPath, report } = await convertFile(path, workspace.path, {
      from: 'gpkg',
      to: id,
      outputName: 'out',
    });
    const lost = report.warnings.filter(({ code }) =>
      /^FIELD_(?:DESCRIPTIONS|CONSTRAINTS)_DROPPED$/.test(code),
    );
    if (outputFields === 'none') return;
    for (const kind of FACT_KINDS) {
      const isReported = lost.some(({ message }) => message.includes(`${FACT_NAMES[kind]} of 'kind'`));
      assert.equal(isReported, !heldFacts.includes(kind), `${kind}: ${JSON.stringify(lost)}`);
    }
    if (heldFacts.length === 0 || loadReader === null) return;
    const facts = (await factsIn(outputPath, id)).get('kind');
    assert.deepEqual(kindsOf(facts), [...heldFacts].sort());
    for (const kind of heldFacts.filter((one) => one !== 'domain'))
      assert.deepEqual(facts?.[kind], FACTS[kind]);
  });

for (const { id, heldFacts = [], loadReader } of formats.filter(({ loadWriter }) => loadWriter !== null))
  test(`widths that a .dbf has to state are in ${id} if it holds widths, and are no loss otherwise`, async () => {
    using workspace = makeWorkspace();
    const path = await model(workspace.path);
    const options = { from: 'gpkg', to: 'shp', outputName: 'first' };
    const shapefile = await convertFile(path, workspace.path, options);
    for (const transformations of [[], [step('calculate', { fields: { kind: "'x'" } })]]) {
      const { outputPath, report } = await convertFile(shapefile.outputPath, workspace.path, {
        from: 'shp',
        to: id,
        outputName: `second${transformations.length}`,
        transformations,
      });
      const lost = report.warnings.filter(({ message }) => /the width/.test(message));
      assert.deepEqual(lost, []);
      if (!heldFacts.includes('width') || loadReader === null || transformations.length > 0) continue;
      assert.equal((await factsIn(outputPath, id)).get('kind')?.width, 30);
    }
  });

test('a width that a .dbf cannot have is reported, and one too narrow for its values becomes as wide as they are', async () => {
  using workspace = makeWorkspace();
  const long = 'ALTER TABLE areas ADD COLUMN long TEXT(300); ALTER TABLE areas ADD COLUMN narrow TEXT(1);';
  const path = await model(workspace.path, 'kinds', `${long} UPDATE areas SET narrow = 'äbcd'`);
  const options = { from: 'gpkg', to: 'shp', outputName: 'out' };
  const { outputPath, report } = await convertFile(path, workspace.path, options);
  const facts = await factsIn(outputPath, 'shp');
  assert.deepEqual([facts.get('long')?.width, facts.get('narrow')?.width], [254, 5]);
  const lost = report.warnings.filter(({ message }) => message.includes('the width of '));
  assert.deepEqual(
    lost.map(({ message }) => message),
    ["layer 'areas': the width of 'long' is not kept: it becomes 254, the greatest of a .dbf"],
  );
});

test('the alternative name of a field that becomes an element of a placemark is reported', async () => {
  using workspace = makeWorkspace();
  const path = await model(
    workspace.path,
    'kinds',
    `ALTER TABLE areas ADD COLUMN description TEXT;
    INSERT INTO gpkg_data_columns (table_name, column_name, name) VALUES ('areas', 'description', 'Words')`,
  );
  const options = { from: 'gpkg', to: 'kml', outputName: 'out' };
  const { outputPath, report } = await convertFile(path, workspace.path, options);
  const lost = report.warnings.filter(({ message }) => message.includes('the alternative name'));
  assert.equal(lost.length, 1);
  assert.match(lost[0].message, /the alternative name of 'description' is not kept/);
  assert.equal((await factsIn(outputPath, 'kml')).get('kind')?.alias, 'Kind');
});

const ALL = [...FACT_KINDS].sort();
const STEPS: readonly (readonly [
  what: string,
  field: string,
  kinds: readonly string[],
  steps: readonly object[],
])[] = [
  ['a filter', 'kind', ALL, [step('filter', { where: "kind <> 'k1'" })]],
  ['a reprojection', 'kind', ALL, [step('reproject', { crs: 'EPSG:3857' })]],
  ['a rename', 'sort', ALL, [step('rename', { fields: { kind: 'sort' } })]],
  ['a selection of fields', 'kind', ALL, [step('select', { fields: ['kind'] })]],
  ['a sort', 'kind', ALL, [step('sort', { by: ['kind'] })]],
  ['another geometry', 'kind', ALL, [step('centroid', {})]],
  ['a calculation of another field', 'kind', ALL, [step('calculate', { fields: { n: '1' } })]],
  [
    'a calculation of the field',
    'kind',
    ['alias', 'description', 'title'],
    [step('calculate', { fields: { kind: "'x'" } })],
  ],
  ['a cast to the same type', 'kind', ALL, [step('cast', { fields: { kind: 'text' } })]],
  [
    'two renames',
    'kind',
    ALL,
    [step('rename', { fields: { kind: 'a' } }), step('rename', { fields: { a: 'kind' } })],
  ],
];

for (const [what, field, kinds, transformations] of STEPS)
  test(`after ${what} a GeoPackage has ${kinds.length === ALL.length ? 'all facts' : kinds.join(', ')} of the field`, async () => {
    using workspace = makeWorkspace();
    const path = await model(workspace.path);
    const { outputPath, report } = await convertFile(path, workspace.path, {
      from: 'gpkg',
      to: 'gpkg',
      outputName: 'out',
      transformations: transformations as never,
    });
    assert.deepEqual(kindsOf((await factsIn(outputPath, 'gpkg')).get(field)), kinds);
    const isReported = report.warnings.some(({ message }) => message.includes('a step changes the values'));
    assert.equal(isReported, kinds.length < ALL.length);
  });

for (const { id, outputFields, writeOptions, loadReader } of formats.filter(
  ({ loadWriter }) => loadWriter !== null,
))
  test(`${id} has texts of domains in place of codes, or beside them`, async () => {
    assert.ok('domains' in writeOptions.properties);
    if (loadReader === null || outputFields === 'none') return;
    using workspace = makeWorkspace();
    const codes =
      "UPDATE areas SET kind = CASE fid WHEN 1 THEN 'ring' WHEN 2 THEN 'hole' ELSE 'k' || fid END";
    const path = await model(workspace.path, 'kinds', codes);
    const convert = async (domains: string): Promise<readonly string[]> => {
      const { outputPath, report } = await convertFile(path, workspace.path, {
        from: 'gpkg',
        to: id,
        outputName: domains,
        writeOptions: { domains },
        transformations: [step('rename', { fields: { kind: 'sort' } })],
      });
      assert.ok(!report.warnings.some(({ message }) => message.includes('a step changes the values')));
      assert.ok(report.warnings.some(({ code }) => code === 'DOMAIN_CODE_UNKNOWN'));
      const input = inputFormats.find((one) => one.id === id);
      assert.ok(input !== undefined);
      const { layers } = await readFileLayers(await input.loadReader(), outputPath);
      const all = layers.map((layer) => JSON.stringify(layer.rows, plain)).join();
      return ['a ring', 'hole', 'k3', 'ring"'].filter((text) => all.includes(text));
    };
    // Formats of drawings and tracks have their own places for values.
    if (id === 'dxf' || id === 'gpx') return;
    assert.deepEqual(await convert('text'), ['a ring', 'hole', 'k3', 'ring"']);
    assert.deepEqual(await convert('both'), ['a ring', 'hole', 'k3', 'ring"']);
  });

test('texts are in the field of the codes, or in one after it, and the domain stays with the codes', async () => {
  using workspace = makeWorkspace();
  const path = await model(workspace.path, 'kinds', "UPDATE areas SET kind = 'ring' WHERE fid = 1");
  const rows = async (domains: string): Promise<unknown> => {
    const { outputPath } = await convertFile(path, workspace.path, {
      from: 'gpkg',
      to: 'gpkg',
      outputName: domains,
      writeOptions: { domains },
    });
    using database = new DatabaseSync(outputPath, { readOnly: true });
    const facts = await factsIn(outputPath, 'gpkg');
    const row = database.prepare('SELECT * FROM areas WHERE fid = 1').get() as Record<string, unknown>;
    return [row.kind, row.kind_text, kindsOf(facts.get('kind')).includes('domain'), facts.get('kind')?.alias];
  };
  assert.deepEqual(await rows('code'), ['ring', undefined, true, 'Kind']);
  assert.deepEqual(await rows('text'), ['a ring', undefined, false, 'Kind']);
  assert.deepEqual(await rows('both'), ['ring', 'a ring', true, 'Kind']);
});

test('features that do not meet a constraint cost the constraint, and the report says so', async () => {
  using workspace = makeWorkspace();
  const path = await model(workspace.path);
  const { outputPath, report } = await convertFile(path, workspace.path, {
    from: 'gpkg',
    to: 'gpkg',
    outputName: 'out',
    transformations: [step('vertices', {}), step('explode', {})],
  });
  const facts = (await factsIn(outputPath, 'gpkg')).get('kind');
  assert.equal(facts?.unique, undefined);
  using database = new DatabaseSync(outputPath, { readOnly: true });
  assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
  assert.equal(facts?.notNull, true);
  assert.ok(
    report.warnings.some(({ code, message }) => code === 'CONSTRAINT_NOT_MET' && message.includes('UNIQUE')),
  );
});

test('a merge joins the domains of its files, unless a code has two meanings', async () => {
  using workspace = makeWorkspace();
  const first = await model(join(workspace.path, 'a'));
  const second = await model(
    join(workspace.path, 'b'),
    'kinds',
    "INSERT INTO gpkg_data_column_constraints VALUES ('kinds', 'enum', 'new', NULL, NULL, NULL, NULL, 'a new one')",
  );
  const third = await model(join(workspace.path, 'c'), 'other');
  const options = { operation: 'merge', from: 'gpkg', to: 'gpkg', merge: { attributes: 'union' } } as const;
  const joined = await combineFiles([first, second], workspace.path, { ...options, outputName: 'joined' });
  const { domain } = (await factsIn(joined.outputPath, 'gpkg')).get('kind') ?? {};
  assert.ok(domain?.kind === 'coded');
  assert.deepEqual(
    domain.values.map(({ code }) => code),
    ['ring', 'hole', 'new'],
  );
  assert.ok(!joined.report.warnings.some(({ code }) => code === 'FIELD_FACTS_DIFFER'));
  const differing = await combineFiles([first, third], workspace.path, {
    ...options,
    outputName: 'differing',
  });
  assert.ok(
    differing.report.warnings.some(
      ({ code, message }) => code === 'FIELD_FACTS_DIFFER' && message.includes("the domain of field 'kind'"),
    ),
  );
});

test('names of tables, columns and domains in the SQL of a GeoPackage can be anything', async () => {
  using workspace = makeWorkspace();
  const path = await model(workspace.path);
  const name = `q"'; DROP TABLE areas; --`;
  const { outputPath } = await convertFile(path, workspace.path, {
    from: 'gpkg',
    to: 'gpkg',
    outputName: 'out',
    layerName: name,
    writeOptions: { spatial_index: false },
    transformations: [step('rename', { fields: { kind: name } })],
  });
  assert.deepEqual(kindsOf((await factsIn(outputPath, 'gpkg')).get(name)), ALL);
  const database = new DatabaseSync(outputPath);
  database.exec(`INSERT INTO "${name.replaceAll('"', '""')}" (id) VALUES (9)`.replace('(id)', '(fid)'));
  database.close();
  assert.ok(readFileSync(outputPath).length > 0);
});
