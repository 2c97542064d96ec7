/** What an index finds in a box is all that a full scan finds, in files of GDAL, whose boxes are those of the positions alone. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'node:test';
import { inputFormats } from '../../packages/formats/src/registry.ts';
import { checkIndex, manyCases, writeCases } from '../support/box-cases.ts';
import { makeWorkspace } from '../support/convert.ts';

const skip = spawnSync('ogr2ogr', ['--version']).status === 0 ? false : 'ogr2ogr is not installed';

for (const [id, driver, file] of [
  ['gpkg', 'GPKG', 'x.gpkg'],
  ['flatgeobuf', 'FlatGeobuf', 'x.fgb'],
  ['shp', 'ESRI Shapefile', 'x.shp'],
] as const)
  test(`finds in the index of a file of GDAL what a full scan finds: ${id}`, { skip }, async () => {
    using workspace = makeWorkspace();
    const input = join(workspace.path, 'in.geojson');
    const output = join(workspace.path, file);
    const reader = await inputFormats.find((format) => format.id === id)?.loadReader();
    assert.ok(reader !== undefined);
    writeCases(input, manyCases());
    const { status, stderr } = spawnSync('ogr2ogr', ['-f', driver, output, input, '-nlt', 'MULTIPOLYGON'], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    const skipped = await checkIndex(reader, output, workspace.path);
    assert.ok(skipped !== null && skipped > 0);
  });
