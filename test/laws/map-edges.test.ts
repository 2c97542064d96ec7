/**
 * Law: what was cut at the end of a map, or closed along a pole there, is whole again on maps that do not end there, and positions on the border of
 * the map come back.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { arePointsKept, areWholeAfter, countOf, dense } from '../support/map-edges.ts';
import { converted, planarArea, wktOf } from '../support/reprojected.ts';

test('areas that were cut at the end of a map are whole on one that goes on there', () =>
  areWholeAfter('+proj=eqearth +lon_0=-30 +ellps=WGS84'));

test('areas that were cut where Mercator ends are whole in longitudes and latitudes, and cut at 180 degrees', async () => {
  const ring = dense('POLYGON ((-40 40,-20 40,-20 50,-40 50,-40 40))');
  const band = dense('POLYGON ((-180 40,180 40,180 50,-180 50,-180 40))');
  const cut = await converted([ring, band], 'EPSG:4326', 'EPSG:3832');
  assert.deepEqual(cut.geometries.map(countOf), [2, 1]);
  const { geometries } = await converted(cut.geometries.map(wktOf), 'EPSG:3832', 'EPSG:4326');
  assert.deepEqual(geometries.map(countOf), [1, 1]);
  const areas = geometries.map((one) => planarArea(wktOf(one)));
  assert.ok(Math.abs(areas[0] - 200) < 1e-6 && Math.abs(areas[1] - 3600) < 1e-6, areas.join());
});

test('points on the border of Mollweide come back, and go to other maps', () =>
  arePointsKept('ESRI:54009', 1e-8));

test('an area around a pole ends beyond its own northernmost vertex on a map that lacks the pole', async () => {
  const ring = Array.from({ length: 37 }, (_, i) => {
    const angle = (2 * Math.PI * (i % 36)) / 36;
    return `${Math.round(300_000 + 400_000 * Math.cos(angle))} ${Math.round(400_000 * Math.sin(angle))}`;
  });
  for (const map of ['EPSG:3395', 'EPSG:3832']) {
    const { geometries } = await converted([`POLYGON ((${ring.join(',')}))`], 'EPSG:3571', map);
    assert.ok(planarArea(wktOf(geometries[0])) > 0);
  }
});
