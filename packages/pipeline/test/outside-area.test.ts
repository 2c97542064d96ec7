/** Which system features lie outside of is told, and how many features, whatever the number of their positions. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';

/** Longitude of the first position of each line; in France, in Germany, in America. */
const lines = (longitudes: readonly number[], positionsEach: number): string =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: longitudes.map((longitude, i) => ({
      type: 'Feature',
      properties: { i },
      geometry: {
        type: 'LineString',
        coordinates: Array.from({ length: positionsEach }, (_, k) => [longitude + k / 1000, 48]),
      },
    })),
  });

async function told(
  text: string,
  name: string,
  crs: { fromCrs?: string; toCrs: string },
): Promise<{ findings: unknown[]; share: number }> {
  using workspace = makeWorkspace();
  const path = join(workspace.path, name);
  writeFileSync(path, text);
  const { report } = await convertFile(path, workspace.path, { from: 'geojson', to: 'gpkg', ...crs });
  const findings = report.warnings
    .filter(({ code }) => code === 'OUTSIDE_AREA_OF_USE')
    .map(({ params, count }) => ({ ...params, count }));
  return { findings, share: report.reprojections[0].outsideAreaOfUse };
}

test('one of four lines of many positions is outside the system of the output', async () => {
  const { findings, share } = await told(lines([9, 10, 11, -90], 500), 'a.geojson', { toCrs: 'EPSG:25832' });
  assert.deepEqual(findings, [{ crs: 'EPSG:25832', share: '25.0 %', count: 1 }]);
  assert.equal(share, 0.25);
});

test('a system of the input that does not fit is the one that is named', async () => {
  const { findings } = await told(lines([9, 10], 3), 'b.geojson', {
    fromCrs: 'EPSG:4269',
    toCrs: 'EPSG:3857',
  });
  assert.deepEqual(findings, [{ crs: 'EPSG:4269', share: '100 %', count: 2 }]);
});

test('two systems that features are outside of are told apart', async () => {
  const { findings } = await told(lines([11, 2], 3), 'c.geojson', {
    fromCrs: 'EPSG:4171',
    toCrs: 'EPSG:25833',
  });
  assert.deepEqual(findings, [
    { crs: 'EPSG:4171', share: '50.0 %', count: 1 },
    { crs: 'EPSG:25833', share: '100 %', count: 2 },
  ]);
});
