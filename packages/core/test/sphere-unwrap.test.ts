import assert from 'node:assert/strict';
import test from 'node:test';
import { geometryText } from '../../../test/support/rows.ts';
import { columnOfWkt } from '../../../test/support/wkt-column.ts';
import { unwrapped, wrapped } from '../src/sphere/unwrap.ts';

const cases: readonly (readonly [what: string, source: string, result: string])[] = [
  ['a line that jumps', 'LINESTRING (170 0,-170 10)', 'LINESTRING (170 0,190 10)'],
  ['a line with far ends', 'LINESTRING (140 35,-118 34)', 'LINESTRING (140 35,242 34)'],
  ['a line that jumps to the west', 'LINESTRING (-170 0,170 10,160 0)', 'LINESTRING (-170 0,-190 10,-200 0)'],
  [
    'a polygon that jumps',
    'POLYGON ((170 0,-170 0,-170 9,170 9,170 0))',
    'POLYGON ((170 0,190 0,190 9,170 9,170 0))',
  ],
  [
    'a hole on the other side',
    'POLYGON ((170 0,-170 0,-170 9,170 9,170 0),(-179 1,-178 1,-178 2,-179 1))',
    'POLYGON ((170 0,190 0,190 9,170 9,170 0),(181 1,182 1,182 2,181 1))',
  ],
  ['points on both sides', 'MULTIPOINT ((179 1),(-179 2))', 'MULTIPOINT ((179 1),(181 2))'],
  [
    'a polygon that was cut',
    'MULTIPOLYGON (((170 0,180 0,180 9,170 9,170 0)),((-180 0,-170 0,-170 9,-180 9,-180 0)))',
    'MULTIPOLYGON (((190 0,190 9,170 9,170 0,190 0)))',
  ],
  [
    'a ring cut in two, with a hole of both parts',
    'MULTIPOLYGON (((170 0,180 0,180 2,175 2,175 7,180 7,180 9,170 9,170 0)),((-180 0,-170 0,-170 9,-180 9,-180 7,-175 7,-175 2,-180 2,-180 0)))',
    'MULTIPOLYGON (((190 0,190 9,170 9,170 0,190 0),(175 2,175 7,185 7,185 2,175 2)))',
  ],
  [
    'parts that meet only for some of the way',
    'MULTIPOLYGON (((170 0,180 0,180 9,170 9,170 0)),((-180 4,-170 4,-170 12,-180 12,-180 4)))',
    'MULTIPOLYGON (((180 4,190 4,190 12,180 12,180 9,170 9,170 0,180 0,180 4)))',
  ],
  [
    'a line that was cut',
    'MULTILINESTRING ((170 0,180 5),(-180 5,-170 10))',
    'MULTILINESTRING ((170 0,190 10))',
  ],
  [
    'a polygon cut at 0',
    'MULTIPOLYGON (((350 0,360 0,360 9,350 9,350 0)),((0 0,10 0,10 9,0 9,0 0)))',
    'MULTIPOLYGON (((10 0,10 9,-10 9,-10 0,10 0)))',
  ],
  [
    'islands on both sides',
    'MULTIPOLYGON (((170 0,171 0,171 1,170 0)),((-177 0,-176 0,-176 1,-177 0)))',
    'MULTIPOLYGON (((170 0,171 0,171 1,170 0)),((183 0,184 0,184 1,183 0)))',
  ],
];

const texts = (wkt: string): string | null =>
  geometryText(unwrapped(columnOfWkt([wkt]), 'features').geometry, 0);
/** Compared as sets of positions, as rings may begin anywhere. */
const sameRings = (text: string | null): readonly string[] =>
  (text ?? '').split(/[()]+/).map((ring) => [...new Set(ring.split(','))].sort().join());

for (const [what, source, result] of cases)
  test(`unwraps ${what}`, () => {
    assert.deepEqual(sameRings(texts(source)), sameRings(result), texts(source) ?? '');
  });

for (const [what, source] of [
  ['a line of longitudes up to 360', 'LINESTRING (170 0,190 10,350 5)'],
  ['a box of the world', 'POLYGON ((-180 -90,180 -90,180 90,-180 90,-180 -90))'],
  ['a wide line', 'LINESTRING (-100 0,0 0,100 0)'],
  ['coordinates of a plane', 'LINESTRING (-1000000 0,1000000 4000000)'],
  ['parts around the Earth with their gap at 180', 'MULTIPOINT ((-120 0),(0 0),(110 0))'],
] as const)
  test(`does not unwrap ${what}`, () => {
    const column = columnOfWkt([source]);
    assert.equal(unwrapped(column, 'features').geometry, column);
  });

test('cuts what was unwrapped, and moves it into range', () => {
  const column = columnOfWkt(['POLYGON ((170 0,190 0,190 9,170 9,170 0))', 'POINT (185 1)']);
  const { geometry } = wrapped(column, true);
  assert.match(geometryText(geometry, 0) ?? '', /^MULTIPOLYGON \(\(\(1[78]0 .*-1[78]0 /);
  assert.equal(geometryText(geometry, 1), 'POINT (-175 1)');
  assert.equal(wrapped(column, false).geometry, column, 'what was not unwrapped stays');
});

test('divides edges that would be taken for the short way', () => {
  const column = columnOfWkt(['LINESTRING (-100 0,100 10)']);
  assert.equal(geometryText(wrapped(column, false).geometry, 0), 'LINESTRING (-100 0,0 5,100 10)');
});
