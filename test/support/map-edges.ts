/** Areas that were cut at the end of a map, on a map that goes on there. */
import assert from 'node:assert/strict';
import { converted, planarArea, type Read, wktOf } from './reprojected.ts';

/** Each edge with positions at most a degree apart: longer ones would be bent by maps. */
export const dense = (wkt: string): string =>
  wkt.replace(/[-\d][-\d ,]+/g, (ring) => {
    const positions = ring.split(',').map((one) => one.split(' ').map(Number));
    return positions
      .flatMap(([x, y], i) => {
        const [toX, toY] = positions[i + 1] ?? [x, y];
        const count = Math.max(1, Math.ceil(Math.abs(toX - x)), Math.ceil(Math.abs(toY - y)));
        return Array.from(
          { length: count },
          (_, step) => `${x + ((toX - x) * step) / count} ${y + ((toY - y) * step) / count}`,
        );
      })
      .join(',');
  });

/** Two areas of the north across 180 degrees and 150 degrees west, a pole, and polygons on both sides of 180. */
const AREAS = [
  'POLYGON ((170 5,190 5,190 20,170 20,170 5))',
  'POLYGON ((140 40,149 40,155 41,149 60,140 60,140 40))',
  'POLYGON ((-180 70,-90 72,0 75,90 80,180 70,180 90,-180 90,-180 70))',
  'MULTIPOLYGON (((178 60,180 60,180 62,180 64,178 64,178 60)),((-180 60,-178 60,-178 64,-180 64,-180 62,-180 60)),((175 30,176 30,176 31,175 30)))',
].map(dense);
/** It goes on everywhere in the north. */
const WHOLE = 'EPSG:3571';
export const countOf = ({ type, coordinates }: Read): number =>
  type === 'MultiPolygon' ? (coordinates as unknown[]).length : 1;

/** Throws unless areas that were cut by the map are whole, and as large as those that never were. */
export async function areWholeAfter(map: string): Promise<void> {
  const direct = (await converted(AREAS, 'EPSG:4326', WHOLE)).geometries;
  const cut = await converted(AREAS, 'EPSG:4326', map);
  const { geometries, findings } = await converted(cut.geometries.map(wktOf), map, WHOLE);
  for (const [i, geometry] of geometries.entries()) {
    const [area, expected] = [geometry, direct[i]].map((one) => planarArea(wktOf(one)));
    assert.ok(
      Math.abs(area - expected) <= 2e-3 * expected,
      `${AREAS[i].slice(0, 40)}: ${area} for ${expected}`,
    );
    assert.equal(countOf(geometry), countOf(direct[i]), AREAS[i].slice(0, 40));
  }
  assert.ok(!findings.some(({ code }) => /UNCUT|TORN|CUT_OFF/.test(code)));
}

/** Mollweide and Robinson reject positions that rounding moved beyond the border; Robinson is torn by a metre at latitudes of its table. */
export async function arePointsKept(map: string, tolerance: number): Promise<void> {
  const points = ['180 0', '-180 0', '-180 -45', '180 10', '-180 60', '10 90', '0 -90'];
  const textOf = ({ coordinates }: Read): string => `POINT (${(coordinates as number[]).join(' ')})`;
  const { geometries } = await converted(
    points.map((one) => `POINT (${one})`),
    'EPSG:4326',
    map,
  );
  const back = (await converted(geometries.map(textOf), map, 'EPSG:4326')).geometries;
  for (const [i, { coordinates }] of back.entries()) {
    const [x, y] = points[i].split(' ').map(Number);
    const [longitude, latitude] = coordinates as number[];
    assert.ok(Math.abs(latitude - y) <= tolerance, `${points[i]}: ${latitude}`);
    assert.ok(Math.abs(y) === 90 || Math.abs(longitude - x) <= tolerance, `${points[i]}: ${longitude}`);
  }
  const other = (await converted(geometries.map(textOf), map, 'EPSG:8857')).geometries;
  const [east, west] = other.map(({ coordinates }) => (coordinates as number[])[0]);
  assert.ok(Math.abs(east - 17_243_959.06) < 1 && Math.abs(west + 17_243_959.06) < 1);
}
