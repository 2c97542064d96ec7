/** CoordSys clauses of MapInfo, which PROJ identifies: slow, because it searches its database. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { Proj } from '../../engines/proj/src/proj.ts';
import { parseCoordSys } from '../src/mapinfo/coord-sys.ts';
import { coordSysOf } from '../src/mapinfo/coord-sys-of-crs.ts';
import { crsOfCoordSys } from '../src/mapinfo/crs-of-coord-sys.ts';

const proj = await Proj.load({ gridDirectory: null });
const identified = (clause: string): string | null => {
  const { crs } = crsOfCoordSys(parseCoordSys(clause));
  if (crs === null) return null;
  const { authority } = proj.describe(crs, 'crs');
  return authority === null ? 'none' : `${authority.name}:${authority.code}`;
};

test('CoordSys clauses of MapInfo are the systems of EPSG that they mean', () => {
  const clauses: readonly (readonly [clause: string, code: string])[] = [
    ['Earth Projection 1, 104', 'EPSG:4326'],
    ['Earth Projection 1, 115', 'EPSG:4258'],
    ['Earth Projection 1, 1028', 'EPSG:7844'],
    ['earth projection 8,104,"m",15,0,0.9996,500000,10000000', 'EPSG:32733'],
    ['Earth Projection 2008, 104, 7, 15, 0, 0.9996, 500000, 0 Bounds (0, 0) (1, 1)', 'EPSG:32633'],
    ['Earth Projection 3, 33, "m", 3, 46.5, 44, 49.00000000002, 700000, 6600000', 'EPSG:2154'],
    ['Earth Projection 25, 1003, "m", 7.4395833333, 46.9524055555, 600000, 200000', 'EPSG:21781'],
    ['Earth Projection 18, 31, "m", 173, -41, 2510000, 6023150', 'EPSG:27200'],
    ['Earth Projection 31, 109, "m", 5.387638889, 52.156160556, 0.9999079, 155000, 463000', 'EPSG:28992'],
    ['Earth Projection 8, 79, "m", -2, 49, 0.9996012717, 400000, -100000', 'EPSG:27700'],
    [
      'Earth Projection 7, 74, "m", -133.6666667, 57, 323.1301023611111, 0.9999, 5000000, -5000000',
      'EPSG:26931',
    ],
    ['Earth Projection 10, 157, "m", 0', 'EPSG:3857'],
    // A datum that is stated by its shift.
    ['Earth Projection 8, 999, 4, -87, -98, -121, "m", 9, 0, 0.9996, 500000, 0', 'EPSG:23032'],
    [
      'Earth Projection 8, 9999, 10, 582, 105, 414, -1.04, -0.35, 3.08, 8.3, 0, "m", 9, 0, 1, 3500000, 0',
      'EPSG:5677',
    ],
  ];
  for (const [clause, code] of clauses) assert.equal(identified(clause), code, clause);
});

test('a system that MapInfo has is written and read again', () => {
  const codes = [
    4326, 4258, 4269, 4283, 25832, 32733, 2154, 27700, 21781, 2056, 28992, 3857, 3111, 26931, 23032, 5514,
    28355,
  ];
  for (const code of codes) {
    const { clause } = coordSysOf(proj.describe(`EPSG:${code}`, 'crs'));
    if (clause === null) assert.ok([5514, 2056].includes(code), `EPSG:${code} is not written`);
    else assert.equal(identified(clause), `EPSG:${code}`, clause);
  }
});
