/** Filters by a box read only what an index says is near the box, and keep the same features as without it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { zipSync } from 'fflate';
import { type ConvertOptions, convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import {
  MANY,
  PAD,
  positionOf,
  writeGeojson,
  writeLines,
  writeShapefile,
} from '../../../test/support/large-files.ts';
import { readPageLayout } from '../../engines/sqlite/src/database-pages.ts';
import { measureTable } from '../../engines/sqlite/src/table-pages.ts';
import { transformations } from '../src/registry.ts';
import { parseSteps } from '../src/requested-steps.ts';

type Box = readonly [number, number, number, number];

const stepsOf = (...steps: readonly object[]) => parseSteps(steps, 'transformations', transformations);
const near = (bbox: Box) => ({ type: 'filter', bbox });
const BOX: Box = [3, 0.2, 4.5, 0.72];

async function convert(path: string, options: Partial<ConvertOptions> & Pick<ConvertOptions, 'from'>) {
  using workspace = makeWorkspace();
  const { report, outputPath } = await convertFile(path, workspace.path, { to: 'geojson', ...options });
  const { features } = JSON.parse(readFileSync(outputPath, 'utf8')) as {
    readonly features: readonly { readonly properties: { readonly n: number; readonly _row?: number } }[];
  };
  const codes = report.warnings.map(({ code }) => code);
  return { report, codes, features, numbers: features.map(({ properties }) => properties.n) };
}

/** The values of `n` that ogr2ogr keeps; null: it is not installed. */
function numbersOfGdal(path: string, box: Box): number[] | null {
  if (spawnSync('ogr2ogr', ['--version']).status !== 0) return null;
  const argv = ['-f', 'CSV', '/vsistdout/', path, '-spat', ...box.map(String), '-select', 'n'];
  const { stdout, stderr } = spawnSync('ogr2ogr', argv, { encoding: 'utf8', maxBuffer: 1 << 28 });
  assert.match(stdout, /^n,/, stderr);
  // In the order of the index.
  return Array.from(stdout.matchAll(/\d+/g), Number).sort((a, b) => a - b);
}

/** Squares, whose bounds are their shape, so that every program means the same by a box. */
function writeSquares(path: string): void {
  const line = (i: number): string => {
    const [x, y] = positionOf(i);
    const corners = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]; // biome-ignore format: one line
    const ring = corners.map(([a, b]) => [x + a * 0.006, y + b * 0.06]);
    const geometry = JSON.stringify({ type: 'Polygon', coordinates: [ring] });
    return `{"type":"Feature","properties":{"n":${i},"pad":"${PAD}"},"geometry":${geometry}}`;
  };
  writeLines(path, '{"type":"FeatureCollection","features":[\n', line, ',\n', '\n]}');
}

async function squaresAsGpkg(directory: string, toCrs: string): Promise<string> {
  const path = join(directory, 'in.geojson');
  writeSquares(path);
  const options = { from: 'geojson', to: 'gpkg', toCrs, layerName: 'squares' } as const;
  return (await convertFile(path, directory, options)).outputPath;
}

test('of a large GeoPackage only the rows near the box are read, and they are those that GDAL keeps', async () => {
  using workspace = makeWorkspace();
  const path = await squaresAsGpkg(workspace.path, 'EPSG:4326');
  const result = await convert(path, { from: 'gpkg', transformations: stepsOf(near(BOX)) });
  assert.ok(result.numbers.length > 500, `${result.numbers.length}`);
  assert.deepEqual(result.numbers, numbersOfGdal(path, BOX) ?? result.numbers);
  const [{ features: read, featureTotal }] = result.report.input.layers;
  assert.ok(read < MANY / 10, `${read} were read`);
  assert.equal(featureTotal, MANY);
  assert.ok(result.codes.includes('READ_NEAR_BOX'));
  const [step] = result.report.steps ?? [];
  assert.deepEqual([step.featuresIn, step.featuresOut], [read, result.numbers.length]);

  const sample = { type: 'sample', count: 300, row_field: '_row' };
  const sampled = await convert(path, { from: 'gpkg', transformations: stepsOf(near(BOX), sample) });
  assert.equal(sampled.numbers.length, 300);
  for (const { properties } of sampled.features) {
    assert.equal(properties._row, properties.n + 1);
    assert.ok(result.numbers.includes(properties.n));
  }
  const all = { type: 'sample', count: result.numbers.length };
  const whole = await convert(path, { from: 'gpkg', transformations: stepsOf(near(BOX), all) });
  assert.deepEqual(whole.numbers, result.numbers);

  const nothing = await convert(path, { from: 'gpkg', transformations: stepsOf(near([50, 50, 51, 51])) });
  assert.deepEqual([nothing.numbers, nothing.report.features.read], [[], 0]);
});

test('an index that may lack rows is not used, and one that is damaged neither', async () => {
  using workspace = makeWorkspace();
  const path = await squaresAsGpkg(workspace.path, 'EPSG:25832');
  const expected = await convert(path, { from: 'gpkg', transformations: stepsOf(near(BOX)) });
  assert.ok(expected.codes.includes('READ_NEAR_BOX'), 'in longitude and latitude, of projected data');
  const rtree = 'rtree_squares_geom';
  const changes = {
    'no trigger for new rows': `DROP TRIGGER ${rtree}_insert`,
    'an entry is missing': `DELETE FROM ${rtree} WHERE id = 3000`,
    'no root': `DELETE FROM ${rtree}_node WHERE nodeno = 1`,
    'short nodes': `UPDATE ${rtree}_node SET data = zeroblob(3) WHERE nodeno > 1`,
    'too many cells': `UPDATE ${rtree}_node SET data = unhex('0000ffff') WHERE nodeno > 1`,
    'a node is its own child': `UPDATE ${rtree}_node SET data = (SELECT data FROM ${rtree}_node WHERE nodeno = 1)`,
  };
  for (const [name, sql] of Object.entries(changes)) {
    const changed = join(workspace.path, 'changed.gpkg');
    copyFileSync(path, changed);
    const database = new DatabaseSync(changed, { defensive: false });
    database.exec(sql);
    database.close();
    const result = await convert(changed, { from: 'gpkg', transformations: stepsOf(near(BOX)) });
    assert.ok(!result.codes.includes('READ_NEAR_BOX'), name);
    assert.equal(result.report.features.read, MANY, name);
    assert.deepEqual(result.numbers, expected.numbers, name);
  }
});

test('with gaps between the keys, the rows are counted; a page near the box that lacks a row is noticed', async () => {
  using workspace = makeWorkspace();
  const path = await squaresAsGpkg(workspace.path, 'EPSG:4326');
  const all = await convert(path, { from: 'gpkg', transformations: stepsOf(near(BOX)) });
  const database = new DatabaseSync(path);
  for (const name of ['IsEmpty', 'MinX', 'MaxX', 'MinY', 'MaxY'])
    database.function(`ST_${name}`, { varargs: true }, () => 0);
  database.exec('DELETE FROM squares WHERE n % 3 = 0');
  database.close();
  const left = await convert(path, { from: 'gpkg', transformations: stepsOf(near(BOX)) });
  assert.deepEqual(
    left.numbers,
    all.numbers.filter((n) => n % 3 !== 0),
  );
  assert.ok(left.codes.includes('READ_NEAR_BOX'));

  takeRowFromPage(path, new Set(left.numbers.map((n) => BigInt(n + 1))));
  await assert.rejects(convert(path, { from: 'gpkg', transformations: stepsOf(near(BOX)) }), {
    code: 'DATABASE_DAMAGED',
  });
});

/** Makes a page lose its last row, which has one of the keys, by the count of its cells. */
function takeRowFromPage(path: string, keys: ReadonlySet<bigint>): void {
  const database = new DatabaseSync(path);
  const { page } = database
    .prepare("SELECT rootpage AS page FROM sqlite_schema WHERE name = 'squares'")
    .get() as {
    page: number;
  };
  database.close();
  const layout = readPageLayout(path);
  const measures = layout === null ? null : measureTable(path, layout, page);
  assert.ok(measures !== null);
  const { pages, lastKeys } = measures;
  const leaf = lastKeys.findIndex((last) => keys.has(last));
  const bytes = readFileSync(path);
  const at = (pages.leaves[leaf] - 1) * pages.pageBytes;
  bytes.writeUInt16BE(bytes.readUInt16BE(at + 3) - 1, at + 3);
  writeFileSync(path, bytes);
}

test('of a large FlatGeobuf only the features near the box are read, and they are those that GDAL keeps', async () => {
  using workspace = makeWorkspace();
  const geojson = join(workspace.path, 'in.geojson');
  writeSquares(geojson);
  const { outputPath: path } = await convertFile(geojson, workspace.path, {
    from: 'geojson',
    to: 'flatgeobuf',
  });
  const result = await convert(path, { from: 'flatgeobuf', transformations: stepsOf(near(BOX)) });
  assert.ok(result.numbers.length > 500, `${result.numbers.length}`);
  const ascending = result.numbers.toSorted((a, b) => a - b);
  assert.deepEqual(ascending, numbersOfGdal(path, BOX) ?? ascending);
  const [{ features: read, featureTotal }] = result.report.input.layers;
  assert.ok(read < MANY / 10, `${read} were read`);
  assert.equal(featureTotal, MANY);
  assert.ok(result.codes.includes('READ_NEAR_BOX'));
  const nothing = await convert(path, {
    from: 'flatgeobuf',
    transformations: stepsOf(near([50, 50, 51, 51])),
  });
  assert.deepEqual([nothing.numbers, nothing.report.features.read], [[], 0]);
  const sample = { type: 'sample', count: 300 };
  const sampled = await convert(path, { from: 'flatgeobuf', transformations: stepsOf(near(BOX), sample) });
  assert.equal(sampled.numbers.filter((n) => ascending.includes(n)).length, 300);
});

test('pages near the box are joined, or read in their ranges if they are divided among partitions', async () => {
  using workspace = makeWorkspace();
  const path = await squaresAsGpkg(workspace.path, 'EPSG:4326');
  const expected = await convert(path, { from: 'gpkg', transformations: stepsOf(near(BOX)) });
  // A row of several pages is a partition of its own.
  const wide = new DatabaseSync(path);
  // The triggers name them; a change of a text calls none.
  for (const name of ['IsEmpty', 'MinX', 'MaxX', 'MinY', 'MaxY'])
    wide.function(`ST_${name}`, { varargs: true }, () => 0);
  const [{ fid }] = wide.prepare('SELECT fid FROM squares WHERE n = ?').all(expected.numbers[0]) as {
    fid: number;
  }[];
  wide.exec(`UPDATE squares SET pad = '${'y'.repeat(5_000_000)}' WHERE fid = ${fid}`);
  wide.close();
  const withLong = await convert(path, { from: 'gpkg', transformations: stepsOf(near(BOX)) });
  assert.deepEqual(withLong.numbers, expected.numbers);
  assert.ok(withLong.report.features.read <= expected.report.features.read);
  const divided = new DatabaseSync(path);
  divided.exec('PRAGMA page_size = 65536; VACUUM');
  divided.close();
  const result = await convert(path, { from: 'gpkg', transformations: stepsOf(near(BOX)) });
  assert.deepEqual(result.numbers, expected.numbers);
  assert.ok(result.codes.includes('READ_NEAR_BOX'));
});

test('of a large shapefile only the parts near the box are read, also in a zip without compression', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.shp');
  const count = 2_600_000;
  writeShapefile(path, count, (i) => i / 20_000);
  const box: Box = [10, 0, 10.5, 2];
  const options = { from: 'shp', fromCrs: 'EPSG:4326', transformations: stepsOf(near(box)) } as const;
  const expected = Array.from({ length: 10_001 }, (_, i) => 200_000 + i).filter((n) => n % 7 !== 3);
  const loose = await convert(path, options);
  assert.deepEqual(loose.numbers, expected);
  assert.ok(loose.report.features.read < 20_000);
  const [{ featureTotal }] = loose.report.input.layers;
  assert.equal(featureTotal, count - Math.floor((count + 3) / 7));
  const known = numbersOfGdal(path, box);
  if (known !== null) assert.deepEqual(loose.numbers, known);

  const zip = join(workspace.path, 'stored.zip');
  const parts = ['.shp', '.shx', '.dbf'].map((ending) => [
    `in${ending}`,
    readFileSync(path.replace('.shp', ending)),
  ]);
  writeFileSync(zip, zipSync(Object.fromEntries(parts) as Record<string, Uint8Array>, { level: 0 }));
  const stored = await convert(zip, options);
  assert.deepEqual(stored.numbers, expected);
  assert.equal(stored.report.features.read, loose.report.features.read);
});

test('a sample of what is in a box is taken from parts of a GeoJSON file, unless these have too few features', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  writeGeojson(path);
  const sampleOf = (box: Box, count: number) =>
    convert(path, { from: 'geojson', transformations: stepsOf(near(box), { type: 'sample', count }) });
  const inBox = ([west, south, east, north]: Box): number[] =>
    Array.from({ length: MANY }, (_, i) => i).filter((i) => {
      const [x, y] = positionOf(i);
      return x >= west && x <= east && y >= south && y <= north;
    });
  const large: Box = [0, 0, 20, 5];
  const sampled = await sampleOf(large, 500);
  assert.equal(sampled.numbers.length, 500);
  assert.ok(sampled.report.features.read < MANY / 2);
  assert.ok(sampled.codes.includes('SAMPLED_FROM_PARTS'));
  const all = new Set(inBox(large));
  assert.ok(sampled.numbers.every((n) => all.has(n)));

  const small: Box = [3, 0.1, 3.2, 0.3];
  const complete = await sampleOf(small, 500);
  assert.deepEqual(complete.numbers, inBox(small));
  assert.deepEqual(complete.numbers, numbersOfGdal(path, small) ?? complete.numbers);
  assert.equal(complete.report.features.read, MANY);
});
