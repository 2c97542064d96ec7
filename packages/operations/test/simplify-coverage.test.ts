/** simplify_coverage: adjoining polygons keep their common borders. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { collectWith, layerOf, type Row, rowsOf } from '../../../test/support/collecting.ts';
import { batchRows } from '../../../test/support/rows.ts';
import { areValid, settingIn } from '../../../test/support/run-step.ts';
import { batchOfWkt } from '../../../test/support/wkt-column.ts';
import { WGS84_DESCRIPTION } from '../../core/src/crs/wgs84.ts';
import { Geos } from '../../engines/geos/src/geos.ts';
import { simplifyCoverage } from '../src/simplify_coverage/record.ts';

const geos = await Geos.load();

/** Two squares of 100 m with a common border that wiggles by 1 m. */
function neighbours(): Row[] {
  const border = Array.from(
    { length: 21 },
    (_, i) => `${100 + (i === 0 || i === 20 ? 0 : (i % 2) * 2 - 1)} ${i * 5}`,
  );
  return [
    { wkt: `POLYGON ((0 0,${border.join(',')},0 100,0 0))`, id: 7, name: 'west' },
    { wkt: null, id: 8, name: 'none' },
    { wkt: 'LINESTRING (0 0,1 1,2 0)', id: 9, name: 'line' },
    { wkt: `POLYGON ((200 0,200 100,${border.toReversed().join(',')},200 0))`, id: 10, name: 'east' },
    { wkt: 'POLYGON EMPTY', id: 11, name: 'empty' },
  ];
}

const METERS = { tolerance: 5, units: 'meters' };

test('a border that two polygons share is simplified once, over batches', async () => {
  const rows = neighbours();
  const { batches, findings } = await collectWith(simplifyCoverage, layerOf(rows, 2), METERS);
  const result = rowsOf(batches);
  assert.deepEqual(result.map(({ id, name }) => [id, name]), rows.map(({ id, name }) => [id, name])); // biome-ignore format: one line
  assert.deepEqual(result.slice(1, 3).map(({ wkt }) => wkt), [null, 'LINESTRING (0 0,1 1,2 0)']); // biome-ignore format: one line
  for (const batch of batches) assert.ok(await areValid(batch));
  assert.ok(batches[0].geometry.coordinates.length / 2 < 15);
  using west = geos.read(batches[0].geometry, 0);
  using east = geos.read(batches[1].geometry, 1);
  using both = west.union(east);
  assert.ok(Math.abs(both.area - 20000) < 1e-6);
  assert.ok(Math.abs(west.area + east.area - both.area) < 1e-6, 'neither gap nor overlap');
  assert.equal(both.positionCount, 5 + 2, 'the ends of the border are positions of the outline');
  assert.deepEqual(findings.list(), []);
});

test('the outline stays where it is asked to', async () => {
  const [west] = neighbours();
  const kept = await collectWith(simplifyCoverage, layerOf([west]), { ...METERS, keep_outline: true });
  assert.equal(rowsOf(kept.batches)[0].wkt, west.wkt, 'the same positions in the same order');
  const simplified = await collectWith(simplifyCoverage, layerOf([west]), METERS);
  assert.ok(String(rowsOf(simplified.batches)[0].wkt).length < String(west.wkt).length);
});

test('an invalid polygon is repaired and counted, one without area is left out', async () => {
  const rows: Row[] = [
    { wkt: 'POLYGON ((0 0,20 20,20 0,0 20,0 0))', id: 1 },
    { wkt: 'POLYGON ((50 0,60 10,70 20,50 0))', id: 2 },
    { wkt: 'POINT (1 1)', id: 3 },
  ];
  const { batches, findings } = await collectWith(simplifyCoverage, layerOf(rows), METERS);
  assert.deepEqual(rowsOf(batches).map(({ id }) => id), [1, 3]); // biome-ignore format: one line
  assert.deepEqual(
    findings.list().map(({ code, count }) => [code, count]),
    [
      ['GEOMETRY_DROPPED', 1],
      ['GEOMETRY_REPAIRED', 1],
    ],
  );
  assert.ok(await areValid(batches[0]));
});

test('a layer without polygons stays as it is, and so does an empty one', async () => {
  const rows: Row[] = [{ wkt: 'POINT (1 1)', id: 1 }];
  assert.deepEqual(rowsOf((await collectWith(simplifyCoverage, layerOf(rows), METERS)).batches), rows);
  assert.deepEqual((await collectWith(simplifyCoverage, [], METERS)).batches, []);
});

test('in degrees, far from the equator, positions keep their bits and heights, and measures that end are told', async () => {
  const ring = (dx: number) => [`${10.1 + dx} 60.1 1 5`, `${10.3 + dx} 60.1 2 5`, `${10.3 + dx} 60.3 3 5`, `${10.2 + dx} 60.30000001 4 5`, `${10.1 + dx} 60.3 5 5`, `${10.1 + dx} 60.1 1 5`]; // biome-ignore format: one line
  const batch = batchOfWkt(
    [0, 0.7].map((dx) => `POLYGON ZM ((${ring(dx).join(',')}))`),
    'XYZM',
  );
  const degrees = settingIn(WGS84_DESCRIPTION);
  const { batches, findings } = await collectWith(simplifyCoverage, [batch], METERS, 1, degrees);
  for (const [row, { geometry }] of batchRows(batches[0]).entries()) {
    const positions = String(geometry).match(/[\d.]+ [\d.]+ \d/g)!;
    assert.match(String(geometry), /^POLYGON Z \(/);
    assert.equal(positions.length, 5);
    for (const position of positions)
      assert.ok(
        ring(row * 0.7).some((text) => text.startsWith(position)),
        position,
      );
  }
  assert.deepEqual(findings.list().map(({ code, count }) => [code, count]), [['M_DROPPED', 2]]); // biome-ignore format: one line
});
