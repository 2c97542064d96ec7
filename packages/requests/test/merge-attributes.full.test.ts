/** Merges that keep attributes: fields of all files or the common ones, their types, ids, and the name of the source. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type CombineOptions,
  combineFiles,
  convertFile,
  makeWorkspace,
} from '../../../test/support/convert.ts';
import { runCli } from '../../../test/support/run-cli.ts';
import { formats } from '../../formats/src/registry.ts';
import { transformations } from '../../operations/src/registry.ts';
import { parseSteps } from '../../operations/src/requested-steps.ts';
import type { MergeRequest } from '../../pipeline/src/request.ts';
import { parseJobRequest } from '../src/parse-job-request.ts';

type Properties = Readonly<Record<string, unknown>>;

interface Feature {
  readonly id?: unknown;
  readonly properties: Properties;
  readonly geometry: unknown;
}

const point = (x: number) => ({ type: 'Point', coordinates: [x, 50] });

async function merged(
  files: Readonly<Record<string, string>>,
  merge: MergeRequest | undefined,
  options: Partial<CombineOptions> = {},
) {
  using workspace = makeWorkspace();
  const paths = Object.entries(files).map(([name, text]) => {
    const path = join(workspace.path, name);
    writeFileSync(path, text);
    return path;
  });
  const { report, outputPath } = await combineFiles(paths, workspace.path, {
    operation: 'merge',
    from: 'geojson',
    to: 'geojson',
    ...(merge === undefined ? {} : { merge }),
    ...options,
  });
  const { features } = JSON.parse(readFileSync(outputPath, 'utf8')) as { features: readonly Feature[] };
  return { features, report, codes: report.warnings.map(({ code }) => code) };
}

const geojson = (features: readonly Partial<Feature>[]): string =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: features.map((feature, i) => ({ type: 'Feature', geometry: point(i), ...feature })),
  });

const FILES = {
  'a.geojson': geojson([
    { id: 'p', properties: { n: 1, Name: 'x', only: true } },
    { id: 'q', properties: { n: null, Name: 'y', only: false } },
  ]),
  'b.geojson': geojson([{ id: 'p', properties: { name: 'z', n: 2.5, other: '2020-01-01' } }]),
};

test('union has the fields of all files, with types for all values; ids become a field', async () => {
  const { features, codes } = await merged(FILES, { attributes: 'union', sourceField: 'file' });
  assert.deepEqual(
    features.map(({ properties }) => properties),
    [
      { n: 1, Name: 'x', only: true, id: 'p', other: null, file: 'a.geojson' },
      { n: null, Name: 'y', only: false, id: 'q', other: null, file: 'a.geojson' },
      { n: 2.5, Name: 'z', only: null, id: 'p', other: '2020-01-01', file: 'b.geojson' },
    ],
  );
  assert.deepEqual(codes, ['FIELD_MATCHED']);
});

test('intersection has the common fields, and says which others there were', async () => {
  const { features, report } = await merged(FILES, { attributes: 'intersection' });
  assert.deepEqual(
    features.map(({ properties }) => properties),
    [
      { n: 1, Name: 'x' },
      { n: null, Name: 'y' },
      { n: 2.5, Name: 'z' },
    ],
  );
  const messages = report.warnings
    .filter(({ code }) => code === 'FIELD_NOT_COMMON')
    .map(({ message }) => message);
  assert.equal(messages.length, 2);
  assert.match(messages.join('\n'), /'only' of 'a\.geojson'[\s\S]*'other' of 'b\.geojson'/);
  assert.ok(report.warnings.some(({ code }) => code === 'IDS_NOT_APPENDED'));
});

test('without attributes a merge is as before, and may still name the sources', async () => {
  const before = await merged(FILES, undefined);
  assert.deepEqual(
    before.features.map(({ properties }) => properties),
    [{}, {}, {}],
  );
  assert.ok(before.codes.includes('ATTRIBUTES_NOT_MERGED'));
  const named = await merged(FILES, { attributes: 'none', sourceField: 'src' });
  assert.deepEqual(
    named.features.map(({ properties }) => properties.src),
    ['a.geojson', 'a.geojson', 'b.geojson'],
  );
  await assert.rejects(merged(FILES, { attributes: 'union', sourceField: 'NAME' }), {
    code: 'FIELD_NAME_TAKEN',
  });
});

test('plain text keeps its text where types differ, and steps see the merged fields', async () => {
  const files = {
    'a.csv': 'v,k,wkt\n1.50,1,POINT (1 1)\n,2,POINT (2 1)\n',
    'b.csv': 'k,v,wkt\n3,abc,POINT (3 1)\n',
    'empty.csv': 'v,extra,wkt\n',
  };
  const { features } = await merged(
    files,
    { attributes: 'union' },
    {
      from: 'csv',
      fromCrs: 'EPSG:4326',
      transformations: parseSteps(
        [
          { type: 'sort', by: ['k desc'] },
          { type: 'calculate', fields: { twice: '2 * k' } },
        ],
        'transformations',
        transformations,
      ),
    },
  );
  assert.deepEqual(
    features.map(({ properties }) => properties),
    [
      { v: 'abc', k: 3, extra: null, twice: 6 },
      { v: null, k: 2, extra: null, twice: 4 },
      { v: '1.50', k: 1, extra: null, twice: 2 },
    ],
  );
});

for (const [by, count] of [['kind', 4], ["coalesce(kind, 'z') || '-' || to_text(n % 3)", 12]] as const) // biome-ignore format: one line
  test(`features that were split into files by ${by}, and merged again, are the same`, async () => {
    using workspace = makeWorkspace();
    const path = join(workspace.path, 'in.geojson');
    const rows = Array.from({ length: 60 }, (_, i) => ({
      properties: { kind: ['a', 'b', 'c', null][i % 4], n: i, x: i / 8 },
      geometry: point(i),
    }));
    writeFileSync(path, geojson(rows));
    for (const format of ['geojson', 'gpkg', 'csv'] as const) {
      using own = makeWorkspace();
      await convertFile(path, own.path, {
        from: 'geojson',
        to: format,
        split: { field: by, into: 'files', inDirectory: true },
      });
      const parts = own.entries().filter((entry) => entry.startsWith('parts/'));
      assert.equal(parts.length, count);
      const { outputPath } = await combineFiles(
        parts.map((part) => join(own.path, part)),
        own.path,
        {
          operation: 'merge',
          merge: { attributes: 'union' },
          from: format,
          to: 'geojson',
          transformations: parseSteps([{ type: 'sort', by: ['n'] }], 'transformations', transformations),
          ...(format === 'csv' ? { fromCrs: 'EPSG:4326' } : {}),
        },
      );
      const { features } = JSON.parse(readFileSync(outputPath, 'utf8')) as { features: readonly Feature[] };
      assert.deepEqual(
        features.map(({ properties: { kind, n, x }, geometry }) => ({
          properties: { kind, n, x },
          geometry,
        })),
        rows,
        format,
      );
    }
  });

test('requests and the command line say it the same way', async () => {
  const endpoint = { operation: 'merge', inputFormat: 'geojson', spelling: 'nested' } as const;
  const config = { attributes: 'union', source_field: 'src', output: { format: 'csv' } };
  const request = parseJobRequest(config, endpoint, { formats, transformations }).forFiles(2);
  assert.deepEqual('merge' in request ? request.merge : null, { attributes: 'union', sourceField: 'src' });
  assert.throws(
    () => parseJobRequest({ ...config, attributes: 'all' }, endpoint, { formats, transformations }),
    {
      code: 'CONFIG_INVALID',
    },
  );
  using workspace = makeWorkspace();
  const paths = Object.entries(FILES).map(([name, text]) => {
    writeFileSync(join(workspace.path, name), text);
    return join(workspace.path, name);
  });
  const out = join(workspace.path, 'out.csv');
  const flags = ['--attributes', 'union', '--source-field', 'file', '--quiet'];
  const done = await runCli(['merge', ...paths, '--out', out, ...flags], {});
  assert.equal(done.status, 0, done.err);
  const [names, first] = readFileSync(out, 'utf8').split(/\r?\n/);
  assert.equal(names, 'n,Name,only,id,other,file,geom_wkt');
  assert.match(first, /^1\.0,x,true,p,,a\.geojson,/);
});

const python = spawnSync('/usr/bin/python3', ['-c', 'import pandas']);

test('the table is that of pandas.concat', { skip: python.status !== 0 }, async () => {
  const csv = (names: string[], rows: unknown[][]): string =>
    [names, ...rows].map((row) => row.join(',')).join('\n');
  const files = {
    'a.csv': csv(
      ['k', 'x', 'wkt'],
      [
        [1, 2.5, 'POINT (1 1)'],
        [2, '', 'POINT (2 1)'],
      ],
    ),
    'b.csv': csv(['k', 't', 'wkt'], [[3, 'u', 'POINT (3 1)']]),
  };
  const script = [
    'import sys, json, io, pandas',
    'frames = [pandas.read_csv(io.StringIO(t)) for t in json.load(sys.stdin)]',
    'for how in ("outer", "inner"):',
    '  print(pandas.concat(frames, join=how, ignore_index=True).drop(columns="wkt").to_json(orient="records"))',
  ].join('\n');
  const input = JSON.stringify(Object.values(files));
  const { stdout } = spawnSync('/usr/bin/python3', ['-c', script], { input, encoding: 'utf8' });
  const expected = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const [i, attributes] of (['union', 'intersection'] as const).entries()) {
    const { features } = await merged(files, { attributes }, { from: 'csv', fromCrs: 'EPSG:4326' });
    assert.deepEqual(
      features.map(({ properties }) => properties),
      expected[i],
    );
  }
});

test('files of several formats are merged as if they had one, and only ids that are data are kept', async () => {
  using workspace = makeWorkspace();
  const put = (name: string, features: readonly Partial<Feature>[]): string => {
    const path = join(workspace.path, name);
    writeFileSync(path, geojson(features));
    return path;
  };
  const first = put('a.geojson', [{ id: 'p', properties: { n: 1, x: 0.5, word: 'a' } }]);
  const second = put('b.geojson', [
    { properties: { n: 7, more: true } },
    { properties: { n: 8, more: false } },
  ]);
  const third = put('c.geojson', [{ properties: { n: 9, x: 2.25, word: 'Größe' } }]);
  for (const [path, to] of [[second, 'gpkg'], [third, 'csv'], [third, 'dxf']] as const) // biome-ignore format: one line
    await convertFile(path, workspace.path, { from: 'geojson', to, outputName: to, toCrs: 'EPSG:3857' });
  const out = (format: string): string => join(workspace.path, 'out', `${format}.${format}`);
  const files = [first, out('gpkg'), out('csv'), out('dxf')];
  const argv = [...files, '--attributes', 'union', '--source-field', 'file'];
  const crs = ['4326', '3857', '3857', '3857'].flatMap((code) => ['--from-crs', code]);
  const done = await runCli(
    ['merge', ...argv, ...crs, '--out', '-', '--to', 'geojson', '--in-delimiter', ','],
    {},
  );
  assert.equal(done.status, 0, done.err);
  const { features } = JSON.parse(done.out) as { features: readonly Feature[] };
  const values = { x: null, word: null, more: null, id: null };
  assert.deepEqual(
    features.map(({ properties }) => properties),
    [
      { ...values, n: 1, x: 0.5, word: 'a', id: 'p', file: 'a.geojson' },
      { ...values, n: 7, more: true, file: 'gpkg.gpkg' },
      { ...values, n: 8, more: false, file: 'gpkg.gpkg' },
      { ...values, n: 9, x: 2.25, word: 'Größe', file: 'csv.csv' },
      { ...values, n: 9, x: 2.25, word: 'Größe', file: 'dxf.dxf' },
    ],
  );
  const places = features.map(({ geometry }) => (geometry as ReturnType<typeof point>).coordinates);
  for (const [i, [x, y]] of places.entries()) {
    assert.ok(Math.abs(x - [0, 0, 1, 0, 0][i]) < 1e-9);
    assert.ok(Math.abs(y - 50) < 1e-9);
  }
});
