/** Every row of the specification's tables and every numbered rule has its test; docs/specification.md lists them all. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { specificationFiles, specificationTests } from '../../../../../scripts/specification-page.ts';

/** What must not be without a test, by chapter. A row that the specification gains is a word here. */
const ROWS: Readonly<Record<string, readonly string[]>> = {
  Service: ['formats', 'jobs', 'addresses'],
  Job: ['job_id', 'status', 'output_url', 'error'],
  'Config, job API': [
    'input.format',
    'input.epsg',
    'transformations',
    'output.format',
    'output.epsg',
    'output.to_file',
  ],
  'Config, versioned API': [
    'output_format',
    'output_crs',
    'transformations',
    'input_crs',
    'append_crs_mapping',
    'input_crs_mapping',
  ],
  'Transformation object': ['type', 'params'],
  'Parameters per type': ['buffer', 'union', 'clip', 'dissolve', 'reproject', 'erase'],
  'CSV request': [
    'upload',
    'input_format',
    'input_epsg',
    'input_url',
    'output_format',
    'output_crs',
    'csv_options.geometry_column',
    'csv_options.delimiter',
    'csv_options.has_header',
    'csv_options.encoding',
    'transformations',
  ],
  'Job status': ['QUEUED', 'RUNNING', 'SUCCESS', 'FAILED', 'polling'],
  'POST /transform': ['payload', 'response'],
  'GET /result/status/{job_id}': ['response'],
  'GET /result/output/{job_id}': ['response'],
  'Returned file': ['geojson', 'shp', 'dxf', 'gpkg', 'csv', 'inline GeoJSON'],
  'Accepted input_file': ['geojson', 'shp', 'dxf', 'gpkg', 'csv', 'media types'],
  'POST /v1/transform/shp': ['payload', 'response'],
  'POST /v1/transform/geojson': ['request body'],
  'POST /v1/transform/{format}': ['{format}', 'response headers'],
  Append: ['response', 'files'],
  'Append, GeoJSON body': ['append_geojson_list', 'target_geojson', 'output_format and output_crs'],
  'Append, form': ['file', 'files', 'config', 'shp'],
  'Append rules': ['1', '2', '3', 'CRS'],
  Merge: ['response', 'files', 'output'],
  'Merge, GeoJSON body': ['input_geojson_list', 'target_geojson', 'output_format and output_crs'],
  'Merge, form': ['files', 'config', 'input_crs_mapping'],
  'Merge rules': ['1', '2', '3'],
  'Asynchronous mode': ['append', 'merge', 'transform', 'task record', 'task output', 'task id', 'async'],
  'Synchronous mode': ['without async', 'a failed conversion', 'wait limit'],
  Readers: ['geojson', 'shp', 'dxf', 'gpkg', 'csv'],
  'CSV rules': ['1', '2', '3', '4', '5', '6', '7'],
  Writers: ['geojson', 'shp', 'gpkg', 'csv', 'dxf'],
  Reprojection: ['every request', 'output CRS', 'default'],
  Errors: [
    'DXF without input.epsg',
    'Job fails',
    'CSV without the geometry column',
    'CSV with invalid WKT in a row',
    'Shapefile with missing or invalid .prj',
    'GeoPackage with missing or invalid CRS',
    'CSV delimiter mismatch',
    'CSV header mismatch',
    'CSV with the wrong EPSG',
    'body shape',
    'status codes',
  ],
  Limits: ['Shapefile', 'DXF output version', 'upload size', 'retention of outputs'],
  Versioning: ['versioned API', 'job API', 'formats'],
};

const tests = specificationTests();

test('every row of the specification has a test', () => {
  for (const [chapter, rows] of Object.entries(ROWS))
    for (const row of rows)
      assert.ok(
        tests.some((found) => found.chapter === chapter && found.row === row),
        `${chapter} | ${row} has no test`,
      );
});

test('every chapter is run by specification.full.test.ts', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => !name.endsWith('.test.ts'));
  assert.deepEqual(specificationFiles().sort(), files.sort());
});

test('no two tests say the same', () => {
  const titles = tests.map(({ chapter, row, statement }) => `${chapter} | ${row} | ${statement}`);
  assert.equal(new Set(titles).size, titles.length);
});

test('docs/specification.md lists exactly these tests', () => {
  const path = join(import.meta.dirname, '../../../../../docs/specification.md');
  const rows = readFileSync(path, 'utf8').match(/^\| .* \| \[.*\]\(.*\) \|$/gm) ?? [];
  assert.equal(rows.length, tests.length, 'run `npm run docs`');
  for (const { file } of tests)
    assert.ok(
      rows.some((row) => row.includes(`/spec/${file})`)),
      file,
    );
});
