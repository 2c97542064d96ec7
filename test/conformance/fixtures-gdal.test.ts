/** Every fixture becomes every format, and GDAL finds as many features and geometries in the output as geomill read. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { GEOMETRY_TYPE } from '../../src/batch/geometry-column.ts';
import { formats } from '../../src/formats/registry.ts';
import { type Converted, convertFile, makeWorkspace } from '../support/convert.ts';
import { allFixtures, type Fixture } from '../support/fixtures.ts';
import { readFileLayers } from '../support/read-layers.ts';

const PYTHON = '/usr/bin/python3';
const hasGdal = spawnSync(PYTHON, ['-c', 'import osgeo.ogr']).status === 0;
const skip = hasGdal ? false : 'python3-gdal is not installed';

interface Counts {
  readonly features: number;
  readonly geometries: number;
}

function gdalCounts(paths: readonly string[]): Record<string, Counts | null> {
  const done = spawnSync(PYTHON, [join(import.meta.dirname, '../oracle/gdal_counts.py'), ...paths], {
    encoding: 'utf8',
  });
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout) as Record<string, Counts | null>;
}

/** Features, and those of them with a position, as our own reader finds them. */
async function ownCounts({ format, path }: Fixture): Promise<Counts> {
  const record = formats.find(({ id }) => id === format);
  assert.ok(record);
  const { layers } = await readFileLayers(await record.loadReader(), path);
  let features = 0;
  let geometries = 0;
  for (const { batches } of layers) {
    for (const { rowCount, geometry } of batches) {
      features += rowCount;
      const { types, partOffsets, ringOffsets } = geometry;
      for (let row = 0; row < rowCount; row++)
        if (
          types[row] !== GEOMETRY_TYPE.none &&
          ringOffsets[partOffsets[row + 1]] > ringOffsets[partOffsets[row]]
        )
          geometries++;
    }
  }
  return { features, geometries };
}

async function convertAll(fixture: Fixture, workspace: string): Promise<Converted[]> {
  const converted: Converted[] = [];
  for (const { id } of formats) {
    const directory = join(workspace, id);
    mkdirSync(directory);
    converted.push(
      await convertFile(fixture.path, directory, {
        from: fixture.format,
        to: id,
        // What states a CRS states this one.
        fromCrs: 'EPSG:4326',
      }),
    );
  }
  return converted;
}

for (const fixture of allFixtures()) {
  test(`${fixture.format}/${fixture.name} becomes every format, with all features by GDAL's count`, {
    skip,
  }, async () => {
    using workspace = makeWorkspace();
    const own = await ownCounts(fixture);
    const converted = await convertAll(fixture, workspace.path);
    const found = gdalCounts(converted.map(({ outputPath }) => outputPath));
    for (const { outputPath, report } of converted) {
      assert.equal(report.features.written, own.features);
      // A collection of several kinds is a feature in each kind's shapefile.
      const isSplit = report.warnings.some(({ code }) => code === 'COLLECTION_SPLIT');
      const counts = found[outputPath];
      assert.ok(counts, `GDAL opens ${outputPath}`);
      if (isSplit) assert.ok(counts.features > own.features);
      else assert.deepEqual(counts, own, outputPath);
    }
  });
}
