/** Rounded coordinates: how far they move, and what is reported of it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { run as convert } from '../../../apps/cli/src/convert.ts';
import { readConfig } from '../../../apps/service/src/settings/config.ts';
import { type ConvertOptions, convertFile, makeWorkspace } from '../../../test/support/convert.ts';

const POINTS = 'n,geom_wkt\n1,POINT Z (450000.123456 5400000.654321 12.3456789)\n';

async function convertPoints(
  options: Partial<ConvertOptions>,
): Promise<{ text: string; rounded: readonly string[]; codes: readonly string[] }> {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'points.csv');
  writeFileSync(path, POINTS);
  const crs = { fromCrs: 'EPSG:25832', toCrs: 'source' };
  const { outputPath, report } = await convertFile(path, workspace.path, {
    from: 'csv',
    to: 'csv',
    ...crs,
    ...options,
  });
  const rounded = report.warnings.filter(({ code }) => code === 'COORDINATES_ROUNDED');
  return {
    text: readFileSync(outputPath, 'utf8'),
    rounded: rounded.map(({ params }) => `${params.decimals}: ${params.displacement}`),
    codes: report.warnings.map(({ code }) => code),
  };
}

test('decimals count in the unit of the axis; rounding by more than 1 cm is reported', async () => {
  for (const [writeOptions, position, displacement] of [
    [{}, '450000.123456 5400000.654321 12.3456789', []],
    [{ decimals: 3 }, '450000.123 5400000.654 12.346', []],
    [{ decimals: 2 }, '450000.12 5400000.65 12.35', []],
    [{ decimals: 1 }, '450000.1 5400000.7 12.3', ['1: 0.051']],
    [{ decimals: 0 }, '450000 5400001 12', ['0: 0.37']],
    [{ significant_digits: 7 }, '450000.1 5400001 12.34568', ['0: 0.35']],
    [{ precision: 9 }, '450000.123 5400000.65 12.3456789', []],
  ] as const) {
    const { text, rounded } = await convertPoints({ writeOptions });
    assert.equal(text, POINTS.replace(/\(.*\)/, `(${position})`));
    assert.deepEqual(rounded, displacement);
  }
});

test('computed degrees have seven decimals, heights all digits', async () => {
  const toCrs = 'EPSG:4326';
  for (const to of ['csv', 'geojson']) {
    const { text, rounded } = await convertPoints({ to, toCrs });
    assert.match(text, /\b8\.3\d{1,6}[ ,]48\.7\d{1,6}[ ,]12\.3456789/, to);
    assert.deepEqual(rounded, []);
  }
  const { rounded } = await convertPoints({ to: 'geojson', toCrs, writeOptions: { decimals: 5 } });
  assert.match(rounded.join(), /^5: 0\.\d+$/);
});

test('a drawing is rounded to decimals, too', async () => {
  const { text, rounded } = await convertPoints({ to: 'dxf', writeOptions: { decimals: 1 } });
  assert.match(
    text,
    /\n 10\n450000\.1\n 20\n5400000\.7\n 30\n12\.3\n|\n10\n450000\.1\n20\n5400000\.7\n30\n12\.3\n/,
  );
  assert.deepEqual(rounded, ['1: 0.051']);
});

test('--decimals rounds as ogr2ogr does with COORDINATE_PRECISION', {
  skip: spawnSync('ogr2ogr', ['--version']).status === 0 ? false : 'ogr2ogr is not installed',
}, async () => {
  using workspace = makeWorkspace();
  const [source, ours, peer] = ['in.csv', 'ours.geojson', 'peer.geojson'].map((name) =>
    join(workspace.path, name),
  );
  writeFileSync(source, POINTS);
  assert.equal(
    await convert([source, ours, '--from-crs', 'EPSG:25832', '--decimals', '6', '--quiet'], readConfig({})),
    0,
  );
  const argv = ['-s_srs', 'EPSG:25832', '-t_srs', 'EPSG:4326', '-oo', 'GEOM_POSSIBLE_NAMES=geom_wkt'];
  const made = spawnSync('ogr2ogr', [...argv, '-lco', 'COORDINATE_PRECISION=6', peer, source], {
    encoding: 'utf8',
  });
  assert.equal(made.status, 0, made.stderr);
  const positionIn = (path: string): number[] =>
    JSON.parse(readFileSync(path, 'utf8')).features[0].geometry.coordinates.slice(0, 2);
  assert.deepEqual(positionIn(ours), positionIn(peer));
});
