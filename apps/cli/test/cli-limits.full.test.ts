/** The command line holds inputs to the same settings as the service. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ZipWriter } from '../../../packages/io/src/zip-write.ts';
import { ENTRANCE } from '../../../test/support/program.ts';
import { readConfig } from '../../service/src/settings/config.ts';
import { inputLimits } from '../../service/src/settings/input-limits.ts';

const sample = (name: string): string => fileURLToPath(new URL(`../../../samples/${name}`, import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'geomill-limits-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const bomb = join(directory, 'bomb.zip');
const zip = new ZipWriter(bomb);
zip.addMember('bomb.shp', 0).append(new Uint8Array(9 << 20));
await zip.finish();

/** An input for each setting that exceeds it when it is 1. */
const CASES: Readonly<Record<string, string>> = {
  MAX_UNZIPPED: sample('harbour.zip'),
  MAX_UNZIP_RATIO: bomb,
  MAX_ZIP_ENTRIES: sample('harbour.zip'),
  MAX_FEATURES: sample('harbour.geojson'),
  MAX_FEATURE_COORDINATES: sample('harbour.geojson'),
  MAX_FIELDS: sample('harbour.geojson'),
};

function geomill(argv: readonly string[], setting: string): { status: number | null; err: string } {
  const env = { ...process.env, [setting]: '1' };
  const { status, stderr } = spawnSync(process.execPath, [ENTRANCE, ...argv], { env, encoding: 'utf8' });
  return { status, err: stderr };
}

for (const [setting, path] of Object.entries(CASES)) {
  const expected = new RegExp(`the limit is 1 \\(${setting}\\)`);
  test(`geomill convert honours ${setting}`, () => {
    const { status, err } = geomill(['convert', path, join(directory, 'out.csv')], setting);
    assert.match(err, expected);
    assert.equal(status, 1);
  });

  test(`geomill info honours ${setting}`, () => {
    const { status, err } = geomill(['info', path], setting);
    assert.match(err, expected);
    assert.equal(status, 1);
  });
}

test('geomill convert honours MAX_OUTPUT_FACTOR', () => {
  const argv = ['convert', sample('harbour.geojson'), join(directory, 'out.csv'), '--segmentize', '0.0001m'];
  const { status, err } = geomill(argv, 'MAX_OUTPUT_FACTOR');
  assert.match(err, /more than 1 for each \(MAX_OUTPUT_FACTOR\)/);
  assert.equal(status, 1);
});

test('every limit has a case here', () => {
  // Each setting changes one limit, and no limit is left.
  const defaults = inputLimits(readConfig({}));
  const changed = [...Object.keys(CASES), 'MAX_OUTPUT_FACTOR'].map((setting) => {
    const limits = inputLimits(readConfig({ [setting]: '1' }));
    return Object.keys(limits).filter(
      (key) => limits[key as keyof typeof limits] !== defaults[key as keyof typeof limits],
    );
  });
  assert.deepEqual(changed.flat().sort(), Object.keys(defaults).sort());
});
