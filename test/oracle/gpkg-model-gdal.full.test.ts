/** GDAL finds of the data model of a GeoPackage in one that geomill makes of it what it finds in one that ogr2ogr makes. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { withoutGdal } from './gdal-facts.ts';

const SCRIPT = join(import.meta.dirname, 'gpkg_model.py');

function python(...parameters: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('/usr/bin/python3', [SCRIPT, ...parameters], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return stdout;
}

test('a GeoPackage made of one of GDAL has the data model that a copy of ogr2ogr has', {
  skip: withoutGdal,
}, async () => {
  using workspace = makeWorkspace();
  const [input, peer] = ['model', 'peer'].map((name) => join(workspace.path, `${name}.gpkg`));
  python('make', input);
  const copied = spawnSync('ogr2ogr', [peer, input], { encoding: 'utf8' });
  assert.equal(copied.status, 0, copied.stderr);
  const { outputPath, report } = await convertFile(input, workspace.path, {
    from: 'gpkg',
    to: 'gpkg',
    outputName: 'own',
    toCrs: 'EPSG:25832',
  });
  assert.deepEqual(report.warnings, []);
  const [expected, own, again] = JSON.parse(python('facts', peer, outputPath, input)) as readonly unknown[];
  assert.deepEqual(own, expected);
  assert.deepEqual(own, again);
});
