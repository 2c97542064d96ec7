/** points_to_line, lines_to_polygons and grid: laws, what is reported, and results of shapely. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { layerOf, type Row, rowsOf } from '../../../test/support/collecting.ts';
import { runStep } from '../../../test/support/run-step.ts';
import { runSerial } from '../../../test/support/serial.ts';
import { batchOfWkt } from '../../../test/support/wkt-column.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import { Geos } from '../../engines/geos/src/geos.ts';
import { grid } from '../src/grid/record.ts';
import { linesToPolygons } from '../src/lines_to_polygons/record.ts';
import { pointsToLine } from '../src/points_to_line/record.ts';
import { polygonsToLines } from '../src/polygons_to_lines/record.ts';

const geos = await Geos.load();
const python = spawnSync('/usr/bin/python3', ['-c', 'import shapely, geopandas']);
const skip = python.status === 0 ? false : 'python3 with shapely and geopandas is not installed';

function shapely<Result>(script: readonly string[], input: unknown): Result {
  const lines = [
    'import sys, json',
    'from shapely import wkt, ops, geometry',
    'data = json.load(sys.stdin)',
    ...script,
  ];
  const done = spawnSync('/usr/bin/python3', ['-c', lines.join('\n')], { input: JSON.stringify(input), encoding: 'utf8' }); // biome-ignore format: one line
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout) as Result;
}

const countOf = (
  findings: readonly { readonly code: string; readonly count: number }[],
  code: string,
): number => findings.find((one) => one.code === code)?.count ?? 0;

const tracks = fc
  .array(fc.record({ v: fc.option(fc.constantFrom('a', 'b', 'c', 'B'), { freq: 5 }), t: fc.nat(6) }), {
    maxLength: 30,
  })
  .map((list) => list.map((row, i): Row => ({ ...row, wkt: `POINT (${i} ${i % 4})` })));

test('lines go through the points of each group in their order', async () => {
  await fc.assert(
    fc.asyncProperty(tracks, fc.integer({ min: 1, max: 7 }), async (rows, size) => {
      const params = { by: ['v'], order: ['t'], count_field: 'n' };
      const { batches, findings } = await runSerial(pointsToLine, params, layerOf(rows, size));
      const groups = Map.groupBy(rows, ({ v }) => v as string | null);
      const expected = [...groups]
        .filter(([, members]) => members.length > 1)
        .sort(([a], [b]) => (a === null || b === null ? (a === null ? 1 : -1) : a < b ? -1 : 1))
        .map(([v, members]) => ({
          v,
          n: members.length,
          positions: members
            .toSorted((a, b) => Number(a.t) - Number(b.t))
            .map(({ wkt }) => /\((.*)\)/.exec(String(wkt))?.[1]),
        }));
      assert.deepEqual(
        rowsOf(batches).map(({ v, n, wkt }) => ({
          v,
          n,
          positions: /\((.*)\)/.exec(String(wkt))?.[1].split(/, ?/),
        })),
        expected,
      );
      assert.equal(
        countOf(findings, 'GEOMETRY_DROPPED'),
        [...groups.values()].filter(({ length }) => length === 1).length,
      );
    }),
    { numRuns: 60 },
  );
});

test('all points are one line without fields; Z stays, and what is no point is dropped', async () => {
  const batch = batchOfWkt(
    ['POINT Z (1 1 5)', 'LINESTRING (0 0, 1 1)', null, 'MULTIPOINT ((2 2), (3 3))'],
    'XYZ',
  );
  const { batches, findings } = await runSerial(pointsToLine, {}, [batch]);
  assert.match(String(rowsOf(batches)[0].wkt), /^LINESTRING Z ?\(1 1 5, ?2 2 \S+, ?3 3 \S+\)$/);
  assert.deepEqual(batches[0].fields, []);
  assert.equal(countOf(findings, 'GEOMETRY_DROPPED'), 2);
  await assert.rejects(runSerial(pointsToLine, { by: ['nope'] }, [batch]), { code: 'FIELD_UNKNOWN' });
  assert.deepEqual((await runSerial(pointsToLine, {}, [])).batches, []);
});

test('polygons to lines and back are the same polygons', async () => {
  const texts = [
    'POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 1 2, 2 2, 2 1, 1 1))',
    'POLYGON ((0 0, 4 0, 4 4, 0 0))',
    'MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5)))',
    'POINT (1 1)',
    null,
  ];
  const lines = await runStep(polygonsToLines, {}, batchOfWkt(texts));
  const back = await runSerial(linesToPolygons, {}, [lines.batch]);
  const [result] = back.batches;
  for (const row of [0, 1, 2]) {
    using one = geos.read(result.geometry, row);
    using other = geos.read(batchOfWkt(texts).geometry, row);
    assert.ok(one.equals(other), `row ${row}`);
  }
  assert.equal(rowsOf([result])[4].wkt, null);
  const open = batchOfWkt(['LINESTRING (0 0, 1 0, 1 1)', 'LINESTRING Z (0 0 1, 1 0 2, 1 1 3, 0 0 1)'], 'XYZ');
  const { batches, findings } = await runSerial(linesToPolygons, {}, [open]);
  assert.deepEqual(
    rowsOf(batches).map(({ wkt }) => String(wkt).split('(')[0].trim()),
    ['LINESTRING', 'POLYGON Z'],
  );
  assert.equal(countOf(findings, 'LINE_NOT_CLOSED'), 1);
});

const coordinate = fc.integer({ min: 0, max: 6 });
const network = fc.array(fc.tuple(coordinate, coordinate, coordinate, coordinate), {
  minLength: 1,
  maxLength: 14,
});

test('faces of a network are those of shapely', { skip }, async () => {
  const cases = fc.sample(network, { numRuns: 30, seed: 5 }).map((edges) =>
    edges.filter(([a, b, c, d]) => a !== c || b !== d).map(([a, b, c, d]) => `LINESTRING (${a} ${b}, ${c} ${d})`),
  ); // biome-ignore format: one expression
  const expected = shapely<number[][]>(
    [
      'print(json.dumps([sorted(p.area for p in ops.polygonize(ops.unary_union([wkt.loads(t) for t in lines]))) for lines in data]))',
    ],
    cases,
  );
  for (const [i, texts] of cases.entries()) {
    const { batches, findings } = await runSerial(linesToPolygons, { method: 'network' }, [
      batchOfWkt(texts),
    ]);
    const areas = batches.flatMap(({ geometry, rowCount }) =>
      Array.from({ length: rowCount }, (_, row) => {
        using face = geos.read(geometry, row);
        assert.ok(face.isValid);
        return face.area;
      }),
    );
    assert.equal(areas.length, expected[i].length);
    areas.sort((a, b) => a - b);
    for (const [n, area] of areas.entries()) assert.ok(Math.abs(area - expected[i][n]) < 1e-9);
    if (texts.length > 0 && areas.length === 0) assert.ok(countOf(findings, 'EDGES_WITHOUT_FACE') > 0);
  }
  assert.equal(geos.liveCount, 0);
});

const place = fc.double({ min: -50, max: 50, noNaN: true });
const points = fc.array(fc.tuple(place, place), { minLength: 1, maxLength: 40 });

function pointBatch(positions: readonly (readonly [number, number])[]): FeatureBatch {
  return layerOf(
    positions.map(([x, y], i): Row => ({ v: i % 5 === 4 ? null : i, wkt: `POINT (${x} ${y})` })),
    100,
  )[0];
}

test('every feature is in one cell that contains it; cells have no gaps; counts add up', async () => {
  await fc.assert(
    fc.asyncProperty(
      points,
      fc.constantFrom('square', 'hex'),
      fc.constantFrom(3, 7.3, 1000),
      async (positions, shape, size) => {
        const params = { size, units: 'crs', shape, aggregate: { v: 'sum' } };
        const { batches } = await runSerial(grid, params, [pointBatch(positions)]);
        const rows = rowsOf(batches);
        assert.equal(
          rows.reduce((sum, { count }) => sum + Number(count), 0),
          positions.length,
        );
        const total = positions.reduce((sum, _, i) => sum + (i % 5 === 4 ? 0 : i), 0);
        assert.equal(
          rows.reduce((sum, { sum_v }) => sum + Number(sum_v ?? 0), 0),
          total,
        );
        const { geometry } = batches[0];
        using cells = geos.readParts(
          geometry,
          Array.from(geometry.types, (_, row) => row),
        );
        using united = cells.unaryUnion();
        const area = rows.length * size ** 2 * (shape === 'hex' ? Math.sqrt(3) / 2 : 1);
        assert.ok(Math.abs(united.area - area) < 1e-6 * area, 'no overlaps');
        const own = pointBatch(positions).geometry;
        for (let row = 0; row < positions.length; row++) {
          using point = geos.read(own, row);
          assert.ok(united.distance(point) < 1e-9 * size);
        }
        const used = await runSerial(grid, { ...params, empty: false }, [pointBatch(positions)]);
        assert.deepEqual(
          rowsOf(used.batches),
          rows.filter(({ count }) => Number(count) > 0),
        );
        for (const { wkt, count } of rowsOf(used.batches)) {
          using cell = geos.read(batchOfWkt([String(wkt)]).geometry, 0);
          let near = 0;
          for (let row = 0; row < positions.length; row++) {
            using point = geos.read(own, row);
            if (cell.distance(point) < 1e-9 * size) near++;
          }
          assert.ok(near >= Number(count), 'features are in their cell or on its border');
        }
      },
    ),
    { numRuns: 25 },
  );
});

test('aggregates of cells, features without positions, and too many cells', async () => {
  const rows: Row[] = [1, 2, 6].map((v) => ({ v, wkt: 'POINT (0.5 0.5)' }));
  const layer = layerOf([...rows, { v: 9, wkt: null }, { v: null, wkt: 'POINT (1.5 0.5)' }]);
  for (const [how, value] of [
    ['sum', 9],
    ['mean', 3],
    ['min', 1],
    ['max', 6],
  ] as const) {
    const params = { size: 1, units: 'crs', aggregate: { v: how } };
    const { batches, findings } = await runSerial(grid, params, layer);
    assert.deepEqual(
      rowsOf(batches).map(({ wkt: _, ...values }) => values),
      [
        { count: 3n, [`${how}_v`]: value },
        { count: 1n, [`${how}_v`]: null },
      ],
    );
    assert.equal(countOf(findings, 'GEOMETRY_DROPPED'), 1);
  }
  const far = batchOfWkt(['POINT (0 0)', 'POINT (1e6 1e6)']);
  await assert.rejects(runSerial(grid, { size: 1, units: 'meters' }, [far]), {
    code: 'TRANSFORMATION_INVALID',
    message: /1000002000001 cells or more.*would do/,
  });
  for (const [size, points] of [
    [1e-300, ['POINT (0 0)', 'POINT (1 1)']],
    [5e-324, ['POINT (0 0)', 'POINT (1e6 1e6)']],
    [1e-200, ['POINT (0 0)', 'POINT (1e-100 3)']],
    [1e-10, ['POINT (0 0)', 'POINT (1e300 0)']],
  ] as const)
    for (const shape of ['square', 'hex'])
      for (const empty of [true, false])
        await assert.rejects(
          runSerial(grid, { size, units: 'crs', shape, empty }, [batchOfWkt(points)]),
          ({ code, message }) => {
            // biome-ignore format: one line
            assert.equal(code, 'TRANSFORMATION_INVALID');
            assert.match(
              message,
              /gives \d+ cells or more, .*; [\d.e+-]+ units of the CRS would do|is too small: .* is [\d.e+-]+$/,
            );
            assert.doesNotMatch(message, /Infinity|NaN|null/);
            return true;
          },
        );
  await assert.rejects(runSerial(grid, { size: 1, units: 'crs', aggregate: { nope: 'sum' } }, layer), {
    code: 'FIELD_UNKNOWN',
  });
  assert.deepEqual((await runSerial(grid, { size: 1, units: 'crs' }, [])).batches, []);
});
