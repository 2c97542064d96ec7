/** The buffer as a step: its parameters, how it is written on the command line, units and scale of projected systems. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { batchOfWkt } from '../../../test/support/wkt-column.ts';
import type { CrsDescription } from '../../core/src/crs/crs.ts';
import { WGS84_DESCRIPTION } from '../../core/src/crs/wgs84.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { Geos } from '../../engines/geos/src/geos.ts';
import { code } from '../src/buffer/code.ts';
import { buffer } from '../src/buffer/record.ts';
import { METERS_PER_UNIT } from '../src/parts/lengths.ts';
import { checkedStep } from '../src/requested-steps.ts';
import type { StepSetting } from '../src/transformation.ts';

const step = (given: Record<string, unknown>) => checkedStep(buffer, given, 'transformations[0]').params;

/** A plane whose unit is `unitFactor` metres, around a place where `scale` of its metres are one on the ground. */
function settingOf(unitFactor: number, scale: number): StepSetting {
  const crs: CrsDescription = {
    ...WGS84_DESCRIPTION,
    name: 'plane',
    kind: 'projected',
    unitName: 'unit',
    unitFactor,
  };
  const metersPerDegree = 111_319.49;
  return {
    crs,
    layerName: 'layer',
    checkPositions: () => {},
    path: 'transformations[0]',
    fromWgs84: () => assert.fail('not needed'),
    toWgs84: (coordinates) => {
      for (let i = 0; i < coordinates.length; i++) coordinates[i] *= unitFactor / scale / metersPerDegree;
    },
  };
}

test('defaults are filled in, and what is missing, unknown or out of range is told', () => {
  assert.deepEqual(step({ distance: 5, units: 'meters' }), { distance: 5, units: 'meters', quadrant_segments: 16, end_cap: 'round', join: 'round', mitre_limit: 5, simplify_tolerance: 0, geodesic: false }); // biome-ignore format: one line
  for (const [given, message] of [
    [{ units: 'meters' }, /transformations\[0\]\.distance' is required for buffer/],
    [{ distance: 5 }, /transformations\[0\]\.units' is required for buffer/],
    [
      { distance: 5, units: 'yards' },
      /'transformations\[0\]\.units' must be one of "meters", "kilometers", "feet", "miles"/,
    ],
    [{ distance: Number.NaN, units: 'meters' }, /distance' must be number/],
    [{ distance: '5', units: 'meters' }, /distance' must be number/],
    [{ distance: 5, units: 'meters', quadrant_segments: 0 }, /quadrant_segments' must be >= 1/],
    [
      { distance: 5, units: 'meters', radius: 1 },
      /radius' is not a parameter of buffer; it has distance, units/,
    ],
  ] as const) {
    assert.throws(() => step(given), { code: 'TRANSFORMATION_INVALID', message });
  }
});

test('a distance on the command line has its unit', () => {
  const { parameters } = buffer.commandLine!;
  const parse = (value: string) => parameters(value, () => assert.fail('no file'));
  assert.deepEqual(parse('100m'), { distance: 100, units: 'meters' });
  assert.deepEqual(parse(' -2.5 KM'), { distance: -2.5, units: 'kilometers' });
  assert.deepEqual(parse('1e3ft'), { distance: 1000, units: 'feet' });
  assert.deepEqual(parse('.5mi'), { distance: 0.5, units: 'miles' });
  for (const value of ['100', 'm', '', '10 yards', '1,5m', '1e999x'])
    assert.throws(() => parse(value), { code: 'USAGE', message: /write a number and m, km, ft or mi/ });
});

test('a distance is converted to the unit of the plane', async () => {
  const radiusOf = async (units: string, unitFactor: number): Promise<number> => {
    const apply = await code.prepare(step({ distance: 2, units }), settingOf(unitFactor, 1));
    return apply(batchOfWkt(['POINT (0 0)']), new Findings()).geometry.coordinates[0];
  };
  assert.equal(await radiusOf('meters', 1), 2);
  assert.equal(await radiusOf('kilometers', 1), 2000);
  assert.equal(await radiusOf('miles', 1), 2 * METERS_PER_UNIT.miles);
  // US survey feet are 1200/3937 m: two international feet are not quite two of them.
  assert.ok(Math.abs((await radiusOf('feet', 1200 / 3937)) - 2 * (1 - 2e-6)) < 1e-9);
});

test('a plane whose scale is off by more than a percent is told of', async () => {
  const findingsAt = async (scale: number) => {
    const apply = await code.prepare(step({ distance: 2, units: 'meters' }), settingOf(1, scale));
    const findings = new Findings();
    apply(batchOfWkt(['POINT (0 0)', 'POINT (100 100)', null]), findings);
    return findings.list().map(({ code: name, params }) => [name, params.percent]);
  };
  assert.deepEqual(await findingsAt(1.0), []);
  assert.deepEqual(await findingsAt(0.995), []);
  assert.deepEqual(await findingsAt(1.03), [['DISTANCE_SCALE_OFF', 2]]);
  assert.deepEqual(await findingsAt(2), [['DISTANCE_SCALE_OFF', 50]]);
});

test('a step frees all of GEOS that it used', async () => {
  const geos = await Geos.load();
  const apply = await code.prepare(step({ distance: 2, units: 'meters' }), settingOf(1, 1));
  const texts = ['LINESTRING (0 0, 5 5)', 'POLYGON ((0 0, 9 9, 9 0, 0 9, 0 0))', 'POLYGON EMPTY', null, 'GEOMETRYCOLLECTION (POINT (0 0), LINESTRING (1 1, 2 2))']; // biome-ignore format: one line
  apply(batchOfWkt(texts), new Findings());
  const before = [geos.memoryBytes, geos.liveCount];
  for (let i = 0; i < 200; i++) apply(batchOfWkt(texts), new Findings());
  assert.deepEqual([geos.memoryBytes, geos.liveCount], before);
});

test('in a geographic CRS, and on request in a projected one, the distance is one on the ellipsoid', async () => {
  const geographic: StepSetting = { ...settingOf(1, 1), crs: WGS84_DESCRIPTION };
  const onGlobe = await code.prepare(step({ distance: 1, units: 'kilometers' }), geographic);
  const globe = onGlobe(batchOfWkt(['POINT (0 0)', null]), new Findings());
  assert.equal(globe.rowCount, 2);
  const degreesEast = Math.max(...globe.geometry.coordinates.filter((_, i) => i % 2 === 0));
  assert.ok(Math.abs(degreesEast * 111_319.49 - 1000) < 0.5);

  // A plane whose unit is a thousandth of a degree: only positions matter, not what it says of itself.
  const scaled = (factor: number) => (coordinates: Float64Array) => {
    for (let i = 0; i < coordinates.length; i++) coordinates[i] *= factor;
  };
  const projected: StepSetting = { ...settingOf(1, 1), toWgs84: scaled(1e-3), fromWgs84: scaled(1e3) };
  const inPlane = await code.prepare(step({ distance: 1, units: 'kilometers', geodesic: true }), projected);
  const findings = new Findings();
  const plane = inPlane(batchOfWkt(['POINT (0 0)', null]), findings);
  assert.deepEqual(findings.list(), []);
  assert.equal(plane.rowCount, 2);
  const unitsEast = Math.max(...plane.geometry.coordinates.filter((_, i) => i % 2 === 0));
  assert.ok(Math.abs(unitsEast / 1e3 - degreesEast) < 1e-9);

  // It would cross the whole map a thousand times, and so would its outline.
  assert.throws(() => inPlane(batchOfWkt(['POINT (0 0)', 'LINESTRING (0 -2147483649, 10 0)']), findings), {
    code: 'EDGE_LONGER_THAN_EARTH',
    message: /^feature 2 of layer '.*': an edge is 2147484 km long, longer than the circumference/,
  });

  const other: StepSetting = { ...projected, crs: { ...projected.crs, kind: 'other' } };
  await assert.rejects(code.prepare(step({ distance: 1, units: 'meters', geodesic: true }), other), {
    code: 'TRANSFORMATION_INVALID',
    message: /'transformations\[0\]\.geodesic' is not possible in plane/,
  });
});
