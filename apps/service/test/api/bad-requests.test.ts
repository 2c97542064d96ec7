/** Every bad request is a 4xx problem whose detail helps. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import test from 'node:test';
import { exchange as exchangeWith } from '../../../../test/support/raw-http.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import {
  GEOJSON_TO_GEOJSON,
  type Submission,
  startTestService,
  submit,
  submitJob,
} from '../../../../test/support/service.ts';

const service = await startTestService({ settings: { MAX_UPLOAD: '100 KiB', MAX_CONFIG: '2 KiB' } });
test.after(() => service[Symbol.asyncDispose]());

const output = { format: 'geojson' };
const rows: [string, Submission, number, RegExp][] = [
  ['config is not JSON', { config: '{"input":' }, 400, /part 'config' is not valid JSON/],
  ['config is empty', { config: '' }, 400, /the text is empty/],
  ['config is no object', { config: '[1]' }, 400, /must be a JSON object/],
  ['input is no object', { config: { input: 'geojson', output } }, 400, /'input' must be an object/],
  ['no format at all', { config: { foo: 1 } }, 400, /'input.format' is required; known formats are .*'foo'/],
  [
    'unknown input format',
    { config: { input: { format: 'gml' }, output } },
    400,
    /'input.format': unknown format 'gml'.*geojson, shp, .*csv/,
  ],
  [
    'unknown output format',
    { config: { ...GEOJSON_TO_GEOJSON, output: { format: 'pdf' } } },
    400,
    /'output.format': unknown format 'pdf'/,
  ],
  ['format of another type', { config: { input: { format: 7 }, output } }, 400, /'input.format' must be/],
  ['no config part', { config: null }, 400, /part 'config' is missing; the form has 'input_file'/],
  ['no file part', { file: null }, 400, /part 'input_file' is missing; the form has 'config'/],
  [
    'a misnamed file part',
    { filePart: 'upload' },
    400,
    /part 'input_file' is missing; the form has 'config', 'upload'/,
  ],
  ['two files', { morePart: [['input_file', 'x']] }, 400, /part 'input_file' was sent more than once/],
  [
    'two files by two names',
    { morePart: [['file', 'x']] },
    400,
    /'input_file' or 'file' was sent more than once/,
  ],
  ['two configs', { morePart: [['payload', '{}']] }, 400, /was sent more than once/],
  ['an empty file', { file: '' }, 400, /roads.geojson is empty/],
  [
    'wrong EPSG code',
    { config: { ...GEOJSON_TO_GEOJSON, output: { format: 'csv', epsg: 'mercator' } } },
    400,
    /'output.epsg': unknown .* 'mercator'/,
  ],
  [
    'negative EPSG code',
    { config: { ...GEOJSON_TO_GEOJSON, output: { format: 'csv', epsg: -1 } } },
    400,
    /output.epsg/,
  ],
  [
    'epsg missing for csv',
    { config: { input: { format: 'csv' }, output } },
    400,
    /^field 'input.epsg' is required for csv: CSV does not store its CRS/,
  ],
  [
    'to_file false with shp',
    { config: { ...GEOJSON_TO_GEOJSON, output: { format: 'shp', to_file: false } } },
    400,
    /'output.to_file'.*not for Shapefile/,
  ],
  [
    'to_file of another type',
    { config: { ...GEOJSON_TO_GEOJSON, output: { format: 'geojson', to_file: 'no' } } },
    400,
    /true or false/,
  ],
  [
    'a transformation',
    { config: { ...GEOJSON_TO_GEOJSON, transformations: [{ type: 'shrink' }] } },
    400,
    /'transformations\[0\].type': unknown transformation 'shrink'.*reproject/,
  ],
  [
    'a parameter that is missing',
    { config: { ...GEOJSON_TO_GEOJSON, transformations: [{ type: 'buffer', params: { units: 'meters' } }] } },
    400,
    /'transformations\[0\]\.params\.distance' is required for buffer/,
  ],
  [
    'a unit that is unknown, written flat',
    { config: { ...GEOJSON_TO_GEOJSON, transformations: [{ type: 'buffer', distance: 1, units: 'm' }] } },
    400,
    /'transformations\[0\]\.units' must be one of "meters"/,
  ],
  [
    'a distance that is infinite',
    {
      config: `{"input":{"format":"geojson"},"output":{"format":"geojson"},
        "transformations":[{"type":"buffer","distance":1e999,"units":"meters"}]}`,
    },
    400,
    /'transformations\[0\]\.distance' must be number/,
  ],
  [
    'a parameter that is unknown',
    { config: { ...GEOJSON_TO_GEOJSON, transformations: [{ type: 'reproject', epsg: 4326, zone: 1 }] } },
    400,
    /'transformations\[0\]\.zone' is not a parameter of reproject; it has epsg, crs/,
  ],
  [
    'a parameter that says two things',
    {
      config: {
        ...GEOJSON_TO_GEOJSON,
        transformations: [{ type: 'reproject', epsg: 4326, params: { epsg: 25832 } }],
      },
    },
    400,
    /'transformations\[0\]\.epsg' contradicts 'transformations\[0\]\.params\.epsg'/,
  ],
  [
    'transformations of another type',
    { config: { ...GEOJSON_TO_GEOJSON, transformations: 'buffer' } },
    400,
    /must be a list/,
  ],
  [
    'an address in place of a file',
    { config: { input: { format: 'geojson', url: 'http://127.0.0.1/' }, output } },
    400,
    /'input.url' is not enabled/,
  ],
  [
    'one thing said twice',
    { config: { ...GEOJSON_TO_GEOJSON, output_format: 'shp' } },
    400,
    /'output_format' contradicts 'output.format'/,
  ],
  [
    'a wrong option',
    { config: { input: { format: 'csv', epsg: 4326, csv_options: { delimiter: 'x' } }, output } },
    400,
    /'input.csv_options.delimiter' must be one of/,
  ],
  ['a file above the limit', { file: 'x'.repeat(110 * 1024) }, 413, /MAX_UPLOAD/],
  ['a config above the limit', { config: `{"a":"${'x'.repeat(3000)}"}` }, 413, /MAX_CONFIG/],
];

for (const [name, submission, status, detail] of rows) {
  test(`refused: ${name}`, async () => {
    const response = await submit(service, submission);
    const problem = (await response.json()) as Record<string, unknown>;
    assert.equal(response.status, status, JSON.stringify(problem));
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    assert.match(String(problem.detail), detail);
    assert.equal(problem.status, status);
  });
}

test('refused: bodies of other types', async () => {
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
    const response = await fetch(`${service.url}/transform`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': type },
    });
    assert.equal(response.status, 415);
    assert.match(String(((await response.json()) as { detail: string }).detail), /send multipart\/form-data/);
  }
});

test('refused: a form without a boundary, and a body that is no form', async () => {
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=x']) {
    const response = await fetch(`${service.url}/transform`, {
      method: 'POST',
      body: 'abc',
      headers: { 'content-type': type },
    });
    assert.equal(response.status, 400, type);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
  }
});

const exchange = (bytes: string, enough: RegExp) => exchangeWith(service.url, bytes, enough);

const HEAD = 'POST /transform HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n';
const FILE_HEAD = '--b\r\nContent-Disposition: form-data; name="input_file"; filename="a"\r\n\r\n';

test('refused before a byte of it is read: a declared length of 10 GB', async () => {
  const answer = await exchange(`${HEAD}Content-Length: 10000000000\r\n\r\n`, /MAX_UPLOAD/);
  assert.match(answer, /^HTTP\/1.1 413 .*declared as 10000000000 bytes; the limit is 102400 bytes/s);
});

test('refused without "100 Continue": a declared length of 10 GB', async () => {
  const answer = await exchange(
    `${HEAD}Expect: 100-continue\r\nContent-Length: 10000000000\r\n\r\n`,
    /MAX_UPLOAD/,
  );
  assert.match(answer, /^HTTP\/1.1 413 /);
});

test('told to go on: a client that asks with a length in bounds', async () => {
  const answer = await exchange(
    `${HEAD}Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n`,
    /100 Continue/,
  );
  assert.match(answer, /^HTTP\/1.1 100 Continue/);
});

test('refused: a body that ends within the file', async () => {
  const body = `${FILE_HEAD}half of it`;
  const answer = await exchange(`${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`, /}$/);
  assert.match(answer, /^HTTP\/1.1 400 .*application\/problem\+json.*ended early/s);
});

test('refused: oversized headers and what is no HTTP', async () => {
  const large = await exchange(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20000)}\r\n\r\n`, /}$/);
  assert.match(large, /^HTTP\/1.1 431 .*application\/problem\+json/s);
  const nonsense = await exchange('nonsense\r\n\r\n', /}$/);
  assert.match(nonsense, /^HTTP\/1.1 400 .*application\/problem\+json/s);
});

test('nothing is left of what was refused, nor of an upload whose client went away', async () => {
  // Last of all tests of this file: they run in order.
  const directory = join(service.config.dataDirectory, 'inputs');
  const { port, hostname } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.write(`${HEAD}Content-Length: 1000\r\n\r\n${FILE_HEAD}abc`);
  while (readdirSync(directory).length === 0) await fetch(`${service.url}/healthz`);
  socket.destroy();
  while (readdirSync(directory).length > 0) await fetch(`${service.url}/healthz`);
  assert.deepEqual(readdirSync(join(service.config.dataDirectory, 'outputs')), []);
});

test('config fields may be parts of their own instead of a part config', async () => {
  const morePart: [string, string][] = [
    ['input_format', 'csv'],
    ['input_epsg', '28350'],
    ['output.format', 'geojson'],
    ['csv_options.delimiter', ';'],
    ['output.precision', '9'],
    ['to_file', 'false'],
    ['transformations', '[{"type":"envelope"}]'],
    ['layer', '5'],
    ['note', 'hello'],
  ];
  const id = await submitJob(service, { config: null, morePart });
  const { request, requestFindings } = await service.ended(id);
  assert.equal(request.input.format, 'csv');
  assert.equal(request.input.files[0].crs, 'EPSG:28350');
  assert.deepEqual(request.input.layers, ['5']);
  assert.deepEqual(request.input.options, { delimiter: ';' });
  assert.deepEqual(request.output?.options, { precision: 9 });
  assert.equal(request.output?.toFile, false);
  assert.deepEqual(
    request.transformations.map(({ type }) => type),
    ['envelope'],
  );
  assert.deepEqual(
    requestFindings.map(({ params }) => params?.part),
    ['note'],
  );
});

test('config fields in parts are checked as in a config; with a config they are ignored and reported', async () => {
  const bad: readonly (readonly [fields: [string, string][], message: RegExp])[] = [
    [
      [
        ['output_format', 'pdf'],
        ['input_format', 'shp'],
      ],
      /unknown format 'pdf'/,
    ],
    [[['output_format', 'shp']], /'input.format' is required/],
    [[['transformations', '[{']], /part 'transformations' is not valid JSON/],
    [[['input_format', 'x'.repeat(300_000)]], /MAX_CONFIG/],
    [
      [
        ['input_format', 'shp'],
        ['input_format', 'shp'],
      ],
      /'input_format' was sent more than once/,
    ],
  ];
  for (const [morePart, message] of bad) {
    const response = await submit(service, { config: null, morePart });
    assert.match(await response.text(), message);
    assert.equal(response.ok, false);
  }
  const id = await submitJob(service, { morePart: [['output_format', 'shp']] });
  const { request, requestFindings } = await service.ended(id);
  assert.equal(request.output?.format, 'geojson');
  assert.deepEqual(
    requestFindings.map(({ code }) => code),
    ['UNKNOWN_PART'],
  );
});

test('the files of a shapefile that come one by one are answered with what to do', async () => {
  const form = new FormData();
  form.append('config', JSON.stringify({ input: { format: 'shp' }, output: { format: 'geojson' } }));
  for (const name of ['roads.shp', 'roads.dbf']) form.append('input_file', new Blob(['x']), name);
  const response = await fetch(`${service.url}/transform`, { method: 'POST', body: form });
  assert.equal(response.status, 400);
  assert.match(await response.text(), /zip all files of the shapefile together and send the \.zip/);
});
