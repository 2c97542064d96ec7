import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import geographiclib from 'geographiclib-geodesic';
import { Ellipsoid } from '../src/ellipsoid.ts';
import { GeodesicBetween } from '../src/geodesic-between.ts';
import { GeodesicLine } from '../src/geodesic-line.ts';
import { LocalChart } from '../src/local-chart.ts';
import { NormalCoordinates } from '../src/normal-coordinates.ts';

const DEGREE = Math.PI / 180;
const judge = geographiclib.Geodesic.WGS84;
const wgs84 = new Ellipsoid(6378137, 298.257223563);

const place = {
  latitude: fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, -89.9, 0, 89.9, 90)),
  azimuth: fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(0, 90, -90, 180)),
};

/** Metres between two positions, degrees. */
function apart(lon1: number, lat1: number, lon2: number, lat2: number): number {
  return judge.Inverse(lat1, lon1, lat2, lon2).s12 as number;
}

test('geodesics end where they should, to some nanometres', () => {
  const line = new GeodesicLine(wgs84);
  const meters = fc.double({ min: 0.001, max: 19e6, noNaN: true });
  fc.assert(
    fc.property(place.latitude, place.azimuth, meters, (latitude, azimuth, s12) => {
      line.startAt(latitude * DEGREE);
      line.travel(Math.sin(azimuth * DEGREE), Math.cos(azimuth * DEGREE), s12);
      const { lat2, lon2 } = judge.Direct(latitude, 0, azimuth, s12) as { lat2: number; lon2: number };
      // At a pole the longitude is free to choose; the distance tells.
      const error = apart(line.longitude / DEGREE, line.latitude / DEGREE, lon2, lat2);
      if (Math.abs(latitude) < 90) assert.ok(error < 5e-8, `${error} m`);
      else assert.ok(Math.abs(line.latitude / DEGREE - lat2) < 1e-12);
    }),
    { numRuns: 2000 },
  );
});

test('lengths and azimuths between places some hundred kilometres apart agree with the geodesics', () => {
  const between = new GeodesicBetween(wgs84);
  const line = new GeodesicLine(wgs84);
  const meters = fc.double({ min: 0.01, max: 2e6, noNaN: true });
  fc.assert(
    fc.property(place.latitude, place.azimuth, meters, (latitude, azimuth, s12) => {
      line.startAt(latitude * DEGREE);
      line.travel(Math.sin(azimuth * DEGREE), Math.cos(azimuth * DEGREE), s12);
      between.startAt(latitude * DEGREE);
      between.measure(line.longitude, line.latitude);
      const x = between.meters * between.sinAzimuth - s12 * Math.sin(azimuth * DEGREE);
      const y = between.meters * between.cosAzimuth - s12 * Math.cos(azimuth * DEGREE);
      assert.ok(Math.hypot(x, y) < 1e-7 + 1e-12 * s12, `${x} ${y}`);
    }),
    { numRuns: 2000 },
  );
});

test('the series are exact to a millionth of the distance within their reach, both ways', () => {
  const series = new NormalCoordinates(wgs84);
  const share = fc.double({ min: 0.01, max: 1, noNaN: true });
  fc.assert(
    fc.property(place.latitude, place.azimuth, share, (latitude, azimuth, part) => {
      fc.pre(Math.abs(latitude) < 89.99);
      series.centreAt(latitude * DEGREE);
      series.invert();
      const s12 = part * series.seriesReachMeters;
      const [x, y] = [s12 * Math.sin(azimuth * DEGREE), s12 * Math.cos(azimuth * DEGREE)];
      const { lat2, lon2 } = judge.Direct(latitude, 0, azimuth, s12) as { lat2: number; lon2: number };
      series.toGlobe(x, y);
      const [lon, lat] = [series.longitudeOffset / DEGREE, latitude + series.latitudeOffset / DEGREE];
      assert.ok(apart(lon, lat, lon2, lat2) < 1e-6 * s12 + 1e-8);
      series.toPlane(lon2 * DEGREE, (lat2 - latitude) * DEGREE);
      assert.ok(Math.hypot(series.x - x, series.y - y) < 1e-6 * s12 + 1e-8);
    }),
    { numRuns: 3000 },
  );
});

test('a chart leads back to where a position came from, to the accuracy asked for', () => {
  const chart = new LocalChart(wgs84);
  const meters = fc.double({ min: 0.01, max: 4e5, noNaN: true });
  const accuracy = fc.constantFrom(1e-6, 1e-4, 1e-2, 1);
  fc.assert(
    fc.property(place.latitude, place.azimuth, meters, accuracy, (latitude, azimuth, s12, accuracyMeters) => {
      chart.centreAt(170, latitude, accuracyMeters);
      const { lat2, lon2 } = judge.Direct(latitude, 0, azimuth, s12) as { lat2: number; lon2: number };
      chart.toPlane(lon2, lat2);
      chart.toGlobe(chart.x, chart.y);
      const error = apart(chart.longitudeOffset, chart.latitude, lon2, lat2);
      assert.ok(error < 2 * accuracyMeters + 1e-7, `${latitude} ${s12}: ${error} m`);
    }),
    { numRuns: 3000 },
  );
});
