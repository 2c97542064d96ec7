/** A directory for temporary files that cannot be used is named as TMPDIR, and matters only to what needs it. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { gzipSync } from 'node:zlib';
import { runCli } from '../../../test/support/run-cli.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');
const sample = (extension: string): string => join(SAMPLES, `harbour.${extension}`);
const directory = mkdtempSync(join(tmpdir(), 'geomill-tmpdir-'));
test.after(() => rmSync(directory, { recursive: true, force: true }));
const inDirectory = (name: string): string => join(directory, name);
writeFileSync(inDirectory('file'), '');
writeFileSync(inDirectory('packed.geojson.gz'), gzipSync(readFileSync(sample('geojson'))));
writeFileSync(
  inDirectory('job.json'),
  JSON.stringify({ inputs: [{ path: sample('gpkg') }], outputs: [{ path: inDirectory('job.csv') }] }),
);
const MISSING = inDirectory('missing/tmp');
const BAD: readonly (readonly [tmpdir: string, reason: RegExp])[] = [
  [MISSING, /there is no such directory/],
  [inDirectory('file'), /it is not a directory/],
];

test('conversions without temporary files ignore TMPDIR', async () => {
  mkdirSync(inDirectory('out'));
  const cases: readonly (readonly string[])[] = [
    ['convert', sample('geojson'), inDirectory('a.gpkg')],
    ['convert', sample('gpkg'), inDirectory('b.csv')],
    ['convert', sample('csv'), inDirectory('c.zip'), '--to', 'shp', '--from-crs', 'EPSG:25832'],
    [
      'convert',
      sample('gpkg'),
      inDirectory('d.geojson'),
      '--buffer',
      '20m',
      '--union',
      '--to-crs',
      'EPSG:4326',
    ],
    ['convert', sample('gpkg'), '--out-dir', inDirectory('out'), '--to', 'kml'],
    ['run', inDirectory('job.json')],
    ['info', sample('gpkg')],
    ['info', sample('geojson')],
  ];
  for (const [tmp] of BAD)
    for (const argv of cases) {
      const ended = await runCli([...argv, ...(argv[0] === 'info' ? [] : ['--overwrite'])], { TMPDIR: tmp });
      assert.equal(ended.status, 0, `${argv.join(' ')}: ${ended.err}`);
    }
  assert.equal(existsSync(inDirectory('missing')), false, 'a missing directory is not created');
});

test('what needs temporary files says that TMPDIR cannot be used, and why', async () => {
  const cases: readonly (readonly string[])[] = [
    ['convert', sample('gpkg'), '-', '--to', 'csv'],
    ['convert', sample('gpkg'), inDirectory('x.csv.gz')],
    ['convert', inDirectory('packed.geojson.gz'), inDirectory('x.csv')],
    ['convert', sample('zip'), inDirectory('x.csv')],
    ['convert', sample('xlsx'), inDirectory('x.csv'), '--from-crs', 'EPSG:25832'],
    ['info', sample('zip')],
    ['merge', sample('zip'), sample('zip'), '--out', inDirectory('x.csv')],
  ];
  for (const [tmp, reason] of BAD)
    for (const argv of cases) {
      const { status, err } = await runCli(argv, { TMPDIR: tmp });
      assert.equal(status, 2, `${argv.join(' ')}: ${err}`);
      assert.match(
        err,
        /^geomill: invalid setting TMPDIR='.*set TMPDIR to a directory that can be written\n$/,
      );
      assert.match(err, reason);
      assert.equal(existsSync(inDirectory('x.csv')), false);
    }
});
