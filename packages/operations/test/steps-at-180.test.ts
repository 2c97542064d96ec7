/** Filters and steps at 180 degrees, in each way a feature can be written there. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { geometryText } from '../../../test/support/rows.ts';
import { runStep, settingIn } from '../../../test/support/run-step.ts';
import { batchOfWkt, columnOfWkt } from '../../../test/support/wkt-column.ts';
import { WGS84_DESCRIPTION } from '../../core/src/crs/wgs84.ts';
import { LayerWindow } from '../../core/src/sphere/layer-window.ts';
import { LongitudeIntervals } from '../../core/src/sphere/longitude-gap.ts';
import { meetingShifts } from '../../core/src/sphere/meeting-turns.ts';
import { boxesOf, withTurns } from '../src/filter/box.ts';
import { filter } from '../src/filter/record.ts';

const PLACES = [
  'MULTIPOLYGON (((167 -47,178.5 -47,178.5 -34,167 -34,167 -47)),((-177 -44.5,-176 -44.5,-176 -43.5,-177 -44.5)))',
  'MULTIPOLYGON (((177 -19,180 -19,180 -16,177 -16,177 -19)),((-180 -19,-178 -19,-178 -16,-180 -16,-180 -19)))',
  'POLYGON ((176 10,-176 10,-176 14,176 14,176 10))',
  'POLYGON ((-184 20,-176 20,-176 24,-184 24,-184 20))',
  'LINESTRING (140 35,-118 34)',
  'POINT (-175 12)',
  'POINT (185 12)',
  'POINT (345 50)',
  'POLYGON ((10 -20,30 -20,30 60,10 60,10 -20))',
];

async function kept(params: Readonly<Record<string, unknown>>): Promise<unknown[]> {
  const run = await runStep(filter, params, batchOfWkt(PLACES), settingIn(WGS84_DESCRIPTION));
  return run.rows.map(({ id }) => Number(id));
}

for (const [bbox, rows] of [
  [
    [178, -50, -175, 50],
    [1, 2, 3, 4, 5, 6, 7],
  ],
  [
    [178, -50, 185, 50],
    [1, 2, 3, 4, 5, 6, 7],
  ],
  [
    [-182, -50, -175, 50],
    [1, 2, 3, 4, 5, 6, 7],
  ],
  [[179, 11, 180, 13], [3]],
  [[-180, 11, -179, 13], [3]],
  [[-178, 21, -177, 22], [4]],
  [[-176.5, -45, -176, -44], [1]],
  [[-60, -90, 5, 90], [8]],
  [[0, -60, 50, 25], [9]],
  [[-150, 30, -140, 40], [5]],
  [
    [-180, -90, 180, 90],
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
  ],
] as const)
  test(`a box of ${bbox} keeps what is inside, and nothing else`, async () => {
    assert.deepEqual(await kept({ bbox: [...bbox] }), [...rows]);
    assert.deepEqual(await kept({ where: `s_intersects(geometry, BBOX(${bbox}))` }), [...rows]);
  });

test('the relations of features across 180 degrees are those of places', async () => {
  const area = 'POLYGON((179 9, -179 9, -179 15, 179 15, 179 9))';
  const beyond = 'POLYGON((179 9, 181 9, 181 15, 179 15, 179 9))';
  for (const written of [area, beyond]) {
    assert.deepEqual(await kept({ where: `s_overlaps(geometry, ${written})` }), [3], written);
    assert.deepEqual(
      await kept({ where: `s_disjoint(geometry, ${written})` }),
      [1, 2, 4, 5, 6, 7, 8, 9],
      written,
    );
  }
  assert.deepEqual(await kept({ where: 's_within(geometry, BBOX(170, 0, -170, 30))' }), [3, 4, 6, 7]);
  assert.deepEqual(
    await kept({ where: 's_within(geometry, BBOX(-180, -90, 180, 90))' }),
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
  assert.deepEqual(
    await kept({ where: 's_contains(geometry, POINT(-179.5 12)) or s_contains(geometry, POINT(180 22))' }),
    [3, 4],
  );
});

test('boxes are given to readers within 180 degrees, and a turn away for data beyond', () => {
  assert.deepEqual(boxesOf([170, 0, -170, 1]), [
    [170, 0, 180, 1],
    [-180, 0, -170, 1],
  ]);
  assert.deepEqual(boxesOf([170, 0, 190, 1]), [
    [170, 0, 180, 1],
    [-180, 0, -170, 1],
  ]);
  assert.deepEqual(boxesOf([190, 0, 200, 1]), [[-170, 0, -160, 1]]);
  assert.deepEqual(boxesOf([-10.3, 0, 20.7, 1]), [[-10.3, 0, 20.7, 1]]);
  assert.deepEqual(boxesOf([0, 0, 360, 1]), [[-180, 0, 180, 1]]);
  assert.deepEqual(withTurns([[1, 0, 2, 1]]), [
    [1, 0, 2, 1],
    [361, 0, 362, 1],
    [-359, 0, -358, 1],
  ]);
});

test('bounds meet on the Earth by whole turns', () => {
  assert.deepEqual(meetingShifts([170, 0, 190, 1], [-180, 0, -175, 1]), [-360]);
  assert.deepEqual(meetingShifts([170, 0, 190, 1], [-180, 0, 180, 1]), [0, -360]);
  assert.deepEqual(meetingShifts([10, 0, 20, 1], [30, 0, 40, 1]), []);
  assert.deepEqual(meetingShifts([10, 0, 20, 1], [15, 2, 40, 3]), []);
});

test('the largest gap of longitudes, -180 if it is as good as others', () => {
  const seamOf = (...intervals: readonly (readonly [number, number])[]): readonly (number | null)[] => {
    const all = new LongitudeIntervals();
    for (const [west, east] of intervals) all.add(west, east);
    return [all.seam(), all.cleanSeam()];
  };
  assert.deepEqual(seamOf([10, 20]), [-180, -180]);
  assert.deepEqual(seamOf([170, 190]), [0, 0]);
  assert.deepEqual(seamOf([-90, 90]), [-180, -180]);
  assert.deepEqual(seamOf([-180, 180]), [-180, null]);
  assert.deepEqual(seamOf([-180, -90], [90, 180]), [0, 0]);
  assert.deepEqual(seamOf([-180, 0], [0, 180]), [-180, null]);
});

test('the features of a layer are side by side in one plane, or cut at 180 degrees', () => {
  const place = (...texts: string[]): readonly (string | null)[] => {
    const column = columnOfWkt(texts);
    const window = new LayerWindow();
    window.addBounds(column.coordinates, column.dimensions);
    assert.ok(window.isWide);
    window.add(column);
    const placed = window.place(column);
    return texts.map((_, row) => geometryText(placed, row));
  };
  assert.deepEqual(place('POINT (179 1)', 'POINT (-179 1)'), ['POINT (179 1)', 'POINT (-179 1)']);
  assert.deepEqual(place('LINESTRING (170 0,180 1)', 'LINESTRING (-180 1,-170 0)'), [
    'LINESTRING (170 0,180 1)',
    'LINESTRING (180 1,190 0)',
  ]);
  assert.deepEqual(place('LINESTRING (-180 0,0 1,180 0)', 'LINESTRING (170 1,-170 1)'), [
    'LINESTRING (-180 0,0 1,180 0)',
    'MULTILINESTRING ((170 1,180 1),(-180 1,-170 1))',
  ]);
});
