import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { WGS84_DESCRIPTION } from '../../../core/src/crs/wgs84.ts';
import { GeomillError } from '../../../core/src/messages/errors.ts';
import { countOutside, isWithin, middleOf } from '../src/area.ts';
import { ProjContext } from '../src/context.ts';
import { describeCrs } from '../src/crs.ts';
import { combineOperations } from '../src/operation-description.ts';
import { Proj } from '../src/proj.ts';
import { ProjTransformer } from '../src/transformer.ts';
import { eachPosition } from '../src/transformer-contract.ts';

const proj = await Proj.load({ gridDirectory: null });

const WGS84_PRJ =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]';
const MGA50_PRJ =
  'PROJCS["GDA_1994_MGA_Zone_50",GEOGCS["GCS_GDA_1994",DATUM["D_GDA_1994",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",10000000.0],PARAMETER["Central_Meridian",117.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]';
const WEB_MERCATOR_PRJ =
  'PROJCS["WGS_1984_Web_Mercator_Auxiliary_Sphere",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Mercator_Auxiliary_Sphere"],PARAMETER["False_Easting",0.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",0.0],PARAMETER["Standard_Parallel_1",0.0],PARAMETER["Auxiliary_Sphere_Type",0.0],UNIT["Meter",1.0]]';
const NORTH_CAROLINA_FEET_PRJ =
  'PROJCS["NAD_1983_StatePlane_North_Carolina_FIPS_3200_Feet",GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Lambert_Conformal_Conic"],PARAMETER["False_Easting",2000000.002616666],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",-79.0],PARAMETER["Standard_Parallel_1",34.33333333333334],PARAMETER["Standard_Parallel_2",36.16666666666666],PARAMETER["Latitude_Of_Origin",33.75],UNIT["Foot_US",0.3048006096012192]]';
const CALIFORNIA_FEET_PRJ =
  'PROJCS["NAD_1983_StatePlane_California_III_FIPS_0403_Feet",GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Lambert_Conformal_Conic"],PARAMETER["False_Easting",6561666.666666666],PARAMETER["False_Northing",1640416.666666667],PARAMETER["Central_Meridian",-120.5],PARAMETER["Standard_Parallel_1",37.06666666666667],PARAMETER["Standard_Parallel_2",38.43333333333333],PARAMETER["Latitude_Of_Origin",36.5],UNIT["Foot_US",0.3048006096012192]]';
const UNKNOWN_PRJ = MGA50_PRJ.replace('"Central_Meridian",117.0', '"Central_Meridian",116.3').replace(
  'GDA_1994_MGA_Zone_50',
  'Mine_Grid',
);

function transformed(from: string, to: string, ...coordinates: number[]): number[] {
  const result = Float64Array.from(coordinates);
  proj.transformer(from, to).transform(result, 'XY');
  return [...result];
}

function near(actual: readonly number[], expected: readonly number[], tolerance: number): void {
  assert.equal(actual.length, expected.length);
  for (let i = 0; i < actual.length; i++)
    assert.ok(Math.abs(actual[i] - expected[i]) <= tolerance, `${actual} is not ${expected}`);
}

test('the same instance is shared by all who load it with the same grids', async () => {
  assert.equal(await Proj.load({ gridDirectory: null }), proj);
});

test('a description tells code, kind, unit and area', () => {
  const mga = proj.describe('EPSG:28350', 'x');
  assert.equal(mga.name, 'GDA94 / MGA zone 50');
  assert.deepEqual(mga.authority, { name: 'EPSG', code: '28350' });
  assert.equal(mga.kind, 'projected');
  assert.equal(mga.unitName, 'metre');
  assert.equal(mga.unitFactor, 1);
  assert.deepEqual(mga.areaOfUse, { west: 114, south: -38.53, east: 120.01, north: -12.06 });
  const wgs84 = proj.describe('epsg:4326', 'x');
  assert.equal(wgs84.kind, 'geographic');
  assert.equal(wgs84.unitName, 'degree');
  assert.ok(Math.abs(wgs84.unitFactor - Math.PI / 180) < 1e-15);
  assert.equal(proj.describe('EPSG:2227', 'x').unitName, 'US survey foot');
  assert.ok(Math.abs(proj.describe('EPSG:2227', 'x').unitFactor - 1200 / 3937) < 1e-15);
});

test('EPSG:4326 as it is described without PROJ is what PROJ says', () => {
  const { wkt1, wkt2, ...facts } = proj.describe('EPSG:4326', 'x');
  assert.deepEqual({ ...facts, wkt1: null, wkt2: null }, { ...WGS84_DESCRIPTION, wkt1: null, wkt2: null });
  assert.ok([null, wkt1].includes(WGS84_DESCRIPTION.wkt1));
  assert.ok([null, wkt2].includes(WGS84_DESCRIPTION.wkt2));
});

test('every form of definition is read', () => {
  const forms = [
    'EPSG:28350',
    'urn:ogc:def:crs:EPSG::28350',
    'http://www.opengis.net/def/crs/EPSG/0/28350',
    MGA50_PRJ,
    `\uFEFF${MGA50_PRJ}\r\n\0\0`,
    proj.describe('EPSG:28350', 'x').wkt1!,
    proj.describe('EPSG:28350', 'x').wkt2!,
    proj.describe('EPSG:28350', 'x').wktEsri!,
  ];
  for (const form of forms) {
    assert.deepEqual(proj.describe(form, 'x').authority, { name: 'EPSG', code: '28350' }, form);
    assert.equal(proj.transformer(form, 'EPSG:28350').isIdentity, true, form);
  }
  assert.deepEqual(proj.describe('ESRI:102003', 'x').authority, { name: 'ESRI', code: '102003' });
  assert.equal(proj.describe('OGC:CRS84', 'x').kind, 'geographic');
  assert.equal(proj.describe('+proj=utm +zone=33 +datum=WGS84', 'x').kind, 'projected');
  assert.equal(proj.describe('EPSG:4326+5773', 'x').name, 'WGS 84 + EGM96 height');
  const projJson = JSON.stringify({
    type: 'GeographicCRS',
    name: 'mine',
    datum: {
      type: 'GeodeticReferenceFrame',
      name: 'mine',
      ellipsoid: { name: 'mine', semi_major_axis: 6378137, inverse_flattening: 298.257223563 },
    },
    coordinate_system: {
      subtype: 'ellipsoidal',
      axis: [
        { name: 'Longitude', abbreviation: 'lon', direction: 'east', unit: 'degree' },
        { name: 'Latitude', abbreviation: 'lat', direction: 'north', unit: 'degree' },
      ],
    },
  });
  assert.equal(proj.describe(projJson, 'x').name, 'mine');
});

test('text of a .prj is identified only when it is certain', () => {
  const codeOf = (prj: string): string | undefined => proj.describe(prj, 'x').authority?.code;
  assert.equal(codeOf(WGS84_PRJ), '4326');
  assert.equal(codeOf(WEB_MERCATOR_PRJ), '3857');
  assert.equal(codeOf(CALIFORNIA_FEET_PRJ), '2227');
  assert.equal(codeOf(MGA50_PRJ.replace('GDA_1994_MGA_Zone_50', 'Our grid')), '28350');
  assert.equal(codeOf('+proj=utm +zone=33 +datum=WGS84'), '32633');
  assert.equal(codeOf('+proj=longlat +datum=NAD27'), '4267');
  assert.equal(codeOf('+proj=utm +zone=33 +ellps=GRS80'), undefined, 'no datum, no certainty');
  // 0.8 mm beside EPSG:2264, whose false easting is 2,000,000 feet without a fraction.
  assert.equal(codeOf(NORTH_CAROLINA_FEET_PRJ), undefined);
  assert.equal(codeOf(UNKNOWN_PRJ), undefined);
});

test('an area of use is found for text that was identified', () => {
  assert.deepEqual(proj.describe(MGA50_PRJ, 'x').areaOfUse, proj.describe('EPSG:28350', 'x').areaOfUse);
  assert.equal(proj.describe(UNKNOWN_PRJ, 'x').areaOfUse, null);
});

test('a code that stands in the text counts only if the text agrees with it', () => {
  const wkt1 = proj.describe('EPSG:31467', 'x').wkt1!;
  assert.deepEqual(proj.describe(wkt1, 'x').authority, { name: 'EPSG', code: '31467' });
  const moved = wkt1.replace('["false_easting",3500000]', '["false_easting",3500100]');
  assert.notEqual(moved, wkt1);
  assert.equal(proj.describe(moved, 'x').authority, null);
});

test('WKT comes on one line in three dialects', () => {
  for (const definition of ['EPSG:4326', 'EPSG:28350', 'EPSG:2227', 'EPSG:3857', 'OGC:CRS84']) {
    const { wktEsri, wkt1, wkt2 } = proj.describe(definition, 'x');
    for (const wkt of [wktEsri, wkt1, wkt2]) assert.doesNotMatch(wkt!, /\n/);
    assert.match(wktEsri!, /^(?:GEOGCS|PROJCS)\["[^ ]+"/);
    assert.doesNotMatch(wktEsri!, /AUTHORITY|AXIS|TOWGS84/);
    assert.match(wkt2!, /^(?:GEOGCRS|PROJCRS)\[/);
    assert.equal(proj.transformer(wktEsri!, definition).isIdentity, true, wktEsri!);
    assert.equal(proj.transformer(wkt2!, definition).isIdentity, true, wkt2!);
  }
});

test('equal systems are told apart from similar ones, axis order aside', () => {
  const isIdentity = (a: string, b: string): boolean => proj.transformer(a, b).isIdentity;
  assert.equal(isIdentity(WGS84_PRJ, 'EPSG:4326'), true);
  assert.equal(isIdentity('OGC:CRS84', 'EPSG:4326'), true);
  assert.equal(isIdentity('ESRI:102100', 'EPSG:3857'), true);
  assert.equal(isIdentity('EPSG:31467', proj.describe('EPSG:31467', 'x').wktEsri!), true);
  assert.equal(isIdentity('EPSG:4258', 'EPSG:4326'), false);
  assert.equal(isIdentity('EPSG:4269', 'EPSG:4326'), false);
  assert.equal(isIdentity('EPSG:28350', 'EPSG:7850'), false);
  const coordinates = Float64Array.of(1, 2);
  assert.equal(proj.transformer('OGC:CRS84', 'EPSG:4326').transform(coordinates, 'XY').failedCount, 0);
  assert.deepEqual([...coordinates], [1, 2]);
});

test('a text that is not a CRS is rejected with the reason and the path', () => {
  const refused: [definition: string, reason: RegExp][] = [
    ['EPSG:999999', /has no such CRS/],
    ['EPSG:', /write an EPSG code/],
    ['FOO:1', /has no such CRS/],
    ['EPSG:4326+99999', /has no such CRS/],
    ['', /write an EPSG code/],
    ['hello', /write an EPSG code/],
    ['WGS 84', /write an EPSG code/],
    ['../../etc/passwd', /write an EPSG code/],
    ['GEOGCS["x"', /missing/],
    ['GEOGCS["x",DATUM["y"]]', /ELLIPSOID/],
    ['{', /not valid JSON/],
    ['{"type":"x"}', /type/],
    ['+proj=nonsense', /Unknown projection/],
    ['+proj=utm +zone=99', /zone/],
    ['+proj=pipeline +step +proj=utm +zone=33', /write an EPSG code/],
    ['EPSG:5773', /vertical/],
    ['EPSG:4978', /geocentric/],
    ['+proj=geocent +ellps=bessel +towgs84=1,2,3', /geocentric/],
    ['EPSG:1671', /./],
    [`GEOGCS["${'x'.repeat(200_000)}"]`, /limit is 100000/],
    ['GEOGCS['.repeat(10_000), /nested deeper/],
    [`${'{"a":'.repeat(5_000)}`, /nested deeper/],
    ['PROJCS["a\0b"]', /write an EPSG code/],
  ];
  for (const [definition, reason] of refused) {
    assert.throws(
      () => proj.describe(definition, 'input.epsg'),
      (error) => {
        assert.ok(error instanceof GeomillError, String(error));
        assert.equal(error.code, 'CRS_UNKNOWN');
        assert.deepEqual(error.params.path, { field: 'input.epsg' });
        assert.match(String(error.params.reason), reason);
        return error.message.length < 500;
      },
      definition.slice(0, 40),
    );
  }
});

test('hostile definitions neither crash nor spoil later ones', () => {
  const seeds = [MGA50_PRJ, proj.describe('EPSG:2227', 'x').wkt2!, '+proj=lcc +lat_1=33 +lat_2=45 +lon_0=10'];
  const cut = fc.tuple(fc.constantFrom(...seeds), fc.nat(), fc.nat(), fc.string({ maxLength: 5 }));
  fc.assert(
    fc.property(cut, ([seed, start, length, inserted]) => {
      const at = start % seed.length;
      const broken = seed.slice(0, at) + inserted + seed.slice(at + (length % 20));
      try {
        proj.describe(broken, 'x');
      } catch (error) {
        assert.ok(error instanceof GeomillError && error.code === 'CRS_UNKNOWN', `${broken}: ${error}`);
      }
    }),
    { numRuns: 60, seed: 4 },
  );
  near(transformed('EPSG:4326', 'EPSG:3857', 180, 0), [20037508.342789244, 0], 1e-6);
});

test('two systems without an operation between them are refused with the reason', () => {
  assert.throws(
    () => proj.transformer('ESRI:104903', 'EPSG:4326'), // the Moon
    (error) => error instanceof GeomillError && error.code === 'CRS_NO_OPERATION',
  );
  const engineering = 'LOCAL_CS["site",UNIT["metre",1]]';
  assert.throws(
    () => proj.transformer(engineering, 'EPSG:4326'),
    (error) => error instanceof GeomillError && error.code === 'CRS_NO_OPERATION',
  );
});

test('x is east and y is north whatever the axis order of the definition', () => {
  near(transformed('EPSG:4326', 'EPSG:32633', 15, 0), [500000, 0], 1e-6);
  const [x, y] = transformed('EPSG:4326', 'EPSG:31467', 9, 50); // northing first in the database
  assert.ok(x > 3_400_000 && x < 3_600_000 && y > 5_500_000 && y < 5_600_000, `${x} ${y}`);
});

test('angles are in the unit of the CRS', () => {
  const [x, y] = transformed('EPSG:4326', 'EPSG:4807', 2.337229, 45); // grads from Paris
  near([x, y], [0, 50], 1e-2);
});

test('Z goes along, M stays, and gaps stay gaps', () => {
  // Alice Springs in the example of the GDA2020 Technical Manual (ICSM), with its ellipsoidal height.
  const [lon, lat] = [133 + 53 / 60 + 7.847844 / 3600, -(23 + 40 / 60 + 12.446019 / 3600)];
  const height = Float64Array.of(lon, lat, 603.3466, lon, lat, Number.NaN);
  proj.transformer('EPSG:4939', 'EPSG:7843').transform(height, 'XYZ');
  near([height[1], height[4]], Array(2).fill(-(23 + 40 / 60 + 12.3965 / 3600)), 1e-8);
  near([height[2]], [603.2489], 1e-4);
  assert.ok(Number.isNaN(height[5]), 'a missing Z stays missing');
  const utm = proj.transformer('EPSG:4326', 'EPSG:32633');
  const xym = Float64Array.of(15, 0, 7, 15, 0, Number.NaN);
  utm.transform(xym, 'XYM');
  near([xym[0], xym[1], xym[2]], [500000, 0, 7], 1e-6);
  assert.ok(Number.isNaN(xym[5]));
  const xyzm = Float64Array.of(15, 0, 5, 7, 15, 0, Number.NaN, 8);
  utm.transform(xyzm, 'XYZM');
  near([...xyzm.subarray(0, 6), xyzm[7]], [500000, 0, 5, 7, 500000, 0, 8], 1e-6);
  assert.ok(Number.isNaN(xyzm[6]));
});

test('empty points are left alone', () => {
  const coordinates = Float64Array.of(Number.NaN, Number.NaN, 15, 0, Number.NaN, Number.NaN);
  const outcome = proj.transformer('EPSG:4326', 'EPSG:32633').transform(coordinates, 'XY');
  assert.equal(outcome.failedPosition, -1);
  assert.equal(outcome.outside.either, 0);
  assert.ok(Number.isNaN(coordinates[0]) && Number.isNaN(coordinates[5]));
  near([coordinates[2], coordinates[3]], [500000, 0], 1e-6);
});

test('the first position that cannot be transformed is named and none of the failed is changed', () => {
  const transformer = proj.transformer('EPSG:4326', 'EPSG:3857');
  const coordinates = Float64Array.of(10, 50, 10, 95, 20, 50, 10, -91, Infinity, 0);
  const outcome = transformer.transform(coordinates, 'XY');
  assert.equal(outcome.failedPosition, 1);
  assert.equal(outcome.failedCount, 3);
  assert.deepEqual([outcome.failedX, outcome.failedY], [10, 95]);
  assert.match(outcome.reason, /latitude|coordinate/i);
  assert.deepEqual([...coordinates.subarray(2, 4)], [10, 95]);
  assert.deepEqual([...coordinates.subarray(6)], [10, -91, Infinity, 0]);
  near([...coordinates.subarray(4, 6)], [2226389.815865471, 6446275.841017161], 1e-6);
});

test('a failure far into the data is found, across block boundaries', () => {
  const count = 200_000;
  const coordinates = new Float64Array(count * 3);
  for (let i = 0; i < count; i++) coordinates.set([15 + (i % 100) / 100, 50, i], i * 3);
  coordinates[150_000 * 3] = 105;
  coordinates[150_000 * 3 + 1] = 0;
  const outcome = proj.transformer('EPSG:4326', 'EPSG:32633').transform(coordinates, 'XYZ');
  assert.equal(outcome.failedPosition, 150_000);
  assert.equal(outcome.failedCount, 1);
  assert.equal(outcome.reason, 'Point outside of projection domain');
  assert.equal(coordinates[199_999 * 3 + 2], 199_999);
});

test('poles and the antimeridian have places on suitable maps', () => {
  near(transformed('EPSG:4326', 'EPSG:3413', 0, 90), [0, 0], 1e-6);
  near(transformed('EPSG:4326', 'EPSG:3031', 77, -90), [0, 0], 1e-6);
  near(transformed('EPSG:4326', 'EPSG:3857', -180, 0), [-20037508.342789244, 0], 1e-6);
  const outcome = proj.transformer('EPSG:4326', 'EPSG:3857').transform(Float64Array.of(0, 90), 'XY');
  assert.equal(outcome.outside.either, 1); // finite, but 242 million metres up
});

test('minus zero is zero', () => {
  near(transformed('EPSG:4326', 'EPSG:3857', -0, -0), [0, 0], 1e-8);
});

test('there and back again is where one was', () => {
  // Systems with one operation everywhere: where several share the land, a place at the border may come back by another.
  const pairs = ['EPSG:32633', 'EPSG:3857', 'EPSG:3035', 'EPSG:2180', 'EPSG:4807', 'EPSG:2193'];
  const place = fc.record({
    crs: fc.constantFrom(...pairs),
    longitude: fc.double({ min: 8, max: 20, noNaN: true }),
    latitude: fc.double({ min: 47, max: 54, noNaN: true }),
  });
  fc.assert(
    fc.property(place, ({ crs, longitude, latitude }) => {
      const there = transformed('EPSG:4326', crs, longitude, latitude);
      near(transformed(crs, 'EPSG:4326', ...there), [longitude, latitude], 1e-7);
    }),
    { numRuns: 200 },
  );
});

test('the outcome says which operation was used and what a missing grid would give', () => {
  const pure = proj.transformer('EPSG:4326', 'EPSG:3857');
  assert.equal(pure.operation.accuracyMeters, 0);
  assert.equal(pure.operation.ballpark, false);
  const transformer = proj.transformer('EPSG:4326', 'EPSG:27700');
  const outcome = transformer.transform(Float64Array.of(-2, 52, -3, 55), 'XY');
  assert.equal(outcome.operations.length, 1);
  assert.match(outcome.operations[0].name, /OSGB36 to WGS 84/);
  assert.deepEqual(outcome.operations[0].gridsMissing, ['uk_os_OSTN15_NTv2_OSGBtoETRS.tif']);
  assert.deepEqual(structuredClone(outcome), outcome);
});

test('missing grids are told by place', () => {
  const transformer = proj.transformer('EPSG:4267', 'EPSG:4269');
  const missingAt = (x: number, y: number): readonly string[] =>
    transformer.transform(Float64Array.of(x, y), 'XY').operations[0].gridsMissing;
  assert.deepEqual(missingAt(-100, 40), ['us_noaa_conus.tif']);
  assert.deepEqual(missingAt(-150, 64), ['us_noaa_alaska.tif']);
  assert.deepEqual(missingAt(-106, 52), ['ca_nrc_ntv2_0.tif']);
});

test('each place has its own operation', () => {
  const transformer = proj.transformer('EPSG:4267', 'EPSG:4326');
  const { operations } = transformer.transform(Float64Array.of(-100, 40, -150, 64, -80.2, 25.8), 'XY');
  assert.ok(operations.length >= 2, JSON.stringify(operations));
  const combined = combineOperations(operations);
  assert.ok(combined.name.includes('; '));
  assert.equal(combined.accuracyMeters, Math.max(...operations.map((one) => one.accuracyMeters ?? 0)));
});

test('an operation that ignores the datum is called ballpark', () => {
  const noDatum = '+proj=longlat +ellps=bessel';
  const { operations } = proj.transformer(noDatum, 'EPSG:4326').transform(Float64Array.of(10, 50), 'XY');
  assert.equal(operations[0].ballpark, true);
  assert.equal(operations[0].accuracyMeters, null);
});

test('positions outside the area of use are counted where one side is geographic', () => {
  const toNewZealand = proj.transformer('EPSG:4326', 'EPSG:2193');
  const outcome = toNewZealand.transform(Float64Array.of(170, -40, 10, 50, 174, -41), 'XY');
  assert.equal(outcome.outside.either, 1);
  const fromPerth = proj.transformer('EPSG:28350', 'EPSG:4326');
  assert.equal(fromPerth.transform(Float64Array.of(400_000, 6_500_000, 0, 0), 'XY').outside.either, 1);
  assert.deepEqual(toNewZealand.transform(Float64Array.of(170, -40, 10, 50), 'XY').outside, {
    either: 1,
    source: 0,
    target: 1,
  });
  const metric = proj.transformer('EPSG:28350', 'EPSG:3857'); // neither is geographic: from a sample
  assert.equal(metric.transform(Float64Array.of(400_000, 6_500_000, 0, 0), 'XY').outside.either, 1);
});

test('an area across the antimeridian holds both sides of it', () => {
  const area = { west: 165, south: -50, east: -175, north: -30 };
  assert.equal(isWithin(area, 170, -40), true);
  assert.equal(isWithin(area, -178, -40), true);
  assert.equal(isWithin(area, 182, -40), true);
  assert.equal(isWithin(area, 0, -40), false);
  assert.equal(isWithin(area, 170, -20), false);
  const positions = Float64Array.of(170, -40, 0, 0, 0, 1);
  assert.deepEqual(
    countOutside({ source: null, target: area }, positions, 2, eachPosition(positions, 'XY')),
    {
      either: 2,
      source: 0,
      target: 2,
    },
  );
  // The two that are outside belong to one row.
  const rows = { count: 2, at: (position: number) => Math.min(position, 1) };
  assert.equal(countOutside({ source: null, target: area }, positions, 2, rows).either, 1);
  const { longitude } = middleOf(area, { west: -180, south: -90, east: 180, north: 90 });
  assert.ok(isWithin(area, longitude, -40), String(longitude));
});

test('memory returns after a thousand transformers and descriptions', async () => {
  const context = await ProjContext.load(null);
  const wgs84 = describeCrs(context, 'EPSG:4326', 'x');
  const use = (i: number): void => {
    const definition = `EPSG:${32601 + (i % 60)}`;
    const transformer = new ProjTransformer(context, wgs84, describeCrs(context, definition, 'x'));
    transformer.transform(Float64Array.of(10, 0, 5), 'XYZ');
    transformer.release();
    assert.throws(() => describeCrs(context, `EPSG:${990_000 + i}`, 'x'));
  };
  for (let i = 0; i < 120; i++) use(i); // PROJ's own caches fill
  const before = context.bytes.length;
  for (let i = 0; i < 1000; i++) use(i);
  assert.equal(context.bytes.length, before, 'the module asked for no more memory');
});

test('transformers beyond the number kept ready stay usable', () => {
  const first = proj.transformer('EPSG:4326', 'EPSG:32601');
  for (let zone = 2; zone <= 40; zone++) proj.transformer('EPSG:4326', `EPSG:${32600 + zone}`);
  const coordinates = Float64Array.of(-177, 0);
  assert.equal(first.transform(coordinates, 'XY').failedCount, 0);
  near([...coordinates], [500000, 0], 1e-6);
});

test('PROJ works under the permission model with nothing but packages and sources readable', () => {
  const root = fileURLToPath(new URL('../../../..', import.meta.url));
  const script = `
    const { Proj } = await import(${JSON.stringify(new URL('../src/proj.ts', import.meta.url).href)});
    const proj = await Proj.load({ gridDirectory: null });
    const coordinates = Float64Array.of(15, 0);
    proj.transformer('EPSG:4326', 'EPSG:32633').transform(coordinates, 'XY');
    console.log(Math.round(coordinates[0]));`;
  const allow = ['node_modules', 'packages', 'package.json'].map((name) => `--allow-fs-read=${root}${name}`);
  const args = ['--permission', ...allow, '--input-type=module', '--eval', script];
  assert.equal(execFileSync(process.execPath, args, { encoding: 'utf8', cwd: root }).trim(), '500000');
});
