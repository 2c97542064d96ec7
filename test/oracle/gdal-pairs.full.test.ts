/**
 * Compares every pair of formats with GDAL: it reads the same from our output as from the input, field by field and
 * position by position, with and without reprojection (then compared with ogr2ogr).
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { datasetPath } from '../../bench/data.ts';
import { isInputFormat, isOutputFormat } from '../../packages/formats/src/format.ts';
import { formatByFileName, formats } from '../../packages/formats/src/registry.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { inOrder, recordOf, statedCrs, traitsOf } from '../support/formats.ts';
import { type GdalLayer, gdalFacts, withoutGdal } from './gdal-facts.ts';

const skip = withoutGdal;
const FEATURES = 600;

const sameRows = formats.filter(({ id }) => traitsOf(id).gdal?.findsSameRows === true);
const SOURCES = sameRows.filter(isInputFormat).map(({ id }) => id);
const TARGETS = sameRows.filter(isOutputFormat).map(({ id }) => id);
const statesCrs = (id: string): boolean => recordOf(id).inputCrs !== 'request';

async function gdalLayer(path: string): Promise<GdalLayer> {
  const format = formatByFileName(formats, path)?.id ?? '';
  const { layers, warnings } = await gdalFacts(path, traitsOf(format).gdal?.openOptions);
  assert.deepEqual(warnings, [], 'GDAL warns');
  assert.equal(layers.length, 1);
  return layers[0];
}

/** Numbers of a WKT, with rings starting at their least position: writers may rotate rings. */
function positionsOf(wkt: string | null): number[][] {
  if (wkt === null) return [];
  const positions = wkt
    .replace(/[A-Z]+/g, '')
    .replace(/[()]/g, '')
    .split(',')
    .map((text) => text.trim().split(/\s+/).map(Number));
  return positions.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

function assertSamePositions(
  actual: string | null,
  expected: string | null,
  tolerance: number,
  message: string,
): void {
  const a = positionsOf(actual);
  // A ring that begins at another position repeats another one at its end, so the sets of distinct positions are
  // compared.
  const b = positionsOf(expected);
  assert.equal(a.length, b.length, `${message}: ${actual} for ${expected}`);
  for (const [i, position] of a.entries()) {
    for (const [k, ordinate] of position.entries()) {
      assert.ok(Math.abs(ordinate - b[i][k]) <= tolerance, `${message}: ${ordinate} for ${b[i][k]}`);
    }
  }
}

/** The meaning of booleans and dates, which look different in each format. */
function meaning(value: string | number | null): string | null {
  if (value === null) return null;
  const text = String(value);
  // GDAL before 3.7 reads the logical fields of a .dbf as text, including their null.
  if (/^(true|T|1)$/.test(text)) return '1';
  if (/^(false|F|0)$/.test(text)) return '0';
  // A date where there are only dates with a time.
  return text.replace(/^(\d{4})[/-](\d\d)[/-](\d\d)(?: 00:00:00$)?/, '$1-$2-$3');
}

function assertSameRows(actual: GdalLayer, expected: GdalLayer, tolerance: number): void {
  assert.equal(actual.rows.length, expected.rows.length);
  assert.deepEqual(
    actual.fields.map(({ name }) => name),
    expected.fields.map(({ name }) => name),
  );
  for (const [i, row] of actual.rows.entries()) {
    const wanted = expected.rows[i];
    assert.deepEqual(row.values.map(meaning), wanted.values.map(meaning), `row ${i + 1}`);
    assertSamePositions(row.geometry, wanted.geometry, tolerance, `row ${i + 1}`);
  }
}

const shared = makeWorkspace();
test.after(() => shared[Symbol.dispose]());

interface Input {
  readonly path: string;
  readonly facts: GdalLayer;
}
const inputs = new Map<string, Promise<Input>>();

/** The data set in a format, made and read by GDAL once. */
function inputOf(format: string): Promise<Input> {
  const known = inputs.get(format) ?? makeInput(format);
  inputs.set(format, known);
  return known;
}

async function makeInput(format: string): Promise<Input> {
  let path = datasetPath('buildings', FEATURES);
  if (format !== 'geojson') {
    const directory = join(shared.path, format);
    mkdirSync(directory);
    const options = { from: 'geojson', to: format, writeOptions: inOrder(format) };
    path = (await convertFile(path, directory, options)).outputPath;
  }
  return { path, facts: await gdalLayer(path) };
}

let peer: Promise<GdalLayer> | null = null;

/** The result of ogr2ogr for the data set in EPSG:32632. */
function projectedPeer(): Promise<GdalLayer> {
  peer ??= (async () => {
    const path = join(shared.path, 'peer.gpkg');
    const argv = ['-t_srs', 'EPSG:32632', path, datasetPath('buildings', FEATURES)];
    const made = spawnSync('ogr2ogr', argv, { encoding: 'utf8' });
    assert.equal(made.status, 0, made.stderr);
    return gdalLayer(path);
  })();
  return peer;
}

for (const from of SOURCES) {
  for (const to of TARGETS) {
    test(`${from} to ${to}: GDAL reads the same rows from both sides`, { skip }, async () => {
      using workspace = makeWorkspace();
      const input = await inputOf(from);
      const { outputPath, report } = await convertFile(input.path, workspace.path, {
        from,
        to,
        fromCrs: statedCrs(from),
        writeOptions: inOrder(to),
      });
      assert.equal(report.features.written, FEATURES);
      const actual = await gdalLayer(outputPath);
      assertSameRows(actual, input.facts, 0);
      if (statesCrs(to)) assert.equal(actual.epsg, '4326');
    });

    test(`${from} to ${to} in EPSG:32632: GDAL reads the same as from ogr2ogr's output`, {
      skip,
    }, async () => {
      using workspace = makeWorkspace();
      const input = await inputOf(from);
      const { outputPath, report } = await convertFile(input.path, workspace.path, {
        from,
        to,
        fromCrs: statedCrs(from),
        toCrs: 'EPSG:32632',
        writeOptions: to === 'geojson' ? { geojson_crs: 'requested' } : inOrder(to),
      });
      assert.equal(report.reprojections.length, 1);
      const actual = await gdalLayer(outputPath);
      const expected = await projectedPeer();
      if (statesCrs(to)) assert.equal(actual.epsg, '32632');
      for (const [i, row] of actual.rows.entries()) {
        assertSamePositions(row.geometry, expected.rows[i].geometry, 1e-4, `row ${i + 1}`);
      }
    });
  }
}

for (const from of SOURCES) {
  test(`${from} to dxf in EPSG:32632: GDAL reads the same areas as from ogr2ogr's output`, {
    skip,
  }, async () => {
    using workspace = makeWorkspace();
    const input = await inputOf(from);
    const { outputPath, report } = await convertFile(input.path, workspace.path, {
      from,
      to: 'dxf',
      fromCrs: statedCrs(from),
      toCrs: 'EPSG:32632',
    });
    assert.equal(report.features.written, FEATURES);
    // A polygon is a fill, which GDAL reads as a polygon with its holes, and an outline.
    const areas = (await gdalLayer(outputPath)).rows.filter(({ geometry }) =>
      geometry?.startsWith('POLYGON'),
    );
    const { rows } = await projectedPeer();
    assert.equal(areas.length, rows.length);
    for (const [i, { geometry }] of areas.entries())
      assertSamePositions(geometry, rows[i].geometry, 1e-4, `row ${i + 1}`);
  });
}

for (const to of TARGETS) {
  test(`dxf to ${to}: GDAL reads the rows that were written to the drawing`, { skip }, async () => {
    using workspace = makeWorkspace();
    const geojson = datasetPath('buildings', FEATURES);
    const there = await convertFile(geojson, workspace.path, {
      from: 'geojson',
      to: 'dxf',
      outputName: 'drawing',
    });
    const { outputPath, report } = await convertFile(there.outputPath, workspace.path, {
      from: 'dxf',
      to,
      fromCrs: 'EPSG:4326',
      writeOptions: inOrder(to),
    });
    assert.equal(report.features.written, FEATURES);
    const actual = await gdalLayer(outputPath);
    assertSameRows(actual, (await inputOf(to)).facts, 0);
    if (statesCrs(to)) assert.equal(actual.epsg, '4326');
  });
}
