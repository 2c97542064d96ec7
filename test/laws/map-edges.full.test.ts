/** The law of map-edges.test.ts for more maps. */
import test from 'node:test';
import { arePointsKept, areWholeAfter } from '../support/map-edges.ts';

for (const map of [
  'ESRI:54009',
  'ESRI:54030',
  'EPSG:8857',
  'EPSG:6933',
  'ESRI:54012',
  '+proj=moll +lon_0=150 +x_0=3000000 +ellps=WGS84',
])
  test(`areas that were cut at the end of ${map.slice(0, 27)} are whole on a map that goes on there`, () =>
    areWholeAfter(map));

test('points on the border of Robinson come back, and go to other maps', () =>
  arePointsKept('ESRI:54030', 3e-6));
