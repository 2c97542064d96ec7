/** Row numbers of a GeoPackage are not data: no output loses anything without them. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { catalogue } from '../../apps/service/src/catalogue.ts';
import { formats } from '../../packages/formats/src/registry.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';

test('row numbers that an output cannot store are a note, and are counted by features', async () => {
  assert.equal(catalogue.findings.IDS_DROPPED.severity, 'info');
  using workspace = makeWorkspace();
  const source = join(workspace.path, 'in.csv');
  const rows = Array.from({ length: 116 }, (_, i) => `${'abc'[i % 3]},${i},${8 + i / 1000},47`);
  writeFileSync(source, `layer,n,lon,lat\n${rows.join('\n')}\n`);
  const made = await convertFile(source, join(workspace.path, 'gpkg'), {
    ...{ from: 'csv', to: 'gpkg', fromCrs: 'EPSG:4326', toCrs: 'EPSG:4326' },
    split: { field: 'layer', into: 'layers' },
  });
  const dropping: string[] = [];
  for (const format of formats.filter(({ loadWriter }) => loadWriter !== null)) {
    const directory = join(workspace.path, `to-${format.id}`);
    const { report } = await convertFile(made.outputPath, directory, {
      ...{ from: 'gpkg', to: format.id, toCrs: 'EPSG:4326', failOn: 'lost' },
    });
    const dropped = report.warnings.filter(({ code }) => code === 'IDS_DROPPED');
    if (dropped.length === 0) continue;
    dropping.push(format.id);
    assert.equal(
      dropped.reduce((sum, { count }) => sum + count, 0),
      116,
      format.id,
    );
  }
  assert.ok(dropping.length >= 5, dropping.join());
});
