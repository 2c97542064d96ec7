import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import fc from 'fast-check';
import { columnOf } from '../../../test/support/columns.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import {
  batchArbitrary,
  type Geometry,
  geometriesArbitrary,
  geometryColumn,
} from '../../../test/support/geometry-arbitrary.ts';
import { readFileLayers } from '../../../test/support/read-layers.ts';
import { batchRows } from '../../../test/support/rows.ts';
import { writeWkb } from '../../../test/support/wkb-write.ts';
import { ByteWriter } from '../../core/src/bytes/byte-writer.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import type { Field, FieldType } from '../../core/src/columns/schema.ts';
import { batchStatistics } from '../../core/src/columns/statistics.ts';
import type { CrsDescription } from '../../core/src/crs/crs.ts';
import { WGS84_DESCRIPTION as wgs84 } from '../../core/src/crs/wgs84.ts';
import { type Finding, Findings } from '../../core/src/messages/findings.ts';
import { GeometryEncoder, mostGeometryBytes } from '../src/gpkg/geometry-encode.ts';
import { reader } from '../src/gpkg/read.ts';
import { writer } from '../src/gpkg/write.ts';
import type { OutputLayer } from '../src/writer.ts';

type Value = null | boolean | number | bigint | string | Uint8Array;
type Row = Record<string, unknown>;

const point = (x: number, y: number): Geometry => ({
  ordinates: 'XY',
  shape: { kind: 1, isMulti: false, parts: [[[[x, y, 0, 0]]]] },
});

interface Columns {
  readonly geometries?: readonly Geometry[];
  readonly fields?: readonly (readonly [name: string, type: FieldType, values: readonly Value[]])[];
  readonly ids?: readonly [type: FieldType, values: readonly Value[]] | null;
}

function makeBatch({ geometries, fields = [], ids = null }: Columns): FeatureBatch {
  const rowCount = geometries?.length ?? fields[0]?.[2].length ?? ids?.[1].length ?? 0;
  return {
    rowCount,
    geometry: geometryColumn(geometries ?? Array.from({ length: rowCount }, (_, i) => point(i, -i))),
    fields: fields.map(([name, type]): Field => ({ name, type })),
    columns: fields.map(([, type, values]) => columnOf(type, values)),
    ids: ids === null ? null : columnOf(...ids),
  };
}

interface LayerInput {
  readonly batches: readonly FeatureBatch[];
  readonly name?: string;
  readonly crs?: CrsDescription;
}

async function write(
  path: string,
  inputs: readonly LayerInput[],
  options: Record<string, unknown> = {},
): Promise<readonly Finding[]> {
  const findings = new Findings();
  const context = { name: 'out', options, findings };
  const layers = inputs.map(
    ({ batches, name = 'roads', crs = wgs84 }): OutputLayer => ({
      name,
      fields: batches[0].fields,
      statistics: batchStatistics(batches[0], 'fields'),
      crs,
      coordinatesComputed: false,
    }),
  );
  const encodings = writer.plan(layers, context);
  const sink = writer.createSink(path, encodings, context);
  inputs.forEach(({ batches }, i) => {
    for (const batch of batches) {
      const chunk = writer.encode(batch, structuredClone(encodings[i]));
      findings.merge(chunk.findings);
      sink.append(i, structuredClone(chunk.data, { transfer: [...chunk.transfer] }));
    }
  });
  assert.equal(existsSync(path), false, 'not under its name before it is complete');
  const file = await sink.finish();
  assert.equal(file.path, path);
  return findings.list();
}

function query(path: string, sql: string): Row[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement.all().map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

const codes = (findings: readonly Finding[]): string[] =>
  findings.map(({ code, count }) => `${code} ${count}`);

test('writes a GeoPackage 1.4 with the required tables and reference systems', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'out.gpkg');
  await write(path, [{ batches: [makeBatch({ geometries: [point(1, 2), point(3, 5)] })] }]);
  assert.deepEqual(readdirSync(workspace.path), ['out.gpkg']);
  assert.deepEqual(query(path, 'PRAGMA application_id'), [{ application_id: BigInt(0x47504b47) }]);
  assert.deepEqual(query(path, 'PRAGMA user_version'), [{ user_version: 10400n }]);
  assert.deepEqual(query(path, 'PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
  assert.deepEqual(query(path, 'PRAGMA foreign_key_check'), []);
  assert.deepEqual(
    query(path, 'SELECT srs_id, organization FROM gpkg_spatial_ref_sys ORDER BY srs_id'),
    [
      [-1n, 'NONE'],
      [0n, 'NONE'],
      [4326n, 'EPSG'],
    ].map(([srs_id, organization]) => ({ srs_id, organization })),
  );
  assert.deepEqual(
    query(path, 'SELECT table_name, data_type, min_x, min_y, max_x, max_y, srs_id FROM gpkg_contents'),
    [{ table_name: 'roads', data_type: 'features', min_x: 1, min_y: 2, max_x: 3, max_y: 5, srs_id: 4326n }],
  );
  assert.deepEqual(query(path, 'SELECT * FROM gpkg_geometry_columns'), [
    { table_name: 'roads', column_name: 'geom', geometry_type_name: 'POINT', srs_id: 4326n, z: 0n, m: 0n },
  ]);
  assert.deepEqual(query(path, 'SELECT * FROM gpkg_ogr_contents'), [
    { table_name: 'roads', feature_count: 2n },
  ]);
  assert.deepEqual(query(path, "SELECT rtreecheck('rtree_roads_geom') AS found"), [{ found: 'ok' }]);
  assert.deepEqual(query(path, "SELECT type FROM pragma_table_info('roads') WHERE name = 'geom'"), [
    { type: 'POINT' },
  ]);
});

test('writes every geometry as a blob with a header and WKB', () => {
  fc.assert(
    fc.property(geometriesArbitrary, (geometries) => {
      const geometry = geometryColumn(geometries);
      const bytes = new Uint8Array(mostGeometryBytes(geometry, geometries.length));
      const encoder = new GeometryEncoder(geometry, geometries.length, 4326, bytes);
      const wkb = new ByteWriter(16);
      for (let row = 0; row < geometries.length; row++) {
        const start = encoder.length;
        encoder.writeRow(row);
        const blob = bytes.slice(start, encoder.length);
        wkb.reset();
        writeWkb(wkb, geometry, row);
        if (wkb.length === 0) {
          assert.equal(blob.length, 0);
          continue;
        }
        const flags = blob[3];
        assert.deepEqual([...blob.subarray(0, 3)], [0x47, 0x50, 0]);
        assert.equal(new DataView(blob.buffer).getInt32(4, true), 4326);
        const headerBytes = (flags & 0b1110) === 0 ? 8 : 40;
        assert.deepEqual(blob.subarray(headerBytes), wkb.take());
        const isEmpty = Number.isNaN(encoder.boxes[row * 4]);
        assert.equal((flags & 16) !== 0, isEmpty);
      }
    }),
  );
});

test('values keep their types, nulls and digits', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'out.gpkg');
  const batch = makeBatch({
    fields: [
      ['flag', 'boolean', [true, false, null]],
      ['small', 'int32', [-2147483648, 7, null]],
      ['large', 'int64', [9007199254740993n, -9223372036854775808n, null]],
      ['real', 'float64', [0.1, Number.NEGATIVE_INFINITY, Number.NaN]],
      ['text', 'string', ['grün 😀', '', null]],
      ['plain', 'string', ['a', "o'b", null]],
      ['blob', 'binary', [Uint8Array.of(0, 255), Uint8Array.of(), null]],
      ['day', 'date', ['2024-02-29', '0001-01-01', null]],
      ['any', 'json', ['{"a":[1]}', '"x"', null]],
    ],
  });
  const findings = await write(path, [{ batches: [batch] }]);
  assert.deepEqual(codes(findings), ['NUMBER_NOT_FINITE 1']);
  assert.deepEqual(
    query(path, "SELECT name, type FROM pragma_table_info('roads')").map(
      ({ name, type }) => `${name} ${type}`,
    ),
    [
      'fid INTEGER',
      'geom POINT',
      'flag BOOLEAN',
      'small MEDIUMINT',
      'large INTEGER',
      'real REAL',
      'text TEXT',
      'plain TEXT',
      'blob BLOB',
      'day DATE',
      'any TEXT',
    ],
  );
  const rows = query(
    path,
    'SELECT flag, small, large, real, text, plain, blob, day, "any" FROM roads ORDER BY fid',
  );
  assert.deepEqual(
    rows.map((row) => Object.values(row)),
    [
      [
        1n,
        -2147483648n,
        9007199254740993n,
        0.1,
        'grün 😀',
        'a',
        Uint8Array.of(0, 255),
        '2024-02-29',
        '{"a":[1]}',
      ],
      [
        0n,
        7n,
        -9223372036854775808n,
        Number.NEGATIVE_INFINITY,
        '',
        "o'b",
        Uint8Array.of(),
        '0001-01-01',
        '"x"',
      ],
      new Array(9).fill(null),
    ],
  );
  assert.deepEqual(query(path, 'SELECT table_name, column_name, mime_type FROM gpkg_data_columns'), [
    { table_name: 'roads', column_name: 'any', mime_type: 'application/json' },
  ]);
});

test('keeps the offset of times, or its absence, unless UTC is requested', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'out.gpkg');
  const pairs: [from: string, to: string][] = [
    ['2024-05-06T07:08:09.123Z', '2024-05-06T07:08:09.123Z'],
    ['2024-05-06T07:08:09+00:00', '2024-05-06T07:08:09.000Z'],
    ['2015-04-22T00:00:00+07:00', '2015-04-22T00:00:00.000+07:00'],
    ['2024-02-28T23:30:00-0130', '2024-02-28T23:30:00.000-01:30'],
    ['0050-01-01T00:00+02', '0050-01-01T00:00:00.000+02:00'],
    ['2024-05-06 07:08:09.5', '2024-05-06T07:08:09.500'],
  ];
  const batch = makeBatch({ fields: [['at', 'datetime', pairs.map(([from]) => from)]] });
  const findings = await write(path, [{ batches: [batch] }]);
  assert.deepEqual(codes(findings), ['DATETIME_OFFSET_KEPT 3']);
  const rows = query(path, 'SELECT at FROM roads ORDER BY fid');
  assert.deepEqual(
    rows.map(({ at }) => at),
    pairs.map(([, to]) => to),
  );
});

test('converts times to UTC with milliseconds on request and reports assumptions and conversions', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'out.gpkg');
  const pairs: [from: string, to: string][] = [
    ['2024-05-06T07:08:09.123Z', '2024-05-06T07:08:09.123Z'],
    ['2024-05-06T07:08:09Z', '2024-05-06T07:08:09.000Z'],
    ['2024-05-06T07:08Z', '2024-05-06T07:08:00.000Z'],
    ['2024-05-06T07:08:09.123456Z', '2024-05-06T07:08:09.123456Z'],
    ['2024-05-06T07:08:09+00:00', '2024-05-06T07:08:09.000Z'],
    ['2024-01-01T00:30:00.5+01:00', '2023-12-31T23:30:00.500Z'],
    ['2024-02-28T23:30:00-0130', '2024-02-29T01:00:00.000Z'],
    ['0050-01-01T00:00:00+02', '0049-12-31T22:00:00.000Z'],
    ['2016-12-31T18:59:60-05', '2016-12-31T23:59:60.000Z'],
    ['2024-05-06 07:08:09', '2024-05-06T07:08:09.000Z'],
    ['0000-01-01T00:00:00+01:00', '0000-01-01T00:00:00+01:00'],
    ['no time', 'no time'],
  ];
  const batch = makeBatch({ fields: [['at', 'datetime', [...pairs.map(([from]) => from), null]]] });
  const findings = await write(path, [{ batches: [batch] }], { datetimes: 'utc' });
  assert.deepEqual(codes(findings), ['DATETIME_TO_UTC 4', 'DATETIME_ASSUMED_UTC 1']);
  const rows = query(path, 'SELECT at FROM roads ORDER BY fid');
  assert.deepEqual(
    rows.map(({ at }) => at),
    [...pairs.map(([, to]) => to), null],
  );
});

test('uses integer ids as keys; missing, repeated and invalid ones get the numbers above the largest', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'out.gpkg');
  const first = makeBatch({
    fields: [['n', 'int32', [0, 1, 2, 3]]],
    ids: ['int64', [5n, null, 5n, 9223372036854775807n]],
  });
  const second = makeBatch({
    fields: [['n', 'int32', [4, 5, 6]]],
    ids: ['float64', [100, 1.5, 3]],
  });
  const findings = await write(path, [{ batches: [first, second] }]);
  assert.deepEqual(
    query(path, 'SELECT fid, n, id FROM roads ORDER BY fid').map((row) => Object.values(row)),
    [
      [3n, 6n, null],
      [5n, 0n, null],
      [100n, 4n, null],
      [101n, 1n, null],
      [102n, 2n, null],
      [103n, 3n, null],
      [104n, 5n, '1.5'],
    ],
  );
  assert.deepEqual(codes(findings).sort(), [
    'FID_REASSIGNED 1',
    'FID_REASSIGNED 1',
    'FID_REASSIGNED 2',
    'IDS_AS_FIELD 1',
    'ORDER_BY_KEY 1',
  ]);
  assert.deepEqual(query(path, "SELECT rtreecheck('rtree_roads_geom') AS found"), [{ found: 'ok' }]);
  assert.deepEqual(query(path, 'SELECT count(*) AS n FROM roads JOIN rtree_roads_geom AS r ON r.id = fid'), [
    { n: 7n },
  ]);
  assert.deepEqual(query(path, 'SELECT seq FROM sqlite_sequence'), [{ seq: 104n }]);
});

test('uses ascending ids as keys, including negative ones and those beyond 2^53', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'out.gpkg');
  const ids = [-3n, 0n, 7n, 9007199254740993n, 4611686018427387904n];
  const findings = await write(path, [{ batches: [makeBatch({ ids: ['int64', ids] })] }]);
  assert.deepEqual(findings, []);
  assert.deepEqual(
    query(path, 'SELECT fid FROM roads').map(({ fid }) => fid),
    ids,
  );
  assert.deepEqual(
    query(path, 'SELECT id FROM rtree_roads_geom ORDER BY id').map(({ id }) => id),
    ids,
  );
});

test('keeps text ids in a field with a unique name', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'out.gpkg');
  const batches = [
    makeBatch({ fields: [['ID', 'string', ['a', 'b']]] }),
    makeBatch({ fields: [['ID', 'string', ['c', 'd']]], ids: ['string', ['way/1', null]] }),
    makeBatch({ fields: [['ID', 'string', ['e']]], ids: ['json', ['"x"']] }),
  ];
  const findings = await write(path, [{ batches }]);
  assert.deepEqual(codes(findings), ['IDS_AS_FIELD 2']);
  assert.deepEqual(
    query(path, 'SELECT fid, "ID", id_1 FROM roads').map((row) => Object.values(row)),
    [
      [1n, 'a', null],
      [2n, 'b', null],
      [3n, 'c', 'way/1'],
      [4n, 'd', null],
      [5n, 'e', 'x'],
    ],
  );
});

test('features without ids keep their assigned numbers when ids follow', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'out.gpkg');
  const batches = [
    makeBatch({ geometries: [point(0, 0), point(1, 1)] }),
    makeBatch({ ids: ['int64', [-5n, 2n]] }),
  ];
  const findings = await write(path, [{ batches }]);
  assert.deepEqual(codes(findings), ['ORDER_BY_KEY 1', 'FID_REASSIGNED 1']);
  assert.deepEqual(
    query(path, 'SELECT fid FROM roads').map(({ fid }) => fid),
    [-5n, 1n, 2n, 3n],
  );
});

test('any batch survives writing and reading', async () => {
  using workspace = makeWorkspace();
  let n = 0;
  await fc.assert(
    fc.asyncProperty(batchArbitrary, async (batch) => {
      const path = join(workspace.path, `${n++}.gpkg`);
      const expected = batchRows(batch);
      await write(path, [{ batches: [structuredClone(batch)] }], { promote: false });
      const { layers } = await readFileLayers(reader, path);
      const actual = layers[0].rows.map((row) => ({ ...row, id: null }));
      assert.deepEqual(actual, expected);
    }),
    { numRuns: 40 },
  );
});

test('resolves name conflicts as SQLite compares names and keeps any characters', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'out.gpkg');
  const names = ['Fid', 'GEOM', 'a', 'A', 'x"y', "it's; DROP TABLE roads", 'ä', 'Ä', 'rowid', ''];
  const make = (): FeatureBatch => makeBatch({ fields: names.map((name) => [name, 'int32', [1]] as const) });
  const layers = ['Wälder "alt"', 'gpkg_contents', 'x', 'X', "o'x", 'sqlite_y'];
  const findings = await write(
    path,
    layers.map((name) => ({ name, batches: [make()] })),
  );
  assert.deepEqual(
    query(path, 'SELECT table_name FROM gpkg_contents ORDER BY rowid').map(({ table_name }) => table_name),
    ['Wälder "alt"', 'layer_gpkg_contents', 'x', 'X_1', "o'x", 'layer_sqlite_y'],
  );
  assert.deepEqual(
    query(path, "SELECT name FROM pragma_table_info('x')").map(({ name }) => name),
    [
      'fid_1',
      'geom_1',
      'Fid',
      'GEOM',
      'a',
      'A_1',
      'x"y',
      "it's; DROP TABLE roads",
      'ä',
      'Ä',
      'rowid',
      'unnamed',
    ],
  );
  assert.equal(findings.filter(({ code }) => code === 'LAYER_RENAMED').length, 3);
  assert.equal(findings.filter(({ code }) => code === 'COLUMN_RENAMED').length, 12);
  assert.equal(findings.filter(({ code }) => code === 'FIELD_RENAMED').length, 12);
  assert.deepEqual(query(path, 'PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
});

test('keeps the numbers of reference systems and assigns numbers to those without one', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'out.gpkg');
  const crs = (definition: string, authority: CrsDescription['authority'], wkt2: string): CrsDescription => ({
    ...wgs84,
    definition,
    authority,
    wkt2,
    wkt1: null,
  });
  const systems = [
    crs('EPSG:28350', { name: 'EPSG', code: '28350' }, 'A'),
    crs('GEOGCS["mine"]', null, 'B'),
    crs('ESRI:102003', { name: 'ESRI', code: '102003' }, 'C'),
    crs('GEOGCS["other"]', null, 'D'),
    crs('IAU:28350', { name: 'IAU', code: '28350' }, 'E'),
    crs('OGC:CRS84', { name: 'OGC', code: 'CRS84' }, 'F'),
    crs('GEOGCS["mine"]', null, 'B'),
  ];
  await write(
    path,
    systems.map((system, i) => ({
      name: `l${i}`,
      crs: system,
      batches: [makeBatch({ geometries: [point(0, 0)] })],
    })),
  );
  assert.deepEqual(
    query(path, 'SELECT srs_id FROM gpkg_geometry_columns ORDER BY table_name').map(({ srs_id }) => srs_id),
    [28350n, 100001n, 102003n, 100002n, 100000n, 4326n, 100001n],
  );
  assert.deepEqual(
    query(path, 'SELECT * FROM gpkg_spatial_ref_sys WHERE srs_id IN (28350, 100000, 100001) ORDER BY 2').map(
      ({ srs_id, organization, organization_coordsys_id, definition, definition_12_063 }) => [
        srs_id,
        organization,
        organization_coordsys_id,
        definition,
        definition_12_063,
      ],
    ),
    [
      [28350n, 'EPSG', 28350n, 'undefined', 'A'],
      [100000n, 'IAU', 28350n, 'undefined', 'E'],
      [100001n, 'NONE', 100001n, 'undefined', 'B'],
    ],
  );
});

test('declares mixed types as GEOMETRY, and Z as optional if only some geometries have it', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'out.gpkg');
  const line: Geometry = {
    ordinates: 'XYZ',
    shape: {
      kind: 2,
      isMulti: false,
      parts: [
        [
          [
            [0, 0, 1, 0],
            [1, 1, 2, 0],
          ],
        ],
      ],
    },
  };
  const none: Geometry = { ordinates: 'XY', shape: null };
  await write(path, [
    {
      name: 'mixed',
      batches: [makeBatch({ geometries: [point(0, 0), none] }), makeBatch({ geometries: [line] })],
    },
    { name: 'lines', batches: [makeBatch({ geometries: [none, line] })] },
    { name: 'nothing', batches: [makeBatch({ geometries: [] })] },
  ]);
  assert.deepEqual(
    query(path, 'SELECT geometry_type_name AS t, z, m FROM gpkg_geometry_columns').map((row) =>
      Object.values(row),
    ),
    [
      ['GEOMETRY', 2n, 0n],
      ['LINESTRING', 1n, 0n],
      ['GEOMETRY', 0n, 0n],
    ],
  );
  assert.deepEqual(query(path, 'SELECT count(*) AS n FROM rtree_lines_geom'), [{ n: 1n }]);
  assert.deepEqual(query(path, "SELECT min_x FROM gpkg_contents WHERE table_name = 'nothing'"), [
    { min_x: null },
  ]);
});

test('the triggers of the finished file update the RTree and the count', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'out.gpkg');
  await write(path, [{ batches: [makeBatch({ geometries: [point(1, 2), point(3, 4)] })] }]);
  const database = new DatabaseSync(path);
  const x = (blob: Uint8Array): number => new DataView(blob.buffer, blob.byteOffset).getFloat64(13, true);
  for (const name of ['ST_MinX', 'ST_MaxX']) database.function(name, (blob) => x(blob as Uint8Array));
  for (const name of ['ST_MinY', 'ST_MaxY']) database.function(name, (_blob) => 0);
  database.function('ST_IsEmpty', (blob) => (blob === null ? null : 0));
  const boxes = (): unknown[] =>
    database
      .prepare('SELECT id, minx FROM rtree_roads_geom ORDER BY id')
      .all()
      .map((row) => Object.values(row));
  database.exec('INSERT INTO roads (geom) SELECT geom FROM roads WHERE fid = 2');
  assert.deepEqual(boxes(), [
    [1, 1],
    [2, 3],
    [3, 3],
  ]);
  database.exec('UPDATE roads SET geom = NULL WHERE fid = 1; UPDATE roads SET fid = 9 WHERE fid = 2');
  assert.deepEqual(boxes(), [
    [3, 3],
    [9, 3],
  ]);
  database.exec('UPDATE roads SET geom = (SELECT geom FROM roads WHERE fid = 9) WHERE fid = 1');
  assert.deepEqual(boxes(), [
    [1, 3],
    [3, 3],
    [9, 3],
  ]);
  database.exec('DELETE FROM roads WHERE fid = 3');
  assert.deepEqual(boxes(), [
    [1, 3],
    [9, 3],
  ]);
  assert.equal(database.prepare('SELECT feature_count FROM gpkg_ogr_contents').get()?.feature_count, 2);
  database.close();
});

test('writes no RTree without a spatial index, and an aborted output leaves no file', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'out.gpkg');
  await write(path, [{ batches: [makeBatch({ geometries: [point(1, 2)] })] }], { spatial_index: false });
  assert.deepEqual(query(path, "SELECT name FROM sqlite_schema WHERE name LIKE 'rtree%'"), []);
  const context = { name: 'x', options: {}, findings: new Findings() };
  const layer = { name: 'x', fields: [], statistics: null, crs: wgs84, coordinatesComputed: false };
  const encodings = writer.plan([layer], context);
  const sink = writer.createSink(join(workspace.path, 'x.gpkg'), encodings, context);
  sink.append(0, writer.encode(makeBatch({ geometries: [point(1, 2)] }), encodings[0]).data);
  sink.abort();
  sink.abort();
  assert.deepEqual(readdirSync(workspace.path), ['out.gpkg']);
});
