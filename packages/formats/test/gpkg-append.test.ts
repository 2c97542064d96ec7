/** Appending to a GeoPackage keeps everything else in it. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { type Feature, pointAt, writeGeojson } from '../../../test/support/combine.ts';
import {
  type CombineOptions,
  type Converted,
  combineFiles,
  makeWorkspace,
} from '../../../test/support/convert.ts';
import {
  changeDatabase,
  contentOf,
  requireSound,
  writeRichGeopackage,
} from '../../../test/support/rich-gpkg.ts';
import { SOURCE_CRS } from '../../core/src/crs/crs.ts';

const options: CombineOptions = {
  operation: 'append',
  from: 'geojson',
  targetFormat: 'gpkg',
  to: 'gpkg',
  toCrs: SOURCE_CRS,
  layers: ['roads'],
};

/** A master file with everything, and a way to append features to one of its layers. */
async function makeMaster(change?: (database: DatabaseSync) => void) {
  const workspace = makeWorkspace();
  const path = await writeRichGeopackage(workspace.path);
  if (change !== undefined) changeDatabase(path, change);
  const append = (features: readonly Feature[], more: Partial<CombineOptions> = {}): Promise<Converted> =>
    combineFiles([path, writeGeojson(join(workspace.path, 'new.geojson'), features)], workspace.path, {
      ...options,
      ...more,
    });
  return { workspace, path, append, [Symbol.dispose]: () => workspace[Symbol.dispose]() };
}

const rowsOf = (content: Record<string, readonly string[]>, table: string): Record<string, unknown>[] =>
  content[table].map((row) => JSON.parse(row) as Record<string, unknown>);

const multi = (type: string, coordinates: unknown): Feature => ({
  type: 'Feature',
  properties: { name: 'x' },
  geometry: { type, coordinates },
});

test('adds rows, keeps the catalogue and indexes right, and leaves everything else as it is', async () => {
  using master = await makeMaster();
  const before = contentOf(master.path);
  const { outputPath, report } = await master.append([
    pointAt([10, 51], { name: 'new', n: 9, extra: 1 }),
    pointAt([8, 51], { name: null }),
  ]);
  const after = contentOf(outputPath);
  requireSound(outputPath, ['roads']);
  assert.deepEqual(readFileSync(master.path).subarray(0, 16), readFileSync(outputPath).subarray(0, 16));
  const changed = Object.keys(before).filter(
    (table) => JSON.stringify(before[table]) !== JSON.stringify(after[table]),
  );
  assert.deepEqual(changed.sort(), [
    'gpkg_contents',
    'gpkg_ogr_contents',
    'log',
    'roads',
    'rtree_roads_geom_node',
    'rtree_roads_geom_rowid',
    'sqlite_sequence',
  ]);
  assert.deepEqual(after.roads.slice(0, 3), before.roads);
  assert.deepEqual(
    rowsOf(after, 'roads')
      .slice(3)
      .map(({ fid, name, n }) => [fid, name, n]),
    [
      ['4', 'new', '9'],
      ['5', null, null],
    ],
  );
  assert.deepEqual(after.log, ['{"entry":"added ?"}', '{"entry":"added new"}']);
  assert.deepEqual(after.gpkg_ogr_contents, ['{"table_name":"roads","feature_count":"5"}']);
  const contents = (content: typeof after) => rowsOf(content, 'gpkg_contents');
  assert.deepEqual(
    contents(after).filter((row) => row.table_name !== 'roads'),
    contents(before).filter((row) => row.table_name !== 'roads'),
  );
  const extents = [before, after].map((content) =>
    contents(content).find((row) => row.table_name === 'roads'),
  );
  assert.ok(
    Number(extents[1]?.min_x) < Number(extents[0]?.min_x) &&
      Number(extents[1]?.max_y) > Number(extents[0]?.max_y),
  );
  assert.equal(extents[1]?.min_y, extents[0]?.min_y);
  assert.equal(extents[1]?.srs_id, '25832');
  assert.deepEqual([report.features.read, report.features.appended, report.features.written], [5, 2, 5]);
  const codes = report.warnings.map(({ code }) => code);
  assert.deepEqual(codes, ['FIELD_NOT_APPENDED'], 'nothing is said about content that is kept');
});

test('stores polygons as the layer does, and widens the declared type only where it must', async () => {
  using master = await makeMaster();
  const square = [
    [
      [9, 50],
      [10, 50],
      [10, 51],
      [9, 50],
    ],
  ];
  const { outputPath, report } = await master.append([
    multi('Polygon', square),
    pointAt([9, 50, 7], { name: 'z' }),
  ]);
  const after = contentOf(outputPath);
  assert.deepEqual(rowsOf(after, 'gpkg_geometry_columns')[0], {
    table_name: 'roads',
    column_name: 'geom',
    geometry_type_name: 'GEOMETRY',
    srs_id: '25832',
    z: '2',
    m: '0',
  });
  assert.ok(after.schema.some((row) => row.includes('\\"geom\\" GEOMETRY')));
  assert.ok(
    report.warnings.some(({ code, params }) => code === 'GEOMETRY_TYPE_WIDENED' && params.type === 'POINT'),
  );
  requireSound(outputPath, ['roads']);
  const areas = await combineFiles(
    [
      writeGeojson(join(master.workspace.path, 'a', 'a.geojson'), [multi('MultiPolygon', [square, square])]),
      writeGeojson(join(master.workspace.path, 'none.geojson'), []),
    ],
    join(master.workspace.path, 'areas'),
    { ...options, targetFormat: 'geojson', layers: undefined, outputName: 'areas' },
  );
  const grown = await combineFiles(
    [areas.outputPath, writeGeojson(join(master.workspace.path, 'p.geojson'), [multi('Polygon', square)])],
    master.workspace.path,
    { ...options, layers: undefined },
  );
  assert.deepEqual(
    grown.report.warnings.map(({ code, count }) => [code, count]),
    [['GEOMETRIES_MADE_MULTI', 1]],
  );
  const stored = rowsOf(contentOf(grown.outputPath), 'a').map(({ geom }) => String(geom).slice(82, 90));
  assert.deepEqual(stored, ['06000000', '06000000']);
});

test('gives columns that no file has their defaults, and computed columns their values', async () => {
  using master = await makeMaster((database) => {
    database.exec("ALTER TABLE roads ADD COLUMN state TEXT DEFAULT 'open'");
    database.exec('ALTER TABLE roads ADD COLUMN twice INTEGER GENERATED ALWAYS AS (n * 2) VIRTUAL');
  });
  const { outputPath, report } = await master.append([pointAt([9, 50], { n: 4, twice: 1 })]);
  const last = rowsOf(contentOf(outputPath), 'roads').at(-1);
  assert.deepEqual([last?.state, last?.twice, last?.name], ['open', '8', null]);
  assert.deepEqual(
    report.warnings.map(({ code, params }) => [code, params.field]),
    [['FIELD_NOT_APPENDED', 'twice']],
  );
});

test('fails whole, with the layer and the feature, where the table refuses a feature', async () => {
  const cases: readonly (readonly [sql: string, code: string, message: RegExp])[] = [
    [
      'CREATE UNIQUE INDEX u ON roads (n)',
      'GPKG_ROW_NOT_ADDED',
      /layer 'roads'.*UNIQUE constraint failed: roads\.n/,
    ],
    [
      "CREATE TRIGGER no BEFORE INSERT ON roads BEGIN SELECT RAISE(ABORT, 'not today'); END",
      'GPKG_ROW_NOT_ADDED',
      /not today/,
    ],
    [
      'CREATE TRIGGER bad AFTER INSERT ON roads BEGIN SELECT load_extension(NEW.name); END',
      'GPKG_ROW_NOT_ADDED',
      /load_extension/,
    ],
    [
      'CREATE TRIGGER odd AFTER INSERT ON roads BEGIN SELECT ST_Area(NEW.geom); END',
      'GPKG_ROW_NOT_ADDED',
      /ST_Area/,
    ],
  ];
  for (const [sql, code, message] of cases) {
    using master = await makeMaster((database) => database.exec(sql));
    const before = readFileSync(master.path);
    await assert.rejects(
      master.append([pointAt([9, 50], { n: 70 }), pointAt([9, 50], { n: 2 })]),
      (error: Error & { code: string }) => {
        assert.equal(error.code, code);
        assert.match(error.message, message);
        return true;
      },
    );
    assert.deepEqual(readFileSync(master.path), before);
    assert.deepEqual(
      master.workspace.entries().filter((name) => name.includes('partial') || name.startsWith('out/')),
      [],
    );
  }
});

test('refuses views, and files that another program has open', async () => {
  using master = await makeMaster((database) => {
    database.exec(
      "INSERT INTO gpkg_contents (table_name, data_type, srs_id) VALUES ('busy', 'features', 25832)",
    );
    database.exec("INSERT INTO gpkg_geometry_columns VALUES ('busy', 'geom', 'POINT', 25832, 0, 0)");
  });
  await assert.rejects(master.append([pointAt([9, 50], {})], { layers: ['busy'] }), {
    code: 'GPKG_LAYER_READ_ONLY',
  });
  using open = new DatabaseSync(master.path);
  open.exec('PRAGMA journal_mode = WAL; UPDATE lookup SET v = 5');
  assert.ok(existsSync(`${master.path}-wal`));
  await assert.rejects(master.append([pointAt([9, 50], {})]), { code: 'OUTPUT_IN_USE' });
});

test('refuses a file that another program has open even if its log is empty', async () => {
  using master = await makeMaster();
  using open = new DatabaseSync(master.path);
  open.exec('PRAGMA journal_mode = WAL; UPDATE lookup SET v = 5; PRAGMA wal_checkpoint(TRUNCATE)');
  await assert.rejects(master.append([pointAt([9, 50], {})]), { code: 'OUTPUT_IN_USE' });
});

test('a journal that another program has ended does not make a file one in use', async () => {
  using master = await makeMaster((database) =>
    database.exec('PRAGMA journal_mode = PERSIST; UPDATE lookup SET v = 5'),
  );
  assert.ok(statSync(`${master.path}-journal`).size > 0);
  const { outputPath } = await master.append([pointAt([9, 50], {})]);
  requireSound(outputPath, ['roads']);
});

test('a row that a trigger skips is an error, and a trigger cannot write rows without end', async () => {
  for (const [body, reason] of [
    ['BEFORE INSERT ON roads WHEN new.n = 7 BEGIN SELECT RAISE(IGNORE); END', /a trigger skips it/],
    [
      'AFTER INSERT ON roads BEGIN INSERT INTO lookup (v) SELECT x FROM (WITH RECURSIVE c(x) AS ' +
        '(VALUES(1) UNION ALL SELECT x + 1 FROM c) SELECT x FROM c); END',
      /prohibited|not authorized/,
    ],
  ] as const) {
    using master = await makeMaster((database) => database.exec(`CREATE TRIGGER nasty ${body}`));
    await assert.rejects(master.append([pointAt([9, 50], { n: 7 })]), reason);
  }
});

test('a trigger that joins tables without end fails the append, and the target stays as it is', async () => {
  const many =
    'WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c WHERE x < 300) SELECT x FROM c';
  const join = 'SELECT a.v || b.k FROM lookup a, lookup b, lookup c, lookup d, lookup e';
  for (const [sql, code] of [
    [`CREATE TRIGGER nasty AFTER INSERT ON roads BEGIN INSERT INTO log ${join}; END`, 'GPKG_ROW_NOT_ADDED'],
    // Of the catalogue, which is updated at the end.
    [
      `CREATE TRIGGER nasty AFTER UPDATE ON gpkg_contents BEGIN INSERT INTO log ${join}; END`,
      'OUTPUT_NOT_EXTENDED',
    ],
  ] as const) {
    using master = await makeMaster((database) =>
      database.exec(`INSERT INTO lookup (v, k) SELECT x, 'text' FROM (${many}); ${sql}`),
    );
    const before = readFileSync(master.path);
    await assert.rejects(master.append([pointAt([9, 50], { n: 7 })]), {
      code,
      message: /its triggers write far more than was added/,
    });
    assert.deepEqual(readFileSync(master.path), before);
    assert.deepEqual(
      master.workspace.entries().filter((name) => name.includes('partial') || name.startsWith('out/')),
      [],
    );
  }
});

test('triggers that keep logs and copies of large rows may do so', async () => {
  using master = await makeMaster((database) =>
    database.exec(`CREATE TABLE copies (name TEXT, hex TEXT, n INTEGER);
      CREATE TRIGGER copy AFTER INSERT ON roads BEGIN
        INSERT INTO copies VALUES (NEW.name, hex(NEW.geom), 1), (upper(NEW.name), hex(NEW.name), 2);
      END`),
  );
  const { outputPath } = await master.append(
    Array.from({ length: 400 }, (_, i) => pointAt([9, 50], { name: `${i} `.repeat(20_000), n: i })),
  );
  assert.equal(contentOf(outputPath).copies.length, 800);
});

test('keeps the journal mode of the file and its page size', async () => {
  using master = await makeMaster((database) =>
    database.exec('PRAGMA page_size = 1024; VACUUM; PRAGMA journal_mode = WAL'),
  );
  const { outputPath } = await master.append([pointAt([9, 50], {})]);
  const [head, expected] = [outputPath, master.path].map((path) => readFileSync(path).subarray(16, 24));
  assert.deepEqual([...head], [...expected]);
  assert.deepEqual(
    master.workspace.entries().filter((name) => /-(?:wal|shm)$|partial/.test(name)),
    [],
  );
});

test('in another CRS or with transformations the target is rewritten, which is refused where it would lose content', async () => {
  using master = await makeMaster();
  const more = join(master.workspace.path, 'more.gpkg');
  copyFileSync(master.path, more);
  const both = { ...options, from: 'gpkg', targetFormat: undefined, toCrs: 'EPSG:3857' };
  const { report } = await combineFiles([master.path, more], master.workspace.path, both);
  assert.ok(
    report.warnings.some(
      ({ code, params }) => code === 'ATTRIBUTES_SKIPPED' && params.what === "table 'lookup'",
    ),
  );
  await assert.rejects(
    combineFiles([master.path, more], join(master.workspace.path, 'b'), { ...both, replacesTarget: true }),
    (error: Error & { code: string }) => {
      assert.equal(error.code, 'TARGET_CONTENT_LOST');
      for (const name of [
        "layer 'zones'",
        "table 'lookup'",
        "table 'photo'",
        "trigger 'roads_log'",
        "index 'roads_n'",
        "view 'busy'",
        'metadata',
      ])
        assert.ok(error.message.includes(name), `${name} in ${error.message}`);
      return true;
    },
  );
});
