/** `convert --split-by FIELD`, and job documents with `split_by`. Commands run in process, but for those with few open files. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
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
import { inputFormatById } from '../../../packages/formats/src/format-by-id.ts';
import { ENTRANCE } from '../../../test/support/program.ts';
import { readFileLayers } from '../../../test/support/read-layers.ts';
import { readZipMembers } from '../../../test/support/zip-members.ts';
import { readConfig } from '../../service/src/settings/config.ts';
import { run } from '../src/convert.ts';
import { run as runDocument } from '../src/run.ts';

const sample = join(import.meta.dirname, '../../../samples/harbour.gpkg');
const directory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
test.after(() => rmSync(directory, { recursive: true, force: true }));
const pathOf = (name: string): string => join(directory, name);

/** Runs the command, which must succeed; resolves with its report. */
async function convert(...argv: string[]): Promise<Report> {
  const report = pathOf('report.json');
  assert.equal(await run([...argv, '--quiet', '--report', report], readConfig({})), 0);
  return JSON.parse(readFileSync(report, 'utf8'));
}

interface Report {
  readonly output: {
    readonly layers: {
      readonly name: string;
      readonly features: number;
      readonly files?: readonly string[];
    }[];
  };
  readonly request: { readonly output: object };
  readonly features: { readonly written: number };
}

async function layersOf(path: string): Promise<[string, number][]> {
  const reader = await inputFormatById('gpkg', 'input.format').loadReader();
  const { layers } = await readFileLayers(reader, path);
  return layers.map(({ source, rows }) => [source.name, rows.length]);
}

test('a GeoPackage gets a layer for each value, with its count in the report', async () => {
  const { output, request, features } = await convert(sample, pathOf('kinds.gpkg'), '--split-by', 'kind');
  const layers = await layersOf(pathOf('kinds.gpkg'));
  assert.deepEqual(
    output.layers.map((layer) => [layer.name, layer.features]),
    layers,
  );
  assert.equal(
    layers.reduce((sum, [, count]) => sum + count, 0),
    features.written,
  );
  assert.deepEqual(request.output, {
    format: 'gpkg',
    epsg: 'source',
    to_file: true,
    split_by: 'kind',
    split_into: 'layers',
  });
  await convert(sample, pathOf('kinds.gpkg'), '--update', '--split-by', 'open', '--layer-name', 'open');
  assert.deepEqual(
    (await layersOf(pathOf('kinds.gpkg'))).slice(layers.length).map(([name]) => name),
    ['open_true', 'open_false'],
  );
});

test('a directory gets a file for each value; files of several inputs begin with the name of theirs', async () => {
  const folder = pathOf('open');
  const split = ['--to', 'csv', '--split-by', 'open', '--out-dir', folder];
  // A batch has a list of reports.
  const [{ output, report }] = (await convert(sample, ...split)) as unknown as [
    { readonly output: string; readonly report: Report },
  ];
  assert.deepEqual(readdirSync(folder).sort(), ['false.csv', 'true.csv']);
  assert.equal(output, folder);
  assert.deepEqual(
    report.output.layers.flatMap(({ files = [] }) => files),
    ['true.csv', 'false.csv'],
  );
  const other = pathOf('other.geojson');
  await convert(sample, other);
  await convert(sample, other, ...split.with(-1, pathOf('both')));
  assert.deepEqual(readdirSync(pathOf('both')).sort(), [
    'harbour_false.csv',
    'harbour_true.csv',
    'other_false.csv',
    'other_true.csv',
  ]);
});

test('no file is replaced without --overwrite, an input never, and then nothing is delivered', async () => {
  const folder = pathOf('mine');
  mkdirSync(folder);
  writeFileSync(join(folder, 'false.geojson'), 'mine');
  const status = async (...argv: string[]): Promise<number> => run([...argv, '--quiet'], readConfig({}));
  const split = ['--to', 'geojson', '--split-by', 'open', '--out-dir', folder];
  assert.equal(await status(sample, ...split), 2);
  assert.deepEqual(readdirSync(folder), ['false.geojson']);
  assert.equal(readFileSync(join(folder, 'false.geojson'), 'utf8'), 'mine');
  assert.equal(await status(sample, ...split, '--overwrite'), 0);
  assert.deepEqual(readdirSync(folder).sort(), ['false.geojson', 'true.geojson']);
  const input = join(folder, 'true.geojson');
  assert.equal(await status(input, ...split, '--overwrite'), 2);
  assert.equal(await status(sample, ...split, '--overwrite', '--report', input), 2);
  // Two files of the same name would give parts of the same names.
  mkdirSync(pathOf('more'));
  await convert(sample, pathOf('more/harbour.gpkg'));
  const twice = ['--to', 'csv', '--split-by', 'open', '--out-dir', pathOf('twice')];
  assert.equal(await status(sample, pathOf('more/harbour.gpkg'), ...twice), 2);
  assert.equal(readdirSync(pathOf('twice')).length, 2);
});

test('an output that cannot hold the parts is refused with what to use', async () => {
  await assert.rejects(convert(sample, pathOf('x.geojson'), '--split-by', 'kind'), {
    message: `'${pathOf('x.geojson')}' cannot hold a GeoJSON file for each value: use --out-dir DIR --to geojson in place of it, or the name of a .zip`,
  });
  await assert.rejects(convert(sample, pathOf('x.shp'), '--split-by', 'kind'), { code: 'USAGE' });
  await assert.rejects(convert(sample, '-', '--to', 'csv', '--split-by', 'kind'), { code: 'USAGE' });
  await assert.rejects(convert(sample, pathOf('x.gpkg'), '--split-by', 'kinds'), {
    code: 'FIELD_UNKNOWN',
  });
  assert.ok(!existsSync(pathOf('x.gpkg')));
});

test('a job document splits as the command line does, into layers or a zip', async () => {
  const document = {
    inputs: [{ path: sample }],
    outputs: [
      { path: pathOf('run.gpkg'), split_by: 'open' },
      { path: pathOf('run.zip'), format: 'geojson', split_by: 'open' },
      { path: pathOf('files.zip'), format: 'gpkg', split_by: 'open', split_into: 'files' },
    ],
  };
  const job = pathOf('job.json');
  writeFileSync(job, JSON.stringify(document));
  assert.equal(await runDocument([job, '--quiet'], readConfig({})), 0);
  assert.deepEqual(
    (await layersOf(pathOf('run.gpkg'))).map(([name]) => name),
    ['true', 'false'],
  );
  const members = async (name: string): Promise<string[]> =>
    (await readZipMembers(readFileSync(pathOf(name)))).map((member) => member.name);
  assert.deepEqual(await members('run.zip'), ['true.geojson', 'false.geojson']);
  assert.deepEqual(await members('files.zip'), ['true.gpkg', 'false.gpkg']);
  const wrong = { ...document, outputs: [{ path: pathOf('one.geojson'), split_by: 'open' }] };
  writeFileSync(job, JSON.stringify(wrong));
  await assert.rejects(runDocument([job, '--quiet'], readConfig({})), {
    message: `'outputs[0].path' is '${pathOf('one.geojson')}', which cannot hold a file for each value of 'split_by'; use the name of a .zip`,
  });
  assert.ok(!existsSync(pathOf('one.geojson')));
});

test('a thousand parts need few open files, as shapefiles too', () => {
  const features = Array.from({ length: 1000 }, (_, id) => ({
    type: 'Feature',
    properties: { id },
    geometry: { type: 'Point', coordinates: [id % 180, 1] },
  }));
  const input = pathOf('thousand.geojson');
  writeFileSync(input, JSON.stringify({ type: 'FeatureCollection', features }));
  for (const output of ['thousand.zip', 'thousand.dxf']) {
    const command = `ulimit -n 48 && exec "$0" "$@"`;
    const argv = [process.execPath, ENTRANCE, 'convert', input, pathOf(output), '--split-by', 'id', '--json'];
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', command, ...argv], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    const { output: written, totals } = JSON.parse(stdout);
    assert.equal(totals?.output_layers ?? written.layers.length, 1000);
  }
});

test('a part does not replace a database that another program has open, and then nothing is delivered', async () => {
  const parts = pathOf('open');
  const split = [sample, '--out-dir', parts, '--to', 'gpkg', '--split-by', 'kind'];
  await convert(...split);
  const before = readdirSync(parts).map((name) => readFileSync(join(parts, name)));
  // The log of a writer that was killed.
  const log = join(parts, 'quay.gpkg-wal');
  writeFileSync(log, 'log');
  assert.equal(await run([...split, '--overwrite', '--quiet'], readConfig({})), 1);
  rmSync(log);
  assert.deepEqual(
    readdirSync(parts).map((name) => readFileSync(join(parts, name))),
    before,
  );
});

test('the report names the files in the archive, also of parts with names like those of shapefiles', async () => {
  const at = (x: number) => ({ type: 'Point', coordinates: [x, 1] });
  const line = {
    type: 'LineString',
    coordinates: [
      [0, 0],
      [1, 1],
    ],
  };
  const features = [
    ['a', at(1)],
    ['a', line],
    ['a_lines', at(2)],
    ['A_LINES', at(3)],
  ].map(([k, geometry]) => ({ type: 'Feature', properties: { k }, geometry }));
  const input = pathOf('clash.geojson');
  writeFileSync(input, JSON.stringify({ type: 'FeatureCollection', features }));
  const archive = pathOf('clash.zip');
  const { output } = await convert(input, archive, '--to', 'shp', '--split-by', 'k');
  const named = output.layers.flatMap(({ files = [] }) => files);
  const members = (await readZipMembers(readFileSync(archive)))
    .map(({ name }) => name)
    .filter((name) => name.endsWith('.shp'));
  assert.deepEqual(named.toSorted(), members.toSorted());
  assert.equal(new Set(named.map((name) => name.toLowerCase())).size, 4);
  assert.deepEqual(output.layers.find(({ name }) => name === 'a_lines')?.files, ['a_lines.shp']);
});
