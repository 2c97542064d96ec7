/** Conversions whose parts run elsewhere: the same bytes, report and errors as in one process. */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type ConvertOptions, convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { type PlayedDivision, playDivision } from '../../../test/support/division.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';

const files = makeWorkspace();
after(() => files[Symbol.dispose]());
/** Inputs of some megabytes, by format. */
const inputs: Record<string, string> = {};

/** Points and lines, with columns that not every feature has, and values that findings are about. */
function features(count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const [x, y] = [8 + (i % 300) / 1000, 48 + Math.floor(i / 300) / 1000];
    const properties = {
      n: i,
      name: `Straße "${i}", Ö`,
      ...(i % 7 === 0 ? { seldom: i / 3 } : {}),
      ...(i > count / 2 ? { late: i % 2 === 0 } : {}),
      text: 'x'.repeat(150),
    };
    // Some have a third ordinate.
    const coordinates = i % 11 === 0 ? [x, y, i] : [x, y];
    return JSON.stringify({ type: 'Feature', properties, geometry: { type: 'Point', coordinates } });
  });
}

before(async () => {
  const geojson = join(files.path, 'in.geojson');
  writeFileSync(geojson, `{"type":"FeatureCollection","features":[\n${features(8000).join(',\n')}\n]}`);
  inputs.geojson = geojson;
  for (const [format, ending] of [
    ['csv', 'csv'],
    ['gpkg', 'gpkg'],
    ['shp', 'zip'],
  ] as const) {
    using workspace = makeWorkspace();
    const { outputPath } = await convertFile(geojson, workspace.path, { from: 'geojson', to: format });
    inputs[format] = join(files.path, `in.${ending}`);
    copyFileSync(outputPath, inputs[format]);
  }
});

interface Outcome {
  readonly bytes: Buffer | null;
  readonly findings: string;
  readonly report: unknown;
  readonly error: unknown;
}

async function outcome(input: string, options: ConvertOptions): Promise<Outcome> {
  using workspace = makeWorkspace();
  const findingsPath = join(workspace.path, 'findings.geojson');
  try {
    const { outputPath, report } = await convertFile(input, workspace.path, {
      ...options,
      threads: 1,
      findingsPath,
    });
    const { timings, steps, ...facts } = report;
    const counted = steps?.map(({ seconds, ...step }) => step);
    return {
      bytes: readFileSync(outputPath),
      findings: readFileSync(findingsPath, 'utf8'),
      report: { ...facts, steps: counted },
      error: null,
    };
  } catch (error) {
    if (!(error instanceof GeomillError)) throw error;
    return { bytes: null, findings: '', report: null, error: error.toPlain() };
  }
}

/** Converts in one process, and divided. */
async function compare(input: string, options: ConvertOptions, division: PlayedDivision): Promise<Outcome> {
  const whole = await outcome(input, options);
  const divided = await outcome(input, { ...options, division });
  assert.deepEqual(divided.error, whole.error);
  assert.deepEqual(divided.report, whole.report);
  assert.equal(divided.findings, whole.findings);
  assert.ok(whole.bytes === divided.bytes || divided.bytes?.equals(whole.bytes as Buffer), 'other bytes');
  return whole;
}

const OUTPUTS: Readonly<Record<string, Pick<ConvertOptions, 'to' | 'writeOptions'>>> = {
  GeoJSON: { to: 'geojson', writeOptions: { bbox: true } },
  'newline-delimited GeoJSON': { to: 'geojson', writeOptions: { sequence: 'lines' } },
  CSV: { to: 'csv' },
  'CSV with coordinates': { to: 'csv', writeOptions: { geometry: 'xy' } },
};
const STEPS: Readonly<Record<string, Partial<ConvertOptions>>> = {
  'as it is': {},
  reprojected: { toCrs: 'EPSG:25832' },
};

for (const from of ['geojson', 'csv', 'gpkg', 'shp'])
  for (const [output, to] of Object.entries(OUTPUTS))
    test(`${from} to ${output} in parts gives the bytes of one process`, async () => {
      for (const steps of Object.values(STEPS)) {
        // These differ from the others in how they are encoded only.
        if (steps.toCrs !== undefined && /newline|coordinates/.test(output)) continue;
        const division = playDivision(inputs[from], (number) => number % 3 === 0);
        const options = { from, fromCrs: from === 'csv' ? 'EPSG:4326' : null, ...to, ...steps };
        const { bytes } = await compare(inputs[from], options, division);
        assert.ok(bytes !== null && bytes.length > 1_000_000);
        assert.ok(division.ran.others > 0 && division.ran.own > 0, JSON.stringify(division.ran));
      }
    });

test('steps on features run in parts', async () => {
  const division = playDivision(inputs.geojson, (number) => number === 1);
  const params = {
    ...{ distance: 2, units: 'meters', quadrant_segments: 2, end_cap: 'round', join: 'round' },
    ...{ mitre_limit: 5, simplify_tolerance: 0, geodesic: false },
  };
  const transformations = [
    { type: 'reproject', params: { epsg: 25832 } },
    { type: 'buffer', params },
  ];
  await compare(inputs.geojson, { from: 'geojson', to: 'csv', transformations }, division);
  assert.ok(division.ran.others > 5);
});

test('what is unpacked first is offered with the parts', async () => {
  const packed = join(files.path, 'in.geojson.gz');
  writeFileSync(packed, gzipSync(readFileSync(inputs.geojson)));
  const division = playDivision(packed, () => false);
  await compare(packed, { from: 'geojson', to: 'csv' }, division);
  const [{ files: offered, readsInput }] = division.offers;
  assert.equal(offered.length, 1);
  assert.equal(readsInput, false);
  const zipped = playDivision(inputs.shp, () => false);
  await compare(inputs.shp, { from: 'shp', to: 'csv' }, zipped);
  assert.ok(zipped.offers[0].files.some((path) => path.endsWith('/shp')));
});

for (const [name, damage] of Object.entries({
  'in the middle of a part': (text: string) => text.replace('"n":6000,', '"n":6000 '),
  'in the first part': (text: string) => text.replace('"n":3,', '"n":3 '),
  'and two of them': (text: string) => text.replace('"n":6500,', '"n":6500 ').replace('"n":7000,', '"n" '),
  'at the end': (text: string) => text.slice(0, -300),
}))
  test(`an error ${name} is that of one process`, async () => {
    const path = join(files.path, 'damaged.geojson');
    writeFileSync(path, damage(readFileSync(inputs.geojson, 'utf8')));
    const division = playDivision(path, (number) => number % 2 === 0);
    const { error } = await compare(path, { from: 'geojson', to: 'csv' }, division);
    assert.notEqual(error, null);
  });

test('a part that was cut in the middle of a record is read again from the right place', async () => {
  const header = 'id,note,lon,lat\n';
  // Line ends inside of quotes: most guesses are wrong.
  const rows = Array.from(
    { length: 3000 },
    (_, i) => `${i},"${`one\ntwo,${i},8,48\n`.repeat(60)}",${8 + i / 10_000},48\n`,
  );
  const path = join(files.path, 'quoted.csv');
  writeFileSync(path, header + rows.join(''));
  const division = playDivision(path, () => false);
  const { bytes } = await compare(path, { from: 'csv', fromCrs: 'EPSG:4326', to: 'geojson' }, division);
  assert.notEqual(bytes, null);
});

test('a value that contradicts its declaration restarts the conversion, and its parts', async () => {
  using workspace = makeWorkspace();
  const { DatabaseSync } = await import('node:sqlite');
  const path = join(workspace.path, 'in.gpkg');
  copyFileSync(inputs.gpkg, path);
  const database = new DatabaseSync(path);
  const { name } = database
    .prepare("SELECT table_name AS name FROM gpkg_contents WHERE data_type = 'features'")
    .get() as { name: string };
  database.exec('DROP TRIGGER IF EXISTS x');
  for (const { trigger } of database
    .prepare("SELECT name AS trigger FROM sqlite_schema WHERE type = 'trigger'")
    .all() as { trigger: string }[])
    database.exec(`DROP TRIGGER "${trigger}"`);
  database.exec(`UPDATE "${name}" SET n = 'twelve' WHERE n = 7001`);
  database.close();
  const division = playDivision(path, (number) => number % 2 === 0);
  await compare(path, { from: 'gpkg', to: 'csv' }, division);
  assert.ok(division.offers.length >= 2);
});

test('small inputs, and conversions that need all features at once, are not divided', async () => {
  const small = join(files.path, 'small.geojson');
  writeFileSync(small, `{"type":"FeatureCollection","features":[${features(10).join(',')}]}`);
  for (const [path, options] of [
    [small, { to: 'csv' }],
    [inputs.geojson, { to: 'shp' }],
    [inputs.geojson, { to: 'csv', transformations: [{ type: 'sample', params: { count: 5, seed: 1 } }] }],
  ] as const) {
    const division = playDivision(path, () => false);
    await outcome(path, { from: 'geojson', ...options, division });
    assert.equal(division.offers.length, 0);
  }
});
