/** Positions that cannot be in their CRS: counted, placed, and recognised where x and y are exchanged. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { catalogue } from '../../../apps/service/src/catalogue.ts';
import {
  type ConvertOptions,
  convertFile,
  makeWorkspace,
  requestFor,
} from '../../../test/support/convert.ts';
import { batchOfWkt } from '../../../test/support/wkt-column.ts';
import { WGS84_DESCRIPTION } from '../../core/src/crs/wgs84.ts';
import { type Bounds, positionBounds } from '../../core/src/geometry/bounds.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { checkPositions, positionRangeOf } from '../../pipeline/src/position-range.ts';
import type { ConversionReport } from '../../pipeline/src/report.ts';

type Point = readonly [number, number];

const ACCEPTED = { acceptImpossibleCoordinates: true };
const REFUSED = { acceptImpossibleCoordinates: false };

const csvOf = (points: readonly Point[]): string =>
  `geom_wkt,n\n${points.map(([x, y], i) => `POINT (${x} ${y}),${i}`).join('\n')}\n`;

async function convertPoints(
  points: readonly Point[],
  fromCrs: string,
  options: Partial<ConvertOptions> = {},
): Promise<ConversionReport> {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'points.csv');
  writeFileSync(path, csvOf(points));
  const whole: ConvertOptions = { from: 'csv', to: 'gpkg', fromCrs, toCrs: 'source', ...REFUSED, ...options };
  return (await convertFile(path, workspace.path, whole)).report;
}

const found = ({ warnings }: ConversionReport): object[] =>
  warnings
    .filter(({ code }) => /^COORDINATES|OUTSIDE/.test(code))
    .map(({ code, count, params, places }) => ({
      code,
      count,
      ...params,
      places: places.map(({ record }) => record),
    }));

test('features beyond the limits or outside the area are counted like one position after the other', () => {
  const description = { ...WGS84_DESCRIPTION, areaOfUse: { west: -10, south: 30, east: 40, north: 70 } };
  const ordinate = fc.oneof(
    fc.integer({ min: -400, max: 400 }),
    fc.constantFrom(-10, 40, 30, 70, 90, -90, 360),
  );
  const feature = fc.array(fc.tuple(ordinate, ordinate), { maxLength: 4 });
  fc.assert(
    fc.property(
      fc.array(feature, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      (features, countsOutside) => {
        const area: Bounds = [-10, 30, 40, 70];
        const range = positionRangeOf(description, () => area, countsOutside);
        assert.ok(range !== null);
        const texts = features.map((points) =>
          points.length === 0 ? null : `MULTIPOINT (${points.map(([x, y]) => `${x} ${y}`).join(', ')})`,
        );
        const batch = batchOfWkt(texts);
        const counts = checkPositions(batch, positionBounds(batch.geometry), range);
        const cannotBe = ([x, y]: Point): boolean => Math.abs(x) > 360 || Math.abs(y) > 90;
        const isOutside = ([x, y]: Point): boolean =>
          ![x, x - 360, x + 360].some((lon) => lon >= -10.01 && lon <= 40.01) || y < 29.99 || y > 70.01;
        const impossible = features.flatMap((points, i) => (points.some(cannotBe) ? [i + 1] : []));
        const outside = features.filter((points) => !points.some(cannotBe) && points.some(isOutside));
        assert.equal(counts.impossible, impossible.length);
        assert.equal(counts.outside, countsOutside ? outside.length : 0);
        assert.deepEqual(
          counts.places.map(({ record }) => record),
          impossible.slice(0, 5),
        );
      },
    ),
  );
});

test('a latitude beyond 90 degrees is reported from every format, with share and places', async () => {
  using workspace = makeWorkspace();
  const source = join(workspace.path, 'points.csv');
  writeFileSync(
    source,
    csvOf([
      [9, 48],
      [9, 91],
      [9, 48],
      [361, 48],
    ]),
  );
  const expected = {
    code: 'COORDINATES_OUT_OF_RANGE',
    count: 2,
    crs: 'EPSG:4258',
    share: '50.0 %',
    places: [2, 4],
  };
  for (const format of ['csv', 'shp', 'gpkg', 'dxf', 'geojson']) {
    const directory = join(workspace.path, format);
    const crs = { fromCrs: 'EPSG:4258', toCrs: 'source' };
    const writeOptions = format === 'geojson' ? { geojson_crs: 'requested' } : {};
    const made = await convertFile(source, join(workspace.path, `to-${format}`), {
      from: 'csv',
      to: format,
      ...crs,
      writeOptions,
      ...ACCEPTED,
    });
    const again = { from: format, to: 'csv', ...crs, ...REFUSED };
    await assert.rejects(convertFile(made.outputPath, directory, again), { code: 'COORDINATES_IMPOSSIBLE' });
    const { report } = await convertFile(made.outputPath, directory, {
      ...again,
      ...ACCEPTED,
    });
    assert.deepEqual(
      found(report).filter((finding) => 'code' in finding && finding.code === expected.code),
      [expected],
      format,
    );
  }
});

test('exchanged longitudes and latitudes are recognised by the limits or by the area of use', async () => {
  const swapped = {
    code: 'COORDINATES_SWAPPED',
    count: 1,
    axes: 'longitude and latitude',
    places: [undefined],
  };
  const australia: Point[] = [
    [-31.9, 115.8],
    [-33.8, 151.2],
  ];
  assert.deepEqual(
    found(await convertPoints(australia, 'EPSG:4326', ACCEPTED)).map(
      (finding) => 'code' in finding && finding.code,
    ),
    ['COORDINATES_SWAPPED', 'COORDINATES_OUT_OF_RANGE'],
  );
  // Within the limits either way, but EPSG:4258 is for Europe.
  const europe: Point[] = [
    [48.1, 11.5],
    [52.5, 13.4],
  ];
  assert.deepEqual(found(await convertPoints(europe, 'EPSG:4258')), [
    { ...swapped, crs: 'EPSG:4258' },
    { code: 'OUTSIDE_AREA_OF_USE', count: 2, crs: 'EPSG:4258', share: '100 %', places: [undefined] },
  ]);
  assert.deepEqual(found(await convertPoints(europe, 'EPSG:4326')), []);
  // One of three is in the right order, so exchanging is no repair.
  const mixed = found(await convertPoints([...australia, [115.8, -31.9]], 'EPSG:4326', ACCEPTED));
  assert.deepEqual(mixed, [
    { code: 'COORDINATES_OUT_OF_RANGE', count: 2, crs: 'EPSG:4326', share: '66.7 %', places: [1, 2] },
  ]);
});

test('exchanged eastings and northings are recognised, also where they are reprojected', async () => {
  const points: Point[] = [
    [5330000, 4468000],
    [5331000, 4469000],
  ];
  for (const toCrs of ['source', 'EPSG:25832']) {
    const findings = found(await convertPoints(points, 'EPSG:31468', { toCrs }));
    assert.ok(
      findings.some((finding) => 'axes' in finding && finding.axes === 'x and y'),
      JSON.stringify(findings),
    );
  }
  const right = points.map(([y, x]): Point => [x, y]);
  assert.deepEqual(found(await convertPoints(right, 'EPSG:31468')), []);
});

test('features outside the area of use are counted without a reprojection', async () => {
  const points: Point[] = [
    [450000, 5400000],
    [450000, 1000],
    [451000, 5400000],
    [452000, 5400000],
  ];
  assert.deepEqual(found(await convertPoints(points, 'EPSG:25832')), [
    { code: 'OUTSIDE_AREA_OF_USE', count: 1, crs: 'EPSG:25832', share: '25.0 %', places: [undefined] },
  ]);
});

test('grads have other limits than degrees', async () => {
  // EPSG:4807 counts grads from Paris: the north pole is at 100.
  assert.deepEqual(found(await convertPoints([[0, 54]], 'EPSG:4807')), []);
  const [first] = found(
    await convertPoints(
      [
        [0, 100.1],
        [0, 54],
      ],
      'EPSG:4807',
      ACCEPTED,
    ),
  );
  assert.deepEqual('code' in first && first.code, 'COORDINATES_OUT_OF_RANGE');
});

test('strict makes impossible coordinates an error that names the likely reason', async () => {
  assert.equal(requestFor({ from: 'csv', to: 'csv' }).strict, undefined);
  await assert.rejects(
    convertPoints(
      [
        [48, 11],
        [-31.9, 115.8],
      ],
      'EPSG:4326',
      { strict: true },
    ),
    (error) => {
      assert.ok(error instanceof GeomillError);
      assert.equal(error.code, 'COORDINATE_OUT_OF_RANGE');
      assert.match(
        error.message,
        /feature 2: position \(-31\.9, 115\.8\).*longitude and latitude look swapped/,
      );
      return true;
    },
  );
  await convertPoints([[11, 48]], 'EPSG:4326', { strict: true });
});

test('a position that PROJ rejects because x and y are exchanged is explained', async () => {
  const options = { toCrs: 'EPSG:28350' };
  await assert.rejects(convertPoints([[-31.9, 115.8]], 'EPSG:4326', options), (error) => {
    assert.ok(error instanceof GeomillError);
    assert.equal(error.code, 'COORDINATE_OUTSIDE_DOMAIN');
    assert.match(error.message, /longitude and latitude look swapped/);
    return true;
  });
});

test('impossible positions of more than one feature of a hundred are an error with the way out', async () => {
  const of = (count: number, bad: readonly Point[]): Point[] =>
    Array.from({ length: count }, (_, i) => bad[i] ?? [8 + i / 1000, 47]);
  const projected: Point = [471000, 530000];
  const refused: readonly (readonly [Point[], RegExp])[] = [
    [
      [projected],
      /^100 % of the features of .* have longitudes .* the first at position \(471000, 530000\) of feature 1: state the CRS/,
    ],
    [of(3, [projected, projected, projected]), /^100 %/],
    [of(100, [projected, projected]), /^2\.0 % .*accept_impossible_coordinates' to true/],
    [
      of(4, [
        [-31.9, 115.8],
        [-33.8, 151.2],
        [-33, 150],
        [-35, 149],
      ]),
      /look swapped, so exchange them with the step swap_xy/,
    ],
    [[[0, 90.1]], /EPSG:4326 cannot have/],
    [[[361, 0]], /EPSG:4326 cannot have/],
  ];
  for (const [points, message] of refused) {
    await assert.rejects(convertPoints(points, 'EPSG:4326'), { code: 'COORDINATES_IMPOSSIBLE', message });
    const report = await convertPoints(points, 'EPSG:4326', ACCEPTED);
    const [finding] = report.warnings.filter(({ code }) => code === 'COORDINATES_OUT_OF_RANGE');
    assert.equal(catalogue.findings[finding.code].severity, 'lost');
  }
  for (const points of [
    of(100, [projected]),
    of(1000, [projected, projected]),
    of(2, [
      [360, 90],
      [-360, -90],
    ]),
  ])
    await convertPoints(points, 'EPSG:4326');
  const [few] = found(await convertPoints(of(100, [projected]), 'EPSG:4326'));
  assert.deepEqual(few, {
    ...{ code: 'COORDINATES_OUT_OF_RANGE', count: 1, crs: 'EPSG:4326', share: '1.0 %', places: [1] },
  });
});
