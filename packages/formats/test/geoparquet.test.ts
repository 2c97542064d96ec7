import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import {
  plainBytes,
  pointColumn,
  type RawColumn,
  type RawFile,
  type RawPage,
  rawParquet,
} from '../../../test/support/raw-parquet.ts';
import { readBytesLayers, readFileLayers } from '../../../test/support/read-layers.ts';
import { openFileSource } from '../../io/src/byte-source.ts';
import { UNLIMITED } from '../../io/src/limits.ts';
import { unpack } from '../src/geoparquet/bytes/compression.ts';
import { readDeltas32, readDeltas64 } from '../src/geoparquet/bytes/delta.ts';
import { readHybrid } from '../src/geoparquet/bytes/hybrid.ts';
import { leavesOfField } from '../src/geoparquet/read/columns.ts';
import { crsOf, parseGeo } from '../src/geoparquet/read/geo-metadata.ts';
import { hasLargePages } from '../src/geoparquet/read/page-memory.ts';
import { readRows } from '../src/geoparquet/read/read-rows.ts';
import type { ParquetState } from '../src/geoparquet/read/state.ts';
import { dateText, timestampText } from '../src/geoparquet/read/temporal-text.ts';
import { reader } from '../src/geoparquet/read.ts';
import { dateValues, timeValues } from '../src/geoparquet/write/temporal-values.ts';

const [INT32, BYTES] = [1, 6];
const GEO = JSON.stringify({
  version: '1.1.0',
  primary_column: 'geometry',
  columns: { geometry: { encoding: 'WKB', geometry_types: [] } },
});

const bytes = (...values: readonly number[]): Uint8Array<ArrayBuffer> => Uint8Array.from(values);
const ints = (...values: readonly number[]): Buffer => Buffer.from(Int32Array.from(values).buffer);

async function valuesOf(column: Omit<RawColumn, 'name'>, rowCount: number): Promise<unknown[]> {
  const file = rawParquet({
    columns: [{ name: 'a', ...column }, pointColumn(rowCount)],
    rowCount,
    keys: { geo: GEO },
  });
  const { layers } = await readBytesLayers(reader, file, { name: 'raw.parquet' });
  const { layers: inParts } = await readBytesLayers(reader, file, { name: 'raw.parquet', partitionBytes: 1 });
  assert.deepEqual(inParts[0].rows, layers[0].rows);
  return layers[0].rows.map(({ properties }) => properties.a);
}

const rejected = (file: RawFile, message: RegExp): Promise<void> =>
  assert.rejects(readBytesLayers(reader, rawParquet(file), { name: 'raw.parquet' }), {
    code: 'INPUT_UNREADABLE',
    message,
  });

test('reads runs and packed bits of the specification', () => {
  const eight = new Uint32Array(8);
  // Encodings.md: 0 to 7 in three bits.
  assert.equal(readHybrid(bytes(3, 0x88, 0xc6, 0xfa), 0, 4, 3, eight), 4);
  assert.deepEqual([...eight], [0, 1, 2, 3, 4, 5, 6, 7]);
  const run = new Uint32Array(5);
  readHybrid(bytes(10, 0xff, 0xff, 0xff, 0xff), 0, 5, 32, run);
  assert.deepEqual([...run], new Array(5).fill(0xffffffff));
  assert.throws(() => readHybrid(bytes(3, 0x88), 0, 2, 3, new Uint8Array(8)), /ends within/);
  assert.throws(() => readHybrid(bytes(0, 1), 0, 2, 1, new Uint8Array(8)), /a run of no values/);
});

test('reads deltas of the specification, and wraps around', () => {
  const example = bytes(8, 1, 8, 14, 3, 2, 0xc0, 0x3f);
  assert.deepEqual([...readDeltas32(example, 0, 8, 8).values], [7, 5, 3, 1, 2, 3, 4, 5]);
  assert.deepEqual([...readDeltas64(example, 0, 8, 8).values], [7n, 5n, 3n, 1n, 2n, 3n, 4n, 5n]);
  // From the largest number one up.
  const wrapped = bytes(8, 1, 2, 0xfe, 0xff, 0xff, 0xff, 0x0f, 2, 0);
  assert.deepEqual([...readDeltas32(wrapped, 0, 10, 2).values], [2147483647, -2147483648]);
  assert.throws(() => readDeltas32(bytes(8, 1, 0xff, 0xff, 0xff, 0x7f, 0), 0, 7, 8), /deltas for 8 values/);
});

test('unpacks literals and copies of snappy and LZ4, and no more than the stated size', () => {
  const text = 'abcdabcdabcdabcdX';
  const snappy = bytes(17, 3 << 2, 97, 98, 99, 100, ((12 - 1) << 2) | 2, 4, 0, 0, 88);
  assert.equal(Buffer.from(unpack(1, snappy, 17)).toString(), text);
  const lz4 = bytes(0x48, 97, 98, 99, 100, 4, 0, 0x10, 88);
  assert.equal(Buffer.from(unpack(7, lz4, 17)).toString(), text);
  const framed = Buffer.concat([bytes(0, 0, 0, 17, 0, 0, 0, lz4.length), lz4]);
  assert.equal(Buffer.from(unpack(5, framed, 17)).toString(), text);
  for (const [codec, packed] of [
    [1, snappy],
    [7, lz4],
    [5, framed],
    [2, gzipSync(text)],
  ] as const) {
    assert.throws(() => unpack(codec, packed, 16), /damaged/);
    assert.throws(() => unpack(codec, packed, 18), /damaged/);
    assert.throws(() => unpack(codec, packed.subarray(0, packed.length - 2), 17), /damaged/);
  }
  assert.throws(() => unpack(2, deflateSync(text), 17), /damaged/);
  assert.throws(() => unpack(3, snappy, 17), /LZO/);
});

test('reads pages of versions 1 and 2 with nulls, dictionaries and lists that continue', async () => {
  const levels = bytes(3, 0b101);
  const v2: RawPage = {
    data: Buffer.concat([levels, ints(7, 8)]),
    count: 3,
    levels: { rows: 3, repetitionBytes: 0, definitionBytes: 2 },
  };
  assert.deepEqual(await valuesOf({ type: INT32, repetition: 1, pages: [v2] }, 3), [7, null, 8]);
  const withLength = Buffer.concat([bytes(2, 0, 0, 0), levels]);
  const dictionary: RawPage = {
    data: plainBytes(Buffer.from('ä'), Buffer.from('b')),
    count: 2,
    isDictionary: true,
  };
  const indexed: RawPage = { data: Buffer.concat([withLength, bytes(1, 3, 0b01)]), count: 3, encoding: 8 };
  const plain: RawPage = {
    data: Buffer.concat([bytes(2, 0, 0, 0, 4, 1), plainBytes(Buffer.from('c'), Buffer.from('d'))]),
    count: 2,
  };
  assert.deepEqual(
    await valuesOf({ type: BYTES, converted: 0, repetition: 1, pages: [dictionary, indexed, plain] }, 5),
    ['b', null, 'ä', 'c', 'd'],
  );
  // Rows 1 2 3 | 4 | 5 6: the first and the last list continue in another page.
  const repeated = (repetitions: number, count: number, ...values: readonly number[]): RawPage => ({
    data: Buffer.concat([
      bytes(2, 0, 0, 0, 3, repetitions),
      bytes(2, 0, 0, 0, count * 2, 1),
      ints(...values),
    ]),
    count,
  });
  const pages = [repeated(0b10, 2, 1, 2), repeated(0b001, 3, 3, 4, 5), repeated(1, 1, 6)];
  assert.deepEqual(await valuesOf({ type: INT32, repetition: 2, pages }, 3), [[1, 2, 3], [4], [5, 6]]);
});

test('rejects sizes and counts that the file does not have before it takes memory', async () => {
  const file = (column: Partial<RawColumn>, rowCount = 1): RawFile => ({
    columns: [
      { name: 'a', type: INT32, pages: [{ data: ints(1), count: 1 }], ...column },
      pointColumn(rowCount),
    ],
    rowCount,
    keys: { geo: GEO },
  });
  await rejected(
    file({ pages: [{ data: ints(1), count: 1, statedBytes: 1 << 30 }] }),
    /at most 268435456 are read/,
  );
  await rejected(file({ pages: [{ data: ints(1), count: 1, statedBytes: 1 << 20 }], codec: 1 }), /damaged/);
  await rejected(file({ pages: [{ data: ints(1), count: 1 << 26 }] }, 1), /not as many values/);
  await rejected(
    file({ repetition: 2, pages: [{ data: ints(1), count: 1 << 26 }] }),
    /at most 16777216 are read/,
  );
  await rejected(
    file({ type: BYTES, pages: [{ data: bytes(255, 255, 255, 255), count: 1 }] }),
    /ends within its values/,
  );
  await rejected(file({ pages: [{ data: bytes(2, 4, 9), count: 1, encoding: 8 }] }), /no dictionary/);
  // One long text for many rows.
  const text: RawPage = { data: plainBytes(Buffer.alloc(1 << 20)), count: 1, isDictionary: true };
  const run: RawPage = { data: bytes(1, 0x80, 0x20, 0), count: 2048, encoding: 8 };
  await rejected(file({ type: BYTES, pages: [text, run] }, 2048), /at most 268435456 are read at once/);
});

test('bounds the memory of all columns of a range of rows', async () => {
  using workspace = makeWorkspace();
  const stateOf = async (file: RawFile): Promise<ParquetState> => {
    const path = join(workspace.path, 'wide.parquet');
    writeFileSync(path, rawParquet({ ...file, keys: { geo: GEO } }));
    return (await readFileLayers(reader, path)).layers[0].source.state as ParquetState;
  };
  const read = (state: ParquetState, rowCount: number, mostBytes: number): unknown => {
    using source = openFileSource(state.path);
    return readRows(source, state, { start: 0, end: rowCount }, UNLIMITED, mostBytes);
  };
  const rowCount = 64;
  const text: RawPage = { data: plainBytes(Buffer.alloc(1000)), count: 1, isDictionary: true };
  const run: RawPage = { data: bytes(1, rowCount * 2, 1, 0), count: rowCount, encoding: 8 };
  const columns = Array.from({ length: 4 }, (_, i) => ({ name: `c${i}`, type: BYTES, pages: [text, run] }));
  const wide = await stateOf({ columns: [...columns, pointColumn(rowCount)], rowCount });
  // 64,000 bytes of values of each column, a dictionary for each, and points of 21 bytes.
  read(wide, rowCount, 270_000);
  for (const mostBytes of [1000, 70_000, 256_000])
    assert.throws(
      () => read(wide, rowCount, mostBytes),
      /rows 1 to 64 have more than \d+ bytes together.*smaller row groups/,
    );
  // One row of 50,000 zeros in pages of 28 bytes: runs of levels and of indexes.
  const ones = bytes(3, 0, 0, 0, 0xd0, 0x0f, 1);
  const begin = bytes(5, 0, 0, 0, 2, 0, 0xce, 0x0f, 1);
  const pageOf = (repetitions: Uint8Array): RawPage => ({
    data: Buffer.concat([repetitions, ones, bytes(1, 0xd0, 0x0f, 0)]),
    count: 1000,
    encoding: 8,
  });
  const zero: RawPage = { data: ints(0), count: 1, isDictionary: true };
  const pages = [zero, pageOf(begin), ...Array.from({ length: 49 }, () => pageOf(ones))];
  const list = { name: 'list', type: INT32, repetition: 2, pages };
  const long = await stateOf({ columns: [list, pointColumn(1)], rowCount: 1 });
  read(long, 1, 410_000);
  for (const mostBytes of [6000, 290_000])
    assert.throws(() => read(long, 1, mostBytes), /rows 1 to 1 have more/);
});

test('counts the first pages of the large columns of a row group', async () => {
  using workspace = makeWorkspace();
  const rowCount = 20_000;
  const ints = (pageCount: number): RawPage[] =>
    Array.from({ length: pageCount }, () => ({
      data: new Uint8Array((rowCount / pageCount) * 4),
      count: rowCount / pageCount,
    }));
  const zero: RawPage = { data: Buffer.alloc(4), count: 1, isDictionary: true };
  const isLarge = async (
    mostBytes: number,
    ...columns: readonly (readonly RawPage[])[]
  ): Promise<boolean> => {
    const path = join(workspace.path, 'pages.parquet');
    const own = columns.map((pages, i) => ({ name: `c${i}`, type: INT32, pages }));
    writeFileSync(
      path,
      rawParquet({ columns: [...own, pointColumn(rowCount)], rowCount, keys: { geo: GEO } }),
    );
    const { source: layer } = (await readFileLayers(reader, path)).layers[0];
    assert.equal(layer.isSequential, undefined);
    const { fields, groups } = layer.state as ParquetState;
    using source = openFileSource(path);
    return hasLargePages(source, groups, fields.flatMap(leavesOfField), mostBytes);
  };
  assert.equal(await isLarge(70_000, ints(1)), true);
  assert.equal(await isLarge(70_000, ints(4)), false);
  assert.equal(await isLarge(70_000, [zero, ...ints(2)], ints(2)), true);
  assert.equal(await isLarge(81_000, ints(1)), false);
});

test('keeps unsigned integers of lists, and reports values that JSON cannot have', async () => {
  const [INT64, STRING, DATE, UINT64] = [2, 0, 6, 14];
  const listOf = (...values: readonly Uint8Array[]): RawPage => ({
    // One row with all values.
    data: Buffer.concat([
      ...[bytes(3, 0b10), bytes(values.length * 2, 1)].flatMap((levels) => [bytes(2, 0, 0, 0), levels]),
      ...values,
    ]),
    count: values.length,
  });
  const longs = Buffer.from(BigInt64Array.of(-1n, 5n).buffer);
  const file = rawParquet({
    columns: [
      {
        name: 'wide',
        type: INT64,
        converted: UINT64,
        repetition: 2,
        pages: [listOf(longs.subarray(0, 8), longs.subarray(8))],
      },
      {
        name: 'day',
        type: INT32,
        converted: DATE,
        repetition: 2,
        pages: [listOf(ints(10_000_000), ints(0))],
      },
      {
        name: 'text',
        type: BYTES,
        converted: STRING,
        repetition: 2,
        pages: [listOf(plainBytes(bytes(0xe4)), plainBytes(bytes(97)))],
      },
      pointColumn(1),
    ],
    rowCount: 1,
    keys: { geo: GEO },
  });
  const { layers, findings } = await readBytesLayers(reader, file, { name: 'raw.parquet' });
  assert.deepEqual(layers[0].rows[0].properties, {
    wide: [Number(2n ** 64n - 1n), 5],
    day: [null, '1970-01-01'],
    text: ['\ufffd', 'a'],
  });
  const found = findings.map(({ code, params, count }) => [code, params.field, count]);
  assert.deepEqual(found.sort(), [
    ['TEXT_REPLACED', 'text', 1],
    ['VALUE_INVALID', 'day', 1],
  ]);
});

test('takes no box of a row group from boxes that cross the antimeridian', async () => {
  const DOUBLE = 5;
  const doubles = (...values: readonly number[]): Buffer => Buffer.from(Float64Array.from(values).buffer);
  const sides = ['xmin', 'ymin', 'xmax', 'ymax'];
  const bbox = Object.fromEntries(sides.map((side) => [side, [side]]));
  const geo = { columns: { geometry: { encoding: 'WKB', covering: { bbox } } } };
  const boxOf = async (first: readonly number[], second: readonly number[]): Promise<number[]> => {
    const columns = sides.map((name, i): RawColumn => {
      const [a, b] = [first[i], second[i]];
      const range = [doubles(Math.min(a, b)), doubles(Math.max(a, b))] as const;
      return { name, type: DOUBLE, range, pages: [{ data: doubles(a, b), count: 2 }] };
    });
    const file = rawParquet({
      columns: [...columns, pointColumn(2)],
      rowCount: 2,
      keys: { geo: JSON.stringify(geo) },
    });
    const { layers } = await readBytesLayers(reader, file, { name: 'raw.parquet' });
    return [...(layers[0].source.state as ParquetState).groups.boxes];
  };
  assert.deepEqual(await boxOf([-100, 1, 50, 2], [3, 0, 60, 4]), [-100, 0, 60, 4]);
  const unknown = new Array(4).fill(Number.NaN);
  assert.deepEqual(await boxOf([-100, 1, 50, 2], [170, 0, -170, 4]), unknown);
  assert.deepEqual(await boxOf([170, 1, -170, 2], [170, 0, -170, 4]), unknown);
});

test('bounds the digits of decimals', async () => {
  const [FIXED, DECIMAL] = [7, 5];
  const decimal = { name: 'a', type: INT32, converted: DECIMAL, precision: 9 };
  const page = { data: ints(-7), count: 1 };
  assert.deepEqual(await valuesOf({ ...decimal, scale: 1000, pages: [page] }, 1), [-0]);
  for (const scale of [-1, 1001, 2 ** 30]) {
    const columns = [{ ...decimal, scale, pages: [page] }, pointColumn(1)];
    await rejected({ columns, rowCount: 1, keys: { geo: GEO } }, /'a' has decimals with the scale/);
  }
  const wide = (typeLength: number, precision: number): Omit<RawColumn, 'name'> => ({
    type: FIXED,
    typeLength,
    converted: DECIMAL,
    precision,
    pages: [{ data: Buffer.alloc(typeLength, 1), count: 1 }],
  });
  assert.deepEqual(await valuesOf(wide(32, 76), 1), [String(BigInt(`0x${'01'.repeat(32)}`))]);
  // Too large for the declared precision, or for any decimal: null, and not another number.
  for (const column of [wide(16, 9), wide(16, 18), wide(1 << 20, 38)])
    assert.deepEqual(await valuesOf(column, 1), [null]);
  const short: RawPage = { data: bytes(8, 1, 1, 0, 8, 1, 1, 6, 1, 2, 3), count: 1, encoding: 7 };
  const interval = { name: 'a', type: FIXED, typeLength: 12, converted: 21, pages: [short] };
  await rejected(
    { columns: [interval, pointColumn(1)], rowCount: 1, keys: { geo: GEO } },
    /3 bytes instead of 12/,
  );
});

test('understands the CRS of the metadata and of the types', () => {
  const id = (authority: string, code: unknown): object => ({
    type: 'GeographicCRS',
    id: { authority, code },
  });
  const stated = (crs?: unknown): ReturnType<typeof crsOf> => {
    const geo = parseGeo(
      JSON.stringify({ columns: { g: { encoding: 'WKB', ...(crs === undefined ? {} : { crs }) } } }),
    );
    assert.ok(typeof geo !== 'string');
    return crsOf(geo.columns.get('g'), null, new Map());
  };
  assert.equal(stated(), 'EPSG:4326');
  assert.equal(stated(null), null);
  assert.equal(stated(id('EPSG', 25832)), 'EPSG:25832');
  assert.equal(stated(id('OGC', 'CRS84')), 'EPSG:4326');
  assert.equal(stated({ type: 'GeographicCRS', name: 'own' }), '{"type":"GeographicCRS","name":"own"}');
  assert.equal(stated('GEOGCRS["x",ID["EPSG",4258]]'), 'EPSG:4258');
  const native = (crs: string | null, keys: Record<string, string> = {}): ReturnType<typeof crsOf> =>
    crsOf(undefined, { kind: 'geometry', crs }, new Map(Object.entries(keys)));
  assert.equal(native(null), 'EPSG:4326');
  assert.equal(native('srid:0'), null);
  assert.equal(native('srid:5070'), 'EPSG:5070');
  assert.equal(native('projjson:mine', { mine: JSON.stringify(id('EPSG', '3035')) }), 'EPSG:3035');
  assert.equal(native('EPSG:3035'), 'EPSG:3035');
});

test('writes dates and times as the numbers that are read as the same text', () => {
  const encoder = new TextEncoder();
  const column = <Type extends 'date' | 'datetime'>(type: Type, text: string) => {
    const encoded = encoder.encode(text);
    return { type, bytes: encoded, offsets: Uint32Array.of(0, encoded.length), validity: null };
  };
  const anyDate = fc.date({
    min: new Date('0000-01-01'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(anyDate, (date) => {
      const text = date.toISOString();
      const time = timeValues(column('datetime', text), 1);
      assert.equal(timestampText(time.values[0], 'us', true), text);
      assert.equal(dateText(dateValues(column('date', text.slice(0, 10)), 1).values[0]), text.slice(0, 10));
    }),
  );
  const read = (text: string): unknown[] => {
    const { values, withZone, moved, cut } = timeValues(column('datetime', text), 1);
    return [timestampText(values[0], 'us', withZone > 0), moved.count, cut.count];
  };
  assert.deepEqual(read('2024-02-29 12:30'), ['2024-02-29T12:30:00.000', 0, 0]);
  assert.deepEqual(read('2024-03-01T00:30:00.123456+05:30'), ['2024-02-29T19:00:00.123456Z', 1, 0]);
  assert.deepEqual(read('2024-02-29T23:00:00.1234567-02'), ['2024-03-01T01:00:00.123456Z', 1, 1]);
  assert.equal(timestampText(-1n, 'ns', false), '1969-12-31T23:59:59.999999999');
  assert.equal(dateText(-719_529), null);
});

test('reads columns of dates and timestamps as the text of each value', async () => {
  const anyMicros = fc.bigInt({ min: -62_167_219_200_000_000n - 10n, max: 253_402_300_800_000_000n + 10n });
  const longs = (values: readonly bigint[]): Buffer => Buffer.from(BigInt64Array.from(values).buffer);
  await fc.assert(
    fc.asyncProperty(fc.array(anyMicros, { minLength: 1, maxLength: 20 }), async (values) => {
      const count = values.length;
      const [INT64, MICROS, DATE] = [2, 10, 6];
      const micros = await valuesOf(
        { type: INT64, converted: MICROS, pages: [{ data: longs(values), count }] },
        count,
      );
      assert.deepEqual(
        micros,
        values.map((value) => timestampText(value, 'us', true)),
      );
      const days = values.map((value) => Number(value / 86_400_000_000n));
      const dates = await valuesOf(
        { type: INT32, converted: DATE, pages: [{ data: ints(...days), count }] },
        count,
      );
      assert.deepEqual(dates, days.map(dateText));
    }),
    { numRuns: 10 },
  );
});

test('reports times with and without a time zone in one field, and a name that is taken', async () => {
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'in.geojson');
  const times = ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00', '2024-01-01T00:00:00+01:00'];
  const features = times.map((at) => ({ type: 'Feature', properties: { at, Geometry: 1 }, geometry: null }));
  writeFileSync(input, JSON.stringify({ type: 'FeatureCollection', features }));
  const { outputPath, report } = await convertFile(input, workspace.path, {
    from: 'geojson',
    to: 'geoparquet',
  });
  const codes = report.warnings.map(({ code, count }) => `${code} ${count}`).sort();
  assert.deepEqual(codes, ['COLUMN_RENAMED 1', 'TIMES_MIXED 1', 'TIMES_TO_UTC 1']);
  const back = await convertFile(outputPath, workspace.path, {
    from: 'geoparquet',
    to: 'geojson',
    outputName: 'back',
  });
  const read = JSON.parse(readFileSync(back.outputPath, 'utf8')) as {
    features: { properties: { at: string } }[];
  };
  assert.deepEqual(
    read.features.map(({ properties }) => properties.at),
    ['2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00.000Z', '2023-12-31T23:00:00.000Z'],
  );
});
