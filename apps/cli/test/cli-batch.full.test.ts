/** Several files of a command line are converted each to its own output. Commands run in process. */
import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { gzipSync } from 'node:zlib';
import { readConfig } from '../../service/src/settings/config.ts';
import { run } from '../src/convert.ts';

const samples = join(import.meta.dirname, '../../../samples');
const directory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
test.after(() => rmSync(directory, { recursive: true, force: true }));
const inputs = join(directory, 'in');
mkdirSync(inputs);
copyFileSync(join(samples, 'harbour.geojson'), join(inputs, 'a.geojson'));
copyFileSync(join(samples, 'harbour.gpkg'), join(inputs, 'b.gpkg'));
copyFileSync(join(samples, 'harbour.zip'), join(inputs, 'c.shp.zip'));
writeFileSync(
  join(inputs, 'd.geojsonl.gz'),
  gzipSync('{"type":"Feature","properties":{},"geometry":null}\n'),
);
writeFileSync(join(inputs, 'broken.geojson'), '{"type":"FeatureCollection","features":[');

interface Ended {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command with its output captured. */
async function convert(...argv: string[]): Promise<Ended> {
  const written = { out: '', err: '' };
  const capture = (stream: 'out' | 'err') => (text: string | Uint8Array) => {
    written[stream] += String(text);
    return true;
  };
  const { stdout, stderr } = process;
  const original = [stdout.write, stderr.write] as const;
  stdout.write = capture('out');
  stderr.write = capture('err');
  try {
    return { status: await run(argv, readConfig({})), ...written };
  } finally {
    [stdout.write, stderr.write] = original;
  }
}

const input = (name: string): string => join(inputs, name);
let folders = 0;
const newFolder = (): string => join(directory, `out${folders++}`, 'made');

test('files of several formats become files of the same name in a directory that is made', async () => {
  const folder = newFolder();
  const names = ['a.geojson', 'b.gpkg', 'c.shp.zip', 'd.geojsonl.gz'];
  const { status, err } = await convert(...names.map(input), '--out-dir', folder, '--to', 'geojsonl');
  assert.equal(status, 0, err);
  assert.deepEqual(readdirSync(folder).sort(), ['a.geojsonl', 'b.geojsonl', 'c.geojsonl', 'd.geojsonl']);
  assert.equal(readFileSync(join(folder, 'd.geojsonl'), 'utf8').trim().split('\n').length, 1);
  const lines = err.trim().split('\n');
  assert.equal(lines.length, 5);
  assert.match(lines[0], /a\.geojson -> .*a\.geojsonl: 10 features/);
  assert.equal(lines[4], '4 files converted');
});

test('a file that fails does not stop the others; --json has a report or an error for each', async () => {
  const folder = newFolder();
  const argv = [input('broken.geojson'), input('b.gpkg'), '--out-dir', folder, '--to', 'csv'];
  const { status, err } = await convert(...argv);
  assert.equal(status, 1);
  assert.match(err, /broken\.geojson: GeoJSON byte \d+.*\n.*b\.gpkg -> .*\n1 file converted, 1 failed\n$/);
  assert.deepEqual(readdirSync(folder), ['b.csv']);
  const { out } = await convert(...argv, '--json', '--overwrite');
  const [broken, whole] = JSON.parse(out);
  assert.equal(broken.error.code, 'GEOJSON_SYNTAX');
  assert.equal(whole.report.features.written, 10);
});

test('patterns are expanded in order', async () => {
  const folder = newFolder();
  const { status } = await convert(join(inputs, '[a-b].*'), '--out-dir', folder, '--to', 'shp', '--quiet');
  assert.equal(status, 0);
  assert.deepEqual(readdirSync(folder).sort(), ['a.zip', 'b.zip']);
  await assert.rejects(convert('nothing-*.gpkg', '--out-dir', folder, '--to', 'csv'), /no file matches/);
});

test('neither the report nor an output replaces a file that is read', async () => {
  const folder = newFolder();
  const two = [input('a.geojson'), input('b.gpkg'), '--out-dir', folder, '--to', 'geojson'];
  await assert.rejects(convert(...two, '--report', input('a.geojson'), '--overwrite'), /is the input itself/);
  await assert.rejects(convert(...two, '--report', join(folder, 'b.geojson')), /is the output itself/);
  assert.match(readFileSync(input('a.geojson'), 'utf8'), /^\{/);
  const mask = join(folder, 'a.geojson');
  writeFileSync(mask, '{"type":"Polygon","coordinates":[[[8,53],[9,53],[9,54],[8,54],[8,53]]]}');
  await assert.rejects(convert(...two, '--clip', mask, '--overwrite'), /is the input itself/);
  await assert.rejects(
    convert(input('a.geojson'), mask, '--clip', mask, '--overwrite', '--quiet'),
    /is the input itself/,
  );
});

test('nothing is written if two outputs would be the same, one exists, or the command line is wrong', async () => {
  const folder = newFolder();
  mkdirSync(join(inputs, 'more'));
  copyFileSync(input('b.gpkg'), join(inputs, 'more', 'A.gpkg'));
  const two = [input('a.geojson'), join(inputs, 'more', 'A.gpkg')];
  await assert.rejects(
    convert(...two, '--out-dir', folder, '--to', 'csv'),
    /would both be written to '.*A\.csv'/,
  );
  await assert.rejects(convert(input('a.geojson'), '--out-dir', folder), /add --to FORMAT/);
  await assert.rejects(convert('-', '--out-dir', folder, '--to', 'csv'), /has no name/);
  await assert.rejects(convert('--out-dir', folder, '--to', 'csv'), /takes FILEs, got none/);
  await assert.rejects(
    convert(input('b.gpkg'), '--out-dir', folder, '--to', 'csv', '--out-dimm', '1'),
    /Unknown option/,
  );
  assert.ok(!existsSync(folder));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'b.csv'), 'mine');
  const both = [input('a.geojson'), input('b.gpkg'), '--out-dir', folder, '--to', 'csv'];
  await assert.rejects(convert(...both), /'.*b\.csv' exists; say --overwrite/);
  assert.deepEqual(readdirSync(folder), ['b.csv']);
  await assert.rejects(
    convert(input('a.geojson'), '--out-dir', inputs, '--to', 'geojson', '--overwrite'),
    /is the input itself/,
  );
  await assert.rejects(
    convert(...two, 'x.csv'),
    /to convert several files, add --out-dir DIR and --to FORMAT/,
  );
});

test('files beside a .shp are not replaced unasked, and what is no file is refused', async () => {
  const points = join(directory, 'points.geojson');
  const feature = { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [1, 2] } };
  writeFileSync(points, JSON.stringify({ type: 'FeatureCollection', features: [feature] }));
  const output = join(directory, 'beside.shp');
  const table = join(directory, 'beside.dbf');
  writeFileSync(table, 'precious');
  await assert.rejects(
    convert(points, output),
    /'.*beside\.dbf', which belongs to .*, exists; say --overwrite/,
  );
  assert.equal(readFileSync(table, 'utf8'), 'precious');
  assert.equal((await convert(points, output, '--overwrite')).status, 0);
  for (const extension of ['dbf', 'prj']) {
    const other = join(directory, `blocked-${extension}`);
    mkdirSync(`${other}.${extension}`);
    await assert.rejects(convert(points, `${other}.shp`, '--overwrite'), /is not a regular file/);
    assert.ok(!existsSync(`${other}.shp`));
  }
});

test('a directory that cannot be made is an error of the user', async () => {
  const file = join(inputs, 'a.geojson');
  for (const path of [file, join(file, 'sub')])
    await assert.rejects(convert(file, '--out-dir', path, '--to', 'csv'), { code: 'OUTPUT_NOT_WRITABLE' });
});
