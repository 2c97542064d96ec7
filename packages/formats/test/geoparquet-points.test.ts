/** Parquet without a geometry column: positions in columns of coordinates, or features without geometry. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { plainBytes, type RawColumn, rawParquet } from '../../../test/support/raw-parquet.ts';
import { readBytesLayers } from '../../../test/support/read-layers.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { reader } from '../src/geoparquet/read.ts';

const [INT32, INT64, FLOAT, DOUBLE, BYTES, FIXED] = [1, 2, 4, 5, 6, 7];
const DECIMAL = 5;
const UTF8_TEXT = 0;

type Value = number | null;

/** A page of version 1 with definition levels. */
function optional(count: number, isPresent: (row: number) => boolean, values: Uint8Array): Buffer {
  const bits = new Uint8Array(Math.ceil(count / 8));
  for (let row = 0; row < count; row++) if (isPresent(row)) bits[row >> 3] |= 1 << (row & 7);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bits.length + 1);
  return Buffer.concat([length, Buffer.from([(bits.length << 1) | 1]), bits, values]);
}

function numbers(
  name: string,
  type: number,
  values: readonly Value[],
  more: Partial<RawColumn> = {},
): RawColumn {
  const present = values.filter((value) => value !== null);
  const plain =
    type === INT32
      ? Int32Array.from(present)
      : type === INT64
        ? BigInt64Array.from(present.map(BigInt))
        : type === FLOAT
          ? Float32Array.from(present)
          : Float64Array.from(present);
  const data = optional(values.length, (row) => values[row] !== null, new Uint8Array(plain.buffer));
  return { name, type, repetition: 1, pages: [{ data, count: values.length }], ...more };
}

const doubles = (name: string, ...values: readonly Value[]): RawColumn => numbers(name, DOUBLE, values);

function texts(name: string, ...values: readonly string[]): RawColumn {
  const data = plainBytes(...values.map((value) => Buffer.from(value)));
  return { name, type: BYTES, converted: UTF8_TEXT, pages: [{ data, count: values.length }] };
}

async function read(columns: readonly RawColumn[], options = {}, partitionBytes?: number) {
  const file = rawParquet({ columns, rowCount: columns[0].pages[0]?.count ?? 0 });
  const { layers, findings } = await readBytesLayers(reader, file, {
    name: 'raw.parquet',
    options,
    partitionBytes,
  });
  const { rows, fields, source } = layers[0];
  return {
    geometries: rows.map(({ geometry }) => geometry),
    fields: fields.map(({ name }) => name),
    assumed: source.assumedCrs?.crs ?? null,
    missing: source.crsMissingReason,
    findings: findings.map(({ code, count }) => (count === 1 ? code : `${code} ${count}`)).sort(),
  };
}

async function errorOf(columns: readonly RawColumn[], options = {}): Promise<string> {
  try {
    await read(columns, options);
  } catch (error) {
    assert.ok(error instanceof GeomillError && error.fault === 'user', String((error as Error).stack));
    return `${error.code} ${error.message}`;
  }
  assert.fail('it was read');
}

test('columns of numbers named like coordinates are points', async () => {
  for (const [x, y] of [
    ['lon', 'lat'],
    ['Longitude', 'Latitude'],
    ['stop_lon', 'stop_lat'],
    ['lng', 'lat'],
  ]) {
    const found = await read([doubles(y, 47.5, 46), doubles(x, 8.5, 7), texts('name', 'a', 'b')]);
    assert.deepEqual(found.geometries, ['POINT (8.5 47.5)', 'POINT (7 46)'], x);
    assert.deepEqual(found.fields, ['name'], x);
    assert.equal(found.assumed, 'EPSG:4326', x);
    assert.deepEqual(found.findings, ['GEOPARQUET_COORDINATES_FOUND'], x);
  }
});

test('coordinates of a grid need a CRS, and values beyond degrees are doubted', async () => {
  const grid = await read([doubles('easting', 2_600_000), doubles('northing', 1_200_000)]);
  assert.deepEqual(grid.geometries, ['POINT (2600000 1200000)']);
  assert.equal(grid.assumed, null);
  const doubtful = await read([doubles('lon', 2_600_000), doubles('lat', 1_200_000)]);
  assert.equal(doubtful.assumed, null);
  assert.match(doubtful.missing ?? '', /named like degrees but have values such as 2600000/);
});

test('coordinates can have any type of numbers', async () => {
  const kinds: readonly (readonly [RawColumn, RawColumn])[] = [
    [numbers('x', INT32, [3, 5]), numbers('y', INT32, [4, 6])],
    [numbers('x', INT64, [3, 5]), numbers('y', INT64, [4, 6])],
    [numbers('x', FLOAT, [3, 5]), numbers('y', DOUBLE, [4, 6])],
    [
      numbers('x', INT32, [300, 500], { converted: DECIMAL, scale: 2, precision: 9 }),
      numbers('y', INT64, [40, 60], { converted: DECIMAL, scale: 1, precision: 18 }),
    ],
  ];
  for (const pair of kinds) assert.deepEqual((await read(pair)).geometries, ['POINT (3 4)', 'POINT (5 6)']);
  const wide = (name: string, unscaled: number): RawColumn => {
    const data = Buffer.alloc(16);
    data.writeBigInt64BE(BigInt(unscaled), 8);
    return {
      ...{ name, type: FIXED, typeLength: 16, converted: DECIMAL, scale: 10, precision: 38 },
      pages: [{ data, count: 1 }],
    };
  };
  const { geometries } = await read([wide('lon', 85_000_000_000), wide('lat', 475_000_000_000)]);
  assert.deepEqual(geometries, ['POINT (8.5 47.5)']);
});

test('rows without coordinates have no geometry; half a position is an error', async () => {
  const columns = [doubles('lon', null, 8.5, Number.NaN, 0), doubles('lat', null, 47.5, Number.NaN, 0)];
  for (const partitionBytes of [undefined, 1]) {
    const found = await read(columns, {}, partitionBytes);
    assert.deepEqual(found.geometries, [null, 'POINT (8.5 47.5)', null, 'POINT (0 0)']);
    assert.ok(
      found.findings.includes('COORDINATES_MISSING 2') && found.findings.includes('COORDINATES_ZERO'),
    );
  }
  assert.match(
    await errorOf([doubles('lon', 1, 8.5), doubles('lat', 2, null)]),
    /^GEOPARQUET_ROW .*row 2, column 'lat': one coordinate is missing/,
  );
  assert.match(
    await errorOf([doubles('lon', 1, Infinity), doubles('lat', 2, 3)]),
    /^GEOPARQUET_ROW .*row 2, column 'lon': infinity/,
  );
});

test('all coordinates null, and no rows', async () => {
  const none = await read([doubles('lon', null, null), doubles('lat', null, null), texts('a', 'x', 'y')]);
  assert.deepEqual(none.geometries, [null, null]);
  assert.deepEqual(none.fields, ['a']);
  const empty = await read([
    { name: 'lon', type: DOUBLE, pages: [] },
    { name: 'lat', type: DOUBLE, pages: [] },
  ]);
  assert.deepEqual(empty.geometries, []);
});

test('z beside x and y is taken; the columns stay fields if asked', async () => {
  const columns = [doubles('x', 1, 2), doubles('y', 3, 4), doubles('z', 5, null)];
  const found = await read(columns);
  assert.deepEqual(found.geometries, ['POINT Z (1 3 5)', 'POINT (2 4)']);
  assert.deepEqual(found.fields, []);
  assert.deepEqual((await read(columns, { keep_geometry_columns: true })).fields, ['x', 'y', 'z']);
});

test('options name the columns', async () => {
  const columns = [doubles('a', 1), doubles('b', 2), doubles('lon', 3), doubles('lat', 4), doubles('h', 9)];
  const found = await read(columns, { x_column: 'b', y_column: 'a', z_column: 'h' });
  assert.deepEqual(found.geometries, ['POINT Z (2 1 9)']);
  assert.deepEqual(found.fields, ['lon', 'lat']);
  assert.match(await errorOf(columns, { x_column: 'b', y_column: 'c' }), /input\.y_column.*no column 'c'/);
  assert.match(await errorOf(columns, { x_column: 'b' }), /^CONFIG_INVALID .*required together/);
  assert.match(
    await errorOf([doubles('a', 1), texts('b', '2')], { x_column: 'a', y_column: 'b' }),
    /no numbers in column 'b'/,
  );
});

test('a position that cannot be used is an error with advice', async () => {
  const cases: readonly (readonly [readonly RawColumn[], RegExp])[] = [
    [[texts('lon', '8.5'), texts('lat', '47.5')], /Column 'lon' has string values, not numbers/],
    [[doubles('lat', 47.5), doubles('longtude', 8.5)], /'lat' is named like a coordinate/],
    [[texts('wkt', 'POINT (1 2)')], /Column 'wkt' is named like geometries/],
    [[texts('place', 'POINT (1 2)')], /Column 'place' has WKT as text/],
    [[texts('place', '{"type":"Point","coordinates":[1,2]}')], /Column 'place' has GeoJSON as text/],
    [
      [doubles('x', 1), doubles('y', 2), doubles('lon', 3), doubles('lat', 4)],
      /several columns with a position: 'x' \(x\), 'y' \(y\); 'lon' \(x\), 'lat' \(y\)/,
    ],
  ];
  for (const [columns, advice] of cases) assert.match(await errorOf(columns), advice);
  const wkb = Buffer.concat([Buffer.from([1, 1, 0, 0, 0]), new Uint8Array(Float64Array.of(1, 2).buffer)]);
  const shapes = { name: 'place', type: BYTES, pages: [{ data: plainBytes(wkb), count: 1 }] };
  assert.match(await errorOf([shapes]), /Column 'place' has WKB: name it with 'input.geometry_column'/);
});

test('a table of attributes gives features without geometry, with a finding', async () => {
  const tables: readonly (readonly RawColumn[])[] = [
    [texts('name', 'a'), doubles('value', 1)],
    [doubles('Breite', 2.5), doubles('Länge', 10)],
    [{ name: 'photo', type: BYTES, pages: [{ data: plainBytes(Buffer.from('\x89PNG')), count: 1 }] }],
    [texts('note', 'Point of sale'), numbers('year', INT32, [2020])],
    [texts('latest', 'x')],
  ];
  for (const columns of tables) {
    const found = await read(columns);
    assert.deepEqual(found.geometries, [null]);
    assert.deepEqual(
      found.fields,
      columns.map(({ name }) => name),
    );
    assert.deepEqual(found.findings, ['GEOPARQUET_NO_POSITION']);
  }
  const empty = await read([{ name: 'a', type: DOUBLE, pages: [] }]);
  assert.deepEqual([empty.geometries, empty.findings], [[], ['GEOPARQUET_NO_POSITION']]);
});
