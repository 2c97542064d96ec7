/** Every bad request to the versioned API is a 4xx problem that names the part and the fix, and leaves no file. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { expectProblem } from '../../../../test/support/problem.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { type FormPart, postForm, postJson, startTestService } from '../../../../test/support/service.ts';

const service = await startTestService({
  settings: { MAX_UPLOAD: '100 KiB', MAX_CONFIG: '2 KiB', MAX_FILES: '4' },
});
test.after(() => service[Symbol.asyncDispose]());

const target: FormPart = ['file', 'target', 'roads.zip'];
const more = (...contents: string[]): FormPart[] =>
  contents.map((content, i) => ['files', content, `more-${i}.zip`]);
const toCsv = { output_format: 'csv' };
const CRS = 'EPSG:28350';

/** Name, path below /v1/transform, parts, config (undefined: none), status, detail. */
const forms: [string, string, FormPart[], unknown, number, RegExp][] = [
  ['no file', 'shp', [], toCsv, 400, /part 'file' is missing; the form has 'config'/],
  ['no config', 'shp', [target], undefined, 400, /part 'config' is missing; the form has 'file'/],
  ['files instead of a file', 'shp', more('a'), toCsv, 400, /part 'file' is missing; the form has 'files'/],
  ['two files', 'shp', [target, target], toCsv, 400, /part 'file' was sent more than once/],
  ['append without target', 'shp/append', more('a', 'b'), toCsv, 400, /part 'file' is missing.*'files'/],
  [
    'append without files',
    'shp/append',
    [target],
    toCsv,
    400,
    /part 'files' is missing; the form has 'file'/,
  ],
  [
    'append with two targets',
    'shp/append',
    [target, target, ...more('a')],
    toCsv,
    400,
    /'file' was sent more/,
  ],
  ['merge without files', 'shp/merge', [], toCsv, 400, /part 'files' is missing; the form has 'config'/],
  ['merge with a file alone', 'shp/merge', [target], toCsv, 400, /part 'files' is missing.*'file', 'config'/],
  [
    'merge of two single files',
    'shp/merge',
    [target, target, ...more('a')],
    toCsv,
    400,
    /'file' was sent more/,
  ],
  ['an empty file', 'shp/append', [target, ...more('a', '')], toCsv, 400, /more-1.zip is empty/],
  [
    'too many files',
    'shp/merge',
    more('a', 'b', 'c', 'd', 'e'),
    toCsv,
    413,
    /files is more than 4.*MAX_FILES/,
  ],
  ['one file too large', 'shp', [['file', 'x'.repeat(110 * 1024), 'a.zip']], toCsv, 413, /MAX_UPLOAD/],
  [
    'an ignored part too large',
    'shp',
    [target, ['extra', 'x'.repeat(110 * 1024), 'extra.zip']],
    toCsv,
    413,
    /MAX_UPLOAD/,
  ],
  [
    'files too large together',
    'shp/merge',
    more('x'.repeat(60 * 1024), 'x'.repeat(60 * 1024)),
    toCsv,
    413,
    /the upload is more than that; the limit is 102400 bytes \(MAX_UPLOAD\)/,
  ],
  ['a config too large', 'shp', [target], { ...toCsv, a: 'x'.repeat(3000) }, 413, /MAX_CONFIG/],
  ['a config that is no JSON', 'shp', [target], '{"output_format"', 400, /part 'config' is not valid JSON/],
  [
    'no output format',
    'shp',
    [target],
    { output: {} },
    400,
    /^'output_format' is required; known formats are geojson, /,
  ],
  [
    'an unknown output format',
    'shp',
    [target],
    { output_format: 'pdf' },
    400,
    /'output_format': unknown format 'pdf'/,
  ],
  [
    'another format than the path says',
    'shp',
    [target],
    { ...toCsv, input_format: 'gpkg' },
    400,
    /'input_format' says gpkg, but the path of the request says shp/,
  ],
  ['no CRS for dxf', 'dxf', [target], toCsv, 400, /^field 'input_crs' is required for dxf/],
  ['no CRS for csv', 'csv', [target], toCsv, 400, /field 'input_crs' is required for csv/],
  [
    'no CRS of a target',
    'dxf/append',
    [target, ...more('a')],
    { ...toCsv, append_crs_mapping: CRS },
    400,
    /field 'input_crs' is required for dxf/,
  ],
  [
    'no CRS of what is appended',
    'dxf/append',
    [target, ...more('a')],
    { ...toCsv, input_crs: CRS },
    400,
    /field 'append_crs_mapping' is required for dxf/,
  ],
  [
    'no CRS of one file of three',
    'csv/append',
    [target, ...more('a', 'b', 'c')],
    { ...toCsv, input_crs: CRS, append_crs_mapping: [CRS, CRS, null] },
    400,
    /field 'append_crs_mapping\[2\]' is required for csv/,
  ],
  [
    'no CRS of what is merged',
    'csv/merge',
    more('a'),
    { ...toCsv, input_crs: CRS },
    400,
    /field 'input_crs_mapping' is required for csv/,
  ],
  [
    'more CRS than files to append',
    'shp/append',
    [target, ...more('a')],
    { ...toCsv, append_crs_mapping: [CRS, CRS] },
    400,
    /'append_crs_mapping' lists 2 CRS for 1 file; give one CRS for all files, or one for each/,
  ],
  [
    'fewer CRS than files to merge',
    'csv/merge',
    [target, ...more('a', 'b')],
    { ...toCsv, input_crs_mapping: [CRS, CRS] },
    400,
    /'input_crs_mapping' lists 2 CRS for 3 files/,
  ],
  [
    'an unknown CRS',
    'shp',
    [target],
    { ...toCsv, input_crs: 'mercator' },
    400,
    /'input_crs': unknown .* 'mercator'/,
  ],
  [
    'an unknown CRS in a list',
    'shp/merge',
    more('a', 'b'),
    { ...toCsv, input_crs_mapping: [CRS, 'EPSG:x'] },
    400,
    /'input_crs_mapping\[1\]': unknown .* 'EPSG:x'/,
  ],
  [
    'a list of no CRS',
    'shp/merge',
    more('a'),
    { ...toCsv, input_crs_mapping: [] },
    400,
    /'input_crs_mapping' must be an EPSG code .* list/,
  ],
  [
    'CRS said twice',
    'shp',
    [target],
    { ...toCsv, input_crs: 4326, input_epsg: 3857 },
    400,
    /'input_epsg' contradicts 'input_crs'/,
  ],
  [
    'an unknown output CRS',
    'shp',
    [target],
    { ...toCsv, output_crs: 'x' },
    400,
    /'output_crs': unknown .* 'x'/,
  ],
  [
    'inline output of another format',
    'shp',
    [target],
    { ...toCsv, to_file: false },
    400,
    /'to_file' can be false only .*not for CSV/,
  ],
  [
    'to_file of another type',
    'shp',
    [target],
    { ...toCsv, to_file: 1 },
    400,
    /'to_file' must be true or false, not 1/,
  ],
  [
    'a wrong write option',
    'shp',
    [target],
    { ...toCsv, output_precision: 99 },
    400,
    /'output_precision' must be <= 15/,
  ],
  [
    'a wrong read option',
    'dxf',
    [target],
    { ...toCsv, input_crs: CRS, input_layouts: 'x' },
    400,
    /'input_layouts' must be one of/,
  ],
  [
    'an unknown transformation',
    'shp',
    [target],
    { ...toCsv, transformations: [{ type: 'x' }] },
    400,
    /transformations\[0\]/,
  ],
  [
    'an address in place of a file',
    'shp',
    [target],
    { ...toCsv, input_url: 'http://x/' },
    400,
    /'input_url' is not enabled.*'file'/,
  ],
];

for (const [name, path, parts, config, status, detail] of forms)
  test(`refused: ${name}`, async () => {
    const response = await postForm(service, `/v1/transform/${path}`, { parts, config });
    await expectProblem(response, status, detail);
  });

test('a format that is not known is a 404 that names the known ones, whatever is sent there', async () => {
  for (const path of ['gml', 'gml/append', 'SHP/merge', 'result']) {
    const known =
      /unknown format '(?:gml|SHP|result)' in the path(?: \(did you mean .(?:shp|kml).\?\))?; supported: geojson, shp, gpkg, dxf, csv/;
    const url = `/v1/transform/${path}`;
    await expectProblem(await postForm(service, url, { parts: [target], config: toCsv }), 404, known);
    await expectProblem(await postJson(service, url, {}), 404, known);
    await expectProblem(await fetch(service.url + url), 404, known);
    await expectProblem(
      await fetch(service.url + url, { method: 'POST', body: 'x', headers: { 'content-type': 'text/x' } }),
      404,
      known,
    );
  }
  await expectProblem(await fetch(`${service.url}/v1/transform/shp`), 405, /supports POST/);
  await expectProblem(await fetch(`${service.url}/v1/transform/shp/split`), 404, /no such address: GET/);
});

test('other content types are refused with those that are taken', async () => {
  const send = (path: string, type: string): Promise<Response> =>
    fetch(service.url + path, { method: 'POST', body: '{}', headers: { 'content-type': type } });
  for (const path of ['', '/append', '/merge']) {
    const both = /'text\/plain' is not supported here; send multipart\/form-data or application\/json/;
    await expectProblem(await send(`/v1/transform/geojson${path}`, 'text/plain'), 415, both);
    await expectProblem(await send(`/v1/transform/shp${path}`, 'text/plain'), 415, both);
  }
  await expectProblem(await send('/transform', 'application/json'), 415, /send multipart\/form-data$/);
  await expectProblem(await send('/v1/transform/geojson', 'application/geo+json'), 415, /application\/json/);
  const packed = await postJson(service, '/v1/transform/geojson', {}, { 'content-encoding': 'gzip' });
  await expectProblem(packed, 415, /'application\/json, gzip'/);
});

test('queries that are not known are refused by name and by value', async () => {
  const rows: [string, RegExp][] = [
    ['?async=maybe', /query parameter 'async' is 'maybe', but must be one of "true", "false"/],
    ['?async=true&async=false', /'async' came more than once/],
    ['?asnyc=true', /'asnyc' is unknown; known parameters: async/],
  ];
  for (const [query, detail] of rows)
    for (const path of ['/v1/transform/shp', '/v1/transform/geojson/append', '/v1/inspect'])
      await expectProblem(
        await postForm(service, path + query, { parts: [target], config: toCsv }),
        400,
        detail,
      );
});

test('an inspection without a file, a config or a format is refused', async () => {
  const post = (parts: FormPart[], config: unknown) => postForm(service, '/v1/inspect', { parts, config });
  await expectProblem(await post([], { input: { format: 'shp' } }), 400, /part 'input_file' is missing/);
  await expectProblem(await post([target], undefined), 400, /part 'config' is missing/);
  await expectProblem(await post([target], {}), 400, /^'input.format' is required/);
  await expectProblem(
    await post([target], { input: { format: 'dxf' }, output: { format: 'shp' } }),
    400,
    /field 'input.epsg' is required for dxf/,
  );
});

test('nothing is left of what was refused', async () => {
  // Last of all tests of this file: they run in order.
  const directory = join(service.config.dataDirectory, 'inputs');
  while (readdirSync(directory).length > 0) await fetch(`${service.url}/healthz`);
  assert.deepEqual(readdirSync(join(service.config.dataDirectory, 'outputs')), []);
});
