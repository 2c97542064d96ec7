/** Areas across 180 degrees and their way back: other units and prime meridians, oblique maps, false eastings, Z and M at the cut, and too many turns. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { converted, planarArea, wktOf } from '../support/reprojected.ts';

const ACROSS = 'POLYGON ((175 -20,185 -20,185 -15,175 -15,175 -20))';
const BOTH_SIDES =
  'MULTIPOLYGON (((170 1,172 1,172 3,170 3,170 1)),((-172 1,-170 1,-170 3,-172 3,-172 1)),((179 1,181 1,181 3,179 3,179 1)))';

for (const crs of [
  'EPSG:4807',
  'EPSG:4901',
  'EPSG:4902',
  'EPSG:3031',
  'EPSG:5041',
  '+proj=omerc +lat_0=0 +lonc=180 +alpha=30 +ellps=WGS84',
  '+proj=ob_tran +o_proj=moll +o_lat_p=45 +o_lon_p=-90 +lon_0=0 +ellps=WGS84',
])
  test(`areas across 180 degrees come back from ${crs}`, async () => {
    const there = await converted([ACROSS, BOTH_SIDES], 'EPSG:4326', crs);
    for (const geometry of there.geometries) planarArea(wktOf(geometry));
    const { geometries } = await converted(there.geometries.map(wktOf), crs, 'EPSG:4326');
    const areas = geometries.map((one) => planarArea(wktOf(one)));
    assert.ok(Math.abs(areas[0] - 50) < 1e-4 && Math.abs(areas[1] - 12) < 1e-4, areas.join());
  });

test('Z and M are interpolated where a line is cut, and where an area is closed along a pole they are those of the cut', async () => {
  const { geometries } = await converted(
    [
      'LINESTRING ZM (170 0 100 1000,-170 0 300 3000)',
      'POLYGON ZM ((0 80 1 10,120 80 2 20,-120 80 3 30,0 80 1 10))',
    ],
    'EPSG:4326',
    'EPSG:4326',
  );
  const [first, second] = geometries[0].coordinates as number[][][];
  assert.deepEqual(
    [first.at(-1), second[0]].map((one) => one?.slice(0, 3)),
    [
      [180, 0, 200],
      [-180, 0, 200],
    ],
  );
  const [ring] = geometries[1].coordinates as number[][][];
  const poles = ring.filter(([, latitude]) => latitude === 90);
  assert.equal(poles.length, 2);
  for (const [, , z] of poles) assert.equal(z, 2.5);
});

test('an area around the Earth more than once is reported', async () => {
  const wkt = 'POLYGON ((-180 10,0 10,180 10,360 10,360 20,180 20,0 20,-180 20,-180 10))';
  const { findings } = await converted([wkt], 'EPSG:4326', 'ESRI:54009');
  assert.ok(findings.some(({ code }) => code === 'ANTIMERIDIAN_UNCUT'));
});

test('an area that holds both poles keeps them', async () => {
  const wkt =
    'POLYGON ((-180 -90,-60 -90,60 -90,180 -90,180 90,60 90,-60 90,-180 90,-180 -90),(-1 -1,-1 1,1 1,1 -1,-1 -1))';
  const there = await converted([wkt], 'EPSG:4326', 'EPSG:8857');
  const { geometries } = await converted(there.geometries.map(wktOf), 'EPSG:8857', 'EPSG:4326');
  assert.ok(Math.abs(planarArea(wktOf(geometries[0])) - (360 * 180 - 4)) < 1);
});
