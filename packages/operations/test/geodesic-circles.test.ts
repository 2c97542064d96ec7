import assert from 'node:assert/strict';
import test from 'node:test';
import geographiclib from 'geographiclib-geodesic';
import { GeometryBuilder, type GeometryColumn } from '../../core/src/geometry/geometry-column.ts';
import { signedArea } from '../../core/src/geometry/rings.ts';
import { Ellipsoid } from '../../engines/geodesic/src/ellipsoid.ts';
import { Geos } from '../../engines/geos/src/geos.ts';
import { GeodesicCircles } from '../src/buffer/geodesic-circles.ts';

const judge = geographiclib.Geodesic.WGS84;
const wgs84 = new Ellipsoid(6378137, 298.257223563);
const LATITUDES = [-90, -89.9, -85, -66.5, -45, -10, 0, 1e-9, 21.3, 52.5, 61.2, 80, 89, 89.9, 89.99999, 90];
const LONGITUDES = [-180, -179.9999, -90, 0, 13.4, 90, 179.5, 179.999999, 180];
const DISTANCES = [1, 10, 1000, 11_000, 25_000, 100_000, 250_000, 500_000];

function circle(longitude: number, latitude: number, meters: number, segments = 16): GeometryColumn {
  const builder = new GeometryBuilder('XY');
  const parts = new GeodesicCircles(wgs84, meters, segments).append(builder, longitude, latitude);
  builder.endFeature(parts === 1 ? 3 : 6);
  return builder.finish();
}

/** The largest share by which a vertex is off, corners at a pole left out. */
function worstError(column: GeometryColumn, longitude: number, latitude: number, meters: number): number {
  let worst = 0;
  for (let i = 0; i < column.coordinates.length; i += 2) {
    const [x, y] = [column.coordinates[i], column.coordinates[i + 1]];
    if (Math.abs(y) === 90) continue;
    const { s12 } = judge.Inverse(latitude, longitude, y, x, geographiclib.Geodesic.DISTANCE);
    worst = Math.max(worst, Math.abs((s12 as number) / meters - 1));
  }
  return worst;
}

test('every vertex of the circle around a point lies at the distance, wherever the point is', () => {
  for (const latitude of LATITUDES) {
    for (const longitude of LONGITUDES) {
      for (const meters of DISTANCES) {
        const column = circle(longitude, latitude, meters);
        const error = worstError(column, longitude, latitude, meters);
        assert.ok(error < 1e-6, `${longitude} ${latitude} ${meters}: ${error}`);
      }
    }
  }
});

test('circles are valid, lie within 180 degrees, and their shells turn counter-clockwise', async () => {
  const geos = await Geos.load();
  for (const latitude of LATITUDES) {
    for (const longitude of LONGITUDES) {
      for (const meters of DISTANCES) {
        const column = circle(longitude, latitude, meters);
        const where = `${longitude} ${latitude} ${meters}`;
        using geometry = geos.read(column, 0);
        assert.ok(geometry.isValid, `${where}: ${geometry.validityReason}`);
        const { coordinates, coordOffsets } = column;
        for (let i = 0; i < coordinates.length; i += 2) assert.ok(Math.abs(coordinates[i]) <= 180, where);
        for (let ring = 0; ring + 1 < coordOffsets.length; ring++)
          assert.ok(signedArea(coordinates, 2, coordOffsets[ring], coordOffsets[ring + 1]) > 0, where);
      }
    }
  }
});

test('the area on the ellipsoid is that of the circle less its chords', () => {
  for (const latitude of LATITUDES) {
    for (const longitude of [-180, 13.4, 179.5]) {
      for (const meters of [1000, 100_000, 500_000]) {
        const column = circle(longitude, latitude, meters, 90);
        let area = 0;
        for (let ring = 0; ring + 1 < column.coordOffsets.length; ring++) area += ellipsoidArea(column, ring);
        const radius = 6371000;
        const expected = 2 * Math.PI * radius ** 2 * (1 - Math.cos(meters / radius));
        // The mean radius is off by as much as 0.4 % of the true curvature somewhere.
        assert.ok(
          Math.abs(area / expected - 1) < 0.003,
          `${longitude} ${latitude} ${meters}: ${area / expected}`,
        );
      }
    }
  }
});

/** Square metres within a ring whose edges are straight in longitude and latitude: the authalic area under each. */
function ellipsoidArea({ coordinates, coordOffsets }: GeometryColumn, ring: number): number {
  const e2 = wgs84.eccentricitySquared;
  const e = Math.sqrt(e2);
  const under = (latitude: number): number => {
    const s = Math.sin((latitude * Math.PI) / 180);
    return (
      (wgs84.semiMinorMeters ** 2 / 2) *
      (s / (1 - e2 * s * s) + Math.log((1 + e * s) / (1 - e * s)) / (2 * e))
    );
  };
  let sum = 0;
  for (let i = coordOffsets[ring]; i + 1 < coordOffsets[ring + 1]; i++) {
    const [x1, y1, x2, y2] = coordinates.subarray(2 * i, 2 * i + 4);
    const mean = (under(y1) + 4 * under((y1 + y2) / 2) + under(y2)) / 6;
    sum -= ((x2 - x1) * Math.PI * mean) / 180;
  }
  return sum;
}

test('a circle at the antimeridian is two parts that meet at 180 degrees', () => {
  const column = circle(179.5, 52, 100_000);
  assert.deepEqual([...column.types], [6]);
  assert.equal(column.partKinds.length, 2);
  const latitudesAt = (cut: number): number[] => {
    const found = new Set<number>();
    for (let i = 0; i < column.coordinates.length; i += 2)
      if (column.coordinates[i] === cut) found.add(column.coordinates[i + 1]);
    return [...found].sort();
  };
  assert.equal(latitudesAt(180).length, 2);
  assert.deepEqual(latitudesAt(180), latitudesAt(-180));
});

test('a circle around a pole is closed along the pole', () => {
  for (const [latitude, pole] of [
    [89.9, 90],
    [-89.9, -90],
  ]) {
    const { coordinates, types } = circle(30, latitude, 50_000);
    assert.deepEqual([...types], [3]);
    const corners = [];
    for (let i = 0; i < coordinates.length; i += 2)
      if (coordinates[i + 1] === pole) corners.push(coordinates[i]);
    assert.deepEqual(corners.slice(0, 2).sort(), [-180, 180]);
  }
});

test('other ellipsoids are as exact: a sphere, Mars, and one of 1830', () => {
  for (const [a, inverse] of [
    [1737400, 0],
    [3396190, 169.8944472236118],
    [6377276.345, 300.8017],
  ]) {
    const other = new geographiclib.Geodesic.Geodesic(a, inverse === 0 ? 0 : 1 / inverse);
    const figure = new Ellipsoid(a, inverse);
    for (const latitude of [-89.9, 0, 33, 77]) {
      for (const meters of [100, 10_000, 300_000]) {
        const builder = new GeometryBuilder('XY');
        new GeodesicCircles(figure, meters, 8).append(builder, 10, latitude);
        builder.endFeature(3);
        const { coordinates } = builder.finish();
        for (let i = 0; i < coordinates.length; i += 2) {
          if (Math.abs(coordinates[i + 1]) === 90) continue;
          const { s12 } = other.Inverse(latitude, 10, coordinates[i + 1], coordinates[i]);
          assert.ok(Math.abs((s12 as number) / meters - 1) < 1e-6, `${a} ${latitude} ${meters}: ${s12}`);
        }
      }
    }
  }
});
