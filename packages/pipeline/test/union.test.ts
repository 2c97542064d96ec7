/** Union: what merges, what stays apart, and what becomes of the attributes. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { seededRandom } from '../../../bench/data.ts';
import { collectWith, layerOf, type Row, rowsOf } from '../../../test/support/collecting.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { METRIC_CRS, settingIn } from '../../../test/support/run-step.ts';
import type { AttributeColumn } from '../../core/src/columns/attribute-column.ts';
import { type GeometryColumn, restride, strideOf } from '../../core/src/geometry/geometry-column.ts';
import { failure } from '../../core/src/messages/errors.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { generalErrors } from '../../core/src/messages/general-errors.ts';
import { Geos } from '../../engines/geos/src/geos.ts';
import { dissolve } from '../../operations/src/dissolve/record.ts';
import { union } from '../../operations/src/union/record.ts';
import { GeometrySpool } from '../src/geometry-spool.ts';

const square = (x: number, y: number, size = 10): string =>
  `POLYGON ((${x} ${y},${x + size} ${y},${x + size} ${y + size},${x} ${y + size},${x} ${y}))`;

async function unionOf(
  rows: readonly Row[],
  parameters: Record<string, unknown> = {},
): Promise<{ rows: Row[]; findings: Record<string, number> }> {
  const { batches, findings } = await collectWith(union, layerOf(rows), parameters);
  return {
    rows: rowsOf(batches),
    findings: Object.fromEntries(findings.list().map(({ code, count }) => [code, count])),
  };
}

test('polygons that overlap or share a border merge, others stay as they are', async () => {
  const { rows } = await unionOf([
    { wkt: square(0, 0), name: 'a' },
    { wkt: square(100, 0), name: 'alone' },
    { wkt: square(10, 0), name: 'border' },
    { wkt: square(15, 5), name: 'overlap' },
  ]);
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['a', 'alone'],
  );
  assert.equal(rows[1].wkt, square(100, 0));
  assert.ok(rows[0].wkt!.startsWith('POLYGON (('));
});

test('polygons that touch in a point stay apart', async () => {
  const input = [{ wkt: square(0, 0) }, { wkt: square(10, 10) }];
  const { rows, findings } = await unionOf(input);
  assert.deepEqual(rows, input);
  assert.deepEqual(findings, {});
});

test('polygons that touch in a point and merge with others keep to their own group', async () => {
  const { rows } = await unionOf([
    { wkt: square(0, 0), name: 'a1' },
    { wkt: square(10, 10), name: 'b1' },
    { wkt: square(-5, 0), name: 'a2' },
    { wkt: square(15, 15), name: 'b2' },
  ]);
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['a1', 'b1'],
  );
});

test('a feature of several parts joins what each of them touches', async () => {
  const { rows } = await unionOf([
    { wkt: square(0, 0), name: 'left' },
    { wkt: square(100, 0), name: 'right' },
    { wkt: `MULTIPOLYGON (${[5, 105].map((x) => square(x, 0).slice(8)).join(',')})`, name: 'both' },
  ]);
  assert.equal(rows.length, 1);
  assert.ok(rows[0].wkt!.startsWith('MULTIPOLYGON'));
  assert.equal(rows[0].name, 'left');
});

test('lines merge where they overlap or meet end to end, not where they cross', async () => {
  const { rows } = await unionOf([
    { wkt: 'LINESTRING (0 0,10 0)', name: 'a' },
    { wkt: 'LINESTRING (5 -5,5 5)', name: 'crosses' },
    { wkt: 'LINESTRING (10 0,20 0)', name: 'goes on' },
    { wkt: 'LINESTRING (100 0,110 0)', name: 'b' },
    { wkt: 'LINESTRING (105 0,120 0)', name: 'overlaps' },
  ]);
  assert.deepEqual(
    rows.map(({ name, wkt }) => [name, wkt]),
    [
      ['a', 'LINESTRING (0 0,10 0,20 0)'],
      ['crosses', 'LINESTRING (5 -5,5 5)'],
      ['b', 'LINESTRING (100 0,105 0,110 0,120 0)'],
    ],
  );
});

test('equal points merge, and kinds are merged each among themselves', async () => {
  const { rows } = await unionOf([
    { wkt: 'POINT (1 1)', name: 'a' },
    { wkt: square(0, 0), name: 'around' },
    { wkt: 'POINT (1 1)', name: 'again' },
    { wkt: 'MULTIPOINT ((2 2),(1 1))', name: 'several' },
    { wkt: null, name: 'nowhere' },
  ]);
  assert.deepEqual(
    rows.map(({ name, wkt }) => [name, wkt]),
    [
      ['a', 'MULTIPOINT ((1 1),(2 2))'],
      ['around', square(0, 0)],
      ['nowhere', null],
    ],
  );
});

test('merged features take the first value, and fields whose values differ are named', async () => {
  const { rows, findings } = await unionOf([
    { wkt: square(0, 0), name: null, year: 1990, id: 7 },
    { wkt: square(5, 0), name: 'b', year: 1991, id: 8 },
    { wkt: square(7, 0), name: 'b', year: 1990, id: 9 },
  ]);
  assert.equal(rows.length, 1);
  const { wkt: _, ...values } = rows[0];
  assert.deepEqual(values, { name: 'b', year: 1990, id: 7 });
  assert.deepEqual(findings, { VALUES_COLLAPSED: 1 });
});

test('aggregates are computed as asked for', async () => {
  const input = [
    { wkt: square(0, 0), a: 1, b: 1.5, c: 'x', d: 'k' },
    { wkt: square(5, 0), a: 2, b: 2.5, c: null, d: 'l' },
    { wkt: square(7, 0), a: 4, b: null, c: 'a', d: 'k' },
  ];
  const cases: [Record<string, string>, object][] = [
    [
      { a: 'sum', b: 'sum', c: 'count', d: 'distinct' },
      { a: 7n, b: 4, c: 2n, d: 'k, l' },
    ],
    [
      { a: 'mean', b: 'mean', c: 'min', d: 'max' },
      { a: 7 / 3, b: 2, c: 'a', d: 'l' },
    ],
    [
      { '*': 'last', a: 'max' },
      { a: 4, b: 2.5, c: 'a', d: 'k' },
    ],
  ];
  for (const [aggregate, expected] of cases) {
    const { rows } = await unionOf(input, { aggregate });
    const { wkt: _, ...values } = rows[0];
    assert.deepEqual(values, expected);
  }
});

test('a sum of texts names the field and its type, an unknown field the fields there are', async () => {
  const input = [{ wkt: square(0, 0), name: 'x' }];
  await assert.rejects(unionOf(input, { aggregate: { name: 'sum' } }), {
    code: 'AGGREGATE_TYPE',
    message: /sum of field 'name': its type is string/,
  });
  await assert.rejects(unionOf(input, { aggregate: { nme: 'sum' } }), {
    code: 'FIELD_UNKNOWN',
    message: /'nme'.*'name'/,
  });
});

test('invalid polygons are repaired and counted, those that collapse are left out and counted', async () => {
  const { rows, findings } = await unionOf([
    { wkt: 'POLYGON ((0 0,10 10,10 0,0 10,0 0))', name: 'bow tie' },
    { wkt: 'POLYGON ((50 0,60 0,50 0,50 0))', name: 'flat' },
    { wkt: square(100, 0), name: 'good' },
  ]);
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['bow tie', 'good'],
  );
  assert.ok(rows[0].wkt!.startsWith('MULTIPOLYGON'));
  assert.deepEqual(findings, { GEOMETRY_DROPPED: 1, GEOMETRY_REPAIRED: 2 });
});

test('Z is kept, and M where nothing merges', async () => {
  const { rows, findings } = await unionOf([
    { wkt: 'POLYGON ZM ((0 0 5 1,10 0 5 1,10 10 5 1,0 10 5 1,0 0 5 1))' },
    { wkt: 'POLYGON ZM ((5 0 5 1,15 0 5 1,15 10 5 1,5 10 5 1,5 0 5 1))' },
    { wkt: 'POLYGON ZM ((50 0 5 1,60 0 5 1,60 10 5 1,50 0 5 1))' },
  ]);
  assert.ok(rows[0].wkt!.startsWith('POLYGON Z (('));
  assert.equal(rows[1].wkt, 'POLYGON ZM ((50 0 5 1,60 0 5 1,60 10 5 1,50 0 5 1))');
  assert.deepEqual(findings, { M_DROPPED: 1 });
});

test('an empty layer gives an empty result', async () => {
  const { rows } = await unionOf([]);
  assert.deepEqual(rows, []);
});

test('the result does not depend on how many workers there are', async () => {
  const random = seededRandom(3);
  const rows = Array.from({ length: 400 }, (_, n): Row => {
    const [x, y] = [Math.round(random() * 100), Math.round(random() * 100)];
    if (n % 4 === 0) return { wkt: square(x, y, 3), n };
    if (n % 4 === 1) return { wkt: `POINT (${x} ${y})`, n };
    const [dx, dy] = random() < 0.5 ? [8, 0] : [0, 8];
    return { wkt: `LINESTRING (${x} ${y},${x + dx} ${y + dy})`, n };
  });
  const [one, three] = await Promise.all(
    [1, 3].map(async (width) => rowsOf((await collectWith(union, layerOf(rows, 50), {}, width)).batches)),
  );
  assert.deepEqual(one, three);
  assert.deepEqual(
    one.map(({ n }) => Number(n)),
    one.map(({ n }) => Number(n)).sort((a, b) => a - b),
  );
});

test('progress only grows, up to 1', async () => {
  const rows = Array.from({ length: 60 }, (_, i) => ({
    wkt: i % 2 ? square(i, 0) : `LINESTRING (${i} 0,${i} 9)`,
  }));
  const { fractions } = await collectWith(union, layerOf(rows), {});
  assert.deepEqual(
    fractions,
    [...fractions].sort((a, b) => a - b),
  );
  assert.ok(fractions.every((fraction) => fraction > 0 && fraction <= 1));
});

test('coordinates in a file make no difference, with and without Z and M', async () => {
  using workspace = makeWorkspace();
  const random = seededRandom(8);
  const rows = Array.from({ length: 300 }, (_, i) => ({
    wkt: i % 50 === 0 ? 'LINESTRING (0 0, 50 50)' : square(random() * 100, random() * 100, 1 + random() * 6),
    kind: i % 3,
  }));
  const layer = layerOf(rows, 40);
  for (const dimensions of ['XY', 'XYZ', 'XYM', 'XYZM'] as const) {
    const plain = layer.map((batch) => {
      const coordinates = restride(batch.geometry.coordinates, 'XY', dimensions);
      const stride = strideOf(dimensions);
      for (let at = 0; at < coordinates.length; at += stride) coordinates.fill(at, at + 2, at + stride);
      return { ...batch, geometry: { ...batch.geometry, dimensions, coordinates } };
    });
    for (const [step, parameters] of [
      [union, {}],
      [dissolve, { by: ['kind'] }],
    ] as const) {
      const path = join(workspace.path, 'coordinates');
      const spool = new GeometrySpool(path, 8192);
      const stored = plain.map((batch) => ({ ...batch, geometry: spool.keep(batch.geometry) }));
      const files = stored.filter(({ geometry }) => geometry.copyOrdinates !== undefined).length;
      assert.ok(files > 0 && files < stored.length, `${files} of ${stored.length} batches are in the file`);
      const keep = (column: GeometryColumn): GeometryColumn => spool.keep(column);
      const found = await collectWith(step, stored, parameters, 2, undefined, keep);
      const expected = await collectWith(step, plain, parameters);
      assert.deepEqual(rowsOf(found.batches), rowsOf(expected.batches), dimensions);
      assert.deepEqual(found.findings.list(), expected.findings.list());
      spool.discard();
      assert.ok(!existsSync(path));
    }
  }
});

test('a call that is refused ends the step with that error', async () => {
  const code = await union.load();
  assert.ok(code.kind === 'collecting');
  const host = {
    width: 2,
    findings: new Findings(),
    keep: <T>(column: T): T => column,
    progress: () => {},
    call: () => Promise.reject(failure(generalErrors.CANCELLED, {})),
  };
  const layer = layerOf([{ wkt: square(0, 0) }, { wkt: square(5, 5) }]);
  await assert.rejects(code.collect(layer, {}, settingIn(METRIC_CRS), host), { code: 'CANCELLED' });
});

test('the smallest and largest of times are told by the instant, of numbers without NaN', async () => {
  const layer = layerOf([
    { wkt: square(0, 0), x: Number.NaN, t: '2026-01-01T00:00:00+02:00' },
    { wkt: square(5, 0), x: 2.5, t: '2025-12-31T23:00:00Z' },
  ]).map((batch) => ({
    ...batch,
    fields: [{ name: 'x', type: 'float64' as const }, { name: 't', type: 'datetime' as const }], // biome-ignore format: one line
    columns: [batch.columns[0], { ...batch.columns[1], type: 'datetime' } as AttributeColumn],
  }));
  for (const [how, expected] of [
    ['min', '2026-01-01T00:00:00+02:00'],
    ['max', '2025-12-31T23:00:00Z'],
  ]) {
    const { batches } = await collectWith(union, layer, { aggregate: { '*': how } });
    const [{ x, t }] = rowsOf(batches);
    assert.deepEqual([x, t], [2.5, expected]);
  }
});

test('of merged lines none overlap, and all length is kept', async () => {
  const geos = await Geos.load();
  const segment = fc.tuple(fc.nat(8), fc.nat(8), fc.integer({ min: 1, max: 4 }), fc.boolean());
  await fc.assert(
    fc.asyncProperty(fc.array(segment, { minLength: 1, maxLength: 25 }), async (segments) => {
      const rows = segments.map(([x, y, length, isFlat]) => ({
        wkt: `LINESTRING (${x} ${y},${isFlat ? x + length : x} ${isFlat ? y : y + length})`,
      }));
      const layer = layerOf(rows, 100);
      const { batches } = await collectWith(union, layer, {});
      using stack = new DisposableStack();
      const { geometry, rowCount } = batches[0];
      const lines = Array.from({ length: rowCount }, (_, i) => stack.use(geos.read(geometry, i)));
      for (let i = 0; i < rowCount; i++)
        for (let k = 0; k < i; k++)
          assert.ok(!lines[i].relate(lines[k]).startsWith('1'), `${i} and ${k} overlap`);
      const whole = stack.use(geos.readParts(layer[0].geometry, Uint32Array.from(rows.keys())));
      const expected = stack.use(whole.unaryUnion());
      assert.equal(
        lines.reduce((sum, line) => sum + line.length, 0),
        expected.length,
      );
    }),
    { numRuns: 60, seed: 5 },
  );
});
