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
import { isInputFormat, isOutputFormat } from '../../src/formats/format.ts';
import { formatByFileName, formats } from '../../src/formats/registry.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { recordOf, statedCrs, traitsOf } from '../support/formats.ts';

const PYTHON = '/usr/bin/python3';
const hasGdal = spawnSync(PYTHON, ['-c', 'import osgeo.ogr']).status === 0;
const skip = hasGdal ? false : 'python3-gdal is not installed';

const sameRows = formats.filter(({ id }) => traitsOf(id).gdal?.findsSameRows === true);
const SOURCES = sameRows.filter(isInputFormat).map(({ id }) => id);
const TARGETS = sameRows.filter(isOutputFormat).map(({ id }) => id);
const statesCrs = (id: string): boolean => recordOf(id).inputCrs !== 'request';

interface GdalRow {
  readonly geometry: string | null;
  readonly values: readonly (string | number | null)[];
}
interface GdalLayer {
  readonly fields: readonly { readonly name: string; readonly type: string }[];
  readonly epsg: string | null;
  readonly rows: readonly GdalRow[];
}

function gdalFacts(path: string): GdalLayer {
  const format = formatByFileName(formats, path)?.id ?? '';
  const options = traitsOf(format).gdal?.openOptions ?? [];
  const done = spawnSync(PYTHON, [join(import.meta.dirname, 'gdal_facts.py'), path, ...options], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  assert.equal(done.status, 0, done.stderr);
  const facts = JSON.parse(done.stdout) as { layers: GdalLayer[]; warnings: string[] };
  assert.deepEqual(facts.warnings, [], 'GDAL warns');
  assert.equal(facts.layers.length, 1);
  return facts.layers[0];
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
  return text.replace(/^(\d{4})\/(\d\d)\/(\d\d)/, '$1-$2-$3');
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

async function makeInput(format: string, workspace: string): Promise<string> {
  const geojson = datasetPath('buildings', 2000);
  if (format === 'geojson') return geojson;
  mkdirSync(join(workspace, 'input'), { recursive: true });
  return (await convertFile(geojson, join(workspace, 'input'), { from: 'geojson', to: format })).outputPath;
}

for (const from of SOURCES) {
  for (const to of TARGETS) {
    test(`${from} to ${to}: GDAL reads the same rows from both sides`, { skip }, async () => {
      using workspace = makeWorkspace();
      const input = await makeInput(from, workspace.path);
      const { outputPath, report } = await convertFile(input, workspace.path, {
        from,
        to,
        fromCrs: statedCrs(from),
      });
      assert.equal(report.features.written, 2000);
      const actual = gdalFacts(outputPath);
      assertSameRows(actual, gdalFacts(input), 0);
      if (statesCrs(to)) assert.equal(actual.epsg, '4326');
    });

    test(`${from} to ${to} in EPSG:32632: GDAL reads the same as from ogr2ogr's output`, {
      skip,
    }, async () => {
      using workspace = makeWorkspace();
      const input = await makeInput(from, workspace.path);
      const { outputPath, report } = await convertFile(input, workspace.path, {
        from,
        to,
        fromCrs: statedCrs(from),
        toCrs: 'EPSG:32632',
        writeOptions: to === 'geojson' ? { geojson_crs: 'requested' } : {},
      });
      assert.equal(report.reprojections.length, 1);
      const actual = gdalFacts(outputPath);
      const expected = projectedPeer(workspace.path);
      if (statesCrs(to)) assert.equal(actual.epsg, '32632');
      for (const [i, row] of actual.rows.entries()) {
        assertSamePositions(row.geometry, expected.rows[i].geometry, 1e-4, `row ${i + 1}`);
      }
    });
  }
}

/** The result of ogr2ogr for the data set in EPSG:32632. */
function projectedPeer(workspace: string): GdalLayer {
  const peer = join(workspace, 'peer.gpkg');
  const made = spawnSync('ogr2ogr', ['-t_srs', 'EPSG:32632', peer, datasetPath('buildings', 2000)], {
    encoding: 'utf8',
  });
  assert.equal(made.status, 0, made.stderr);
  return gdalFacts(peer);
}

for (const from of SOURCES) {
  test(`${from} to dxf in EPSG:32632: GDAL reads the same areas as from ogr2ogr's output`, {
    skip,
  }, async () => {
    using workspace = makeWorkspace();
    const input = await makeInput(from, workspace.path);
    const { outputPath, report } = await convertFile(input, workspace.path, {
      from,
      to: 'dxf',
      fromCrs: statedCrs(from),
      toCrs: 'EPSG:32632',
    });
    assert.equal(report.features.written, 2000);
    // A polygon is a fill, which GDAL reads as a polygon with its holes, and an outline.
    const areas = gdalFacts(outputPath).rows.filter(({ geometry }) => geometry?.startsWith('POLYGON'));
    const { rows } = projectedPeer(workspace.path);
    assert.equal(areas.length, rows.length);
    for (const [i, { geometry }] of areas.entries())
      assertSamePositions(geometry, rows[i].geometry, 1e-4, `row ${i + 1}`);
  });
}

for (const to of TARGETS) {
  test(`dxf to ${to}: GDAL reads the rows that were written to the drawing`, { skip }, async () => {
    using workspace = makeWorkspace();
    const geojson = datasetPath('buildings', 2000);
    const there = await convertFile(geojson, workspace.path, {
      from: 'geojson',
      to: 'dxf',
      outputName: 'drawing',
    });
    const { outputPath, report } = await convertFile(there.outputPath, workspace.path, {
      from: 'dxf',
      to,
      fromCrs: 'EPSG:4326',
    });
    assert.equal(report.features.written, 2000);
    const actual = gdalFacts(outputPath);
    assertSameRows(actual, gdalFacts(await makeInput(to, workspace.path)), 0);
    if (statesCrs(to)) assert.equal(actual.epsg, '4326');
  });
}
