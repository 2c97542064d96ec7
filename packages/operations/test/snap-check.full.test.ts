/** snap and check: laws, what collapses, and reasons that are those of shapely. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { runStep, settingIn } from '../../../test/support/run-step.ts';
import { batchOfWkt } from '../../../test/support/wkt-column.ts';
import { valueAt } from '../../core/src/columns/attribute-column.ts';
import { WGS84_DESCRIPTION } from '../../core/src/crs/wgs84.ts';
import { check } from '../src/check/record.ts';
import { makeValid } from '../src/make_valid/record.ts';
import { snap } from '../src/snap/record.ts';

const number = fc.double({ min: -1e6, max: 1e6, noNaN: true });
const ring = fc.array(fc.tuple(number, number), { minLength: 3, maxLength: 8 }).map((positions) => {
  const texts = positions.map((position) => position.join(' '));
  return `(${[...texts, texts[0]].join(', ')})`;
});
const wkt = fc.oneof(
  fc.tuple(number, number).map(([x, y]) => `POINT (${x} ${y})`),
  ring.map((text) => `LINESTRING ${text}`),
  fc.array(ring, { minLength: 1, maxLength: 3 }).map((rings) => `POLYGON (${rings.join(', ')})`),
  fc
    .array(ring, { minLength: 1, maxLength: 3 })
    .map((rings) => `GEOMETRYCOLLECTION (MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), (${rings[0]})), POINT (1 1))`),
);

test('snap puts positions on the grid, moves none too far, and is idempotent', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(wkt, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(0.001, 0.1, 0.25, 1 / 3, 1, 7.5, 1000),
      async (texts, size) => {
        const batch = batchOfWkt(texts);
        const once = await runStep(snap, { size, units: 'crs' }, batch);
        for (const value of once.batch.geometry.coordinates) {
          const steps = value / size;
          assert.ok(Math.abs(steps - Math.round(steps)) < 1e-6, `${value}`);
        }
        assert.equal(once.batch.rowCount + (once.counts.GEOMETRY_DROPPED ?? 0), texts.length);
        const twice = await runStep(snap, { size, units: 'crs' }, once.batch);
        assert.deepEqual(twice.batch.geometry, once.batch.geometry);
        assert.deepEqual(twice.findings, []);
        if (once.batch.geometry.coordinates.length !== batch.geometry.coordinates.length) return;
        once.batch.geometry.coordinates.forEach((value, i) => {
          assert.ok(Math.abs(value - batch.geometry.coordinates[i]) <= size / 2 + 1e-9);
        });
      },
    ),
    { numRuns: 30 },
  );
});

test('what is smaller than the grid is dropped and reported, what is above each other is not', async () => {
  const texts = [
    'POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0), (1 1, 1.1 1, 1.1 1.1, 1 1))',
    'POLYGON ((0 0, 0.1 0, 0.1 0.1, 0 0))',
    'MULTILINESTRING ((0 0, 0.1 0.1), (0 0, 5 5))',
    'GEOMETRYCOLLECTION (MULTIPOLYGON (((0 0, 0.1 0, 0.1 0.1, 0 0)), ((0 0, 9 0, 9 9, 0 0))), POINT (1.2 1))',
    'POLYGON EMPTY',
    null,
    'MULTIPOINT ((1 1), (1.1 1.1))',
  ];
  const { texts: snapped, counts } = await runStep(snap, { size: 1, units: 'meters' }, batchOfWkt(texts));
  assert.deepEqual(snapped, [
    'POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0))',
    'MULTILINESTRING ((0 0, 5 5))',
    'GEOMETRYCOLLECTION (MULTIPOLYGON (((0 0, 9 0, 9 9, 0 0))), POINT (1 1))',
    'POLYGON EMPTY',
    null,
    'MULTIPOINT ((1 1), (1 1))',
  ]);
  assert.deepEqual(counts, { GEOMETRY_DROPPED: 1, PARTS_COLLAPSED: 3 });
  const shaft = batchOfWkt(['LINESTRING Z (0.1 0 0.25, 0 0.1 0.75, 0.2 0 0.75)'], 'XYZ');
  assert.deepEqual((await runStep(snap, { size: 1, units: 'crs' }, shaft)).texts, [
    'LINESTRING Z (0 0 0.25, 0 0 0.75)',
  ]);
});

test('a size in metres in a geographic CRS is never longer on the ground', async () => {
  const { batch } = await runStep(
    snap,
    { size: 1, units: 'kilometers' },
    batchOfWkt(['POINT (8.123456 53.654321)']),
    settingIn(WGS84_DESCRIPTION),
  );
  const [x, y] = batch.geometry.coordinates;
  assert.ok(Math.abs(x - 8.123456) <= 0.0045 && Math.abs(y - 53.654321) <= 0.0045);
  assert.notEqual(x, 8.123456);
  await assert.rejects(runStep(snap, { size: 0, units: 'crs' }, batchOfWkt(['POINT (1 1)'])), {
    code: 'TRANSFORMATION_INVALID',
  });
});

const INVALID = [
  'POLYGON ((0 0, 1 1, 1 0, 0 1, 0 0))',
  'POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (20 20, 21 20, 21 21, 20 20))',
  'POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 5 1, 5 5, 1 1), (2 1.5, 4 1.5, 4 3, 2 1.5))',
  'MULTIPOLYGON (((0 0, 9 0, 9 9, 0 0)), ((1 0.5, 5 0.5, 5 4, 1 0.5)))',
  'POLYGON ((0 0, 4 0, 4 4, 2 0, 0 4, 0 0))',
];
const VALID = [
  'POINT (1 1)',
  'LINESTRING (0 0, 1 1, 0 1, 1 0)',
  'POLYGON ((0 0, 1 0, 1 1, 0 0))',
  'POLYGON EMPTY',
];

test('check reports what make_valid would repair, changes no geometry, and gives verdicts', async () => {
  const texts = [...INVALID, ...VALID, null];
  const params = { valid_field: 'ok', reason_field: 'why' };
  const run = await runStep(check, params, batchOfWkt(texts));
  assert.deepEqual(run.batch.geometry, batchOfWkt(texts).geometry);
  const values = (name: string) => {
    const column = run.batch.columns[run.batch.fields.findIndex((one) => one.name === name)];
    return texts.map((_, row) => valueAt(column, row));
  };
  assert.deepEqual(values('ok'), [...INVALID.map(() => false), ...VALID.map(() => true), null]);
  assert.match(String(values('why')[0]), /^Self-intersection at 0\.5 0\.5$/);
  assert.deepEqual(values('why').slice(INVALID.length), [...VALID.map(() => null), null]);
  const found = run.findings.filter(({ code }) => code === 'GEOMETRY_INVALID');
  assert.equal(
    found.reduce((sum, { count }) => sum + count, 0),
    INVALID.length,
  );
  assert.equal((await runStep(makeValid, {}, batchOfWkt(texts))).counts.GEOMETRY_REPAIRED, INVALID.length);
  assert.deepEqual((await runStep(check, {}, batchOfWkt(texts))).batch, batchOfWkt(texts));
  await assert.rejects(runStep(check, { valid_field: 'n' }, batchOfWkt(texts)), { code: 'FIELD_NAME_TAKEN' });
});

const python = spawnSync('/usr/bin/python3', ['-c', 'import shapely']);

test('reasons are those of shapely', { skip: python.status !== 0 }, async () => {
  const script = [
    'import sys, json',
    'from shapely import wkt',
    'from shapely.validation import explain_validity',
    'print(json.dumps([explain_validity(wkt.loads(t)).split("[")[0] for t in json.load(sys.stdin)]))',
  ].join('\n');
  const { stdout } = spawnSync('/usr/bin/python3', ['-c', script], {
    input: JSON.stringify(INVALID),
    encoding: 'utf8',
  });
  const run = await runStep(check, { reason_field: 'why' }, batchOfWkt(INVALID));
  const column = run.batch.columns.at(-1);
  assert.ok(column !== undefined);
  assert.deepEqual(
    INVALID.map((_, row) => String(valueAt(column, row)).replace(/ at .*/, '')),
    JSON.parse(stdout),
  );
});
