/** Columns of coordinates in CSV outputs. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { type Converted, convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';

type Feature = { readonly properties: object; readonly geometry: unknown };

const feature = (geometry: unknown, properties: object = { n: 1 }): Feature => ({ properties, geometry });
const point = (...coordinates: number[]): unknown => ({ type: 'Point', coordinates });

interface Written extends Converted {
  readonly text: string;
}

/** Writes features as CSV in `directory`. */
async function write(
  directory: string,
  features: readonly Feature[],
  options: { readonly toCrs?: string; readonly writeOptions?: Record<string, unknown> } = {},
): Promise<Written> {
  const path = join(directory, 'points.geojson');
  const whole = { type: 'FeatureCollection', features: features.map((f) => ({ type: 'Feature', ...f })) };
  writeFileSync(path, JSON.stringify(whole));
  const converted = await convertFile(path, directory, {
    from: 'geojson',
    to: 'csv',
    toCrs: options.toCrs ?? 'EPSG:4326',
    writeOptions: { geometry: 'xy', ...options.writeOptions },
  });
  return { ...converted, text: readFileSync(converted.outputPath, 'utf8') };
}

async function read(path: string, directory: string): Promise<Feature[]> {
  const { outputPath } = await convertFile(path, directory, {
    from: 'csv',
    to: 'geojson',
    outputName: 'again',
  });
  const { features } = JSON.parse(readFileSync(outputPath, 'utf8')) as { features: Feature[] };
  return features.map(({ properties, geometry }) => ({ properties, geometry }));
}

test('writes longitude and latitude, x and y in a projected CRS, and z where features have one', async () => {
  using workspace = makeWorkspace();
  const features = [feature(point(8.5, 47.5)), feature(null)];
  assert.equal((await write(workspace.path, features)).text, 'n,lon,lat\n1,8.5,47.5\n1,,\n');
  const tabs = await write(workspace.path, [feature(point(8.5, 47.5, 400)), ...features], {
    writeOptions: { delimiter: 'tab' },
  });
  assert.equal(tabs.text, 'n\tlon\tlat\tz\n1\t8.5\t47.5\t400\n1\t8.5\t47.5\t\n1\t\t\t\n');
  const projected = await write(workspace.path, [feature(point(9, 0))], { toCrs: 'EPSG:25832' });
  assert.match(projected.text, /^n,x,y\n1,500000,-?[\d.e-]+\n$/);
});

test('writes multi points of one point as points, and empty points as empty cells', async () => {
  using workspace = makeWorkspace();
  const { text, report } = await write(workspace.path, [
    feature({ type: 'MultiPoint', coordinates: [[1, 2]] }),
    feature({ type: 'Point', coordinates: [] }),
  ]);
  assert.equal(text, 'n,lon,lat\n1,1,2\n1,,\n');
  assert.ok(report.warnings.some(({ code }) => code === 'EMPTY_TO_NULL'));
});

test('refuses other geometries whole, with the advice', async () => {
  using workspace = makeWorkspace();
  for (const geometry of [
    {
      type: 'LineString',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    },
    {
      type: 'MultiPoint',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    },
    { type: 'GeometryCollection', geometries: [point(1, 2)] },
  ]) {
    await assert.rejects(
      write(workspace.path, [feature(point(1, 2)), feature(geometry)]),
      (error) =>
        error instanceof GeomillError && error.code === 'CSV_POINTS_ONLY' && /centroid/.test(error.message),
    );
    assert.equal(existsSync(join(workspace.path, 'points.csv')), false);
  }
});

test('renames fields that are called like the coordinates, in any letter case', async () => {
  using workspace = makeWorkspace();
  const { text, report } = await write(workspace.path, [
    feature(point(1, 2), { Lat: 7, lon_1: 8, LON: 9, x: 3 }),
  ]);
  assert.match(text, /^Lat_1,lon_1,LON_2,x,lon,lat\n7,8,9,3,1,2\n$/);
  assert.equal(report.warnings.filter(({ code }) => code === 'FIELD_RENAMED').length, 2);
});

test('what is written as coordinates is read back the same', async () => {
  using workspace = makeWorkspace();
  const number = fc.double({ min: -80, max: 80, noNaN: true }).map((value) => (value === 0 ? 0 : value));
  const position = fc.oneof(fc.tuple(number, number), fc.tuple(number, number, number));
  const geometry = fc.option(
    position.map((coordinates) => point(...coordinates)),
    { freq: 5 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(geometry, fc.integer({ min: 0, max: 1000 })), { minLength: 1, maxLength: 10 }),
      fc.constantFrom('comma', 'semicolon', 'tab', 'pipe'),
      async (rows, delimiter) => {
        const features = rows.map(([geometry, n]) => feature(geometry, { n }));
        const { outputPath } = await write(workspace.path, features, { writeOptions: { delimiter } });
        // The CRS is assumed: the names say longitude and latitude.
        assert.deepEqual(await read(outputPath, workspace.path), features);
      },
    ),
    { numRuns: 40 },
  );
});
