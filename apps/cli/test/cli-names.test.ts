/** File names decide formats: sequences, zipped shapefiles, gzip, formats of other programs. Commands run in process. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { asGeomillError } from '../../../packages/core/src/messages/errors.ts';
import { readConfig } from '../../service/src/settings/config.ts';
import { run } from '../src/convert.ts';
import { errorLine } from '../src/wording.ts';

const sample = join(import.meta.dirname, '../../../samples/harbour.geojson');
const directory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
test.after(() => rmSync(directory, { recursive: true, force: true }));
const inDirectory = (name: string): string => join(directory, name);

/** The path of the output. */
async function convert(input: string, name: string, ...options: string[]): Promise<string> {
  const status = await run([input, inDirectory(name), '--quiet', '--overwrite', ...options], readConfig({}));
  assert.equal(status, 0);
  return inDirectory(name);
}

/** The message of a conversion that is refused. */
async function refusal(input: string, name: string, ...options: string[]): Promise<string> {
  try {
    await convert(input, name, ...options);
  } catch (error) {
    return errorLine(asGeomillError(error));
  }
  throw new Error(`${input} was converted to ${name}`);
}

const featuresOf = (path: string): unknown[] => JSON.parse(readFileSync(path, 'utf8')).features;
const collection = featuresOf(await convert(sample, 'all.geojson'));

for (const extension of ['geojsonl', 'ndjson', 'jsonl', 'ndgeojson'])
  test(`.${extension} is written with one feature per line, and read back`, async () => {
    const path = await convert(sample, `lines.${extension}`);
    const text = readFileSync(path, 'utf8');
    assert.ok(text.endsWith('}\n'));
    assert.deepEqual(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
      collection,
    );
    assert.deepEqual(featuresOf(await convert(path, 'back.geojson')), collection);
  });

test('.geojsons is written as a text sequence of RFC 8142, and read back', async () => {
  const path = await convert(sample, 'sequence.geojsons');
  const texts = readFileSync(path, 'utf8').split('\x1e');
  assert.equal(texts.shift(), '');
  assert.ok(texts.every((text) => text.endsWith('}\n')));
  assert.deepEqual(
    texts.map((text) => JSON.parse(text)),
    collection,
  );
  assert.deepEqual(featuresOf(await convert(path, 'back.geojson')), collection);
});

test('--to and --out-sequence choose a sequence whatever the name is; --to wins over the name', async () => {
  const expected = readFileSync(await convert(sample, 'a.geojsonl'));
  assert.deepEqual(readFileSync(await convert(sample, 'a.txt', '--to', 'geojsonl')), expected);
  assert.deepEqual(readFileSync(await convert(sample, 'a.txt', '--to', 'NDJSON')), expected);
  assert.deepEqual(readFileSync(await convert(sample, 'a.geojson', '--out-sequence', 'true')), expected);
  assert.deepEqual(featuresOf(await convert(sample, 'a.ndjson', '--to', 'geojson')), collection);
});

test('a sequence without features is an empty file', async () => {
  const path = await convert(sample, 'none.geojsonl', '--filter', "name = 'nobody'");
  assert.equal(readFileSync(path, 'utf8'), '');
});

test('.shz and .shp.zip are zipped shapefiles', async () => {
  for (const name of ['a.shz', 'a.shp.zip']) {
    const path = await convert(sample, name);
    assert.equal(readFileSync(path).toString('latin1', 0, 2), 'PK');
    assert.equal(featuresOf(await convert(path, 'back.geojson')).length, collection.length);
  }
});

test('.gz compresses outputs and is unpacked in inputs', async () => {
  for (const extension of ['csv', 'geojson', 'geojsonl', 'gpkg', 'dxf']) {
    const crs = ['csv', 'dxf'].includes(extension) ? ['--from-crs', 'EPSG:4326'] : [];
    const packed = await convert(sample, `b.${extension}.gz`);
    if (extension !== 'gpkg')
      assert.deepEqual(
        gunzipSync(readFileSync(packed)),
        readFileSync(await convert(sample, `b.${extension}`)),
      );
    assert.equal(featuresOf(await convert(packed, 'back.geojson', ...crs)).length, collection.length);
  }
  // By its content, whatever the name is.
  writeFileSync(inDirectory('c.geojson'), gzipSync(readFileSync(sample)));
  assert.deepEqual(featuresOf(await convert(inDirectory('c.geojson'), 'back.geojson')), collection);
  assert.match(await refusal(sample, 'a.zip.gz'), /a \.zip is compressed already/);
});

test('a file with an unknown extension is read by its content', async () => {
  copyFileSync(sample, inDirectory('export.txt'));
  assert.deepEqual(featuresOf(await convert(inDirectory('export.txt'), 'back.geojson')), collection);
  writeFileSync(inDirectory('page.dat'), '<html>');
  assert.match(await refusal(inDirectory('page.dat'), 'x.gpkg'), /looks like XML or HTML; use --from/);
});

test('formats of other programs are named with the next step, for inputs and outputs', async () => {
  mkdirSync(inDirectory('survey.gdb'));
  const cases: readonly (readonly [input: string, output: string, message: RegExp])[] = [
    ['trip.gml', 'x.gpkg', /GML is not supported; convert it with 'ogr2ogr out\.gpkg in\.gml'/],
    ['survey.gdb', 'x.gpkg', /survey\.gdb is not a file geodatabase.* an empty folder/],
    ['survey.gpkg', 'x.gdb', /geodatabase can be read but not written; write a \.gpkg/],
    ['plan.DGN', 'x.gpkg', /DGN is not supported; save the drawing as DXF/],
    ['list.ods', 'x.gpkg', /ODS is not supported; save it as \.xlsx, or the sheet as CSV/],
    [
      sample,
      'trip.gml',
      /GML is not supported; write a \.gpkg and convert that with 'ogr2ogr out\.gml in\.gpkg'/,
    ],
    [sample, 'plan.dwg', /DWG can be read but not written; write a \.dxf/],
  ];
  for (const [input, output, message] of cases)
    assert.match(await refusal(input === sample ? sample : inDirectory(input), output), message);
});

test('formats of other programs are named by their content, too', async () => {
  const cases: readonly (readonly [content: string, found: RegExp])[] = [
    ['<gml:FeatureCollection xmlns:gml="http://www.opengis.net/gml/3.2"/>', /GML.*ogr2ogr/],
    ['AutoCAD DXB 1.0', /DXB.*save the drawing as DXF/],
  ];
  for (const [content, found] of cases) {
    writeFileSync(inDirectory('renamed.geojson'), content, 'latin1');
    assert.match(await refusal(inDirectory('renamed.geojson'), 'x.gpkg'), found);
    writeFileSync(inDirectory('renamed.dat'), content, 'latin1');
    assert.match(await refusal(inDirectory('renamed.dat'), 'x.gpkg'), found);
  }
});

test('a sequence states neither CRS nor bounding box, and the report says so', async () => {
  const lines: string[] = [];
  const { write } = process.stderr;
  process.stderr.write = (text: string | Uint8Array) => lines.push(String(text)) > 0;
  try {
    const options = ['--to-crs', 'EPSG:25832', '--out-geojson-crs', 'requested', '--out-bbox', 'true'];
    await run([sample, inDirectory('utm.geojsonl'), ...options], readConfig({}));
  } finally {
    process.stderr.write = write;
  }
  assert.match(lines.join(''), /does not state its CRS/);
  assert.match(lines.join(''), /no bounding box: .--out-bbox. was ignored/);
});
