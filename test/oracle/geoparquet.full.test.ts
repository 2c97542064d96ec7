/**
 * GeoParquet and two other programs: hyparquet and DuckDB read what geomill writes, with the same rows, positions, bounding
 * boxes and CRS, and geomill reads what DuckDB writes. GDAL of Debian has no driver for it.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { datasetPath } from '../../bench/data.ts';
import { reader } from '../../packages/formats/src/geoparquet/read.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { connectDuckdb, type DuckdbRow } from '../support/duckdb.ts';
import { readFileLayers } from '../support/read-layers.ts';

const duckdb = await connectDuckdb({ threads: '1' });
const skip = duckdb === null ? 'DuckDB is not installed (DUCKDB_DIR)' : false;
const workspace = makeWorkspace();
after(() => workspace[Symbol.dispose]());

type Row = DuckdbRow;

async function ask(sql: string): Promise<Row[]> {
  assert.ok(duckdb !== null);
  return (await duckdb.runAndReadAll(sql)).getRowObjectsJson();
}

interface Feature {
  readonly properties: Row;
  readonly geometry: { readonly type: string; readonly coordinates: readonly number[][][] };
}

const FEATURES = 600;
const input = datasetPath('buildings', FEATURES);
const { features } = JSON.parse(readFileSync(input, 'utf8')) as { features: readonly Feature[] };

const OPTIONS = [
  { version: '1.1', compression: 'zstd' },
  { version: '2.0', compression: 'gzip' },
  { version: '2.0', compression: 'none', bounding_boxes: false },
];
const outputs = new Map<object, Promise<string>>();

function outputOf(writeOptions: Record<string, unknown>): Promise<string> {
  const made =
    outputs.get(writeOptions) ??
    convertFile(input, join(workspace.path, JSON.stringify(Object.values(writeOptions))), {
      from: 'geojson',
      to: 'geoparquet',
      writeOptions,
    }).then(({ outputPath }) => outputPath);
  outputs.set(writeOptions, made);
  return made;
}

const unpackZstd = (packed: Uint8Array): Uint8Array => zstdDecompressSync(packed);
const unpackGzip = (packed: Uint8Array): Uint8Array => gunzipSync(packed);

/** JSON has no integers beyond doubles, and these files have none. */
const plain = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : (value ?? null));

for (const options of OPTIONS) {
  const name = JSON.stringify(options);

  test(`hyparquet reads the rows, positions and CRS of ${name}`, async () => {
    const file = await asyncBufferFromFile(await outputOf(options));
    const compressors = { ZSTD: unpackZstd, GZIP: unpackGzip };
    const rows = (await parquetReadObjects({ file, compressors })) as Row[];
    assert.equal(rows.length, FEATURES);
    for (const [i, { properties, geometry }] of features.entries()) {
      const { geometry: found, bbox, ...values } = rows[i];
      for (const [key, value] of Object.entries(properties))
        if (!(values[key] instanceof Date)) assert.deepEqual(plain(values[key]), value, `${key} of row ${i}`);
        else assert.equal(values[key].toISOString().slice(0, String(value).length), value);
      assert.deepEqual({ ...(found as object) }, geometry);
      if (options.bounding_boxes === false) continue;
      const { xmin, ymin, xmax, ymax } = bbox as Record<'xmin' | 'ymin' | 'xmax' | 'ymax', number>;
      const [ring] = geometry.coordinates;
      for (const [x, y] of ring) assert.ok(xmin <= x && x <= xmax && ymin <= y && y <= ymax, `row ${i}`);
      assert.ok(xmax - xmin < Math.max(...ring.map(([x]) => x)) - Math.min(...ring.map(([x]) => x)) + 1e-4);
    }
    const { key_value_metadata: keys = [] } = await parquetMetadataAsync(file);
    const geo = JSON.parse(keys.find(({ key }) => key === 'geo')?.value ?? '');
    assert.equal(geo.version, `${options.version}.0`);
    assert.deepEqual(geo.columns.geometry.crs.id, { authority: 'EPSG', code: 4326 });
    assert.deepEqual(geo.columns.geometry.geometry_types, ['Polygon']);
  });

  test(`DuckDB reads the rows, positions, boxes and CRS of ${name}`, { skip }, async () => {
    const path = await outputOf(options);
    const geojson = `SELECT unnest(features) AS f FROM read_json('${input}', maximum_object_size = 1000000000)`;
    const columns = Object.keys(features[0].properties);
    const [{ same }] = await ask(
      `WITH a AS (SELECT row_number() OVER () AS n, * FROM '${path}'),
       b AS (SELECT row_number() OVER () AS n, f.properties AS p FROM (${geojson}))
       SELECT count(*)::INTEGER AS same FROM a JOIN b USING (n)
       WHERE ${columns.map((column) => `a."${column}" IS NOT DISTINCT FROM b.p."${column}"`).join(' AND ')}`,
    );
    assert.equal(same, FEATURES);
    const [described] = await ask(`SELECT typeof(geometry) AS type FROM '${path}' LIMIT 1`);
    assert.match(String(described.type), /^GEOMETRY\(.*"code":4326\}\}'\)$/);
    const rows = await ask(`SELECT hex(ST_AsWKB(geometry)::BLOB) AS wkb FROM '${path}'`);
    for (const [i, { wkb }] of rows.entries()) {
      const bytes = Buffer.from(String(wkb), 'hex');
      const [ring] = features[i].geometry.coordinates;
      assert.deepEqual([bytes.readUInt32LE(1), bytes.readUInt32LE(9)], [3, ring.length]);
      assert.deepEqual([bytes.readDoubleLE(13), bytes.readDoubleLE(21)], ring[0]);
    }
    if (options.version === '1.1') return;
    const [chunk] = await ask(
      `SELECT geo_bbox, geo_types FROM parquet_metadata('${path}') WHERE path_in_schema = 'geometry'`,
    );
    assert.deepEqual(chunk.geo_types, ['polygon']);
    const xs = features.flatMap(({ geometry }) => geometry.coordinates[0].map(([x]) => x));
    const { xmin, xmax } = chunk.geo_bbox as { xmin: number; xmax: number };
    assert.deepEqual([xmin, xmax], [Math.min(...xs), Math.max(...xs)]);
  });
}

const SERIES = `SELECT i::INTEGER AS i, i * 1000000007 AS wide, CASE WHEN i % 3 = 0 THEN NULL ELSE 'text ' || (i % 10) END AS kind,
  'text ' || i AS name, i / 7 AS part, i % 4 = 1 AS yes, CASE WHEN i < 2500 THEN NULL ELSE i END AS late,
  CASE WHEN i % 11 = 0 THEN NULL ELSE range(i % 5) END AS list, {a: i, b: {c: 'x' || (i % 2)}} AS pair,
  make_timestamp_ns(i * 1000003) AS fine, DATE '2000-01-01' + i::INTEGER AS day, TIMESTAMP '2000-01-01' + INTERVAL (i) MINUTE AS at,
  CASE WHEN i % 13 = 0 THEN NULL ELSE ('LINESTRING (' || i || ' 1, ' || i || ' 2)')::GEOMETRY END AS geometry
  FROM range(5000) t(i)`;

for (const settings of [
  'COMPRESSION snappy, PARQUET_VERSION v1',
  'COMPRESSION zstd, PARQUET_VERSION v2',
  'COMPRESSION lz4_raw, PARQUET_VERSION v1',
])
  test(`reads what DuckDB writes in several row groups (${settings})`, { skip }, async () => {
    const path = join(workspace.path, 'duckdb.parquet');
    await ask(
      `COPY (${SERIES}) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 2048, GEOPARQUET_VERSION 'NONE', ${settings})`,
    );
    // Parts that begin and end within pages.
    const { layers } = await readFileLayers(reader, path, { partitionBytes: 5000 });
    const [{ rows, source }] = layers;
    assert.equal(rows.length, 5000);
    assert.ok(source.partitions.length > 6, `${source.partitions.length} partitions`);
    // Row groups have boxes, and the line of row i is at x = i.
    const isNear = reader.excerpts?.partitionsNear?.(source, {
      boxes: [[4500, 0, 4600, 1]],
      widest: Infinity,
    });
    assert.deepEqual(
      source.partitions.map(({ end }) => (end > 4096 ? 1 : 0)),
      [...(isNear ?? [])],
    );
    for (const [field, value] of [
      ['i', 4500],
      ['wide', 4500 * 1000000007],
      ['part', 4500 / 7],
      ['day', '2012-04-27'],
      ['at', '2000-01-04T03:00:00'],
      ['fine', '1970-01-01T00:00:04.5000135'],
    ] as const) {
      const selection = { near: null, values: [{ field, values: [value] }] };
      const selected = reader.excerpts?.selectFeatures?.(source, selection, 1 << 20);
      assert.deepEqual(selected?.partitions, [{ start: 4096, end: 5000, featuresBefore: 4096 }], field);
    }
    for (const [i, { properties, geometry }] of rows.entries())
      assert.deepEqual(
        { ...properties, geometry },
        {
          i,
          wide: i * 1000000007,
          kind: i % 3 === 0 ? null : `text ${i % 10}`,
          name: `text ${i}`,
          part: i / 7,
          yes: i % 4 === 1,
          late: i < 2500 ? null : i,
          list: i % 11 === 0 ? null : Array.from({ length: i % 5 }, (_, k) => k),
          'pair.a': i,
          'pair.b.c': `x${i % 2}`,
          fine: `1970-01-01T00:00:0${((i * 1000003) / 1e9).toFixed(9).replace(/(?:000){1,2}$/, '')}`,
          day: new Date(Date.UTC(2000, 0, 1 + i)).toISOString().slice(0, 10),
          at: new Date(Date.UTC(2000, 0, 1, 0, i)).toISOString().slice(0, -1),
          geometry: i % 13 === 0 ? null : `LINESTRING (${i} 1,${i} 2)`,
        },
      );
  });

test('DuckDB reads every type of field that geomill writes', { skip }, async () => {
  const fixture = join(import.meta.dirname, '..', 'fixtures', 'geoparquet', 'types.parquet');
  const { outputPath } = await convertFile(fixture, join(workspace.path, 'types'), {
    from: 'geoparquet',
    to: 'geoparquet',
  });
  const columns = 'yes, i8, u16, u32::BIGINT AS u32, i64, f32, f64, text, bytes, day, local, utc, json';
  const [found, expected] = await Promise.all(
    [outputPath, fixture].map((path) => ask(`SELECT ${columns} FROM '${path}'`)),
  );
  assert.deepEqual(found, expected);
  const types = await ask(
    `SELECT column_name, column_type FROM (DESCRIBE SELECT ${columns} FROM '${outputPath}')`,
  );
  assert.equal(
    types.map(({ column_type: type }) => type).join(),
    'BOOLEAN,INTEGER,INTEGER,BIGINT,BIGINT,DOUBLE,DOUBLE,VARCHAR,BLOB,DATE,TIMESTAMP,TIMESTAMP WITH TIME ZONE,JSON',
  );
});
