/** Filters by values read only the row groups of GeoParquet whose statistics allow them, and keep the same features. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { MANY, writeGeojson } from '../../../test/support/large-files.ts';
import { pointColumn, type RawColumn, writeRawParquet } from '../../../test/support/raw-parquet.ts';
import { readFileLayers } from '../../../test/support/read-layers.ts';
import type { WantedValues } from '../../core/src/columns/wanted-values.ts';
import { transformations } from '../../operations/src/registry.ts';
import { parseSteps } from '../../operations/src/requested-steps.ts';
import type { FieldPlan } from '../src/geoparquet/read/columns.ts';
import { scalarType } from '../src/geoparquet/read/convert.ts';
import type { LogicalType } from '../src/geoparquet/read/logical.ts';
import type { ColumnStatistics } from '../src/geoparquet/read/row-groups.ts';
import { valueTestsFor } from '../src/geoparquet/read/value-tests.ts';
import { reader } from '../src/geoparquet/read.ts';

const [INT32, INT64, FLOAT, DOUBLE, BYTES] = [1, 2, 4, 5, 6];

const int32 = (value: number): Buffer => Buffer.from(Int32Array.of(value).buffer);
const int64 = (value: bigint): Buffer => Buffer.from(BigInt64Array.of(value).buffer);
const float = (value: number): Buffer => Buffer.from(Float32Array.of(value).buffer);
const double = (value: number): Buffer => Buffer.from(Float64Array.of(value).buffer);

type Statistics = Partial<ColumnStatistics>;

/** Whether a row group with the statistics may have the values; null: they are not compared. */
function mayHave(type: number, logical: LogicalType | null, own: Statistics, wanted: object): boolean | null {
  const leaf = { name: 'f', type, typeLength: 0, logical, isRepeated: false, definition: 1, repetition: 0 };
  const node = { ...leaf, children: [], firstLeaf: 0, leafCount: 1 };
  const plan: FieldPlan = { kind: 'scalar', field: { name: 'f', type: scalarType(node) }, leaf: node };
  const [found] = valueTestsFor([plan], [{ field: 'f', ...wanted } as WantedValues]);
  return found?.mayHave({ min: null, max: null, nullCount: null, valueCount: 10, ...own }) ?? null;
}

const equal = (...values: readonly unknown[]): object => ({ values });
const range = (least: unknown, most: unknown): object => ({ range: [least, most] });

test('compares numbers with statistics, integers of 64 bits exactly', () => {
  const ten = { min: int32(-10), max: int32(10) };
  for (const value of [-10, 0, 9.5, 10, 10n]) assert.equal(mayHave(INT32, null, ten, equal(value)), true);
  for (const value of [-11, 10.5, 11, 2n ** 70n])
    assert.equal(mayHave(INT32, null, ten, equal(value)), false);
  assert.equal(mayHave(INT32, null, ten, equal(11, 3)), true, 'one of the values');
  const wide = { min: int64(2n ** 53n + 1n), max: int64(2n ** 53n + 1n) };
  assert.equal(mayHave(INT64, null, wide, equal(2n ** 53n + 1n)), true);
  for (const value of [2 ** 53, 2n ** 53n + 2n])
    assert.equal(mayHave(INT64, null, wide, equal(value)), false, String(value));
  const real = { min: double(-0), max: double(1.5) };
  assert.equal(mayHave(DOUBLE, null, real, equal(0)), true);
  assert.equal(mayHave(DOUBLE, null, real, equal(-1e-300)), false);
  const narrow = { min: float(0.1), max: float(0.1) };
  assert.equal(mayHave(FLOAT, null, narrow, equal(Math.fround(0.1))), true);
  assert.equal(mayHave(FLOAT, null, narrow, equal(0.1)), false, 'a float32 is read as the double that it is');
  assert.equal(mayHave(INT32, null, ten, range(11, null)), false);
  assert.equal(mayHave(INT32, null, ten, range(10, null)), true);
  assert.equal(mayHave(INT32, null, ten, range(null, -11)), false);
  assert.equal(mayHave(INT64, null, wide, range(0, 2 ** 53)), false);
  assert.equal(mayHave(INT32, null, ten, equal('11')), null, 'a text that is a number is left to the filter');
});

test('statistics with NaN or of another length, or without one of the two values, exclude nothing', () => {
  for (const own of [
    {},
    { min: double(0) },
    { max: double(0) },
    { min: double(Number.NaN), max: double(Number.NaN) },
    { min: float(0), max: float(0) },
    { min: new Uint8Array(0), max: new Uint8Array(0) },
  ])
    assert.equal(mayHave(DOUBLE, null, own, equal(7)), true);
  const half = { min: double(Number.NaN), max: double(1) };
  assert.equal(mayHave(DOUBLE, null, half, range(0, 1)), true);
  assert.equal(mayHave(INT32, null, { nullCount: 10 }, equal(1)), false, 'all are null');
  assert.equal(mayHave(INT32, null, { nullCount: 9 }, equal(1)), true);
  assert.equal(mayHave(INT32, null, { nullCount: 0 }, equal()), true, 'no statistics');
});

test('compares texts by bytes, also with statistics that are cut', () => {
  const string = { kind: 'string' } as const;
  const own = { min: Buffer.from('b'), max: Buffer.from('prefix 2') };
  for (const text of ['b', 'blue', 'prefix 1 and more', 'prefix 2'])
    assert.equal(mayHave(BYTES, string, own, equal(text)), true, text);
  for (const text of ['', 'a', 'B', 'prefix 2 and more', 'ä', '\u{1F600}'])
    assert.equal(mayHave(BYTES, string, own, equal(text)), false, text);
  const cut = { min: Buffer.from('ä').subarray(0, 1), max: Buffer.from([0xc4]) };
  assert.equal(mayHave(BYTES, string, cut, equal('ä')), true, 'the largest value cut and rounded up');
  for (const value of ['\uFFFD', '\uD800', 7]) assert.equal(mayHave(BYTES, string, own, equal(value)), null);
  assert.equal(
    mayHave(BYTES, string, own, range('x', null)),
    null,
    'bytes that are not UTF-8 have another order',
  );
  assert.equal(mayHave(BYTES, null, own, equal('x')), null, 'binary');
  assert.equal(mayHave(BYTES, { kind: 'json' }, own, equal('x')), null);
});

test('compares dates and timestamps as instants', () => {
  const date = { kind: 'date' } as const;
  const days = { min: int32(0), max: int32(365) };
  for (const text of ['1970-01-01', '1971-01-01', '1970-06-01T12:00:00Z'])
    assert.equal(mayHave(INT32, date, days, equal(text)), true, text);
  for (const text of ['1969-12-31', '1971-01-02', '1971-01-01T00:00:00-01:00'])
    assert.equal(mayHave(INT32, date, days, equal(text)), false, text);
  assert.equal(mayHave(INT32, date, days, range('1971-01-02', null)), false);
  for (const text of ['1970', '1970-01', '01.01.1970', '1970-13-01', 5])
    assert.equal(mayHave(INT32, date, days, equal(text)), null, String(text));
  for (const [unit, perMs] of [
    ['ms', 1n],
    ['us', 1000n],
    ['ns', 1_000_000n],
  ] as const) {
    const second = { min: int64(1000n * perMs), max: int64(2000n * perMs) };
    const ask = (text: string) =>
      mayHave(INT64, { kind: 'timestamp', isUtc: true, unit }, second, equal(text));
    for (const text of ['1970-01-01T00:00:01', '1970-01-01 00:00:02Z', '1970-01-01T01:00:01.5+01:00'])
      assert.equal(ask(text), true, `${unit} ${text}`);
    for (const text of ['1970-01-01', '1970-01-01T00:00:02.002Z', '1970-01-01T00:00:01+01:00'])
      assert.equal(ask(text), false, `${unit} ${text}`);
  }
});

test('types whose order in statistics is another one are left to the filter', () => {
  const own = { min: int32(5), max: int32(6) };
  const unsigned = { kind: 'integer', bits: 32, isSigned: false } as const;
  assert.equal(mayHave(INT32, unsigned, own, equal(1)), null);
  assert.equal(mayHave(INT32, { kind: 'decimal', scale: 1, precision: 3 }, own, equal(1)), null);
  assert.equal(mayHave(INT32, { kind: 'integer', bits: 16, isSigned: false }, own, equal(1)), false);
  assert.equal(mayHave(BYTES, { kind: 'new' }, own, equal('1')), null);
});

test('statistics count only if the file says that they are in the order of the type', async () => {
  using workspace = makeWorkspace();
  const data = Buffer.concat([1, 2].map(int32));
  const column: RawColumn = {
    name: 'n',
    type: INT32,
    pages: [{ data, count: 2 }],
    range: [int32(1), int32(2)],
  };
  for (const isOrdered of [true, false]) {
    const path = join(workspace.path, `${isOrdered}.parquet`);
    writeRawParquet(path, { columns: [column, pointColumn(2)], rowCount: 2, isOrdered });
    const { layers } = await readFileLayers(reader, path);
    const select = (value: number) =>
      reader.excerpts?.selectFeatures?.(
        layers[0].source,
        { near: null, values: [{ field: 'n', values: [value] }] },
        1 << 20,
      );
    assert.equal(select(2), null, 'nothing can be left out');
    assert.deepEqual(select(3)?.partitions, isOrdered ? [] : undefined);
    assert.equal(select(3)?.featureCount, isOrdered ? 2 : undefined);
  }
});

test('of a large file only row groups with the values are read, with the same output as all of them', async () => {
  using workspace = makeWorkspace();
  const source = join(workspace.path, 'in.geojson');
  writeGeojson(
    source,
    (i) => `,"late":${i < 66_000 ? null : i},"day":"${i < 66_000 ? '2020-01-31' : '2021-01-31'}"`,
  );
  const options = { from: 'geojson', to: 'geoparquet', writeOptions: { compression: 'none' } } as const;
  const { outputPath: path } = await convertFile(source, workspace.path, options);
  const filter = async (where: string) => {
    using own = makeWorkspace();
    const steps = parseSteps([{ type: 'filter', where }], 'transformations', transformations);
    const request = { from: 'geoparquet', to: 'csv', transformations: steps } as const;
    const { report, outputPath } = await convertFile(path, own.path, request);
    const codes = report.warnings.map(({ code }) => code);
    return { output: readFileSync(outputPath, 'utf8'), read: report.features.read, codes };
  };
  for (const [where, count] of [
    ['n = 79999', 1],
    ["late > 79997 and day >= '2020-06-01'", 2],
    ['n between 3 and 5', 3],
    ['late = -1', 0],
  ] as const) {
    const found = await filter(where);
    assert.equal(found.output.trim().split('\n').length - 1, count, where);
    assert.ok(found.read < MANY && found.codes.includes('READ_WITH_VALUES'), `${where}: ${found.read}`);
  }
  const [found, expected] = [await filter('n = 70000'), await filter('not (not (n = 70000))')];
  assert.equal(found.output, expected.output);
  assert.ok(expected.read === MANY && !expected.codes.includes('READ_WITH_VALUES'));
});
