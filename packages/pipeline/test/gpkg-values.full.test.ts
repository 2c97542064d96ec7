/** GeoPackage values that contradict the declared types of their columns: none is lost, and all are counted. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import fc from 'fast-check';
import { combineFiles, convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { csvCells } from '../../../test/support/csv-cells.ts';
import { DEFAULT_INPUT_LIMITS } from '../../../test/support/limits.ts';
import { pointBlob, writeRawGeopackage } from '../../../test/support/raw-gpkg.ts';
import { readFileLayers } from '../../../test/support/read-layers.ts';
import { reader } from '../../formats/src/gpkg/read.ts';
import { inspectSource } from '../src/inspect.ts';
import type { ConversionReport } from '../src/report.ts';

type Stored = null | number | bigint | string | Uint8Array;

/** A layer `t` with one column per declaration; rows have one value for each. */
function writeTable(
  path: string,
  declarations: readonly string[],
  rows: readonly (readonly Stored[])[],
): string {
  const columns = declarations.map((type, i) => `c${i} ${type}`);
  const sql = `CREATE TABLE t (${['fid INTEGER PRIMARY KEY', 'geom BLOB', ...columns].join(', ')});`;
  return writeRawGeopackage(path, { sql, layers: ['t'] }, (database) => {
    const marks = declarations.map(() => ', ?').join('');
    const insert = database.prepare(`INSERT INTO t VALUES (NULL, ${pointBlob(1, 2)}${marks})`);
    for (const row of rows) insert.run(...row);
  });
}

/** The values as stored by SQLite, which may differ from the inserted ones. */
function storedRows(path: string): Stored[][] {
  const database = new DatabaseSync(path, { readOnly: true, readBigInts: true });
  try {
    const rows = database.prepare('SELECT * FROM t ORDER BY fid').all();
    return rows.map((row) => Object.values(row).slice(2) as Stored[]);
  } finally {
    database.close();
  }
}

const propertiesOf = (path: string): Record<string, unknown>[] =>
  JSON.parse(readFileSync(path, 'utf8')).features.map(
    ({ properties }: { properties: Record<string, unknown> }) => properties,
  );

const told = ({ warnings }: ConversionReport): unknown[] =>
  warnings
    .filter(({ code }) => code === 'FIELD_WIDENED' || code === 'VALUE_INVALID')
    .map(({ code, count, params }) => [code, params.field, params.declared, params.type, count]);

test('reads an INTEGER column that contains 78.25 as floats', async () => {
  using workspace = makeWorkspace();
  const rows = [[1], [78.25], [null], [3]];
  const path = writeTable(join(workspace.path, 'sewers.gpkg'), ['INTEGER'], rows);
  const { report, outputPath } = await convertFile(path, workspace.path, { from: 'gpkg', to: 'geojson' });
  assert.deepEqual(
    propertiesOf(outputPath).map(({ c0 }) => c0),
    [1, 78.25, null, 3],
  );
  assert.match(readFileSync(outputPath, 'utf8'), /"c0":1\.0/, 'the whole column is one of floats');
  assert.deepEqual(told(report), [['FIELD_WIDENED', 'c0', 'INTEGER', 'float64', 1]]);
  const [finding] = report.warnings.filter(({ code }) => code === 'FIELD_WIDENED');
  assert.deepEqual(finding.places, [{ layer: 't', record: 2, id: '2', field: 'c0' }]);
});

test('reads misfitting columns as the narrowest type that holds their values, others as declared', async () => {
  using workspace = makeWorkspace();
  const declarations = ['SMALLINT', 'INTEGER', 'INTEGER', 'DATE', 'BOOLEAN', 'REAL', 'INTEGER', 'TEXT(2)'];
  const path = writeTable(join(workspace.path, 'x.gpkg'), declarations, [
    [1, 1, 9007199254740993n, '2024-02-29', 1, 1.5, null, 'ab'],
    [3_000_000_000, 'n/a', 0.5, '29.02.2024', 2, '', null, 'longer than it is declared'],
  ]);
  const { report, outputPath } = await convertFile(path, workspace.path, { from: 'gpkg', to: 'gpkg' });
  const { layers } = await readFileLayers(reader, outputPath);
  assert.deepEqual(
    layers[0].fields.map(({ type }) => type),
    ['int64', 'string', 'string', 'string', 'int32', 'float64', 'int64', 'string'],
  );
  assert.deepEqual(
    layers[0].rows.map(({ properties }) => Object.values(properties)),
    [
      [1, '1', '9007199254740993', '2024-02-29', 1, 1.5, null, 'ab'],
      [3_000_000_000, 'n/a', '0.5', '29.02.2024', 2, null, null, 'longer than it is declared'],
    ],
  );
  assert.deepEqual(told(report), [
    ['VALUE_INVALID', 'c5', undefined, 'REAL', 1],
    ['FIELD_WIDENED', 'c0', 'SMALLINT', 'int64', 1],
    ['FIELD_WIDENED', 'c1', 'INTEGER', 'string', 1],
    ['FIELD_WIDENED', 'c2', 'INTEGER', 'string', 1],
    ['FIELD_WIDENED', 'c3', 'DATE', 'string', 1],
    ['FIELD_WIDENED', 'c4', 'BOOLEAN', 'int32', 1],
  ]);
});

for (const [to, threads] of [
  ['geojson', 1],
  ['geojson', 3],
  ['csv', 3],
  ['shp', 1],
  ['gpkg', 1],
] as const)
  test(`a late misfit among many rows: to ${to} in ${threads} threads`, async () => {
    using workspace = makeWorkspace();
    const rows = Array.from({ length: 9000 }, (_, i) => [i, `${i}`.padEnd(900, '.')]);
    rows[8000][0] = 0.25;
    const path = writeTable(join(workspace.path, 'late.gpkg'), ['INTEGER', 'TEXT'], rows);
    const fractions: number[] = [];
    const { report } = await convertFile(path, workspace.path, {
      from: 'gpkg',
      to,
      threads,
      onProgress: ({ fraction }) => fractions.push(fraction),
    });
    assert.equal(report.features.written, 9000);
    assert.deepEqual(told(report), [['FIELD_WIDENED', 'c0', 'INTEGER', 'float64', 1]]);
    assert.deepEqual(
      fractions,
      fractions.toSorted((a, b) => a - b),
      'the fraction never falls',
    );
    assert.ok(!report.warnings.some(({ code }) => code === 'VALUE_NOT_WRITTEN'));
  });

test('steps and inspections use the types that hold the values', async () => {
  using workspace = makeWorkspace();
  const path = writeTable(join(workspace.path, 'x.gpkg'), ['INTEGER'], [[1], [78.25], [2]]);
  const { outputPath } = await convertFile(path, workspace.path, {
    from: 'gpkg',
    to: 'geojson',
    transformations: [{ type: 'filter', params: { where: 'c0 > 50.5' } }],
  });
  assert.deepEqual(propertiesOf(outputPath), [{ c0: 78.25 }]);
  const inspection = await inspectSource(
    { format: 'gpkg', files: [{ crs: null, crsPath: 'input.epsg' }], layers: null, options: {} },
    {
      inputs: [{ path, name: 'x.gpkg' }],
      scratchDirectory: workspace.path,
      gridDirectory: null,
      threads: 1,
      limits: DEFAULT_INPUT_LIMITS,
    },
    { signal: new AbortController().signal, onProgress: () => {} },
  );
  assert.deepEqual(inspection.layers[0].fields, [{ name: 'c0', type: 'float64', nonNull: 3 }]);
  assert.deepEqual(
    inspection.warnings.map(({ code, count }) => [code, count]),
    [['FIELD_WIDENED', 1]],
  );
});

test('a target keeps its own misfits; appended values are converted or counted', async () => {
  using workspace = makeWorkspace();
  const target = writeTable(join(workspace.path, 'target.gpkg'), ['INTEGER', 'INTEGER'], [[78.25, 1]]);
  const more = writeTable(
    join(workspace.path, 'more.gpkg'),
    ['INTEGER', 'INTEGER'],
    [
      [0.5, 'two'],
      [7, 2],
    ],
  );
  const { report, outputPath } = await combineFiles([target, more], workspace.path, {
    operation: 'append',
    from: 'gpkg',
    to: 'geojson',
  });
  assert.deepEqual(propertiesOf(outputPath), [
    { c0: 78.25, c1: 1 },
    { c0: 0.5, c1: null },
    { c0: 7, c1: 2 },
  ]);
  assert.deepEqual(
    report.warnings
      .filter(({ code }) => code === 'VALUE_NOT_APPENDED')
      .map(({ count, params }) => [count, params.field]),
    [[1, 'c1']],
  );
});

const DECLARATIONS = [
  'BOOLEAN',
  'TINYINT',
  'MEDIUMINT',
  'INTEGER',
  'REAL',
  'NUMERIC',
  'TEXT',
  'TEXT(3)',
  'BLOB',
  'DATE',
  'DATETIME',
  'POINT',
  '',
  'ODD',
];

const value: fc.Arbitrary<Stored> = fc.oneof(
  fc.constant(null),
  fc.constantFrom<Stored>(
    0,
    1,
    2,
    '',
    ' ',
    '2024-02-29',
    '2024-02-30',
    '2024-02-29T10:00:00Z',
    'true',
    '1,5',
  ),
  fc.integer(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.double({ noNaN: true }),
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll('\0', '').toWellFormed()),
  fc.uint8Array({ maxLength: 6 }),
);

const table = fc
  .array(fc.constantFrom(...DECLARATIONS), { minLength: 1, maxLength: 4 })
  .chain((declarations) =>
    fc.record({
      declarations: fc.constant(declarations),
      rows: fc.array(fc.array(value, { minLength: declarations.length, maxLength: declarations.length }), {
        minLength: 1,
        maxLength: 8,
      }),
    }),
  );

/** Whether a CSV cell has exactly the value. */
function says(cell: string, stored: Exclude<Stored, null>): boolean {
  if (stored instanceof Uint8Array) return cell === Buffer.from(stored).toString('base64');
  if (typeof stored === 'string') return cell === stored || cell === Buffer.from(stored).toString('base64');
  if (cell === String(stored)) return true;
  if (typeof stored === 'number') return Number(cell) === stored;
  if (cell === 'true' || cell === 'false') return stored === (cell === 'true' ? 1n : 0n);
  return /^-?\d+\.0$/.test(cell) && BigInt(cell.slice(0, -2)) === stored;
}

test('preserves every value in a CSV for any declared type, except blanks, which are counted', async () => {
  await fc.assert(
    fc.asyncProperty(table, async ({ declarations, rows }) => {
      using workspace = makeWorkspace();
      const path = writeTable(join(workspace.path, 'x.gpkg'), declarations, rows);
      const { report, outputPath } = await convertFile(path, workspace.path, { from: 'gpkg', to: 'csv' });
      const [header, ...cells] = csvCells(readFileSync(outputPath, 'utf8'));
      let blanks = 0;
      for (const [i, row] of storedRows(path).entries()) {
        row.forEach((stored, column) => {
          const cell = cells[i][header.indexOf(`c${column}`)];
          const isNull = cell === '';
          if (stored === null) assert.ok(isNull);
          else if (isNull && typeof stored === 'string' && stored.trim() === '' && !says(cell, stored))
            blanks++;
          else if (!(isNull && typeof stored === 'string' && stored.trim() === ''))
            assert.ok(says(cell, stored), `${declarations[column]}: ${String(stored)} became '${cell}'`);
        });
      }
      const counted = report.warnings.filter(({ code }) => code === 'VALUE_INVALID');
      assert.ok(counted.reduce((sum, { count }) => sum + count, 0) >= blanks);
    }),
    { numRuns: 150 },
  );
});

test('batch boundaries do not affect the values', async () => {
  await fc.assert(
    fc.asyncProperty(table, async ({ declarations, rows }) => {
      using workspace = makeWorkspace();
      const path = writeTable(join(workspace.path, 'x.gpkg'), declarations, rows);
      const whole = await readFileLayers(reader, path);
      const split = await readFileLayers(reader, path, { partitionBytes: 1 });
      assert.deepEqual(split.layers[0].fields, whole.layers[0].fields);
      assert.deepEqual(split.layers[0].rows, whole.layers[0].rows);
    }),
    { numRuns: 100 },
  );
});

test('reads type declarations of 100 kB fast and truncates them in messages', async () => {
  using workspace = makeWorkspace();
  const declarations = [
    `POINT${' '.repeat(100_000)}X`,
    `INTEGER${'('.repeat(100_000)}`,
    `INT${'x'.repeat(100_000)}`,
  ].map((type) => `"${type}"`);
  const path = writeTable(join(workspace.path, 'x.gpkg'), declarations, [['a', 'b', 'c']]);
  const { report, outputPath } = await convertFile(path, workspace.path, { from: 'gpkg', to: 'geojson' });
  assert.deepEqual(propertiesOf(outputPath), [{ c0: 'a', c1: 'b', c2: 'c' }]);
  assert.ok(JSON.stringify(report.warnings).length < 2000);
});
