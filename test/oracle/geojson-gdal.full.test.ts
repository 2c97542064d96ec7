/** GDAL reads what the GeoJSON writer writes as it reads the source: same ids, types, values, positions. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../support/convert.ts';

const PYTHON = '/usr/bin/python3';
const hasGdal = spawnSync(PYTHON, ['-c', 'import osgeo.ogr']).status === 0;
const skip = hasGdal ? false : 'python3-gdal is not installed';
const FIXTURES = join(import.meta.dirname, '../fixtures/geojson');

interface Facts {
  readonly layers: readonly {
    readonly fields: readonly { readonly name: string; readonly type: string; readonly subtype: number }[];
    readonly epsg: string | null;
    readonly rows: readonly { readonly geometry: string | null; readonly values: readonly unknown[] }[];
  }[];
  readonly warnings: readonly string[];
}

function gdalFacts(path: string): Facts {
  const script = join(import.meta.dirname, 'gdal_facts.py');
  const done = spawnSync(PYTHON, [script, path], { encoding: 'utf8', maxBuffer: 1 << 28 });
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout) as Facts;
}

/** Values by field name: GDAL orders fields as it meets them, and the writer gives every feature all of them. */
function rowsByName({ layers }: Facts): unknown[] {
  const [{ fields, rows }] = layers;
  return rows.map(({ geometry, values }) => ({
    geometry,
    values: Object.fromEntries(fields.map(({ name }, i) => [name, values[i]])),
  }));
}

for (const name of ['types.geojson', 'order.geojson', 'geometries.geojson'])
  test(`GDAL reads the same from the output as from ${name}`, { skip }, async () => {
    using workspace = makeWorkspace();
    const path = join(FIXTURES, name);
    const { outputPath } = await convertFile(path, workspace.path, {
      from: 'geojson',
      to: 'geojson',
      fromCrs: 'EPSG:4326',
    });
    const source = gdalFacts(path);
    const output = gdalFacts(outputPath);
    assert.deepEqual(output.warnings, name === 'types.geojson' ? source.warnings : []);
    assert.equal(output.layers[0].epsg, '4326');
    const types = ({ layers }: Facts): unknown =>
      Object.fromEntries(layers[0].fields.map(({ name, type, subtype }) => [name, [type, subtype]]));
    assert.deepEqual(types(output), types(source));
    if (name !== 'geometries.geojson') assert.deepEqual(rowsByName(output), rowsByName(source));
    const ids = (file: string): unknown[] =>
      (JSON.parse(readFileSync(file, 'utf8')) as { features: { id?: unknown }[] }).features.map(
        ({ id }) => id,
      );
    assert.deepEqual(ids(outputPath), ids(path));
  });
