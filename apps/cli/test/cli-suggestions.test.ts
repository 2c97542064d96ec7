/** Messages about misspelled names suggest the right one; --rename and --drop work without --select. In process. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { gzipSync } from 'node:zlib';
import { asGeomillError } from '../../../packages/core/src/messages/errors.ts';
import { readConfig } from '../../service/src/settings/config.ts';
import { run } from '../src/convert.ts';
import { errorLine } from '../src/wording.ts';

const samples = join(import.meta.dirname, '../../../samples');
const sample = join(samples, 'harbour.geojson');
const directory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
test.after(() => rmSync(directory, { recursive: true, force: true }));

async function refusal(...argv: string[]): Promise<string> {
  try {
    await run([...argv, '--quiet', '--overwrite'], readConfig({}));
  } catch (error) {
    return errorLine(asGeomillError(error));
  }
  throw new Error(`${argv.join(' ')} was accepted`);
}

const target = join(directory, 'out.csv');
const suggestions: readonly (readonly [argv: readonly string[], message: RegExp])[] = [
  [['--fliter', 'a = 1'], /Unknown option '--fliter' \(did you mean --filter\?\)/],
  [['--to_crs', '25832'], /did you mean --to-crs\?/],
  [['-t_srs', 'EPSG:25832'], /-t_srs of ogr2ogr is --to-crs CRS/],
  [['--to', 'geopakcage'], /unknown format 'geopakcage' \(did you mean 'geopackage'\?\)/],
  [['--to', 'gml'], /unknown format 'gml' \(GML is not supported; write a \.gpkg/],
  [['--from', 'ods'], /unknown format 'ods' \(ODS is not supported; save it as \.xlsx, or the sheet as CSV/],
  [
    ['--filter', 'name = harbour'],
    /has no field 'harbour' \(a text needs single quotes: 'harbour'\); its fields: 'name'/,
  ],
  [['--filter', "NAME = 'a'"], /has no field 'NAME' \(did you mean 'name'\?\); its fields: 'name'/],
  [['--select', 'names'], /has no field 'names' \(did you mean 'name'\?\)/],
  [['--layer', 'Harbour'], /has no layer 'Harbour' \(did you mean 'harbour'\?\)/],
  [['--to-crs', 'ESPG:25832'], /'ESPG:25832' \(did you mean 'EPSG:25832'\?\)/],
  [['--to-crs', 'sorce'], /'sorce' \(did you mean 'source'\?\)/],
];

for (const [argv, message] of suggestions)
  test(`${argv.join(' ')} is refused with a suggestion`, async () => {
    assert.match(await refusal(sample, target, ...argv), message);
  });

test('--rename and --drop need no --select, and following ones belong to one step', async () => {
  const header = async (...argv: string[]): Promise<string> => {
    await run([sample, target, '--quiet', '--overwrite', ...argv], readConfig({}));
    return readFileSync(target, 'utf8').split(/\r?\n/, 1)[0];
  };
  const all = await header();
  assert.match(all, /name,kind/);
  assert.equal(await header('--rename', 'name=title'), all.replace('name', 'title'));
  assert.equal(await header('--drop', 'kind'), all.replace('kind,', ''));
  const both = all.replace('name,kind', 'title');
  assert.equal(await header('--drop', 'kind', '--rename', 'name=title'), both);
  assert.equal(await header('--rename', 'name=title', '--drop', 'kind'), both);
  assert.equal(
    await header('--rename', 'name=kind2', '--envelope', '--rename', 'kind2=title', '--drop', 'kind'),
    both,
  );
  assert.match(
    await refusal(sample, target, '--rename', 'nam=title'),
    /no field 'nam' \(did you mean 'name'\?\)/,
  );
});

test('errors in GeoJSON state line and column, wherever the error is', async () => {
  const feature = '{"type":"Feature","properties":{"a":1},"geometry":null}';
  const cases: readonly (readonly [text: string, message: RegExp])[] = [
    ['{"type":"FeatureCollection",\n"features":[],}', /GeoJSON byte \d+: .*\(line 2, column 15\)/],
    [`{"type":"FeatureCollection","features":[\n${feature},\n{"type":"Feature",}]}`, /\(line 3, column 19\)/],
    [`${feature}\n${feature}\n{"type":"Fea`, /\(line 3, column \d+\)/],
  ];
  const input = join(directory, 'bad.geojson');
  for (const [text, message] of cases) {
    writeFileSync(input, text);
    assert.match(await refusal(input, target), message);
    writeFileSync(join(directory, 'bad.ndjson.gz'), gzipSync(text));
    assert.match(await refusal(join(directory, 'bad.ndjson.gz'), target), message);
  }
  // Far behind the first of many partitions.
  const many = Array.from({ length: 30_000 }, (_, i) => feature.replace('1', String(i)));
  many[25_000] = many[25_000].replace('null', 'nul');
  writeFileSync(input, `{"type":"FeatureCollection","features":[\n${many.join(',\n')}\n]}`);
  assert.match(await refusal(input, target), /\(line 25002, column \d+\)/);
});

test('a date without quotes is answered with how to write it', async () => {
  const advice = /write a date in single quotes, as '2020-01-31'/;
  for (const date of ['2020-01-01', '2020/01/01', '01.02.2020', '2020-01-01T10:00'])
    assert.match(await refusal(sample, target, '--filter', `built >= ${date}`), advice, date);
  assert.doesNotMatch(await refusal(sample, target, '--filter', 'built >= 1 2-1'), advice);
});
