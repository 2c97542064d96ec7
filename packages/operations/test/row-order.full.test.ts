/** sort, limit and distinct: laws, their order against SQLite's, and that neither batches, runs, threads nor formats make a difference. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { layerOf, type Row, rowsOf } from '../../../test/support/collecting.ts';
import { type ConvertOptions, convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { batchOf } from '../../../test/support/expression-batches.ts';
import { loaded, runSerial, withSpool } from '../../../test/support/serial.ts';
import { batchOfWkt } from '../../../test/support/wkt-column.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import { joinBatches } from '../../core/src/columns/join-batches.ts';
import { evaluationOf } from '../../expressions/src/node.ts';
import { distinct } from '../src/distinct/record.ts';
import { limit } from '../src/limit/record.ts';
import { RowSorter } from '../src/parts/row-sorter.ts';
import { keysFor, withKeys } from '../src/parts/sort-keys.ts';
import { parseOrders, splitAtCommas } from '../src/parts/sort-orders.ts';
import { transformations } from '../src/registry.ts';
import { parseSteps } from '../src/requested-steps.ts';
import { sort } from '../src/sort/record.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');
const stepsOf = (...steps: readonly object[]) => parseSteps(steps, 'transformations', transformations);

const someRows = fc
  .array(
    fc.record({
      k: fc.option(fc.integer({ min: -3, max: 3 }), { freq: 5 }),
      t: fc.option(fc.constantFrom('a', 'B', 'ä', 'z', '\u{1F600}', '\uFFFD', '', 'ab'), { freq: 5 }),
      x: fc.integer({ min: 0, max: 2 }),
    }),
    { maxLength: 40 },
  )
  .map((list) =>
    list.map(
      ({ x, ...row }, i): Row => ({ ...row, n: i, wkt: i % 7 === 6 ? null : `POINT (${x} 1)`, id: i }),
    ),
  );

const textOrder = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** -1, 0 or 1; null last. */
function compared<V>(a: V | null, b: V | null, order: (a: V, b: V) => number): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0);
  return order(a, b);
}

test('sort is stable and a permutation: numbers, texts by code point, nulls last', async () => {
  await fc.assert(
    fc.asyncProperty(someRows, fc.integer({ min: 1, max: 9 }), async (rows, size) => {
      const { batches } = await runSerial(sort, { by: ['k desc', 't'] }, layerOf(rows, size));
      const expected = rows.toSorted(
        (a, b) =>
          compared(a.k as number | null, b.k as number | null, (x, y) => y - x) ||
          compared(a.t as string | null, b.t as string | null, textOrder),
      );
      assert.deepEqual(
        rowsOf(batches).map(({ n }) => n),
        expected.map(({ n }) => n),
      );
      const byNumber = rowsOf(batches).toSorted((a, b) => Number(a.n) - Number(b.n));
      if (rows.length > 0) assert.deepEqual(byNumber, rowsOf([joinBatches(layerOf(rows, 50))]));
    }),
    { numRuns: 100 },
  );
});

test('runs on disk give the same order as one in memory', async () => {
  const orders = parseOrders(['k', 't desc nulls first'], 'by');
  await fc.assert(
    fc.asyncProperty(someRows, async (rows) => {
      const batches = layerOf(rows, 2).map((batch) => {
        const batchKeys = keysFor(orders, batch.fields, null).map((node) =>
          node.column(evaluationOf(batch, 'by', () => {})),
        );
        return withKeys(batch, batchKeys);
      });
      await withSpool((spool) => {
        const [inMemory, inRuns] = [Number.POSITIVE_INFINITY, 1].map((runBytes) => {
          const sorter = new RowSorter(orders, spool, runBytes);
          for (const batch of batches) sorter.add(batch);
          return rowsOf(loaded(sorter.finish(), spool)).map(({ n }) => n);
        });
        assert.deepEqual(inRuns, inMemory);
      });
    }),
    { numRuns: 60 },
  );
});

test('more runs than are merged at once keep the order', async () => {
  const rows = Array.from({ length: 300 }, (_, i): Row => ({ k: (i * 7) % 11, n: i, wkt: 'POINT (1 1)' }));
  const orders = parseOrders(['k'], 'by');
  await withSpool((spool) => {
    const sorter = new RowSorter(orders, spool, 1);
    for (const batch of layerOf(rows, 2))
      sorter.add(withKeys(batch, [batch.columns[batch.fields.findIndex(({ name }) => name === 'k')]]));
    const sorted = rowsOf(loaded(sorter.finish(), spool));
    assert.deepEqual(
      sorted.map(({ n }) => n),
      rows.toSorted((a, b) => Number(a.k) - Number(b.k)).map(({ n }) => n),
    );
  });
});

async function sortedValues(values: Parameters<typeof batchOf>[0], by: string): Promise<unknown[]> {
  const { batches } = await runSerial(sort, { by: [by] }, [batchOf(values)]);
  return rowsOf(batches).map((row) => Object.values(row)[1]);
}

test('each type has its order', async () => {
  assert.deepEqual(
    await sortedValues({ v: ['int64', [9007199254740993n, null, 9007199254740992n, -1n]] }, 'v'),
    [-1n, 9007199254740992n, 9007199254740993n, null],
  );
  assert.deepEqual(
    await sortedValues({ v: ['float64', [2, Number.NaN, -0.5, null, 1e300]] }, 'v desc nulls first'),
    [Number.NaN, null, 1e300, 2, -0.5],
  );
  assert.deepEqual(
    await sortedValues(
      { v: ['datetime', ['2020-01-01T12:00:00+02:00', '2020-01-01T11:00:00Z', '2020-01-01T09:00:00']] },
      'v',
    ),
    ['2020-01-01T09:00:00', '2020-01-01T12:00:00+02:00', '2020-01-01T11:00:00Z'],
  );
  assert.deepEqual(
    await sortedValues({ v: ['json', ['"b"', '10', '9.5', '-3', 'true', '"a"', null, '-20']] }, 'v'),
    ['-20', '-3', '9.5', '10', '"a"', '"b"', 'true', null],
  );
  assert.deepEqual(await sortedValues({ v: ['boolean', [1, 0, null]] as never }, 'v desc'), [
    true,
    false,
    null,
  ]);
  await assert.rejects(runSerial(sort, { by: ['geometry'] }, [batchOfWkt(['POINT (1 1)'])]), {
    code: 'TRANSFORMATION_INVALID',
  });
  await assert.rejects(runSerial(sort, { by: ['desc'] }, [batchOfWkt(['POINT (1 1)'])]), {
    code: 'FIELD_UNKNOWN',
  });
  assert.throws(() => parseOrders(['  desc'], 'by'), { code: 'TRANSFORMATION_INVALID' });
  assert.deepEqual(splitAtCommas(`a desc, coalesce(b, 'x,y'), "c,d"`), [
    'a desc',
    `coalesce(b, 'x,y')`,
    '"c,d"',
  ]);
});

test('limit and offset part a layer, however it is cut into batches', async () => {
  await fc.assert(
    fc.asyncProperty(someRows, fc.nat(45), fc.integer({ min: 1, max: 9 }), async (rows, count, size) => {
      const head = await runSerial(limit, { count }, layerOf(rows, size));
      const tail = await runSerial(limit, { count: 1000, offset: count }, layerOf(rows, size));
      assert.equal(rowsOf(head.batches).length, Math.min(count, rows.length));
      assert.deepEqual([...rowsOf(head.batches), ...rowsOf(tail.batches)], rowsOf(layerOf(rows, size)));
    }),
    { numRuns: 60 },
  );
});

test('distinct keeps the first of each kind, and is idempotent', async () => {
  await fc.assert(
    fc.asyncProperty(someRows, fc.integer({ min: 1, max: 9 }), async (rows, size) => {
      const layer = layerOf(rows, size);
      for (const [params, key] of [
        [{ by: ['k', 't'] }, ({ k, t }: Row) => JSON.stringify([k, t])],
        [{ by: [], geometry: true }, ({ wkt }: Row) => String(wkt)],
        [{ by: ['k'], geometry: true }, ({ k, wkt }: Row) => JSON.stringify([k, wkt])],
      ] as const) {
        const seen = new Map(
          rowsOf(layer)
            .toReversed()
            .map((row) => [key(row), row.n]),
        );
        const once = await runSerial(distinct, params, layer);
        const kept = rowsOf(once.batches);
        assert.deepEqual(
          kept.map(({ n }) => n),
          [...seen.values()].sort((a, b) => Number(a) - Number(b)),
        );
        const dropped = once.findings.find(({ code }) => code === 'DUPLICATES_DROPPED')?.count ?? 0;
        assert.equal(dropped + kept.length, rows.length);
        assert.deepEqual(rowsOf((await runSerial(distinct, params, once.batches)).batches), kept);
      }
    }),
    { numRuns: 60 },
  );
});

test('geometries with another Z, another type or other rings are not equal; a batch with Z makes no difference', async () => {
  const texts = [
    'POINT (1 2)',
    'POINT Z (1 2 3)',
    'POINT M (1 2 3)',
    'MULTIPOINT ((1 2))',
    'POINT EMPTY',
    null,
  ];
  const all = batchOfWkt([...texts, ...texts], 'XYZM');
  const flat = batchOfWkt(['POINT (1 2)', 'LINESTRING (0 0, -0 1)', 'LINESTRING (0 0, 0 1)']);
  const { batches } = await runSerial(distinct, { by: [], geometry: true }, [flat, all]);
  assert.deepEqual(
    rowsOf(batches).map(({ wkt }) => wkt),
    [
      'POINT(1 2)',
      'LINESTRING(0 0,-0 1)',
      ...rowsOf([all])
        .slice(1, 6)
        .map(({ wkt }) => wkt),
    ].map((wkt) =>
      wkt === 'LINESTRING(0 0,-0 1)'
        ? rowsOf([flat])[1].wkt
        : wkt === 'POINT(1 2)'
          ? rowsOf([flat])[0].wkt
          : wkt,
    ),
  );
});

async function convert(path: string, options: Partial<ConvertOptions> & Pick<ConvertOptions, 'from'>) {
  using workspace = makeWorkspace();
  const { report, outputPath } = await convertFile(path, workspace.path, { to: 'geojson', ...options });
  const output = readFileSync(outputPath, 'utf8');
  const { features } = JSON.parse(output) as {
    features: { readonly id?: unknown; readonly properties: Record<string, unknown> }[];
  };
  return { report, output, features };
}

function many(count: number): string {
  const features = Array.from(
    { length: count },
    (_, i) =>
      `{"type":"Feature","id":${i},"properties":{"n":${i},"k":${(i * 7919) % 1000},"pad":"${'x'.repeat(i % 50)}"},"geometry":{"type":"Point","coordinates":[${i / 1000},50]}}`,
  );
  return `{"type":"FeatureCollection","features":[\n${features.join(',\n')}\n]}`;
}

test('threads make no difference, steps before and after see the right features, counts add up', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  writeFileSync(path, many(20_000));
  const steps = stepsOf(
    { type: 'filter', where: 'n >= 1000' },
    { type: 'sort', by: ['k desc', 'n desc'] },
    { type: 'distinct', by: ['k'] },
    { type: 'limit', count: 100, offset: 5 },
    { type: 'calculate', fields: { twice: '2 * k' } },
  );
  const runs = await Promise.all(
    [1, 2].map((threads) => convert(path, { from: 'geojson', transformations: steps, threads })),
  );
  assert.equal(runs[0].output, runs[1].output);
  const [{ features, report }] = runs;
  assert.deepEqual(
    features.map(({ properties }) => properties.k),
    Array.from({ length: 100 }, (_, i) => 994 - i),
  );
  for (const { id, properties } of features) {
    assert.equal(id, properties.n);
    assert.equal(properties.twice, 2 * Number(properties.k));
    assert.ok(Number(properties.n) >= 19_000, 'the first in the new order');
  }
  assert.equal(report.features.read, report.features.written + report.features.dropped);
  assert.deepEqual(
    report.steps?.map(({ featuresIn, featuresOut, dropped }) => [featuresIn, featuresOut, dropped]),
    [
      [20_000, 19_000, [{ reason: 'FILTERED', features: 1000 }]],
      [19_000, 19_000, []],
      [19_000, 1000, [{ reason: 'DUPLICATES_DROPPED', features: 18_000 }]],
      [1000, 100, [{ reason: 'FILTERED', features: 900 }]],
      [100, 100, []],
    ],
  );
});

test('a limit stops reading, and says so', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  writeFileSync(path, `${many(20_000).slice(0, -3)},\n{"broken`);
  const { features, report } = await convert(path, {
    from: 'geojson',
    transformations: stepsOf({ type: 'limit', count: 3 }),
  });
  assert.deepEqual(
    features.map(({ properties }) => properties.n),
    [0, 1, 2],
  );
  assert.ok(report.features.read < 5000);
  assert.equal(report.features.read, 3 + report.features.dropped);
  assert.deepEqual(
    report.warnings.map(({ code }) => code),
    ['READING_STOPPED'],
  );
});

const INPUTS = [
  ['harbour.geojson', 'geojson', {}],
  ['harbour.gpkg', 'gpkg', {}],
  ['harbour.zip', 'shp', {}],
  ['harbour.dxf', 'dxf', {}],
  ['harbour.csv', 'csv', { fromCrs: 'EPSG:4326' }],
] as const;

for (const [file, from, options] of INPUTS)
  test(`features of ${from} are the same in another order, and an empty layer stays empty`, async () => {
    const path = join(SAMPLES, file);
    const all = await convert(path, { from, ...options });
    const field = Object.keys(all.features[0].properties)[0];
    const transformations = stepsOf({ type: 'sort', by: [`"${field}" desc`] });
    const sorted = await convert(path, { from, ...options, transformations });
    const texts = ({ features }: typeof all): string[] => features.map((one) => JSON.stringify(one));
    assert.notDeepEqual(texts(sorted), texts(all));
    assert.deepEqual(texts(sorted).sort(), texts(all).sort());
    const none = await convert(path, {
      from,
      ...options,
      transformations: stepsOf(
        { type: 'limit', count: 0 },
        { type: 'sort', by: ['area()'] },
        { type: 'distinct' },
      ),
    });
    assert.deepEqual(none.features, []);
  });

test('the order is that of SQLite', { skip: spawnSync('ogr2ogr', ['--version']).status !== 0 }, async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  const value = (i: number) =>
    i % 5 === 0 ? null : ['Zoo', 'apple', 'äpfel', '', 'Z', '\u{1F600}'][(i * 7) % 6];
  const features = Array.from({ length: 500 }, (_, i) => ({
    type: 'Feature',
    properties: { n: i, t: value(i), f: i % 11 === 0 ? null : ((i * 31) % 17) - 8.5 },
    geometry: { type: 'Point', coordinates: [i / 100, 50] },
  }));
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features }));
  const sql = 'SELECT * FROM "in" ORDER BY t DESC NULLS LAST, f NULLS LAST, n';
  const out = join(workspace.path, 'sorted.geojson');
  execFileSync('ogr2ogr', ['-dialect', 'SQLite', '-sql', sql, out, path]);
  const expected = JSON.parse(readFileSync(out, 'utf8')) as { features: typeof features };
  const sorted = await convert(path, {
    from: 'geojson',
    transformations: stepsOf({ type: 'sort', by: ['t desc', 'f'] }),
  });
  assert.deepEqual(
    sorted.features.map(({ properties }) => properties.n),
    expected.features.map(({ properties }) => properties.n),
  );
});

test('a batch comes back from the store as it was', async () => {
  const batch: FeatureBatch = joinBatches([
    batchOfWkt(['POINT Z (1 2 3)', null, 'POLYGON EMPTY'], 'XYZ'),
    batchOfWkt(['LINESTRING (0 0, 1 1)']),
  ]);
  await withSpool((spool) => {
    const stored = [batch, batch].map((one) => spool.store(one));
    for (const one of stored) assert.deepEqual(spool.load(one), batch);
    assert.deepEqual(rowsOf([spool.load(spool.store(batch))]), rowsOf([batch]));
  });
});
